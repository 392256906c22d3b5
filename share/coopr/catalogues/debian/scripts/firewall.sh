#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What may reach the node, by nftables: the actions configure, start, stop, reload, restart and status.
#
# Configuration: firewall/rules, a list of {port, from}: the TCP port, or PROTOCOL/PORT, or PROTOCOL, is open to the addresses and networks
# "from" (commas between), or to all; where nothing listens, it is open to nothing. Open are always: ssh, pings,
# and answers to what the node asked. All else is refused, so that whoever asks hears of it at once. Tables of others stay as they are.

set -eu
# shellcheck source=/dev/null # comes with the task
. ./base.sh

rules=/etc/nftables.d/coopr.nft
loaded=/run/coopr-firewall

# The port of ssh is the one that this connection came by; sshd may have others.
ssh_ports()
{
	{
		echo 22
		sed -n 's/^[[:space:]]*[Pp]ort[[:space:]]\{1,\}\([0-9]\{1,\}\).*/\1/p' /etc/ssh/sshd_config 2>/dev/null || :
	} | sort -nu | paste -s -d ,
}

rule()
{
	port=$(coopr_config "$1/port")
	from=$(coopr_config "$1/from" any)
	case $port$from in
	*[!a-z0-9/.:,-]*) coopr_fail "firewall/rules: $port from $from: expected a port and addresses, commas between" ;;
	esac
	[ "$from" = any ] && from= || from="ip saddr { $from } "
	case $port in
	*/*) echo "		$from${port%/*} dport ${port#*/} accept" ;;
	*[a-z]*) echo "		${from}meta l4proto $port accept" ;;
	*) echo "		${from}tcp dport $port accept" ;;
	esac
}

configure()
{
	text=$(each firewall/rules port rule) || exit
	put $rules <<-EOT
		table inet coopr
		delete table inet coopr
		table inet coopr {
			chain input {
				type filter hook input priority filter; policy drop;
				ct state established,related accept
				iif lo accept
				meta l4proto { icmp, ipv6-icmp } accept
				tcp dport { $(ssh_ports) } accept
		$text
				meta l4proto tcp reject with tcp reset
				reject with icmpx admin-prohibited
			}
		}
	EOT
	grep -qx "include \"$rules\"" /etc/nftables.conf 2>/dev/null || act /etc/nftables.conf persist
}

# What is loaded when the machine starts.
persist()
{
	[ -e /etc/nftables.conf ] || printf '#!/usr/sbin/nft -f\n' >/etc/nftables.conf
	echo "include \"$rules\"" >>/etc/nftables.conf
	chmod 755 /etc/nftables.conf
	[ ! -d /run/systemd/system ] || systemctl --quiet enable nftables
}

# All at once: no packet sees half of the rules.
load()
{
	nft -f $rules
	nft -s list table inet coopr >$loaded
}

# The kernel has these rules, as nobody has changed them since.
status()
{
	configure
	if [ ! -e $loaded ] || [ -n "$(find $rules -newer $loaded)" ]; then
		fail "$rules is not loaded"
	fi
	nft -s list table inet coopr 2>/dev/null | cmp -s $loaded - || fail "the rules in the kernel are not those of $rules"
}

case $COOPR_ACTION in
configure) configure && finish ;;
start | reload | restart) load ;;
stop) nft delete table inet coopr 2>/dev/null || true ;;
status) status ;;
*) coopr_fail "there is nothing to $COOPR_ACTION" ;;
esac
