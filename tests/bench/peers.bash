# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# The peers of coopr-solve that are here, in peers; how one is run on the file request: see peer. Read bench.bash before. Environment:
# BENCH_LIMIT, the seconds that a peer may take (60), BENCH_MEMORY, the megabytes (4000).

bench=$COOPR_ROOT/tests/bench
limit=${BENCH_LIMIT:-60}
memory=${BENCH_MEMORY:-4000}

peers=()
! has minizinc "minizinc flatzinc" || peers+=(gecode)
if command -v minizinc >/dev/null && minizinc --solvers | grep -q chuffed; then
	peers+=(chuffed)
else
	echo "skipped: Chuffed: not among minizinc --solvers, and no package of Debian's has it"
fi
! has clingo gringo || peers+=(clingo)
! has cbc coinor-cbc || peers+=(cbc)
versions minizinc flatzinc gringo coinor-cbc

# A peer on the request, as `repeat -b` says it: peer NAME MACHINES
peer() {
	local command goal

	goal=$("$bench/peers.py" goal "$1" request)
	case $1 in
	gecode | chuffed)
		"$bench/peers.py" gecode request "$2" >data.dzn
		command=(minizinc --solver "$1" "$bench/models/$goal.mzn" data.dzn)
		;;
	clingo)
		"$bench/peers.py" clingo request "$2" >facts.lp
		command=(clingo -Wnone)
		[ "$goal" != dense ] || command+=(--heuristic=Domain)
		command+=("$bench/models/layout.lp" "$bench/models/$goal.lp" facts.lp)
		;;
	cbc)
		"$bench/peers.py" cbc request "$2" >program.lp
		command=(cbc program.lp -solve)
		;;
	esac
	repeat -b -n "${runs:-3}" -p 2 -t "$limit" -m "$memory" -o "$1.out" "${command[@]}" 2>/dev/null
}
