#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# PHP as application server: the actions configure, start, stop and status. With configure comes shop.php, the application.
#
# Configuration: php-fpm/listen ("ADDRESS:PORT"), php-fpm/clients (addresses, commas between), and for the
# application shop/title, shop/node, shop/instance, shop/database/{host,name,user,password}.

set -eu
# shellcheck source=/dev/null # comes with the task
. ./lib.sh

# PHP's version is Debian's to choose: /etc/php/8.2/fpm
home=$(find /etc/php -mindepth 2 -maxdepth 2 -name fpm | sort -V | tail -n 1)
[ -n "$home" ] || coopr_fail "php-fpm is not installed: there is no /etc/php/*/fpm"
version=$(basename "$(dirname "$home")")
service=php$version-fpm

# The value of a member as a string of PHP.
php_string() {
	value=$(coopr_config "$1")
	printf "'%s'" "$(printf '%s' "$value" | sed "s/[\\\\']/\\\\&/g")"
}

# The password is in it: for root and the pool's user only, from its first byte.
configure_application() {
	mkdir -p /srv/shop
	umask 027
	cat >/srv/shop/config.php.new <<-EOT
		<?php
		return [
			'title' => $title,
			'node' => $node,
			'instance' => $instance,
			'database' => [
				'host' => $database_host,
				'name' => $database_name,
				'user' => $database_user,
				'password' => $database_password,
			],
		];
	EOT
	chgrp www-data /srv/shop/config.php.new
	mv /srv/shop/config.php.new /srv/shop/config.php
	umask 022
	cp shop.php /srv/shop/index.php
	chmod 644 /srv/shop/index.php
}

configure() {
	listen=$(coopr_config php-fpm/listen)
	clients=$(coopr_config php-fpm/clients)
	title=$(php_string shop/title)
	node=$(php_string shop/node)
	instance=$(php_string shop/instance)
	database_host=$(php_string shop/database/host)
	database_name=$(php_string shop/database/name)
	database_user=$(php_string shop/database/user)
	database_password=$(php_string shop/database/password)

	cat >"$home/pool.d/www.conf" <<-EOT
		[www]
		user = www-data
		group = www-data
		listen = $listen
		listen.allowed_clients = $clients
		pm = static
		pm.max_children = 4
		catch_workers_output = yes
	EOT
	configure_application
}

status() {
	service "$service" status >/dev/null 2>&1 && return
	echo "$service does not run" >&2
	exit 1
}

case $COOPR_ACTION in
configure) configure ;;
start) service "$service" status >/dev/null || service "$service" start ;;
stop) service "$service" stop ;;
status) status ;;
*) coopr_fail "there is nothing to $COOPR_ACTION" ;;
esac
