#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The name of the node, and names of others: the actions configure, start, which does the same and repairs, and status.
#
# Configuration: hostname/hosts, a list of lines of /etc/hosts, beside what coopr and others keep there.

set -eu
# shellcheck source=/dev/null # comes with the task
. ./base.sh

begin='# hosts of the configuration, kept by coopr'
end='# end of the hosts of the configuration'

# In place: where the file is mounted it cannot be renamed.
write_hosts()
{
	[ -w /etc/hosts ] || coopr_fail "/etc/hosts of this machine is its provider's and cannot be written"
	cat "$COOPR_DIR/hosts" >/etc/hosts
}

hosts()
{
	lines=$(coopr_config hostname/hosts '')
	{
		sed "/^$begin\$/,/^$end\$/d" /etc/hosts
		[ -z "$lines" ] || printf '%s\n%s\n%s\n' "$begin" "$lines" "$end"
	} >"$COOPR_DIR/hosts"
	cmp -s "$COOPR_DIR/hosts" /etc/hosts || act /etc/hosts write_hosts
}

case $COOPR_ACTION in
configure | start | status)
	name=${COOPR_HOSTNAME%%.*}
	echo "$name" | put /etc/hostname
	[ "$(hostname)" = "$name" ] || act "the host name" hostname "$name"
	hosts
	finish
	;;
*) coopr_fail "there is nothing to $COOPR_ACTION" ;;
esac
