#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-queue(1): watch.

load case
load queue

teardown() {
	[ ! -e watcher ] || kill "$(cat watcher)" 2>/dev/null || true
}

# Starts a watch of all jobs, whose lines are to be read from descriptor 7; it is there when the first event of a job that is
# put until then has come: watch_all [OPTION]...
watch_all() {
	mkfifo lines
	coopr-queue watch "$@" >lines 2>errors &
	echo "$!" >watcher
	exec 7<lines
}

# The next line, in $line.
next_line() {
	read -r -t 60 line <&7
}

events_of() {
	jq -r 'if .task then "\(.event) \(.task)" else .event end' "$@"
}

@test "watch of a job prints its events, each with the job, and ends when it is finished" {
	echo 't1 a create -' | plan | coopr-queue put --job mine
	coopr-queue watch --since start -o json mine >seen &
	finish '{"status":0}'
	wait "$!"
	same 'put
take t1
done t1
finish' "$(events_of seen)"
	same mine "$(jq -r .job seen | uniq)"
	same "$(coopr-queue show --events mine | jq -c 'del(.job)')" "$(jq -c 'del(.job)' seen)"
	coopr-validate seen
}

@test "watch exits with 1 when a job named is not complete, and when there is no such job" {
	echo 't1 a create -' | plan | coopr-queue put --job mine
	finish '{"status":78,"message":"no"}'
	run -1 coopr-queue watch --since start -o text mine
	contains "${lines[-1]}" "Z finish: failed"
	run -1 coopr-queue watch none
	contains "$output" "job none: there is none"
}

@test "watch shows nothing that was before, unless --since says so" {
	echo 't1 a create -' | plan | coopr-queue put --job mine
	do_all
	same "" "$(coopr-queue watch mine)"
	same 4 "$(coopr-queue watch -o json --since start mine | wc -l)"
	same 4 "$(coopr-queue watch -o json --since 1h mine | wc -l)"
	same "" "$(coopr-queue watch --since 0s mine)"
	same 4 "$(coopr-queue watch -o json --since 2001-01-01T00:00:00Z mine | wc -l)"
	same "" "$(coopr-queue watch --since 2999-01-01T00:00:00Z mine)"
	same "" "$(coopr-queue watch --no-follow --since start)"
}

@test "watch of all jobs tells of those that come, finish, and are brought back, each event once" {
	coopr-queue gc
	watch_all --since start -o json
	echo 't1 a create -' | plan | coopr-queue put --job one
	next_line
	same '"put" "one"' "$(jq -r '"\(.event|tojson) \(.job|tojson)"' <<<"$line")"
	finish '{"status":78,"message":"no"}'
	for event in take fail finish; do
		next_line
		same "$event" "$(jq -r .event <<<"$line")"
	done
	coopr-queue retry one
	next_line
	same retry "$(jq -r .event <<<"$line")"
	echo 't1 a create -' | plan 00000043 | coopr-queue put --job two
	next_line
	same "put two" "$(jq -r '"\(.event) \(.job)"' <<<"$line")"
	do_all
	for _ in 1 2 3 4 5 6; do
		next_line
		jq -r '"\(.job) \(.event)"' <<<"$line"
	done | sort >seen
	same 'one done
one finish
one take
two done
two finish
two take' "$(cat seen)"
}

@test "watch of all tells of a job only what is new when it is brought back" {
	echo 't1 a create -' | plan | coopr-queue put --job old
	finish '{"status":78,"message":"no"}'
	watch_all -o json
	# Until it watches, what is put may have been before.
	until [ -n "${line-}" ]; do
		plan <<<'' | coopr-queue put >/dev/null
		read -r -t 0.1 line <&7 || true
	done
	coopr-queue retry old
	until [ "$(jq -r .job <<<"$line")" = old ]; do
		next_line
	done
	same retry "$(jq -r .event <<<"$line")"
}

@test "watch for people names action, service and node, who began it, how it ended and what follows" {
	echo 't1 a install:zk - {"retries":1}' | plan | coopr-queue put --job mine --backoff-ms 0
	finish '{"status":1,"message":"disk full"}'
	coopr-queue take --by joe --lease 0 >/dev/null
	coopr-queue take --by joe >third
	result_of <third | coopr-queue done
	coopr-queue watch --since start -o text mine >seen
	sed -E 's/^[^ ]+Z //; s/ in [0-9.]+ m?s//' seen >told
	contains "$(cat told)" "t1 install zk on a: started by $(id -un)"
	contains "$(cat told)" 't1 install zk on a: failed with 1: disk full; it is retried'
	contains "$(cat told)" 't1 install zk on a: started by joe, attempt 2'
	contains "$(cat told)" 't1 install zk on a: lost: its lease ran out; it is retried'
	contains "$(cat told)" 't1 install zk on a: done'
	same 'finish: complete' "$(tail -n 1 told)"
	grep -Eq 't1 install zk on a: done in [0-9]+ ms' seen
}

@test "nothing in an event can drive the terminal" {
	echo 't1 a install:zk - {"retries":0}' | plan | coopr-queue put --job mine
	finish '{"status":1,"message":"\u001b[2Jgone"}'
	run -1 coopr-queue watch --since start -o text mine
	contains "$output" 'failed with 1'
	[[ $output != *$'\e'* ]]
}

@test "watch shows only the tasks of a node, or of a service" {
	printf '%s\n' 't1 a create -' 't2 b create -' 't3 b install:zk t2' | plan | coopr-queue put --job mine
	do_all
	same 't1 t1' "$(coopr-queue watch --since start -o json -N a mine | jq -r .task | paste -sd' ')"
	same 't2 t2 t3 t3' "$(coopr-queue watch --since start -o json --node b mine | jq -r .task | paste -sd' ')"
	same 't3 t3' "$(coopr-queue watch --since start -o json -N b -N a -s zk mine | jq -r .task | paste -sd' ')"
	same '' "$(coopr-queue watch --since start -o json -N a -s zk mine)"
}

@test "watch follows a file that fsck has written anew" {
	echo 't1 a create -
t2 b create -' | plan | coopr-queue put --job mine
	finish '{"status":0}'
	coopr-queue watch --since start -o json mine >seen &
	cp spool/jobs/mine/events.ndjson copy
	mv copy spool/jobs/mine/events.ndjson
	rm spool/jobs/mine/state
	do_all
	wait "$!"
	same 'put take done take done finish' "$(jq -r .event seen | paste -sd' ')"
}

@test "watch refuses what is no time and no format" {
	run -64 coopr-queue watch --since yesterday
	run -64 coopr-queue watch --since 10x
	run -64 coopr-queue watch -o name
	run -66 coopr-queue watch --spool nowhere
}

@test "watch ends once nobody reads it any more, also where nothing happens" {
	two_nodes | coopr-queue put --job mine
	run -0 --separate-stderr bash -o pipefail -c 'coopr-queue watch --since start -o json mine | head -n 1'
	same put "$(jq -r .event <<<"$output")"
	same "" "$stderr"
}
