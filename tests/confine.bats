#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# What is in force around filters and plugins, coopr-security(7). What a filter is refused is in tests/unit/confine.c.

load case

setup() {
	fresh
	need_confinement
}

# Waits until the program, which waits for its input, is confined; no more than ten seconds.
is_confined() {
	for _ in $(seq 1000); do
		[ "$(sed -n 's/^Seccomp:\s*//p' /proc/"$1"/status)" = 2 ] && grep -q '^NoNewPrivs:\s*1' /proc/"$1"/status && return
		read -r -t 0.01 <>nothing || true
	done
	return 1
}

@test "filters are confined before they read their input" {
	mkfifo input nothing
	for words in coopr-solve coopr-plan "coopr-plan --check" coopr-show "coopr-solve --check req.json -" \
		"$COOPR_BIN/../libexec/coopr/unarchive"; do
		: >req.json
		# shellcheck disable=SC2086
		$words <>input >out 2>&1 &
		is_confined $! || { echo "$words: it is not confined"; kill $!; return 1; }
		kill $!
	done
}

# A plugin, which tries what its arguments say: TRY line by line, and prints the lines that succeeded.
attacker() {
	export COOPR_PLUGINS=$PWD/plugins
	unset COOPR_PLUGIN_WRITE
	mkdir -p plugins/provider plugins/automator
	cat >plugins/provider/attacker <<-'EOT'
		#!/bin/bash
		[ "$1" = describe ] && { echo "{}"; exit; }
		task=$(cat)
		while IFS= read -r try; do
			if (eval "$try") >/dev/null 2>&1 </dev/null; then
				printf 'succeeded: %s\n' "$try" >&2
			fi
		done < <(jq -r '.cluster.provider.provisioner.tries[]' <<<"$task")
		echo '{"kind":"result","status":0}'
	EOT
	chmod 755 plugins/provider/attacker
}

# The task that has it try the lines of the file tries.
attack() {
	jq -cRn '{kind: "task", job: "00000001-001", id: "t1", attempt: 1, action: "create", type: "attacker", timeout_s: 600,
		machine: {id: "n1", nodenum: 1, hostname: "n1.x"}, nodes: env.NODES,
		cluster: {id: "c", name: "c", provider: {name: "p", providertype: "attacker", provisioner: {tries: [inputs]}}}}' tries >task.json
	coopr-exec <task.json >result.json 2>said
	same 0 "$(jq .status result.json)"
}

# Everything that coopr keeps here: a store with a secret, a queue with a job of another, a cluster, settings, sockets.
installation() {
	own_catalogue
	mkdir -p home/.config/coopr
	echo 'jobs = 3' >home/.config/coopr/config
	coopr-store init
	coopr-import "$COOPR_CATALOGUE" >/dev/null
	unset COOPR_CATALOGUE
	echo swordfish >password
	coopr-secret set dbpass password
	coopr-create -y -q -t lamp shop >out 2>&1
	mkdir -p run/coopr
	: >run/coopr/socket
}

@test "a plugin gets at nothing that coopr keeps: it reads, writes, makes, removes, links and lists none of it" {
	installation
	attacker
	find "$PWD/state" "$PWD/spool" "$PWD/home/.config/coopr" "$PWD/run/coopr" | grep -v "^$PWD/state/attacker" | shuf -n 60 --random-source=<(yes) >places
	printf '%s\n' "$PWD/state" "$PWD/spool" "$PWD/spool/jobs" "$PWD"/state/store.sqlite3* "$PWD"/home/.config/coopr/config >>places
	sort -u places -o places
	[ "$(wc -l <places)" -gt 40 ]
	jq -r -R '. as $p | @sh "\($p)" as $q |
		"cat \($q)", "ls -A \($q) | grep .", "echo x >>\($q)", "echo x >\($q)/new", "truncate -s 0 \($q)", "dd if=/dev/null of=\($q)", "mkdir \($q)/folder",
		"rm -rf \($q) && ! [ -e \($q) ]", "mv \($q) /tmp/coopr-stolen.$$", "ln \($q) /tmp/coopr-linked.$$",
		"ln -s \($q) /tmp/coopr-by.$$ && cat /tmp/coopr-by.$$/* /tmp/coopr-by.$$; r=$?; rm -f /tmp/coopr-by.$$; exit $r",
		"cat /proc/self/root\($q)", "cd \($q) && cat ./*", "exec 9<\($q) && cat <&9", "cp \($q) /dev/null",
		"cat \($q | gsub("/"; "//"))", "touch \($q)/new", "sqlite3 \($q) .dump | grep ."' places >tries
	[ "$(wc -l <tries)" -gt 700 ]
	# What SQLite shares among those who read the store, coopr-exec among them, is none of the contents.
	find state spool home/.config run/coopr -type f -not -path 'state/attacker*' -not -name 'store.sqlite3-shm' -exec sha256sum {} + | sort >before
	attack
	same "" "$(grep -a '^succeeded' said)"
	find state spool home/.config run/coopr -type f -not -path 'state/attacker*' -not -name 'store.sqlite3-shm' -exec sha256sum {} + | sort >after
	same "$(cat before)" "$(cat after)"
}

@test "a plugin signals and looks into no process outside, and has no socket of theirs without a file" {
	attacker
	mkfifo gate closed
	WORD=swordfish cat closed >/dev/null 3>&- &
	outside=$!
	python3 -c '
import socket, sys, time
s = socket.socket(socket.AF_UNIX); s.bind("\0coopr-confine-" + sys.argv[1]); s.listen(9)
open("bound", "w").close()
time.sleep(600)' "$outside" 3>&- &
	server=$!
	until [ -e bound ]; do read -r -t 0.01 <>gate || true; done
	# Root may look into the memory of all with perf_event_open(2), and so the kernel shows it these.
	[ "$(id -u)" -eq 0 ] || more=(environ maps)
	for pid in "$outside" '$PPID'; do
		for signal in 0 CONT STOP TERM KILL USR1; do
			echo "kill -$signal $pid"
		done
		for file in mem cwd/task.json root/etc/passwd "${more[@]}"; do
			echo "head -c 1 /proc/$pid/$file | grep -a ."
		done
		echo "readlink /proc/$pid/exe"
		echo "echo 0 >/proc/$pid/oom_score_adj"
		echo "python3 -c 'import ctypes; exit(ctypes.CDLL(None).ptrace(0x4206, $pid, 0, 0) != 0)'"
		echo "prlimit --pid $pid --cpu=1"
		echo "prlimit --pid $pid --fsize=0"
		echo "renice -n 19 -p $pid"
		echo "ionice -c 3 -p $pid"
		echo "taskset -p 1 $pid"
		echo "chrt -i -p 0 $pid"
		echo "python3 -c 'import fcntl, os; r, w = os.pipe(); fcntl.fcntl(r, 8, $pid); fcntl.fcntl(r, 10, 9); fcntl.fcntl(r, 4, os.O_ASYNC); os.write(w, bytes(1)); exit(1)'"
	done >tries
	cat >>tries <<-EOT
		python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect("\\0coopr-confine-$outside")'
		echo x >/proc/sys/kernel/core_pattern
		renice -n 19 -u "\$(id -u)"
		ionice -c 3 -u "\$(id -u)"
		unshare -m true
		unshare -Ur mount -t tmpfs none /mnt
		head -c 1 /dev/mem
		mknod /tmp/coopr-device.$$ c 1 5
		mknod /tmp/coopr-device.$$ b 7 0
	EOT
	# Root is what sudo would make of it.
	[ "$(id -u)" -eq 0 ] || echo "sudo -n true" >>tries
	attack
	kill "$outside" "$server"
	same "" "$(grep -a '^succeeded' said)"
}

@test "a plugin does what plugins do: programs, network, files of its own and temporary ones" {
	attacker
	mkdir -p home/.ssh outside
	echo key >home/.ssh/id_ed25519
	echo node >nodes
	python3 -u -m http.server --bind 127.0.0.1 0 >port 2>&1 3>&- &
	server=$!
	mkfifo gate
	until grep -q 'port [0-9]' port; do read -r -t 0.01 <>gate || true; done
	url=$(sed -n 's/.*(\(http:[^)]*\)).*/\1/p' port)
	cat >tries <<-EOT
		curl -fsS $url
		cat ~/.ssh/id_ed25519
		echo x >"\$COOPR_STATE/attacker/mine" && cat "\$COOPR_STATE/attacker/mine"
		cat <<<x | grep x
		python3 -c 'import json, ssl, subprocess; subprocess.run(["true"], check=True)'
		sleep 100 & kill \$!
		getent passwd root
		cat $PWD/nodes
		ssh -V
		echo x >/dev/null
	EOT
	NODES=$PWD/nodes attack
	kill "$server"
	same "$(cat tries)" "$(sed -n 's/^succeeded: //p' said)"
}

@test "settings give a plugin more, or take its confinement away; without them it writes nowhere else" {
	attacker
	mkdir -p home/.config/coopr state/wide
	echo secret >state/theirs
	printf 'echo x >%s/state/wide/new\ncat %s/state/theirs\n' "$PWD" "$PWD" >tries
	attack
	same "" "$(grep -a '^succeeded' said)"
	printf '[plugin attacker]\nwrite = /nonexistent %s/state/wide\nread = %s/state/theirs\n' "$PWD" "$PWD" >home/.config/coopr/config
	attack
	same "$(cat tries)" "$(sed -n 's/^succeeded: //p' said)"
	rm home/.config/coopr/config
	COOPR_PLUGIN_WRITE=/nonexistent:$PWD/state/wide attack
	same "$(head -n 1 tries)" "$(sed -n 's/^succeeded: //p' said)"
	printf '[plugin attacker]\nconfine = no\n' >home/.config/coopr/config
	attack
	same "$(cat tries)" "$(sed -n 's/^succeeded: //p' said)"
}

@test "where a plugin fails that was refused something, the log names the setting, and the reason stays its own" {
	attacker
	mkdir -p home/.config/coopr state
	echo secret >state/theirs
	sed -i 's/^echo .*status.*/cat "$COOPR_STATE\/theirs"; exit 3/' plugins/provider/attacker
	: >tries
	run attack
	contains "$(cat said)" "[coopr: provider/attacker is confined; if it was refused what it needs, see [plugin attacker] in coopr-config(5)]"
	contains "$(jq -r .message result.json)" "Permission denied"
	printf '[plugin attacker]\nconfine = no\n' >home/.config/coopr/config
	run attack
	[[ $(cat said) != *confined* ]]
}

@test "plugins of the installation are confined while they do a task, and while they stream" {
	mkfifo input nothing
	for plugin in provider/dummy automator/dummy automator/shell automator/puppet automator/ansible automator/itamae automator/chef automator/cloud-init automator/docker automator/podman; do
		"$COOPR_BIN/../libexec/coopr/$plugin" stream <>input >out 2>&1 &
		is_confined $! || { echo "$plugin: it is not confined"; kill $!; return 1; }
		kill $!
	done
}
