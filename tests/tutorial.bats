#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-tutorial(7): what it tells a newcomer to type works.

load case

# The commands of a section: what stands behind a prompt, and behind the prompts of the lines that go on.
typed() { # SECTION PROMPT
	mandoc -T ascii -O width=200 "$COOPR_ROOT/man/man7/coopr-tutorial.7" | sed 's/.\x08//g' |
		sed -n "/^$1/,/^[A-Z]/s/^ *[$2>] \{0,1\}\(.*\)/\1/p"
}

teardown() {
	[ ! -d "$COOPR_STATE/clusters/00000001" ] || coopr-delete -y two
}

@test "the simulation" {
	need_program mandoc
	typed "A SIMULATION" '$' >session
	run --separate-stderr -0 bash -eux session
	contains "$output" "exit code 1"
	contains "$output" "blog"
	contains "$output" "haproxy"
	contains "$output" "HDFS:  http://"
	same 5 "$(coopr-queue ls -o json | jq -r 'select(.status == "complete").job' | wc -l)"
}

# The catalogue's sandbox shares the folder of the packages; this service needs none of them. On a terminal, as it is for who
# reads the page.
@test "a service of one's own, broken and mended, and a day in the life of its cluster: what is typed works, and what is shown is printed" {
	need_root
	need_program mandoc ip ssh sshd unshare script python3
	mandoc -T utf8 -O width=200 "$COOPR_ROOT/man/man7/coopr-tutorial.7" | sed 's/.\x08//g' |
		sed -n '/^YOUR OWN SERVICE/,/^A REAL WEB SITE/p' >page
	"$BATS_TEST_DIRNAME/shown" script page >session
	[ "$(grep -c '^coopr ' session)" -gt 20 ]
	NO_COLOR=1 TERM=dumb unshare --mount bash -c 'mount -t tmpfs tmpfs /var/cache && mkdir -p /var/cache/coopr/packages &&
		exec script -qec "stty cols 200; bash session" /dev/null' </dev/null >printed
	"$BATS_TEST_DIRNAME/shown" judge page printed
	same "" "$(ls "$COOPR_STATE/clusters")"
}
