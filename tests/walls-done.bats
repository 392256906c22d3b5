#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# What a tenant's documents say is done, as a worker does it, also where storing it would have been refused: on a real machine, by the real
# plugins. Nothing of the host is opened, connected to or signalled, and nothing of it comes to the machine.

load case
load walls
load sandbox

setup() {
	walls_setup
	need_program sshd ssh ssh-keygen ip unshare
	unshare -mnpiuf --propagation private true 2>/dev/null || skip "needs to make namespaces"
	NETWORK=10.$((216 + $$ / 256 % 32)).$(($$ % 256)).0/24
	export PROVIDER=$COOPR_BIN/../libexec/coopr/provider/sandbox
}

teardown() {
	walls_teardown
	[ -z "${PROVIDER:-}" ] || sandbox purge >/dev/null
}

as() {
	shift
	"$@"
}

# Prints all that a task has brought to the machine.
everything_script() {
	cat <<-'END'
		#!/bin/sh
		printf '%s\n' "$@"
		env
		find . -type f -exec cat {} +
		true
	END
}

try_all() {
	local record done=0 good=0 here=$PWD

	exec 9<"$HOME"
	cd host/work || return
	while IFS= read -r record; do
		done=$((done + 1))
		timeout 60 coopr-exec <<<"$record" >"$here/result" 2>>"$here/out" || true
		grep -q '"status":0' "$here/result" && good=$((good + 1))
		cat "$here/result" >>"$here/out"
	done <"$here/records"
	echo "$done $good" >"$here/counts"
	# strace waits for all that it has traced: also for a machine that one of them has made.
	"$PROVIDER" list </dev/null | jq 'select(.id | startswith("00000002-")).pid' | xargs -r kill -KILL
}

@test "whatever a tenant's documents say, doing it opens nothing of the host, and brings nothing of it to a machine" {
	mkdir -p catalogue/scripts
	everything_script >catalogue/scripts/x
	export COOPR_CATALOGUE=$PWD/catalogue HELD=$PWD
	judges_see_it
	up_as root 1000
	coopr-tenant change --addresses 192.0.2.11/32 qa
	echo "seed ${SEED:-1}"
	walls_documents "$WALLS_KINDS" >generated
	python3 -B "$BATS_TEST_DIRNAME/walls-tasks.py" root.1000.confirmed \
		"$(jq -n --arg network "$NETWORK" '{sandbox: {$network}, dummy: {}}')" <generated >tasks
	jq -c --arg catalogue "$PWD/catalogue" '.record | .cluster.catalogue = $catalogue' tasks >records
	traced try_all
	nothing_was_touched
	read -r done good <counts
	[ "$done" -ge 60 ]
	[ "$good" -ge 15 ]
	# What has changed in the machine since it was made, whatever its time says.
	on_as root 1000 'cat /proc/[0-9]*/environ
		find / \( -path /proc -o -path /sys \) -prune -o -type f -cnewer /etc/ssh/sshd_config -exec grep -Hs content-of-the-host {} + || true' >found
	same "" "$(grep -a "$WALLS_WORD" found)"
}
