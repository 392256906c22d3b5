#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# nginx as load balancer before the application nodes: the actions configure, start, stop and status.
#
# Configuration: nginx/port, nginx/upstream ("server ADDRESS:PORT; ...").

set -eu
# shellcheck source=/dev/null # comes with the task
. ./lib.sh

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

status() {
	service nginx status >/dev/null 2>&1 && return
	echo "nginx does not run" >&2
	exit 1
}

case $COOPR_ACTION in
configure) configure ;;
start) service nginx status >/dev/null || service nginx start ;;
stop) service nginx stop ;;
status) status ;;
*) coopr_fail "there is nothing to $COOPR_ACTION" ;;
esac
