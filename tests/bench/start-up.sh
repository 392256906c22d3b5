#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What it costs to start each filter, beside the floor (fork, exec and the C library) and a peer that also starts
# with libjq. The promise is 5 ms.

set -eu

repeat -n 200 -l "floor: true" /bin/true
repeat -n 100 -l "peer: jq -n 1" jq -n 1
for program in "$COOPR_ROOT"/bin/coopr "$COOPR_ROOT"/bin/coopr-*; do
	case $program in
	*.c) ;;
	*) repeat -n 100 -l "${program##*/} --version" "${program##*/}" --version ;;
	esac
done

# The same with something small to do.
if coopr-request -C "$COOPR_ROOT/share/coopr/catalogue" -t web -n 4 --name shop >request 2>/dev/null; then
	repeat -i /dev/null -l "coopr-request, 4 nodes" coopr-request -C "$COOPR_ROOT/share/coopr/catalogue" -t web -n 4 --name shop
	repeat -i request -l "coopr-solve, 4 nodes" coopr-solve
	coopr-solve <request >layout
	repeat -i layout -l "coopr-plan, 4 nodes" coopr-plan
	repeat -i layout -l "coopr-show, 4 nodes" coopr-show
	repeat -i request -l "peer: jq -c . of the request" jq -c .
fi
