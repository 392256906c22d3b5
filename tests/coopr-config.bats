#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-config(5): settings by option, environment, user's file, system's file.

load case
load examples

setup() {
	fresh
	need_program jq
	unset COOPR_STATE COOPR_SPOOL NO_COLOR COOPR_COLOR COOPR_JOBS COOPR_OUTPUT
	mkdir -p home/.config/coopr
	file=$PWD/home/.config/coopr/config
}

# "VALUE FROM WHERE" of a setting.
holds() {
	coopr-doctor --settings -o json | jq -r --arg name "$1" 'select(.name == $name) | "\(.value) \(.from) \(.where)"'
}

# A command's output on a terminal.
on_terminal() {
	python3 -c 'import os, pty, sys
os.environ["TERM"] = "xterm"
sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))' "$@" </dev/null | tr -d '\r'
}

@test "an option is stronger than the environment, that than the user's file, and that than the default" {
	same "default default null" "$(holds tenant)"
	printf 'tenant = filed\njobs = 7\n' >"$file"
	same "filed user $file:1" "$(holds tenant)"
	same "7 user $file:2" "$(holds jobs)"
	same "varied environment COOPR_TENANT" "$(COOPR_TENANT=varied holds tenant)"
	coopr-request -C "$COOPR_ROOT/share/coopr/catalogue" -t web -n 4 --name shop >request.json
	same filed "$(jq -r .cluster.tenant request.json)"
	COOPR_TENANT=varied coopr-request -C "$COOPR_ROOT/share/coopr/catalogue" -t web -n 4 --name shop >request.json
	same varied "$(jq -r .cluster.tenant request.json)"
	COOPR_TENANT=varied coopr-request --tenant said -C "$COOPR_ROOT/share/coopr/catalogue" -t web -n 4 --name shop >request.json
	same said "$(jq -r .cluster.tenant request.json)"
}

@test "the user's file is stronger than the system's" {
	need_root
	need_program unshare
	mkdir etc
	printf 'tenant = ours\njobs = 3\n' >etc/config
	echo "tenant = mine" >"$file"
	unshare -m bash -euc 'mkdir -p /run/coopr-etc
		mount -t tmpfs none /run && mkdir -p /run/up /run/work
		mount -t overlay none -o lowerdir=/etc,upperdir=/run/up,workdir=/run/work /etc
		mkdir -p /etc/coopr && cp etc/config /etc/coopr/config
		coopr-doctor --settings -o json' >settings || skip "needs overlay mounts"
	same "mine $file:1" "$(jq -r 'select(.name == "tenant") | "\(.value) \(.where)"' settings)"
	same "3 system /etc/coopr/config:2" "$(jq -r 'select(.name == "jobs") | "\(.value) \(.from) \(.where)"' settings)"
}

@test "spool, store and catalogue are found where the file says, below the home with ~/" {
	printf 'spool = ~/queue\nstore = %s/s.sqlite3\ncatalogue = %s/c\n' "$PWD" "$PWD" >"$file"
	same "$HOME/queue user $file:1" "$(holds spool)"
	coopr-store init
	[ -f s.sqlite3 ]
	run -66 coopr-request -t web -n 4 --name shop
	contains "$output" "$PWD/c"
	run -66 coopr-queue ls
	contains "$output" "$HOME/queue"
}

@test "output counts on a terminal, for commands that have the format, and never in a pipe" {
	need_program python3
	coopr-store init --store "$PWD/s" && export COOPR_STORE=$PWD/s
	echo '{"name":"p","providertype":"dummy","provisioner":{}}' >p.json
	coopr-store put -k provider p.json
	echo "output = name" >"$file"
	same "providers/p" "$(on_terminal coopr-store list)"
	contains "$(on_terminal coopr-store list -o table)" VERSION
	same revision "$(coopr-store list -o json | jq -r .kind)"
	contains "$(on_terminal coopr-doctor --settings)" WHERE
}

@test "color: the file is weaker than NO_COLOR, and that than COOPR_COLOR" {
	escape=$'\033'
	echo "color = always" >"$file"
	contains "$(coopr-doctor --settings -o table || true)" "${escape}["
	[[ $(NO_COLOR=1 coopr-doctor --settings -o table) != *"$escape"* ]]
	contains "$(NO_COLOR=1 COOPR_COLOR=always coopr-doctor --settings -o table || true)" "${escape}["
	[[ $(coopr-doctor --settings -o table --color never) != *"$escape"* ]]
}

@test "a file that cannot be understood is refused with its line: 78" {
	while IFS='|' read -r line reason; do
		printf '# nothing\n%s\n' "$line" >"$file"
		run -78 coopr-doctor --settings
		same "coopr-doctor: $file:2: $reason" "$output"
		run -0 coopr-doctor --help
	done <<-'END'
		tenat = qa|there is no setting "tenat"; did you mean "tenant"?
		nonsense|expected NAME = VALUE
		tenant =|expected a value behind the =
		jobs = many|jobs: expected a whole number from 1 to 100000, found "many"
		jobs = 0|jobs: expected a whole number from 1 to 100000, found "0"
		machines = 0|machines: expected a whole number from 1 to 1000000, found "0"
		color = red|color: expected auto, always or never, found "red"
		output = xml|output: expected table, wide, json, yaml, name or text, found "xml"
		spool = here|spool: expected a path that begins with / or ~/, found "here"
		[hook]|expected [hook NAME] or [plugin NAME]
		[other x]|expected [hook NAME] or [plugin NAME]
	END
	for words in "coopr doctor --help" "coopr help config" "coopr queue ls --help" "coopr-store put --version" coopr; do
		read -ra words <<<"$words"
		run -0 "${words[@]}"
	done
	run -78 coopr doctor --settings
	run -78 coopr queue ls
	: >"$file"
	COOPR_JOBS=x run -78 coopr-doctor --settings
	same "coopr-doctor: \$COOPR_JOBS: expected a whole number from 1 to 100000, found \"x\"" "$output"
}

@test "what stands in the section of a plugin is checked as the settings are" {
	mkdir -p home/.config/coopr
	printf '[plugin x]\nconfined = no\n' >home/.config/coopr/config
	run -78 coopr-doctor --settings
	contains "$output" "config:2: expected confine, read or write"
	printf '[plugin x]\nread = /a /b\nconfine = maybe\n' >home/.config/coopr/config
	run -78 coopr-doctor --settings
	contains "$output" "config:3: confine: expected yes or no"
	printf '[plugin x]\nread = /a\n[hook x]\nurl = http://127.0.0.1/\n[plugin x]\nread = /b\n' >home/.config/coopr/config
	run -78 coopr-doctor --settings
	contains "$output" "config:5: there is a section of this name already"
}

@test "the table is for people, and no setting is no reason to fail" {
	[[ $(coopr-doctor --settings -o table) =~ tenant\ +default ]]
	rm -r home/.config
	run -0 coopr-doctor --settings -o json
	same 13 "${#lines[@]}"
}

@test "the example of the page is understood" {
	documents_of "$COOPR_ROOT/man/man5/coopr-config.5"
	cp 1.config "$file"
	same "qa user $file:2" "$(holds tenant)"
	same "$HOME/coopr/qa.sqlite3 user $file:3" "$(holds store)"
}
