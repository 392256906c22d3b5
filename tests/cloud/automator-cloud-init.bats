#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-automators(7): the automator cloud-init, on sandbox nodes; what is more is in tests/automator-cloud-init.bats.

load ../case
load ../sandbox
load ../automator
load ../cloud-init

setup() {
	automator_setup
}

teardown() {
	automator_teardown
}

@test "bootstrap keeps the version of cloud-init as a fact, and changes nothing" {
	looks_for_its_tool
}

@test "where there is no cloud-init, bootstrap says so and the action fails for good, with what to add" {
	says_what_is_missing cloud-init
}

@test "a run that is killed leaves nothing behind, also of commands in sessions of their own" {
	leaves_nothing_when_killed
}

@test "output of 100 MB, NUL and escape sequences harm nobody" {
	bears_hostile_output
}

@test "a secret is nowhere but where the document puts it" {
	keeps_secrets
}
