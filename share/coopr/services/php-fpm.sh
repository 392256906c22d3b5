#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# PHP as application server: the actions configure, start, stop, reload, restart, drain and status. With configure comes
# shop.php, the application.
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
pid_file=/run/php/$service.pid

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
	cp shop.php /srv/shop/index.php.new
	chmod 644 /srv/shop/index.php.new
	mv /srv/shop/index.php.new /srv/shop/index.php
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
		[global]
		process_control_timeout = 30s

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

# The processes that answer requests.
children() {
	master=$(cat "$pid_file" 2>/dev/null) && cat "/proc/$master/task/$master/children" 2>/dev/null
}

# The program is executed anew, with its sockets, once the requests are answered that have begun: for 30 s at
# most, by process_control_timeout. Those that come meanwhile wait in the socket. So this is a restart, too.
reload() {
	if ! master=$(cat "$pid_file" 2>/dev/null) || ! kill -0 "$master" 2>/dev/null; then
		service "$service" start
		return
	fi
	"php-fpm$version" -t 2>&1 | grep -v ' test is successful$' >&2 || true
	"php-fpm$version" -t 2>/dev/null || coopr_fail "$service does not accept its configuration"
	before=$(children)
	kill -s USR2 "$master"
	for _ in $(seq 400); do
		has_others && return
		sleep 0.1
	done
	coopr_fail "$service has not taken over its configuration; see /var/log/php$version-fpm.log"
}

has_others() {
	now=$(children) && [ -n "$now" ] || return 1
	for child in $before; do
		case " $now " in
		*" $child "*) return 1 ;;
		esac
	done
}

# The number of connections to the port $1: of the second column the end behind the colon, in state 01.
connections() {
	port=$(printf ':%04X' "$1")
	cat /proc/net/tcp /proc/net/tcp6 2>/dev/null |
		while read -r _ local _ state _; do
			[ "$state" != 01 ] || [ "${local#"${local%?????}"}" != "$port" ] || echo 1
		done | wc -l
}

# Waits until all requests are answered. What is not answered after that ends when the service stops.
drain() {
	port=$(coopr_config php-fpm/listen)
	for _ in $(seq 300); do
		[ "$(connections "${port##*:}")" -ne 0 ] || return 0
		sleep 0.1
	done
	echo "requests are still being answered after 30 s" >&2
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
reload | restart) reload ;;
drain) drain ;;
status) status ;;
*) coopr_fail "there is nothing to $COOPR_ACTION" ;;
esac
