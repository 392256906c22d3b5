#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Redis, one primary and its replicas: the actions configure, start, stop, reload, status, backup and restore.
#
# Configuration: redis/self, the address of the node; redis/nodes and redis-sentinel/nodes, those of all (commas between); redis/password.
# Which is the primary, the sentinels say once they know; in the beginning it is the first.

set -eu
# shellcheck source=/dev/null # comes with the task
. ./base.sh

file=/etc/redis/redis.conf
made=/etc/redis/coopr.conf
patience=5 # seconds

# The password is in the environment of these programs alone.
cli()
{
	REDISCLI_AUTH=$(sed -n 's/^requirepass "\(.*\)"$/\1/p' $made) timeout "$patience" redis-cli --no-auth-warning "$@"
}

# The primary, as one of the sentinels knows it.
asked_sentinels()
{
	for node in $(coopr_config redis-sentinel/nodes | tr ',' ' '); do
		answer=$(cli -h "$node" -p 26379 sentinel get-master-addr-by-name main 2>/dev/null | head -n 1) || continue
		case $answer in
		[0-9]*) echo "$answer" && return ;;
		esac
	done
}

# A machine that is new may have the address of the primary that is gone: it is empty, and nobody is to follow it.
refuse_if_others_have_rows()
{
	for node in $(echo "$nodes" | tr ',' ' '); do
		[ "$node" = "$self" ] || ! cli -h "$node" info replication 2>/dev/null | grep -q '^\(slave\|master\)_repl_offset:[1-9]' ||
			later "the sentinels have not chosen another primary yet"
	done
}

settings()
{
	cat <<-EOT
		bind $self 127.0.0.1
		port 6379
		daemonize yes
		pidfile /run/redis/redis-server.pid
		logfile /var/log/redis/redis-server.log
		dir /var/lib/redis
		appendonly yes
		requirepass "$password"
		masterauth "$password"
		replica-announce-ip $self
		min-replicas-to-write $(coopr_config redis/min-replicas 0)
		min-replicas-max-lag 10
		enable-debug-command local
	EOT
}

# Redis writes into its file whom it follows, so that is made anew only if the settings change, and that line stays.
configure()
{
	self=$(coopr_config redis/self)
	nodes=$(coopr_config redis/nodes)
	password=$(coopr_config redis/password)
	case $password in
	*[\"\\]*) coopr_fail 'redis/password: a " or \ cannot be in it' ;;
	esac
	own /var/lib/redis redis
	settings | put $made 640 redis:redis
	[ ! -e /etc/redis/coopr-made ] || ! has_changed || rm /etc/redis/coopr-made
	[ ! -e /etc/redis/coopr-made ] || return 0
	if [ -e /etc/redis/coopr-known ]; then
		follows=$(grep '^replicaof ' $file || :)
	else
		primary=$(asked_sentinels)
		primary=${primary:-${nodes%%,*}}
		if [ "$primary" = "$self" ]; then
			refuse_if_others_have_rows
			follows=
		else
			follows="replicaof $primary 6379"
		fi
	fi
	{
		cat $made
		echo "$follows"
	} | put $file 640 redis:redis
	touch /etc/redis/coopr-made /etc/redis/coopr-known
}

# What can be said to a server that runs; bind cannot.
reload()
{
	service_runs redis-server || { service redis-server start && return; }
	while read -r name value; do
		case $name in
		requirepass | masterauth | min-replicas-to-write) printf 'CONFIG SET %s %s\n' "$name" "$value" ;;
		esac
	done <$made >"$COOPR_DIR/commands"
	cli <"$COOPR_DIR/commands" >/dev/null || redis_restart
}

# The password that the server has is not the one that the file has: it is started anew.
redis_restart()
{
	stop_service redis-server
	service redis-server start
}

# A replica is ready when it follows its primary.
status()
{
	state=$(cli info replication 2>/dev/null | tr -d '\r') || fail "redis does not answer"
	case $state in
	*role:master* | *master_link_status:up*) return ;;
	*master_link_status*) fail "redis has not reached its primary" ;;
	*) fail "redis does not answer: $state" ;;
	esac
}

backup()
{
	patience=3600
	trap 'rm -f /var/lib/redis/coopr-backup' EXIT
	cli --rdb /var/lib/redis/coopr-backup >/dev/null 2>&1
	cat /var/lib/redis/coopr-backup
}

# On the primary, while it runs, so that no sentinel takes it for dead; its replicas then take all of it anew.
restore()
{
	patience=3600
	if cli info replication | grep -q '^role:slave'; then
		cat >/dev/null
		echo "this is a replica: it takes what its primary restores" >&2
		return
	fi
	(umask 077 && cat >/var/lib/redis/coopr-restore)
	redis-check-rdb /var/lib/redis/coopr-restore >/dev/null || { rm /var/lib/redis/coopr-restore && coopr_fail "what came is no dump of redis; nothing has changed"; }
	chown redis:redis /var/lib/redis/coopr-restore
	cli config set appendonly no
	mv /var/lib/redis/coopr-restore /var/lib/redis/dump.rdb
	cli debug reload nosave
	cli config set appendonly yes
	cli debug change-repl-id
	cli client kill type replica
}

case $COOPR_ACTION in
configure) configure && finish ;;
start) start_service redis-server ;;
stop) stop_service redis-server ;;
reload) reload ;;
status) status ;;
backup) backup ;;
restore) restore ;;
*) coopr_fail "there is nothing to $COOPR_ACTION" ;;
esac
