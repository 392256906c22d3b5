# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# What every bats file starts with:
#
#	load case
#
# Each test then runs in a fresh directory, with the programs of the build under test first in PATH and
# everything coopr keeps (state, spool, home, sockets) below that directory. A file that needs more has a setup
# of its own and calls `fresh` in it first.
#
#	fresh                    the directory and the environment
#	need_root                skip where not root
#	need_program NAME...     skip where one is not installed
#	need_shared PATH         skip where ../shared has no such file; "$SHARED/PATH" is it
#	same EXPECTED FOUND      two texts; shows the difference
#	contains TEXT PART       a text and what must be in it
#	make_shim                shim.so of tests/crash/shim.c, for LD_PRELOAD: a program is stopped at its N-th call
#	hear FIFO NAME...        a line that is written to a FIFO, read into variables; waits for a minute at most

bats_require_minimum_version 1.5.0 # run -64 COMMAND, run --separate-stderr COMMAND

COOPR_ROOT=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
COOPR_BIN=${COOPR_BIN:-$COOPR_ROOT/bin}
SHARED=${COOPR_SHARED:-$COOPR_ROOT/../shared}
PATH=$COOPR_BIN:$PATH
export COOPR_ROOT COOPR_BIN SHARED PATH

fresh() {
	cd "$BATS_TEST_TMPDIR" || return 1
	mkdir -p home run
	chmod 700 run
	export HOME=$BATS_TEST_TMPDIR/home XDG_RUNTIME_DIR=$BATS_TEST_TMPDIR/run
	export COOPR_STATE=$BATS_TEST_TMPDIR/state COOPR_SPOOL=$BATS_TEST_TMPDIR/spool
	unset COOPR_CATALOGUE COOPR_PLUGINS COOPR_STORE COOPR_TENANT XDG_STATE_HOME XDG_CONFIG_HOME
}

setup() {
	fresh
}

need_root() {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
}

need_program() {
	local name

	for name; do
		command -v "$name" >/dev/null || skip "needs $name, which is not installed"
	done
}

# A catalogue of one's own, mine, whose sandbox machines have a network of their own, so that a demo may be up, and no cache of
# packages unless that is given.
own_network() { # [CACHE]
	cp -R "$COOPR_ROOT/share/coopr/catalogue" mine
	jq --arg network "10.$((248 + $$ / 256 % 7)).$(($$ % 256)).0/24" --arg cache "${1-}" \
		'.provisioner = {network: $network} + if $cache == "" then {} else {share: $cache} end' \
		"$COOPR_ROOT/share/coopr/catalogue/providers/sandbox.json" >mine/providers/sandbox.json
}

need_shared() {
	[ -e "$SHARED/$1" ] || skip "needs $SHARED/$1"
}

same() {
	[ "$1" = "$2" ] || diff -u --label expected --label found <(printf '%s\n' "$1") <(printf '%s\n' "$2")
}

contains() {
	case $1 in
	*"$2"*) ;;
	*)
		printf 'not found: %s\nin: %s\n' "$2" "$1"
		return 1
		;;
	esac
}

# Open for writing, too: to open it for reading alone would wait for whoever writes, with no limit.
hear() {
	local fifo=$1

	shift
	read -r -t 60 "$@" <>"$fifo"
}

make_shim() {
	need_program "${CC:-cc}"
	"${CC:-cc}" -D_GNU_SOURCE -shared -fPIC -o shim.so "$BATS_TEST_DIRNAME/crash/shim.c"
}
