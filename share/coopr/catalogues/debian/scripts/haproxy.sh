#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# HAProxy before other services: the actions configure, start, stop, reload, drain and status.
#
# Configuration: haproxy/frontends, a list of {port, servers (ADDRESS:PORT, commas between), mode (http or tcp), check (the path that is asked whether
# a server is well; without it the connection counts), first (a list of beginnings of paths that only the first server answers)}.

set -eu
# shellcheck source=/dev/null # comes with the task
. ./base.sh

file=/etc/haproxy/haproxy.cfg
socket=/run/haproxy/admin.sock

words()
{
	case $1 in
	*[!A-Za-z0-9.:,/_?=\ -]*) coopr_fail "haproxy/frontends: $1: it has a character that cannot be in it" ;;
	esac
}

servers()
{
	number=0
	for server in $(echo "$servers" | tr ',' ' '); do
		number=$((number + 1))
		echo "	server s$number $server check inter 1s fall 2 rise 1 $1"
	done
}

frontend()
{
	port=$(coopr_config "$1/port")
	servers=$(coopr_config "$1/servers")
	mode=$(coopr_config "$1/mode" http)
	check=$(coopr_config "$1/check" '')
	first=$(coopr_config "$1/first" '' | tr '\n' ' ')
	words "$port $servers $mode $check $first"
	printf '\nlisten on-%s\n\tbind :%s\n\tmode %s\n' "$port" "$port" "$mode"
	if [ "$mode" = http ]; then
		printf '\toption forwardfor\n\toption httplog\n'
		[ -z "$check" ] || printf '\toption httpchk GET %s\n' "$check"
		[ -z "${first# }" ] || printf '\tacl first path_beg %s\n\tuse-server s1 if first\n' "$first"
	fi
	servers ''
}

configure()
{
	frontends=$(each haproxy/frontends port frontend) || exit
	cat >new.cfg <<-EOT
		global
			log /dev/log local0
			user haproxy
			group haproxy
			stats socket $socket mode 600 level admin expose-fd listeners
			hard-stop-after 60s
		defaults
			timeout connect 5s
			timeout client 60s
			timeout server 60s
			option redispatch
			retries 3
		$frontends
	EOT
	haproxy -q -c -f new.cfg || coopr_fail "haproxy refuses its configuration"
	put $file <new.cfg
}

runs()
{
	[ -s /run/haproxy.pid ] && service_runs haproxy
}

reload()
{
	runs || { service haproxy start && return; }
	# The new process takes the sockets over: no connection is refused in between.
	if [ -d /run/systemd/system ]; then
		systemctl reload haproxy
	else
		# shellcheck disable=SC2046 # words
		haproxy -D -f $file -p /run/haproxy.pid -x $socket -sf $(cat /run/haproxy.pid)
	fi
}

# Takes no further connection, and ends with the last one.
drain()
{
	[ -s /run/haproxy.pid ] || return 0
	while read -r pid; do
		kill -s USR1 "$pid" 2>/dev/null || continue
		while kill -0 "$pid" 2>/dev/null; do sleep 0.2; done
	done </run/haproxy.pid
}

case $COOPR_ACTION in
configure) configure && finish ;;
start) runs || service haproxy start ;;
stop) stop_service haproxy runs ;;
reload) reload ;;
drain) drain ;;
status) runs || fail "haproxy does not run" ;;
*) coopr_fail "there is nothing to $COOPR_ACTION" ;;
esac
