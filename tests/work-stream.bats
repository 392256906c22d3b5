#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-work(1) with plugins that stream, coopr-plugins(7).

# shellcheck disable=SC2154 # $work and $good are set by work.bash

load case
load work

setup() {
	fresh
	need_program jq
	work_setup
}

teardown() {
	work_teardown
}

# Answers each task as it comes; jq's filter says how.
answers='jq -c --unbuffered "{kind: \"result\", job, task: .id, attempt, status: 0}"'

@test "a plugin that says so streams: one process does many tasks" {
	stream many <<<"echo \$\$ >>started; $answers"
	job=$(put many 10 5)
	run -0 coopr-work -j 8 --drain
	same complete "$(status "$job")"
	same 1 "$(wc -l <started)"
}

@test "answers may come in any order" {
	stream backwards <<-'END'
		read -r one; read -r two; read -r three
		for task in "$three" "$one" "$two"; do
			echo "$task" | jq -c '{kind: "result", job, task: .id, attempt, status: 0, result: {number: .machine.nodenum}}'
		done
		cat >/dev/null
	END
	job=$(put backwards 3 1)
	run -0 coopr-work -j 3 --drain
	same complete "$(status "$job")"
	same "1000 1001 1002" "$(coopr-queue show "$job" --layout | jq -r 'select(.kind == "node") | .facts.number' | paste -sd' ')"
}

@test "where it dies, what was in flight has failed for now, and the next task starts it again" {
	stream dies <<<"echo >>started; [ \$(wc -l <started) -gt 1 ] || { read -r _; read -r _; kill -KILL \$\$; }; $answers"
	job=$(put dies 2 1)
	run -0 coopr-work -j 2 --drain -v
	same complete "$(status "$job")"
	same 2 "$(wc -l <started)"
	contains "$output" "failed with 75 in"
	contains "$output" "automator/dies was killed by signal 9 while it was at this task"
}

@test "an answer to what it was not given, or a line that is no JSON, ends it" {
	stream wrong <<<"echo >>started; [ \$(wc -l <started) -gt 1 ] || { read -r _; echo '{\"kind\":\"result\",\"job\":\"j\",\"task\":\"x\",\"attempt\":1,\"status\":0}'; cat >/dev/null; }; $answers"
	job=$(put wrong 1 1)
	run -0 coopr-work --drain -v
	same complete "$(status "$job")"
	contains "$output" "it answered to what it was not given"
	stream broken <<<"echo >>again; [ \$(wc -l <again) -gt 1 ] || { read -r _; echo 'Welcome!'; cat >/dev/null; }; $answers"
	job=$(put broken 1 1 00000043)
	run -0 coopr-work --drain -v
	same complete "$(status "$job")"
	contains "$output" "failed with 75"
}

@test "an answer that is no result is the task's failure only" {
	stream odd <<<'jq -c --unbuffered "{kind: \"result\", job, task: .id, attempt, status: (if .id == \"t0-0\" then \"well\" else 0 end)}"'
	job=$(put odd 2 1)
	run -1 coopr-work --drain -v
	contains "$output" "t0-0 configure web on 00000042-1000: failed with 70"
	contains "$output" "t1-0 configure web on 00000042-1001: done"
}

@test "it ends a task that takes longer than its timeout, status 124; the others go on" {
	job=$(plan dummy 1 1 00000042 '{"fields": {"delay_ms": 1000000}, "timeout_s": 1}' | coopr-queue put)
	other=$(put dummy 20 2 00000043)
	run -1 coopr-work --drain -v
	contains "$output" "failed with 124"
	same failed "$(status "$job")"
	same complete "$(status "$other")"
}

@test "a task whose job is cancelled is ended, and the process goes on" {
	job=$(put dummy 2 1 00000042 '{"fields": {"delay_ms": 10000000}, "timeout_s": 100000}')
	start_work -v
	until [ "$(coopr-queue show "$job" -o json | jq 'select(.kind == "status") | .tasks.running')" = 2 ]; do sleep 0.05; done
	until plugin=$(pgrep -P "$work"); do sleep 0.05; done # it is taken before it is started
	coopr-queue cancel "$job"
	timeout 60 coopr-queue wait "$job" || true
	same cancelled "$(status "$job")"
	other=$(put dummy 2 2 00000043)
	timeout 60 coopr-queue wait "$other"
	same "$plugin" "$(pgrep -P "$work")"
	kill "$work"
	wait "$work"
}

@test "a second SIGTERM ends it with all that it does; that is ready again, and has not failed" {
	job=$(put dummy 3 1 00000042 '{"fields": {"delay_ms": 10000000}, "timeout_s": 100000}')
	start_work
	until [ "$(coopr-queue show "$job" -o json | jq 'select(.kind == "status") | .tasks.running')" = 3 ]; do sleep 0.05; done
	kill "$work"
	until grep -q "waiting for 3 running tasks;" work.log; do sleep 0.05; done
	kill "$work"
	wait "$work"
	same "0 0 3" "$(coopr-queue show "$job" -o json | jq -r 'select(.kind == "status") | .tasks | "\(.running) \(.failed) \(.ready)"')"
}

@test "its log is the file that each task names; its standard error is the worker's" {
	stream says <<-'END'
		echo 'at your service' >&2
		while read -r task; do
			echo "$task" | jq -r '"configuring " + .machine.id' >>"$(echo "$task" | jq -r .log)"
			echo "$task" | jq -c '{kind: "result", job, task: .id, attempt, status: 0}'
		done
	END
	put says 2 1
	run -0 coopr-work --drain
	contains "$output" "at your service"
	same "configuring 00000042-1001" "$(cat "$COOPR_SPOOL"/done/*/log/t1-0.1)"
}

@test "killed under load and started again, a worker loses nothing, and no task is done twice at once" {
	job=$(put dummy 200 10 00000042 '{"fields": {"delay_ms": 2}}')
	for finished in 1 300 700 1200; do
		start_work -j 100
		until [ "$(coopr-queue show "$job" -o json | jq 'select(.kind == "status") | .tasks.done')" -ge "$finished" ]; do sleep 0.05; done
		kill -KILL "$work"
		wait "$work" || true
		run -0 coopr-queue fsck
	done
	run -0 coopr-work -j 100 --drain
	same complete "$(status "$job")"
	run -0 coopr-queue fsck
	# Between two takes of a task stands its loss.
	same "2000 0" "$(jq -rn 'reduce inputs as $e ({}; if $e.event == "take" then .[$e.task].open += 1 | .[$e.task].most |= ([., 0] | max)
		| if .[$e.task].open > 1 then .[$e.task].most = 1 else . end
		elif $e.event == "lost" or $e.event == "fail" then .[$e.task].open -= 1
		elif $e.event == "done" then .[$e.task].open -= 1 | .[$e.task].done += 1 else . end)
		| "\([.[] | select(.done == 1)] | length) \([.[] | select(.most > 0)] | length)"' "$COOPR_SPOOL"/done/*/events.ndjson)"
}
