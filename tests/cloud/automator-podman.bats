#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-automators(7): the automator podman.

load ../case
load ../sshd
load ../automator
load ../podman
load ../container

AUTOMATOR=podman

@test "bootstrap keeps the version of podman as a fact, and changes nothing" {
	looks_for_its_tool
}

@test "where there is no podman, bootstrap says so and the action fails for good, with what to add" {
	says_what_is_missing podman
}

@test "the first run changes the node, the second says that nothing has changed, a new configuration changes it again" {
	changes_once
}

@test "of a run that fails the reason is the last word of podman" {
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

@test "wrong fields are refused before anything is done" {
	refuses_wrong_fields
	do_task start '{"image_name": "box", "links": "a:b"}'
	same 78 "$(member .status)"
	contains "$(member .message)" "/links: podman has none"
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
