#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# coopr-plan on hadoop-distributed with base on every node, as it grows: time and memory of the whole process, how they
# grow with nodes, and what judging the plan costs. Beside it jq, which reads and prints the same plan without a thought.

set -eu
# shellcheck disable=SC1091 # checked by itself
. "$COOPR_ROOT/tests/bench/bench.bash"

# What a command needs, its output in FILE, as `repeat -b` says it: measure FILE COMMAND [ARGUMENT]...
measure() {
	repeat -b -n 5 -p 10 -o "$1" "${@:2}"
}

# One size: plan_of NODES MS MB; leaves its milliseconds of CPU in $cpu.
plan_of() {
	local ms kb end judged jq_cpu

	"$COOPR_ROOT/tests/plan/hadoop.py" "$1" >layout
	read -r ms cpu kb end <<<"$(measure /dev/null coopr-plan layout)"
	coopr-plan layout >plan
	judged=$(measure /dev/null coopr-plan --check plan)
	jq_cpu=$(measure /dev/null jq -c . plan | cut -d ' ' -f 2)
	printf '%d nodes, %d tasks: %s, %s; exit code %s\n' "$1" "$(head -n 1 plan | jq .tasks)" \
		"$(against_cpu "$ms" "$cpu" "$2")" "$(against $((kb / 1024)) "$3" MB)" "$end"
	printf '    its judge %s; peer: jq -c . of the plan %.0f ms of CPU\n' \
		"$(cut -d ' ' -f 2,3,4 <<<"$judged" | awk '{printf "%.0f ms of CPU, %d MB, exit code %d", $1, $2 / 1024, $3}')" "$jq_cpu"
}

plan_of 1000 100 300
plan_of 10000 1000 300
before=$cpu
plan_of 20000 2200 600
printf '20,000 nodes need %s the time of 10,000\n' "$(against "$(awk -v a="$cpu" -v b="$before" 'BEGIN {print a / b}')" 2.2 times)"

# Other work on the same living cluster of 10,000 nodes.
"$COOPR_ROOT/tests/plan/hadoop.py" 10000 | jq -c 'if .kind == "node" then .was = .services else . end' >living
for action in stop restart configure-with-restart delete; do
	repeat -n 3 -p 5 -l "coopr-plan $action, 10,000 nodes" coopr-plan -a "$action" living
done

# How long the plan would take, simulated with random durations, beside the least possible and Coopr's stages.
for size in 50 200 1000; do
	"$COOPR_ROOT/tests/plan/hadoop.py" "$size" | coopr-plan >plan
	for slots in 10 50; do
		for seed in 1 2 3 4 5; do
			coopr-work --simulate "$seed" -j "$slots" -e plan | "$COOPR_ROOT/tests/bench/stages.py" "$slots"
		done >rehearsals
		echo "simulated: $size nodes, $slots at a time: duration over the bound, worst of 5 seeds" \
			"$(against "$(awk '{print $1 / $2}' rehearsals | sort -g | tail -n 1)" 1.05 times);" \
			"Coopr's stages, median: $(awk '{print $3 / $2}' rehearsals | median) times"
	done
done
