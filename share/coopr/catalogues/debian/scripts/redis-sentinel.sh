#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# A sentinel of Redis, one of those that choose another primary when it fails: the actions configure, start, stop, reload and status.
#
# Configuration: redis-sentinel/self, the address of the node; redis-sentinel/nodes, those of all, and redis/nodes, those of the servers (commas
# between); redis-sentinel/down-after-s, after how many seconds without an answer (5); redis/password.

set -eu
# shellcheck source=/dev/null # comes with the task
. ./base.sh

file=/etc/redis/sentinel.conf
made=/etc/redis/coopr-sentinel.conf

cli()
{
	REDISCLI_AUTH=$(sed -n 's/^requirepass "\(.*\)"$/\1/p' $made) timeout 5 redis-cli --no-auth-warning -p 26379 "$@"
}

# The primary as this sentinel or another knows it, or the first server.
primary()
{
	found=$(sed -n 's/^sentinel monitor main \([^ ]*\) .*/\1/p' $file 2>/dev/null)
	for node in $(echo "$sentinels" | tr ',' ' '); do
		[ -z "$found" ] || [ "$found" = 127.0.0.1 ] || break
		found=$(cli -h "$node" sentinel get-master-addr-by-name main 2>/dev/null | head -n 1 | grep '^[0-9]') || :
	done
	echo "${found:-${servers%%,*}}"
}

settings()
{
	cat <<-EOT
		bind $self 127.0.0.1
		port 26379
		daemonize yes
		pidfile /run/sentinel/redis-sentinel.pid
		logfile /var/log/redis/redis-sentinel.log
		dir /var/lib/redis
		requirepass "$password"
		sentinel announce-ip $self
		sentinel sentinel-pass $password
	EOT
}

# Sentinel keeps what it knows in its file: that is made anew only if the settings change.
configure()
{
	self=$(coopr_config redis-sentinel/self)
	sentinels=$(coopr_config redis-sentinel/nodes)
	servers=$(coopr_config redis/nodes)
	password=$(coopr_config redis/password)
	down=$(coopr_config redis-sentinel/down-after-s 5)
	quorum=$(($(echo "$sentinels" | tr ',' '\n' | wc -l) / 2 + 1))
	settings | put $made 640 redis:redis
	echo "$sentinels $servers $quorum ${down}000" | put /etc/redis/coopr-sentinel-nodes
	if [ -e /etc/redis/coopr-sentinel-made ] && [ -z "$(find $made -newer /etc/redis/coopr-sentinel-made)" ]; then
		return
	fi
	{
		cat $made
		cat <<-EOT
			sentinel monitor main $(primary) 6379 $quorum
			sentinel auth-pass main $password
			sentinel down-after-milliseconds main ${down}000
			sentinel failover-timeout main 30000
		EOT
	} | put $file 640 redis:redis
	touch /etc/redis/coopr-sentinel-made
}

# Its file has these as they were when it was made.
start()
{
	start_service redis-sentinel
	wait_for 10 cli ping || fail "the sentinel does not answer"
	read -r _ _ quorum down </etc/redis/coopr-sentinel-nodes
	cli sentinel set main quorum "$quorum" down-after-milliseconds "$down" >/dev/null
}

# Those that are gone are forgotten; who is there is found again.
reload()
{
	start
	cli sentinel reset main >/dev/null
}

# It is ready when it knows the primary, and the others that it needs to choose one.
status()
{
	said=$(cli sentinel ckquorum main 2>&1) || fail "the sentinel does not answer"
	case $said in
	OK*) ;;
	*) fail "$said" ;;
	esac
}

case $COOPR_ACTION in
configure) configure && finish ;;
start) start ;;
stop) stop_service redis-sentinel ;;
reload) reload ;;
status) status ;;
*) coopr_fail "there is nothing to $COOPR_ACTION" ;;
esac
