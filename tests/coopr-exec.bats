#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-exec(1) with plugins of all kinds, good and bad.

load case

setup() {
	fresh
	export COOPR_PLUGINS=$PWD/plugins
	mkdir -p plugins/automator plugins/provider
}

# An automator of that name, a shell script read from stdin.
plugin() {
	{
		echo '#!/bin/sh'
		cat
	} >"plugins/automator/$1"
	chmod +x "plugins/automator/$1"
}

# A task for it, with more members: task TYPE [JSON]
task() {
	jq -cn --arg type "$1" --argjson more "${2:-{\}}" --arg log "$PWD/log" '{kind: "task", id: "t1", job: "00000042-001",
		attempt: 2, action: "install", service: "web", type: $type, fields: {a: "b"}, log: $log,
		machine: {id: "00000042-1000", nodenum: 1000, hostname: "a.example.net"}} + $more'
}

@test "reads a task, runs its automator with the action and the task, and prints the result" {
	plugin echo <<-'END'
		cat >received
		echo "$1" >action
		echo "working" >&2
		echo '{"kind":"result","status":0,"result":{"a":1},"ipaddresses":{"access_v4":"192.0.2.1"},"hostname":"b"}'
	END
	do_task echo
	same '{"attempt":2,"hostname":"b","ipaddresses":{"access_v4":"192.0.2.1"},"job":"00000042-001","kind":"result","result":{"a":1},"status":0,"stderr":"working\n","task":"t1"}' \
		"$(cat result.json)"
	same install "$(cat action)"
	same "$(jq -cS . task.json)" "$(cat received)"
}

@test "create, confirm and delete are the provider's, all else the automator's" {
	for kind in provider automator; do
		printf '#!/bin/sh\necho "{\\"kind\\":\\"result\\",\\"status\\":0,\\"result\\":{\\"by\\":\\"%s $1\\"}}"\n' $kind >plugins/$kind/both
		chmod +x plugins/$kind/both
	done
	for action in create confirm delete; do
		do_task both "{\"action\": \"$action\"}"
		same "provider $action" "$(member .result.by)"
	done
	for action in bootstrap install configure initialize start stop remove status; do
		do_task both "{\"action\": \"$action\"}"
		same "automator $action" "$(member .result.by)"
	done
}

@test "what the plugin says goes to the log and to stderr, with -q to the log only; another attempt is appended" {
	plugin says <<-'END'
		echo one >&2; echo two >&2
		echo '{"kind":"result","status":0}'
	END
	task says >task.json
	run --separate-stderr coopr-exec <task.json
	same "one
two" "$stderr"
	run --separate-stderr coopr-exec -q <task.json
	same "" "$stderr"
	same "one
two
one
two" "$(cat log)"
}

@test "the result has the last 8 KiB of a long log, whole characters of UTF-8" {
	plugin long <<-'END'
		i=0
		while [ $i -lt 3000 ]; do printf 'ä€' >&2; i=$((i + 1)); done
		printf 'bad \377 nul \000 end' >&2
		echo '{"kind":"result","status":0}'
	END
	do_task long
	same 15015 "$(wc -c <log)"
	[ "$(member .stderr | wc -c)" -le 8205 ]
	[ "$(member .stderr | wc -c)" -ge 8190 ]
	contains "$(member .stderr)" "ä€bad � nul � end"
	[[ $(member .stderr) != �* ]]
}

@test "a plugin may say that it failed, by its result, its exit code, or both" {
	plugin by-result <<<"echo '{\"kind\":\"result\",\"status\":75,\"message\":\"the cloud is full\"}'"
	do_task by-result
	same "75 the cloud is full" "$(member '"\(.status) \(.message)"')"
	plugin by-code <<<"echo '{\"kind\":\"result\",\"status\":0}'; echo why >&2; exit 3"
	do_task by-code
	same 3 "$(member .status)"
	same "automator/by-code exited with 3; the last line of its log: why" "$(member .message)"
	plugin by-code <<<"echo 'automator/by-code: why' >&2; exit 3"
	do_task by-code
	same "automator/by-code exited with 3 and printed no result; the last line of its log: why" "$(member .message)"
	plugin both <<<"echo '{\"kind\":\"result\",\"status\":77,\"message\":\"no\"}'; exit 1"
	do_task both
	same "77 no" "$(member '"\(.status) \(.message)"')"
	plugin neither <<<"echo '{\"kind\":\"result\"}'; exit 4"
	do_task neither
	same 4 "$(member .status)"
	plugin silent <<<"echo 'no such region' >&2; exit 65"
	do_task silent
	same 65 "$(member .status)"
	contains "$(member .message)" "no such region"
}

@test "a missing plugin is a permanent failure that says where plugins are looked for, and tells no path" {
	do_task absent
	same 78 "$(member .status)"
	contains "$(member .message)" 'there is no automator "absent"'
	contains "$(member .message)" "in the folders of COOPR_PLUGINS"
}

@test "a plugin that is not executable, or that cannot be run, is a permanent failure" {
	plugin file </dev/null
	chmod -x plugins/automator/file
	do_task file
	same 78 "$(member .status)"
	contains "$(member .message)" 'automator "file": its file is not executable'
	echo '#!/no/such/interpreter' >plugins/automator/broken
	chmod +x plugins/automator/broken
	do_task broken
	same 78 "$(member .status)"
	contains "$(member .message)" "plugins/automator/broken: cannot be run"
}

@test "a plugin that prints nothing, garbage, two results or too much breaks its contract: 70, and what it printed" {
	plugin nothing </dev/null
	do_task nothing
	same "70 automator/nothing printed no result" "$(member '"\(.status) \(.message)"')"
	plugin garbage <<<"echo hello world"
	do_task garbage
	same '70 automator/garbage printed something that is not a result: "hello world"' "$(member '"\(.status) \(.message)"')"
	plugin truncated <<<"printf '{\"kind\":\"result\",\"status\":'"
	do_task truncated
	same 70 "$(member .status)"
	plugin other <<<"echo '{\"kind\":\"task\",\"status\":0}'"
	do_task other
	contains "$(member .message)" "is not a result"
	plugin twice <<<"echo '{\"kind\":\"result\",\"status\":0}'; echo '{\"kind\":\"result\",\"status\":0}'"
	do_task twice
	same 70 "$(member .status)"
	contains "$(member .message)" "automator/twice printed more than one result"
	plugin much <<<"head -c 3000000 /dev/zero | tr '\\0' ' '; echo '{\"kind\":\"result\",\"status\":0}'"
	do_task much
	same 70 "$(member .status)"
	contains "$(member .message)" "at most 1048576 are taken"
	plugin wrong <<<"echo '{\"kind\":\"result\",\"status\":0,\"ipaddresses\":[]}'"
	do_task wrong
	same 70 "$(member .status)"
	contains "$(member .message)" "/ipaddresses: expected object, found array"
	for value in [] '"x"' 1e9999 {} null; do
		plugin status <<<"echo '{\"kind\":\"result\",\"status\":$value}'; exit 2"
		do_task status
		[ "$(member .status)" -ne 0 ]
	done
}

@test "a plugin that is killed by a signal has failed with 128 + signal" {
	plugin killed <<<'kill -KILL $$'
	do_task killed
	same "137 automator/killed was killed by signal 9 (Killed)" "$(member '"\(.status) \(.message)"')"
}

@test "a task that takes too long has its process group ended, by SIGKILL if it must be" {
	plugin slow <<-'END'
		trap '' TERM
		sh -c 'trap "" TERM; echo $$ >child; while :; do sleep 100; done' &
		while :; do sleep 100; done
	END
	do_task slow '{"timeout_s": 1}'
	same "124 timed out: automator/slow was ended after 1 s" "$(member '"\(.status) \(.message)"')"
	until [ ! -e "/proc/$(cat child)" ]; do sleep 0.05; done
}

@test "SIGTERM, SIGINT and SIGHUP end the plugin's group, and the result says that it is temporary" {
	plugin waits <<-'END'
		sleep 1000 &
		echo $! >child
		echo >go
		wait
	END
	mkfifo go
	for signal in TERM INT HUP; do
		task waits | coopr-exec -q >result.json 3>&- &
		read -r _ <go
		kill -$signal $!
		wait $!
		same "75 stopped: SIG$signal came" "$(member '"\(.status) \(.message)"')"
		until [ ! -e "/proc/$(cat child)" ]; do sleep 0.05; done
	done
}

@test "a plugin does not outlive coopr-exec: not when it is killed, not when nobody reads its result" {
	plugin waits <<-'END'
		echo $$ >pid
		echo >go
		exec sleep 1000
	END
	mkfifo go
	task waits >task.json
	coopr-exec -q <task.json >result.json 3>&- &
	read -r _ <go
	kill -KILL $!
	wait $! || true
	until [ ! -e "/proc/$(cat pid)" ]; do sleep 0.05; done
	coopr-exec -q <task.json 3>&- | { read -r _ <go; }
	until [ ! -e "/proc/$(cat pid)" ]; do sleep 0.05; done
}

@test "something left in the background is not waited for" {
	plugin leaves <<-'END'
		sleep 1000 &
		echo $! >child
		echo '{"kind":"result","status":0}'
	END
	do_task leaves
	same 0 "$(member .status)"
	kill "$(cat child)"
}

@test "a plugin holds the lock of its worker, which coopr-exec has inherited" {
	plugin descriptors <<-'END'
		ls -l /proc/self/fd | grep -c /dev/zero >&2
		echo '{"kind":"result","status":0}'
	END
	exec 8</dev/zero
	do_task descriptors
	exec 8<&-
	same 1 "$(member .stderr)"
}

@test "--dry-run shows what would be run and runs nothing" {
	plugin echo <<<"touch ran"
	run -0 bash -c "$(declare -f task); task echo | coopr-exec --dry-run"
	same "{\"argv\":[\"$PWD/plugins/automator/echo\",\"install\"],\"kind\":\"command\",\"log\":\"$PWD/log\",\"task\":\"t1\",\"timeout_s\":1800}" "$output"
	[ ! -e ran ]
	run -78 bash -c "$(declare -f task); task absent | coopr-exec --dry-run"
}

@test "input that is no task is refused: 65, and 66 where there is none" {
	run -66 coopr-exec </dev/null
	same "coopr-exec: standard input: there is no task" "$output"
	run -65 coopr-exec <<<'hello'
	run -65 coopr-exec <<<'{"kind":"node"}'
	contains "$output" 'expected a task as coopr-queue take prints it, found kind "node"'
	run -65 coopr-exec <<<'{"kind":"task","id":17,"action":"dance","type":"../x","timeout_s":-1}'
	contains "$output" "/id: "
	contains "$output" '/action: "dance" is not an action'
	contains "$output" "/type: "
	contains "$output" "/timeout_s: "
	task echo >task.json
	run -65 coopr-exec <<<"$(cat task.json task.json)"
	contains "$output" "one task is done at a time"
	run -65 coopr-exec <<<"$(head -c 100 task.json)"
	head -c 300000 /dev/zero | tr '\0' '[' >deep
	run -65 coopr-exec <deep
	[ ! -e result.json ]
}

@test "a log that cannot be opened is refused: 73; a result that cannot be printed is an error: 74" {
	plugin good <<<"echo '{\"kind\":\"result\",\"status\":0}'"
	task good '{"log": "/no/such/folder/log"}' >task.json
	run -73 coopr-exec <task.json
	contains "$output" "/no/such/folder/log"
	task good >task.json
	run -74 bash -c 'coopr-exec <task.json >/dev/full'
	task good '{"log": "/dev/full"}' >task.json
	plugin good <<<"echo hello >&2; echo '{\"kind\":\"result\",\"status\":0}'"
	run --separate-stderr coopr-exec -q <task.json
	same 0 "$status"
	contains "$stderr" "/dev/full: No space left on device; make room on /dev; what follows is not kept"
}

@test "the same task gives the same bytes" {
	plugin same <<<"cat >/dev/null; echo said >&2; echo '{\"status\":0,\"kind\":\"result\",\"result\":{\"b\":1,\"a\":2}}'"
	do_task same
	cp result.json first.json
	do_task same
	cmp first.json result.json
}

@test "the example plugin of coopr-plugins(7) works" {
	need_program curl python3
	awk '/^#!\/bin\/sh/{on=1} /^\.Ed/{on=0} on' "$COOPR_ROOT/man/man7/coopr-plugins.7" | sed 's/\\e/\\/g; s/^\\&//' >plugins/automator/ask
	chmod +x plugins/automator/ask
	run -0 plugins/automator/ask describe
	contains "$output" '"url"'
	do_task ask '{"fields": {"url": "http://127.0.0.1:1/"}}'
	same "75 http://127.0.0.1:1/: no answer" "$(member '"\(.status) \(.message)"')"
}

@test "the log of an attempt that says without end has its beginning and its end, and says what is left out" {
	plugin chatter <<-'END'
		echo "the beginning" >&2
		head -c 300000000 /dev/zero | tr '\0' x | fold -w 99 >&2
		printf '\nthe end\n' >&2
		exit 3
	END
	do_task chatter
	[ "$(stat -c %s log)" -lt 8000000 ]
	[ "$(stat -c %s log)" -gt 7000000 ]
	same "the beginning" "$(head -n 1 log)"
	same "the end" "$(tail -n 1 log)"
	grep -q '^\[coopr: the log is long; of what follows, the last 1024 KiB are added when the attempt ends\]$' log
	grep -qE '^\[coopr: [0-9]+ bytes are left out here\]$' log
}

@test "where the logs of a job are large already, less is kept of each" {
	plugin chatter <<-'END'
		head -c 3000000 /dev/zero | tr '\0' x | fold -w 99 >&2
		printf '\nthe end\n' >&2
	END
	truncate -s 300M other
	do_task chatter
	[ "$(stat -c %s log)" -lt 140000 ]
	same "the end" "$(tail -n 1 log)"
}
