#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-queue(1): stats, and what gc keeps for it.

load case
load queue

# A job of which all is told by events whose times are given here: aged JOB TASK SECONDS...; the n-th task is an install of
# zk that took so many seconds.
aged() {
	local job=$1 i=0 took

	shift
	for took; do
		echo "t$((++i)) n$i install:zk -"
	done | plan >"$job.plan"
	coopr-queue put --job "$job" "$job.plan"
	coopr-queue take --job "$job" --count 100 | result_of | coopr-queue done
	jq -c --argjson took "$(jq -n '$ARGS.positional | map(tonumber)' --args "$@")" '
		def at(s): 1795258800 + s | todate | sub("Z$"; ".000Z");
		(.task // "t0" | ltrimstr("t") | tonumber) as $i |
		.at = if .event == "take" then at(0) elif .event == "done" then at($took[$i - 1]) else at(0) end' \
		"spool/done/$job/events.ndjson" >events
	cp events "spool/done/$job/events.ndjson"
	rm "spool/done/$job/state"
}

group() {
	coopr-queue stats -o json "${@:2}" | jq -c 'select(.kind == "attempts")' | jq -r "$1"
}

@test "stats tells jobs and tasks by state" {
	two_nodes | coopr-queue put --job one >/dev/null
	two_nodes 00000043 | coopr-queue put --job two --paused >/dev/null
	finish '{"status":0}'
	finish '{"status":78,"message":"no"}'
	coopr-queue stats -o json >stats
	same '{"paused":1,"running":1}' "$(jq -c 'select(.kind == "stats").jobs | with_entries(select(.value > 0))' stats)"
	same '7 1 1 12' "$(jq -r 'select(.kind == "stats").tasks | "\(.blocked) \(.done) \(.failed) \(.total)"' stats)"
	run -0 coopr-queue stats -o table
	contains "$output" "jobs     2, 1 running, 1 paused"
	contains "$output" "1 done, 0 running"
}

@test "stats counts attempts by action, service and plugin: done, failed, lost, and followed by another one" {
	echo 't1 a install:zk - {"retries":1}' | plan | coopr-queue put --backoff-ms 0
	finish '{"status":1}'
	coopr-queue take --lease 0 >/dev/null
	coopr-queue take >third
	result_of '{"status":0}' <third | coopr-queue done
	same 'install zk dummy 1 1 1 2' "$(group '"\(.action) \(.service) \(.type) \(.done) \(.failed) \(.lost) \(.retried)"')"
}

@test "stats tells in what time half of them, nine of ten, 99 of 100 and all were done" {
	aged job 1 2 3 4 5 6 7 8 9 100
	same '6 9 100 100' "$(group '"\(.p50_s) \(.p90_s) \(.p99_s) \(.max_s)"')"
	same 100 "$(coopr-queue stats -o json | jq 'select(.kind == "stats").busy_s')"
	same 0.1 "$(coopr-queue stats -o json | jq 'select(.kind == "stats").done_per_s')"
}

@test "stats of jobs that are named is of these alone" {
	aged one 5
	aged two 7
	same 5 "$(group .max_s one)"
	same 7 "$(group .max_s two)"
	same 7 "$(group .max_s)"
	run -1 coopr-queue stats -o json none
	contains "$output" "job none: there is none"
}

@test "stats --expect prints the median of the last 100 attempts that did what they should" {
	aged job 1 2 300
	coopr-queue stats --expect >expected
	coopr-validate -k expectation expected
	same '{"action":"install","expect_s":2,"hardwaretype":null,"imagetype":null,"kind":"expectation","p90_s":300,"provider":null,"runs":3,"service":"zk","type":"dummy"}' "$(cat expected)"
}

@test "stats --expect has one record for each hardware type where there was more than one" {
	echo 't1 a install:zk -
t2 b install:zk -
t3 c create -' | plan | jq -c 'if .kind == "node" then .hardwaretype = "size-\(.id)" else . end' | coopr-queue put
	do_all
	same 'create null
install null
install size-a
install size-b' "$(coopr-queue stats --expect | jq -r '"\(.action) \(.hardwaretype)"')"
}

# Jobs of one task each, an install of zk: place PROVIDER IMAGE HARDWARE SECONDS...
place() {
	local provider=$1 image=$2 hardware=$3 took

	for took in "${@:4}"; do
		echo 't1 a install:zk -' | plan | jq -c --arg p "$provider" --arg i "$image" --arg h "$hardware" \
			'if .kind == "cluster" then .provider.name = $p elif .kind == "node" then .imagetype = $i | .hardwaretype = $h else . end' >one
		coopr-queue put --job "j$((++number))" one
		coopr-queue take --job "j$number" | result_of | coopr-queue done
		jq -c --argjson took "$took" '.at = if .event == "take" then "2026-11-21T11:00:00.000Z" elif .event == "done"
			then 1795258800 + $took | todate | sub("Z$"; ".000Z") else "2026-11-21T10:59:00.000Z" end' "spool/done/j$number/events.ndjson" >events
		cp events "spool/done/j$number/events.ndjson"
		rm "spool/done/j$number/state"
	done
}

@test "stats --expect tells of providers, image types and hardware types apart; gc keeps them apart; a plan takes the nearest with three runs" {
	place cloud debian small 10 10 10
	place cloud debian large 5
	place cloud fedora small 80 80 80
	place lab debian small 200 200 200 200
	coopr-queue stats --expect >expected
	same 'null null null 80 200 11
cloud null null 10 80 7
cloud debian null 10 10 4
cloud debian large 5 5 1
cloud debian small 10 10 3
cloud fedora null 80 80 3
lab null null 200 200 4' "$(jq -r '"\(.provider) \(.imagetype) \(.hardwaretype) \(.expect_s) \(.p90_s) \(.runs)"' expected)"
	coopr-validate -k expectation <(tail -n 1 expected)
	coopr-queue gc --keep 0
	same "$(cat expected)" "$(coopr-queue stats --expect)"

	at() { # PROVIDER IMAGE HARDWARE: what a plan expects there
		jq -nc '$ARGS.positional as [$p, $i, $h] |
			{kind: "cluster", id: "1", name: "c", services: ["zk"], provider: {name: $p, providertype: "x"}, definitions: [{name: "zk",
				provisioner: {actions: {install: {type: "dummy", expect_s: 999}}}}]},
			{kind: "node", id: "n", nodenum: 1000, hostname: "h", services: ["zk"], was: [], imagetype: $i, hardwaretype: $h}' \
			--args "$@" | coopr-plan --history expected | jq -r 'select(.action == "install") | "\(.expect_s) \(.p90_s) \(.runs)"'
	}
	same '10 10 3' "$(at cloud debian small)"
	same '10 10 4' "$(at cloud debian large)"  # one run there is too few
	same '80 80 3' "$(at cloud fedora huge)"
	same '10 80 7' "$(at cloud other small)"
	same '200 200 4' "$(at lab x y)"
	same '80 200 11' "$(at elsewhere debian small)"
}

@test "what is expected does not change when gc removes jobs, and nothing is counted twice" {
	aged one 1 2 3
	aged two 10 20 30
	coopr-queue stats --expect >before
	group '"\(.done) \(.failed) \(.lost)"' >counts
	same 10 "$(jq .expect_s before)"
	coopr-queue gc --keep 0
	[ ! -e spool/done/one ]
	same "$(cat before)" "$(coopr-queue stats --expect)"
	same "$(cat counts)" "$(group '"\(.done) \(.failed) \(.lost)"')"
	aged three 1000
	coopr-queue gc --keep 0
	same 7 "$(coopr-queue stats --expect | jq .runs)"
}

@test "gc that is stopped between the history and the job counts nothing twice" {
	aged one 1 2 3
	cp -a spool/done/one kept
	coopr-queue gc --keep 0
	cp -a kept spool/done/one
	same 3 "$(coopr-queue stats --expect | jq .runs)"
	coopr-queue gc --keep 0
	same 3 "$(coopr-queue stats --expect | jq .runs)"
	[ ! -e spool/done/one ]
}

@test "a job of the same id that is put later is counted" {
	aged one 1
	coopr-queue gc --keep 0
	echo 't1 a install:zk -' | plan | coopr-queue put --job one
	do_all
	same 2 "$(coopr-queue stats --expect | jq .runs)"
	coopr-queue gc --keep 0
	same 2 "$(coopr-queue stats --expect | jq .runs)"
}

@test "gc removes no job when the history cannot be read" {
	aged one 1
	echo '{"kind":"history","action":"dance"}' >spool/history
	run -65 coopr-queue gc --keep 0
	contains "$output" "history"
	[ -e spool/done/one ]
	run -65 coopr-queue stats -o json
	contains "$output" "history"
}

@test "gc --dry-run writes no history" {
	aged one 1
	coopr-queue gc --keep 0 --dry-run
	[ ! -e spool/history ]
}

@test "stats of an empty spool is zero, and misuse is 64" {
	coopr-queue gc
	same 0 "$(coopr-queue stats -o json | jq .tasks.total)"
	same "" "$(coopr-queue stats --expect)"
	run -64 coopr-queue stats -o name
	run -64 coopr-queue stats -o xml
	run -66 coopr-queue stats --spool nowhere
	coopr-queue stats -o json >/dev/full || [ $? -eq 74 ]
}
