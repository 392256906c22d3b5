#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0

load case
load queue

setup() {
	fresh
}

chain() {
	plan <<-'END'
		t1 a create -
		t2 a confirm t1
		t3 a install:zk t2
		t4 b create - {"rank":0}
	END
}

@test "skip: a task that failed counts as done for what comes after it, and who said so, and why, is recorded" {
	chain | coopr-queue put
	finish '{"status":65}'
	coopr-queue skip --reason "made by hand" 00000042-001 t1
	same "t1=skipped t2=ready t3=blocked t4=ready" "$(states 00000042-001)"
	coopr-queue show --events 00000042-001 | jq -e 'select(.event == "skip") | .task == "t1" and .reason == "made by hand" and (.by | length > 0)'
	do_all
	same "complete 3 1" "$(status_of 00000042-001 '"\(.status) \(.tasks.done) \(.tasks.skipped)"')"
	coopr-queue fsck
}

@test "skip: a task that is ready, blocked or delayed can be skipped, and its predecessors change nothing more for it" {
	chain | coopr-queue put --backoff-ms 3600000
	coopr-queue skip -r "not needed" 00000042-001 t2
	same "t1=ready t2=skipped t3=ready t4=ready" "$(states 00000042-001)"
	coopr-queue skip -r "not needed" 00000042-001 t3 t4
	same "t1=ready t2=skipped t3=skipped t4=skipped" "$(states 00000042-001)"
	finish '{"status":1}'
	same "t1=delayed t2=skipped t3=skipped t4=skipped" "$(states 00000042-001)"
	coopr-queue skip -r "not needed" 00000042-001 t1
	same complete "$(status_of 00000042-001 .status)"
	rm spool/done/00000042-001/state
	same "t1=skipped t2=skipped t3=skipped t4=skipped" "$(states 00000042-001)"
	coopr-queue fsck
}

@test "skip: a job that has failed goes on" {
	chain | coopr-queue put
	coopr-queue take --count 2 | result_of '{"status":65}' | coopr-queue "done"
	same failed "$(status_of 00000042-001 .status)"
	coopr-queue skip -r "there already" 00000042-001 t1
	same running "$(status_of 00000042-001 .status)"
	do_all
	same failed "$(status_of 00000042-001 .status)"
	coopr-queue skip -r "there already" 00000042-001 t4
	same complete "$(status_of 00000042-001 .status)"
	coopr-queue fsck
}

@test "skip: what runs, is done, or is no task cannot be skipped; nor can anything of a cancelled job" {
	chain | coopr-queue put
	coopr-queue take >task
	run -1 coopr-queue skip -r x 00000042-001 t1
	contains "$output" "task t1 cannot be skipped: it is running"
	result_of <task | coopr-queue "done"
	run -1 coopr-queue skip -r x 00000042-001 t1
	run -1 coopr-queue skip -r x 00000042-001 t9
	run -1 coopr-queue skip -r x 00000042-009 t1
	coopr-queue skip -r x 00000042-001 t2
	coopr-queue skip -r x 00000042-001 t2
	coopr-queue cancel 00000042-001
	run -1 coopr-queue skip -r x 00000042-001 t3
	contains "$output" "it is cancelled"
}

@test "skip: without a job, a task and a reason it is misuse" {
	run -64 coopr-queue skip 00000042-001 t1
	run -64 coopr-queue skip -r "" 00000042-001 t1
	run -64 coopr-queue skip -r x 00000042-001
	run -64 coopr-queue skip -r x
}

@test "the lease of an action that undoes a task is that action's own timeout" {
	plan <<-'END' | coopr-queue put --backoff-ms 0
		t1 a create - {"timeout_s":1000}
		t2 a confirm t1 {"undo":["delete","create"],"timeout_s":10}
	END
	finish '{}'
	finish '{"status":1}'
	finish '{}'
	coopr-queue take >task
	same "create 1000" "$(jq -r '"\(.action) \(.timeout_s)"' task)"
	coopr-queue show --events 00000042-001 |
		jq -s -e --argjson now "$(awk '{print int($1 * 1000)}' /proc/uptime)" '.[-1] | .event == "take" and .until_boottime_ms > $now + 500000'
}
