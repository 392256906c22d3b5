#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Alertmanager, one or several that know of each other: the actions configure, start, stop, reload and status.
#
# Configuration: alertmanager/self, the address of the node; alertmanager/nodes, those of all (commas between); alertmanager/webhooks, a list
# of URLs; alertmanager/email, {to, from, smarthost, user, password}; how long it waits for more of the same, alertmanager/wait (30s) at first and
# alertmanager/interval (5m) later, and until it tells of it again, alertmanager/repeat (4h).

set -eu
# shellcheck source=/dev/null # comes with the task
. ./base.sh

webhooks()
{
	[ -z "$1" ] || echo "    webhook_configs:"
	say "$1" | while read -r hook; do
		[ -z "$hook" ] || say "      - url: $(in_quotes "$hook")"
	done
}

email()
{
	to=$(coopr_config alertmanager/email/to '')
	[ -n "$to" ] || return 0
	from=$(coopr_config alertmanager/email/from)
	host=$(coopr_config alertmanager/email/smarthost)
	user=$(coopr_config alertmanager/email/user '')
	password=$(coopr_config alertmanager/email/password '')
	say "    email_configs:"
	say "      - {to: $(in_quotes "$to"), from: $(in_quotes "$from"), smarthost: $(in_quotes "$host"),"
	say "         auth_username: $(in_quotes "$user"), auth_password: $(in_quotes "$password")}"
}

# Passwords may be in it.
configure()
{
	self=$(coopr_config alertmanager/self)
	nodes=$(coopr_config alertmanager/nodes)
	hooks=$(coopr_config alertmanager/webhooks '')
	wait=$(coopr_config alertmanager/wait 30s)
	interval=$(coopr_config alertmanager/interval 5m)
	repeat=$(coopr_config alertmanager/repeat 4h)
	mail=$(email) || exit
	put /etc/prometheus/alertmanager.yml 640 root:prometheus <<-EOT
		route: {receiver: people, group_by: [alertname], group_wait: $wait, group_interval: $interval, repeat_interval: $repeat}
		receivers:
		  - name: people
		$(webhooks "$hooks")
		$mail
	EOT
	amtool check-config /etc/prometheus/alertmanager.yml >/dev/null || coopr_fail "amtool refuses the configuration"
	peers=$(all_but "$self" "$nodes" | sed 's/.*/ --cluster.peer=&:9094/' | tr -d '\n')
	echo "ARGS=\"--web.listen-address=$self:9093 --cluster.listen-address=$self:9094$peers\"" | put /etc/default/prometheus-alertmanager
	echo "http://$self:9093" | put /etc/coopr/alertmanager
}

is_ready()
{
	answers "$(cat /etc/coopr/alertmanager)/-/ready"
}

start()
{
	is_ready || service prometheus-alertmanager start
	cp /etc/default/prometheus-alertmanager /run/coopr-alertmanager
}

# Who the others are, it is only told when it starts.
reload()
{
	if is_ready && cmp -s /etc/default/prometheus-alertmanager /run/coopr-alertmanager; then
		pkill -HUP -f '^/usr/bin/prometheus-alertmanager'
	else
		stop_service prometheus-alertmanager
		start
	fi
}

case $COOPR_ACTION in
configure) configure && finish ;;
start) start ;;
stop) stop_service prometheus-alertmanager ;;
reload) reload ;;
status) is_ready || fail "alertmanager is not ready" ;;
*) coopr_fail "there is nothing to $COOPR_ACTION" ;;
esac
