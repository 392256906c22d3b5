#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-work(1) over real connections, coopr-shell(7).

# shellcheck disable=SC2154 # $work and $good are set by work.bash

load case
load sshd
load work

setup() {
	fresh
	need_root
	work_setup
}

teardown() {
	work_teardown
	sshd_stop
}

# Puts a job of NODES nodes, all of them the machine of sshd_start, with TASKS tasks each, into which TASK is merged:
# put_shell SCRIPT NODES TASKS [TASK]
put_shell() {
	task configure '{"script": "x"}' >task.json
	plan shell "$2" "$3" 00000042 "{\"fields\": {\"script\": \"$1\"}}" |
		jq -c --slurpfile task task.json --argjson more "${4:-{\}}" 'if .kind == "task" then . + $more elif .kind == "node" then . + ($task[0].machine | {ipaddresses, facts})
			elif .kind == "cluster" then . + {catalogue: $task[0].cluster.catalogue} else . end' |
		coopr-queue put --backoff-ms 0
}

@test "a connection that is gone is opened again; what ran over it has failed for now" {
	sshd_start
	script once.sh <<-END
		[ ! -e $PWD/began ] || exit 0
		touch $PWD/began
		exec sleep 1000
	END
	job=$(put_shell once.sh 1 2)
	start_work -v --drain
	until [ -e began ]; do sleep 0.05; done
	kill -KILL "$(pgrep -P "$(pgrep -P "$work")")"
	wait "$work"
	same complete "$(status "$job")"
	grep -q "failed with 75 .*the connection was lost while the script ran" work.log
}

@test "files that many tasks need go over a connection once, and each task has them whole" {
	sshd_start
	head -c 3000000 /dev/urandom >catalogue/scripts/data
	head -c 3000000 /dev/urandom >catalogue/scripts/other
	script compare.sh <<-END
		cmp data $PWD/catalogue/scripts/data && ls $PWD/sshd/cache | wc -l >>$PWD/kept
	END
	job=$(put_shell compare.sh 2 4 '{"fields": {"script": "compare.sh", "files": "data"}}')
	run -0 coopr-work -j 4 --drain
	same complete "$(status "$job")"
	same "8 1" "$(uniq -c <kept | awk '{ print $1, $2 }')"
	# Only so many versions are kept.
	touch sshd/cache/{1..20}
	job=$(put_shell compare.sh 1 1 '{"fields": {"script": "compare.sh", "files": "data other"}}')
	run -0 coopr-work --drain
	same complete "$(status "$job")"
	same 16 "$(tail -n 1 kept)"
}

@test "logins that sshd drops, because there are too many at once, are tried again" {
	eval "$(declare -f sshd_config | sed 's/MaxStartups 100/MaxStartups 2/')"
	sshd_start
	script true.sh </dev/null
	job=$(put_shell true.sh 12 1)
	run -0 coopr-work -j 12 --drain -v
	same complete "$(status "$job")"
	same 12 "$(grep -c ": done in" <<<"$output")"
}

@test "a node that cannot be reached fails its own tasks only, for now" {
	sshd_start
	script true.sh </dev/null
	job=$(put_shell true.sh 3 1)
	sed -i 's/"port": [0-9]*/"port": 1/' task.json
	other=$(plan shell 1 1 00000043 '{"fields": {"script": "true.sh"}}' |
		jq -c --slurpfile task task.json 'if .kind == "node" then . + ($task[0].machine | {ipaddresses, facts})
			elif .kind == "cluster" then . + {catalogue: $task[0].cluster.catalogue} else . end' |
		coopr-queue put --backoff-ms 100000)
	start_work -v
	timeout 60 coopr-queue wait "$job"
	until grep -q "$other .* failed with 75 .*Connection refused" work.log; do sleep 0.05; done
	kill "$work"
	wait "$work"
	same complete "$(status "$job")"
	same running "$(status "$other")"
}

@test "cancel ends a script that ignores every signal, with all its children; the job is over when it is gone from the node" {
	sshd_start
	mkfifo started
	script stubborn.sh <<-END
		#!/bin/bash
		trap '' HUP INT TERM PIPE
		(while :; do sleep 1; done) &
		echo "\$\$ \$COOPR_DIR" >$PWD/started
		while :; do sleep 1; done
	END
	job=$(put_shell stubborn.sh 1 1)
	start_work -v
	hear started pid directory
	began=${EPOCHREALTIME/./}
	coopr-queue cancel "$job"
	timeout 60 coopr-queue wait "$job" || [ $? -eq 1 ]
	# Within eight seconds the node has said so; where it was slower, the end is there all the same.
	[ "$((${EPOCHREALTIME/./} - began))" -ge 8000000 ] || is_gone "$pid" "$directory"
	until is_gone "$pid" "$directory"; do sleep 0.1; done
	same cancelled "$(status "$job")"
	contains "$(<work.log)" "failed with 75"
}

# Nothing that runs of the process group that the script leads, and not its directory.
is_gone() {
	! pgrep -r R,S,D -g "$1" >/dev/null && [ ! -e "$2" ]
}

@test "a script that is told to end may finish its work before: the job is over when it has, and no sooner" {
	sshd_start
	mkfifo started
	script tidy.sh <<-END
		#!/bin/bash
		trap 'sleep 0.3; echo tidy >$PWD/tidied; exit 1' TERM
		echo >$PWD/started
		while :; do sleep 0.1; done
	END
	job=$(put_shell tidy.sh 1 1)
	start_work
	hear started _
	coopr-queue cancel "$job"
	timeout 60 coopr-queue wait "$job" || [ $? -eq 1 ]
	same tidy "$(<tidied)"
}

# The processes that a worker has started, and what these have.
descendants() {
	local child

	for child in $(pgrep -P "$1"); do
		echo "$child"
		descendants "$child"
	done
}

# Half a minute after the time of the task.
@test "of a worker that stays stopped with all that it has started, the script on the node ends before another one does the task" {
	sshd_start
	script once.sh <<-END
		cd $PWD
		[ -e first ] || { echo \$\$ >first; trap '' TERM HUP; while :; do sleep 1; done; }
		kill -0 "\$(cat first)" 2>/dev/null && echo "both run" >wrong
		echo >>second
	END
	job=$(put_shell once.sh 1 1 '{"timeout_s": 5, "retries": 1}')
	start_work
	stopped=$work
	until [ -s first ]; do sleep 0.05; done
	# From the worker on: nothing that is told to end by another can tell it on.
	# shellcheck disable=SC2046 # numbers
	kill -STOP "$stopped" $(descendants "$stopped")
	start_work
	kill -0 "$(cat first)"
	timeout 120 coopr-queue wait "$job"
	same complete "$(status "$job")"
	[ ! -e wrong ]
	same 1 "$(wc -l <second)"
	run ! kill -0 "$(cat first)"
	same 1 "$(grep -c "its worker was stopped" "$COOPR_SPOOL/done/$job/events.ndjson")"
	kill "$work"
	wait "$work"
}
