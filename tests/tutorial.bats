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

@test "the rehearsal" {
	need_program mandoc
	typed "A REHEARSAL" '$' >session
	run --separate-stderr -0 bash -eux session
	contains "$output" "exit code 1"
	contains "$output" "blog"
	contains "$output" "haproxy"
	contains "$output" "HDFS:  http://"
	same 5 "$(coopr-queue ls -o json | jq -r 'select(.status == "complete").job' | wc -l)"
}

# The catalogue's sandbox shares the folder of the packages; this service needs none of them.
@test "a service of your own, broken and mended" {
	need_root
	need_program mandoc ip ssh sshd unshare
	typed "YOUR OWN SERVICE" '#' >session
	unshare --mount bash -c 'mount -t tmpfs tmpfs /var/cache && mkdir -p /var/cache/coopr/packages && exec bash -eux session' \
		>output 2>log
	contains "$(cat output)" "exit code 1"
	contains "$(cat log)" "configuration: /motd/txt: there is no such member"
	contains "$(cat output)" two1-1001
	same "" "$(ls "$COOPR_STATE/clusters")"
}
