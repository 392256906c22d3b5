# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# What coopr-automators(7) promises of docker and podman. No machine of the sandbox may make containers, so the node is an sshd of this one, in
# a mount namespace of its own, where a wrapper of the program runs /root/hook before it makes a container. A test file sets AUTOMATOR,
# loads automator and podman before this. For another tool than podman it has three functions:
#
#	has_tool      installs the tool, or skips the test with the reason
#	tool_start    run on the node, in its namespace: prepares the tool, whose files go below $PWD/daemon
#	tool_stop     ends what that has started
#
# The image "box" is busybox.

# What runs until it is stopped; the first process of a container ignores a signal that it does not handle.
RUNS="sh -c 'trap exit TERM; sleep 987654 & wait'"

setup() {
	fresh
	need_root
	need_program busybox jq
	has_tool
	ACTION=start
	NODE_FOLDERS="/run /dev/shm $PWD/node/tmp"
	TOOL=/usr/bin/$AUTOMATOR
	mkdir -p daemon node/tmp node/bin
	container_image
	container_wrapper
	# shellcheck disable=SC2034 # of sshd_start
	SSHD_ENV="TMPDIR=$PWD/node/tmp"
	export TOOL
	sshd_start bash -c "$(declare -f podman_settings tool_start)"'
		for folder in /run /dev/shm /root; do mount -t tmpfs -o mode=755 tmpfs $folder || exit; done
		mkdir -p /run/sshd && mount --bind node/bin /usr/local/bin && tool_start'
	: >nodes.ndjson
	node "$TOOL import - box >/dev/null 2>&1" <box.tar
	touch begun
}

teardown() {
	[ -z "${SSHD_PID:-}" ] || node "c=\$($TOOL container ls -aq); [ -z \"\$c\" ] || $TOOL container rm -f -v \$c; ip link delete podman0; ip link delete docker0" >/dev/null 2>&1 || true
	sshd_stop
	tool_stop
}

# busybox, with what it needs.
container_image() {
	local file

	mkdir -p box/bin box/tmp box/etc
	for file in $(command -v busybox) $(ldd "$(command -v busybox)" | grep -o '/[^ )]*'); do
		mkdir -p "box/${file%/*}"
		cp -L "$file" "box/$file"
	done
	for file in sh cat sleep wget httpd; do
		ln -sf "$(command -v busybox)" "box/bin/$file"
	done
	tar -C box -cf box.tar .
}

# Runs /root/hook before a container is made; where there is a file /root/wait, a start ends when what was started has ended.
container_wrapper() {
	cat >"node/bin/$AUTOMATOR" <<-END
		#!/bin/sh
		[ "\$1 \$2" != "container create" ] || [ ! -e /root/hook ] || sh /root/hook || exit
		[ "\$1 \$2" != "container start" ] || [ ! -e /root/wait ] || { $TOOL "\$@" && exec $TOOL wait "\$3"; }
		exec $TOOL "\$@"
	END
	chmod 755 "node/bin/$AUTOMATOR"
}

node() {
	ssh -F none -p "$SSHD_PORT" -o BatchMode=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR -i sshd/user \
		root@127.0.0.1 "PATH=\$PATH:/usr/sbin:/sbin; $*"
}

task() {
	local config=${3:-{\}} service='"web"'

	[ "$1" != bootstrap ] || service=null
	paste -sd ' ' <<-END
		{"kind": "task", "id": "t1", "job": "00000042-001", "token": "00000042-001:t1", "attempt": 1, "action": "$1",
		"service": $service, "type": "$AUTOMATOR", "fields": $2, "timeout_s": 120, "log": "$PWD/log", "nodes": "$PWD/nodes.ndjson",
		"cluster": {"id": "00000042", "name": "shop", "catalogue": "$PWD/catalogue", "config": $config},
		"machine": {"id": "00000042-1000", "nodenum": 1000, "hostname": "shop42-1000.example.net", "services": ["web"],
		"ipaddresses": {"access_v4": "127.0.0.1"}, "facts": {"ssh-auth": {"user": "root", "identityfile": "$PWD/sshd/user", "port": $SSHD_PORT},
		"ssh_host_keys": {"ed25519": "$(cut -d' ' -f1,2 sshd/host.pub)"}}}}
	END
}

clean_node() {
	same "" "$(node "ls -d '$PWD'/node/tmp/coopr.* /run/coopr.* /dev/shm/coopr.* /run/coopr/*.pid 2>/dev/null; pgrep -f --ns \$\$ --nslist net 'sleep 100[0]'")"
}

recipe() {
	local command=$RUNS environment=web volumes=

	case $1 in
	write) node 'rm -f /root/hook' ;;
	fail) node 'echo "echo no room >&2; exit 3" >/root/hook' ;;
	wait) node 'cat >/root/hook' <<<'setsid sh -c "echo >/root/begun; exec sleep 1000"' ;;
	secret)
		node 'touch /root/wait; cat >/root/hook' <<<'echo >/root/begun; cat /root/go'
		command="sh -c 'echo \$password >/out/secret'" environment=db volumes=/dev/shm:/out
		;;
	noise) node 'echo /root/noise >/root/hook' ;;
	esac
	case $1 in
	fail | wait | noise) environment= ;;
	esac
	jq -cn --arg command "$command" --arg environment "$environment" --arg volumes "$volumes" '{image_name: "box", command: $command,
		volumes: $volumes} + if $environment == "" then {} else {environment: $environment} end'
}

unplug() {
	node "rm /usr/local/bin/$1 && mount --bind /dev/null $TOOL"
}

made() {
	node "$TOOL exec coopr-box sh -c 'echo port \$port'"
}

says_how_the_command_ended() {
	local fields='{"image_name": "box", "command": "sh -c \"echo no room >&2; exit 3\""}'

	node touch /root/wait
	do_task start "$fields"
	do_task status "$fields"
	same 1 "$(member .status)"
	contains "$(member .message)" "the container coopr-box does not run: it exited with 3"
	contains "$(cat log)" "no room"
}

lives_once() {
	local fields='{"image_name": "box", "command": "'"$RUNS"'", "pull": "missing"}' action

	do_task install "$fields"
	same "0 false" "$(member '"\(.status) \(.result.changed)"')"
	for action in configure initialize stop remove; do
		do_task $action "$fields"
		same "0 false" "$(member '"\(.status) \(.result.changed)"')"
	done
	for action in start stop start stop remove; do
		do_task $action "$fields"
		same "0 true" "$(member '"\(.status) \(.result.changed)"')"
		do_task $action "$fields"
		same "0 false" "$(member '"\(.status) \(.result.changed)"')"
		[ $action = remove ] || same "$(node "$TOOL container inspect -f '{{.Id}}' coopr-box")" "$(member '.result["coopr-box"]')"
	done
	same "" "$(node "$TOOL container ls -aq")$(member '.result["coopr-box"]')"
	do_task reload "$fields"
	same 78 "$(member .status)"
	contains "$(member .message)" "a container has no action reload"
}

takes_all_fields() {
	node 'mkdir /root/given; echo "given" >/root/given/page'
	do_task start '{"image_name": " box:latest", "container_name": "web.1", "publish_ports": "18080:80, 127.0.0.1:18081:81/tcp,18082",
		"volumes": "/root/given:/given:ro,/root/made/here:/made", "environment_variables": "A=1,B=\"two, words\", C=x=y,D=$HOME",
		"command": "sh -c \"echo \\\"$A $B $C $D\\\" >/made/it; exec httpd -f -p 80 -h /given\""}'
	same "0 true" "$(member '"\(.status) \(.result.changed)"')"
	node 'until [ -s /root/made/here/it ]; do sleep 0.1; done'
	same '1 two, words x=y $HOME' "$(node cat /root/made/here/it)"
	node "$TOOL container port web.1" | grep -v -F -e '[::]' -e ' :::' | sort >ports
	same 3 "$(wc -l <ports)"
	contains "$(cat ports)" "80/tcp -> 0.0.0.0:18080"
	contains "$(cat ports)" "81/tcp -> 127.0.0.1:18081"
	contains "$(cat ports)" "18082/tcp -> 0.0.0.0:18082"
	same given "$(node 'for _ in $(seq 100); do busybox wget -q -O - http://127.0.0.1:18080/page && exit; sleep 0.1; done')"
	same true "$(node "$TOOL container inspect -f '{{.State.Running}}' web.1")"
}

keeps_nameless_volumes() {
	local fields='{"image_name": "box2", "command": "'"$RUNS"'", "environment": "web"}'

	node "$TOOL import --change 'VOLUME /data' - box2 >/dev/null 2>&1" <box.tar
	do_task start "$fields" '{"web": {"a": 1}}'
	node "$TOOL exec coopr-box2 sh -c 'echo kept >/data/row'"
	# Ended before the successor has the name: the next run takes it.
	node 'cat >/usr/local/bin/'"$AUTOMATOR"'.rename; mv /usr/local/bin/'"$AUTOMATOR"' /usr/local/bin/true-one; mv /usr/local/bin/'"$AUTOMATOR"'.rename /usr/local/bin/'"$AUTOMATOR"'; chmod 755 /usr/local/bin/'"$AUTOMATOR" <<-'END'
		#!/bin/sh
		[ "$1 $2" != "container rename" ] || { echo "no rename" >&2; exit 9; }
		exec /usr/local/bin/true-one "$@"
	END
	do_task start "$fields" '{"web": {"a": 2}}'
	same 1 "$(member .status)"
	same "coopr-box2-new" "$(node "$TOOL container ls -a --format '{{.Names}}'")"
	node "mv /usr/local/bin/true-one /usr/local/bin/$AUTOMATOR"
	do_task start "$fields" '{"web": {"a": 2}}'
	same "0 true" "$(member '"\(.status) \(.result.changed)"')"
	same "coopr-box2 kept 2" "$(node "$TOOL container ls --format '{{.Names}}'; $TOOL exec coopr-box2 sh -c 'cat /data/row; echo \$a'" | paste -sd ' ')"
}

leaves_others_alone() {
	local action fields='{"image_name": "box", "command": "'"$RUNS"'"}'

	node "$TOOL run -d --name coopr-box box sleep 987653 >/dev/null"
	for action in start stop remove status; do
		do_task $action "$fields"
		same 78 "$(member .status)"
		contains "$(member .message)" "a container coopr-box that coopr has not made"
	done
	same true "$(node "$TOOL container inspect -f '{{.State.Running}}' coopr-box")"
	do_task start "$(jq -c '.container_name = "mine"' <<<"$fields")"
	same 0 "$(member .status)"
	task stop "$(jq -c '.container_name = "mine"' <<<"$fields")" | jq -c '.service = "other"' | coopr-exec -q >result.json
	same 78 "$(member .status)"
	contains "$(member .message)" "a container mine of the service web"
}

fails_where_there_is_no_image() {
	do_task install '{"image_name": "localhost/nowhere"}'
	same 1 "$(member .status)"
	contains "$(member .message)" "nowhere"
	do_task start '{"image_name": "localhost/nowhere", "pull": "never"}'
	same 78 "$(member .status)"
	contains "$(member .message)" "the image localhost/nowhere is not on this machine"
}

refuses_wrong_fields() {
	local fields expected

	while IFS='|' read -r fields expected; do
		do_task start "$(jq -cn "{image_name: \"box\"} + {$fields}")" '{"web": {"a": [1]}}'
		same 78 "$(member .status)"
		contains "$(member .message)" "$expected"
	done <<-'END'
		"image_name": "--privileged"|is not a name of an image
		"container_name": "-x"|is not a name of a container
		"environment_variables": "A"|expected NAME=VALUE
		"environment_variables": "A=a\nB"|a variable of a container has one line
		"environment": "nowhere"|the configuration has no object at /nowhere
		"environment": "web"|expected string, number or boolean, found array
		"pull": "often"|expected always, missing or never
		"command": "'open"|command:
	END
	same "" "$(node "$TOOL container ls -aq")"
}

has_tool() {
	need_podman
}

tool_start() {
	podman_settings "$PWD/daemon" vfs
}

tool_stop() {
	:
}
