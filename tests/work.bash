# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# For tests of workers; to be loaded behind case.
#
#	work_setup               plugins of the test's own in plugins/, no worker yet
#	work_teardown            in teardown: the worker is gone
#	plugin NAME <BODY        an automator, a shell script that may use $good; it describes itself
#	stream NAME <BODY        the same for one that streams
#	plan TYPE CHAINS LENGTH [CLUSTER [TASK [HEAD]]]
#	                         CHAINS chains of LENGTH tasks, each chain on a node of its own; TASK and HEAD are merged into
#	                         each task, and into the records of job and cluster
#	put TYPE CHAINS LENGTH [CLUSTER [TASK [HEAD]]]
#	status JOB               running, complete, ...
#	start_work [OPTION]...   a worker in the background; its pid is $work, what it says is in work.log

work_setup() {
	export COOPR_PLUGINS=$PWD/plugins
	mkdir -p plugins/automator
	work=
}

work_teardown() {
	[ -z "$work" ] || kill -KILL "$work" 2>/dev/null || true
}

export good='echo "{\"kind\":\"result\",\"status\":0}"'

write_plugin() { # NAME SCHEMA
	{
		echo '#!/bin/sh'
		echo "[ \"\$1\" != describe ] || { echo '$2'; exit; }"
		cat
	} >"plugins/$1.new"
	chmod +x "plugins/$1.new"
	# One of that name may be starting just now, and could not be written over.
	mv "plugins/$1.new" "plugins/automator/$1"
}

plugin() {
	write_plugin "$1" '{}'
}

stream() {
	write_plugin "$1" '{"stream": true}'
}

plan() {
	jq -cn --arg type "$1" --argjson chains "$2" --argjson length "$3" --arg cluster "${4:-00000042}" \
		--argjson more "${5:-{\}}" --argjson head "${6:-{\}}" '
		{kind: "job", id: null, cluster: $cluster, tenant: "default", action: "cluster_configure", tasks: ($chains * $length),
			critical_path_s: $length} + ($head | del(.provider)),
		({kind: "cluster", id: $cluster, name: "shop", tenant: "default", services: ["web"], config: {}, definitions: [{name: "web"}],
			provider: {name: "none", providertype: "dummy"}} * $head),
		(range($chains) | {kind: "node", id: "\($cluster)-\(1000 + .)", nodenum: (1000 + .), hostname: "n\(.).example.net",
			services: ["web"], was: ["web"]}),
		(range($chains) as $c | range($length) as $i | {kind: "task", id: "t\($c)-\($i)", node: "\($cluster)-\(1000 + $c)",
			action: "configure", service: "web", type: $type, fields: {}, timeout_s: 60, retries: 0, expect_s: 1,
			rank: ($length - $i), after: (if $i > 0 then ["t\($c)-\($i - 1)"] else [] end)} + $more)'
}

put() {
	plan "$@" | coopr-queue put --backoff-ms 0
}

status() {
	coopr-queue show "$1" -o json | jq -r 'select(.kind == "status") | .status'
}

start_work() {
	coopr-work "$@" 2>work.log 3>&- &
	work=$!
}
