#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-work(1) where something goes wrong around it.

# shellcheck disable=SC2154 # $work and $good are set by work.bash

load case
load work

setup() {
	fresh
	need_program jq prlimit
	work_setup
	mkfifo started go
}

teardown() {
	work_teardown
}

# The worker can open nothing more, and then it can again.
descriptors() {
	prlimit --pid "$work" --nofile="$1":4096
}

@test "a queue from which nothing can be taken is tried again; the worker goes on" {
	plugin waits <<<"echo >started; read -r _ <go; $good"
	plugin good <<<"$good"
	first=$(put waits 1 1)
	start_work -v -j 2
	hear started _
	descriptors 3
	second=$(put good 1 1 00000043)
	until grep -q "Too many open files; trying again" work.log; do sleep 0.05; done
	descriptors 4096
	timeout 60 coopr-queue wait "$second"
	echo >go
	timeout 60 coopr-queue wait "$first"
	kill "$work"
	wait "$work"
}

@test "a result that cannot be recorded is kept, and recorded once it can be" {
	plugin waits <<<"echo x >>ran; echo >started; read -r _ <go; $good"
	job=$(put waits 1 1)
	start_work -v --drain
	hear started _
	descriptors 3
	# A board that was put there anew has to be opened.
	cp spool/board copy
	mv copy spool/board
	echo >go
	until grep -q "results are kept: " work.log; do sleep 0.05; done
	descriptors 4096
	wait "$work"
	same complete "$(status "$job")"
	same 1 "$(wc -l <ran)"
}

@test "plugins find the spool of their worker in the environment, by its whole path" {
	plugin tells <<<"printf '%s\n' \"\$COOPR_SPOOL\" >told; $good"
	COOPR_SPOOL=$PWD/mine put tells 1 1
	COOPR_SPOOL=/nowhere run -0 coopr-work --drain --spool mine
	same "$PWD/mine" "$(cat told)"
}

@test "a coopr-exec that was killed takes all with it that its plugin has started, before the task is tried again" {
	plugin leaves <<-END
		if [ -e child ]; then
			[ ! -e "/proc/\$(cat child)/exe" ] && echo alone >second
			$good
			exit
		fi
		sleep 1000 &
		echo \$! >child
		echo \$PPID >started
		wait
	END
	job=$(put leaves 1 1 00000042 '{"retries": 1}')
	start_work -v --drain
	hear started exec
	kill -KILL "$exec"
	wait "$work"
	same alone "$(cat second)"
	same complete "$(status "$job")"
}

@test "as long as anything of a task runs, nobody else is given it, though worker and coopr-exec were killed" {
	plugin leaves <<-END
		[ -e child ] || { sleep 1000 & echo \$! >child; echo \$PPID >started; wait; }
		$good
	END
	job=$(put leaves 1 1)
	start_work
	hear started exec
	kill -STOP "$exec" # or it would see that its worker is gone, and end the task
	kill -KILL "$work"
	wait "$work" || true
	kill -KILL "$exec"
	run -1 coopr-work --once
	kill -KILL "$(cat child)"
	run -0 coopr-work --drain
	same complete "$(status "$job")"
}

@test "a result that cannot be recorded, ever, is told, and is no success" {
	plugin waits <<<"echo >started; read -r _ <go; $good"
	job=$(put waits 1 1)
	start_work --drain
	hear started _
	echo "no event" >"spool/jobs/$job/events.ndjson"
	echo >go
	code=0
	wait "$work" || code=$?
	same 65 "$code"
	grep -q "$job t0-0: its result (status 0) cannot be recorded: .*$job" work.log
}

@test "--drain: a job that is damaged is told of, and is no success" {
	job=$(put good 1 1)
	: >"spool/jobs/$job/plan.ndjson"
	rm "spool/jobs/$job/state"
	run coopr-work --drain
	[ "$status" -ge 65 ]
	contains "$output" "$job"
}

@test "a job removed by hand under a worker: it says that the result is lost, which is no success" {
	plugin waits <<<"echo >started; read -r _ <go; $good"
	job=$(put waits 1 1)
	coopr-work --drain 2>work.log 3>&- &
	work=$!
	hear started _
	rm -r "$COOPR_SPOOL/jobs/$job"
	echo >go
	code=0
	wait "$work" || code=$?
	same 1 "$code"
	contains "$(cat work.log)" "$job t0-0: its result (status "
	contains "$(cat work.log)" "cannot be recorded: job $job: there is none"
}

@test "a job that cannot be opened for a while is tried again until it can be, though nobody rings" {
	need_program strace
	plugin good <<<"$good"
	job=$(put good 1 1)
	mv "spool/jobs/$job/lock" lock
	ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 strace -D -o trace -e trace=openat coopr-work -v 2>work.log 3>&- &
	work=$!
	timeout 60 bash -c 'until [ "$(grep -c "\"lock\".*ENOENT" trace)" -gt 3 ]; do sleep 0.05; done'
	mv lock "spool/jobs/$job/lock"
	timeout 60 coopr-queue wait "$job"
	grep -q "job $job: lock: No such file or directory" work.log
	kill "$work"
	wait "$work"
}

@test "a worker whose queue takes no results, as on a full disk, ends at the second signal; the tasks are done again" {
	need_root
	unset COOPR_SPOOL
	coopr-request -t hadoop-distributed -n 8 --name shop | coopr-solve | coopr-plan >plan
	mkdir small
	mkfifo said
	run -0 unshare --mount bash -e -c '
		mount -t tmpfs -o size=1m none small
		export COOPR_STATE=$PWD/small/s
		coopr-queue put plan >/dev/null
		dd if=/dev/zero of=small/fill bs=4k 2>/dev/null || true
		truncate -s -4096 small/fill
		coopr-work --drain -j 5 2>said &
		worker=$!
		exec 3<said
		while read -r -t 60 line <&3 && [[ $line != *"results are kept"* ]]; do :; done
		kill $worker
		while read -r -t 60 line <&3 && [[ $line != *"waiting for"* ]]; do :; done
		kill $worker
		code=0
		wait $worker || code=$?
		echo "code $code"
		cat <&3
		rm small/fill
		coopr-work --drain
		coopr-queue ls -o json' 3<>/dev/null
	contains "$output" "code 74"
	[[ $output =~ "not recorded, "(its task is|their tasks are)" done again" ]]
	contains "$output" '"status":"complete"'
}

@test "processes that see different ids of one boot, as in a container, take no running task from each other" {
	need_root
	plugin waits <<<"echo >started; read -r _ <go; $good"
	job=$(put waits 2 1)
	start_work -v --drain -j 1
	hear started _
	echo 11111111-2222-3333-4444-555555555555 >other
	cat >take <<-'END'
		mount --bind other /proc/sys/kernel/random/boot_id
		grep -q ^11111111 /proc/sys/kernel/random/boot_id
		exec coopr-queue take
	END
	unshare --mount --propagation private bash -e take >taken
	same 1 "$(wc -l <taken)"
	same 0 "$(grep -c '"event":"lost"' spool/jobs/"$job"/events.ndjson)"
	coopr-queue done < <(jq -c '{kind: "result", job, task: (.id // .task), attempt, status: 0}' taken)
	echo >go
	wait "$work"
	same complete "$(status "$job")"
	# After a boot nobody has it locked.
	cp other spool/boot
	coopr-queue take || [ $? -eq 1 ]
	same "$(cat /proc/sys/kernel/random/boot_id)" "$(cat spool/boot)"
}
