#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# The commands that messages recommend: each exists, and does what is said where it is said.

load case

setup() {
	fresh
	own_catalogue
	stubborn_service
}

# The texts of a source but for tags of a cloud's things, with the commands in them, one a line: "coopr retry", "coopr-queue wait".
recommended_in() { # FILE...
	grep -hvE '^#define TAG_' "$@" | grep -oE '"([^"\\]|\\.)*"' | grep -oE '\bcoopr-queue [a-z]+|\bcoopr-[a-z]+|\bcoopr [a-z]+' | sort -u
}

@test "every command that a message names exists" {
	find "$COOPR_ROOT/lib" "$COOPR_ROOT/bin" -name '*.c' -print0 | xargs -0 grep -lE 'error_set|error_prefix|message|notice|printf|puts' >sources
	mapfile -t sources <sources
	recommended_in "${sources[@]}" >named
	[ "$(wc -l <named)" -gt 30 ]
	coopr-queue --complete-options | sed -n 's/^subcommand\t\([a-z]*\)\t.*/coopr-queue \1/p' >verbs
	[ -s verbs ]
	while read -r program verb; do
		case "$program $verb" in
		"coopr-queue "?*) grep -qxF "$program $verb" verbs || echo "$program $verb" ;;
		"coopr "*) [ -x "$COOPR_BIN/coopr-$verb" ] || [ "$verb" = help ] || echo "$program $verb" ;;
		*) [ -x "$COOPR_BIN/$program" ] || compgen -G "$COOPR_ROOT/man/man*/$program.*" >page || echo "$program" ;;
		esac
	done <named | grep -vxFf <(words_that_are_no_commands) >wrong || true
	same "" "$(cat wrong)"
}

# What follows "coopr" in a sentence, marks in the output of programs on nodes and at the begin of files, and names of processes.
words_that_are_no_commands() {
	printf '%s\n' "coopr anew" "coopr as" "coopr has" "coopr saved" coopr-archive coopr-begin coopr-end coopr-feed coopr-hooks coopr-output coopr-relay \
		coopr-world
}

# Runs a command on a copy of everything, with an answer where it asks for one.
on_a_copy() { # WORD...
	rm -rf copy
	mkdir copy
	cp -a "$COOPR_STATE" copy/state
	cp -a "$COOPR_SPOOL" copy/spool
	env COOPR_STATE="$PWD/copy/state" COOPR_SPOOL="$PWD/copy/spool" "$@"
}

# The commands for cluster c in a text, each once.
commands_for_c() { # TEXT
	grep -oE '\bcoopr (retry|rollback|delete|abort|show|status|history|log|events|start|stop|restart|rename|lease|resume|pause) c\b' <<<"$1" | sort -u
}

# Those that a refused change says are possible, as commands for c.
possible_for_c() { # TEXT
	sed -n 's/.*; possible: //p' <<<"$1" | sed 's/, / /g; s/ or / /' | tr ' ' '\n' | sed 's/.*/coopr & c/'
}

# Each of these commands is accepted as the cluster is.
all_work() { # COMMANDS
	local line

	[ -n "$1" ]
	while read -r line; do
		case $line in
		"coopr delete c" | "coopr rollback c" | "coopr stop c" | "coopr restart c") line+=" -y" ;;
		"coopr rename c") line+=" d" ;;
		"coopr config c") line+=" -y --set a=1" ;;
		"coopr replace c") line+=" -y 1000" ;;
		esac
		# shellcheck disable=SC2086 # words
		run on_a_copy $line
		[ "$status" -eq 0 ] || [[ $line == "coopr status"* ]] || {
			echo "$line: $status: $output"
			return 1
		}
	done <<<"$1"
}

# What was said when it failed, what show says, and what is listed as possible, with COMMAND among it: all_work_after SAID COMMAND
all_work_after() {
	run -1 coopr expand c
	possible=$(possible_for_c "$output")
	contains "$possible" "$2"
	rm broken
	all_work "$(commands_for_c "$1"$'\n'"$(coopr show -o table c)")"
	all_work "$possible"
}

@test "after a creation that failed all that is recommended works" {
	touch broken
	run -1 coopr create c -t lamp -s haproxy,apache,mysql,mod-php,stubborn -n 4
	all_work_after "$output" "coopr retry c"
}

@test "after a change that failed all that is recommended works" {
	coopr create c -t lamp -n 4 >records 2>log
	touch broken
	run -1 coopr add c stubborn
	all_work_after "$output" "coopr rollback c"
}

@test "while an operation is in progress, or was cancelled, all that is recommended works" {
	coopr create c -t lamp -n 4 >records 2>log
	coopr expand --detach c >job 2>log
	run -75 coopr restart c
	all_work "$(commands_for_c "$output")"
	coopr-queue take --count 1 | jq -c '{kind: "result", job, task: .id, attempt, status: 0}' | coopr-queue done
	coopr abort c 2>log
	run -1 coopr expand -n 9 c
	all_work "$(possible_for_c "$output")"
	all_work "$(commands_for_c "$(coopr show -o table c)")"
}

# A change of cluster c that is refused, and the commands that it names: each does what it says. refused_with WORD... -- COMMAND...
refused_with() {
	local words=()

	while [ "$1" != -- ]; do
		words+=("$1")
		shift
	done
	shift
	run -1 coopr "${words[@]}"
	same "$(printf '%s\n' "$@")" "$(grep -oE '\bcoopr (add|remove|expand|shrink|scale) [^,;]* (keeps|takes|lets|removes)\b' <<<"$output" | sed 's/ [a-z]*$//')"
	for line; do
		# shellcheck disable=SC2086 # words
		run -0 on_a_copy $line -y
	done
}

@test "a change that no layout satisfies says with which options one does, and that is so" {
	coopr create -q c -t lamp -n 4
	refused_with remove c memcached haproxy -- "coopr remove --allow-moves c memcached haproxy" "coopr remove --machines=3 c memcached haproxy"
	refused_with remove c mysql -- "coopr remove c mysql mod-php"
	refused_with remove c mod-php apache -- "coopr remove --allow-moves --machines=3 c mod-php apache haproxy"
	refused_with shrink -N 1000 c -- "coopr shrink --allow-moves --node=1000 c"
	# One more machine than there are.
	jq '.constraints.layout.cantcoexist += [["haproxy", "stubborn"], ["apache", "stubborn"], ["mysql", "stubborn"], ["memcached", "stubborn"]] |
		.constraints.services.stubborn = {"quantities": {"min": 1, "max": 1}}' mine/clustertemplates/lamp.json >lamp
	mv lamp mine/clustertemplates/lamp.json
	coopr create -q d -t lamp -n 4
	run -1 coopr add d stubborn
	contains "$output" ", coopr add --machines=5 d stubborn takes 5 machines"
	coopr add -q --machines=5 d stubborn
	# Nothing is possible.
	run -1 coopr expand -n 200 c
	run ! grep -E 'coopr (expand|add)' <<<"$output"
}

@test "who asks for what is so already, or cannot be, is told what does it" {
	coopr create -q c -t lamp -n 4
	run -1 coopr resume c
	same "coopr-resume: c: no operation is in progress" "$output"
	run -1 coopr expand -n 3 c
	contains "$output" "it has 4 machines; 3 are not more; coopr shrink takes machines away"
	run -1 coopr shrink -n 5 c
	contains "$output" "it has 4 machines; 5 are not fewer; coopr expand adds machines"
	run -1 coopr add c apache
	contains "$output" 'the cluster has the service "apache" already; coopr start starts it, coopr scale changes how many instances there are'
	touch broken
	run -1 coopr add c stubborn
	run -1 coopr resume c
	same "coopr-resume: c: no operation is in progress; coopr retry c continues the last one, which is not complete" "$output"
	rm broken
	coopr retry -q c
}
