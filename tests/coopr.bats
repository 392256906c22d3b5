#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0

load case

# A command of our own in PATH.
make_command() {
	mkdir -p extra
	cat >extra/coopr-echo <<-'END'
		#!/bin/sh
		printf '<%s>' "$@"
		exit 7
	END
	chmod +x extra/coopr-echo
	PATH=$PWD/extra:$PATH
}

@test "coopr alone lists the commands, each with what it does" {
	run -0 coopr
	contains "$output" "usage: coopr COMMAND"
	contains "$output" "  plan "
	[[ ! $output =~ \.c ]]
	same "$output" "$(coopr help)"
}

@test "coopr COMMAND runs coopr-COMMAND with the arguments that follow" {
	make_command
	run -7 coopr echo -x "a b" --help
	same "<-x><a b><--help>" "$output"
}

@test "a command of the installation comes before one in PATH" {
	mkdir extra
	printf '#!/bin/sh\necho mine\n' >extra/coopr-plan
	chmod +x extra/coopr-plan
	PATH=$PWD/extra:$PATH run -0 coopr plan --version
	same "$(coopr-plan --version)" "$output"
}

@test "a word that is no command is misuse, and the nearest one is suggested" {
	run -64 --separate-stderr coopr plna
	same "" "$output"
	same "coopr: unknown command 'plna'; did you mean 'plan'?; see: coopr --help" "$stderr"
	run -64 coopr hepl
	contains "$output" "did you mean 'help'?"
	run -64 coopr xyzzy
	contains "$output" "unknown command 'xyzzy'"
}

@test "a path is no command" {
	run -64 coopr ../bin/coopr-plan
	run -64 coopr ""
	run -64 coopr ./plan
}

@test "coopr help NAME shows the man page of a command or a concept" {
	need_program mandoc
	mkdir man
	printf '#!/bin/sh\nexec mandoc "$2"\n' >man/man
	chmod +x man/man
	PATH=$PWD/man:$PATH
	run -0 coopr help commands
	contains "$output" "COOPR-COMMANDS(7)"
	run -0 coopr help coopr
	contains "$output" "COOPR(1)"
	run -64 coopr help xyzzy
}

@test "a page is named with its section in any way, and the other pages of that name are told of" {
	need_program mandoc
	mkdir man
	printf '#!/bin/sh\nexec mandoc "$2"\n' >man/man
	chmod +x man/man
	PATH=$PWD/man:$PATH
	for words in "5 config" "5 coopr-config" config.5 "config(5)" coopr-config.5; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr -0 coopr help $words
		contains "$output" "COOPR-CONFIG(5)"
		same "" "$stderr"
	done
	run --separate-stderr -0 coopr help config
	contains "$output" "COOPR-CONFIG(1)"
	same "coopr: there is also coopr-config(5): coopr help 5 config" "$stderr"
	run -64 coopr help 7 config
	contains "$output" "section 7 has no page config; there is coopr-config(1)"
	run -64 coopr help confgi
	contains "$output" "no page about 'confgi'; did you mean 'config'? coopr help -k confgi searches all pages"
	run -64 coopr help 5 config more
	run -64 coopr help -x
}

@test "coopr help COMMAND SUBCOMMAND shows the help of that" {
	same "$(coopr-queue put --help)" "$(coopr help queue put)"
	run -64 coopr help tutorial put
	contains "$output" "expected one page, found also 'put'"
}

@test "coopr help -k lists the pages that have a word, in their names and descriptions first, without man-db" {
	mkdir empty
	run -0 env PATH="$PWD/empty" "$COOPR_BIN/coopr" help -k QUOTA
	contains "${lines[0]}" "quota(1) - "
	contains "$output" "tenant(1) - "
	contains "$output" "tutorial-admin(7) - "
	run -1 coopr help -k "no such words"
	same 'coopr: no page has "no such words"' "$output"
	run -64 coopr help -k
	run -74 bash -c 'coopr help -k quota >/dev/full'
}

@test "no page is wider than a terminal" {
	need_program man groff
	for page in "$COOPR_ROOT"/man/man*/*; do
		man -l "$page" 2>&1 >/dev/null </dev/null | sed "s,^,$page: ,"
	done >said
	same "" "$(cat said)"
}

@test "a command of another tool is answered with ours" {
	for pair in get=list describe=show destroy=delete up=create down=delete logs=log rollout=upgrade "top=status --probe" ls=list; do
		run --separate-stderr -64 coopr "${pair%%=*}"
		same "coopr: unknown command '${pair%%=*}'; did you mean '${pair#*=}'?; see: coopr --help" "$stderr"
		run -0 coopr "$(cut -d" " -f1 <<<"${pair#*=}")" --help
	done
	for pair in restart=restart status=status undo=rollback history=history pause=pause resume=resume; do
		run --separate-stderr -64 coopr rollout "${pair%=*}" shop
		same "coopr: unknown command 'rollout ${pair%=*}'; did you mean '${pair#*=}'?; see: coopr --help" "$stderr"
	done
	for pair in drain=replace "cordon=shrink --node" diff="apply --dry-run" cp=ssh-config "watch=status -w" revert=rollback search="help -k"; do
		run --separate-stderr -64 coopr "${pair%%=*}" shop
		same "coopr: unknown command '${pair%%=*}'; did you mean '${pair#*=}'?; see: coopr --help" "$stderr"
	done
	for word in label annotate tag uncordon port-forward; do
		run --separate-stderr -64 coopr "$word" shop
		contains "$stderr" "unknown command '$word'; "
		same "" "$(grep "did you mean" <<<"$stderr" || true)"
	done
	run -64 coopr queue list
	contains "$output" "did you mean 'ls'?"
	run -64 coopr store ls
	contains "$output" "did you mean 'list'?"
}

@test "coopr help NAME shows what --help of a command prints where it has no page" {
	make_command
	run -7 coopr help echo
	same "<--help>" "$output"
}

@test "a list that cannot be written is an error" {
	run -74 bash -c 'coopr >/dev/full'
	contains "$output" "coopr: standard output: No space left on device"
}

@test "coopr help lists formats and concepts behind the commands, by the words that show them" {
	run --separate-stderr -0 coopr help
	for words in "5 config" layout clusterspec states tutorial tutorial-admin; do
		grep -qE "^  $words  +[a-z]" <<<"$output"
		read -ra words <<<"$words"
		run -0 coopr help "${words[@]}"
		run --separate-stderr -0 coopr help
	done
	same "$(find "$COOPR_ROOT"/man/man[57] -name 'coopr*' | wc -l)" "$(sed -n '/^The formats/,$p' <<<"$output" | grep -c '^  ')"
}
