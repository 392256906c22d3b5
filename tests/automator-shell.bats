#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-shell(7), against a real sshd.

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

# Starts a script, of the process $pid, that notes when it is ended; $job is the coopr-exec around it.
start_slow() {
	mkfifo started
	script slow.sh <<-END
		#!/bin/bash
		trap 'echo ended >$PWD/trace; exit 1' TERM
		echo \$\$ >$PWD/started
		sleep 1000 &
		wait
	END
	task install '{"script": "slow.sh"}' >task.json
	coopr-exec -q <task.json >result.json 3>&- &
	job=$!
	hear started pid
}

# Nothing of the task is left on the machine.
clean_node() {
	[ -z "$(find /tmp -maxdepth 1 -name 'coopr.*' -newer task.json)" ]
	[ ! -e /run/coopr/00000042-001:t1.pid ]
}

@test "bootstrap looks whether the node can be entered and changes nothing" {
	do_task bootstrap '{}'
	same 0 "$(member .status)"
	clean_node
}

@test "a script runs in a private directory, with its arguments and environment" {
	script env.sh <<-'END'
		#!/bin/sh
		echo "args=$#:$1:$2"
		echo "$COOPR_ACTION $COOPR_SERVICE $COOPR_CLUSTER $COOPR_CLUSTER_ID $COOPR_HOSTNAME $COOPR_NODENUM $COOPR_NODE $COOPR_TASK"
		[ "$PWD" = "$COOPR_DIR" ] && stat -c %a . && umask && echo "$LC_ALL"
		cat config.json
		ls
	END
	do_task install '{"script": "env.sh", "args": "one \"two  three\""}' '{"a": 1}'
	same 0 "$(member .status)"
	same "args=2:one:two  three
install web shop 00000042 shop42-1000.example.net 1000 00000042-1000 00000042-001:t1
700
0022
C.UTF-8
{\"a\":1}
config.json
env.sh
lib.sh" "$(member .stderr)"
	same "$(member .stderr)" "$(cat log)"
	clean_node
}

@test "a script's exit code is the status, its last line the message, and nothing is left behind" {
	script fails.sh <<-'END'
		echo "starting"
		echo "apt: no space left" >&2
		exit 7
	END
	do_task install '{"script": "fails.sh"}'
	same 7 "$(member .status)"
	contains "$(member .message)" "node 00000042-1000: fails.sh exited with 7: apt: no space left"
	clean_node
}

@test "a script that is killed by a signal fails with 128 + signal" {
	script killed.sh <<-'END'
		#!/bin/bash
		kill -9 $$
	END
	do_task install '{"script": "killed.sh"}'
	same 137 "$(member .status)"
	contains "$(member .message)" "was killed by signal 9"
	clean_node
}

@test "a script reads nothing: its stdin is empty" {
	script reads.sh <<-'END'
		wc -c
	END
	do_task install '{"script": "reads.sh"}'
	same 0 "$(member .status)"
	same 0 "$(member .stderr)"
}

@test "5 MB of output go to the log whole, and their end into the result; of 10 MB, their beginning and their end" {
	script noisy.sh <<-'END'
		yes 0123456789abcde | head -n 655360
		echo end
	END
	do_task install '{"script": "noisy.sh"}'
	same 0 "$(member .status)"
	same 7340167 "$(wc -c <log)"
	same "0123456789abcde end" "$(head -n 1 log) $(tail -n 1 log)"
	grep -q '^\[coopr: 3145732 bytes are left out here\]$' log
	[ "$(member '.stderr | length')" -le 8192 ]
	contains "$(member .stderr)" "end"
	rm log
	sed -i 's/655360/327680/' catalogue/scripts/noisy.sh
	do_task install '{"script": "noisy.sh"}'
	same 5242884 "$(wc -c <log)"
}

@test "a daemon that keeps the output open is not waited for" {
	script daemon.sh <<-'END'
		sleep 1000 &
		echo $!
	END
	do_task install '{"script": "daemon.sh"}'
	same 0 "$(member .status)"
	clean_node
	# It runs on, and is ours to end.
	kill "$(member .stderr)"
}

@test "output streams: a line is in the log while the script still runs" {
	mkfifo go
	script slow.sh <<-END
		echo before
		read -r line <$PWD/go
		echo after
	END
	task install '{"script": "slow.sh"}' >task.json
	coopr-exec -q <task.json >result.json 3>&- &
	job=$!
	until grep -q before log 2>/dev/null; do sleep 0.05; done
	run -1 grep after log
	echo >go
	wait $job
	same 0 "$(member .status)"
}

@test "every byte but NUL goes through arguments unchanged" {
	script bytes.sh <<-'END'
		#!/bin/bash
		printf '%s' "$1" | od -An -v -tx1 | tr -d ' \n'
	END
	# As JSON knows characters, not bytes: every code point that is one byte or two in UTF-8.
	jq -rn '[range(1; 256)] | implode' | head -c -1 >characters
	args=$(jq -Rs '"'"'"'" + (. / "'"'"'" | join("'"'"'\\'"'"''"'"'")) + "'"'"'"' <characters)
	do_task install "$(jq -cn --argjson args "$args" '{script: "bytes.sh", args: $args}')"
	same 0 "$(member .status)"
	same "$(od -An -v -tx1 <characters | tr -d ' \n')" "$(member .stderr)"
}

@test "every byte goes through the contents of files, NUL too, and all but / and NUL through their names" {
	mkdir catalogue/scripts/all
	python3 - <<-'END'
		import os
		every = bytes(range(256))
		open("catalogue/scripts/contents", "wb").write(every * 3 + b"no newline")
		for byte in set(range(1, 256)) - {ord("/")}:
		    name = b"n" + bytes([byte])
		    open(b"catalogue/scripts/all/" + name, "wb").write(name)
	END
	script look.sh <<-'END'
		#!/bin/bash
		sha256sum <contents
		for file in all/*; do printf '%s' "${file#all/}" | cmp - "$file"; done
		find all -type f -printf x | wc -c
	END
	do_task install '{"script": "look.sh", "files": "contents all"}'
	same 0 "$(member .status)"
	same "$(sha256sum <catalogue/scripts/contents)
254" "$(member .stderr)"
	clean_node
}

@test "files are found like scripts, folders go whole, what was executable stays so" {
	mkdir -p catalogue/scripts/web/conf.d/deep
	echo tool >catalogue/scripts/web/tool
	chmod 755 catalogue/scripts/web/tool
	echo one >catalogue/scripts/web/conf.d/one
	echo two >"catalogue/scripts/web/conf.d/deep/with blank"
	echo elsewhere >outside
	script list.sh <<-'END'
		find . -type f -printf '%m %P\n' | LC_ALL=C sort -k2
	END
	do_task install "{\"script\": \"list.sh\", \"files\": \"web/conf.d 'web/tool' $PWD/outside\"}"
	same "600 config.json
600 lib.sh
600 list.sh
600 outside
600 web/conf.d/deep/with blank
600 web/conf.d/one
700 web/tool" "$(member .stderr)"
	clean_node
}

@test "a script in any language runs by what stands behind #!" {
	script hello.py <<-'END'
		#!/usr/bin/env python3
		import json, sys
		print(json.load(open("config.json"))["a"]["b"], sys.argv[1])
	END
	do_task install '{"script": "hello.py", "args": "x"}' '{"a": {"b": "value"}}'
	same "value x" "$(member .stderr)"
}

@test "coopr_config gives values, lists line by line, defaults" {
	script config.sh <<-'END'
		set -e
		. ./lib.sh
		coopr_config nginx/port 80
		coopr_config nginx/absent 8080
		coopr_config nginx/none default
		coopr_config list
		coopr_config list/1
		coopr_config deep/0/x
		coopr_config 'quote'
		coopr_config a~1b
		coopr_config number; coopr_config truth; [ -z "$(coopr_config empty x)" ]
	END
	do_task install '{"script": "config.sh"}' '{"nginx": {"port": 81, "none": null}, "list": ["x y", 2], "deep": [{"x": "in"}],
		"quote": "it'\''s \"$HOME\" `id`", "a/b": "slash", "number": 1.5, "truth": true, "empty": ""}'
	same 0 "$(member .status)"
	same "81
8080
default
x y
2
2
in
it's \"\$HOME\" \`id\`
slash
1.5
true" "$(member .stderr)"
}

@test "coopr_config ends the script as misconfigured, with a sentence, where there is no value" {
	script config.sh <<-'END'
		set -e
		. ./lib.sh
		value=$(coopr_config "$1")
		echo "not reached: $value"
	END
	do_task install '{"script": "config.sh", "args": "nginx/port"}' '{"nginx": {"a": 1, "b": 2}}'
	same 78 "$(member .status)"
	contains "$(member .message)" "configuration: /nginx/port: there is no such member"
	do_task install '{"script": "config.sh", "args": "nginx"}' '{"nginx": {"a": 1, "b": 2}}'
	same 78 "$(member .status)"
	contains "$(member .message)" "/nginx: it is an object; its members: a, b"
	task install '{"script": "config.sh", "args": "upstream"}' '{"upstream": "%ip.service.x%"}' |
		jq -c '.cluster.unexpanded = [{pointer: "/upstream", text: "%ip.service.x%: no node has the service x"}]' |
		coopr-exec -q >result.json
	same 78 "$(member .status)"
	contains "$(member .message)" "/upstream: %ip.service.x%: no node has the service x"
	# Of more than a hundred the rest is listed as one.
	task install '{"script": "config.sh", "args": "upstream"}' '{"upstream": "%ip.service.x%"}' |
		jq -c '.cluster.unexpanded = [{pointer: "", text: "it has a macro that cannot be expanded"}]' | coopr-exec -q >result.json
	same 78 "$(member .status)"
	contains "$(member .message)" "/upstream: it has a macro that cannot be expanded"
	task install '{"script": "config.sh", "args": "upstream"}' '{"upstream": "100%"}' |
		jq -c '.cluster.unexpanded = [{pointer: "", text: "it has a macro that cannot be expanded"}]' | coopr-exec -q >result.json
	same 0 "$(member .status)"
}

@test "a configuration of long names with many values is refused before it takes the memory of the host" {
	script config.sh <<<:
	python3 -c 'import json; print(json.dumps({"n" * 1000000: list(range(100000))}))' >config
	task install '{"script": "config.sh"}' '{}' | jq -c --slurpfile config config '.cluster.config = $config[0]' >task.json
	(ulimit -v 2000000 && coopr-exec -q) <task.json >result.json
	same 78 "$(member .status)"
	same 'lib.sh: more than 64 MiB for one script' "$(member .message)"
}

@test "coopr_nodes lists the nodes of a service by nodenum, with what is known of them last" {
	cat >nodes.ndjson <<-'END'
		{"kind":"node","id":"00000042-1001","nodenum":1001,"hostname":"b.example.net","services":["db","web"],"was":null,"ipaddresses":{"bind_v4":"10.0.0.2","access_v4":"192.0.2.2"}}
		{"kind":"node","id":"00000042-1000","nodenum":1000,"hostname":"a.example.net","services":["web"],"was":null}
		{"kind":"node","id":"00000042-1003","nodenum":1003,"hostname":"d.example.net","services":["late"],"was":null}
		{"kind":"node","id":"00000042-1000","nodenum":1000,"hostname":"a.example.net","services":["web"],"was":null,"ipaddresses":{"bind_v4":"10.0.0.1","access_v4":"192.0.2.1"}}
		{"kind":"node","id":"00000042-1002","nodenum":1002,"hostname":"c.example.net","services":null,"was":["web"]}
	END
	script nodes.sh <<-'END'
		set -e
		. ./lib.sh
		coopr_nodes web; coopr_nodes web ip; coopr_nodes db access_ip; coopr_nodes nobody
		coopr_nodes late ip
	END
	do_task install '{"script": "nodes.sh"}'
	same 78 "$(member .status)"
	contains "$(member .message)" "coopr_nodes late ip: not known yet for node 00000042-1003"
	same "a.example.net
b.example.net
10.0.0.1
10.0.0.2
192.0.2.2" "$(member .stderr | head -n 5)"
}

@test "coopr_nodes leaves out what the task leaves out, and refuses what a new action does not declare" {
	jq -cn '["a", "b"] | to_entries[] | {kind: "node", id: .value, nodenum: .key, hostname: "\(.value).example.net", services: ["db", "web"], was: null}' >nodes.ndjson
	script nodes.sh <<-'END'
		set -e
		. ./lib.sh
		coopr_nodes web
		coopr_nodes db
	END
	asking() { # FIELDS STRICT
		task install "$1" | jq -c --argjson strict "$2" '.without = {web: ["b"]} | .cluster += {asked: ["web"], strict: $strict}' |
			coopr-exec -q >result.json
	}
	asking '{"script": "nodes.sh", "nodes": ["db"]}' true
	same 0 "$(member .status)"
	same "a.example.net a.example.net b.example.net" "$(member .stderr | xargs)"
	asking '{"script": "nodes.sh"}' true
	same 78 "$(member .status)"
	contains "$(member .message)" 'coopr_nodes db: plans neither wait for it nor configure this service again when it changes; write "nodes": ["db"] into the fields of the action'
	asking '{"script": "nodes.sh"}' false
	same 0 "$(member .status)"
	contains "$(member .stderr)" 'nodes.sh: warning: coopr_nodes db'
}

@test "coopr_config refuses what the action does not say that it reads" {
	script config.sh <<-'END'
		set -e
		. ./lib.sh
		coopr_config "$1"
	END
	do_task install '{"script": "config.sh", "args": "nginx/port", "config": ["nginx"]}' '{"nginx": {"port": 80}}'
	same 0 "$(member .status)"
	do_task install '{"script": "config.sh", "args": "nginx/port", "config": ["db"]}' '{"nginx": {"port": 80}}'
	same 78 "$(member .status)"
	contains "$(member .message)" 'the field "config" of the action does not name nginx; write "config": ["nginx", ...]'
}

@test "coopr_result becomes facts of the node, whatever the bytes" {
	script facts.sh <<-'END'
		set -e
		. ./lib.sh
		coopr_result first "one
		two=2"
		coopr_result second 'ä "quoted" \ $HOME'
		coopr_result first again
	END
	do_task install '{"script": "facts.sh"}'
	same '{"first":"again","second":"ä \"quoted\" \\ $HOME"}' "$(jq -cS .result result.json)"
	script facts.sh <<-'END'
		. ./lib.sh
		coopr_result ssh_host_keys mine
	END
	do_task install '{"script": "facts.sh"}'
	same 78 "$(member .status)"
	same null "$(member .result)"
}

@test "a script says in no way which machine it is on, nor how that is entered" {
	script facts.sh <<-'END'
		printf '%s=x\000' names providerid ssh-auth ssh_host_keys providerid2 >>"$PWD/../facts"
	END
	do_task install '{"script": "facts.sh"}'
	same '{"providerid2":"x"}' "$(jq -cS .result result.json)"
}

@test "a script that is not to be found is wrongly configured, and the places are named" {
	do_task install '{"script": "absent.sh"}'
	same 78 "$(member .status)"
	contains "$(member .message)" "\"absent.sh\" is neither in $PWD/catalogue/scripts nor in "
	do_task install '{"script": "../absent.sh"}'
	same 78 "$(member .status)"
	do_task install '{"script": "/absent.sh"}'
	contains "$(member .message)" "/absent.sh: there is no such file"
	do_task install '{}'
	same 78 "$(member .status)"
	contains "$(member .message)" "/script: expected string"
	do_task install '{"script": "a", "args": "it'\''s"}'
	contains "$(member .message)" "left open"
}

@test "a mended script is what the next attempt runs" {
	script mend.sh <<<'exit 1'
	do_task install '{"script": "mend.sh"}'
	same 1 "$(member .status)"
	script mend.sh <<<'exit 0'
	do_task install '{"script": "mend.sh"}'
	same 0 "$(member .status)"
}

@test "a task that names kept scripts runs these; ones that are gone or were changed fail" {
	mkdir -p "$COOPR_STATE/scripts"
	printf 'file 16 kept.sh\0./part; exit 0\n\nprogram 18 part\0#!/bin/sh\necho hi\n' >kept
	digest=$(sha256sum <kept | cut -d' ' -f1)
	cp kept "$COOPR_STATE/scripts/$digest"
	script kept.sh <<<'exit 1'
	task install '{"script": "kept.sh", "files": "part"}' | jq -c --arg digest "$digest" '.scripts = $digest' >task.json
	coopr-exec -q <task.json >result.json
	same 0 "$(member .status)"
	contains "$(cat log)" "hi"
	echo more >>"$COOPR_STATE/scripts/$digest"
	run coopr-exec -q <task.json
	contains "$output" "its SHA-256 is not its name"
	rm "$COOPR_STATE/scripts/$digest"
	run coopr-exec -q <task.json
	contains "$output" "script kept.sh: "
	contains "$output" "No such file"
}

@test "a node that refuses connections is a temporary failure" {
	task install '{"script": "a"}' >task.json
	script a </dev/null
	sshd_stop
	coopr-exec -q <task.json >result.json
	same 75 "$(member .status)"
	same "node 00000042-1000 (127.0.0.1:$SSHD_PORT): cannot be reached: Connection refused" "$(member .message)"
}

@test "a host key that is not the pinned one is refused, and nothing is sent" {
	script a <<<"touch $PWD/ran"
	ssh-keygen -q -t ed25519 -N '' -f other
	task install '{"script": "a"}' | jq -c --arg key "$(cut -d' ' -f1,2 other.pub)" \
		'.machine.facts.ssh_host_keys.ed25519 = $key' | coopr-exec -q >result.json
	same 77 "$(member .status)"
	contains "$(member .message)" "its host key is not the one that was pinned"
	[ ! -e ran ]
	task install '{"script": "a"}' | jq -c 'del(.machine.facts.ssh_host_keys)' | coopr-exec -q >result.json
	same 77 "$(member .status)"
	contains "$(member .message)" "its host key is not pinned"
}

@test "a login that is refused is permanent" {
	script a </dev/null
	ssh-keygen -q -t ed25519 -N '' -f other
	task install '{"script": "a"}' | jq -c --arg key "$PWD/other" \
		'.machine.facts["ssh-auth"].identityfile = $key' | coopr-exec -q >result.json
	same 77 "$(member .status)"
	contains "$(member .message)" "login as root was refused: "
	contains "$(member .message)" "Permission denied (publickey)"
}

@test "a connection that is lost while the script runs is temporary, and the script is ended" {
	start_slow
	pkill -KILL -P "$job" || true
	wait $job || true
	while [ -e "/proc/$pid" ]; do sleep 0.05; done
	same ended "$(cat trace)"
	until clean_node; do sleep 0.05; done
}

@test "SIGTERM ends the script on the node too" {
	start_slow
	kill $job
	wait $job
	same 75 "$(member .status)"
	while [ -e "/proc/$pid" ]; do sleep 0.05; done
	same ended "$(cat trace)"
	until clean_node; do sleep 0.05; done
}

@test "an attempt ends the one before it that still runs, so that a task never runs twice at once" {
	mkfifo started
	script slow.sh <<-END
		#!/bin/bash
		if [ -e $PWD/second ]; then
			[ ! -e /proc/\$(cat $PWD/first) ] && echo alone
			exit 0
		fi
		echo \$\$ >$PWD/first
		echo >$PWD/started
		sleep 1000
	END
	task install '{"script": "slow.sh"}' >task.json
	coopr-exec -q <task.json >first.json 3>&- &
	job=$!
	hear started _
	touch second
	coopr-exec -q <task.json >result.json
	same 0 "$(member .status)"
	same alone "$(member .stderr)"
	wait $job
	same 75 "$(jq .status first.json)"
	clean_node
}

@test "no secret of the configuration is in an argument or environment on either side" {
	script secret.sh <<-'END'
		#!/bin/bash
		cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ 2>/dev/null | tr '\0' '\n' | grep -c 'swordf[i]sh'
		grep -c swordfish config.json
	END
	do_task install '{"script": "secret.sh"}' '{"password": "swordfish"}'
	same "0
1" "$(member .stderr)"
}

# Another world for sshd alone: /bin/sh is $1, and there is a user who is not root.
other_world() {
	sshd_stop
	sshd_add_user
	sshd_start sh -c "mount --bind '$1' /bin/sh && mount --bind $PWD/sshd/passwd /etc/passwd"
}

# What a machine must offer, done once with each shell.
whole_task() {
	script whole.sh <<-'END'
		set -e
		. ./lib.sh
		coopr_config a/b
		coopr_result fact "value"
		tail -n 1 many
		od -An -v -tx1 contents | tr -d ' \n'
	END
	printf 'a\0b\377\0' >catalogue/scripts/contents
	seq 20000 >catalogue/scripts/many
	for _ in 1 2; do
		do_task install '{"script": "whole.sh", "files": "contents many"}' '{"a": {"b": "it'\''s"}}'
		same 0 "$(member .status)"
		same "it's
20000
610062ff00" "$(member .stderr)"
		same value "$(member .result.fact)"
		clean_node
	done
	script fails.sh <<<"kill -9 \$\$"
	do_task install '{"script": "fails.sh"}'
	same 137 "$(member .status)"
	same "" "$(member .stderr)"
	script daemon.sh <<<'sleep 1000 & echo $!'
	do_task install '{"script": "daemon.sh"}'
	same 0 "$(member .status)"
	kill "$(member .stderr)"
	rm -f started
	mkfifo started
	script slow.sh <<<"echo \$\$ >$PWD/started; exec sleep 1000"
	task install '{"script": "slow.sh"}' >task.json
	coopr-exec -q <task.json >result.json 3>&- &
	job=$!
	hear started pid
	kill $job
	wait $job
	while [ -e "/proc/$pid" ]; do sleep 0.05; done
	until clean_node; do sleep 0.05; done
}

@test "the node's /bin/sh may be bash" {
	other_world /bin/bash
	whole_task
}

@test "the node's /bin/sh may be busybox" {
	need_program busybox
	other_world "$(command -v busybox)"
	whole_task
}

@test "the node may lack setsid" {
	sshd_stop
	sshd_start mount --bind /dev/null "$(command -v setsid)"
	whole_task
}

@test "the node may be unable to keep files, or to compare them: they come with each task" {
	: >sshd/cache
	whole_task
	rm sshd/cache
	sshd_stop
	sshd_start mount --bind /dev/null "$(command -v sha256sum)"
	whole_task
	same "" "$(ls sshd/cache)"
}

@test "a login that is not root becomes root by sudo, which must not ask" {
	other_world /bin/sh
	mkdir -p sshd/bin
	# A sudo that stays who it is: what is asked of it is what counts.
	cat >sshd/bin/sudo <<-'END'
		#!/bin/sh
		[ "$1 $2" = "-n --" ] || exit 64
		shift 2
		BY_SUDO=yes exec "$@"
	END
	chmod 755 sshd/bin/sudo
	# sshd reads the keys, and the user the stub, as that user.
	dir=$PWD/sshd/bin
	until [ "$dir" = / ] || [ "$dir" = /tmp ]; do
		chmod a+x "$dir"
		dir=$(dirname "$dir")
	done
	script who.sh <<<'echo "$(id -u) ${BY_SUDO:-no}"'
	SSHD_USER=coopr-test do_task install '{"script": "who.sh"}'
	same 0 "$(member .status)"
	same "54321 yes" "$(member .stderr)"
	[ ! -e /tmp/coopr-54321-00000042-001:t1.pid ]
	SSHD_USER=coopr-test do_task install '{"script": "who.sh", "user": "coopr-test"}'
	same "54321 no" "$(member .stderr)"
	printf '#!/bin/sh\necho "sudo: a password is required" >&2; exit 1\n' >sshd/bin/sudo
	SSHD_USER=coopr-test do_task install '{"script": "who.sh"}'
	same 77 "$(member .status)"
	contains "$(member .message)" "no shell starts there: sudo: a password is required"
	clean_node
}

@test "a script runs as the user that is asked for, who owns its directory" {
	other_world /bin/sh
	script who.sh <<-'END'
		. ./lib.sh
		id -u
		echo new >made
		coopr_result who "$(id -un)"
	END
	do_task install '{"script": "who.sh", "user": "coopr-test", "args": "-x --"}'
	same 0 "$(member .status)"
	same 54321 "$(member .stderr)"
	same coopr-test "$(member .result.who)"
	clean_node
}

# A task on a machine to which its provider gives no names.
named_task() { # ACTION FIELDS
	task "$1" "$2" | jq -c '.machine.facts.names = "hosts"' >task.json
	coopr-exec <task.json >result.json
	same 0 "$(jq .status result.json)"
}

# A record of another node of the cluster.
other_node() { # NUMBER ADDRESS
	jq -cn --arg num "$1" --arg address "$2" '{kind: "node", id: "00000042-\($num)", nodenum: ($num | tonumber),
		hostname: "shop42-\($num).example.net", services: ["web"], was: ["web"]} + if $address == "" then {} else {ipaddresses: {bind_v4: $address}} end'
}

@test "where the provider gives no names, a node has those of the others in its hosts file, and follows them" {
	script nothing.sh <<<'exit 0'
	printf '127.0.0.1 localhost\n192.0.2.99 other' >sshd/hosts
	{ other_node 1000 192.0.2.10; other_node 1001 192.0.2.11; other_node 1002 ""; } >nodes.ndjson
	named_task bootstrap '{}'
	same "127.0.0.1 localhost
192.0.2.99 other
# names of the cluster, kept by coopr
192.0.2.10 shop42-1000.example.net shop42-1000
192.0.2.11 shop42-1001.example.net shop42-1001
# end of the names kept by coopr" "$(cat sshd/hosts)"
	{ other_node 1000 192.0.2.10; other_node 1001 192.0.2.21; other_node 1002 192.0.2.12; } >nodes.ndjson
	named_task status '{"script": "nothing.sh"}'
	same 2 "$(grep -c shop42 sshd/hosts)"
	named_task install '{"script": "nothing.sh"}'
	same "192.0.2.10 shop42-1000.example.net shop42-1000
192.0.2.21 shop42-1001.example.net shop42-1001
192.0.2.12 shop42-1002.example.net shop42-1002" "$(grep shop42 sshd/hosts)"
	: >nodes.ndjson
	named_task install '{"script": "nothing.sh"}'
	same "127.0.0.1 localhost
192.0.2.99 other" "$(cat sshd/hosts)"
}

@test "a name that already means the address stays out of the hosts file; one half-written by hand is left as it is" {
	script nothing.sh <<<'exit 0'
	{ other_node 1000 127.0.0.1 | jq -c '.hostname = "localhost"'; other_node 1001 192.0.2.11; } >nodes.ndjson
	named_task install '{"script": "nothing.sh"}'
	same "# names of the cluster, kept by coopr
192.0.2.11 shop42-1001.example.net shop42-1001
# end of the names kept by coopr" "$(cat sshd/hosts)"
	sed -i '$d' sshd/hosts
	cp sshd/hosts before
	other_node 1001 192.0.2.12 >nodes.ndjson
	named_task install '{"script": "nothing.sh"}'
	cmp before sshd/hosts
	contains "$(cat log)" "a line '# end of the names kept by coopr' is missing"
}

@test "without the fact names nothing is written to the hosts file" {
	script nothing.sh <<<'exit 0'
	other_node 1001 192.0.2.11 >nodes.ndjson
	do_task install '{"script": "nothing.sh"}'
	same "" "$(cat sshd/hosts)"
}
