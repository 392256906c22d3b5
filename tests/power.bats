#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Loss of power, tests/crash/power.py, store-power.py and resource-power.py: every POWER_STEP-th state that the disk may be left in (default 50;
# 1: all of them, as make torture has it).

load case

# What a program of tests/crash says of all states: survives PROGRAM
survives() {
	fresh
	need_program strace
	need_program python3
	strace -o /dev/null true 2>/dev/null || skip "strace may not trace here"
	run python3 -B "$BATS_TEST_DIRNAME/crash/$1" "${POWER_STEP:-50}"
	[ "$status" -eq 0 ] || echo "$output"
	contains "$output" " 0 wrong"
}

@test "whatever a loss of power leaves on disk, the spool is taken up again and nothing that was said is lost" {
	survives power.py
}

@test "whatever a loss of power leaves on disk, the store is whole and nothing that was said is lost" {
	survives store-power.py
}

@test "whatever a loss of power leaves on disk, each version of a resource has its bytes, and is what was said" {
	survives resource-power.py
}
