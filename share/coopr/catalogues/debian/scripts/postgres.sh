#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# PostgreSQL, a primary and its synchronous standbys: the actions configure, start, stop, reload, status, backup and restore.
#
# Configuration: postgres/self, the address of the node; postgres/nodes and postgres/names, the addresses and names of all (commas between),
# of which the first is the primary: a machine that is new may have the address of one that is gone, but not its name;
# postgres/replication, a password; postgres/databases, a list of {name, user, password, clients (addresses, commas between)};
# postgres/promote, the standby that a person makes the primary although another one, which may have more, does not answer.
#
# A commit is on the primary and on a standby before it is acknowledged. A standby becomes the primary when the one that it follows is no
# node of the cluster any more, whose machine coopr has deleted then, and only with all that any standby has.

set -eu
# shellcheck source=/dev/null # comes with the task
. ./base.sh

version=$(find /usr/lib/postgresql -mindepth 1 -maxdepth 1 | sed 's|.*/||' | sort -V | tail -n 1)
bin=/usr/lib/postgresql/$version/bin
settings=/etc/postgresql/$version/main
data=/var/lib/postgresql/$version/main
passwords=/var/lib/postgresql/coopr-passwords
known=/etc/postgresql/coopr-nodes # as it is configured
followed=/etc/postgresql/coopr-followed # the name of whom this node follows
peers=/etc/postgresql/coopr-peers # the names of the nodes when there was a primary

as_postgres()
{
	(cd / && runuser -u postgres -- "$@")
}

# SQL of stdin, here.
sql()
{
	as_postgres psql -X -q -A -t -v ON_ERROR_STOP=1 "$@"
}

# A question to another node, which has the right to ask for little.
ask()
{
	as_postgres env PGPASSFILE=$passwords PGCONNECT_TIMEOUT=3 psql -X -q -A -t -h "$1" -U coopr_replication -d postgres -c "$2" 2>/dev/null
}

control()
{
	pg_ctlcluster --skip-systemctl-redirect "$version" main "$@"
}

runs()
{
	control status >/dev/null 2>&1
}

# The name of the node with the address $1.
name_of()
{
	echo "$names" | cut -d , -f "$(place_of "$1" "$nodes")"
}

others()
{
	all_but "$self" "$nodes"
}

# Where the package has made none, or only settings are there, it is made; a node never has the data of another to begin with.
create()
{
	[ ! -e "$data/PG_VERSION" ] || [ ! -e "$settings/postgresql.conf" ] || return 0
	[ -e "$data/PG_VERSION" ] || rm -rf "$settings" "$data"
	act "the cluster $version/main" pg_createcluster --encoding UTF8 --locale C.UTF-8 "$version" main >/dev/null
}

access()
{
	name=$(coopr_config "$1/name")
	user=$(coopr_config "$1/user")
	clients=$(coopr_config "$1/clients")
	for client in $(echo "$clients" | tr ',' ' '); do
		echo "host \"$name\" \"$user\" $client/32 scram-sha-256"
	done
}

configure()
{
	self=$(coopr_config postgres/self)
	nodes=$(coopr_config postgres/nodes)
	names=$(coopr_config postgres/names)
	password=$(coopr_config postgres/replication)
	promote=$(coopr_config postgres/promote '')
	own /var/lib/postgresql postgres
	create
	echo "$self $nodes $names $promote" | put $known
	echo "*:*:*:coopr_replication:$password" | put $passwords 600 postgres:postgres
	rights=$(each postgres/databases name access) || exit
	put "$settings/pg_hba.conf" 640 postgres:postgres <<-EOT
		local all postgres peer
		local all all peer
		$(others | sed 's|.*|host replication,postgres coopr_replication &/32 scram-sha-256|')
		$rights
	EOT
	put "$settings/conf.d/coopr.conf" 644 postgres:postgres <<-EOT
		listen_addresses = 'localhost,$self'
		password_encryption = scram-sha-256
		wal_level = replica
		wal_log_hints = on
		wal_keep_size = 512MB
		max_wal_senders = 20
		hot_standby = on
		synchronous_standby_names = '$(others | sed 's/.*/"&"/' | paste -s -d , | sed 's/..*/FIRST 1 (&)/')'
	EOT
}

sql_name()
{
	printf '"%s"' "$(printf '%s' "$1" | sed 's/"/""/g')"
}

role()
{
	say "SELECT 'CREATE ROLE $(sql_name "$1" | sed "s/'/''/g")' WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = $(in_quotes "$1")) \\gexec"
	say "ALTER ROLE $(sql_name "$1") LOGIN PASSWORD $(in_quotes "$2") $3;"
}

database()
{
	name=$(coopr_config "$1/name")
	user=$(coopr_config "$1/user")
	secret=$(coopr_config "$1/password")
	role "$user" "$secret" ''
	say "SELECT 'CREATE DATABASE $(sql_name "$name" | sed "s/'/''/g") OWNER $(sql_name "$user" | sed "s/'/''/g")'
		WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = $(in_quotes "$name")) \\gexec"
}

# What the primary has. No standby is waited for: in the beginning there is none.
objects()
{
	text=$(
		echo "SET synchronous_commit = local; SET standard_conforming_strings = on;"
		role coopr_replication "$(coopr_config postgres/replication)" REPLICATION
		for routine in 'pg_ls_dir(text, boolean, boolean)' 'pg_stat_file(text, boolean)' 'pg_read_binary_file(text)' \
			'pg_read_binary_file(text, bigint, bigint, boolean)'; do
			echo "GRANT EXECUTE ON FUNCTION pg_catalog.$routine TO coopr_replication;"
		done
		[ "$version" -lt 15 ] || echo "GRANT pg_checkpoint TO coopr_replication;"
		each postgres/databases name database
	) || exit
	say "$text" | sql postgres >/dev/null
}

# The node that is the primary, if one answers as such.
primary()
{
	for node in $(others); do
		[ "$(ask "$node" 'SELECT pg_is_in_recovery()')" != f ] || { echo "$node" && return; }
	done
}

# The node that this one follows from now on; itself, where it is the primary.
set_followed()
{
	name_of "$1" | put $followed
	[ "$1" = "$self" ] && conninfo= || conninfo="host=$1 user=coopr_replication passfile=$passwords application_name=$self"
	say "primary_conninfo = '$conninfo'" | put "$settings/conf.d/coopr-primary.conf" 644 postgres:postgres
	! runs || control reload
}

# Makes the data here that of a standby of the node $1: led back to where the two parted, if that can be done, else copied.
prepare_standby()
{
	[ ! -e "$data/standby.signal" ] || return 0
	source="host=$1 user=coopr_replication dbname=postgres passfile=$passwords application_name=$self"
	# One that was promoted just now tells its new timeline after a checkpoint only.
	ask "$1" CHECKPOINT >/dev/null || true
	if as_postgres "$bin/pg_rewind" -D "$data" --config-file="$settings/postgresql.conf" --source-server="$source" 2>&1; then
		rewound=true
	else
		copy
	fi
	as_postgres touch "$data/standby.signal"
}

# The data that was here stays until the copy is whole.
copy()
{
	rm -rf "$data.new"
	as_postgres "$bin/pg_basebackup" -D "$data.new" -d "$source" -X stream -c fast || later "the primary gives no copy now"
	rm -rf "$data"
	mv "$data.new" "$data"
}

start()
{
	read -r self nodes names promote <$known
	rewound=false
	if ! runs; then
		now=$(primary)
		if [ -n "$now" ]; then
			prepare_standby "$now"
			set_followed "$now"
		elif [ ! -e "$data/standby.signal" ] && [ "${nodes%%,*}" != "$self" ] && [ "$(cat $followed 2>/dev/null)" != "$COOPR_HOSTNAME" ]; then
			later "no node is the primary yet"
		fi
		control start
		[ "$rewound" = false ] || wait_for 30 streams || copy_after_all
	fi
	reload
}

streams()
{
	[ "$(echo 'SELECT status FROM pg_stat_wal_receiver' | sql postgres)" = streaming ]
}

# The primary does not have the log any more that the data here needs.
copy_after_all()
{
	control stop
	copy
	as_postgres touch "$data/standby.signal"
	control start
}

is_primary()
{
	[ "$(echo 'SELECT pg_is_in_recovery()' | sql postgres)" = f ]
}

# How far the log is that a standby has.
position='SELECT COALESCE(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn())'

has()
{
	[ "$(echo "SELECT ($position) >= '$1'" | sql postgres)" = t ]
}

# This standby has to have what any other one has: it takes it from there. A node that is new has nothing, and is not asked.
take_all()
{
	for node in $(others); do
		is_among "$(name_of "$node")" "$(cat $peers 2>/dev/null || echo "$names")" || continue
		theirs=$(ask "$node" "$position") ||
			later "the standby $node does not answer, and may have more than this one; if it is lost, a person names $self in postgres/promote"
		has "$theirs" || set_followed "$node"
		wait_for 60 has "$theirs" || later "the standby $node has more than this one, up to $theirs"
	done
}

become_primary()
{
	[ "$promote" = "$self" ] || take_all
	echo "this standby becomes the primary"
	set_followed "$self"
	control promote
	wait_for 60 is_primary || coopr_fail "the promotion does not end; see /var/log/postgresql"
}

# A standby stays with whom it follows as long as that is a node of the cluster.
follow()
{
	now=$(primary)
	if [ -n "$now" ]; then
		set_followed "$now"
	elif is_among "$(cat $followed 2>/dev/null || echo none)" "$names" && [ "$promote" != "$self" ]; then
		later "the primary does not answer"
	elif [ "${nodes%%,*}" = "$self" ] || [ "$promote" = "$self" ]; then
		become_primary
	else
		set_followed "${nodes%%,*}"
		return
	fi
	say "$names" | put $peers
}

reload()
{
	read -r self nodes names promote <$known
	runs || { start && return; }
	control reload
	is_primary || follow
	if is_primary; then
		set_followed "$self"
		say "$names" | put $peers
		objects
	fi
}

status()
{
	state=$(echo "SELECT pg_is_in_recovery(), (SELECT status FROM pg_stat_wal_receiver)" | sql postgres 2>&1) || fail "postgresql does not answer: $state"
	case $state in
	'f|' | 't|streaming') ;;
	*) fail "the standby does not follow the primary" ;;
	esac
}

databases()
{
	echo "SELECT datname FROM pg_database WHERE NOT datistemplate AND datname <> 'postgres'" | sql postgres
}

backup()
{
	databases | while read -r name; do
		as_postgres pg_dump --clean --if-exists "$name" >"$COOPR_DIR/$name.sql"
	done
	cd "$COOPR_DIR"
	tar -c ./*.sql
}

# Each database as a whole or not at all; on the primary, whose standbys follow.
restore()
{
	if ! is_primary; then
		cat >/dev/null
		echo "this standby follows what the primary restores" >&2
		return
	fi
	mkdir archive
	tar -x -C archive || coopr_fail "what came is no archive of databases; nothing has changed"
	for file in archive/*.sql; do
		name=${file#archive/}
		sql --single-transaction "${name%.sql}" <"$file" >/dev/null
	done
}

case $COOPR_ACTION in
configure) configure && finish ;;
start) start ;;
stop) control stop || ! runs ;;
reload) reload ;;
status) status ;;
backup) backup ;;
restore) restore ;;
*) coopr_fail "there is nothing to $COOPR_ACTION" ;;
esac
