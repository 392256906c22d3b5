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
		timeout 20 sh -c 'until coopr-queue take >task 2>/dev/null; do :; done'
		same "$second" "$(jq -r .job task)"
		coopr-queue fsck
	done
}
