#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0

load case
load queue
load examples

# What is said of a check: its status, and the text.
said_of() {
	coopr-doctor -o json | jq -r --arg name "$1" 'select(.name == $name) | "\(.status) \(.text)"' || true
}

@test "where all is well it says so of each thing, and ends with 0" {
	need_program ssh sshd ip unshare
	run -0 coopr-doctor -o json
	same "" "$(jq -r 'select(.status == "fault") | .name' <<<"$output")"
	for name in ssh sandbox "provider sandbox" "automator shell" "spool folder" catalogue spool store; do
		contains "$(jq -r .name <<<"$output")" "$name"
	done
}

@test "it changes nothing" {
	coopr-doctor >/dev/null || true
	[ ! -e state ] && [ ! -e spool ]
}

@test "a program that is missing is named, with the package that has it" {
	mkdir none
	run -1 env PATH="$PWD/none" "$COOPR_BIN/coopr-doctor" -o json
	same "apt-get install openssh-client" "$(jq -r 'select(.name == "ssh") | .remedy' <<<"$output")"
}

@test "a folder that may not be written, or by everybody, is a fault" {
	mkdir open
	chmod 777 open
	COOPR_SPOOL=$PWD/open/spool
	contains "$(said_of 'spool folder')" "fault $PWD/open: writable by everybody"
}

@test "what the catalogue, the spool and the store are judged to be is said" {
	mkdir -p bad/services
	echo '{' >bad/services/x.json
	contains "$(COOPR_CATALOGUE=$PWD/bad said_of catalogue)" "fault coopr-validate: $PWD/bad/services/x.json"
	export COOPR_STORE=$PWD/store
	contains "$(said_of store)" "ok $PWD/store: it does not exist yet"
	echo nonsense >store
	contains "$(said_of store)" "fault coopr-store fsck: $PWD/store: file is not a database"
	mkdir -p "$COOPR_SPOOL"
	contains "$(said_of spool)" "ok $COOPR_SPOOL: nothing is in it yet"
	mkdir -p "$COOPR_SPOOL/jobs/00000042-001"
	contains "$(said_of spool)" "fault $COOPR_SPOOL"
}

# A job, and a file of it that is cut short at a seeded place: what coopr-queue fsck says of it, doctor says too.
@test "what is wrong with a spool is said as coopr-queue fsck says it, never an empty text" {
	local seed

	coopr-request -t web -n 4 --name shop | coopr-solve | coopr-plan >plan
	for seed in 1 2 3 4 5 6; do
		rm -rf "$COOPR_SPOOL"
		coopr-queue put --job 00000042-001 plan >/dev/null
		python3 - "$COOPR_SPOOL" "$seed" <<-'END'
			import os, random, sys
			random.seed(int(sys.argv[2]))
			files = sorted(os.path.join(d, f) for d, _, fs in os.walk(sys.argv[1] + "/jobs") for f in fs
			    if f.startswith(("plan", "events")))
			path = random.choice(files)
			data = bytearray(open(path, "rb").read())
			data[random.randrange(len(data))] ^= 0x55
			open(path, "wb").write(data)
		END
		coopr-queue fsck >found 2>&1 || true
		[ -s found ] || continue
		first=$(head -n 1 found)
		contains "$(said_of spool)" "fault "
		contains "$(said_of spool)" "${first#coopr-queue fsck: }"
		echo "$seed" >>damaged
	done
	[ "$(wc -l <damaged)" -ge 3 ]
}

@test "a plugin that fails without a word is told of by its exit code" {
	export COOPR_PLUGINS=$PWD/plugins
	mkdir -p plugins/provider
	printf '#!/bin/sh\nexit 3\n' >plugins/provider/dummy
	chmod +x plugins/provider/dummy
	contains "$(said_of 'provider dummy')" "ends with exit code 3 and says nothing"
}

@test "a plugin that does not describe itself is a fault" {
	export COOPR_PLUGINS=$PWD/plugins
	mkdir -p plugins/provider
	printf '#!/bin/sh\necho no >&2\nexit 3\n' >plugins/provider/dummy
	chmod +x plugins/provider/dummy
	contains "$(said_of 'provider dummy')" "fault $PWD/plugins/provider/dummy describe fails: no"
}

@test "a plugin that is not executable is named, and how to make it so" {
	mkdir -p inst/bin inst/libexec inst/share
	cp "$COOPR_BIN/coopr-doctor" inst/bin
	cp -RL "$COOPR_BIN/../libexec/coopr" inst/libexec
	ln -s "$COOPR_ROOT/share/coopr" inst/share/coopr
	chmod -x inst/libexec/coopr/automator/shell
	run -1 inst/bin/coopr-doctor -o json
	same "chmod +x $PWD/inst/libexec/coopr/automator/shell" "$(jq -r 'select(.name == "automator shell").remedy' <<<"$output")"
}

@test "keys and a store that others may read are faults" {
	mkdir -m 700 state
	install -D -m 644 /dev/null state/ssh/id_ed25519
	coopr-store init
	chmod 640 state/store.sqlite3
	run -1 coopr-doctor -o json
	same "chmod 600 $COOPR_STATE/ssh/id_ed25519
chmod 600 $COOPR_STATE/store.sqlite3" "$(jq -r 'select(.name == "modes").remedy' <<<"$output")"
}

@test "a folder on a file system that is read-only is told of as such" {
	need_root
	mkdir ro
	unshare --mount bash -c 'mount -t tmpfs -o ro none ro && COOPR_SPOOL=$PWD/ro/spool exec coopr-doctor -o json' >said || [ $? -eq 1 ]
	contains "$(jq -r 'select(.name == "spool folder").text' said)" "ro: its file system is read-only"
}

@test "a disk without room is a fault" {
	need_root
	mkdir full
	unshare --mount bash -c 'mount -t tmpfs -o size=64k none full && { cat /dev/zero >full/fill || true; } &&
		COOPR_SPOOL=$PWD/full/spool exec coopr-doctor -o json' >said 2>errors || [ $? -eq 1 ]
	same "fault $PWD/full/spool: only 0 MB left" "$(jq -r 'select(.name == "spool folder") | .status + " " + .text' said)"
}

@test "a lock that a stopped process holds is named with that process; nobody waits for it" {
	mkdir -p "$COOPR_STATE/clusters/00000001"
	flock "$COOPR_STATE/clusters/00000001" sh -c 'echo $$ >pid; kill -STOP $$; exec true' 3>&- &
	held=$!
	until [ -s pid ] && grep -q 'T (stopped)' "/proc/$(cat pid)/status"; do sleep 0.05; done
	kill -STOP "$held"
	run coopr-doctor -o json
	kill -CONT "$held" "$(cat pid)"
	wait "$held"
	same 1 "$status"
	contains "$(jq -r 'select(.name == "locks") | .status + " " + .text' <<<"$output")" "fault $COOPR_STATE/clusters/00000001 is locked by process"
	contains "$(jq -r 'select(.name == "locks").remedy' <<<"$output")" "kill -CONT"
}

@test "jobs that no worker serves, a coopr reconcile that never ran or long ago, and a clock that was set back are named" {
	coopr-create shop -t lamp -n 4 -P dummy --detach 2>/dev/null
	contains "$(said_of workers)" "doubt no worker serves 1 job: 00000001-001"
	contains "$(said_of reconcile)" "doubt never run"
	coopr-reconcile --work >/dev/null 2>&1
	contains "$(said_of workers)" "ok"
	contains "$(said_of reconcile)" "ok last run"
	sqlite3 "$COOPR_STATE/store.sqlite3" "UPDATE last_time SET at_ms = at_ms - 7200 * 1000"
	contains "$(said_of reconcile)" "doubt last run 2 h 0 m ago"
	contains "$(said_of clock)" "ok"
	touch -d 'now + 2 hours' "$COOPR_SPOOL/bell"
	contains "$(said_of clock)" "fault 1 h 59 m behind"
}

@test "a store of a newer coopr is told of as such" {
	coopr-store init
	sqlite3 "$COOPR_STATE/store.sqlite3" 'PRAGMA user_version = 99' >/dev/null
	contains "$(said_of store)" "fault coopr-store fsck: $COOPR_STATE/store.sqlite3: it is of version 99"
	contains "$(coopr-doctor -o json | jq -r 'select(.name == "store").remedy')" "a newer coopr"
}

@test "the table is for people; another format is misuse" {
	run coopr-doctor -o table
	[ "$status" -le 1 ]
	contains "${lines[0]}" "STATUS"
	COOPR_CATALOGUE=$PWD/nowhere run -1 coopr-doctor -o table
	contains "$(tr -s ' ' <<<"$output")" "error catalogue "
	contains "$output" "-> name one with COOPR_CATALOGUE"
	run -64 coopr-doctor -o name
	run -64 coopr-doctor now
}

@test "the examples of the page" {
	commands_of "$COOPR_ROOT/man/man1/coopr-doctor.1" >examples
	bash examples
}

@test "what a route of sandbox nodes needs is named as long as it is missing" {
	need_root
	mkdir some
	ln -s "$(command -v true)" some/nft
	export PATH=$PWD/some:$PATH
	echo 0 >/proc/sys/net/ipv4/ip_forward 2>/dev/null || skip "needs to set net.ipv4.ip_forward"
	contains "$(said_of 'sandbox route')" "true needs: sysctl -w net.ipv4.ip_forward=1"
	echo 1 >/proc/sys/net/ipv4/ip_forward
	same 'ok available to providers with "route": true' "$(said_of 'sandbox route')"
}

@test "a firewall that keeps sandbox nodes from each other is told of, with what to do" {
	need_root
	need_program iptables
	cat >firewalled <<-'E'
		iptables -P FORWARD DROP || exit 99
		coopr-doctor
		iptables -I FORWARD -i cn-+ -j ACCEPT
		coopr-doctor
	E
	run unshare -n bash firewalled
	[ "$status" -ne 99 ] || skip "needs iptables in a network namespace"
	same 1 "$(grep -c 'sandbox forward.*sandbox nodes of a cluster do not reach each other' <<<"$output")"
	contains "$output" "-> iptables -I FORWARD -i cn-+ -j ACCEPT"
}

@test "spool, store and state on a network file system are read, are not written, and are told of" {
	need_program "${CC:-cc}"
	coopr-store init
	two_nodes >plan
	coopr-queue put plan
	cat >nfs.c <<-'END'
		#define _GNU_SOURCE
		#include <sys/syscall.h>
		#include <sys/vfs.h>
		#include <unistd.h>
		int statfs(const char *path, struct statfs *system)
		{
			int result = (int)syscall(SYS_statfs, path, system);
			system->f_type = 0x6969;
			return result;
		}
	END
	"${CC:-cc}" -shared -fPIC -o nfs.so nfs.c
	on_nfs() {
		ASAN_OPTIONS=${ASAN_OPTIONS:-}:verify_asan_link_order=0 LD_PRELOAD=$PWD/nfs.so "$@"
	}
	on_nfs coopr-queue show 00000042-001
	run -78 on_nfs coopr-queue put plan
	contains "$output" "is on a network file system (nfs)"
	on_nfs coopr-store list
	run -78 on_nfs coopr-store init
	contains "$output" "is on a network file system (nfs)"
	run on_nfs coopr-doctor -o json
	contains "$(jq -r 'select(.name == "spool folder").text' <<<"$output")" "is on a network file system (nfs)"
	contains "$(jq -r 'select(.name == "state folder").text' <<<"$output")" "is on a network file system (nfs)"
}
