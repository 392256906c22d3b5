#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# mariadb.sh [galera]
#
# MariaDB, alone or as a member of a Galera cluster: the actions configure, start, stop, reload, restart,
# status, backup and restore.
#
# Configuration: mariadb/self, the address of the node; mariadb/databases, a list of {name, user, password, clients (addresses from which the user
# may come, commas between)}; mariadb/memory, how much of it the tables may take (128M). With galera: mariadb/nodes, the addresses of all members;
# mariadb/recover, the one that founds the cluster anew after all have died, as a person decides.

set -eu
# shellcheck source=/dev/null # comes with the task
. ./base.sh

cluster=/etc/mysql/coopr-cluster
data=/var/lib/mysql

galera()
{
	cat <<-EOT
		binlog_format = ROW
		default_storage_engine = InnoDB
		innodb_autoinc_lock_mode = 2
		wsrep_on = ON
		wsrep_provider = /usr/lib/galera/libgalera_smm.so
		wsrep_cluster_name = coopr-$COOPR_CLUSTER_ID
		wsrep_cluster_address = gcomm://$nodes
		wsrep_node_address = $self
		wsrep_sst_method = mariabackup
		wsrep_sst_auth = mysql:
	EOT
}

configure()
{
	self=$(coopr_config mariadb/self)
	nodes=$(coopr_config mariadb/nodes "$self")
	recover=$(coopr_config mariadb/recover '')
	memory=$(coopr_config mariadb/memory 128M)
	own $data mysql
	put /etc/mysql/mariadb.conf.d/90-coopr.cnf <<-EOT
		[mariadbd]
		bind-address = $self
		skip-name-resolve
		innodb_buffer_pool_size = $memory
		$([ "$kind" != galera ] || galera)
	EOT
	echo "$self $nodes $recover" | put $cluster
	# Debian upgrades the server's own tables at each start. In a member that has just joined that waits for what the others do, and they for it.
	[ "$kind" != galera ] || printf '#!/bin/sh\nexit 0\n' | put /etc/mysql/debian-start 755
}

# A value as a name of SQL.
sql_name()
{
	# shellcheck disable=SC2016 # backquotes of SQL
	printf '`%s`' "$(printf '%s' "$1" | sed 's/`/``/g')"
}

# Each statement may run again. Who may no longer come has no user.
database()
{
	name=$(coopr_config "$1/name")
	user=$(coopr_config "$1/user")
	password=$(coopr_config "$1/password")
	clients=$(coopr_config "$1/clients")
	name=$(sql_name "$name")
	user=$(in_escaped_quotes "$user")
	password=$(in_escaped_quotes "$password")
	say "CREATE DATABASE IF NOT EXISTS $name CHARACTER SET utf8mb4;"
	for client in $(echo "$clients" | tr ',' ' '); do
		client=$(in_escaped_quotes "$client")
		say "CREATE USER IF NOT EXISTS $user@$client IDENTIFIED BY $password;"
		say "ALTER USER $user@$client IDENTIFIED BY $password;"
		say "GRANT ALL ON $name.* TO $user@$client;"
	done
	say "SELECT Host FROM mysql.global_priv WHERE User = $user" | mariadb --skip-column-names | while read -r host; do
		is_among "$host" "$clients" || say "DROP USER $user@$(in_escaped_quotes "$host");"
	done
}

# Nothing of this is in an argument, which every process of the node could read. A state transfer runs as the user of the server.
statements()
{
	[ "$kind" != galera ] || cat <<-EOT
		CREATE USER IF NOT EXISTS mysql@localhost IDENTIFIED VIA unix_socket;
		GRANT RELOAD, PROCESS, LOCK TABLES, BINLOG MONITOR, REPLICA MONITOR ON *.* TO mysql@localhost;
	EOT
	each mariadb/databases name database
}

# In a cluster the first does it for all. What was done is kept beside the data, and not done again: each such statement stops all members.
users()
{
	[ "${nodes%%,*}" = "$self" ] || return 0
	text=$(statements) || exit
	digest=$(say "$text" | sha256sum)
	[ "$digest" != "$(cat $data/coopr-users 2>/dev/null)" ] || return 0
	say "$text" | mariadb
	say "$digest" | put $data/coopr-users 600
}

pings()
{
	mariadb-admin --silent --connect-timeout=5 ping >/dev/null 2>&1
}

# What the server says of itself by that name. Nothing, if it does not say now.
says()
{
	echo "SHOW STATUS LIKE '$1'" | mariadb --skip-column-names 2>/dev/null | cut -f 2
}

# Whether a member that answers has left the cluster, or did not get what it needs of it as it joined. By itself it does not come back.
is_out()
{
	[ "$kind" = galera ] && [ "$(says wsrep_cluster_status)" = Disconnected ]
}

is_in()
{
	! is_out
}

# Whether a member has what it missed, from another one, or is out as it did not get it.
is_settled()
{
	[ "$kind" != galera ] || is_out || [ "$(says wsrep_local_state_comment)" = Synced ]
}

# Whether a member of the cluster listens on another node.
other_member()
{
	for node in $(echo "$nodes" | tr ',' ' '); do
		[ "$node" = "$self" ] || ! timeout 2 bash -c "</dev/tcp/$node/4567" 2>/dev/null || return 0
	done
	return 1
}

# What founds the cluster: the first node of a new one, the last that was stopped of an old one, or whom a person has named.
founds()
{
	if [ -e $data/grastate.dat ]; then
		[ "$recover" != "$self" ] || sed -i 's/^safe_to_bootstrap: 0/safe_to_bootstrap: 1/' $data/grastate.dat
		grep -q '^safe_to_bootstrap: 1' $data/grastate.dat
	else
		[ "${nodes%%,*}" = "$self" ]
	fi
}

start_member()
{
	if ! other_member && founds; then
		if [ -d /run/systemd/system ]; then
			galera_new_cluster
		else
			service mariadb bootstrap
		fi
	else
		wait_for 60 other_member || later "no member of the cluster runs; if all have died, name the one that founds it anew in mariadb/recover"
		service mariadb start || echo "the start takes longer: it may get all data from another member"
	fi
}

start()
{
	read -r self nodes recover <$cluster
	! is_out || stop_service mariadb
	if pings; then
		:
	elif [ "$kind" = galera ]; then
		start_member
	else
		service mariadb start
	fi
	wait_for 900 pings || coopr_fail "mariadb does not start; its log says why"
	{ wait_for 15 is_in && wait_for 600 is_settled && is_in; } || later "the member has not come into the cluster; it starts anew"
	users
}

# If all left at once, those that are left would take it for a partition, and none could found the cluster again. So they go one after the
# other, the last of the list first: each stays while those after it go, and for fifteen seconds if none does.
stop()
{
	read -r self nodes _ <$cluster
	place=$(place_of "$self" "$nodes")
	before=0
	turns=0
	while [ "$kind" = galera ] && pings && [ $turns -lt 75 ]; do
		left=$(says wsrep_cluster_size)
		left=${left:-$before}
		[ "$left" -gt "$place" ] || [ "$left" -eq 0 ] || break
		[ "$left" -eq "$before" ] || turns=0
		before=$left
		turns=$((turns + 1))
		sleep 0.2
	done
	stop_service mariadb
}

# A restart is that of this member alone.
restart()
{
	stop_service mariadb
	start
}

# All but the address is changed in the server that runs. It has to be started anew to listen elsewhere.
reload()
{
	if pings && [ "$(echo 'SELECT @@bind_address' | mariadb --skip-column-names)" != "$(coopr_config mariadb/self)" ]; then
		stop_service mariadb
	fi
	start
}

status()
{
	pings || fail "mariadb does not answer"
	[ "$kind" = galera ] || return 0
	state=$(echo "SELECT GROUP_CONCAT(VARIABLE_VALUE ORDER BY VARIABLE_NAME) FROM information_schema.GLOBAL_STATUS
		WHERE VARIABLE_NAME IN ('wsrep_cluster_status', 'wsrep_local_state_comment', 'wsrep_ready')" | mariadb --skip-column-names)
	[ "$state" = "Primary,Synced,ON" ] || fail "the member is not ready: $state"
}

# All databases but the server's own, as they are at one moment, while they are in use.
backup()
{
	echo "SELECT SCHEMA_NAME FROM information_schema.SCHEMATA
		WHERE SCHEMA_NAME NOT IN ('mysql', 'sys', 'information_schema', 'performance_schema')" | mariadb --skip-column-names |
		xargs mariadb-dump --single-transaction --quick --routines --triggers --events --skip-add-locks --add-drop-database --databases
}

# Nothing is touched before all of the archive is here and is a whole dump. In a cluster the first does it for all.
restore()
{
	read -r self nodes recover <$cluster
	if [ "${nodes%%,*}" != "$self" ]; then
		cat >/dev/null
		echo "this member takes what the first one restores" >&2
		return
	fi
	folder=/var/lib/mysql-restore
	rm -rf "$folder"
	(umask 077 && mkdir "$folder")
	trap 'rm -rf "$folder"' EXIT
	cat >"$folder/dump.sql"
	tail -n 1 "$folder/dump.sql" | grep -q '^-- Dump completed' ||
		coopr_fail "what came is no whole dump of mariadb-dump; the databases are as they were"
	mariadb <"$folder/dump.sql" || fail "the dump was not loaded to its end: the databases are incomplete; restore them again"
}

kind=${1-}
case $COOPR_ACTION in
configure) configure && finish ;;
start) start ;;
stop) stop ;;
reload) reload ;;
restart) restart ;;
status) status ;;
backup) backup ;;
restore) restore ;;
*) coopr_fail "there is nothing to $COOPR_ACTION" ;;
esac
