#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-sandbox(7), without root: machines that a user makes without anybody's help, in a user namespace.

load case
load sandbox

setup() {
	fresh
	need_root
	need_program sshd ssh ssh-keygen ssh-keyscan ip jq setpriv newuidmap newgidmap
	if [ ! -e /etc/subuid ] || [ ! -e /etc/subgid ]; then skip "needs /etc/subuid and /etc/subgid"; fi
	PROVIDER=$COOPR_BIN/../libexec/coopr/provider/sandbox
	setpriv --reuid=nobody --clear-groups test -x "$PROVIDER" || skip "needs a checkout that others may read"
	setpriv --reuid=nobody --clear-groups unshare -Urnm true 2>/dev/null || skip "needs a kernel that gives users namespaces"
	NETWORK=10.$((216 + $$ / 256 % 32)).$(($$ % 256)).0/24
	HELD=/tmp/coopr-nested.$$
	mkdir -m 755 "$HELD"
	mkdir -p "$(copies)"
	for user in nobody daemon; do
		install -d -o "$user" -m 700 "$HELD/$user" "$HELD/$user/state"
		[ ! -d "$(copies)/$user" ] || mv -T "$(copies)/$user" "$HELD/$user/state/sandbox-host"
	done
	printf 'nobody:%s:65536\ndaemon:%s:65536\n' 500000000 500065536 >subordinate
	links=$(ip -o link show | cut -d: -f2 | sort)
	unset COOPR_STATE COOPR_SPOOL XDG_RUNTIME_DIR
}

teardown() {
	[ -n "${links:-}" ] || return 0
	[ ! -d "$HELD/nobody" ] || as nobody "$PROVIDER" purge >/dev/null
	find "$HELD" -path '*/sandbox/*' -o -path '*/sandbox-world*' | grep . && return 1
	pgrep -r DIRST -u nobody,500000000 coopr- && return 1
	same "$links" "$(ip -o link show | cut -d: -f2 | sort)"
	# The copy of the host's files takes some seconds: it is kept for the next test.
	for user in nobody daemon; do
		[ ! -d "$HELD/$user/state/sandbox-host" ] || mv -T "$HELD/$user/state/sandbox-host" "$(copies)/$user"
	done
	rm -rf "$HELD"
}

teardown_file() {
	rm -rf "$(copies)"
}

copies() {
	echo "/tmp/coopr-copies.$(basename "$BATS_FILE_TMPDIR").$BATS_ROOT_PID"
}

# Runs a command as a user who has subordinate ids, and no helper: as USER COMMAND...
as() {
	local user=$1

	shift
	(cd "$HELD/$user" && exec unshare -m --propagation private sh -c 'mount --bind "$0" /etc/subuid && mount --bind "$0" /etc/subgid && exec "$@"' \
		"$BATS_TEST_TMPDIR/subordinate" setpriv --reuid "$user" --regid "$(id -g "$user")" --clear-groups env -i PATH="$PATH" HOME="$HELD/$user" \
		COOPR_STATE="$HELD/$user/state" COOPR_SANDBOX_SOCKET=/nowhere ${COOPR_CATALOGUE+COOPR_CATALOGUE="$COOPR_CATALOGUE"} "$@")
}

@test "a user who is not root has machines without help, enters them by the host's loopback, and leaves nothing" {
	up_as nobody 1000
	contains "$(jq -r .ipaddresses.access_v4 nobody.1000.json)" "127.${NETWORK#10.}" || contains "$(jq -r .ipaddresses.access_v4 nobody.1000.json)" 127.
	same shop42-1000 "$(on_as nobody 1000 hostname)"
	same "00000042-1000 00000042 running here" "$(as nobody "$PROVIDER" list </dev/null | jq -r '"\(.id) \(.cluster) \(.state) \(.provider)"')"
	record 1000 | as nobody "$PROVIDER" create >again
	same "$(cat nobody.1000.json)" "$(cat again)"
	head -c 3000000 /dev/urandom >much
	same "$(sha256sum <much)" "$(on_as nobody 1000 'tee /root/much | sha256sum' <much)"
	same "$(sha256sum <much)" "$(on_as nobody 1000 'cat /root/much' | sha256sum)"
	record 1000 '{kind, machine: {id: .machine.id}}' | as nobody "$PROVIDER" delete >deleted
	same 0 "$(jq .status deleted)"
	same "" "$(listed_as nobody id)"
}

@test "root of such a machine is none of the host's users, and neither mounts nor sees what is the user's" {
	up_as nobody 1000
	echo secret >"$HELD/nobody/mine"
	chmod 644 "$HELD/nobody/mine"
	pid=$(listed_as nobody pid)
	same 500000000 "$(ps -o uid= --ppid "$pid" | head -n 1 | xargs)"
	same 0 "$(on_as nobody 1000 'id -u')"
	run ! on_as nobody 1000 "cat $HELD/nobody/mine"
	for words in 'mount -t tmpfs none /mnt' 'unshare -U true' 'unshare -m true' "kill -KILL $$" 'mknod /var/tmp/sda b 8 0' \
		'echo >>/usr/bin/env' 'echo 1 >/proc/sys/kernel/sysrq' 'chrt -f 1 true' 'cat /proc/1/root/etc/hostname'; do
		run ! on_as nobody 1000 "$words"
	done
	on_as nobody 1000 'touch /etc/new /var/lib/new && useradd -m somebody && rm /etc/passwd- && su -s /bin/sh -c "touch /tmp/x" nobody'
	same "" "$(on_as nobody 1000 'find /opt /srv /mnt /media /boot /home -mindepth 1 -maxdepth 1 ! -name somebody')"
}

@test "packages are installed on_as such a machine, and removed" {
	need_program dpkg-deb
	mkdir -p deb/DEBIAN deb/usr/bin deb/usr/lib/coopr-hello deb/etc
	printf 'Package: coopr-hello\nVersion: 1\nArchitecture: all\nMaintainer: nobody <nobody@example.net>\nDescription: hello\n' >deb/DEBIAN/control
	printf '#!/bin/sh\necho hello\n' >deb/usr/bin/coopr-hello
	chmod 755 deb/usr/bin/coopr-hello
	echo x >deb/etc/coopr-hello
	dpkg-deb --root-owner-group -b deb hello.deb >/dev/null
	up_as nobody 1000
	on_as nobody 1000 'cat >/root/hello.deb && dpkg -i /root/hello.deb' <hello.deb
	same hello "$(on_as nobody 1000 coopr-hello)"
	on_as nobody 1000 'dpkg --audit && dpkg -l coopr-hello | grep -q ^ii && dpkg -P coopr-hello && ! command -v coopr-hello'
	on_as nobody 1000 'rm /usr/bin/env && touch /usr/bin/env /usr/local/bin/new'
	[ -e /usr/bin/env ]
}

@test "machines of a cluster reach each other by name, and those of another cluster or user do not" {
	up_as nobody 1000
	up_as nobody 1001
	record 1002 '.cluster.id = "00000043" | .machine.id = "00000043-1002"' | as nobody "$PROVIDER" create >nobody.1002.json
	up_as daemon 1000
	same SSH- "$(on_as nobody 1000 'exec 3<>/dev/tcp/shop42-1001/22; head -c 4 <&3')"
	run ! on_as nobody 1000 "timeout 2 bash -c 'exec 3<>/dev/tcp/$(jq -r .ipaddresses.bind_v4 nobody.1002.json)/22'"
	same shop42-1000 "$(on_as daemon 1000 hostname)"
	same "3 1" "$(listed_as nobody id | wc -l | xargs) $(listed_as daemon id | wc -l)"
	as daemon "$PROVIDER" purge
	same shop42-1001 "$(on_as nobody 1001 hostname)"
}

@test "machines that are made at the same time are in one world" {
	for n in 1000 1001 1002 1003; do
		record "$n" | as nobody "$PROVIDER" create >"nobody.$n.json" &
	done
	wait
	same 1 "$(pgrep -c -r DIRST -u nobody coopr-world)"
	for n in 1000 1001 1002 1003; do
		record "$n" | as nobody "$PROVIDER" confirm >/dev/null
		same "shop42-$n" "$(on_as nobody "$n" hostname)"
	done
}

@test "what only root could give is refused, with what to do" {
	run -78 as nobody "$PROVIDER" create <<<"$(record 1000 '.cluster.provider.provisioner.route = true')"
	contains "$output" "have no route out of this host"
	run -77 as nobody "$PROVIDER" create <<<"$(record 1000 '.cluster.provider.provisioner.unconfined = true')"
	run -78 as nobody "$PROVIDER" create <<<"$(record 1000 '.machine.image = "/"')"
	contains "$output" "make it with: mmdebstrap --mode=unshare"
	record 1000 | as nobody "$PROVIDER" create >nobody.1000.json 2>told
	contains "$(cat told)" "they are of a user who is not root"
	: >subordinate
	run -77 as daemon "$PROVIDER" create <<<"$(record 1000)"
	contains "$output" "root runs: usermod --add-subuids 100000-165535 --add-subgids 100000-165535 daemon"
	printf 'nobody:%s:65536\n' 500000000 >subordinate
}

@test "a machine whose world or whose way to the host has ended is dead, and is made anew" {
	for process in coopr-world coopr-relay; do
		up_as nobody 1000
		pkill -KILL -u nobody "$process"
		until [ "$(listed_as nobody state)" = dead ]; do sleep 0.05; done
		record 1000 | as nobody "$PROVIDER" delete >/dev/null
		same "" "$(listed_as nobody state)"
	done
	up_as nobody 1000
	same shop42-1000 "$(on_as nobody 1000 hostname)"
}

@test "a create that was killed at any step is completed or deleted by the next one" {
	make_shim
	cp shim.so "$HELD/shim.so"
	chmod 755 "$HELD/shim.so"
	record 1000 | as nobody "$PROVIDER" create >/dev/null # the copy of the host's files takes many steps
	as nobody "$PROVIDER" purge >/dev/null
	for ((at = 1; at < 400; at += ${CRASH_STEP:-7})); do
		! record 1000 | as nobody env ASAN_OPTIONS=verify_asan_link_order=0 LD_PRELOAD="$HELD/shim.so" CRASH_AT="$at" "$PROVIDER" create >killed 2>&1 || break
		record 1000 | as nobody "$PROVIDER" create >nobody.1000.json
		same 1 "$(listed_as nobody id | wc -l)"
		same shop42-1000 "$(record 1000 | as nobody "$PROVIDER" confirm | jq -r '.hostname[:11]')"
		as nobody "$PROVIDER" purge >/dev/null
	done
	[ "$at" -gt 20 ] && [ "$at" -lt 400 ]
}

@test "a cluster of a user without root is created, used and deleted; doctor says how" {
	own_network
	jq --arg network "$NETWORK" '.provisioner = {network: $network}' "$COOPR_ROOT/share/coopr/catalogue/providers/sandbox.json" >mine/providers/sandbox.json
	hello_catalogue
	as nobody coopr-create hello -t hello -n 2 >created 2>&1 || { cat created; false; }
	same $'hello1-1000 | hello1-1000\nhello1-1001 | hello1-1001' "$(as nobody coopr-exec hello hostname | sort)"
	same hello1-1001 "$(as nobody coopr-ssh hello/1001 hostname)"
	contains "$(as nobody coopr-doctor 2>&1 || :)" "sandbox nodes of this user are in a user namespace"
	as nobody coopr-delete -y hello
	same "" "$(listed_as nobody state)"
}

@test "an image that is unpacked is one that its user may have" {
	make_tree
	tar -C tree --numeric-owner -cf "$HELD/image.tar" . && chmod 644 "$HELD/image.tar"
	record 1000 ".machine.image = \"$HELD/image.tar\"" | as nobody "$PROVIDER" create >nobody.1000.json
	record 1000 | as nobody "$PROVIDER" confirm >/dev/null
	same first "$(on_as nobody 1000 'cat /etc/motd')"
	on_as nobody 1000 'echo theirs >/etc/motd'
}
