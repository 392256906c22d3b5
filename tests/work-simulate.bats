#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-work(1): --simulate.

load case
load queue

# A member of what came of it: rehearsed FILTER OPTION...
rehearsed() {
	coopr-work --simulate 7 -o json "${@:2}" plan | jq -r "$1"
}

# Its events, as "take t1 0" with milliseconds.
events() {
	coopr-work --simulate 7 --events "$@" plan | jq -r 'select(.kind == "event" and .task) |
		(.at | capture("T(?<h>..):(?<m>..):(?<s>..)[.](?<ms>...)") | map_values(tonumber)) as $t |
		"\(.event) \(.task) \((($t.h * 60 + $t.m) * 60 + $t.s) * 1000 + $t.ms)"'
}

@test "a rehearsal reads a plan and tells duration, critical path, bound, use of the slots and attempts" {
	two_nodes >plan
	run -0 coopr-work --simulate 7 plan
	for part in duration "critical path" "busiest node" slot "attempts       6: 0 failed"; do
		contains "$output" "$part"
	done
	same "$output" "$(coopr-work --simulate 7 <plan)"
	same '6 6 0 2' "$(rehearsed '"\(.attempts) \(.tasks.done) \(.failed | length) \(.peak)"')"
	[ ! -e spool ]
}

@test "the same seed gives the same bytes, and another one does not" {
	two_nodes >plan
	coopr-work --simulate 7 --failures 20% --events plan >a || true
	coopr-work --simulate 7 --failures 0.2 --events plan >b || true
	coopr-work --simulate 8 --failures 20% --events plan >c || true
	cmp a b
	run ! cmp -s a c
}

@test "its events are events of a job with that plan" {
	two_nodes >plan
	coopr-work --simulate 7 --failures 30% --events plan >all || true
	coopr-validate all
	same "$(cat plan)" "$(grep -v '"kind":"event"' all)"
	coopr-queue put --job rehearsal plan
	grep '"kind":"event"' all >spool/jobs/rehearsal/events.ndjson
	rm spool/jobs/rehearsal/state
	coopr-queue fsck rehearsal
}

@test "tasks take half to one and a half times what is expected" {
	for i in {1..200}; do echo "t$i n$i create - {\"expect_s\":10}"; done | plan >plan
	rehearsed '.work_s' -j 200 >work
	awk '{exit !($1 > 1800 && $1 < 2200)}' work
	events -j 200 | awk '$1 == "done" && ($3 < 5000 || $3 > 15000) {exit 1}'
}

@test "what is drawn for an attempt does not depend on how many tasks run at a time" {
	for i in {1..50}; do echo "t$i n$i create - {\"expect_s\":10}"; done | plan >plan
	same "$(rehearsed .work_s -j 1)" "$(rehearsed .work_s -j 50)"
	same "$(rehearsed .work_s -j 1)" "$(rehearsed .makespan_s -j 1)"
}

@test "one task of a node runs at a time, and no more than -j in all" {
	for i in {1..60}; do echo "t$i n$((i % 7)) create -"; done | plan >plan
	same 7 "$(rehearsed .peak -j 20)"
	same 3 "$(rehearsed .peak -j 3)"
	coopr-work --simulate 7 -j 20 --events plan | jq -r 'if .kind == "task" then "node \(.id) \(.node)" elif .task then "\(.event) \(.task)" else empty end' |
		awk '$1 == "node" {of[$2] = $3} $1 == "take" && busy[of[$2]]++ {exit 1} $1 == "done" {busy[of[$2]] = 0}'
}

@test "of what is ready the task of highest rank is taken first" {
	plan <<-'END' >plan
		t1 a create - {"rank":1}
		t2 b create - {"rank":3}
		t3 c create - {"rank":2}
	END
	same 't2 t3 t1' "$(events -j 1 | awk '$1 == "take" {print $2}' | paste -sd' ')"
}

@test "failures are tried again with back-off and undo as the queue does, and given up in the end" {
	plan <<-'END' >plan
		t1 a create - {"retries":1}
		t2 a confirm t1 {"undo":["delete","create"],"retries":1}
		t3 a bootstrap t2
	END
	run -1 coopr-work --simulate 7 --failures 100% -o json plan
	same '{"blocked":2,"done":0,"failed":1,"total":3} ["t1"] 2 1' "$(jq -rc '"\(.tasks) \(.failed) \(.failed_attempts) \(.retries)"' <<<"$output")"
	for seed in {1..200}; do
		coopr-work --simulate "$seed" --failures 30% --events plan >all || true
		! jq -es 'any(.next == "undo")' all >/dev/null || break
	done
	same 'delete create null' "$(jq -r 'select(.event == "take" and .task == "t2").action' all | sed 1d | head -n 3 | paste -sd' ')"
}

@test "the duration is never below the bound, and the critical path is one of the plan" {
	two_nodes >plan
	for seed in {1..20}; do
		coopr-work --simulate "$seed" --failures 10% -j 2 -o json plan || true
	done >seen
	jq -es 'all(.makespan_s >= .bound_s - 0.001 and .critical_path_s <= .bound_s)' seen
	[[ $(rehearsed '.critical_path | join(" ")') =~ ^(t1 t3|t2 t4)\ t[56]$ ]]
}

@test "tasks that are expected to take for ever do not" {
	for i in {1..50}; do echo "t$i n$i create - {\"expect_s\":1e12}"; done | plan >plan
	same 50 "$(rehearsed '.work_s / 1e9')"
}

@test "a plan of no task takes no time" {
	plan >plan </dev/null
	same '0 0 []' "$(rehearsed '"\(.makespan_s) \(.attempts) \(.critical_path)"')"
}

@test "a bad plan is 65, and misuse 64" {
	echo 't1 a create t9' | plan >plan
	run -65 coopr-work --simulate 7 plan
	contains "$output" 'there is no step "t9"'
	run -66 coopr-work --simulate 7 nowhere
	for part in 101% x 2 -1 ''; do
		run -64 coopr-work --simulate 7 --failures "$part" plan
	done
	run -64 coopr-work --simulate x plan
	run -64 coopr-work --simulate 7 -o name plan
	run -64 coopr-work --events
	run -64 coopr-work plan
	two_nodes >plan
	coopr-work --simulate 7 plan >/dev/full || [ $? -eq 74 ]
}
