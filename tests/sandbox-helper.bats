#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-sandbox(7), the helper: machines for users who are not root, and nothing else for them.

load case
load sandbox

setup() {
	fresh
	need_root
	need_program sshd ssh ssh-keygen ssh-keyscan ip jq python3 setpriv
	unshare -mnpiuf --propagation private true 2>/dev/null || skip "needs to make namespaces"
	HELPER=$COOPR_BIN/../libexec/coopr/sandbox-helper PROVIDER=$COOPR_BIN/../libexec/coopr/provider/sandbox
	setpriv --reuid=nobody --clear-groups test -x "$PROVIDER" || skip "needs a checkout that others may read"
	NETWORK=10.$((216 + $$ / 256 % 32)).$(($$ % 256)).0/24
	HELD=/tmp/coopr-helper.$$ # users who are not root cannot enter the folder of the test
	mkdir -m 755 "$HELD"
	printf 'state = %s\nnetwork = %s\n' "$BATS_TEST_TMPDIR/helper" "$NETWORK" >allowed
	chmod 644 allowed
	listener=
	unset COOPR_STATE COOPR_SPOOL XDG_RUNTIME_DIR
}

teardown() {
	[ -n "${listener+x}" ] || return 0
	rm -f helper.env
	COOPR_STATE=$BATS_TEST_TMPDIR/helper "$PROVIDER" purge >/dev/null
	[ -z "$listener" ] || kill "$listener"
	rm -rf "$HELD"
	[ ! -e helper/sandbox ] || find helper/sandbox -print -exec false {} +
}

# Listens for the helper: serve [GROUP MODE]
serve() {
	python3 "$BATS_TEST_DIRNAME/helper-listener.py" "$HELD/socket" "${1:-$(id -g nobody)}" "${2:-660}" "$HELPER" "$PWD/allowed" 2>>helper.log &
	listener=$!
	until [ -e "$HELD/socket.ready" ]; do kill -0 "$listener"; sleep 0.05; done
}

# Runs a command as a user, of no group but nobody's, with a home of its own: as USER COMMAND...
as() {
	local user=$1

	shift
	[ -d "$HELD/$user" ] || install -d -o "$user" -m 700 "$HELD/$user"
	(cd "$HELD/$user" && setpriv --reuid "$user" --regid "$(id -g nobody)" --clear-groups env -i PATH="$PATH" HOME="$HELD/$user" \
		COOPR_STATE="$HELD/$user/state" COOPR_SANDBOX_SOCKET="$HELD/socket" ${COOPR_CATALOGUE+COOPR_CATALOGUE="$COOPR_CATALOGUE"} "$@")
}

@test "a user who is not root has machines by the helper, and enters them with a key of their own" {
	serve
	up_as nobody 1000
	same shop42-1000 "$(on_as nobody 1000 hostname)"
	same "00000042-1000 00000042 running here" "$(as nobody "$PROVIDER" list </dev/null | jq -r '"\(.id) \(.cluster) \(.state) \(.provider)"')"
	same "600 nobody" "$(stat -c '%a %U' "$HELD/nobody/state/ssh/id_ed25519")"
	same "$(jq -r .result.providerid nobody.1000.json)" "$(listed_as nobody providerid)"
	record 1000 | as nobody "$PROVIDER" create >again
	same "$(cat nobody.1000.json)" "$(cat again)"
	record 1000 '{kind, machine: {id: .machine.id}}' | as nobody "$PROVIDER" delete >deleted
	same 0 "$(jq .status deleted)"
	same "" "$(listed_as nobody id)"
	[ ! -e helper/sandbox ]
	contains "$(cat helper.log)" "uid $(id -u nobody): create $(id -u nobody)-"
}

@test "a service manager that listens at the socket starts the helper" {
	need_program systemd-socket-activate
	systemd-socket-activate -a --inetd -l "$HELD/socket" "$HELPER" "$PWD/allowed" 2>activate.log &
	listener=$!
	until [ -S "$HELD/socket" ]; do kill -0 "$listener"; sleep 0.05; done
	chgrp "$(id -g nobody)" "$HELD/socket"
	chmod 660 "$HELD/socket"
	up_as nobody 1000
	same running "$(listed_as nobody state)"
	as nobody "$PROVIDER" purge
	same "" "$(listed_as nobody state)"
}

@test "the helper has no more capabilities than its unit gives it" {
	names=$(sed -n 's/^CapabilityBoundingSet=//p' "$COOPR_ROOT/share/coopr/systemd/coopr-sandbox@.service" | sed 's/CAP_/+/g; s/ /,/g' | tr '[:upper:]' '[:lower:]')
	printf '#!/bin/sh\nexec setpriv --bounding-set=-all,%s --inh-caps=-all "%s" "$@"\n' "$names" "$HELPER" >"$HELD/less"
	chmod 755 "$HELD/less"
	HELPER=$HELD/less
	serve
	up_as nobody 1000
	on_as nobody 1000 'touch /usr/bin/x && chown nobody /usr/bin/x && su -s /bin/sh -c "id -un" nobody && rm -r /var/log && echo 1 >/etc/x'
	as nobody "$PROVIDER" purge >purged
	same 0 "$(jq .status purged)"
}

@test "a cluster of a user who is not root is created, used and deleted" {
	own_network
	jq --arg network "$NETWORK" '.provisioner = {network: $network}' "$COOPR_ROOT/share/coopr/catalogue/providers/sandbox.json" >mine/providers/sandbox.json
	hello_catalogue
	serve
	as nobody coopr-create hello -t hello -n 2 >created 2>&1 || { cat created; false; }
	same $'hello1-1000 | hello1-1000\nhello1-1001 | hello1-1001' "$(as nobody coopr-exec hello hostname | sort)"
	same "2 running" "$(listed_as nobody state | sort | uniq -c | xargs)"
	as nobody coopr-delete -y hello
	same "" "$(listed_as nobody state)"
}

@test "machines of one user are not another's, though all names are the same" {
	serve
	up_as nobody 1000
	up_as daemon 1000
	[ "$(jq .ipaddresses nobody.1000.json)" != "$(jq .ipaddresses daemon.1000.json)" ]
	same 1 "$(listed_as nobody id | wc -l)"
	theirs=$(jq -r .result.providerid nobody.1000.json)
	run -77 as daemon "$PROVIDER" delete <<<"$(record 1000 ".machine.facts = {providerid: \"$theirs\"}")"
	contains "$output" "is no machine of yours"
	run -69 as daemon "$PROVIDER" confirm <<<"$(record 1000 ".machine.facts = {providerid: \"$theirs\"}")"
	run ! on_as daemon 1000 "timeout 2 bash -c 'exec 3<>/dev/tcp/$(jq -r .ipaddresses.access_v4 nobody.1000.json)/22'"
	same 1 "$(on_as nobody 1000 'grep -c shop42 /etc/hosts')"
	# Another installation of the same user has its own, too.
	as nobody env COOPR_STATE="$HELD/nobody/other" "$PROVIDER" purge
	as daemon "$PROVIDER" purge
	same "" "$(listed_as daemon id)"
	same running "$(listed_as nobody state)"
	same shop42-1000 "$(on_as nobody 1000 hostname)"
}

@test "who is not in the group of the socket gets nothing, whatever the mode of its file" {
	serve "$(id -g daemon)" 660
	run -77 as nobody "$PROVIDER" create <<<"$(record 1000)"
	contains "$output" "this user may not ask the helper for machines"
	chmod 666 "$HELD/socket"
	run -77 as nobody "$PROVIDER" create <<<"$(record 1000)"
	contains "$output" "is not in the group $(id -g daemon) of the socket"
	[ ! -e helper/sandbox ]
}

@test "what the provider would have of the host, root's file allows, or it is refused with the line that would" {
	mkdir -m 755 "$HELD/srv"
	refused() { # JQ-FILTER LINE
		run -78 as nobody "$PROVIDER" create <<<"$(record 1000 "$1")"
		contains "$output" "root may add the line \\\"$2\\\""
		[ ! -e helper/sandbox ]
	}
	serve
	refused '.cluster.provider.provisioner.network = "10.9.0.0/24"' "network = 10.9.0.0/24"
	refused '.machine.image = "/"' "image = /"
	refused ".cluster.provider.provisioner.share = [\"$HELD/srv\"]" "share = $HELD/srv"
	refused '.cluster.provider.provisioner.share = ["/proc"]' "share = /proc"
	refused '.cluster.provider.provisioner.route = true' "route = yes"
	run -77 as nobody "$PROVIDER" create <<<"$(record 1000 '.cluster.provider.provisioner.unconfined = true')"
	contains "$output" "only root makes machines that are unconfined"
	printf 'share = %s # packages\nmemory = 100\ncpu=1\n' "$HELD/srv" >>allowed
	echo hello >"$HELD/srv/said"
	record 1000 ".cluster.provider.provisioner += {share: \"$HELD/srv\", flavors: {small: {cpu: 0.5, memory: 500}}}" |
		as nobody "$PROVIDER" create >nobody.1000.json
	as nobody "$PROVIDER" confirm <<<"$(record 1000)" >confirmed
	same hello "$(on_as nobody 1000 "cat $HELD/srv/said")"
	same "cpu=0.5 memory=100 processes=4096" "$(grep -hE '^(cpu|memory|processes)=' helper/sandbox/machines/*/machine | xargs)"
}

@test "a user has no more machines than root's file says" {
	echo 'machines = 1' >>allowed
	serve
	up_as nobody 1000
	run -69 as nobody "$PROVIDER" create <<<"$(record 1001)"
	contains "$output" "has as many machines as $PWD/allowed of this host allows, 1; delete some"
	up_as daemon 1000
}

@test "nor by many requests that come at the same moment" {
	echo 'machines = 3' >>allowed
	serve
	cp "$BATS_TEST_DIRNAME/helper-many.py" "$HELD/many.py"
	as nobody python3 "$HELD/many.py" "$HELD/socket" "$NETWORK" 12 >answers
	same "3 status=0 9 status=69" "$(sort answers | uniq -c | xargs)"
	same 3 "$(find helper/sandbox/machines -mindepth 1 -maxdepth 1 | wc -l)"
}

@test "root's file is not read where others may change it, or where it says what is no setting" {
	serve
	chmod 666 allowed
	run ! as nobody "$PROVIDER" create <<<"$(record 1000)"
	contains "$output" "the helper's answer is empty"
	contains "$(cat helper.log)" "allowed: others than root may change it"
	chmod 644 allowed
	chown nobody allowed
	run ! as nobody "$PROVIDER" create <<<"$(record 1000)"
	chown root allowed
	for line in 'unconfined = yes' 'network = all' 'share = etc' 'command = /bin/sh' share 'route = no more'; do
		echo "$line" >allowed
		run ! as nobody "$PROVIDER" create <<<"$(record 1000)"
		contains "$(tail -n 1 helper.log)" "allowed:1: is no setting"
	done
	[ ! -e helper ]
	run -77 as nobody "$HELPER" "$PWD/allowed" </dev/null
	run -64 "$HELPER"
}

@test "no request but a right one does anything, in one piece or in many, and one that does not end is left" {
	serve
	seed=${SEED:-$RANDOM}
	echo "seed $seed"
	python3 "$BATS_TEST_DIRNAME/helper-attack.py" "$HELD/socket" "$seed" "${CASES:-300}" >answers
	[ "$(wc -l <answers)" -eq 1 ] || { cat answers; false; }
	read -r right wrong <answers
	[ "$right" -gt 50 ] && [ "$wrong" -gt 150 ]
	[ ! -e helper/sandbox ]
}

@test "a helper that is killed at any step leaves what the next one completes or deletes" {
	make_shim
	serve
	record 1000 | as nobody "$PROVIDER" create >/dev/null # the copy of the host's files takes many steps
	as nobody "$PROVIDER" purge >/dev/null
	for ((at = 1; at < 400; at += ${CRASH_STEP:-5})); do
		printf 'ASAN_OPTIONS=verify_asan_link_order=0\nLD_PRELOAD=%s\nCRASH_AT=%s\n' "$PWD/shim.so" "$at" >helper.env
		! record 1000 | as nobody "$PROVIDER" create >killed 2>&1 || break
		rm helper.env
		record 1000 | as nobody "$PROVIDER" create >made
		same 1 "$(listed_as nobody id | wc -l)"
		printf 'ASAN_OPTIONS=verify_asan_link_order=0\nLD_PRELOAD=%s\nCRASH_AT=%s\n' "$PWD/shim.so" "$at" >helper.env
		record 1000 | as nobody "$PROVIDER" delete >/dev/null 2>&1 || true
		rm helper.env
		record 1000 ".machine.facts = {providerid: $(jq .result.providerid made)}" | as nobody "$PROVIDER" delete >/dev/null
		[ ! -e helper/sandbox ] || find helper/sandbox -print -exec false {} +
	done
	[ "$at" -gt 20 ] && [ "$at" -lt 400 ]
}
