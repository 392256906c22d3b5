#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Every option and operand of every command is given paths of the host, by all who come by sudo(8): nothing of the host is opened.

load case
load walls

setup() {
	walls_setup
	own_catalogue
	coopr-store import -q -T qa mine 2>/dev/null
	unset COOPR_CATALOGUE
	SUDO_USER=bob COOPR_TENANT=qa coopr-create -q own -t lamp -n 4
}

teardown() {
	walls_teardown
}

# Runs a command of a guest: tried USER COMMAND...
tried() {
	local user=$1

	shift
	count=$((count + 1))
	SUDO_USER=$user COOPR_TENANT=qa timeout 20 "$@" </dev/null >>"$here/out" 2>&1 || [ $? -ne 124 ] || echo "does not end: $*" >>"$here/stuck"
}

try_all() {
	local here=$PWD c=$PWD/host/canary program words command option argument user spellings commands count=0 i=0

	spellings=("$c" ../canary "$PWD/host/canary-link" "/proc/self/root$c" "file://$c" "own/../../canary" "@$c" "x=$c" "own=$c" "own/$c" "-oProxyCommand=cat $c" $'a\n'"$c"
		"{\"secret\":\"$c\"}" "db.$c={\"file\":\"$c\"}")
	cd host/work || return
	for program in "$COOPR_BIN"/coopr-*; do
		case $program in
		*.c | */coopr-packages) continue ;; # who may run the latter as root is root
		esac
		commands+=("$program")
		while IFS=$'\t' read -r _ words _; do
			commands+=("$program $words")
		done < <("$program" --complete-options | grep '^subcommand')
	done
	for words in "${commands[@]}"; do
		read -ra command <<<"$words"
		while IFS=$'\037' read -r _ _ option argument _; do
			[ -n "$argument" ] || continue
			i=$((i + 1))
			tried bob "${command[@]}" "--$option=${spellings[i % ${#spellings[@]}]}" own
		done < <("${command[@]}" --complete-options | grep '^option' | tr '\t' '\037')
		for user in ann bob eve mallory; do
			i=$((i + 1))
			tried $user "${command[@]}" "${spellings[i % ${#spellings[@]}]}"
			tried $user "${command[@]}" own "${spellings[(i + 3) % ${#spellings[@]}]}"
		done
	done
	echo "$count" >"$here/count"
}

@test "whatever a guest says to whichever command, nothing of the host is opened" {
	: >out
	: >stuck
	export -f tried
	traced try_all
	nothing_was_touched spool
	same "" "$(cat stuck)"
	[ "$(cat count)" -ge 1000 ]
}
