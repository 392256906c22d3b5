#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-spool(5): jobs that are closed, and those that were closed while someone was stopped.

load case

# A plan of one task: plan CLUSTER
plan() {
	jq -cn --arg cluster "$1" '
		{kind: "job", id: null, cluster: $cluster, tenant: "qa", action: "cluster_create", tasks: 1, critical_path_s: 1},
		{kind: "cluster", id: $cluster, name: "kv", tenant: "qa", services: ["zk"], config: {}, definitions: [],
			provider: {name: "d", providertype: "dummy"}},
		{kind: "node", id: "n0", nodenum: 1000, hostname: "n0.example.net", services: ["zk"], was: null},
		{kind: "task", id: "t0", node: "n0", action: "create", service: null, type: "dummy", fields: {},
			timeout_s: 600, retries: 2, expect_s: 1, rank: 1, after: []}'
}

result() {
	jq -c '{kind: "result", job, task: .id, attempt, status: 0}'
}

status() {
	coopr-queue show "$1" -o json | jq -r .status
}

setup() {
	fresh
}

@test "a lease that ran out is noticed in a cancelled job too, which then is over" {
	job=$(plan 00000042 | coopr-queue put)
	coopr-queue take --lease 0 >task
	coopr-queue cancel "$job"
	same cancelling "$(status "$job")"
	run -1 coopr-queue take
	same cancelled "$(status "$job")"
}

@test "and in a paused one, whose task is then ready for when it is resumed" {
	job=$(plan 00000042 | coopr-queue put)
	coopr-queue take --lease 0 >task
	coopr-queue pause "$job"
	run -1 coopr-queue take
	same 0 "$(coopr-queue show "$job" -o json | jq .tasks.running)"
	coopr-queue resume "$job"
	coopr-queue take | result | coopr-queue done
	same complete "$(status "$job")"
}

@test "who finishes a job may be killed at any lock: the cluster's next job is taken all the same" {
	command -v strace >/dev/null || skip "needs strace"
	for n in 1 2 3 4 5 6 7 8 9 10; do
		export COOPR_SPOOL=$PWD/spool$n
		first=$(plan 00000042 | coopr-queue put)
		second=$(plan 00000042 | coopr-queue put)
		coopr-queue take | result >result
		same "$first" "$(jq -r .job result)"
		strace -qq -o /dev/null -e trace=flock -e inject=flock:signal=KILL:when="$n" coopr-queue done <result ||
			coopr-queue done <result
		timeout 20 sh -c 'until coopr-queue take >task 2>/dev/null; do sleep 0.05; done'
		same "$second" "$(jq -r .job task)"
		coopr-queue fsck
	done
}

@test "of a finished job ls, wait and show need nothing but its summary" {
	job=$(plan 00000042 | coopr-queue put)
	coopr-queue take | result | coopr-queue done
	done=spool/done/$job
	for format in json table; do
		{ coopr-queue ls -o "$format" && coopr-queue show -o "$format" "$job"; } | sed 's/[0-9]* ms$//' >"before.$format"
	done
	rm "$done/state"
	mv "$done/plan.ndjson" plan
	for format in json table; do
		{ coopr-queue ls -o "$format" && coopr-queue show -o "$format" "$job"; } | sed 's/[0-9]* ms$//' >after
		same "$(sed 's/[0-9.]* m\?s$//' "before.$format")" "$(sed 's/[0-9.]* m\?s$//' after)"
	done
	run -0 coopr-queue wait "$job"
	contains "$output" "job $job: complete: 1 task "
	run -0 coopr-queue gc
	same "" "$output"
	mv plan "$done/plan.ndjson"
	same "" "$(coopr-queue fsck)"
}

@test "a summary that was damaged, or of which there have been events since, is not believed" {
	job=$(plan 00000042 | coopr-queue put)
	coopr-queue take | result | jq -c '.status = 65' | coopr-queue done
	same failed "$(status "$job")"
	sed -i 's/"failed":1/"failed":7/' "spool/done/$job/summary"
	same 1 "$(coopr-queue ls -o json | jq .tasks.failed)"
	coopr-queue gc # makes it anew
	grep -q '"failed":1' "spool/done/$job/summary"
	coopr-queue retry "$job"
	same running "$(coopr-queue ls -o json | jq -r .status)"
	coopr-queue take | result | coopr-queue done
	same complete "$(coopr-queue ls -o json | jq -r .status)"
	grep -q '"status":"complete"' "spool/done/$job/summary"
	head -c 100 "spool/done/$job/summary" >cut && cp cut "spool/done/$job/summary"
	same complete "$(coopr-queue ls -o json | jq -r .status)"
}
