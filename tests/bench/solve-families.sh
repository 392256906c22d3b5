#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# coopr-solve and its peers on families of random requests (families.py), the whole process each, one thread, processor time. For each family
# and program: how many answers were proved within a second and within BENCH_LIMIT seconds (10), the median and the slowest, where one that
# was not proved counts as the limit; in the end the share of all. Answers that differ are told. A peer that is asked for any layout instead
# of the densest (peers.py) has the easier question; where the number of machines is free, it is told how many we found. Changes of what stands
# are asked of ours alone.
# Environment: BENCH_SEEDS, how many of each family (100); BENCH_FIRST, the first (1); BENCH_FAMILIES, which ("near triples ..."; all).

set -eu
export BENCH_LIMIT=${BENCH_LIMIT:-10}
# shellcheck disable=SC1091 # checked by themselves
. "$COOPR_ROOT/tests/bench/bench.bash"
# shellcheck disable=SC1091
. "$COOPR_ROOT/tests/bench/peers.bash"

first=${BENCH_FIRST:-1} seeds=${BENCH_SEEDS:-100} runs=1 differs=0
: >all

# Notes the end of a run: note FAMILY SEED PROGRAM MILLISECONDS END ANSWER
note() {
	local ms=$4 proved=1

	if [ "$5" = limit ] || [ "$6" = nothing ]; then
		ms=$((limit * 1000)) proved=0
	fi
	echo "$1 $3 $ms $proved $2" >>all
}

# Ours: what it answers where it is proved, else nothing.
ours() {
	local answer

	answer=$("$bench/peers.py" answer coopr request coopr.out 2>/dev/null) || answer=nothing
	jq -es 'all(.[] | select(.kind == "cluster"); .solution.status == "optimal")' coopr.out >/dev/null && echo "$answer" || echo nothing
}

# One request: run_seed FAMILY SEED
run_seed() {
	local _ cpu end answer theirs machines=0

	"$bench/families.py" "$1" "$2" >request
	read -r _ cpu _ end <<<"$(repeat -b -n 1 -p 2 -t "$limit" -i request -o coopr.out coopr-solve 2>/dev/null)"
	answer=nothing
	[ "$end" = limit ] || answer=$(ours)
	note "$1" "$2" coopr-solve "$cpu" "$end" "$answer"
	[ "$answer" = nothing ] || machines=$(jq -s 'map(select(.kind == "node")) | length' coopr.out)
	jq -e .nodes request >/dev/null && return # peers know no machines that stand
	for peer in ${peers[@]+"${peers[@]}"}; do
		read -r _ cpu _ end <<<"$(peer "$peer" "$machines")"
		theirs=$("$bench/peers.py" answer "${peer/chuffed/gecode}" request "$peer.out" 2>/dev/null) || theirs=nothing
		note "$1" "$2" "$peer" "$cpu" "$end" "$theirs"
		case $theirs:$answer in nothing:* | some:* | *:nothing | *:some | "$answer:$answer") continue ;; esac
		echo "DIFFERS: $1 $2: $peer says $theirs, ours $answer"
		differs=1
	done
}

# The figures of the lines of `all` on standard input: figures NAME
figures() {
	sort -k 3,3g | awk -v name="$1" -v limit="$limit" '
		{ms[NR] = $3; slowest = $1 " " $5; quick += $4 && $3 <= 1000; proved += $4}
		END {if (NR) printf "    %-11s proved: %5.1f %% in 1 s, %5.1f %% in %d s; median %7.1f ms, slowest %8.1f ms (%s)\n", name, 100 * quick / NR,
			100 * proved / NR, limit, NR % 2 ? ms[(NR + 1) / 2] : (ms[NR / 2] + ms[NR / 2 + 1]) / 2, ms[NR], slowest}'
}

mapfile -t families < <(tr ' ' '\n' <<<"${BENCH_FAMILIES:-$("$bench/families.py")}")
for family in "${families[@]}"; do
	echo "$family, seeds $first to $((first + seeds - 1))"
	for ((seed = first; seed < first + seeds; seed++)); do
		run_seed "$family" "$seed"
	done
	for program in coopr-solve ${peers[@]+"${peers[@]}"}; do
		grep "^$family $program " all | figures "$program"
	done
done
echo "all families"
for program in coopr-solve ${peers[@]+"${peers[@]}"}; do
	grep " $program " all | figures "$program"
done | sort -t : -k 2,2gr
exit "$differs"
