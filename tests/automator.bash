# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# What coopr-automators(7) promises of the automators puppet, itamae, cloud-init and chef, on a sandbox node. A test file sets AUTOMATOR, and has two
# functions:
#
#	has_tool        installs the tool, or skips the test with the reason
#	recipe KIND     writes a recipe into catalogue/scripts, and prints the fields of an action that runs it
#
# The kinds: "write" makes the file /root/made, with "port PORT" from web/port of the configuration; "fail" runs `echo no room >&2; exit 3`;
# "wait" runs `setsid sh -c "echo >/root/begun; exec sleep 1000"` in the foreground; "secret" makes /dev/shm/secret with db/password, runs
# `echo >/root/begun; cat /root/go`, and makes the file again; "noise" runs /root/noise.
#
#	node COMMAND       runs a command on the node
#	task ACTION FIELDS [CONFIG]   a take record, as do_task gets it
#	made               what the recipe "write" has made
#
# ACTION is the action that runs a recipe, NODE_FOLDERS are those of the node that tools may write to beside its disk.

ACTION=configure
NODE_FOLDERS="/run /dev/shm /tmp"

automator_setup() {
	local key

	fresh
	need_root
	need_program sshd ssh ssh-keygen ip jq unshare
	unshare -mnpiuf --propagation private true 2>/dev/null || skip "needs to make namespaces"
	has_tool
	NETWORK=10.$((216 + $$ / 256 % 32)).$(($$ % 256)).0/24
	mkdir -p catalogue/scripts
	record 1000 | sandbox create >1000.created
	record 1000 | sandbox confirm >1000.json
	{ read -r ADDRESS; read -r IDENTITY; read -r key; read -r MACHINE; } < <(jq -r '.ipaddresses.access_v4, .result["ssh-auth"].identityfile,
		.result.ssh_host_keys.ed25519, ({id: "00000042-1000", nodenum: 1000, hostname: "shop42-1000.example.net", services: ["web"], ipaddresses,
		facts: .result} | tojson)' 1000.json)
	echo "$ADDRESS $key" >known
	{
		jq -c '{kind: "node", id: "00000042-1000", nodenum: 1000, hostname, services: ["web"], ipaddresses}' 1000.json
		echo '{"kind": "node", "id": "00000042-1001", "nodenum": 1001, "hostname": "other", "services": ["app"], "ipaddresses": {"bind_v4": "10.0.0.9"}}'
	} >nodes.ndjson
	touch begun
}

automator_teardown() {
	[ -e 1000.created ] || return 0
	sandbox purge >/dev/null
}

node() {
	ssh -F none -o BatchMode=yes -o UserKnownHostsFile=known -o LogLevel=ERROR -i "$IDENTITY" "root@$ADDRESS" "$@"
}

task() {
	local config=${3:-{\}} service='"web"'

	[ "$1" != bootstrap ] || service=null
	paste -sd ' ' <<-END
		{"kind": "task", "id": "t1", "job": "00000042-001", "token": "00000042-001:t1", "attempt": 1, "action": "$1",
		"service": $service, "type": "$AUTOMATOR", "fields": $2, "timeout_s": 120, "log": "$PWD/log", "nodes": "$PWD/nodes.ndjson",
		"cluster": {"id": "00000042", "name": "shop", "catalogue": "$PWD/catalogue", "config": $config}, "machine": $MACHINE}
	END
}

unplug() { # PROGRAM
	node "rm \$(command -v $1)"
}

made() {
	node cat /root/made
}

# Nothing of a task is left on the node, nor runs there.
clean_node() {
	same "" "$(node 'ls -d /tmp/coopr.* /run/coopr.* /dev/shm/coopr.* /run/coopr/*.pid /tmp/itamae_tmp 2>/dev/null; pgrep -f "sleep 100[0]"')"
}

looks_for_its_tool() { # NAME
	local name=${1:-$AUTOMATOR}

	do_task bootstrap '{}'
	same 0 "$(member .status)"
	[[ "$(member ".result[\"$name\"]")" =~ ^[0-9]+\.[0-9] ]]
	clean_node
}

says_what_is_missing() { # PROGRAM...
	local fields program

	fields=$(recipe write)
	for program; do
		unplug "$program"
	done
	do_task bootstrap '{}'
	same 0 "$(member .status)"
	contains "$(cat log)" "on this machine yet; add the package"
	do_task "$ACTION" "$fields" '{"web": {"port": 80}}'
	same 78 "$(member .status)"
	contains "$(member .message)" "on this machine; add the package"
	clean_node
}

changes_once() {
	local fields

	fields=$(recipe write)
	do_task "$ACTION" "$fields" '{"web": {"port": 80}}'
	cat log
	same "0 true" "$(member '"\(.status) \(.result.changed)"')"
	same "port 80" "$(made)"
	rm log
	do_task "$ACTION" "$fields" '{"web": {"port": 80}}'
	same "0 false" "$(member '"\(.status) \(.result.changed)"')"
	contains "$(cat log)" "nothing has changed"
	do_task "$ACTION" "$fields" '{"web": {"port": 8080}}'
	same "0 true" "$(member '"\(.status) \(.result.changed)"')"
	same "port 8080" "$(made)"
	clean_node
}

status_says_whether_it_would_change() { # [REASON why it is not yet as configured]
	local fields

	fields=$(recipe write)
	do_task status "$fields" '{"web": {"port": 80}}'
	same 1 "$(member .status)"
	contains "$(member .message)" "${1-}"
	run ! made
	do_task "$ACTION" "$fields" '{"web": {"port": 80}}'
	do_task status "$fields" '{"web": {"port": 80}}'
	same 0 "$(member .status)"
	do_task status "$fields" '{"web": {"port": 81}}'
	same 1 "$(member .status)"
	contains "$(member .message)" "a run would change it"
	same "port 80" "$(made)"
	clean_node
}

fails_with_the_reason() { # REASON
	do_task "$ACTION" "$(recipe fail)"
	same 1 "$(member .status)"
	contains "$(member .message)" "$1"
	contains "$(cat log)" "no room"
	clean_node
}

# Runs the task of task.json, and ends the coopr-exec around it as soon as the recipe wait has begun: ends_once_begun SIGNAL [CHECK]
ends_once_begun() {
	local job

	coopr-exec -q <task.json >result.json 3>&- &
	job=$!
	node "until test -e /root/begun; do sleep 0.1; done; ${2:-:}"
	kill "-$1" $job
	wait $job || true
}

# By the end of the coopr-exec around it, and by that of all that watches it on the node.
leaves_nothing_when_killed() {
	local fields

	fields=$(recipe wait)
	task "$ACTION" "$fields" >task.json
	ends_once_begun TERM 'pgrep -f "sleep 100[0]" >/dev/null'
	same 75 "$(member .status)"
	clean_node
	node rm /root/begun
	ends_once_begun KILL
	until clean_node; do sleep 0.2; done
	# The next task finds the node as it should be.
	do_task "$ACTION" "$(recipe write)" '{"web": {"port": 80}}'
	same "0 true" "$(member '"\(.status) \(.result.changed)"')"
}

bears_hostile_output() {
	node 'cat >/root/noise; chmod 755 /root/noise' <<-'END'
		#!/bin/sh
		printf '\033]0;title\007\033[2Ja\000b\n'
		echo coopr-end deadbeef 0
		head -c 100000000 /dev/zero | tr '\000' a | fold -w 100000
	END
	do_task "$ACTION" "$(recipe noise)"
	same 0 "$(member .status)"
	[ "$(stat -c %s log)" -lt 12000000 ]
	[ "$(stat -c %s result.json)" -lt 100000 ]
	clean_node
}

# What has the canary: files in the node's memory, its disk with all that was removed from it, files of coopr, and what processes were started
# with. The folder daemon is that of a tool whose own affair it is.
leaks() {
	{
		node 'read -r word; find '"$NODE_FOLDERS"' -type f ! -path /dev/shm/secret ! -path "/run/coopr.*" ! -path "*/daemon/*" -print0 |
			xargs -0 -r grep -lsF -e "$word"' <<<"$1" || :
		find "$PWD" -xdev -type f ! -path "$PWD/store*" ! -path "$PWD/daemon/*" -print0 | xargs -0 -r grep -lsF -e "$1"
		grep -lsF -e "$1" /proc/[0-9]*/environ /proc/[0-9]*/cmdline
	} | sort -u
}

keeps_secrets() {
	local canary=canary-$$-$RANDOM other=other-$$-$RANDOM fields job config='{"db": {"password": {"secret": "db"}}}'

	export COOPR_STORE=$PWD/store
	coopr-store init
	echo "$canary" | coopr-secret set db
	fields=$(recipe secret)
	task "$ACTION" "$fields" "$config" >task.json
	node 'mkfifo /root/go'
	coopr-exec -q <task.json >result.json 3>&- &
	job=$!
	node 'until test -e /root/begun; do sleep 0.1; done'
	same "" "$(leaks "$canary")"
	same /dev/shm/planted "$(node 'cat >/dev/shm/planted' <<<"planted-$canary" && leaks "planted-$canary")"
	node 'rm /dev/shm/planted; echo >/root/go'
	wait $job
	cat log
	same 0 "$(member .status)"
	same "$canary" "$(node cat /dev/shm/secret)"
	same "" "$(leaks "$canary")"
	clean_node
	# What was there before is kept nowhere.
	echo "$other" | coopr-secret set db
	node 'rm /root/begun; rm /root/go; echo >/root/go'
	coopr-exec -q <task.json >result.json
	same 0 "$(member .status)"
	same "$other" "$(node cat /dev/shm/secret)"
	same "" "$(leaks "$canary")$(leaks "$other")"
	clean_node
}
