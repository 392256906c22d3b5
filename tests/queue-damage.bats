#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-spool(5), what is damaged: it is said, it is mended where it can be, and nothing else suffers from it.

load case

# A plan of COUNT tasks on as many nodes: plan CLUSTER COUNT [TASK]
plan() {
	jq -cn --arg cluster "$1" --argjson count "$2" --argjson more "${3:-{\}}" '
		{kind: "job", id: null, cluster: $cluster, tenant: "qa", action: "cluster_create", tasks: $count, critical_path_s: 1},
		{kind: "cluster", id: $cluster, name: "kv", tenant: "qa", services: ["zk"], config: {}, definitions: [],
			provider: {name: "d", providertype: "dummy"}},
		(range($count) | {kind: "node", id: "n\(.)", nodenum: (1000 + .), hostname: "n\(.).example.net", services: ["zk"],
			was: null}),
		(range($count) | {kind: "task", id: "t\(.)", node: "n\(.)", action: "create", service: null, type: "dummy", fields: {},
			timeout_s: 600, retries: 2, expect_s: 1, rank: ($count - .), after: []} + $more)'
}

put() {
	plan "$@" | coopr-queue put --backoff-ms 0
}

result_of() {
	jq -c --argjson more "${1:-{\}}" '{kind: "result", job, task: .id, attempt, status: 0} + $more'
}

# Turns an event in the middle of a job's events, which was on disk, into something that is none.
damage() {
	sed -i '2s/^{/}/' "spool/jobs/$1/events.ndjson"
}

# A program that waits for itself would wait for ever.
fsck() {
	timeout 60 coopr-queue fsck "$@"
}

@test "fsck --repair cuts off what cannot be read, keeps it, and the tasks behind it are ready again" {
	job=$(put 00000042 3)
	coopr-queue take | result_of | coopr-queue done
	coopr-queue take >/dev/null
	damage "$job"
	run -1 fsck
	contains "$output" "job $job: "
	[[ $output != *mended* ]]
	run -1 fsck --repair "$job"
	contains "$output" "(repaired)"
	[ -s "spool/jobs/$job/events.damaged" ]
	run -0 fsck
	same "" "$output"
	same t0,t1,t2 "$(coopr-queue take --count 9 | jq -r .id | paste -sd,)"
}

@test "fsck --repair mends an event that was damaged while state is as it was" {
	job=$(put 00000042 2)
	coopr-queue take | result_of | coopr-queue done
	# Of the same length: nothing shows it but reading all of it.
	size=$(stat -c %s "spool/jobs/$job/events.ndjson")
	damage "$job"
	same "$size" "$(stat -c %s "spool/jobs/$job/events.ndjson")"
	run -1 fsck --repair
	contains "$output" "(repaired)"
	run -0 fsck
}

@test "fsck --repair writes events anew that the disk refused once, as the message says" {
	job=$(put 00000042 2)
	run -74 env ASAN_OPTIONS="$ASAN_OPTIONS:detect_leaks=0" strace -o trace -e trace=fdatasync \
		-e inject=fdatasync:error=EIO coopr-queue take
	contains "$output" "job $job: events.ndjson could not be brought to disk"
	run -74 coopr-queue take
	contains "$output" "coopr-queue fsck --repair $job writes it anew"
	run -1 fsck --repair "$job"
	contains "$output" "$job: events.ndjson: the disk failed to write it once"
	contains "$output" "(repaired)"
	run -0 fsck
	run -0 coopr-queue take
}

@test "fsck --repair does not say mended of what it cannot mend" {
	job=$(put 00000042 2)
	sed -i '$s/"after":\[\]/"after":["t9"]/' "spool/jobs/$job/plan.ndjson"
	rm "spool/jobs/$job/state"
	run -1 fsck --repair
	contains "$output" "$job"
	[[ $output != *mended* ]]
}

@test "a damaged job holds up no other: take, done and ls go on, and say it" {
	bad=$(put 00000042 3)
	coopr-queue take --job "$bad" | result_of | coopr-queue done
	coopr-queue take --job "$bad" >/dev/null
	good=$(put 00000043 2)
	damage "$bad"
	rm "spool/jobs/$bad/state"
	run -0 --separate-stderr coopr-queue take --count 9
	same 2 "${#lines[@]}"
	contains "$stderr" "job $bad: "
	contains "$stderr" "coopr-queue fsck $bad"
	result_of <<<"$output" | coopr-queue done
	run -65 --separate-stderr coopr-queue take
	same "" "$output"
	contains "$stderr" "job $bad: "
	run -65 --separate-stderr coopr-queue ls -o name
	same "$good" "$output"
	contains "$stderr" "job $bad: "
}

@test "a worker serves the other jobs, tells of the damaged one, and ends with its code" {
	bad=$(put 00000042 2)
	coopr-queue take | result_of | coopr-queue done
	coopr-queue take >/dev/null
	good=$(put 00000043 3)
	damage "$bad"
	rm "spool/jobs/$bad/state"
	run -65 timeout 120 coopr-work --drain
	contains "$output" "job $bad: "
	same complete "$(coopr-queue show -o json "$good" | jq -r .status)"
}

@test "what a dead worker held in other jobs is given to others, whatever is damaged" {
	bad=$(put 00000042 2)
	coopr-queue take | result_of | coopr-queue done
	good=$(put 00000043 1)
	exec 9>spool/workers/dead-1
	flock 9
	coopr-queue take --count 2 --worker dead-1 >taken
	exec 9>&-
	same 2 "$(wc -l <taken)"
	damage "$bad"
	rm "spool/jobs/$bad/state"
	run -65 coopr-queue gc
	contains "$output" "job $bad: "
	run -0 --separate-stderr coopr-queue take --job "$good"
	same 2 "$(jq .attempt <<<"$output")"
}

@test "gc removes what it can, and says what it cannot" {
	bad=$(put 00000042 1)
	good=$(put 00000043 1)
	coopr-queue take --count 2 | result_of | coopr-queue done
	[ -d "spool/done/$bad" ]
	sed -i '2s/^{/}/' "spool/done/$bad/events.ndjson"
	rm "spool/done/$bad/state" "spool/done/$bad/summary"
	run -65 --separate-stderr coopr-queue gc --keep 2147483647
	same "" "$output"
	run -65 --separate-stderr coopr-queue gc --keep 0
	same "$good" "$output"
	contains "$stderr" "job $bad: "
}

@test "fsck --repair brings back an unfinished job that stands in done/" {
	job=$(put 00000042 2)
	mv "spool/jobs/$job" spool/done/
	run -1 fsck
	contains "$output" "$job: in done/, but not finished"
	# It is locked, and on the disk there.
	run -1 env ASAN_OPTIONS="$ASAN_OPTIONS:detect_leaks=0" strace -y -o trace -e trace=fsync coopr-queue fsck --repair "$job"
	contains "$output" "(repaired)"
	grep -q 'fsync(.*spool/jobs>' trace
	run -0 fsck
	same 2 "$(coopr-queue take --count 9 | wc -l)"
}

@test "fsck --repair gives a job its slot on the board, which stays the same" {
	other=$(put 00000043 1)
	cp spool/board board
	job=$(put 00000042 2)
	inode=$(stat -c %i spool/board)
	cat board >spool/board
	run -1 fsck
	same "board: job $job is missing" "$output"
	run -1 fsck --repair
	contains "$output" "(repaired)"
	same "$inode" "$(stat -c %i spool/board)"
	run -0 fsck
	same 3 "$(coopr-queue take --count 9 | wc -l)"
}

@test "an operand too many is named, with what it was meant for" {
	run -64 coopr-queue take 00000042-001
	contains "$output" "found '00000042-001'; a job is named with --job"
	run -64 coopr-queue gc 00000042-001
	contains "$output" "found '00000042-001'"
	run -64 coopr-queue ls 00000042-001
	contains "$output" "see: coopr-queue show 00000042-001"
	run -64 coopr-queue show 00000042-001 00000042-002
	contains "$output" "found also '00000042-002'"
}

@test "a disk that fails is named with its file" {
	put 00000042 1
	run -74 env ASAN_OPTIONS="$ASAN_OPTIONS:detect_leaks=0" strace -o trace -e trace=pwrite64 \
		-e inject=pwrite64:error=EIO:when=1 coopr-queue put <(plan 00000042 1)
	contains "$output" "spool/numbers/00000042: Input/output error"
}

@test "a node record that was damaged is made anew before it is believed: for who takes a task, and for the layout" {
	job=$(put 00000042 3)
	coopr-queue take | result_of '{"ipaddresses": {"access_v4": "203.0.113.1"}}' | coopr-queue done
	coopr-queue show --layout "$job" >layout
	nodes=spool/jobs/$job/nodes.ndjson
	for _ in 1 2; do
		# Of the same length, and still records of nodes.
		sed -i 's/203\.0\.113\.1/203.0.113.7/; s/n1\.example\.net/n6.example.net/' "$nodes"
		same "$(<layout)" "$(coopr-queue show --layout "$job")"
	done
	sed -i 's/n1\.example\.net/n6.example.net/' "$nodes"
	run -1 fsck
	same "$job: nodes.ndjson: does not match the plan and the events" "$output"
	same n1.example.net "$(coopr-queue take | jq -r .machine.hostname)"
	run -0 fsck
	sed -i 's/203\.0\.113\.1/203.0.113.7/' "$nodes"
	run -1 fsck --repair
	contains "$output" "(repaired)"
	coopr-queue take >/dev/null
	grep -q 203.0.113.1 "$nodes"
}

@test "what tasks are told of the cluster is made anew where it was damaged" {
	plan 00000042 2 '{"action": "install", "service": "zk"}' | jq -c 'if .kind == "cluster" then .config = {color: "green"} else . end' |
		coopr-queue put
	same green "$(coopr-queue take | jq -r .cluster.config.color)"
	sed -i 's/green/black/' spool/jobs/00000042-001/setting.*
	same green "$(coopr-queue take | jq -r .cluster.config.color)"
}
