#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0

load case

# The commands in a section of the README, from the line after "make" on.
section() {
	sed -n "/^## $1/,/^## /s/^    //p" "$COOPR_ROOT/README.md" | sed '1,/^export PATH/d'
}

@test "the chain in the README runs as it stands, and ends with a cluster that was made and deleted" {
	section "The chain by hand" | sed "s|share/coopr[^ ]*|'$COOPR_ROOT/&'|" >chain
	[ "$(wc -l <chain)" -ge 12 ]
	bash -eu -o pipefail chain >out 2>err 3>&- </dev/null
	same 2 "$(coopr-queue ls -o json | jq -r 'select(.kind == "status" and .status == "complete").job' | wc -l)"
}

@test "every file and folder that the README names is there" {
	for name in $(grep -oE '`[a-z./-]+/[a-zA-Z./-]*`' "$COOPR_ROOT/README.md" | tr -d '`' | grep -v NAME); do
		[ -e "$COOPR_ROOT/$name" ] || [ -e "$COOPR_ROOT/lib/$name" ] || [ -e "$COOPR_ROOT/tests/$name" ] ||
			[ -e "$COOPR_ROOT/libexec/coopr/$name" ] || echo "$name is not there"
	done >missing
	same "" "$(cat missing)"
}

@test "every program is in the README's list" {
	for program in $(cd "$COOPR_ROOT" && git ls-files 'bin/coopr*' libexec/coopr/provider libexec/coopr/automator); do
		name=${program%.c}
		name=${name#bin/}
		grep -q "^| .*\`${name#libexec/coopr/}\`.*|" "$COOPR_ROOT/README.md" || echo "$name"
	done >missing
	same "" "$(cat missing)"
}

@test "every make target that the README names exists" {
	for target in $(grep -oE '^    make( [a-z]+)?' "$COOPR_ROOT/README.md" | awk '{print $2}'); do
		grep -q "^$target:" "$COOPR_ROOT/Makefile" || echo "$target"
	done >missing
	same "" "$(cat missing)"
}
