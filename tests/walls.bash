# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Who attacks the walls of coopr-security(7), and how it is seen that nothing of the host was touched:
#
#	load case
#	load walls
#
#	walls_tenant                    a store with the tenant qa and the catalogue mine
#	walls_setup                     a store with tenants qa (admin ann, user bob) and dev (admin eve); the host's files canary, its process
#	                                $CANARY_PID with the port $CANARY_PORT; secrets canary of dev and superadmin
#	walls_documents KINDS           documents of these kinds, one argument, with strings that name canaries, walls-documents.py
#	traced FUNCTION                 runs it, and the file trace has the names that it gives the kernel
#	walls_teardown                  in teardown
#	nothing_was_touched [FOLDER...] fails where a call of the kernel in the file trace has named a canary, where its content, $WALLS_WORD,
#	                                is in out, the store, the state or the folders, or where the canary was met

walls_tenant() {
	coopr-store init
	coopr-tenant create qa
	coopr-member set -T qa -r admin ann
	coopr-member set -T qa bob
	coopr-store import -T qa mine >/dev/null 2>&1
	unset COOPR_CATALOGUE
}

walls_setup() {
	need_root
	need_program strace jq python3
	fresh
	export COOPR_STORE=$PWD/store ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 # not under strace
	export COOPR_STALE_AFTER_S=86400 # what is compared before and after is the same however long that takes
	unset COOPR_USER SUDO_USER
	walls_canaries
	coopr-store init
	coopr-tenant create qa
	coopr-tenant create dev
	coopr-member set -T qa -r admin ann
	coopr-member set -T qa bob
	coopr-member set -T dev -r admin eve
	for tenant in dev superadmin; do
		echo "$WALLS_WORD" | coopr-secret set -T "$tenant" canary
	done
}

# The host: files, and a process with an address. Commands are run in host/work.
walls_canaries() {
	WALLS_WORD=content-of-the-host-$RANDOM$RANDOM
	mkdir -p host/work "$HOME/.ssh"
	echo "$WALLS_WORD" | tee host/canary "$HOME/.ssh/canary" >"$HOME/canary"
	ln -s canary host/canary-link
	ln host/canary host/canary-hard
	mkfifo host/known
	python3 -B "$COOPR_ROOT/tests/walls-canary.py" "$PWD/host" 3>&- &
	CANARY=$!
	hear host/known CANARY_PORT CANARY_PID
	export WALLS_WORD CANARY_PORT CANARY_PID
}

walls_teardown() {
	[ -z "${CANARY:-}" ] || kill "$CANARY"
}

# What names a canary, a line each, as JSON: a path of the host, an address of it, a process of it, a secret of another tenant's.
walls_spellings() {
	jq -n --arg c "$PWD/host/canary" --arg here "$PWD/host" --arg port "$CANARY_PORT" --arg pid "$CANARY_PID" '[$c, "/" + $c, $c + "/.", $c + "/",
		"../canary", "../../../../../../../../" + $c, "x/../../canary", "./../canary", "a/./canary", "a//canary", "../canary:latest",
		$here + "/canary-link", $here + "/canary-hard", "/proc/self/root" + $c, "/proc/self/cwd/../canary",
		"/proc/self/fd/9/../canary", "/dev/fd/9/canary", "file://" + $c, "\"" + $c + "\"", "\u0027" + $c + "\u0027", "\\" + $c, "a " + $c,
		"a\t" + $c, "a\n" + $c, "a\u0001" + $c, "a\u007f" + $c, $c + "*", "~/canary", "~root" + $c, "$HOME/canary", "$(cat " + $c + ")",
		"`cat " + $c + "`", ";cat " + $c, "|cat " + $c, "%file.canary%", "@" + $c, "-oProxyCommand=cat " + $c, "--machines=" + $c,
		"\u00e4/../" + $c, "\u202e" + $c, "unix:" + $here + "/canary.socket", "/proc/" + $pid + "/environ", "/proc/" + $pid + "/root" + $c,
		$pid, "-" + $pid, {secret: "canary"}, {secret: "dev/canary"}, {secret: "../canary"}, {secret: "superadmin/canary"},
		{generated_secret: "dev/canary"}, {secret: "1/canary"}, {file: $c}, {identityfile: $c}] + [("127.0.0.1", "127.1", "2130706433", "0x7f000001",
		"0177.0.0.1", "0", "[::1]", "[::ffff:127.0.0.1]", "localhost", "root@127.0.0.1", "http://127.0.0.1", "https://u:p@localhost") + ":" + $port]' |
		jq -c '.[]'
}

# The plugins that come along.
walls_plugins() {
	find "$COOPR_BIN/../libexec/coopr/provider" "$COOPR_BIN/../libexec/coopr/automator" -type f -perm -100 ! -name '*.c'
}

# Those that a tenant writes.
# What is traced reads no files of its own: gojq, as a program in Go, looks into /sys.
unset -f jq

WALLS_KINDS="provider hardwaretype imagetype service clustertemplate partialtemplate clusterspec"

walls_documents() {
	local plugins

	mapfile -t plugins < <(walls_plugins | sort)
	walls_spellings | python3 -B "$COOPR_ROOT/tests/walls-documents.py" "$COOPR_ROOT/share/coopr/schema" "$1" "${plugins[@]}"
}

# Runs a function of the file under the trace that nothing_was_touched reads: traced FUNCTION
traced() {
	export -f "${1?}"
	strace -f -y -qq --seccomp-bpf -o trace -e trace=%file bash -c "$1"
}

nothing_was_touched() {
	same "" "$(python3 -B "$COOPR_ROOT/tests/walls-touched.py" trace .)" &&
		same "" "$(grep -F "/proc/$CANARY_PID/" trace | head -5)" &&
		same "" "$(grep -rls "$WALLS_WORD" out store state "$@" | head -5)" &&
		same "" "$(cat host/met)" && contains "$(cat "/proc/$CANARY_PID/stat")" ") S "
}

# What looks for the canaries finds them: otherwise it proves nothing.
judges_see_it() {
	local command

	for command in "cat host/canary" "cat host/work/../canary" "cd host/work && cat ../canary" "cat host/canary-link" "cat ~/.ssh/canary" \
		"cat /proc/self/root$PWD/host/canary" "cat /proc/self/cwd/host/canary" "exec 9<host && cat /dev/fd/9/canary" \
		"cat /proc/$CANARY_PID/environ" "echo $WALLS_WORD"; do
		: >out
		strace -f -y -qq -o trace -e trace=%file bash -c "$command" >out 2>&1
		run nothing_was_touched
		[ "$status" -ne 0 ] || { echo "not seen: $command"; return 1; }
	done
	: >out
	: >trace
	for command in "kill -USR1 $CANARY_PID" "exec 8<>/dev/tcp/127.0.0.1/$CANARY_PORT"; do
		bash -c "$command"
		until [ -s host/met ]; do sleep 0.05; done
		run nothing_was_touched
		[ "$status" -ne 0 ]
		: >host/met
	done
	nothing_was_touched
}
