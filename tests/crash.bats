#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# The real programs, stopped by SIGKILL at each call that changes a file (tests/crash/shim.c): recovery works, fsck finds nothing,
# nothing acknowledged is lost. Every CRASH_STEP-th call (default 5; 1: all of them).

load case
load queue

setup() {
	fresh
	make_shim
	step=${CRASH_STEP:-5}
}

# The command under the shim, stopped at its call number $1; its exit code.
stopped_at() {
	local at=$1

	shift
	# In a sanitized build its library does not mind that the shim comes first.
	ASAN_OPTIONS=${ASAN_OPTIONS:-}:verify_asan_link_order=0 LD_PRELOAD=$PWD/shim.so CRASH_NO_SYNC=1 CRASH_AT=$at CRASH_COUNT=$PWD/calls \
		"$@" 2>/dev/null
}

# Does $1 anew for each call at which it can be stopped: a function that is told the number of the call.
at_each_call() {
	local at

	for ((at = 1; at < 600; at += step)); do
		rm -rf spool calls
		"$1" "$at"
		coopr-queue fsck
		[ ! -e calls ] || return 0
	done
	return 1
}

put_stopped() {
	stopped_at "$1" coopr-queue put plan >id && printed=$(cat id) || printed=
	[ -z "$printed" ] || same 6 "$(status_of "$printed" .tasks.total)"
	coopr-queue put plan >id
	[ "$(cat id)" != "$printed" ]
	do_all
	same complete "$(status_of "$(cat id)" .status)"
}

@test "put: killed at any call, the job is there whole or not at all" {
	two_nodes >plan
	at_each_call put_stopped
}

take_stopped() {
	coopr-queue put plan >id
	stopped_at "$1" coopr-queue take --lease 0 >task || true
	do_all
	same complete "$(status_of 00000042-001 .status)"
}

@test "take: killed at any call, the task is taken again" {
	two_nodes >plan
	at_each_call take_stopped
}

done_stopped() {
	coopr-queue put plan >id
	coopr-queue take --count 2 | result_of '{"ipaddresses":{"bind_v4":"10.0.0.1"}}' >results
	if stopped_at "$1" coopr-queue done results; then
		same 2 "$(status_of 00000042-001 .tasks.done)"
	fi
	coopr-queue done results
	same 2 "$(status_of 00000042-001 .tasks.done)"
	do_all
	same complete "$(status_of 00000042-001 .status)"
}

@test "done: killed at any call, it can be said again and counts once" {
	two_nodes >plan
	at_each_call done_stopped
}

retry_stopped() {
	coopr-queue put plan >id
	coopr-queue take --count 2 | result_of '{"status":65}' | coopr-queue done
	stopped_at "$1" coopr-queue retry 00000042-001 || coopr-queue retry 00000042-001 || true
	do_all
	same complete "$(status_of 00000042-001 .status)"
}

@test "retry: killed at any call, it can be ordered again" {
	two_nodes >plan
	at_each_call retry_stopped
}

gc_stopped() {
	echo 't1 a create -' | plan | coopr-queue put >id
	do_all
	coopr-queue stats --expect >learned
	same 1 "$(jq .runs learned)"
	stopped_at "$1" coopr-queue gc --keep 0 >gone || true
	same "$(cat learned)" "$(coopr-queue stats --expect)"
	coopr-queue fsck
	coopr-queue gc --keep 0 >gone
	same "" "$(coopr-queue ls -o name)"
	same "$(cat learned)" "$(coopr-queue stats --expect)"
}

@test "gc: killed at any call, the job is there or gone, and what was learned of it is known once" {
	at_each_call gc_stopped
}
