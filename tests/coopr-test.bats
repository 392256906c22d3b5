#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-test(1): a service on a machine that is made for it, and is gone afterwards.

load case
load examples

setup() {
	fresh
	mkdir -p cat/services cat/scripts
	cat >cat/services/kv.json <<-'END'
		{"name": "kv", "ready_timeout_s": 5, "provisioner": {"actions": {
			"install": {"type": "shell", "fields": {"script": "kv.sh"}},
			"start": {"type": "shell", "fields": {"script": "kv.sh", "config": ["kv"], "nodes": ["kv"]}},
			"status": {"type": "shell", "fields": {"script": "kv.sh"}},
			"stop": {"type": "shell", "fields": {"script": "kv.sh"}}}}}
	END
	cat >cat/scripts/kv.sh <<-'END'
		#!/bin/sh
		set -eu
		. ./lib.sh
		case $COOPR_ACTION in
		install) echo "installing on $COOPR_HOSTNAME" ;;
		start)
			echo "serving $(coopr_config kv/name -), port $(coopr_config kv/port 7000), among $(coopr_nodes kv | wc -l)"
			touch /run/kv
			;;
		status) test -e /run/kv || { echo "it does not run"; exit 1; } ;;
		stop) rm /run/kv ;;
		esac
	END
}

can_make_machines() {
	need_root
	need_program sshd ssh ssh-keygen ssh-keyscan ip unshare
	unshare -mnpiuf --propagation private true 2>/dev/null || skip "needs to make namespaces"
}

# Nothing of a machine may be left, whatever happened.
nothing_left() {
	[ -z "$(find "$COOPR_STATE" -name 'test-*' 2>/dev/null)" ]
	! ip -o link show | grep -E ': coopr-0ad4'
}

@test "misuse is 64, a service that is not there 1, a malformed catalogue 65" {
	run -64 coopr-test
	contains "$output" "missing argument SERVICE"
	run -1 coopr-test -C cat kx
	contains "$output" 'kx'
	echo '{' >cat/services/bad.json
	run -65 coopr-test -C cat kv
}

@test "who is not root is told so" {
	need_root
	chmod -R a+rX .
	run -77 setpriv --reuid 65534 --clear-groups coopr-test -C cat kv
	contains "$output" "kv: only root can make the sandbox machine that it is tested on; use sudo"
}

@test "the actions run one after the other, with their output and their time, and the machine is gone afterwards" {
	can_make_machines
	coopr-test -C cat kv --set kv.name=%host.self% --set kv.port=7001 >out 2>said
	same "== create
ok create
== confirm
ok confirm
== bootstrap
ok bootstrap
== install
ok install
== start
ok start
== status
ok status
== stop
ok stop" "$(sed 's/, [0-9.]* s$//' out)"
	[ "$(grep -cE '^ok [a-z]*, [0-9]+\.[0-9] s$' out)" -eq 7 ]
	grep -qxE 'installing on test[0-9]+-1000.local' said
	grep -qxE 'serving test[0-9]+-1000.local, port 7001, among 1' said
	nothing_left

	# The example of the page is typed, where the catalogue is in the home of who writes the service.
	mkdir -p "$HOME"
	mv cat "$HOME/catalogue"
	sed -n 's/^\.Dl # coopr test -C/coopr-test -C/p' "$COOPR_ROOT/man/man1/coopr-test.1" | plain | sort -u >example
	same 1 "$(wc -l <example)"
	sh -e example 2>said
	contains "$(cat said)" ", port 7000, among 1"
	nothing_left
}

@test "the first action that fails ends it, with its reason" {
	can_make_machines
	sed -i 's/touch .*/echo "no disk" >\&2; exit 3/' cat/scripts/kv.sh
	code=0
	coopr-test -C cat kv --set kv.name=x >out 2>said || code=$?
	same 1 "$code"
	same "FAILED start" "$(tail -1 out | sed 's/,.*//')"
	contains "$(cat said)" "coopr-test: kv: start failed with status 3: "
	contains "$(tail -1 said)" "no disk"
	nothing_left
}

@test "what a script looks up without declaring it ends the test, with the line to write, at install too" {
	can_make_machines
	sed -i 's/^install) .*/install) coopr_nodes db ;;/' cat/scripts/kv.sh
	code=0
	coopr-test -C cat kv --set kv.name=x >out 2>said || code=$?
	same 1 "$code"
	same "FAILED install" "$(tail -1 out | sed 's/,.*//')"
	contains "$(cat said)" 'write "nodes": ["db"] into the fields of the action'
	sed -i 's/^install) .*/install) coopr_config db\/port 1 ;;/' cat/scripts/kv.sh
	sed -i '/"install"/s/"kv.sh"/"kv.sh", "config": ["kv"]/' cat/services/kv.json
	code=0
	coopr-test -C cat kv --set kv.name=x >out 2>said || code=$?
	same "1 FAILED install" "$code $(tail -1 out | sed 's/,.*//')"
	contains "$(cat said)" 'write "config": ["db", ...]'
	nothing_left
}

@test "after a signal the machine is removed all the same" {
	can_make_machines
	mkfifo "$PWD/begun"
	sed -i 's/touch .*/echo begun; sleep 100/' cat/scripts/kv.sh
	setsid coopr-test -C cat kv --set kv.name=x >out 2>begun &
	pid=$!
	# shellcheck disable=SC2094
	while read -r line <&3; do
		[ "$line" != begun ] || break
	done 3<begun
	kill -INT -- "-$pid"
	code=0
	wait "$pid" || code=$?
	same 130 "$code"
	nothing_left
}
