#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-spool(5), LOCKS: who is stopped, by SIGSTOP, and goes on later, wherever that is.
# Stopped at every STOP_STEP-th call (default 7; 1: each).

load case
load queue

setup() {
	fresh
	make_shim
	step=${STOP_STEP:-7}
	stopped=
}

teardown() {
	[ -z "$stopped" ] || kill -KILL "$stopped" 2>/dev/null || true
}

# The state of a process, one letter; nothing where there is none.
state_of() {
	sed 's/.*) //; s/ .*//' "/proc/$1/stat" 2>/dev/null || true
}

# The command in the background, stopped at its call $1; $stopped is its pid. False where it came to its end before.
stop_at() {
	local at=$1

	shift
	ASAN_OPTIONS=${ASAN_OPTIONS:-}:verify_asan_link_order=0 LD_PRELOAD=$PWD/shim.so CRASH_NO_SYNC=1 CRASH_AT=$at CRASH_STOP=1 \
		"$@" >out 2>err 3>&- &
	stopped=$!
	while :; do
		case $(state_of "$stopped") in
		T) return 0 ;;
		Z | "")
			wait "$stopped" || [ $? -eq 1 ]
			over=1
			return 1
			;;
		esac
	done
}

# Another command meanwhile: it comes to its end, or says for whom it waits, who then goes on.
meanwhile() {
	"$@" >other 2>said 3>&- &
	local pid=$!

	until grep -q "kill -CONT $stopped resumes it" said; do
		case $(state_of "$pid") in Z | "") break ;; esac
	done
	waited=$(sed -n 's/.*: \(.*\) is locked by process .* which is stopped; .*/\1/p' said)
	kill -CONT "$stopped"
	wait "$stopped" || [ $? -eq 1 ]
	wait "$pid" || [ $? -eq 1 ]
}

# No attempt stands in two of the files.
each_is_taken_once() {
	same "" "$(cat "$@" | jq -r '"\(.job) \(.id) \(.attempt)"' | sort | uniq -d)"
}

@test "who is stopped while it holds a job's lock holds up who needs it, and they say for whom they wait" {
	job=$(two_nodes | coopr-queue put)
	where=
	for ((at = 1; ; at++)); do
		coopr-queue resume "$job"
		stop_at "$at" coopr-queue pause "$job" || break
		meanwhile coopr-queue resume "$job"
		[ -z "$waited" ] || where="$where $waited"
	done
	contains "$where" "$PWD/spool/jobs/$job/lock"
	coopr-queue resume "$job"
	do_all
	same complete "$(status_of "$job" .status)"
}

take_stopped() {
	one=$(two_nodes | coopr-queue put)
	two=$(two_nodes 00000043 | coopr-queue put)
	stop_at "$1" coopr-queue take --count 9 --lease 600 || return 0
	meanwhile coopr-queue take --count 9 --lease 600
	each_is_taken_once out other
	cat out other | result_of | coopr-queue done
	do_all
	same "complete complete" "$(status_of "$one" .status) $(status_of "$two" .status)"
	coopr-queue fsck
}

done_stopped() {
	one=$(two_nodes | coopr-queue put)
	coopr-queue take --count 2 --lease 600 | result_of >results
	stop_at "$1" coopr-queue done results || return 0
	meanwhile coopr-queue done results
	same 2 "$(status_of "$one" .tasks.done)"
	do_all
	same complete "$(status_of "$one" .status)"
	coopr-queue fsck
}

put_stopped() {
	two_nodes >plan
	stop_at "$1" coopr-queue put plan || return 0
	meanwhile coopr-queue put plan
	[ "$(cat out)" != "$(cat other)" ]
	do_all
	same "2 complete" "$(coopr-queue ls -o json | jq -r .status | sort | uniq -c | sed 's/^ *//')"
	coopr-queue fsck
}

# Does $1 anew for each call at which it can be stopped.
at_each_call() {
	local at

	over=
	for ((at = 1; at < 600 && !over; at += step)); do
		rm -rf spool
		"$1" "$at"
	done
	[ "$at" -gt "$((1 + step))" ] && [ "$at" -lt 600 ]
}

@test "take: stopped at any call, no task is taken twice, and whoever waits goes on with it" {
	at_each_call take_stopped
}

@test "done: stopped at any call while another says the same, it counts once" {
	at_each_call done_stopped
}

@test "put: stopped at any call, another job of the cluster comes in before it or behind it" {
	at_each_call put_stopped
}
