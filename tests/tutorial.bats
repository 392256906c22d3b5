#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-tutorial(7), coopr-tutorial-admin(7): what they tell a newcomer to type works, and prints what they show.

load case

# The commands of a section: what stands behind a prompt, and behind the prompts of the lines that go on.
typed() { # SECTION PROMPT
	mandoc -T ascii -O width=200 "$COOPR_ROOT/man/man7/coopr-tutorial.7" | sed 's/.\x08//g' |
		sed -n "/^$1/,/^[A-Z]/s/^ *[$2>] \{0,1\}\(.*\)/\1/p"
}

# Sections of a page as text, from the one to before the other: sections PAGE FROM TO
sections() {
	mandoc -T utf8 -O width=200 "$COOPR_ROOT/man/man7/$1.7" | sed 's/.\x08//g' | sed -n "/^$2/,/^$3/p"
}

# Types what the page says on a terminal, as it is for who reads it. The catalogue's sandbox shares the folder of the packages;
# these services need none of them.
act() { # PAGE LEAST
	need_root
	need_program mandoc ip ssh sshd unshare script python3
	"$BATS_TEST_DIRNAME/shown" script "$1" >session
	[ "$(grep -c '^coopr ' session)" -gt "$2" ]
	NO_COLOR=1 TERM=dumb unshare --mount bash -c 'mount -t tmpfs tmpfs /var/cache && mkdir -p /var/cache/coopr/packages &&
		exec script -qec "stty cols 200; bash session" /dev/null' </dev/null >printed
	"$BATS_TEST_DIRNAME/shown" judge "$1" printed
}

teardown() {
	export COOPR_CATALOGUE=$PWD/mine
	[ ! -d own ] || export COOPR_CATALOGUE=$PWD/own
	[ ! -d own ] || [ ! -d "$COOPR_STATE/clusters/00000001" ] || coopr-delete -y --discard-data team
	[ ! -d "$COOPR_STATE/clusters/00000001" ] || coopr-delete -y try
	[ ! -d "$COOPR_STATE/clusters/00000002" ] || coopr-delete -y two || COOPR_TENANT=qa coopr-delete -y site
}

@test "a user's cluster without machines, and what is behind the commands" {
	need_program mandoc
	typed "WITHOUT MACHINES" '$' >session
	[ "$(grep -c '^coopr ' session)" -ge 10 ]
	run --separate-stderr -0 bash -eux session
	same 3 "$(coopr-queue ls -o json | jq -r 'select(.status == "complete").job' | wc -l)"
	typed "BEHIND THE COMMANDS" '$' >session
	run --separate-stderr -0 bash -eux session
	contains "$output" "exit code 1"
	contains "$output" "blog"
	contains "$output" "haproxy"
	same 5 "$(coopr-queue ls -o json | jq -r 'select(.status == "complete").job' | wc -l)"
}

@test "an administrator's service, broken and mended, store, tenant, upgrade, reconciliation and backup" {
	sections coopr-tutorial-admin "A SERVICE OF" "SEE ALSO" >page
	act page 24
	same "" "$(ls "$COOPR_STATE/clusters")"
}

@test "a user's day with a cluster on real machines" {
	sections coopr-tutorial-admin "A SERVICE OF" "THE STORE" >page
	sections coopr-tutorial "ON REAL MACHINES" "A REAL WEB SITE" >>page
	act page 20
	same "" "$(ls "$COOPR_STATE/clusters")"
}

@test "a service from nothing to a database with a standby" {
	sections coopr-services "THE CATALOGUE" "SEE ALSO" >page
	act page 6
	same "" "$(ls "$COOPR_STATE/clusters")"
}
