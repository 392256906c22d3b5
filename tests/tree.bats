#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# lib/README.md: how the library is built.

load case

folders() {
	find "$COOPR_ROOT/lib" -mindepth 1 -type d | sed 's|.*/||' | sort
}

# The folders that one includes, itself left out, one a line.
included_by() {
	grep -hoE '^#include "[a-z]+/' "$COOPR_ROOT/lib/$1"/*.[ch] | tr -d '"/' | cut -d ' ' -f 2 | sort -u | grep -vx "$1"
}

# The files of a folder without their endings, one a line.
modules_of() {
	find "$COOPR_ROOT/lib/$1" -type f | sed 's|.*/||; s/\.[ch]$//' | sort -u
}

# What a section of the page names: `words` in its lines.
named_in() {
	sed -n "/^## $1\$/,/^## /p" "$COOPR_ROOT/lib/README.md" | grep -oE '`[a-z-]+`' | tr -d '`' | sort -u
}

@test "a folder includes only the folders below it, and none of the engines includes another" {
	{
		echo "base:"
		echo "json: base"
		echo "model: base json"
		printf '%s: base json model\n' solve plan queue exec sandbox store
		echo "cluster: base json model solve plan queue exec sandbox store"
	} >floors
	same "$(cut -d : -f 1 floors | sort)" "$(folders)"
	while IFS=': ' read -r folder allowed; do
		for other in $(included_by "$folder"); do
			case " $allowed " in
			*" $other "*) ;;
			*) echo "lib/$folder includes lib/$other" ;;
			esac
		done
	done <floors >wrong
	same "" "$(cat wrong)"
}

@test "the page names every file of every folder, and nothing that is not there" {
	for folder in $(folders); do
		diff <(modules_of "$folder") <(named_in "$folder") | sed -n "s|^<|lib/$folder: not named:|p; s|^>|lib/$folder: not there:|p"
	done >wrong
	same "" "$(cat wrong)"
}

@test "the page sends a reader to headers that are there" {
	for file in $(grep -oE '`[a-z/-]+/[a-z-]+\.[ch]`' "$COOPR_ROOT/lib/README.md" | tr -d '`'); do
		[ -e "$COOPR_ROOT/lib/$file" ] || [ -e "$COOPR_ROOT/$file" ] || echo "$file"
	done >missing
	same "" "$(cat missing)"
}

@test "the page has a row for every command and plugin" {
	for program in "$COOPR_ROOT"/bin/coopr-*.c "$COOPR_ROOT"/libexec/coopr/*/*.c; do
		name=$(basename "$program" .c)
		sed -n '/^## From a command/,/^## base/p' "$COOPR_ROOT/lib/README.md" | grep -q "\`$name\`" || echo "$name"
	done >missing
	same "" "$(cat missing)"
}

@test "every source file says what licence it is under, and every header what it is about" {
	for file in "$COOPR_ROOT"/lib/*/*.[ch] "$COOPR_ROOT"/bin/*.c; do
		head -n 1 "$file" | grep -q 'SPDX-License-Identifier: Apache-2.0' || echo "$file: no licence"
		case $file in
		*.h) sed -n 2,3p "$file" | grep -q '^ \* [A-Z"a-z]' || echo "$file: says nothing of itself" ;;
		esac
	done >wrong
	same "" "$(cat wrong)"
}
