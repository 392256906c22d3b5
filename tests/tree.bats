#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# lib/README.md: how the library is built.

load case

folders() {
	(cd "$COOPR_ROOT/lib" && find . -name '*.c' | sed 's|^\./||; s|/[^/]*$||' | sort -u)
}

# The floors of the page's table: a line "FLOOR FOLDER" each.
floors() {
	sed -n '/^| floor /,/^$/p' "$COOPR_ROOT/lib/README.md" | awk -F '|' 'NR > 2 { split($2, f, /[ ,]+/)
		n = split($3, folders, /[ `]+/)
		for (i = 1; i <= n; i++) if (folders[i] != "") { sub(/\/$/, "", folders[i]); print f[2], folders[i] } }'
}

# What each folder includes, itself left out: lines "FOLDER OTHER".
includes() {
	(cd "$COOPR_ROOT/lib" && grep -oE '^#include "[a-z/]+/[a-z-]+\.h"' -r . --include='*.[ch]') |
		sed -E 's|^\./||; s|/[^/:]*:#include "| |; s|/[^/]*"$||' | sort -u | awk '$1 != $2'
}

# What stands on what within a floor: "FOLDER: OTHER ...".
within_floors() {
	cat <<-'END'
		model/take: model
		model/show: model
		solve/lp: solve/program
		solve/search: solve/program solve/lp
		solve/conflict: solve/program solve/lp solve/search
		solve: solve/program solve/lp solve/search solve/conflict
		queue/spool: queue/spool/job
		queue: queue/spool queue/spool/job
		exec: ssh
		account: store
		cluster: store account
		probe: status worker
		operation: status worker hook probe
	END
	# To be mended: each line is a way up or around.
	cat <<-'END'
		solve/program: solve/lp
		solve/lp: solve/search
		queue/spool: queue history
		queue/spool/job: queue queue/spool history
		status: operation
		model/show: catalogue
	END
}

# The files of a folder without their endings, one a line.
modules_of() {
	find "$COOPR_ROOT/lib/$1" -maxdepth 1 -type f -name '*.[ch]' | sed 's|.*/||; s/\.[ch]$//' | sort -u
}

# What a section of the page names: `words` in its lines.
named_in() {
	sed -n "\\|^## $1\$|,/^## /p" "$COOPR_ROOT/lib/README.md" | grep -vF '.h`' | grep -oE '`[a-z-]+`' | tr -d '`' | sort -u
}

@test "a folder includes only folders of the floors below it, and of its own floor what it stands on" {
	floors | sort -k 2 >floor
	same "$(folders)" "$(cut -d ' ' -f 2 floor)"
	within_floors | awk -F ': ' '{ n = split($2, o, " "); for (i = 1; i <= n; i++) print $1, o[i] }' >allowed
	includes | awk '
		FILENAME == "floor" { floor[$2] = $1; next }
		FILENAME == "allowed" { allowed[$1, $2] = 1; next }
		!(($1, $2) in allowed) && !(floor[$2] < floor[$1]) { print "lib/" $1 " includes lib/" $2 }' floor allowed - >wrong
	same "" "$(cat wrong)"
}

@test "no folder has more than 26 sources" {
	for folder in $(folders); do
		count=$(find "$COOPR_ROOT/lib/$folder" -maxdepth 1 -name '*.c' | wc -l)
		[ "$count" -le 26 ] || echo "lib/$folder: $count"
	done >wrong
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
		sed -n '/^## From a command/,/^## base$/p' "$COOPR_ROOT/lib/README.md" | grep -q "\`$name\`" || echo "$name"
	done >missing
	same "" "$(cat missing)"
}

@test "every source file says what licence it is under, and every header what it is about" {
	for file in $(find "$COOPR_ROOT/lib" "$COOPR_ROOT/bin" -name '*.[ch]'); do
		head -n 1 "$file" | grep -q 'SPDX-License-Identifier: Apache-2.0' || echo "$file: no licence"
		case $file in
		*.h) sed -n 2,3p "$file" | grep -q '^ \* [A-Z"a-z]' || echo "$file: says nothing of itself" ;;
		esac
	done >wrong
	same "" "$(cat wrong)"
}
