#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# lib/README.md: how the library is built.

load case

folders() {
	(cd "$COOPR_ROOT/lib" && find . -name '*.c' | sed 's|^\./||; s|/[^/]*$||' | sort -u)
}

# The folders in the order of the page's table, and to which engine each belongs: lines "POSITION FOLDER ENGINE".
floors() {
	sed -n '/^| floor /,/^$/p' "$COOPR_ROOT/lib/README.md" | grep -oE '`[a-z/]+/`' | tr -d '`' | sed 's|/$||' |
		awk '{ print NR, $1, engine($1) }
		function engine(f) {
			if (f ~ /^(solve|explain)/) return "solve"
			if (f ~ /^(plan|check\/plan)/) return "plan"
			if (f ~ /^(queue|history)/) return "queue"
			if (f ~ /^(ssh|exec)/) return "exec"
			if (f ~ /^sandbox/) return "sandbox"
			if (f ~ /^(store|account|login|cluster)/) return "store"
			return "-"
		}'
}

# What each folder includes, itself left out: lines "FOLDER OTHER". The table of engines names them all, and is no part of any.
includes() {
	(cd "$COOPR_ROOT/lib" && grep -oE '^#include "[a-z/]+/[a-z-]+\.h"' -r . --include='*.[ch]') |
		grep -vF './queue/engines.c:#include "queue/spool/local.h"' |
		sed -E 's|^\./||; s|/[^/:]*:#include "| |; s|/[^/]*"$||' | sort -u | awk '$1 != $2'
}

@test "only the table of engines knows an engine of the queue, and only engines know the table" {
	(cd "$COOPR_ROOT" && grep -rnE '#include "queue/[a-z-]+/' lib bin libexec tests --include='*.[ch]') |
		grep -vE '^lib/queue/(spool/|engines\.c:[0-9]+:#include "queue/spool/local\.h")|^lib/(queue|simulate)/.*"queue/job/' >wrong || true
	(cd "$COOPR_ROOT" && grep -rnE '#include "queue/engine\.h"' lib bin libexec --include='*.[ch]') |
		grep -v '^lib/queue/' >>wrong || true
	same "" "$(cat wrong)"
}

# The files of a folder without their endings, one a line.
modules_of() {
	find "$COOPR_ROOT/lib/$1" -maxdepth 1 -type f -name '*.[ch]' | sed 's|.*/||; s/\.[ch]$//' | sort -u
}

# What a section of the page names: `words` in its lines.
named_in() {
	sed -n "\\|^## $1\$|,/^## /p" "$COOPR_ROOT/lib/README.md" | grep -vF '.h`' | grep -oE '`[a-z0-9-]+`' | tr -d '`' | sort
}

@test "a folder includes only folders that stand before it on the page, and none of the engines another engine's" {
	floors >floor
	same "$(folders)" "$(cut -d ' ' -f 2 floor | sort)"
	includes | awk '
		FILENAME == "floor" { at[$2] = $1; engine[$2] = $3; next }
		at[$2] > at[$1] { print $1, $2 }
		engine[$1] != "-" && engine[$2] != "-" && engine[$1] != engine[$2] { print $1, $2 }' floor - >wrong
	same "" "$(cat wrong)"
}

@test "no module needs one that needs it" {
	python3 "$COOPR_ROOT/tests/cycles.py" "$COOPR_BUILD/lib" >wrong || true
	same "" "$(cat wrong)"
}

@test "only the engine of sqlite knows sqlite, and only the rooms of the store write SQL" {
	(cd "$COOPR_ROOT" && grep -rlE 'sqlite3?[._]' lib bin libexec --include='*.[ch]' | grep -vE '^lib/store/(sqlite/|engines\.c)') >wrong || true
	(cd "$COOPR_ROOT" && grep -rl '"store/sql' lib bin libexec --include='*.[ch]' | grep -vE '^lib/(store|account|login|cluster)/') >>wrong || true
	(cd "$COOPR_ROOT" && grep -rl '"store/sql/engine.h"' lib --include='*.[ch]' | grep -vE '^lib/store/') >>wrong || true
	same "" "$(cat wrong)"
}

@test "no folder has more than 25 sources" {
	for folder in $(folders); do
		count=$(find "$COOPR_ROOT/lib/$folder" -maxdepth 1 -name '*.c' | wc -l)
		[ "$count" -le 25 ] || echo "lib/$folder: $count"
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

@test "a file may be executed where it says by what, and only there" {
	git -C "$COOPR_ROOT" ls-files -s bin libexec share debian >files 2>/dev/null || skip "this is no repository, or another user's"
	sed -n 's/^100[0-9]* [0-9a-f]* 0\t//p' files >plain
	(cd "$COOPR_ROOT" && xargs -d '\n' awk 'FNR == 1 { if (/^#!/) print FILENAME; nextfile }') <plain | sort >says
	(cd "$COOPR_ROOT" && while read -r file; do [ ! -x "$file" ] || echo "$file"; done) <plain | sort >may
	diff says may
}

@test "every source file says what licence it is under, and every header what it is about" {
	find "$COOPR_ROOT/lib" "$COOPR_ROOT/bin" -name '*.[ch]' -size +0 -print0 | xargs -0 awk '
		function judge() { if (file ~ /\.h$/ && !about) print file ": says nothing of itself" }
		FNR == 1 { judge(); file = FILENAME; about = 0 }
		FNR == 1 && !/SPDX-License-Identifier: Apache-2.0/ { print file ": no licence" }
		(FNR == 2 || FNR == 3) && /^ \* [A-Z"a-z]/ { about = 1 }
		END { judge() }' >wrong
	find "$COOPR_ROOT/lib" "$COOPR_ROOT/bin" -name '*.[ch]' -size 0 >>wrong
	same "" "$(cat wrong)"
}

# Constants, as in "more than %d bytes", are many.
@test "a number of things is followed by the word that base/plural.h chooses" {
	nouns='archives|attempts|clusters|documents|entities|errors|faults|files|host keys|instances|jobs|lines|machines|milestones|moves'
	nouns+='|nodes|operations|placements|processes|ranges|results|secrets|services|slots|tasks|times|versions|warnings|workers|zones'
	(cd "$COOPR_ROOT" && grep -rnE "%(zu|u|d|ld|lld|\.0f|\" PRI[dux]64 \") ($nouns)\b" lib bin libexec --include='*.c') |
		grep -v 'than %' >wrong || true
	(cd "$COOPR_ROOT" && grep -rnE '== 1 \? "[a-z ]*" : "' lib bin libexec --include='*.c') |
		grep -vF -e 'job->runs == 1 ? "once" : "twice"' -e 'row->version == 1 ? "new" : "changed"' >>wrong || true
	same "" "$(cat wrong)"
}

@test "the repository has sources, and nothing that was built of them or printed" {
	git -C "$COOPR_ROOT" ls-files >files 2>/dev/null || skip "this is no repository, or another user's"
	same ".ci .clang-tidy .gitignore LICENSE Makefile README.md bin debian lib libexec man share tests " "$(cut -d/ -f1 files | LC_ALL=C sort -u | tr '\n' ' ')"
	(cd "$COOPR_ROOT" && xargs -d '\n' grep -lE -a $'^\x7fELF') <files >built || true
	grep '\.pyc$' files >>built || true
	same "" "$(cat built)"
}
