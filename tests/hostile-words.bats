#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# What plugins and people say, where it reaches a terminal: a message is one line there, and nothing in it drives the terminal
# or looks like a line of ours.

load case
load queue

# A message that would clear the terminal, and add a line that says another task was done.
hostile='no room\nfor it\u001b[2J\r\n\ndone t9: all is well\u0007'
shown='no room for it?[2J?  done t9: all is well?'

# What is on stdin is text of lines, none of which is a line of the message; and it has the message.
is_tame() {
	local text

	text=$(cat)
	contains "$text" "${1:-$shown}"
	if grep -nP '[\x00-\x08\x0b-\x1f\x7f]|^\s*(for it|done t9)' <<<"$text"; then
		return 1
	fi
}

@test "a failed task: show, report and watch" {
	two_nodes | coopr-queue put
	finish "{\"status\": 65, \"message\": \"$hostile\"}"
	coopr-queue show -o table 00000042-001 | is_tame
	coopr-queue report -o text 00000042-001 | is_tame
	coopr-queue watch --no-follow --since start -o text | is_tame
	coopr-queue show -e 00000042-001 | coopr-show -o wide | is_tame
	coopr-queue show -o json 00000042-001 | coopr-show -o wide >/dev/null
	same "$(printf '"%s"' "$hostile" | jq -r .)" "$(coopr-queue show -o json 00000042-001 | jq -r '.attention[0].message')"
}

@test "who has taken a task by hand, and why one is skipped" {
	two_nodes | coopr-queue put
	coopr-queue take --by $'me\n\033[2Jdone t9' >/dev/null
	coopr-queue skip -r "$(printf '"%s"' "$hostile" | jq -r .)" 00000042-001 t6
	coopr-queue show -o table 00000042-001 | is_tame 'by me ?[2Jdone t9 for '
	coopr-queue watch --no-follow --since start -o text | is_tame
	coopr-queue report -o text 00000042-001 | is_tame
}

@test "names in the spool that are none of ours: fsck and gc" {
	two_nodes | coopr-queue put
	mkdir spool/jobs/$'a\ndone t9\033[2J' spool/tmp/$'gc\ndone t9\033[2J'
	touch -d '3 days ago' spool/tmp/gc*
	coopr-queue fsck >found || true
	is_tame 'jobs/a done t9?[2J: unexpected file' <found
	coopr-queue gc | is_tame 'tmp/gc done t9?[2J'
}

@test "a cluster that could not be made: create, status, list, history and show" {
	cp -r "$COOPR_ROOT/share/coopr/catalogue" rehearsal
	sed -i 's/"providertype": *"[a-z]*"/"providertype": "dummy"/' rehearsal/providers/*.json
	export COOPR_CATALOGUE=$PWD/rehearsal COOPR_PLUGINS=$PWD/plugins
	mkdir -p plugins/automator
	jq -n --arg result "{\"kind\": \"result\", \"status\": 65, \"message\": \"$hostile\"}" -r \
		'"#!/bin/sh\ncat >/dev/null\ncat <<\"END\"\n\($result)\nEND\n"' >plugins/automator/shell
	chmod +x plugins/automator/shell
	coopr-create shop -t web -n 4 2>said && return 1
	is_tame <said
	coopr-status -o table shop >status || true
	is_tame <status
	coopr-list -o wide | is_tame
	coopr-history -o table shop | is_tame
	coopr-show -o table shop | is_tame
	coopr-report shop | is_tame
	coopr-report -o html shop | is_tame
}

@test "what a plugin prints and says moves no cursor, whatever shows it" {
	own_catalogue
	stubborn_service
	cat >plugins/automator/stubborn <<-'EOT'
		#!/bin/sh
		cat >/dev/null
		printf 'log \033]0;pwned\007\033[2J \302\2332J \010 end\n' >&2
		printf '{"kind":"result","status":%s,"message":"said \\u001b[2J\\u009b2J","result":{"note":"\\u001b]0;x\\u0007"},"stdout":"out \\u001b[2J\\u009b2J"}\n' \
			"$([ "$1" = start ] && echo 65 || echo 0)"
	EOT
	run -1 --separate-stderr coopr-create -t lamp -n 4 -s apache,mysql,haproxy,stubborn -m $'why \033[2J' shop
	printf '%s\n' "$stderr" >told
	for words in list 'list -o wide' 'show shop' 'show -o wide shop' 'status shop' 'history shop' 'log shop' 'events shop' 'report shop' audit 'queue ls' \
		'queue show 00000001-001' 'queue show --failed 00000001-001' 'queue show --tasks 00000001-001' 'queue log 00000001-001' \
		'show -o yaml shop' 'events -o yaml shop' 'ssh-config shop' 'inventory shop'; do
		read -ra command <<<"$words"
		for terminal in '' 1; do
			if [ -n "$terminal" ]; then
				NO_COLOR=1 TERM=dumb script -qec "coopr-$words" /dev/null </dev/null || true
			elif [ "$words" != 'log shop' ]; then # which is the bytes themselves, in a pipe
				"coopr-${command[0]}" "${command[@]:1}" 2>&1 || true
			fi
		done
	done >>told
	contains "$(cat told)" 'said ?[2J'
	contains "$(cat told)" 'log ?]0;pwned??[2J ?2J ? end'
	same '' "$(grep -aP '[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\xc2[\x80-\x9f]' told | cat -v)"
}
