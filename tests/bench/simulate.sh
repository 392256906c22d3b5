#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# coopr-work --simulate: how near the order in which tasks are taken comes to what no order can beat, on random plans, with the
# original's stages beside it; and how long a simulation takes at the size of a large site.

set -eu

for slots in 10 20 50; do
	"$COOPR_ROOT/tests/bench/simulate.py" 50 "$slots" 1
done

for nodes in 100 10000; do
	"$COOPR_ROOT/tests/plan/hadoop.py" "$nodes" | coopr-plan >plan
	command time -f '%U %M' -o took coopr-work --simulate 7 -j 1000 -o json plan >rehearsal
	read -r seconds kilobytes <took
	jq -r --arg s "$seconds" --arg k "$kilobytes" '"\(.tasks.total) tasks on 1000 slots: \($s) s of a processor, " +
		"\(($k | tonumber) / 1024 | floor) MB; duration \(.makespan_s / .bound_s * 1000 | round / 1000) of the bound"' rehearsal
done
