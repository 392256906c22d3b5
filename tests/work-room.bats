#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-work(1) where the system has no room for as many processes as it was told to run.

load case
load work

setup() {
	fresh
	work_setup
}

teardown() {
	work_teardown
}

@test "where fewer files may be open than tasks were asked for, fewer run at a time, and none fails" {
	need_program flock
	plugin wait <<<"flock -s $PWD/gate true; $good"
	put wait 40 2
	mkfifo said
	exec 4>gate
	flock 4
	(ulimit -n 64 && exec coopr-work -j 500 --drain 2>said 4>&- 3>&-) &
	work=$!
	exec 5<said
	read -r line <&5
	exec 4>&-
	wait "$work"
	contains "$line" "10 processes are all there is room for at a time: only so many files can be open"
	same complete "$(status 00000042-001)"
	same 0 "$(coopr-queue show -e 00000042-001 | jq -c 'select(.event == "fail" or .event == "lost")' | wc -l)"
}

@test "a worker that cannot start a single process ends with 71, and its tasks are ready for others" {
	plugin ok <<<"$good"
	for files in $(seq 32 -1 12); do
		job=$(put ok 3 1)
		code=0
		(ulimit -n "$files" && exec coopr-work -j 500 --drain 2>work.log) || code=$?
		[ "$code" -ne 71 ] || break
	done
	same 71 "$code"
	contains "$(cat work.log)" "Too many open files"
	same 3 "$(coopr-queue show "$job" -o json | jq .tasks.ready)"
	coopr-work --drain
	same complete "$(status "$job")"
}
