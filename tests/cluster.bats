#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# A cluster of real machines with a service of one small script, from coopr create to coopr delete.

load case

setup() {
	fresh
	need_root
	need_program ip ssh sshd
	own_network
	export COOPR_CATALOGUE=$PWD/mine
	mkdir mine/scripts
	cat >mine/services/hello.json <<-'EOT'
		{"name": "hello", "provisioner": {"actions": {
			"configure": {"type": "shell", "fields": {"script": "hello.sh"}, "retries": 1},
			"start": {"type": "shell", "fields": {"script": "hello.sh", "args": "'all of you'"}, "retries": 1}}}}
	EOT
	cat >mine/clustertemplates/hello.json <<-'EOT'
		{"name": "hello", "defaults": {"services": ["hello"], "provider": "sandbox", "hardwaretype": "small",
			"imagetype": "debian12", "config": {"hello": {"word": "good morning",
			"to": "%join(map(host.service.hello,'<$>'),' ')%", "from": "%ip.self%"}}},
		"links": [{"label": "First", "url": "ssh://%ip.access_v4.service.hello[0]%"}]}
	EOT
}

teardown() {
	[ ! -d "$COOPR_STATE/clusters/00000001" ] || coopr-delete -y --discard-data hello
}

# Runs words on the node with this number, logged in as coopr-create says.
on_node() {
	local node=hello-$1

	shift
	coopr-ssh-config hello >ssh.config
	ssh -F ssh.config -o BatchMode=yes "$node" "$@"
}

@test "services that look nodes up can be asked whether they run" {
	printf '#!/bin/sh\n. ./lib.sh\n[ "$COOPR_ACTION" != configure ] || coopr_nodes hello >/root/peers\n[ "$(wc -l </root/peers)" = 2 ]\n' >mine/scripts/hello.sh
	jq '.provisioner.actions |= {configure: (.configure | .fields.nodes = ["hello"]), start: {type: "shell", fields: {script: "hello.sh"}},
		status: {type: "shell", fields: {script: "hello.sh"}}}' mine/services/hello.json >changed
	mv changed mine/services/hello.json
	coopr-create -q hello -t hello -n 2
	coopr-reconcile --probe
	on_node 1000 'echo >>/root/peers'
	run --separate-stderr -1 coopr-reconcile --probe
	contains "$stderr" "00000001-1000: hello: it does not run"
}

@test "a script runs on every machine with its configuration, and the machines know each other by name" {
	cat >mine/scripts/hello.sh <<-'EOT'
		#!/bin/sh
		set -eu
		. ./lib.sh
		case $COOPR_ACTION in
		configure) echo "$(coopr_config hello/word) to $(coopr_config hello/to) from $(coopr_config hello/from)" >/root/hello ;;
		start) for host in $(coopr_nodes hello); do getent hosts "$host"; done >"/root/$1" ;;
		esac
	EOT
	run --separate-stderr -0 coopr-create hello -t hello -n 3 -o table
	contains "$output" "First:  ssh://10."
	contains "$output" hello1-1002
	contains "$(on_node 1001 cat /root/hello)" "good morning to <hello1-1000.local> <hello1-1001.local> <hello1-1002.local> from 10."
	same 3 "$(on_node 1002 wc -l "'/root/all of you'" | cut -d ' ' -f 1)"
	contains "$(on_node 1000 hostname)" hello1-1000

	# It grows, and a machine dies behind its back.
	coopr-expand -o json hello >now
	contains "$(on_node 1000 cat /root/hello)" "<hello1-1002.local> <hello1-1003.local> from"
	kill -KILL "$("$COOPR_BIN"/../libexec/coopr/provider/sandbox list <mine/providers/sandbox.json |
		jq -r 'select(.id == "00000001-1001") | .pid')"
	coopr-replace -o json -y --dead hello 00000001-1001 >now
	same "hello1-1000 hello1-1002 hello1-1003 hello1-1004" \
		"$(jq -r 'select(.kind == "node") | .hostname | rtrimstr(".local")' now | paste -sd' ')"
	contains "$(on_node 1002 cat /root/hello)" "<hello1-1003.local> <hello1-1004.local> from"

	coopr-delete -y hello
	[ ! -e "$COOPR_STATE/clusters/00000001" ]
	same "" "$("$COOPR_BIN"/../libexec/coopr/provider/sandbox list <mine/providers/sandbox.json)"
}

# A file of a machine that is dead, on its disk: kept NODENUM PATH
kept() {
	local disk=("$COOPR_STATE"/sandbox/machines/*-"$1"-*/disk)

	if [ -e "${disk[0]}" ]; then
		until [ -z "$(losetup --associated "${disk[0]}")" ]; do sleep 0.1; done
		debugfs -R "cat $2" "${disk[0]}" 2>/dev/null
	else
		cat "${disk[0]%/disk}/layer$2" # this host has no disks for machines
	fi
}

@test "a machine with data that is killed is not replaced by an empty one; what was written stays, until a person discards it" {
	local answer

	jq '.data = ["/root/rows"] | .provisioner.actions.status = .provisioner.actions.configure' mine/services/hello.json >hello.json
	mv hello.json mine/services/hello.json
	cat >mine/scripts/hello.sh <<-'EOT'
		#!/bin/sh
		case $COOPR_ACTION in
		start) touch /root/rows ;;
		status) [ -e /root/rows ] ;;
		esac
	EOT
	coopr-create hello -t hello -n 2 >log
	on_node 1001 'echo "the row" >>/root/rows'
	kill -KILL "$("$COOPR_BIN"/../libexec/coopr/provider/sandbox list <mine/providers/sandbox.json |
		jq -r 'select(.id == "00000001-1001") | .pid')"
	for _ in 1 2; do
		run --separate-stderr -1 coopr reconcile -o json --probe --repair --work
		answer=$(jq -r 'select(.node == "00000001-1001") | .message' <<<"$output")
		contains "$answer" "it has data of hello, and is not replaced"
		same "the row" "$(kept 1001 /root/rows)"
	done
	same 1 "$(sqlite3 "$COOPR_STATE/store.sqlite3" "SELECT count(*) FROM operation WHERE job IS NOT NULL")"

	# What the message says to do, where the data is not wanted.
	eval "${answer##*: } -y" >log
	same "" "$(on_node 1002 cat /root/rows)"
	run --separate-stderr -0 coopr reconcile --probe --repair --work
	coopr-delete -y --discard-data hello
}

@test "a script that fails on one machine is tried again, then shown; the other machines go on; once that is mended, the same command makes all" {
	cat >mine/scripts/hello.sh <<-'EOT'
		#!/bin/sh
		echo "attempt on $COOPR_NODENUM"
		[ "$COOPR_ACTION$COOPR_NODENUM" != configure1001 ] || { echo "no room on this node" >&2; exit 7; }
	EOT
	run --separate-stderr -1 coopr-create hello -t hello -n 3
	for part in "configure hello on 00000001-1001" "attempt 2" "exit code 7" "no room on this node" \
		"coopr retry hello" "/log/"; do
		contains "$stderr" "$part"
	done
	log=$(sed -n 's/^ *output: //p' <<<"$stderr")
	same $'attempt on 1001\nno room on this node' "$(grep -E 'attempt|room' "$log")"
	same "1 failed" "$(coopr-queue show 00000001-001 --tasks -o json | jq -r .status | grep failed | sort | uniq -c | xargs)"
	same 2 "$(coopr-queue show 00000001-001 --tasks -o json |
		jq -r 'select(.action == "start" and .status == "done").node' | wc -l)"

	echo 'exit 0' >mine/scripts/hello.sh
	run --separate-stderr -0 coopr-create hello -t hello -n 3 -o table
	contains "$output" hello1-1001
	same "done" "$(coopr-queue show 00000001-001 --tasks -o json | jq -r .status | sort -u)"
}
