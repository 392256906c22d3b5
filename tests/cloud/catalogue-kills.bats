#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-debian(7): what a database has acknowledged is there after its machine was killed at any moment, and reconcile has run. So many
# times as $ROUNDS says (2).

load ../case
load ../sandbox
load ../debian

# Has a node write rows, one after the other, until its machine is killed; what was acknowledged is in the file acknowledged: writes NODE COMMAND
writes() {
	local first

	first=$(tail -n 1 acknowledged)
	coopr-ssh "$1" "cd / && i=${first:-0}; while i=\$((i + 1)); do $2 || exit; echo \$i; done" </dev/null >>acknowledged 2>writer.log &
	WRITER=$!
	until [ "$(tail -n 1 acknowledged)" != "$first" ]; do
		kill -0 "$WRITER" || { cat writer.log && return 1; }
		sleep 0.1
	done
	sleep "$((RANDOM % 3)).$((RANDOM % 10))"
}

# Kills rounds of machines that write, where WHERE prints the number of the one: survives CLUSTER WHERE COMMAND ROWS
survives() {
	local node

	: >acknowledged
	for ((round = 1; round <= ${ROUNDS:-2}; round++)); do
		node=$("$2")
		writes "$1/$node" "$3"
		kill_machine "$node"
		wait "$WRITER" || true
		echo "# round $round: $1/$node was killed after row $(tail -n 1 acknowledged)"
		coopr-reconcile --repair --work || true
		soon eval '[ -n "$('"$2"')" ]'
		"$4" "$("$2")" | sort >rows
		sort acknowledged | comm -23 - rows >lost
		same "" "$(cat lost)"
		soon is_well "$1"
	done
}

postgres_sql() { # NODE STATEMENT
	on "p/$1" "cd / && echo \"$2\" | runuser -u postgres -- psql -X -q -A -t -v ON_ERROR_STOP=1 app"
}

postgres_primary() {
	for node in $(nodes_with p postgres); do
		[ "$(postgres_sql "$node" 'SELECT pg_is_in_recovery()' 2>/dev/null)" != f ] || echo "$node"
	done
}

postgres_rows() {
	postgres_sql "$1" 'SELECT row FROM t'
}

mariadb_node() {
	nodes_with l mariadb
}

mariadb_rows() {
	on "l/$1" 'echo "SELECT word FROM t" | mariadb -N app'
}

@test "postgres-ha: rows that were acknowledged survive the machine of the primary, whenever it is killed" {
	debian_catalogue postgres-ha
	coopr-create p -t postgres-ha -n 3
	postgres_sql "$(postgres_primary)" 'CREATE TABLE t (row int)'
	survives p postgres_primary 'echo "INSERT INTO t VALUES ($i)" | runuser -u postgres -- psql -X -q -v ON_ERROR_STOP=1 app' postgres_rows
}

@test "mariadb: rows that were acknowledged survive the only machine that has them, whenever it is killed" {
	debian_catalogue lamp
	coopr-create l -t lamp -n 4
	on "l/$(mariadb_node)" 'echo "CREATE TABLE t (word INT)" | mariadb app'
	survives l mariadb_node 'echo "INSERT INTO t VALUES ($i)" | mariadb app' mariadb_rows
}
