#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0

load case
load examples

# What is said of a check: its status, and the text.
said_of() {
	coopr-doctor -o json | jq -r --arg name "$1" 'select(.name == $name) | "\(.status) \(.text)"' || true
}

@test "where all is well it says so of each thing, and ends with 0" {
	need_program ssh sshd ip unshare
	run -0 coopr-doctor -o json
	same "" "$(jq -r 'select(.status == "fault") | .name' <<<"$output")"
	for name in ssh sandbox "provider sandbox" "automator shell" "spool folder" catalogue spool store; do
		contains "$(jq -r .name <<<"$output")" "$name"
	done
}

@test "it changes nothing" {
	coopr-doctor >/dev/null || true
	[ ! -e state ] && [ ! -e spool ]
}

@test "a program that is missing is named, with the package that has it" {
	mkdir none
	run -1 env PATH="$PWD/none" "$COOPR_BIN/coopr-doctor" -o json
	same "apt-get install openssh-client" "$(jq -r 'select(.name == "ssh") | .remedy' <<<"$output")"
}

@test "a folder that may not be written, or by everybody, is a fault" {
	mkdir open
	chmod 777 open
	COOPR_SPOOL=$PWD/open/spool
	contains "$(said_of 'spool folder')" "fault $PWD/open: everybody may write there"
}

@test "what the catalogue, the spool and the store are judged to be is said" {
	mkdir -p bad/services
	echo '{' >bad/services/x.json
	contains "$(COOPR_CATALOGUE=$PWD/bad said_of catalogue)" "fault coopr-validate: $PWD/bad/services/x.json"
	export COOPR_STORE=$PWD/store
	contains "$(said_of store)" "ok $PWD/store: there is none yet"
	echo nonsense >store
	contains "$(said_of store)" "fault coopr-store fsck: $PWD/store: file is not a database"
	mkdir -p "$COOPR_SPOOL/jobs/00000042-001"
	contains "$(said_of spool)" "fault"
}

@test "a plugin that does not describe itself is a fault" {
	export COOPR_PLUGINS=$PWD/plugins
	mkdir -p plugins/provider
	printf '#!/bin/sh\necho no >&2\nexit 3\n' >plugins/provider/dummy
	chmod +x plugins/provider/dummy
	contains "$(said_of 'provider dummy')" "fault $PWD/plugins/provider/dummy describe fails: no"
}

@test "the table is for people; another format is misuse" {
	run coopr-doctor -o table
	[ "$status" -le 1 ]
	contains "${lines[0]}" "STATUS"
	run -64 coopr-doctor -o wide
	run -64 coopr-doctor now
}

@test "the examples of the page" {
	commands_of "$COOPR_ROOT/man/man1/coopr-doctor.1" >examples
	bash examples
}
