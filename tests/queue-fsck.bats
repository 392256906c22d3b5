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

@test "fsck finds nothing in a healthy spool in use: workers come and go, jobs are finished, put back and removed meanwhile" {
	job=$(two_nodes | coopr-queue put)
	churn() {
		local i
		for i in 1 2 3 4; do
			plan "0000005$i" <<<"t1 a create -" | coopr-queue put >/dev/null
			coopr-work --drain --job "0000005$i-001" >/dev/null 2>&1
			coopr-queue gc --keep 0 >/dev/null
		done
		touch churned
	}
	churn 3>&- &
	churner=$!
	until [ -e churned ]; do
		coopr-queue fsck >>found || echo "ended with $?" >>found
	done
	wait "$churner"
	same "" "$(cat found)"
	[ -e "spool/jobs/$job" ]
}

@test "limits that cannot be read are a finding; --repair sets them aside, and tasks can be taken" {
	two_nodes | coopr-queue put
	coopr-queue limit --total 1
	sed -i 's/{/}/' spool/limits.json
	run -65 coopr-queue take
	run -1 coopr-queue fsck
	contains "$output" "spool/limits.json: "
	contains "$output" "nothing can be taken"
	run -1 coopr-queue fsck --repair
	contains "$output" "(repaired)"
	[ -s spool/limits.damaged ]
	run -0 coopr-queue fsck
	run -0 coopr-queue take
}

@test "a byte of the plan that changes is found by fsck and by take, wherever it is" {
	job=$(two_nodes | coopr-queue put)
	plan=spool/jobs/$job/plan.ndjson
	cp "$plan" whole
	size=$(stat -c %s whole)
	for ((at = 7; at < size; at += 97)); do
		byte=$(tail -c +$((at + 1)) whole | head -c 1)
		[ "$byte" = x ] && new=y || new=x
		printf %s "$new" | dd of="$plan" bs=1 seek="$at" conv=notrunc status=none
		run -1 coopr-queue fsck
		contains "$output" "$job"
		cp whole "$plan"
	done
	coopr-queue fsck
	sed -i 's/"timeout_s":600/"timeout_s":900/' "$plan"
	run -65 coopr-queue take
	contains "$output" "job $job: plan.ndjson: is damaged"
	cp whole "$plan"
	coopr-queue take
}

@test "a job that an earlier version put, without a checksum of its plan, is read" {
	job=$(two_nodes | coopr-queue put)
	sed -i 's/"plan_sum":"[0-9a-f]*",//' "spool/jobs/$job/events.ndjson"
	rm "spool/jobs/$job/state"
	run ! grep plan_sum "spool/jobs/$job/events.ndjson"
	coopr-queue fsck
	do_all
	same complete "$(status_of "$job" .status)"
}

@test "the first put into a new path brings every folder of the path to disk before the job's id is told" {
	two_nodes >plan
	export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 # not under strace
	strace -f -qq -y -o trace -e trace=fsync,mkdir,mkdirat,write coopr-queue put --spool "$PWD/a/b/c/spool" plan >id
	for folder in "$PWD" "$PWD/a" "$PWD/a/b" "$PWD/a/b/c" "$PWD/a/b/c/spool"; do
		grep -qF "<$folder>) = 0" <(grep fsync trace)
	done
}

@test "a spool whose making was cut off is one that nothing is in yet, until the next put; with a job in it, it is damaged" {
	local made=() folder

	coopr store init

	for folder in "" tmp jobs done workers; do
		rm -rf spool
		made+=($folder)
		mkdir -p -m 700 spool "${made[@]/#/spool/}"
		run -66 coopr-queue fsck
		same "coopr-queue fsck: spool: $PWD/spool: nothing is in it yet" "$output"
		same "$PWD/spool: nothing is in it yet" "$(coopr-doctor -o json | jq -r 'select(.name == "spool").text')"
		coopr-backup --force b.tar >/dev/null
		two_nodes | coopr-queue put
		coopr-queue fsck
		rmdir spool/workers
		run -66 coopr-queue fsck
		same "coopr-queue fsck: $PWD/spool/workers: No such file or directory" "$output"
	done
}
