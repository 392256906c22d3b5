#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# What else may go wrong than a program's end: a disk that is full or fails at any call, a spool that cannot be written, a reader that
# is gone, a clock that is set. Each is told clearly, and nothing is lost.
# Every FAULT_STEP-th call fails (default 3; 1: each).

load case
load queue

setup() {
	fresh
	make_shim
	step=${FAULT_STEP:-3}
}

ENOSPC=28
EIO=5

# The command, whose call number $1 fails with errno $2; what it says goes to the file said. Its exit code.
failing() {
	local at=$1 errno=$2

	shift 2
	ASAN_OPTIONS=${ASAN_OPTIONS:-}:verify_asan_link_order=0 LD_PRELOAD=$PWD/shim.so CRASH_AT=$at CRASH_ERRNO=$errno \
		CRASH_COUNT=$PWD/calls CRASH_NO_SYNC=1 "$@" 2>said
}

# Whether it was the call that failed that the command has told of, and with the code for it.
is_told() {
	[ "$1" -eq 74 ] || [ "$1" -eq 73 ] || [ "$1" -eq 71 ] || {
		echo "exit code $1"
		cat said
		return 1
	}
	grep -qE "No space left on device|Input/output error|cannot be|could not be" said || {
		cat said
		return 1
	}
}

# Does $1 anew for each call that can fail, with each reason: a function that is told both.
at_each_fault() {
	local at errno last

	for errno in $ENOSPC $EIO; do
		last=1000
		for ((at = 1; at <= last; at += step)); do
			rm -rf spool calls
			"$1" "$at" "$errno"
			coopr-queue fsck >found || coopr-queue fsck --repair >found || [ $? -eq 1 ]
			coopr-queue fsck
			last=$(cat calls)
		done
	done
}

put_fails() {
	local code=0

	failing "$1" "$2" coopr-queue put plan >id || code=$?
	[ "$code" -eq 0 ] || is_told "$code"
	# The id is printed last: where that fails, the job is there.
	if [ "$code" -eq 0 ]; then
		same 6 "$(status_of "$(cat id)" .tasks.total)"
	fi
	coopr-queue put plan >id
	do_all --job "$(cat id)"
}

@test "put: whichever call meets a full or failing disk, it is told, and the next put succeeds" {
	two_nodes >plan
	at_each_fault put_fails
}

@test "put: whichever fsync is refused, a job that was not acknowledged is not there" {
	export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 # not under strace
	local at code last

	two_nodes >plan
	for ((at = 1; at <= 8; at++)); do
		rm -rf spool
		coopr-queue gc
		code=0
		strace -f -qq -o trace -e trace=fsync -e inject=fsync:error=EIO:when="$at" coopr-queue put plan >id 2>said || code=$?
		[ "$code" -eq 0 ] || [ "$code" -eq 74 ]
		[ "$code" -eq 0 ] || same "" "$(coopr-queue ls -o name)"
		coopr-queue fsck
		last=$code
	done
	same 0 "$last"
}

@test "done: what the disk has refused is not acknowledged when it is said again, by whoever and however often, until fsck --repair" {
	export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 # not under strace
	local code

	two_nodes >plan
	coopr-queue put plan
	coopr-queue take --count 1 --lease 600 | result_of '{}' >results
	run -74 strace -f -qq -o trace -e trace=fdatasync -e inject=fdatasync:error=EIO coopr-queue "done" results
	run -74 coopr-queue "done" results
	# Also where the state is lost, and the disk refuses while it is made anew.
	rm spool/jobs/00000042-001/state
	run -74 strace -f -qq -o trace -e trace=fdatasync -e inject=fdatasync:error=EIO coopr-queue "done" results
	run -74 coopr-queue "done" results
	code=0
	coopr-queue fsck --repair >found || code=$?
	same 1 "$code"
	coopr-queue "done" results
	do_all
	same complete "$(status_of 00000042-001 .status)"
}

@test "done, pause: what another one has written and not brought to disk is brought there before it is acknowledged" {
	export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 # not under strace
	two_nodes >plan
	coopr-queue put plan
	coopr-queue take --count 1 --lease 600 | result_of '{}' >results
	strace -f -qq -o trace -e trace=fdatasync -e inject=fdatasync:signal=KILL coopr-queue "done" results || true
	strace -f -qq -o trace -e trace=fdatasync coopr-queue "done" results
	same 1 "$(grep -c fdatasync trace)"
	strace -f -qq -o trace -e trace=fdatasync -e inject=fdatasync:signal=KILL coopr-queue pause 00000042-001 || true
	strace -f -qq -o trace -e trace=fdatasync coopr-queue pause 00000042-001
	same 1 "$(grep -c fdatasync trace)"
}

@test "put: why tmp/ takes no folder is told" {
	export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 # not under strace
	two_nodes >plan
	coopr-queue put plan
	run -73 strace -f -qq -o trace -e trace=mkdirat -e inject=mkdirat:error=ENOSPC coopr-queue put plan
	contains "$output" "No space left on device; make room on "
	run -73 strace -f -qq -o trace -e trace=mkdirat -e inject=mkdirat:error=EPERM coopr-queue put plan
	contains "$output" "Operation not permitted"
}

take_fails() {
	local code=0

	coopr-queue put plan >id
	failing "$1" "$2" coopr-queue take --count 2 --lease 0 >task || code=$?
	[ "$code" -eq 0 ] || is_told "$code"
	coopr-queue fsck --repair >found || true
	do_all
	same complete "$(status_of 00000042-001 .status)"
}

@test "take: whichever call meets a full or failing disk, it is told, and the tasks are taken later" {
	two_nodes >plan
	at_each_fault take_fails
}

done_fails() {
	local code=0

	coopr-queue put plan >id
	coopr-queue take --count 2 --lease 600 | result_of '{"ipaddresses":{"bind_v4":"10.0.0.1"}}' >results
	failing "$1" "$2" coopr-queue "done" results || code=$?
	if [ "$code" -eq 0 ]; then
		same 2 "$(status_of 00000042-001 .tasks.done)"
	else
		is_told "$code"
	fi
	coopr-queue fsck --repair >found || true
	coopr-queue "done" results
	same 2 "$(status_of 00000042-001 .tasks.done)"
	do_all
	same complete "$(status_of 00000042-001 .status)"
}

@test "done: whichever call meets a full or failing disk, it is told, and the results can be given again" {
	two_nodes >plan
	at_each_fault done_fails
}

@test "a spool that cannot be written is told as such, and can be looked at" {
	[ "$(id -u)" -ne 0 ] || command -v setpriv >/dev/null || skip "root may write anything"
	two_nodes | coopr-queue put
	coopr-queue take --lease 600 | result_of >results
	as=()
	if [ "$(id -u)" -eq 0 ]; then
		chmod 755 .. . 2>/dev/null
		chmod -R a+rX spool
		as=(setpriv --reuid 65534 --regid 65534 --clear-groups --)
		"${as[@]}" test -r "$PWD/spool/jobs" || skip "another user cannot get here"
	else
		chmod -R a-w spool
	fi
	same 00000042-001 "$("${as[@]}" coopr-queue ls -o name)"
	for command in "take" "done results" "pause 00000042-001" "limit --total 3"; do
		# shellcheck disable=SC2086 # words on purpose
		run "${as[@]}" coopr-queue $command
		[ "$status" -ge 66 ]
		contains "$output" "Permission denied"
	done
	[ "$(id -u)" -eq 0 ] || chmod -R u+w spool
}

@test "a reader that is gone: what it did not get is given back" {
	two_nodes | coopr-queue put
	mkfifo pipe
	{ true; } <pipe &
	exec 7>pipe
	wait $!
	run bash -c 'trap "" PIPE; coopr-queue take --count 2 >&7'
	exec 7>&-
	[ "$status" -ne 0 ]
	same "0 2" "$(status_of 00000042-001 '"\(.tasks.running) \(.tasks.ready)"')"
}

@test "limits and events whose last line is torn are taken for what they were" {
	two_nodes | coopr-queue put
	printf '{"kind":"lim' >spool/limits.json
	run -65 coopr-queue take
	contains "$output" "limits.json"
	rm spool/limits.json
	coopr-queue take --lease 600 | result_of >results
	truncate -s -5 spool/jobs/00000042-001/events.ndjson
	rm spool/jobs/00000042-001/state spool/board
	# What is cut off was never whole, for all that can be told: it counts as if it had not been.
	run -0 coopr-queue fsck
	same "0 2" "$(status_of 00000042-001 '"\(.tasks.running) \(.tasks.ready)"')"
	run -1 coopr-queue done results
	do_all
	same complete "$(status_of 00000042-001 .status)"
}

# Preloaded, the wall clock jumps about by years with each look at it.
make_clock() {
	"${CC:-cc}" -D_GNU_SOURCE -shared -fPIC -o clock.so -x c - <<-'END'
		#include <stdlib.h>
		#include <sys/syscall.h>
		#include <time.h>
		#include <unistd.h>
		int clock_gettime(clockid_t id, struct timespec *now)
		{
			int result = (int)syscall(SYS_clock_gettime, id, now);

			if (id == CLOCK_REALTIME)
				now->tv_sec += (rand() % 20 - 10) * 365 * 86400;
			return result;
		}
	END
}

@test "a clock that jumps back and forth: all is taken, retried and finished as without, and can be looked at" {
	make_clock
	export LD_PRELOAD=$PWD/clock.so ASAN_OPTIONS=${ASAN_OPTIONS:-}:verify_asan_link_order=0
	job=$(two_nodes | coopr-queue put --backoff-ms 1)
	coopr-queue take --count 2 --lease 600 | result_of '{"status":1}' | coopr-queue "done"
	same "0 2" "$(status_of "$job" '"\(.tasks.done) \(.tasks.ready + .tasks.delayed)"')"
	other=$(two_nodes 00000043 | coopr-queue put)
	coopr-queue take --job "$other" --lease 600 >held
	timeout 120 coopr-work --drain --job "$job"
	same complete "$(status_of "$job" .status)"
	same 1 "$(status_of "$other" .tasks.running)"
	result_of <held | coopr-queue "done"
	timeout 120 coopr-work --drain
	coopr-queue report "$job" >report
	coopr-queue stats >stats
	coopr-queue fsck
	unset LD_PRELOAD
	coopr-queue fsck
}

@test "leases do not ask the wall clock" {
	two_nodes | coopr-queue put
	coopr-queue take --lease 3600 >task
	cat >clock.c <<-'END'
		#define _GNU_SOURCE
		#include <sys/syscall.h>
		#include <time.h>
		#include <unistd.h>
		int clock_gettime(clockid_t id, struct timespec *now)
		{
			int result = (int)syscall(SYS_clock_gettime, id, now);

			if (id == CLOCK_REALTIME)
				now->tv_sec += 10 * 365 * 86400;
			return result;
		}
	END
	"${CC:-cc}" -shared -fPIC -o clock.so clock.c
	same t2 "$(LD_PRELOAD=$PWD/clock.so ASAN_OPTIONS=verify_asan_link_order=0 coopr-queue take | jq -r .id)"
	same 2 "$(LD_PRELOAD=$PWD/clock.so ASAN_OPTIONS=verify_asan_link_order=0 coopr-queue show -o json 00000042-001 | jq .tasks.running)"
	result_of <task | coopr-queue "done"
	coopr-queue fsck
}
