#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The store: pages of many clusters, and durable writes of entities from separate processes, beside sqlite3 that makes one
# durable insert a process.

set -eu
# shellcheck disable=SC1091 # checked by itself
. "$COOPR_ROOT/tests/bench/bench.bash"

export COOPR_STORE=$PWD/store
coopr-store init

# How a list stands against its limit: list LIMIT LABEL OPTION...
list() {
	local limit=$1 label=$2 ms cpu

	shift 2
	read -r ms cpu _ < <(repeat -b -n 20 store-list "$@")
	echo "$label: $(against_cpu "$ms" "$cpu" "$limit")"
}

if has sqlite3 sqlite3; then
	sqlite3 "$COOPR_STORE" <<-'END'
		BEGIN;
		UPDATE allotment SET last = 10000;
		INSERT INTO cluster (id, tenant, name, owner, template, provider, status, created_ms, changed_ms, nodes, cost, resources,
			peak_nodes, peak_cost, peak_resources, operation)
		WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
		SELECT i, (SELECT id FROM tenant WHERE name = 'default'), printf('cluster-%05d', i), 'user' || (i % 50), 'web', 'dummy',
			'active', 1, 1, 20, 3.2, '{"cpu":80}', 20, 3.2, '{"cpu":80}', 1 FROM n;
		INSERT INTO cluster_document SELECT id, '{}', printf('%.*c', 8000, 'x') FROM cluster;
		INSERT INTO operation (cluster, number, action, user, begun_ms, ended_ms, status, was)
			SELECT id, 1, 'create', owner, 1, 2, 'complete', 'absent' FROM cluster;
		INSERT INTO node_use (cluster, node, hardwaretype, cost, capacity, from_ms)
		WITH RECURSIVE n(i) AS (VALUES (1000) UNION ALL SELECT i + 1 FROM n WHERE i < 1019)
		SELECT id, printf('%08d-%d', id, i), 'medium', 0.16, '{"cpu":4}', 1 FROM cluster, n;
		INSERT INTO member (tenant, user, role, groups) SELECT id, 'user7', 'user', '["dev"]' FROM tenant WHERE name = 'default';
		COMMIT;
	END
	echo "10,000 clusters of 200,000 nodes: $(($(stat -c %s store) / 1048576)) MB; fsck: $(coopr-store fsck && echo finds nothing)"
	list 50 "the first 50" -l 50
	list 50 "50 in the middle" -l 50 -a cluster-05000
	list 50 "50 behind an id" -l 50 -a 00009900
	list 50 "50 of one user's 200, behind the half" -l 50 -u user7 -a cluster-05000
	list 300 "all 10,000" -l 0
fi

# Runs a command that makes COUNT writes: sets rate, a second, and cpu, milliseconds of each: timed COUNT COMMAND...
timed() {
	local count=$1 real user system

	shift
	TIMEFORMAT='%R %U %S'
	read -r real user system < <({ time "$@" >out 2>err; } 2>&1)
	read -r rate cpu < <(awk -v n="$count" -v r="$real" -v u="$user" -v s="$system" 'BEGIN {printf "%d %.3g\n", n / r, (u + s) * 1000 / n}')
}

put_each() {
	find . -name 'w.*' -print0 | xargs -0 -P "$1" -n 1 coopr-store put -k hardwaretype
}

# Writes of entities into a catalogue as it comes with coopr, each by a process of its own, so many at a time: each is checked
# against all others that it concerns. writes COUNT AT-A-TIME
writes() {
	for ((i = 0; i < $1; i++)); do
		echo "{\"name\":\"w$((i % 16))\",\"description\":\"$i\",\"providermap\":{\"dummy\":{\"flavor\":\"f$i\"}}}" >"w.$i"
	done
	COOPR_STORE=$PWD/writes
	coopr-store init
	coopr-store import "$COOPR_ROOT/share/coopr/catalogue" >/dev/null 2>&1
	timed "$1" put_each "$2"
	echo "durable writes of entities, $2 processes at a time: $(at_least "$rate" 500 "a second"), $cpu ms of CPU each, $(
		wc -l <out) of $1 done"
	rm -f w.* writes*
}

insert_each() {
	seq "$1" | xargs -P "$2" -I{} sqlite3 -cmd '.timeout 60000' -cmd 'PRAGMA synchronous = FULL' peer 'INSERT INTO t VALUES ({})'
}

writes 500 32
if has sqlite3 sqlite3; then
	ours=$rate
	sqlite3 peer 'PRAGMA journal_mode = WAL; CREATE TABLE t (x)' >/dev/null
	timed 500 insert_each 500 32
	echo "peer: sqlite3, an insert a process: $rate a second, $cpu ms of CPU each, $(
		sqlite3 peer 'SELECT count(*) FROM t') of 500 there; ours make $(awk -v a="$ours" -v b="$rate" 'BEGIN {printf "%.3g", a / b}') times as many"
fi
