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

@test "coopr help NAME shows what --help of a command prints where it has no page" {
	make_command
	run -7 coopr help echo
	same "<--help>" "$output"
}

@test "a list that cannot be written is an error" {
	run -74 bash -c 'coopr >/dev/full'
	contains "$output" "coopr: standard output: No space left on device"
}
