#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-work(1), with a spool of its own and plugins that are watched.

# shellcheck disable=SC2154 # $work and $good are set by work.bash

load case
load sshd
load work

setup() {
	fresh
	work_setup
}

teardown() {
	work_teardown
	sshd_stop
}

@test "--drain does all that there is and ends with 0" {
	job=$(put dummy 5 4)
	run -0 coopr-work -j 3 --drain
	same "" "$output"
	same complete "$(status "$job")"
	run -0 coopr-work --drain
}

@test "-v tells of each task, one line" {
	plugin fails <<<"echo 'no such package' >&2; exit 65"
	put dummy 1 2
	put fails 1 1 00000043
	run -1 coopr-work --drain -v
	same 3 "${#lines[@]}"
	contains "$output" "coopr-work: 00000042-001 t0-0 configure web on 00000042-1000: done in "
	contains "$output" "coopr-work: 00000043-001 t0-0 configure web on 00000043-1000: failed with 65 in "
	contains "$output" "no such package"
}

@test "a job that fails makes the exit code 1; what does not depend on the failure is done" {
	plugin half <<<"cat >task.\$\$; if grep -q '\"id\":\"t0-0\"' task.\$\$; then exit 65; fi; $good"
	job=$(put half 2 3)
	run -1 coopr-work --drain
	same failed "$(status "$job")"
	same 3 "$(coopr-queue show "$job" -o json | jq 'select(.kind == "status") | .tasks.done')"
}

@test "a failure that is not permanent is tried again" {
	plugin third <<<"echo >>tries; [ \$(wc -l <tries) -ge 3 ] || exit 1; $good"
	job=$(plan third 1 1 00000042 '{"retries": 2}' | coopr-queue put --backoff-ms 0)
	run -0 coopr-work --drain
	same complete "$(status "$job")"
	same 3 "$(wc -l <tries)"
}

@test "-j N: no more than N tasks at the same time, and as many as that" {
	plugin count <<-END
		exec 8>>lock
		flock 8; echo x >>running; wc -l <running >>seen; flock -u 8
		flock -s gate true
		flock 8; sed -i 1d running; flock -u 8
		$good
	END
	put count 6 2
	exec 9>gate
	flock 9
	start_work -j 3 --drain 9>&-
	until [ "$(wc -l <seen)" -ge 3 ]; do sleep 0.05; done 2>/dev/null
	flock -u 9
	exec 9>&-
	wait "$work"
	same 12 "$(wc -l <seen)"
	same 3 "$(sort -n seen | tail -n 1)"
}

@test "one task of a node at a time" {
	plugin alone <<<"mkdir busy || exit 70; rmdir busy; $good"
	job=$(plan alone 1 20 | jq -c 'if .kind == "task" then .after = [] else . end' | coopr-queue put)
	run -0 coopr-work -j 10 --drain
	same complete "$(status "$job")"
}

@test "--once does one task; with nothing ready it ends with 1" {
	job=$(put dummy 2 2)
	run -0 coopr-work --once
	same 1 "$(coopr-queue show "$job" -o json | jq 'select(.kind == "status") | .tasks.done')"
	coopr-work --drain
	run -1 coopr-work --once
	run -1 coopr-work --once --job "$job"
}

@test "--job works on that job only" {
	one=$(put dummy 1 2)
	other=$(put dummy 1 2 00000043)
	run -0 coopr-work --drain --job "$other"
	same complete "$(status "$other")"
	same running "$(status "$one")"
	run -1 coopr-work --drain --job 00000099-001
	contains "$output" "00000099-001"
}

@test "serves for ever: a job that is put while it waits is done" {
	start_work -v
	job=$(put dummy 2 2)
	timeout 60 coopr-queue wait "$job"
	other=$(put dummy 2 2)
	timeout 60 coopr-queue wait "$other"
	kill "$work"
	wait "$work"
	same 8 "$(grep -c 'done in' work.log)"
}

@test "SIGTERM: takes no more, waits for what runs, ends with 0" {
	plugin waits <<<"echo >started; read -r _ <go; $good"
	mkfifo started go
	job=$(put waits 2 2)
	start_work -j 1
	hear started _
	kill "$work"
	until grep -q "waiting for 1 running task;" work.log; do sleep 0.05; done
	echo >go
	wait "$work"
	same 1 "$(coopr-queue show "$job" -o json | jq 'select(.kind == "status") | .tasks.done')"
	same 0 "$(coopr-queue show "$job" -o json | jq 'select(.kind == "status") | .tasks.running')"
}

@test "a second SIGTERM ends what runs; it is ready again, and its attempt has not failed" {
	plugin waits <<<"echo \$\$ >pid; echo >started; exec sleep 1000"
	mkfifo started
	job=$(put waits 1 1)
	start_work -j 1
	hear started _
	kill "$work"
	until grep -q "waiting for" work.log; do sleep 0.05; done
	kill "$work"
	wait "$work"
	[ ! -e "/proc/$(cat pid)" ]
	same "0 0 1" "$(coopr-queue show "$job" -o json | jq -r 'select(.kind == "status") | .tasks | "\(.running) \(.failed) \(.ready + .delayed)"')"
	plugin waits <<<"$good"
	run -0 coopr-work --drain
	same complete "$(status "$job")"
}

@test "killed at any moment, it loses nothing: its plugins end, and another worker does the rest" {
	plugin waits <<<"echo \$\$ >>pids; echo >started; read -r _ <go; $good"
	mkfifo started go
	job=$(put waits 3 3)
	for _ in 1 2 3; do
		start_work -j 2
		hear started _
		kill -KILL "$work"
		wait "$work" || true
		# Nobody holds the FIFO open any more: the plugins are gone.
		while read -r pid; do
			until [ ! -e "/proc/$pid" ]; do sleep 0.05; done
		done <pids
		: >pids
	done
	plugin waits <<<"echo \$\$ >>pids; $good"
	run -0 coopr-work --drain
	same complete "$(status "$job")"
	run -0 coopr-queue fsck
}

@test "workers share a spool: each task is done once" {
	plugin once <<<"echo \$(jq -r .id) >>done.log; $good"
	job=$(put once 10 5)
	for _ in 1 2 3; do
		coopr-work -j 3 --drain 3>&- &
		pids="${pids:-} $!"
	done
	for pid in $pids; do
		wait "$pid"
	done
	same complete "$(status "$job")"
	same 50 "$(sort -u done.log | wc -l)"
	same 50 "$(wc -l <done.log)"
}

@test "a task whose job is cancelled is ended" {
	plugin waits <<<"echo \$\$ >pid; echo >started; exec sleep 1000"
	mkfifo started
	job=$(put waits 1 2)
	start_work -v
	hear started _
	coopr-queue cancel "$job"
	until [ ! -e "/proc/$(cat pid)" ]; do sleep 0.05; done
	timeout 60 coopr-queue wait "$job" || true
	same cancelled "$(status "$job")"
	kill "$work"
	wait "$work"
}

@test "a paused job is not waited for" {
	job=$(plan dummy 1 1 | coopr-queue put --paused)
	run -0 coopr-work --drain
	same paused "$(status "$job")"
	coopr-queue resume "$job"
	run -0 coopr-work --drain
	same complete "$(status "$job")"
}

@test "a missing plugin fails its task with a clear message" {
	job=$(put salt 1 1)
	run -1 coopr-work --drain -v
	contains "$output" 'failed with 78'
	contains "$output" 'there is no automator "salt"'
}

@test "the log of a task has all that it said" {
	plugin says <<<"echo one >&2; echo two >&2; $good"
	job=$(put says 1 1)
	coopr-work --drain
	log=$(find "$COOPR_SPOOL" -name 't0-0.1')
	same "one
two" "$(cat "$log")"
}

@test "misuse is 64, a spool that cannot be used is told" {
	run -64 coopr-work -j 0
	run -64 coopr-work --drain --once
	run -64 coopr-work operand
	touch file
	run coopr-work --drain --spool "$PWD/file/spool"
	[ "$status" -ge 66 ]
	contains "$output" "$PWD/file/spool"
}

@test "over ssh: tasks of a node share a connection, which is closed at the end; facts go from task to task" {
	need_root
	sshd_start
	script count.sh <<-'END'
		#!/bin/sh
		set -e
		. ./lib.sh
		coopr_result connection "$SSH_CONNECTION"
		echo "$SSH_CONNECTION"
	END
	task configure '{"script": "count.sh"}' >task.json
	job=$(plan shell 1 4 00000042 '{"fields": {"script": "count.sh"}}' |
		jq -c --slurpfile task task.json 'if .kind == "node" then . + ($task[0].machine | {ipaddresses, facts})
			elif .kind == "cluster" then . + {catalogue: $task[0].cluster.catalogue} else . end' |
		coopr-queue put)
	run -0 coopr-work --drain -v
	same complete "$(status "$job")"
	same 1 "$(cat "$COOPR_SPOOL"/done/*/log/* | sort -u | wc -l)"
	same 4 "$(cat "$COOPR_SPOOL"/done/*/log/* | wc -l)"
	same "$(cat "$COOPR_SPOOL"/done/*/log/* | sort -u)" \
		"$(coopr-queue show "$job" --layout | jq -r 'select(.kind == "node") | .facts.connection')"
	same "" "$(find run -type s)"
	same "" "$(find run -name 'ssh.*')"
}

@test "connections that a killed worker left are closed by the next one" {
	need_root
	sshd_start
	mkfifo started
	script wait.sh <<-END
		echo \$\$ >$PWD/started
		exec sleep 1000
	END
	task configure '{"script": "wait.sh"}' >task.json
	job=$(plan shell 1 1 00000042 '{"fields": {"script": "wait.sh"}}' |
		jq -c --slurpfile task task.json 'if .kind == "node" then . + ($task[0].machine | {ipaddresses, facts})
			elif .kind == "cluster" then . + {catalogue: $task[0].cluster.catalogue} else . end' |
		coopr-queue put)
	start_work
	hear started pid
	kill -KILL "$work"
	wait "$work" || true
	until [ ! -e "/proc/$pid" ]; do sleep 0.05; done
	same 1 "$(find run -type s | wc -l)"
	script wait.sh </dev/null
	run -0 coopr-work --drain
	same complete "$(status "$job")"
	same "" "$(find run -type s)"
}
