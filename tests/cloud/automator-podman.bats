#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-automators(7): the automator podman, what takes longer than tests/automator-podman.bats may.

load ../case
load ../sshd
load ../automator
load ../podman
load ../container

AUTOMATOR=podman

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
