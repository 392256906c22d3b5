#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# coopr-solve beside constraint, integer and answer set programming, the whole process each: it reads the request (a
# peer its model and data, written before), and proves its answer the best. Everyone has one thread; ratios are of
# processor time, which does not depend on what else the machine does. Environment: BENCH_LIMIT, the seconds that a
# peer may take (60): one that needs more, or more than BENCH_MEMORY megabytes (4000), counts as that limit, which
# with all peers makes half an hour, so try 5; BENCH_CASES, a pattern of the cases wanted (all).
#
# Requests: requests.py. Models and how each peer's answer is compared with ours: peers.py, models/.

set -eu
# shellcheck disable=SC1091 # checked by itself
. "$COOPR_ROOT/tests/bench/bench.bash"

# shellcheck disable=SC1091
. "$COOPR_ROOT/tests/bench/peers.bash"

# How a peer did beside our milliseconds; notes the ratio for the end: compare NAME MACHINES CPU ANSWER CASE
compare() {
	local ms cpu kb end answer note='' least=''

	read -r ms cpu kb end <<<"$(peer "$1" "$2")"
	answer=$("$bench/peers.py" answer "${1/chuffed/gecode}" request "$1.out")
	if [ "$end" = limit ] || [ "$answer" = nothing ]; then
		[ "$end" = limit ] || note=" ended without an answer after $ms ms, $((kb / 1024)) MB"
		cpu=$((limit * 1000)) least='>='
	elif [ "$answer" = some ] && [ "$4" != some ]; then
		note=' any layout'
	elif [ "$answer" != "$4" ]; then
		note=" DIFFERS: $answer, ours: $4"
		differs=1
	fi
	awk -v ours="$3" -v ms="$ms" -v cpu="$cpu" -v peer="$1" -v least="$least" -v note="$note" -v name="$5" 'BEGIN {
		printf "    %-7s %9.1f ms, %2s %7.1f of CPU  %2s %6.1f times%s\n", peer, ms, least, cpu, least, cpu / ours, note
		printf "%.6f\t%s\t%s\t%s\n", cpu / ours, peer, least, name >>"ratios"}'
}

# A case: run_case NAME MS MB MACHINES [ANSWER]; MS and MB are to be reached (MB 0: nothing is), MACHINES is 0 but where their
# number is free, and ANSWER is known.
run_case() {
	local ms cpu kb end answer p

	# shellcheck disable=SC2254 # a pattern
	case $1 in ${BENCH_CASES:-*}) ;; *) return 0 ;; esac
	read -r ms cpu kb end <<<"$(repeat -b -n 21 -p 3 -t "$limit" -i request -o coopr.out coopr-solve)"
	answer=$("$bench/peers.py" answer coopr request coopr.out)
	printf '%s\n    ours %s, %s; %s\n' "$1" "$(against_cpu "$ms" "$cpu" "$2")" \
		"$([ "$3" -gt 0 ] && against $((kb / 1024)) "$3" MB || echo "$((kb / 1024)) MB")" "$answer"
	[ "${5:-$answer}" = "$answer" ] || { echo "    WRONG: $5 is known"; differs=1; }
	for p in ${peers[@]+"${peers[@]}"}; do
		compare "$p" "$4" "$cpu" "$answer" "$1"
	done
}

# A case of requests.py: case_of NAME MS MB MACHINES FAMILY [NUMBER]...
case_of() {
	"$bench/requests.py" "${@:5}" >request
	run_case "${@:1:4}"
}

# Ours alone, over seeds, of the large case: seeds_of NAME MS MB FAMILY FIRST LAST
seeds_of() {
	local seed

	# shellcheck disable=SC2254
	case $1 in ${BENCH_CASES:-*}) ;; *) return 0 ;; esac
	for ((seed = $5; seed <= $6; seed++)); do
		"$bench/requests.py" "$4" "$seed" >request
		echo "$(repeat -b -n 3 -p 1 -t "$limit" -i request -o coopr.out coopr-solve)" \
			"$("$bench/peers.py" answer coopr request coopr.out)" "$seed"
	done >seeds
	printf '%s, seeds %d to %d\n    ours median %s; worst (seed %s) %s; %s; no proof: %d\n' "$1" "$5" "$6" \
		"$(cut -d ' ' -f 1 seeds | median | awk '{printf "%.0f ms", $1}')" \
		"$(sort -k 2g seeds | tail -n 1 | cut -d ' ' -f 6)" \
		"$(against_cpu "$(sort -g seeds | tail -n 1 | cut -d ' ' -f 1)" "$(cut -d ' ' -f 2 seeds | sort -g | tail -n 1)" "$2")" \
		"$(against "$(awk '{print int($3 / 1024)}' seeds | sort -g | tail -n 1)" "$3" MB)" \
		"$(awk '$5 == "nothing"' seeds | wc -l)"
}

# The published cases, where ../shared has them: published PREFIX
published() {
	find "$COOPR_SHARED/corpus" -name "$1*.request.json" 2>/dev/null | sed 's/\.request\.json$//' | sort
}

# How many machines suffice for N wordpress: one for each instance of the least numbers, which the rules decide.
machines_for() {
	echo $(($1 + ($1 * 2 + 2) / 3 + 2 + ($1 <= 7 ? 1 : ($1 + 2) / 3)))
}

differs=0
: >ratios
for n in 3 4 5 6; do
	for stem in $(published wordpress-n"$n"-); do
		cp "$stem.request.json" request
		run_case "$(basename "$stem")" 20 0 "$(machines_for "$n")" "cost=$(jq .cost "$stem.expect.json")"
	done
done
case_of "wordpress-n8, 100 offers" 20 0 "$(machines_for 8)" wordpress 8 100
case_of "wordpress-n12, 500 offers" 20 0 "$(machines_for 12)" wordpress 12 500
for stem in $(published openstack-); do
	cp "$stem.request.json" request
	run_case "$(basename "$stem")" 50 0 0 "cost=$(jq .machines "$stem.expect.json")"
done
case_of "openstack, 38 instances, complicated memory" 50 0 0 openstack
case_of "masters-workers-24-100" 10 0 0 masters 24 100
case_of "masters-workers-40-10000" 150 0 0 masters 40 10000
case_of "adding 3 services to a 10,000-node cluster" 300 0 0 grown 40 10000
case_of "adding 10 machines to a 10,000-node cluster" 300 0 0 wider 40 10000
case_of "F1: 200 services on 100 machines" 50 0 0 f1 200 100
case_of "F1b: 200 services, half once, one pair apart" 50 0 0 f1b 200 100
case_of "F4: deep search, 80 services on 400 machines, min 50" 50 0 0 f4 80 400 50
case_of "F4: deep search, 50 services on 400 machines, min 200" 50 0 0 f4 50 400 200
case_of "F5: unsatisfiable, 50 services on 200 machines" 50 0 0 f5 50 200
case_of "F5: unsatisfiable, 30 services on 50,000 machines" 50 0 0 f5 30 50000
case_of "F7: 190 services, each once" 50 0 0 f7 190 100
case_of "60 services in 12 groups, 6 types, 50,000 machines" 1000 300 0 groups 0
seeds_of "60 services in 12 groups, 6 types, 50,000 machines" 1000 300 groups 1 12
seeds_of "the same, for the least cost" 1000 300 cheapest 1 12
seeds_of "the same, for the least cost, on any number of machines" 1000 300 packed 1 12

[ ! -s ratios ] || awk -F '\t' '
	{ sum[$2] += log($1); n[$2]++; all += log($1) }
	NR == 1 || $1 < least { least = $1; of = $2 ", " $4 }
	$3 != "" { more[$2] = more["all"] = ">= " }
	function mean(who, sum, n) { printf "  %-7s %s%.0f times, of %d cases\n", who, more[who], exp(sum / n), n }
	END {
		print "geometric mean of the ratios (to reach: 100)"
		for (who in n) mean(who, sum[who], n[who])
		mean("all", all, NR)
		printf "least ratio (to reach: 1): %.1f (%s)\n", least, of
	}' ratios
[ "$differs" -eq 0 ] || { echo "a peer found another answer than ours" >&2; exit 1; }
