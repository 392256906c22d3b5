#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Where packages come from: the actions configure, start, which does the same and repairs, and status.
#
# Configuration: apt-sources/sources, a list of lines of sources.list; apt-sources/keys, a list of {name, key}, which they name as
# [signed-by=/etc/apt/keyrings/NAME.asc]; apt-sources/pins, a list of {package, pin, priority}; apt-sources/proxy, a URL.

set -eu
# shellcheck source=/dev/null # comes with the task
. ./base.sh

key()
{
	name=$(coopr_config "$1/name")
	text=$(coopr_config "$1/key")
	case $name in
	*[!A-Za-z0-9._-]* | .*) coopr_fail "apt-sources/keys: $name: expected a name of A-Z a-z 0-9 . _ -" ;;
	esac
	echo "$text" | put "/etc/apt/keyrings/$name.asc"
}

pin()
{
	package=$(coopr_config "$1/package")
	pin=$(coopr_config "$1/pin")
	priority=$(coopr_config "$1/priority")
	printf 'Package: %s\nPin: %s\nPin-Priority: %s\n\n' "$package" "$pin" "$priority"
}

configure()
{
	sources=$(coopr_config apt-sources/sources '')
	proxy=$(coopr_config apt-sources/proxy '')
	pins=$(each apt-sources/pins package pin) || exit
	each apt-sources/keys name key
	echo "$pins" | put /etc/apt/preferences.d/coopr
	echo "${proxy:+Acquire::http::Proxy \"$proxy\";}" | put /etc/apt/apt.conf.d/60coopr-proxy
	echo "$sources" | put /etc/apt/sources.list.d/coopr.list
}

# Only what is configured here is fetched, and again when that failed the last time.
update()
{
	: >/var/lib/apt/coopr-update
	apt-get -q update -o APT::Update::Error-Mode=any -o APT::Get::List-Cleanup=0 -o Dir::Etc::SourceParts=- \
		-o Dir::Etc::SourceList=sources.list.d/coopr.list </dev/null
	rm /var/lib/apt/coopr-update
}

case $COOPR_ACTION in
configure | start)
	configure
	if has_changed || [ -e /var/lib/apt/coopr-update ]; then
		update
	fi
	finish
	;;
status) configure ;;
*) coopr_fail "there is nothing to $COOPR_ACTION" ;;
esac
