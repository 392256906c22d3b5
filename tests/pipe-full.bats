#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# A reader that does not read, and then goes away: who writes to it waits, holds up nobody else meanwhile, and ends when it is gone.

load case
load work

setup() {
	fresh
	need_program jq
	work_setup
	mkfifo pipe
	exec 8<>pipe
}

teardown() {
	exec 8>&-
	work_teardown
}

# The command in the background, its stdout a pipe that is full; $writer is its pid.
write_to_full() {
	"$@" >pipe 2>said 3>&- 8>&- &
	writer=$!
	is_held_up
}

is_held_up() {
	until grep -q '^State:.*[SZ]' "/proc/$writer/status" && grep -q pipe_write "/proc/$writer/wchan"; do
		kill -0 "$writer"
		sleep 0.05
	done
}

# Nobody has the pipe open any more; $code is the writer's exit code.
reader_goes() {
	code=0
	exec 8>&-
	wait "$writer" || code=$?
}

@test "take: while its reader does not read others go on, and when the reader goes the tasks are ready again" {
	job=$(put dummy 300 1)
	write_to_full coopr-queue take --count 300 --lease 600
	same 300 "$(coopr-queue show -o json "$job" | jq .tasks.running)"
	coopr-queue pause "$job"
	coopr-queue resume "$job"
	other=$(put dummy 1 1 00000043)
	coopr-queue take --job "$other" >/dev/null
	reader_goes
	same 74 "$code"
	contains "$(<said)" "Broken pipe"
	same "0 300" "$(coopr-queue show -o json "$job" | jq -r '"\(.tasks.running) \(.tasks.ready)"')"
}

@test "show: while its reader does not read the job goes on" {
	job=$(put dummy 1500 1)
	write_to_full coopr-queue show --tasks -o json "$job"
	coopr-queue take --count 1500 | jq -c '{kind: "result", job, task: .id, attempt, status: 0}' >results
	coopr-queue "done" results
	same complete "$(status "$job")"
	reader_goes
	same "0 " "$code $(<said)"
}

@test "watch: while its reader does not read the job goes on, and it ends with its reader" {
	job=$(put dummy 1500 1)
	coopr-queue take --count 1500 | jq -c '{kind: "result", job, task: .id, attempt, status: 0}' >results
	coopr-queue watch -o json --since start "$job" >pipe 2>said 3>&- 8>&- &
	writer=$!
	coopr-queue "done" results
	is_held_up
	same complete "$(status "$job")"
	reader_goes
	same "0 " "$code $(<said)"
}

@test "coopr-exec: a task whose output nobody reads ends at its timeout, and its log is whole" {
	plugin noisy <<<'while :; do echo "a line that nobody will read, and another one after it" >&2; done'
	job=$(put noisy 1 1 00000042 '{"timeout_s": 1}')
	coopr-queue take >task
	timeout 60 coopr-exec <task 2>pipe >result 3>&-
	same 124 "$(jq .status result)"
	[ "$(wc -c <"$(jq -r .log task)")" -gt 65536 ]
}
