#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# The runner itself: what it counts, and that nothing stays behind.

load case

# Runs the bats files here with the runner, in a scratch directory of our own.
run_tests() {
	mkdir -p scratch
	TMPDIR=$PWD/scratch "$COOPR_ROOT/tests/run" "$COOPR_BIN/.." "$COOPR_BUILD" "$@" 3>&-
}

# Nothing is left of a run: no file, and no process that has our directory in its environment or arguments.
nothing_left() {
	same "" "$(ls scratch)"
	same "" "$(grep -lsaFf <(echo "$PWD/scratch") /proc/[0-9]*/environ /proc/[0-9]*/cmdline)"
	! grep -F "$PWD/scratch" /proc/self/mounts
}

# A bats file called $1 with the one test on standard input.
test_file() {
	{
		printf '@test "%s" {\n' "$1"
		cat
		printf '}\n'
	} >"$1.bats"
}

setup() {
	fresh
	[ -n "${COOPR_BUILD:-}" ] || skip "runs under tests/run only"
}

@test "the last line counts what passed, failed and was skipped; each file counts once more for leaving nothing" {
	test_file good <<<'true'
	test_file idle <<<'skip "needs the moon"'
	run -0 run_tests good.bats idle.bats
	same "4 passed, 0 failed, 1 skipped" "${lines[-1]}"
	contains "$output" "needs the moon"
	nothing_left
}

@test "the python3 of the tests is Debian's, whatever is called so elsewhere" {
	[ -x /usr/bin/python3 ] || skip "needs python3, which is not installed"
	mkdir bin
	printf '#!/bin/sh\nexit 1\n' >bin/python3
	chmod +x bin/python3
	test_file good <<<'python3 -c "import sys; sys.exit(sys.prefix != \"/usr\")"'
	PATH=$PWD/bin:$PATH run -0 run_tests good.bats
}

@test "a test that fails is shown with what it printed; exit code 1" {
	test_file good <<<'true'
	test_file bad <<<'echo the reason; false'
	run -1 run_tests good.bats bad.bats
	same "4 passed, 1 failed" "${lines[-1]}"
	contains "$output" "# the reason"
	nothing_left
}

@test "a file that cannot be run, or ends before its plan, is a failure" {
	printf '@test "x" {\n' >broken.bats
	printf '#!/bin/sh\necho ok 1 - fine\n' >early
	printf '#!/bin/sh\necho ok 1 - fine\necho 1..1\nkill -SEGV $$\n' >crash
	chmod +x early crash
	run -1 run_tests broken.bats
	run -1 run_tests "$PWD/early"
	contains "$output" "ended early"
	run -1 run_tests "$PWD/crash"
	contains "$output" "exit code 139"
	nothing_left
}

@test "a process that outlives its test is a failure, and is ended, also a daemon with an environment of its own" {
	test_file daemon <<<'setsid env -i sleep 12345 3>&- & true'
	run -1 run_tests daemon.bats
	contains "$output" "left behind: process"
	contains "$output" "(sleep)"
	same "" "$(pgrep -f '^sleep 12345$' || true)"
	nothing_left
}

@test "a file in TMPDIR is a failure" {
	test_file litter <<<'echo x >"$TMPDIR/litter"'
	run -1 run_tests litter.bats
	contains "$output" "left behind: file"
	nothing_left
}

@test "a mount, and a network link, are failures" {
	need_root
	test_file mount <<<'mkdir "$TMPDIR/m"; mount -t tmpfs none "$TMPDIR/m"'
	test_file link <<<'ip link add leftover0 type bridge'
	run -1 run_tests mount.bats link.bats
	contains "$output" "left behind: mount $PWD/scratch/"
	contains "$output" "left behind: link leftover0"
	run -1 ip link show leftover0
	nothing_left
}

@test "a file has a network of its own, and fetches by tests/outside from that of the runner" {
	need_root
	net=$(readlink /proc/self/ns/net)
	test_file alone <<<"[ \$(readlink /proc/self/ns/net) != '$net' ]"
	test_file fetch <<<"[ \$('$COOPR_ROOT/tests/outside' readlink /proc/self/ns/net) = '$net' ]"
	run -0 run_tests alone.bats fetch.bats
	nothing_left
}

@test "a link is nobody's fault where a file shares the network with others" {
	need_root
	need_program setpriv
	test_file link <<<'ip link add stranger0 type bridge'
	mkdir scratch
	TMPDIR=$PWD/scratch run -0 setpriv --bounding-set -sys_admin "$COOPR_ROOT/tests/run" "$COOPR_BIN/.." "$COOPR_BUILD" link.bats 3>&-
	ip link delete stranger0
	nothing_left
}

@test "a file that hangs is ended when its time is up" {
	test_file hang <<<'sleep 12346'
	TEST_TIME=1 run -1 run_tests hang.bats
	contains "$output" "not ended after 1 s"
	nothing_left
}

@test "SIGINT and SIGTERM end it with all that it started, and it says so" {
	mkfifo started
	for signal in INT:130 TERM:143; do
		test_file hang <<<"setsid sleep 12347 3>&- & echo >$PWD/started; sleep 12347"
		mkdir -p scratch
		# A shell starts its background jobs with SIGINT ignored, and an ignored signal cannot be trapped.
		TMPDIR=$PWD/scratch python3 -c 'import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execvp(sys.argv[1], sys.argv[1:])' "$COOPR_ROOT/tests/run" "$COOPR_BIN/.." "$COOPR_BUILD" hang.bats >log 3>&- &
		runner=$!
		hear started _
		kill -s "${signal%:*}" "$runner"
		code=0
		wait "$runner" || code=$?
		same "${signal#*:}" "$code"
		contains "$(cat log)" "interrupted"
		nothing_left
	done
}
