#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# apache.sh [wordpress]
#
# Apache with PHP, and what it serves: the actions configure, start, stop, reload, drain, status, backup and restore. Without an argument the
# application is what a resource or a file of the catalogue brings as index.php; else it is WordPress, as Debian has it.
#
# Configuration: apache/self, the address of the node, and apache/port; apache/database, {host, name, user, password}; wordpress/title,
# wordpress/user, wordpress/password, wordpress/email, wordpress/url, and wordpress/keys, a secret from which its keys are made.

set -eu
# shellcheck source=/dev/null # comes with the task
. ./base.sh

site=/etc/apache2/sites-available/coopr.conf
content=/var/lib/wordpress/wp-content

read_database()
{
	host=$(coopr_config apache/database/host)
	name=$(coopr_config apache/database/name)
	user=$(coopr_config apache/database/user)
	password=$(coopr_config apache/database/password)
}

virtual_host()
{
	put $site <<-EOT
		<VirtualHost *:$port>
			DocumentRoot $1
			$2
			<Directory $1>
				Options FollowSymLinks
				AllowOverride None
				Require all granted
				DirectoryIndex index.php
			</Directory>
		</VirtualHost>
	EOT
	printf 'Listen %s:%s\nListen 127.0.0.1:%s\nServerName %s\n' "$self" "$port" "$port" "$COOPR_HOSTNAME" | put /etc/apache2/ports.conf
	[ ! -e /etc/apache2/sites-enabled/000-default.conf ] || act "no default site" a2dissite -q 000-default
	[ -e /etc/apache2/sites-enabled/coopr.conf ] || act "the site is enabled" a2ensite -q coopr
}

# The application finds its database in a file that only it and root may read.
application()
{
	put /srv/app-config.php 640 root:www-data <<-EOT
		<?php
		return [
			'node' => $(in_escaped_quotes "$COOPR_HOSTNAME"),
			'database' => [
				'host' => $(in_escaped_quotes "$host"),
				'name' => $(in_escaped_quotes "$name"),
				'user' => $(in_escaped_quotes "$user"),
				'password' => $(in_escaped_quotes "$password"),
			],
		];
	EOT
	put /srv/app/index.php <index.php
	echo yes | put /srv/app/healthy.txt
	virtual_host /srv/app ''
}

# The keys of all nodes are the same, so that who is logged in at one is at all; they are made from one secret.
keys()
{
	for key in AUTH_KEY SECURE_AUTH_KEY LOGGED_IN_KEY NONCE_KEY AUTH_SALT SECURE_AUTH_SALT LOGGED_IN_SALT NONCE_SALT; do
		echo "define('$key', '$(printf '%s %s' "$key" "$1" | sha256sum | cut -d ' ' -f 1)');"
	done
}

wordpress()
{
	address=$(coopr_config wordpress/url)
	secret=$(coopr_config wordpress/keys)
	put /etc/wordpress/config-default.php 640 root:www-data <<-EOT
		<?php
		define('DB_HOST', $(in_escaped_quotes "$host"));
		define('DB_NAME', $(in_escaped_quotes "$name"));
		define('DB_USER', $(in_escaped_quotes "$user"));
		define('DB_PASSWORD', $(in_escaped_quotes "$password"));
		define('WP_HOME', $(in_escaped_quotes "$address"));
		define('WP_SITEURL', $(in_escaped_quotes "$address"));
		define('WP_CONTENT_DIR', '$content');
		define('WP_HTTP_BLOCK_EXTERNAL', true);
		$(keys "$secret")
		\$table_prefix = 'wp_';
	EOT
	[ -d $content/uploads ] || act "the folder of uploads" install -d -o www-data -g www-data $content/uploads
	virtual_host /usr/share/wordpress "Alias /wp-content $content
			<Directory $content>
				Require all granted
			</Directory>"
}

configure()
{
	self=$(coopr_config apache/self)
	port=$(coopr_config apache/port)
	read_database
	if [ "$kind" = wordpress ]; then
		wordpress
	else
		application
	fi
	apache2ctl -t 2>&1 | grep -qx 'Syntax OK' || coopr_fail "apache refuses its configuration: $(apache2ctl -t 2>&1 | tail -n 1)"
}

# The first start makes the tables and the first user, once for all nodes; the words come by stdin. Of two at once, the database lets one through.
initialize()
{
	[ "$kind" = wordpress ] || return 0
	put /usr/local/share/coopr-wordpress-install.php <wordpress-install.php
	{
		for member in title user email password; do
			coopr_config "wordpress/$member"
		done
	} | runuser -u www-data -- php /usr/local/share/coopr-wordpress-install.php
}

start()
{
	start_service apache2
	listens
}

reload()
{
	service_runs apache2 || { service apache2 start && return; }
	if [ "$(coopr_config apache/self):$(coopr_config apache/port)" != "$(cat /run/coopr-apache 2>/dev/null)" ]; then
		service apache2 restart
	else
		apache2ctl graceful
	fi
	listens
}

listens()
{
	echo "$(coopr_config apache/self):$(coopr_config apache/port)" >/run/coopr-apache
}

# Takes no further connection, and ends with the last one.
drain()
{
	apache2ctl graceful-stop
	while pgrep -x apache2 >/dev/null; do sleep 0.2; done
}

# What people have uploaded; the rest is in the database.
restore()
{
	rm -rf $content/uploads.new
	install -d -o www-data -g www-data $content/uploads.new
	tar -C $content/uploads.new -x || coopr_fail "what came is no archive of uploads; nothing has changed"
	rm -rf $content/uploads
	mv $content/uploads.new $content/uploads
}

kind=${1-}
case $COOPR_ACTION in
configure) configure && finish ;;
initialize) initialize ;;
start) start ;;
stop) stop_service apache2 ;;
reload) reload ;;
drain) drain ;;
status) service_runs apache2 || fail "apache does not run" ;;
backup) tar -C $content/uploads -c . ;;
restore) restore ;;
*) coopr_fail "there is nothing to $COOPR_ACTION" ;;
esac
