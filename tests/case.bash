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
#	own_catalogue            machines and services that are not real; stubborn_service: one that fails, or waits, when told to
#	need_root                skip where not root
#	need_program NAME...     skip where one is not installed
#	need_confinement         skip where the kernel does not confine programs
#	hello_template NAME      a template of sandbox machines with one script, which is read
#	need_shared PATH         skip where ../shared has no such file; "$SHARED/PATH" is it
#	same EXPECTED FOUND      two texts; shows the difference
#	contains TEXT PART       a text and what must be in it
#	little                   little memory for what follows in this shell
#	make_shim                shim.so of tests/crash/shim.c, for LD_PRELOAD: a program is stopped at its N-th call
#	do_task ARGUMENT...      has coopr-exec do what task, a function of the file, prints; the result is in result.json
#	member FILTER            a member of it
#	hear FIFO NAME...        a line that is written to a FIFO, read into variables; waits for a minute at most
#	jq ARGUMENT...           gojq, where that is installed

bats_require_minimum_version 1.5.0 # run -64 COMMAND, run --separate-stderr COMMAND

COOPR_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
COOPR_BIN=${COOPR_BIN:-$COOPR_ROOT/bin}
SHARED=${COOPR_SHARED:-$COOPR_ROOT/../shared}
PATH=$COOPR_BIN:$PATH
export COOPR_ROOT COOPR_BIN SHARED PATH

# jq 1.6 compiles its own definitions whenever it starts, which takes 27 ms of the processor, and was a third of what all tests take; gojq takes
# 2 ms. It shares no code with coopr, which uses libjq: the better witness. It sorts the members of all objects, and has no option for that.
if command -v gojq >/dev/null; then
	jq() {
		case $1 in
		-*S*) command jq "$@" ;;
		*) gojq "$@" ;;
		esac
	}
fi

fresh() {
	cd "$BATS_TEST_TMPDIR" || return 1
	mkdir -p home run
	chmod 700 run
	export HOME=$BATS_TEST_TMPDIR/home XDG_RUNTIME_DIR=$BATS_TEST_TMPDIR/run
	export COOPR_STATE=$BATS_TEST_TMPDIR/state COOPR_SPOOL=$BATS_TEST_TMPDIR/spool
	# Plugins of the tests leave signs in the directory.
	export COOPR_PLUGIN_WRITE=$BATS_TEST_TMPDIR
	[ -z "${COOPR_TEST_SERVER-}" ] || through_server
	unset CI COOPR_CATALOGUE COOPR_PLUGINS COOPR_STORE COOPR_TENANT XDG_STATE_HOME XDG_CONFIG_HOME
}

# Has all commands done by a server, where they are: see through-server.
through_server() {
	local command

	mkdir -p through/bin servers
	ln -s "$COOPR_ROOT/share" through/share
	export COOPR_TEST_SERVER=$PWD/servers COOPR_TEST_PID=$BASHPID
	for command in "$COOPR_BIN"/coopr "$COOPR_BIN"/coopr-*; do
		[ ! -x "$command" ] || ln -s "$COOPR_ROOT/tests/through-server" "through/bin/${command##*/}"
	done
	PATH=$PWD/through/bin:$PATH
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

# What Landlock and filters of system calls refuse.
need_confinement() {
	local said

	[[ $COOPR_BUILD != *san* ]] || skip "nothing is in force in a build for the sanitizers"
	said=$(coopr-doctor -o json 2>/dev/null | jq -r 'select(.name == "confinement").text') || true
	[[ $said == *Landlock*"in force"* ]] || skip "the kernel has not all of it: $said"
}

# A catalogue of one's own, mine, whose machines and services are not real, and take no time.
own_catalogue() {
	cp -R "$COOPR_ROOT/share/coopr/catalogue" mine
	sed -i '/"delay_ms"/d' mine/providers/dummy.json
	sed -i 's/"delay_ms": *"[0-9]*"/"delay_ms": "0"/' mine/services/*.json
	export COOPR_CATALOGUE=$PWD/mine
}

# A service "stubborn" in it, which clusters of the template lamp may have: it fails to start as long as there is a file "broken",
# and waits as long as there is a file "wait".
stubborn_service() {
	export COOPR_PLUGINS=$PWD/plugins WHERE=$PWD
	mkdir -p plugins/automator
	cat >plugins/automator/stubborn <<-'EOT'
		#!/bin/sh
		cat >/dev/null
		while [ "$1" = start ] && [ -e "$WHERE/wait" ]; do
			echo here >"$WHERE/arrived"
			read -r _ <"$WHERE/gate"
		done
		if [ "$1" = start ] && [ -e "$WHERE/broken" ]; then
			echo '{"kind":"result","status":65,"message":"it is broken"}'
		else
			echo '{"kind":"result","status":0}'
		fi
	EOT
	chmod 755 plugins/automator/stubborn
	echo '{"name": "stubborn", "provisioner": {"actions": {"install": {"type": "dummy", "fields": {}}, "start": {"type": "stubborn", "fields": {}},
		"stop": {"type": "dummy", "fields": {}}, "remove": {"type": "dummy", "fields": {}}}}}' >mine/services/stubborn.json
	sed -i '/"compatibility"/,/}/s/\("services": \[.*\)\]/\1, "stubborn"]/' mine/clustertemplates/lamp.json
}

# A catalogue of one's own, mine, whose sandbox machines have a network of their own, so that a demo may be up, and no cache of
# packages unless that is given.
own_network() { # [CACHE]
	cp -R "$COOPR_ROOT/share/coopr/catalogue" mine
	jq --arg network "10.$((248 + $$ / 256 % 7)).$(($$ % 256)).0/24" --arg cache "${1-}" \
		'.provisioner = {network: $network} + if $cache == "" then {} else {share: $cache} end' \
		"$COOPR_ROOT/share/coopr/catalogue/providers/sandbox.json" >mine/providers/sandbox.json
}

# Fetches the packages of the template web, as coopr-packages(1) says it, and gives its machines a network of their own, so that another
# one may be up. Packages that were not there before are removed by the web_packages_end of the last test, of any run, that uses them.
web_packages() {
	need_program apt-get curl flock ip sshd
	exec 9</var/cache
	flock -s 9
	[ -e /var/cache/coopr ] || { mkdir /var/cache/coopr && touch /var/cache/coopr/of-tests; }
	sed -n 's/^\.Dl # coopr packages/coopr-packages/p' "$COOPR_ROOT/man/man1/coopr-packages.1" >fetch
	[ -s fetch ]
	"$COOPR_ROOT/tests/outside" sh fetch 2>log || skip "the packages cannot be had: $(tail -n 1 log)"
	own_network /var/cache/coopr/packages
}

web_packages_end() {
	[ ! -e /var/cache/coopr/of-tests ] || ! flock -n 9 || rm -rf /var/cache/coopr
	exec 9<&-
}

# In the catalogue mine, a service hello whose configure is the script that is read, and a template of it on sandbox machines:
# hello_template NAME
hello_template() {
	mkdir mine/scripts
	cat >mine/scripts/hello.sh
	echo '{"name": "hello", "provisioner": {"actions": {"configure": {"type": "shell", "fields": {"script": "hello.sh"}, "retries": 0}}}}' \
		>mine/services/hello.json
	echo '{"name": "'"$1"'", "defaults": {"services": ["hello"], "provider": "sandbox", "hardwaretype": "small", "imagetype": "debian12",
		"config": {}}}' >"mine/clustertemplates/$1.json"
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

do_task() {
	task "$@" >task.json
	coopr-exec -q <task.json >result.json
}

member() {
	jq -r "$1" result.json
}

make_shim() {
	need_program "${CC:-cc}"
	"${CC:-cc}" -D_GNU_SOURCE -shared -fPIC -o shim.so "$COOPR_ROOT/tests/crash/shim.c"
}

# Little memory; a sanitizer maps a lot for itself.
little() {
	[[ ${COOPR_BUILD:-} == *san* ]] || ulimit -v 300000
}
export -f little
