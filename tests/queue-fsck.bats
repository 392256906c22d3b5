#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0

load case
load queue

setup() {
	fresh
}

@test "fsck names a job without its lock, goes on to the others, and --repair makes the lock" {
	two_nodes | coopr-queue put
	two_nodes 00000043 | coopr-queue put
	rm spool/jobs/00000042-001/lock spool/jobs/00000043-001/log -r
	run -1 coopr-queue fsck
	same "00000042-001: lock is missing,00000043-001: log is missing" "$(sort <<<"$output" | paste -sd,)"
	run -1 coopr-queue fsck --repair
	same "00000042-001: lock is missing (repaired),00000043-001: log is missing (repaired)" "$(sort <<<"$output" | paste -sd,)"
	coopr-queue fsck
	do_all
	same complete "$(status_of 00000042-001 .status)"
}

@test "an event of an unknown name is never cut off, nor is anything behind it" {
	two_nodes | coopr-queue put
	finish '{}'
	events=spool/jobs/00000042-001/events.ndjson
	seq=$(($(tail -n 1 $events | jq .seq) + 1))
	printf '{"at":"2026-01-01T00:00:00.000Z","event":"teleport","kind":"event","seq":%d}\n' "$seq" >>$events
	cp $events before
	for command in "take -J 00000042-001" "show 00000042-001" "fsck --repair" "pause 00000042-001" "fsck"; do
		# shellcheck disable=SC2086 # words on purpose
		run coopr-queue $command
		[ "$status" -ne 0 ]
		contains "$output" "there is no event \"teleport\": a later version has written it"
		cmp before $events
	done
}

@test "what is torn at the end is cut off, whatever it looks like" {
	for tail in '{"at":"2026-01-01T00:00:00.000Z","event":"teleport","kind":"event","seq":9' '{' '{"at"' $'\n' $'{}\n' $'garbage\n'; do
		rm -rf spool
		two_nodes | coopr-queue put
		coopr-queue take --lease 600 >task
		printf '%s' "$tail" >>spool/jobs/00000042-001/events.ndjson
		result_of <task | coopr-queue "done"
		same 1 "$(status_of 00000042-001 .tasks.done)"
		coopr-queue fsck
	done
}

@test "a job removed by hand while a task of it runs: its result is refused, and the next job of the cluster goes on" {
	first=$(two_nodes | coopr-queue put)
	second=$(two_nodes | coopr-queue put)
	coopr-queue take >taken
	rm -r "$COOPR_SPOOL/jobs/$first"
	run -1 coopr-queue done <(result_of <taken)
	contains "$output" "job $first: there is none"
	same "$second" "$(coopr-queue take | jq -r .job)"
	coopr-queue fsck
}

@test "a job removed by hand while nothing of it can be taken is a finding, which --repair removes" {
	first=$(two_nodes | coopr-queue put --paused)
	second=$(two_nodes | coopr-queue put)
	rm -r "$COOPR_SPOOL/jobs/$first"
	run -1 coopr-queue fsck
	same "board: job $first has no folder" "$output"
	run -1 coopr-queue fsck --repair
	same "board: job $first has no folder (repaired)" "$output"
	coopr-queue fsck
	same "$second" "$(coopr-queue take | jq -r .job)"
}
