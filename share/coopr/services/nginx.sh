#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# nginx as load balancer before the application nodes: the actions configure, start, stop, reload, restart and status.
#
# Configuration: nginx/port, nginx/upstream ("server ADDRESS:PORT; ...").

set -eu
# shellcheck source=/dev/null # comes with the task
. ./lib.sh

# While this file exists, clients are told to close their connections. A worker that ends closes those that wait for another
# request, and one that is on its way would be lost.
closing=/run/coopr-nginx-closing

announce() {
	trap 'rm -f "$closing"' EXIT
	: >"$closing"
	sleep 0.5
}

# The zone is memory that all worker processes share: without it each would take turns of its own.
configure() {
	port=$(coopr_config nginx/port 80)
	upstream=$(coopr_config nginx/upstream)
	rm -f /etc/nginx/sites-enabled/default
	cat >/etc/nginx/sites-available/shop <<-EOT
		upstream application {
			zone application 64k;
			$upstream
		}
		server {
			listen $port default_server;
			server_name _;
			set \$last "";
			if (-e $closing) {
				set \$last close;
			}
			add_header Connection \$last always;
			location / {
				include fastcgi_params;
				fastcgi_param SCRIPT_FILENAME /srv/shop/index.php;
				fastcgi_pass application;
				fastcgi_connect_timeout 5s;
			}
		}
	EOT
	ln -sf ../sites-available/shop /etc/nginx/sites-enabled/shop
	nginx -q -t
}

# The process that the file $1 names; nothing if there is none.
master() {
	pid=$(cat "$1" 2>/dev/null) && kill -0 "$pid" 2>/dev/null && echo "$pid"
}

# The worker processes of the master $1 that take new connections.
workers() {
	children=$(cat "/proc/$1/task/$1/children" 2>/dev/null) || return 0
	for worker in $children; do
		case $(tr '\0' ' ' <"/proc/$worker/cmdline" 2>/dev/null) in
		*'shutting down'*) ;;
		'nginx: worker process'*) echo "$worker" ;;
		esac
	done
}

# Waits until the words that follow succeed.
wait_until() {
	for _ in $(seq 100); do
		! "$@" || return 0
		sleep 0.1
	done
	return 1
}

# Those workers that took connections before do so no longer, others do.
has_others() {
	now=$(workers "$master")
	[ -n "$now" ] || return 1
	for worker in $before; do
		case " $(echo "$now" | tr '\n' ' ') " in
		*" $worker "*) return 1 ;;
		esac
	done
}

# Returns when no request goes by the old configuration any more but those that have begun.
reload() {
	master=$(master /run/nginx.pid) || { service nginx start && return; }
	nginx -q -t
	announce
	before=$(workers "$master")
	kill -s HUP "$master"
	wait_until has_others || coopr_fail "nginx has not taken over its configuration; see /var/log/nginx/error.log"
}

has_successor() {
	new=$(master /run/nginx.pid) && [ "$new" != "$1" ] && [ -n "$(workers "$new")" ]
}

has_ended() {
	[ -z "$(workers "$1")" ]
}

# A new program takes over the sockets; then the old one ends what it has begun.
restart() {
	if ! old=$(master /run/nginx.pid.oldbin); then
		old=$(master /run/nginx.pid) || { service nginx start && return; }
		nginx -q -t
		kill -s USR2 "$old"
	fi
	wait_until has_successor "$old" || coopr_fail "nginx has not started anew; see /var/log/nginx/error.log"
	announce
	kill -s QUIT "$old"
	wait_until has_ended "$old" || true
}

status() {
	service nginx status >/dev/null 2>&1 && return
	echo "nginx does not run" >&2
	exit 1
}

case $COOPR_ACTION in
configure) configure ;;
start) service nginx status >/dev/null || service nginx start ;;
stop) service nginx stop ;;
reload) reload ;;
restart) restart ;;
status) status ;;
*) coopr_fail "there is nothing to $COOPR_ACTION" ;;
esac
