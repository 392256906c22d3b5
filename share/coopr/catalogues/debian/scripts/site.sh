#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# nginx with pages: the actions configure, start, stop, reload and status.
#
# Configuration: site/port; site/self, the address of the node; site/page, the text of the first page.

set -eu
# shellcheck source=/dev/null # comes with the task
. ./base.sh

configure()
{
	port=$(coopr_config site/port)
	self=$(coopr_config site/self)
	page=$(coopr_config site/page)
	put /etc/nginx/sites-available/coopr <<-EOT
		server {
			listen $self:$port default_server;
			listen 127.0.0.1:$port default_server;
			root /srv/site;
			location = /healthy {
				return 200 "yes\n";
			}
		}
	EOT
	echo "$page" | put /srv/site/index.html
	[ "$(readlink /etc/nginx/sites-enabled/coopr)" = ../sites-available/coopr ] ||
		act "the site is enabled" ln -sf ../sites-available/coopr /etc/nginx/sites-enabled/coopr
	[ ! -e /etc/nginx/sites-enabled/default ] || act "no default site" rm /etc/nginx/sites-enabled/default
	nginx -q -t
}

reload()
{
	service_runs nginx || { service nginx start && return; }
	service nginx reload
}

case $COOPR_ACTION in
configure) configure && finish ;;
start) start_service nginx ;;
stop) stop_service nginx ;;
reload) reload ;;
status) service_runs nginx || fail "nginx does not run" ;;
*) coopr_fail "there is nothing to $COOPR_ACTION" ;;
esac
