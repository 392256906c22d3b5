#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-resource(1) killed at any call: each version is whole or not there, and a sync has happened or has not.

load case

HELLO=automator/shell/scripts/hello.sh
MOTD=automator/shell/files/motd

setup() {
	fresh
	export COOPR_STORE=$PWD/store
	unset COOPR_USER SUDO_USER
	make_shim
	coopr-store init
}

# The command under the shim, killed at its call number $1; fails where it was not reached.
killed_at() {
	local at=$1 code=0

	shift
	ASAN_OPTIONS=${ASAN_OPTIONS:-}:verify_asan_link_order=0 LD_PRELOAD=$PWD/shim.so CRASH_NO_SYNC=1 CRASH_AT=$at "$@" >/dev/null 2>&1 || code=$?
	[ "$code" -ne 0 ]
}

# Each version that is recorded can be read whole; of each resource at most one is active, at most one is staged.
is_whole() {
	local version sum

	coopr-resource list -o json | jq -r '"\(.plugin)/\(.type)/\(.name)@\(.version) \(.sum)"' >versions
	while read -r version sum; do
		same "$sum" "$(coopr-resource get "$version" | sha256sum | cut -d ' ' -f 1)"
	done <versions
	coopr-store fsck
}

states() {
	coopr-resource list -o json | jq -r '"\(.name)@\(.version) \(.state)"' | paste -sd' '
}

@test "an upload that is killed at any call leaves a whole version or none, and the same upload makes it" {
	for ((at = 1; at < 400; at += ${CRASH_STEP:-3})); do
		head -c 5000 /dev/urandom >text
		before=$(coopr-resource list -o json | wc -l)
		killed_at "$at" coopr-resource upload "$HELLO" text || break
		is_whole
		coopr-resource upload -q "$HELLO" text
		same $((before + 1)) "$(coopr-resource list -o json | wc -l)"
		cmp text <(coopr-resource get "$HELLO@$((before + 1))")
	done
	[ "$at" -gt 5 ] && [ "$at" -lt 400 ]
	is_whole
}

@test "a stage and a sync that are killed at any call have happened as a whole, or not at all" {
	for n in 1 2; do
		echo "$n" | coopr-resource upload -q "$HELLO" -
		echo "$n" | coopr-resource upload -q "$MOTD" -
	done
	coopr-resource stage -q "$HELLO@1" "$MOTD@1"
	coopr-resource sync -q
	first="motd@1 active motd@2 inactive hello.sh@1 active hello.sh@2 inactive"
	staged="motd@1 recalled motd@2 staged hello.sh@1 recalled hello.sh@2 staged"
	second="motd@1 inactive motd@2 active hello.sh@1 inactive hello.sh@2 active"
	for ((at = 1; at < 400; at += ${CRASH_STEP:-3})); do
		killed_at "$at" coopr-resource stage "$HELLO@2" "$MOTD@2" || break
		now=$(states)
		[ "$now" = "$first" ] || [ "$now" = "$staged" ]
		coopr-resource stage -q "$HELLO@1" "$MOTD@1"
		same "$first" "$(states)"
	done
	[ "$at" -gt 5 ] && [ "$at" -lt 400 ]
	for ((at = 1; at < 400; at += ${CRASH_STEP:-3})); do
		coopr-resource stage -q "$HELLO@2" "$MOTD@2"
		killed_at "$at" coopr-resource sync || break
		now=$(states)
		[ "$now" = "$staged" ] || [ "$now" = "$second" ]
		coopr-resource stage -q "$HELLO@1" "$MOTD@1"
		coopr-resource sync -q
		same "$first" "$(states)"
	done
	[ "$at" -gt 5 ] && [ "$at" -lt 400 ]
	is_whole
}

@test "a deletion that is killed at any call leaves a whole version or none, also where another has the same bytes" {
	echo same | coopr-resource upload -q "$MOTD" -
	for ((at = 1; at < 400; at += ${CRASH_STEP:-3})); do
		echo same | coopr-resource upload -q "$HELLO" -
		version=$(coopr-resource list -o json "$HELLO" | jq .version)
		killed_at "$at" coopr-resource delete -y "$HELLO@$version" || break
		is_whole
		coopr-resource delete -y "$HELLO@$version" 2>said || contains "$(cat said)" "there is no version $version"
		same same "$(coopr-resource get "$MOTD")"
	done
	[ "$at" -gt 5 ] && [ "$at" -lt 400 ]
	is_whole
}

@test "syncs and readers at the same time: each reader sees all resources before or all after" {
	for n in 1 2; do
		for name in a b c d; do
			echo "$n" | coopr-resource upload -q "automator/shell/scripts/$name" -
		done
	done
	all="automator/shell/scripts/a automator/shell/scripts/b automator/shell/scripts/c automator/shell/scripts/d"
	# shellcheck disable=SC2086 # words
	coopr-resource stage -q ${all// /@1 }@1
	coopr-resource sync -q
	for round in $(seq 20); do
		# shellcheck disable=SC2086 # words
		coopr-resource stage -q ${all// /@$((round % 2 + 1)) }@$((round % 2 + 1))
		coopr-resource sync -q &
		same 1 "$(coopr-resource list -o json | jq 'select(.state == "active" or .state == "recalled") | .version' | sort -u | wc -l)"
		wait $!
	done
}
