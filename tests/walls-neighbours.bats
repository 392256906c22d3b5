#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# A plugin that is another's now, or has been taken over, beside the tasks of a neighbour in the same worker: it signals, stops, bounds and slows
# the worker and a process of the host, and says without end. The neighbour's tasks end as they would without it, in the order of their plan.

load case
load walls

setup() {
	[[ $COOPR_BUILD != *san* ]] || skip "nothing is in force in a build for the sanitizers"
	walls_setup
	need_program prlimit renice ionice taskset ps
	own_catalogue
	for tenant in qa dev; do
		coopr-store import -q -T $tenant mine 2>/dev/null
	done
	unset COOPR_CATALOGUE COOPR_PLUGIN_WRITE
	export COOPR_PLUGINS=$PWD/plugins
	mkdir -p plugins/automator
	cat >plugins/automator/hostile <<-'END'
		#!/bin/bash
		[ "$1" = describe ] && { echo '{}'; exit; }
		cat >/dev/null
		above=$(ps -o ppid= -p $PPID)
		for pid in "$CANARY_PID" $PPID $((above)); do
			process=/proc/$pid
			for what in "kill -STOP $pid" "kill -KILL $pid" "prlimit --pid $pid --fsize=0" "prlimit --pid $pid --cpu=1" "prlimit --pid $pid --nofile=3" \
				"renice -n 19 -p $pid" "ionice -c 3 -p $pid" "taskset -p 1 $pid" "eval exec 3>$process/mem" "eval exec 3<>$process/fd/1"; do
				($what) >/dev/null 2>&1 && echo "done: $what" >&2
			done
		done
		# Whatever lock it has inherited, it gives back, and it writes where it can.
		for fd in /proc/$$/fd/*; do
			flock -u "${fd##*/}" || :
			[[ ! $(readlink "$fd") =~ /workers/ ]] || eval "echo rubbish >&${fd##*/}" || :
		done 2>/dev/null
		head -c 20000000 /dev/zero | tr '\0' x >&2
		head -c 20000000 /dev/zero | tr '\0' '\n' >&2
		echo '{"kind":"result","status":0}'
	END
	chmod 755 plugins/automator/hostile
}

teardown() {
	walls_teardown
}

@test "a plugin that attacks its worker and the host, and says without end, ends nothing of a neighbour, and changes no order there" {
	jq -cn '{name: "evil", provisioner: {actions: {install: {type: "hostile", fields: {}}}}}' | coopr-store put -q -T qa -k service -
	jq -cn '{name: "evil", defaults: {services: ["evil"], provider: "dummy", hardwaretype: "small", imagetype: "debian12", config: {}}}' |
		coopr-store put -q -T qa -k clustertemplate -
	# What the neighbour's tasks come to alone.
	coopr-create -q -T dev -t lamp -n 4 alone
	coopr-create -q --detach -T qa -t evil -n 2 evil
	coopr-create -q --detach -T dev -t lamp -n 4 beside
	coopr-work -j 2 --drain
	coopr-reconcile >/dev/null 2>&1
	for cluster in alone beside; do
		coopr-history -T dev $cluster -o json | jq -c '[.action, .status]' >"$cluster.history"
		coopr-show -T dev $cluster -o json | jq -cS 'select(.kind == "node") | .services' >"$cluster.nodes"
	done
	same "$(cat alone.history)" "$(cat beside.history)"
	same "$(cat alone.nodes)" "$(cat beside.nodes)"
	[ -s alone.nodes ]
	same '["create","complete"]' "$(cat beside.history)"
	# No task was done twice or lost, and none before what it waits for.
	find spool -name events.ndjson -exec cat {} + >events
	same "" "$(jq -c 'select(.event == "lost" or .event == "fail")' events)"
	for job in spool/done/*; do
		same "" "$(jq -rs --slurpfile events "$job/events.ndjson" '([$events[] | select(.event == "done") | {(.task): .seq}] | add) as $end |
			([$events[] | select(.event == "take") | {(.task): .seq}] | add) as $begin | .[] | select(.kind == "task") as $task |
			$task.after[]? | select($end[.] and $begin[$task.id] < $end[.]) | "\($task.id) before \(.)"' "$job/plan.ndjson")"
	done
	same "" "$(cat host/met)"
	find spool -path '*/log/*' -type f -exec cat {} + | grep -a '^done: ' >attacked || true
	same "" "$(cat attacked)"
}
