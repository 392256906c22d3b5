#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-work(1), stopped by SIGSTOP and continued; and tasks that do not end when they are told to.

# shellcheck disable=SC2154 # $work and $good are set by work.bash

load case
load work

setup() {
	fresh
	need_program jq
	work_setup
	mkfifo started
	plugin waits <<<"echo \$PPID >exec; echo \$\$ >pid; echo >started; exec sleep 1000"
}

teardown() {
	[ -z "$work" ] || kill -CONT "$work" 2>/dev/null || true
	[ -z "${stopped:-}" ] || kill -KILL "$stopped" 2>/dev/null || true
	work_teardown
}

# A coopr-queue pause that is stopped while it holds the lock of job $1; its pid is $stopped.
stop_with_lock() {
	local at

	make_shim
	for ((at = 1; ; at++)); do
		ASAN_OPTIONS=${ASAN_OPTIONS:-}:verify_asan_link_order=0 LD_PRELOAD=$PWD/shim.so CRASH_AT=$at CRASH_STOP=1 \
			coopr-queue pause "$1" 3>&- &
		stopped=$!
		until grep -q '^State:.*[TZ]' "/proc/$stopped/status"; do sleep 0.05; done
		grep -q '^State:.*T' "/proc/$stopped/status"
		flock -n "$COOPR_SPOOL/jobs/$1/lock" true || return 0
		kill -CONT "$stopped"
		wait "$stopped"
		coopr-queue resume "$1"
	done
}

@test "a job that a stopped process holds keeps a worker from no other, and it says who that is" {
	need_program flock "${CC:-cc}"
	plugin quick <<<"$good"
	held=$(put quick 1 3)
	stop_with_lock "$held"
	other=$(put quick 1 3 00000043)
	start_work
	timeout 60 coopr-queue wait "$other"
	until grep -q "kill -CONT $stopped resumes it" work.log; do sleep 0.05; done
	contains "$(<work.log)" "job $held: "
	kill -CONT "$stopped"
	wait "$stopped"
	stopped=
	coopr-queue resume "$held"
	timeout 60 coopr-queue wait "$held"
	kill "$work"
	wait "$work"
}

is_running_alone() {
	run -1 coopr-work --once
	same 1 "$(coopr-queue show "$1" -o json | jq 'select(.kind == "status") | .tasks.running')"
}

has_timed_out() {
	timeout 60 coopr-queue wait "$1" || true
	same failed "$(status "$1")"
	same "1 124" "$(jq -r 'select(.event == "fail") | "\(.attempt) \(.result.status)"' "$COOPR_SPOOL/done/$1/events.ndjson")"
	same 1 "$(grep -c '"event":"take"' "$COOPR_SPOOL/done/$1/events.ndjson")"
}

@test "a worker that is stopped keeps its tasks; when it goes on, the one whose time was over has failed" {
	job=$(put waits 1 1 00000042 '{"timeout_s": 1}')
	start_work
	hear started _
	kill -STOP "$work"
	until [ ! -e "/proc/$(cat pid)" ]; do sleep 0.05; done
	is_running_alone "$job"
	# Who looks, and who waits, is told which process that is.
	run -0 coopr-queue show "$job"
	contains "$output" "its worker, process $work, is stopped, and nobody else may do the task: kill -CONT $work resumes it"
	same "$work" "$(coopr-queue show -o json "$job" | jq '.attention[0].stopped_pid')"
	run -75 coopr-queue wait --timeout 1 "$job"
	same 1 "$(grep -c "its worker, process $work, is stopped" <<<"$output")"
	run coopr-doctor
	contains "$output" "is locked by process $work (coopr-work), which is stopped"
	kill -CONT "$work"
	has_timed_out "$job"
	kill "$work"
	wait "$work"
}

@test "stopped with its coopr-exec and the plugin, it ends the task when they go on, and the task has failed" {
	job=$(put waits 1 1 00000042 '{"timeout_s": 1}')
	start_work
	hear started _
	kill -STOP "$work" "$(cat exec)" "$(cat pid)"
	until [ "$(cut -d. -f1 /proc/uptime)" -ge "$((${uptime:=$(cut -d. -f1 /proc/uptime)} + 3))" ]; do sleep 0.2; done
	is_running_alone "$job"
	[ -e "/proc/$(cat pid)" ]
	# The plugin stays stopped: SIGTERM does not reach it, SIGKILL does.
	kill -CONT "$work" "$(cat exec)"
	has_timed_out "$job"
	[ ! -e "/proc/$(cat pid)" ]
	kill "$work"
	wait "$work"
}

@test "cancelled, a task that does not end at SIGTERM is killed with all that it has started" {
	plugin stays <<-'END'
		trap 'echo >>told' TERM
		(trap "" TERM; echo "$(exec sh -c 'echo $PPID')" >child; echo >started; while :; do sleep 1000; done) &
		echo $$ >pid
		while :; do wait; done
	END
	job=$(put stays 1 2)
	start_work
	hear started _
	coopr-queue cancel "$job"
	timeout 60 coopr-queue wait "$job" || true
	same cancelled "$(status "$job")"
	same 1 "$(wc -l <told)"
	[ ! -e "/proc/$(cat pid)" ]
	until [ ! -e "/proc/$(cat child)" ]; do sleep 0.05; done
	kill "$work"
	wait "$work"
}

# Half a minute after the time of the task, which is what makes these two slow.
@test "a worker that stays stopped is ended half a minute after the time of its task, and another one does the task then" {
	plugin once <<-'END'
		mkdir running || echo "two at a time" >>wrong
		echo $$ >>pids
		[ -e again ] || { touch again; echo $PPID >exec; echo $$ >pid; echo >started; exec sleep 1000; }
		rmdir running
		echo "{\"kind\":\"result\",\"status\":0}"
	END
	job=$(put once 1 1 00000042 '{"timeout_s": 1, "retries": 1}')
	start_work
	first=$work
	hear started _
	kill -STOP "$first" "$(cat exec)" "$(cat pid)"
	start_work
	rmdir running # what the plugin cannot do any more
	timeout 120 coopr-queue wait "$job"
	same complete "$(status "$job")"
	same 2 "$(wc -l <pids)"
	[ ! -e wrong ]
	for pid in "$first" $(cat exec pid); do
		grep -q '^State:.Z' "/proc/$pid/status" || ! kill -CONT "$pid"
	done
	same "1 its worker was stopped, and was ended when the time of a task was over" \
		"$(jq -r 'select(.event == "lost") | "\(.attempt) \(.reason)"' "$COOPR_SPOOL/done/$job/events.ndjson")"
	run -0 coopr-queue fsck
	kill "$work"
	wait "$work"
}

@test "a worker that goes on before that keeps its task, and nobody else gets it" {
	plugin slow <<-'END'
		echo $$ >>pids
		echo >started
		read -r _ <>go
		echo "{\"kind\":\"result\",\"status\":0}"
	END
	mkfifo go
	job=$(put slow 1 1 00000042 '{"timeout_s": 100}')
	start_work
	first=$work
	hear started _
	kill -STOP "$first"
	start_work
	# Longer than those who end stopped workers look: its time is not over.
	until [ "$(cut -d. -f1 /proc/uptime)" -ge "$((${uptime:=$(cut -d. -f1 /proc/uptime)} + 12))" ]; do sleep 0.2; done
	kill -CONT "$first"
	echo >go
	timeout 60 coopr-queue wait "$job"
	same complete "$(status "$job")"
	same 1 "$(wc -l <pids)"
	kill "$work" "$first"
	wait "$work" "$first"
}
