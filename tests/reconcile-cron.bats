#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# "* * * * * coopr reconcile --probe --repair" alone: what it repairs without any worker, and what of it is told. coopr-reconcile(1).

load case

setup() {
	fresh
	own_catalogue
	machines=$COOPR_STATE/dummy/dummy
	coopr create -o json blog -t lamp -n 4 >records 2>log
}

# The line of cron: nobody watches.
cron() {
	run --separate-stderr "$1" coopr reconcile --probe --repair "${@:2}"
}

down() {
	mkdir -p "$COOPR_STATE/dummy-down"
	(cd "$COOPR_STATE/dummy-down" && touch "$@")
}

up() {
	(cd "$COOPR_STATE/dummy-down" && rm "$@")
}

sql() {
	sqlite3 "$COOPR_STATE/store.sqlite3" "$1"
}

# The jobs of the cluster, and what became of them.
jobs() {
	coopr history -o json blog | jq -r 'select(.job) | "\(.action) \(.status)"' | paste -sd,
}

@test "without any worker it does the work itself, says so once, and ends with 0 when all is well again" {
	rm "$machines/00000001-1001"
	cron -0
	same "" "$output"
	same "coopr-reconcile: blog (00000001): 00000001-1001: its machine is gone; repaired by job 00000001-002" "$stderr"
	same "replace complete,create complete" "$(jobs)"
	cron -0
	same "" "$output$stderr"
	down 00000001-1000.mysql
	cron -0
	contains "$stderr" "00000001-1000: mysql: it does not run: "
	contains "$stderr" "; repaired by job 00000001-003"
	same active "$(coopr list -o json | jq -r .state)"
}

@test "a job that nobody works on is done: nobody is locked out by it" {
	coopr expand --detach blog >/dev/null
	run --separate-stderr -75 coopr restart -y blog
	cron -0
	same "expand complete,create complete" "$(jobs)"
	sql "UPDATE cluster SET expires_ms = 1"
	cron -0
	contains "$stderr" "its lease has ended"
	same "" "$(coopr list -o name)"
}

@test "--detach leaves the work to workers: until they have done it, 1, without a word about what was told before" {
	rm "$machines/00000001-1001"
	cron -1 --detach
	same "coopr-reconcile: blog (00000001): 00000001-1001: its machine is gone; job 00000001-002 repairs it" "$stderr"
	cron -1 --detach
	same "" "$output$stderr"
	coopr-work --drain 2>/dev/null
	cron -0 --detach
	contains "$stderr" "00000001-1001: no fault any more; it was vanished"
	run --separate-stderr -64 coopr reconcile --work --detach
}

@test "a fault that is not repaired is told with its remedy when it is new, once a day, and when it is cured" {
	down 00000001-1002
	cron -1
	contains "$stderr" "blog (00000001): 00000001-1002: it has not answered since"
	contains "$stderr" "--replace-unreachable TIME replaces it, as coopr replace --dead blog 00000001-1002 does now"
	cron -1
	same "" "$output$stderr"
	run --separate-stderr -1 coopr reconcile --probe -o json
	same "unreachable" "$(jq -r .what <<<"$output")"
	same "" "$stderr"
	sql "UPDATE fault SET told_ms = told_ms - 86400001"
	cron -1
	contains "$stderr" "it has not answered since"
	run --separate-stderr -1 coopr reconcile
	same "" "$stderr"
	up 00000001-1002
	cron -0
	same "coopr-reconcile: blog (00000001): 00000001-1002: no fault any more; it was unreachable" "$stderr"
	cron -0
	same "" "$stderr"
}

@test "in a log to which runs append, the time stands before what a run reports; a run that reports nothing adds nothing" {
	down 00000001-1002
	run -1 sh -c 'coopr reconcile --probe --repair >>reconcile.log 2>&1'
	same 2 "$(wc -l <reconcile.log)"
	[[ $(head -n 1 reconcile.log) =~ ^coopr-reconcile:\ at\ 20[0-9-]+T[0-9:]+Z$ ]]
	contains "$(tail -n 1 reconcile.log)" "it has not answered since"
	run -1 sh -c 'coopr reconcile --probe --repair >>reconcile.log 2>&1'
	same 2 "$(wc -l <reconcile.log)"
}

@test "a machine that was replaced again and again waits, another does not; a failed repair is told" {
	for node in 1000 1001 1002; do
		jq -e . "$machines/00000001-$node" >/dev/null
	done
	for round in 1 2 3; do
		down 00000001-1000.mysql
		cron -0
	done
	down 00000001-1000.mysql 00000001-1001.apache
	cron -1
	contains "$stderr" "mysql: it does not run: "
	contains "$stderr" "not repaired: it was repaired a short time ago and is not repaired again before"
	contains "$stderr" "apache: it does not run"
	contains "$stderr" "repaired by job 00000001-005"
	same "4 1" "$(sql "SELECT count(*) || ' ' || count(DISTINCT number) FROM operation WHERE action = 'start'" | head -c 1) $(sql "SELECT round FROM repair WHERE service = 'apache'")"
	cron -1
	same "" "$stderr"
	sql "UPDATE operation SET begun_ms = begun_ms - 121000, ended_ms = ended_ms - 121000"
	cron -0
	contains "$stderr" "mysql: it does not run"
	contains "$stderr" "; repaired by job"
}

@test "a machine that takes the place of one that died counts with it" {
	for round in 1 2 3; do
		rm "$(printf '%s\n' "$machines"/00000001-* | tail -1)"
		cron -0
	done
	rm "$(printf '%s\n' "$machines"/00000001-* | tail -1)"
	cron -1
	contains "$stderr" "its machine is gone; not repaired: it was repaired a short time ago"
	rm "$machines/00000001-1000"
	cron -1
	contains "$stderr" "00000001-1000: its machine is gone; repaired by job"
}
