#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Many at once: LOAD processes (default 20) on one spool, LOAD_JOBS jobs (default 40).

load case
load queue

setup() {
	fresh
	load=${LOAD:-20}
	jobs=${LOAD_JOBS:-40}
}

# Takes and finishes until every job is finished; each take goes to a file of its own.
hammer() {
	local task=taken.$1.

	for ((i = 0; ; i++)); do
		if coopr-queue take --lease 600 >"$task$i" 2>/dev/null; then
			result_of <"$task$i" | coopr-queue "done" || return
		elif [ -z "$(coopr-queue ls --active -o name)" ]; then
			return
		fi
	done
}

@test "many who take and finish at once: each task is done once, and none of them waits for ever" {
	two_nodes >plan
	for ((j = 0; j < 5; j++)); do coopr-queue put plan; done
	pids=()
	for ((n = 0; n < load; n++)); do
		hammer "$n" 3>&- &
		pids+=($!)
	done
	for pid in "${pids[@]}"; do wait "$pid"; done
	same "5 complete" "$(coopr-queue ls -o json | jq -r .status | sort | uniq -c | sed 's/^ *//')"
	same 30 "$(cat taken.* | wc -l)"
	same 30 "$(cat taken.* | jq -r '"\(.job) \(.id)"' | sort -u | wc -l)"
	same "" "$(coopr-queue limit -o json | jq -r 'select(.running > 0)')"
	coopr-queue fsck
}

@test "many jobs at once: all are put, all are served, and the limits hold" {
	two_nodes XXXXXXXX >plan
	coopr-queue limit --total 50
	for part in 0 1 2 3; do
		for ((j = part; j < jobs; j += 4)); do
			sed "s/XXXXXXXX/c$j/; s/\"tenant\":\"qa\"/\"tenant\":\"t$((j % 7))\"/" plan | coopr-queue put >/dev/null || return
		done 3>&- &
	done
	wait
	while coopr-queue take --count 1000 >taken; do
		[ "$(wc -l <taken)" -le 50 ]
		result_of <taken | coopr-queue "done"
	done
	same "$jobs complete" "$(coopr-queue ls -o json | jq -r .status | sort | uniq -c | sed 's/^ *//')"
	coopr-queue fsck
}
