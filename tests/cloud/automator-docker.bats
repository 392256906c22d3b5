#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-automators(7): the automator docker, with a daemon of its own.

load ../case
load ../sshd
load ../automator
load ../podman
load ../container

AUTOMATOR=docker

tool_stop() {
	[ ! -e daemon/pid ] || kill "$(cat daemon/pid)"
	while [ -e daemon/pid ] && [ -e "/proc/$(cat daemon/pid)" ]; do sleep 0.1; done
	! ip link show docker0 >/dev/null 2>&1 || ip link delete docker0
}

has_tool() {
	[ -x /usr/sbin/dockerd ] || "$COOPR_ROOT/tests/install-packages" docker.io iptables >installed 2>&1 ||
		skip "needs docker, which cannot be installed: $(tail -n 1 installed)"
}

# Its containerd writes stacks to the place for temporary files where it is slow to answer.
tool_start() {
	mkdir -p daemon/tmp
	TMPDIR=$PWD/daemon/tmp dockerd --bip 10.197.0.1/24 --storage-driver vfs --exec-opt native.cgroupdriver=cgroupfs --data-root "$PWD/daemon/data" \
		--exec-root "$PWD/daemon/exec" --pidfile "$PWD/daemon/pid" -H unix:///run/docker.sock >daemon/log 2>&1 3>&- 7>&- 8>&- &
	for _ in $(seq 600); do
		! docker version >/dev/null 2>&1 || return 0
		sleep 0.1
	done
	tail daemon/log >&2
	return 1
}

@test "bootstrap keeps the version of docker as a fact, and changes nothing" {
	looks_for_its_tool
}

@test "where there is no docker, bootstrap says so and the action fails for good, with what to add" {
	says_what_is_missing docker
}

@test "the first run changes the node, the second says that nothing has changed, a new configuration changes it again" {
	changes_once
}

@test "of a run that fails the reason is the last word of docker" {
	fails_with_the_reason "no room"
	fails_where_there_is_no_image
}

@test "a run that is killed leaves nothing behind, also of commands in sessions of their own" {
	leaves_nothing_when_killed
}

@test "output of 100 MB, NUL and escape sequences harm nobody" {
	bears_hostile_output
}

@test "a secret is nowhere but in the container" {
	keeps_secrets
}

@test "what a container keeps in volumes without a name is there after it is made anew" {
	keeps_nameless_volumes
}

@test "status compares the container with what is wanted and changes nothing" {
	status_says_whether_it_would_change "there is no container coopr-box"
}

@test "a container whose command has failed is told of by status, with what it has printed last" {
	says_how_the_command_ended
}

@test "install, start, stop and remove do as with Coopr, each once" {
	lives_once
}

@test "ports, volumes, variables, command and name arrive as the fields say" {
	takes_all_fields
}

@test "a container that is not this service's is left alone" {
	leaves_others_alone
}

@test "wrong fields are refused before anything is done" {
	refuses_wrong_fields
}

@test "a container finds others by the names that links give them" {
	do_task start '{"image_name": "box", "container_name": "first", "command": "httpd -f -p 80 -h /etc"}'
	do_task start '{"image_name": "box", "container_name": "second", "links": "first:one", "command": "wget -O /dev/null http://one/hosts"}'
	same 0 "$(member .status)"
	same 0 "$(node "$TOOL wait second")"
}
