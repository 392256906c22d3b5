#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The clock, by chrony: the actions configure, start, stop, restart and status.
#
# Configuration: ntp/servers, a list of names and addresses; ntp/self, the address of the node. A node that is itself one of the servers
# takes its time from those before it in the list, or from its own clock, and gives it to everybody.

set -eu
# shellcheck source=/dev/null # comes with the task
. ./base.sh

sources()
{
	for server in $servers; do
		if [ "$server" = "$self" ]; then
			printf 'local stratum 10\nallow all\n'
			return
		fi
		echo "server $server iburst"
	done
}

# Where only the host sets the clock, as in a container, chrony measures it.
options()
{
	bit=25 # CAP_SYS_TIME
	set -- "0x$(sed -n 's/^CapBnd:[[:space:]]*//p' /proc/self/status)"
	if [ $(($1 >> bit & 1)) -eq 1 ] && [ "$(readlink /proc/self/ns/user)" = "user:[4026531837]" ]; then
		echo 'DAEMON_OPTS="-F 1"'
	else
		echo 'DAEMON_OPTS="-x"'
	fi
}

configure()
{
	servers=$(coopr_config ntp/servers | tr ',' '\n')
	self=$(coopr_config ntp/self)
	{
		sources
		printf '%s\n' 'driftfile /var/lib/chrony/chrony.drift' 'makestep 1 3' 'rtcsync' 'logdir /var/log/chrony'
	} | put /etc/chrony/chrony.conf
	options | put /etc/default/chrony
}

# The time is right within a second of where it comes from.
status()
{
	configure
	tracking=$(chronyc -n -c tracking 2>/dev/null) || fail "chronyd does not answer"
	echo "$tracking" | awk -F , '$1 != "00000000" && $5 < 1 && $5 > -1 { good = 1 } END { exit !good }' || fail "the clock follows no server yet"
}

case $COOPR_ACTION in
configure) configure && finish ;;
start) start_service chrony ;;
stop) stop_service chrony ;;
restart) service chrony restart ;;
status) status ;;
*) coopr_fail "there is nothing to $COOPR_ACTION" ;;
esac
