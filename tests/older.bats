#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Nobody is left behind: an installation made by an earlier version (tests/older/make), and what becomes of it. "Upgrading" in
# coopr-store(5).

load case
load queue

OLDER=$BATS_TEST_DIRNAME/older

setup() {
	need_program sqlite3
	fresh
	export COOPR_PLUGINS=$PWD/plugins WHERE=$PWD
	unpack de8f036
}

unpack() {
	rm -rf state spool home plugins
	tar -xzf "$OLDER/$1.tar.gz"
}

sql() {
	sqlite3 -separator ' ' "$COOPR_STATE/store.sqlite3" "$1"
}

# All that is in the store, in lines that can be compared; times of migration are not in it, nor the id, which is random.
contents() {
	local table

	for table in $(sql "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY 1"); do
		echo "$table"
		if [ "$table" = installation ]; then
			sql "SELECT length(id), former, is_copy FROM installation"
		else
			sql "SELECT * FROM $table" | sort
		fi
	done
}

@test "the first command brings the store up to date, with all that the host kept in files, and keeps a copy of it" {
	same "broken incomplete,demo active,shop active,slow pending" "$(coopr list -o json | jq -r '"\(.name) \(.status)"' | paste -sd,)"
	coopr-store init --store new
	same "$(sqlite3 new 'PRAGMA user_version')" "$(sql 'PRAGMA user_version')"
	same "5 4" "$(sqlite3 -separator ' ' state/store.sqlite3.version-5 'SELECT user_version, count(*) FROM pragma_user_version, cluster')"
	same "192.0.2.1:22 00000002-1000,192.0.2.2:22 00000002-1001" "$(coopr-store claims -o json | jq -r '"\(.machine) \(.node)"' | paste -sd,)"
	same "00000003-001.failure mail failure create default" "$(sql 'SELECT id, hook, event, operation, tenant FROM hook_message')"
	same "1 00000001-1000 unreachable 1700000000000" "$(sql 'SELECT cluster, node, answer, since_ms FROM observation')"
	same unknown "$(coopr list -o json | jq -r 'select(.name == "shop").condition')"
	same "reconcile 1" "$(sql 'SELECT name, at_ms > 1700000000000 FROM last_time')"
	for job in 00000001-001 00000002-001 00000003-001 00000004-001; do
		for name in command request.json layout.ndjson plan.ndjson; do
			same "$(cat "state/clusters/${job%-*}/$job/$name")" \
				"$(sql "SELECT CAST(content AS TEXT) FROM operation_file WHERE cluster = ${job%-*} AND name = '$name'")"
		done
	done
	[ -e state/static.version-5/192.0.2.1:22.json ]
	[ ! -e state/static ]
	coopr-store fsck
}

@test "who only reads brings it up to date, too, and doing it again changes nothing" {
	coopr-store export >/dev/null
	contents >once
	coopr-store migrate
	contents >twice
	diff once twice
}

@test "it goes on: what failed is retried, what was running ends, a saved plan is carried out, machines are given back" {
	# A message that a hook has refused for three days is given up: this one was told today.
	coopr-store list >now
	sql "UPDATE hook_message SET told_ms = unixepoch() * 1000"
	coopr retry -o json broken >now 2>log
	coopr reconcile -o json --work >now 2>log || true
	same "broken active,demo active,shop active,slow active" "$(coopr list -o json | jq -r '"\(.name) \(.status)"' | paste -sd,)"
	coopr run -o json grow.plan >now 2>log
	same 3 "$(coopr list -o json | jq -r 'select(.name == "demo").nodes')"
	printf '#!/bin/sh\ncat >>%s/told\n' "$PWD" >home/.config/coopr/hooks/mail
	sql "UPDATE hook_message SET next_ms = 0, taken_ms = 0"
	coopr-hook deliver >now
	contains "$(cat now)" "4 delivered, 0 waiting"
	same 1 "$(jq -c 'select(.event == "failure" and .job == "00000003-001")' told | wc -l)"
	coopr delete -o json -y shop >now 2>log
	same "" "$(coopr-store claims)"
	coopr-store fsck
	coopr-queue fsck
}

@test "killed at any call, it is as before or as after, and the next command does the rest" {
	local at

	make_shim
	contents_of_whole
	for ((at = 1; at < 2000; at += ${CRASH_STEP:-7})); do
		unpack de8f036
		rm -f calls
		ASAN_OPTIONS=${ASAN_OPTIONS:-}:verify_asan_link_order=0 LD_PRELOAD=$PWD/shim.so CRASH_NO_SYNC=1 CRASH_AT=$at \
			CRASH_COUNT=$PWD/calls coopr-store list >now 2>log && ended=yes || ended=no
		coopr-store list >now
		contents >found
		diff whole found
		same 5 "$(sqlite3 state/store.sqlite3.version-5 'PRAGMA user_version')"
		[ "$ended" = no ] || [ ! -e calls ] || break
	done
	[ -e calls ]
	[ "$at" -gt 50 ]
}

contents_of_whole() {
	coopr-store list >/dev/null
	contents >whole
}

@test "many commands at once bring it up to date once" {
	contents_of_whole
	unpack de8f036
	for i in 1 2 3 4 5 6; do
		coopr-store list >/dev/null 2>"log$i" 3>&- &
	done
	wait
	same "" "$(cat log?)"
	contents >found
	diff whole found
}

@test "a file that is damaged is named, and nothing is changed until it is repaired" {
	echo '{"node":1}' >state/static/192.0.2.1:22.json
	run -65 coopr-store list
	contains "$output" "state/static/192.0.2.1:22.json: cannot be brought into the store; repair or remove it: /machine"
	same 5 "$(sqlite3 state/store.sqlite3 'PRAGMA user_version')"
	rm state/static/192.0.2.1:22.json
	coopr-store list >/dev/null
	same "192.0.2.2:22" "$(coopr-store claims -o name)"
}

@test "a large store is left to coopr store migrate" {
	sqlite3 state/store.sqlite3 "WITH RECURSIVE n(i) AS (VALUES (2) UNION ALL SELECT i + 1 FROM n WHERE i < 2100)
		INSERT INTO operation (cluster, number, action, user, begun_ms, ended_ms, status, was)
		SELECT 1, i, 'lease', 'root', 1, 2, 'complete', 'active' FROM n WHERE i > (SELECT operation FROM cluster WHERE id = 1);
		UPDATE cluster SET operation = 2100 WHERE id = 1"
	run -78 coopr-store list
	contains "$output" "it is of version 5, with more than 2000 operations"
	contains "$output" 'run "coopr store migrate"'
	same 5 "$(sqlite3 state/store.sqlite3 'PRAGMA user_version')"
	coopr store migrate
	coopr-store list >/dev/null
	coopr-store fsck
}

@test "another store than that of the installation gets nothing of what the host kept" {
	cp state/store.sqlite3 state/store.sqlite3-wal .
	mv store.sqlite3 other
	mv store.sqlite3-wal other-wal
	coopr-store list --store "$PWD/other" >/dev/null
	same 0 "$(sqlite3 other 'SELECT count(*) FROM claim')"
	[ -e state/static ]
	same 2 "$(coopr-store claims -o json | wc -l)"
}
