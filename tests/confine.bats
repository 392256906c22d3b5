#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# What is in force around filters and plugins, coopr-security(7). What a filter is refused is in tests/unit/confine.c.

load case

setup() {
	fresh
	[[ $COOPR_BUILD != *san* ]] || skip "nothing is in force in a build for the sanitizers"
	said=$(coopr-doctor -o json 2>/dev/null | jq -r 'select(.name == "confinement").text') || true
	[[ $said == *Landlock*"in force"* ]] || skip "the kernel has not all of it: $said"
}

# Waits until the program, which waits for its input, is confined; no more than ten seconds.
is_confined() {
	for _ in $(seq 1000); do
		[ "$(sed -n 's/^Seccomp:\s*//p' /proc/"$1"/status)" = 2 ] && grep -q '^NoNewPrivs:\s*1' /proc/"$1"/status && return
		read -r -t 0.01 <>nothing || true
	done
	return 1
}

@test "filters are confined before they read their input" {
	mkfifo input nothing
	for words in coopr-solve coopr-plan "coopr-plan --check" coopr-show "coopr-solve --check req.json -"; do
		: >req.json
		# shellcheck disable=SC2086
		$words <>input >out 2>&1 &
		is_confined $! || { echo "$words: it is not confined"; kill $!; return 1; }
		kill $!
	done
}
