#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# What the automator ansible-control lets a playbook reach on this host, coopr-automators(7): tried by a program that stands in for ansible-playbook.
# What ansible itself does is in tests/cloud/automator-ansible-control.bats.

load case

setup() {
	fresh
	need_confinement
	mkdir -p bin catalogue/scripts state/ssh run/coopr/ssh.test spool/jobs outside home/.config/coopr
	# As a worker has it.
	export COOPR_SSH_SOCKETS=$PWD/run/coopr/ssh.test
	ssh-keygen -q -t ed25519 -N '' -f state/ssh/mine
	ssh-keygen -q -t ed25519 -N '' -f state/ssh/theirs
	ssh-keygen -q -t ed25519 -N '' -f hostkey
	coopr-store init
	# It tries the lines of the playbook, and says which succeeded.
	cat >bin/ansible-playbook <<-'END'
		#!/bin/bash
		[ "$1" != --version ] || { echo "ansible-playbook [core 2.99.1]"; exit; }
		while IFS= read -r try; do
			if (eval "$try") >/dev/null 2>&1 </dev/null; then
				printf 'succeeded: %s\n' "$try"
			fi
		done <"${@: -1}"
	END
	chmod 755 bin/ansible-playbook
	PATH=$PWD/bin:$PATH
}

teardown() {
	[ -z "${SERVER-}" ] || kill "$SERVER" || true
}

# A socket of each kind answers: run/tcp has the port, run/unix and, in the abstract, coopr-PID are the others.
serve() {
	python3 -c '
import os, socket, time
here = [socket.create_server(("127.0.0.1", 0))] + [socket.socket(socket.AF_UNIX) for _ in range(2)]
for one, name in zip(here[1:], ["outside/unix", "\0coopr-%d" % os.getpid()]):
    one.bind(name)
    one.listen(9)
with open("port.new", "w") as file:
    file.write(str(here[0].getsockname()[1]))
os.rename("port.new", "port")
time.sleep(600)' 3>&- &
	SERVER=$!
	until [ -e port ]; do kill -0 "$SERVER"; sleep 0.02; done
}

# What succeeded of the lines of the file.
tried() {
	cp "$1" catalogue/scripts/site.yml
	rm -f log
	jq -n --arg dir "$PWD" --arg hostkey "$(cut -d ' ' -f 1,2 hostkey.pub)" '{kind: "task", id: "t1", job: "00000042-001", attempt: 1, action: "configure",
		service: "web", type: "ansible-control", fields: {playbook: "site.yml"}, timeout_s: 120, log: "\($dir)/log",
		cluster: {id: "00000042", name: "shop", catalogue: "\($dir)/catalogue", config: {}},
		machine: {id: "00000042-1000", nodenum: 1000, hostname: "shop42-1000", services: ["web"], ipaddresses: {access_v4: "192.0.2.1"},
			facts: {ssh_host_keys: {ed25519: $hostkey}, "ssh-auth": {user: "root", identityfile: "\($dir)/state/ssh/mine"}}}}' | jq -c . >task.json
	coopr-exec -q <task.json >result.json || { cat result.json log; return 1; }
	sed -n 's/.*succeeded: //p' log
	same "" "$(ls -A "$COOPR_SSH_SOCKETS")"
}

@test "it reads, changes and reaches what ansible needs and the page says, and nothing else of this host" {
	serve
	cat >may <<-END
		echo x >"\$COOPR_DIR/made" && rm "\$COOPR_DIR/made"
		mkdir -p "\$HOME/.ansible/tmp" && echo x >"\$TMPDIR/made" && mv "\$TMPDIR/made" "\$HOME/.ansible/tmp"
		head -c 1 /etc/passwd && cat $PWD/hostkey.pub && ls /usr
		cat $PWD/state/ssh/mine
		grep 00000042-1000 "\$("\$COOPR_DIR/coopr-ssh" -G host | sed -n 's/^userknownhostsfile //p')"
		"\$COOPR_DIR/coopr-ssh" -G host | grep "^identityfile $PWD/state/ssh/mine\$"
		python3 -c 'import multiprocessing; multiprocessing.Lock(); multiprocessing.Queue()'
		python3 -c 'import socket; socket.create_connection(("127.0.0.1", $(cat port)))'
		echo x >/dev/null && head -c 1 /dev/urandom
	END
	cat >may_not <<-END
		cat $PWD/state/ssh/theirs
		cat $PWD/state/store.sqlite3
		echo x >>$PWD/state/ssh/mine
		ls $PWD/state/ssh
		ls $PWD/spool
		ls "\$TMPDIR/.."
		ls /dev/shm
		echo x >$PWD/outside/made
		echo x >>$PWD/hostkey.pub
		rm $PWD/hostkey.pub
		echo x >/tmp/coopr-made.$$
		echo x >/var/tmp/coopr-made.$$
		echo x >/etc/coopr-made.$$
		echo x >~root/coopr-made.$$
		mknod "\$TMPDIR/device" c 1 5
		mknod "\$TMPDIR/device" b 7 0
		kill -0 $SERVER
		head -c 1 /proc/$SERVER/mem
		head -c 1 /proc/$SERVER/cwd/hostkey.pub
		unshare -m true
		unshare -Ur mount -t tmpfs none /mnt
		python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect("$PWD/outside/unix")'
		python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect("\0coopr-$SERVER")'
		python3 -c 'import socket; socket.socket(socket.AF_VSOCK)'
		python3 -c 'import socket; socket.socket(socket.AF_PACKET, socket.SOCK_RAW)'
	END
	cat may may_not >tries
	same "$(sort may)" "$(tried tries | sort)"
	same unix "$(ls outside)"
}

@test "settings give it more, as they do for a plugin of one's own, or leave it unconfined" {
	serve
	cat >tries <<-END
		echo x >>$PWD/outside/made
		cat $PWD/state/ssh/theirs
		echo x >>$PWD/made
		python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect("$PWD/outside/unix")'
	END
	printf '%s\n' '[plugin ansible-control]' "write = $PWD/outside" "read = $PWD/state/ssh/theirs" >home/.config/coopr/config
	same "$(head -n 2 tries)" "$(tried tries)"
	printf '%s\n' '[plugin ansible-control]' 'confine = no' >home/.config/coopr/config
	same "$(cat tries)" "$(tried tries)"
}

@test "the path of the folder of a run may be long" {
	long=$PWD/$(printf 'n%.0s' {1..100})
	mkdir "$long"
	export COOPR_SSH_SOCKETS=$long
	# shellcheck disable=SC2016 # the program expands it
	echo 'test ${#COOPR_DIR} -gt 100 && echo x >"$COOPR_DIR/made"' >tries
	same "$(cat tries)" "$(tried tries)"
}

@test "what is run for a bootstrap is confined, too" {
	cat >bin/ansible <<-END
		#!/bin/sh
		cat $PWD/state/ssh/theirs >&2 && echo 0.0 || echo 2.99.1
	END
	chmod 755 bin/ansible
	: >tries
	tried tries
	jq -c '.action = "bootstrap" | .service = null' task.json | coopr-exec -q >result.json
	same 2.99.1 "$(jq -r .result.ansible result.json)"
}
