#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-shell(7) where a node is not as it should be, against a real sshd.

load case
load sshd

setup() {
	fresh
	need_root
	export TMPDIR=$BATS_TEST_TMPDIR
	sshd_start
}

teardown() {
	sshd_stop
}

@test "what an attempt that was killed on the node has left, secrets too, is removed by the next one" {
	mkfifo started
	script slow.sh <<-END
		echo \$PPID \$\$ \$PWD >$PWD/started
		sleep 1000
	END
	task install '{"script": "slow.sh"}' '{"password": "swordfish"}' >task.json
	coopr-exec -q <task.json >first.json 3>&- &
	job=$!
	hear started wrapper pid dir
	grep -q swordfish "$dir/config.json"
	kill -STOP "$wrapper" # so that neither it nor who watches it cleans up when the others die
	mapfile -t children < <(ps -o pid= --ppid "$wrapper")
	[ "${#children[@]}" -eq 2 ]
	kill -KILL "${children[@]}" -"$pid"
	kill -KILL "$wrapper"
	wait "$job"
	[ -e "$dir/config.json" ]
	script slow.sh </dev/null
	coopr-exec -q <task.json >result.json
	same 0 "$(member .status)"
	[ ! -e "${dir%/work}" ]
}

@test "of what a sign names, nothing is removed but the private directory of an attempt" {
	mkdir -p keep/coopr.0123456789/below coopr.short
	ln -s keep coopr.abcdefghij
	script quick.sh </dev/null
	task install '{"script": "quick.sh"}' >task.json
	for base in "$PWD/keep" "$PWD/keep/coopr.0123456789/below" "$PWD/keep/coopr.0123456789/../../keep" "$PWD/coopr.short" \
		"$PWD/coopr.abcdefghij" "/" ""; do
		mkdir -p /run/coopr
		printf '%s\n' "1 0" "$base" >/run/coopr/00000042-001:t1.pid
		coopr-exec -q <task.json >result.json
		same 0 "$(member .status)"
	done
	[ -d keep/coopr.0123456789/below ] && [ -d coopr.short ] && [ -L coopr.abcdefghij ]
	install -d -o nobody coopr.9876543210/work # of a script that ran as another user
	chown nobody coopr.9876543210
	printf '%s\n' "1 0" "$PWD/coopr.9876543210" >/run/coopr/00000042-001:t1.pid
	coopr-exec -q <task.json >result.json
	[ ! -e coopr.9876543210 ]
}

@test "a node on which who logs in needs sudo, and that has none, fails for good and says so" {
	! command -v sudo >/dev/null || skip "there is a sudo here"
	[ "$(stat -c %a /tmp)" = 1777 ] || skip "needs a /tmp that all may write to"
	sshd_stop
	sshd_add_user
	sshd_start mount --bind "$PWD/sshd/passwd" /etc/passwd
	script quick.sh </dev/null
	SSHD_USER=coopr-test task install '{"script": "quick.sh"}' >task.json
	coopr-exec -q <task.json >result.json
	same 77 "$(member .status)"
	contains "$(member .message)" "no shell starts there"
	contains "$(member .message)" "sudo"
}
