# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Plans and results for the tests of the queue; to be loaded behind case.
#
#	plan [CLUSTER [CONFIG]] <<END >FILE
#	ID NODE ACTION[:SERVICE] AFTER [JSON]       a task; AFTER: ids with commas, or -
#	ID AFTER                                    a milestone
#	END
#
# The nodes are those that the tasks name. JSON is merged into the task.

plan() {
	jq -cnR --arg cluster "${1:-00000042}" --argjson config "${2:-{\}}" '
		def after: if . == "-" then [] else split(",") end;
		[inputs | select(length > 0) | . as $line | split(" ") | . as $f |
			if length == 2 then {kind: "milestone", id: $f[0], name: $f[0], after: ($f[1] | after)}
			else ($f[2] | split(":")) as $what |
				{kind: "task", id: $f[0], node: $f[1], action: $what[0], service: $what[1], after: ($f[3] | after),
				type: "dummy", fields: {}, timeout_s: 600, retries: 2, expect_s: 1, rank: 1}
				+ (if length > 4 then ($f[4:] | join(" ") | fromjson) else {} end)
			end] as $steps |
		[$steps[] | .node // empty] | unique as $nodes |
		{kind: "job", id: null, cluster: $cluster, tenant: "qa", action: "cluster_create",
			tasks: ([$steps[] | select(.kind == "task")] | length), critical_path_s: 3},
		{kind: "cluster", id: $cluster, name: "kv", tenant: "qa", services: ["zk"], config: $config, definitions: [],
			provider: {name: "d", providertype: "dummy"}},
		($nodes | to_entries[] | {kind: "node", id: .value, nodenum: (1000 + .key), hostname: "\(.value).example.net",
			services: ["zk"], was: null}),
		$steps[]'
}

# A plan of two nodes: each is created, confirmed and gets a service; a third task waits for both.
two_nodes() {
	plan "$@" <<-'END'
		t1 a create - {"rank":5}
		t2 b create - {"rank":4}
		t3 a confirm t1 {"undo":["delete","create"]}
		t4 b confirm t2 {"undo":["delete","create"]}
		m1 t3,t4
		t5 a install:zk m1
		t6 b install:zk m1
	END
}

# The result for each take record on stdin: result_of [JSON]
result_of() {
	jq -c --argjson more "${1:-{\}}" '{kind: "result", job, task: .id, attempt, status: 0} + $more'
}

# Takes a task, with the options given, and records what became of it: finish JSON [OPTION]...
finish() {
	local result=$1

	shift
	coopr-queue take "$@" | result_of "$result" | coopr-queue done
}

# Does all that is ready until nothing is, well.
do_all() {
	while coopr-queue take --count 100 "$@" >taken 2>/dev/null; do
		result_of <taken | coopr-queue done
	done
}

# A member of a job's status: status_of JOB FILTER
status_of() {
	coopr-queue show -o json "$1" | jq -r "$2"
}

# The states of a job's tasks, "t1=done t2=ready ...".
states() {
	coopr-queue show --tasks -o json "$1" | jq -r '"\(.task)=\(.status)"' | paste -sd' '
}
