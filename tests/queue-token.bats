#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Tokens: what is the same thing has the same one, however often it is tried, and nothing else has.

load case

@test "each round of what undoes a task has a token of its own, also after a retry" {
	jq -cn '
		{kind: "job", id: null, cluster: "00000042", tenant: "qa", action: "cluster_create", tasks: 1, critical_path_s: 1},
		{kind: "cluster", id: "00000042", name: "kv", tenant: "qa", services: [], config: {}, definitions: [],
			provider: {name: "d", providertype: "dummy"}},
		{kind: "node", id: "n0", nodenum: 1000, hostname: "n0.example.net", services: [], was: null},
		{kind: "task", id: "t0", node: "n0", action: "confirm", service: null, type: "dummy", fields: {}, timeout_s: 60,
			retries: 1, expect_s: 1, rank: 1, after: [], undo: ["delete", "create"]}' >plan
	job=$(coopr-queue put --backoff-ms 0 plan)
	for status in 1 0 1 0 1; do
		coopr-queue take >task
		jq -r '"\(.action) \(.token)"' task >>seen
		jq -c --argjson status "$status" '{kind: "result", job, task: .id, attempt, status: $status}' task | coopr-queue done
	done
	same failed "$(coopr-queue show -o json "$job" | jq -r .status)"
	coopr-queue retry "$job"
	for status in 1 0; do
		coopr-queue take >task
		jq -r '"\(.action) \(.token)"' task >>seen
		jq -c --argjson status "$status" '{kind: "result", job, task: .id, attempt, status: $status}' task | coopr-queue done
	done
	coopr-queue take | jq -r '"\(.action) \(.token)"' >>seen
	cat seen
	same "confirm $job:t0
delete $job:t0:1
create $job:t0:1
create $job:t0:1
confirm $job:t0
confirm $job:t0
delete $job:t0:2
create $job:t0:2" "$(cat seen)"
}
