#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# A cluster of real machines, on which things break: coopr-reconcile(1) finds what, and mends what it may.

load case

setup() {
	fresh
	need_root
	need_program ip ssh sshd nsenter
	own_network
	export COOPR_CATALOGUE=$PWD/mine
	mkdir mine/scripts
	cat >mine/scripts/beat.sh <<-'EOT'
		#!/bin/sh
		set -eu
		runs() { [ -s /run/beat.pid ] && kill -s 0 "$(cat /run/beat.pid)" 2>/dev/null; }
		case $COOPR_ACTION in
		start)
			! runs || exit 0
			cp /bin/true /var/tmp/beat
			setsid sleep 100000 </dev/null >/dev/null 2>&1 &
			echo $! >/run/beat.pid
			echo start >>/root/done
			;;
		stop) ! runs || kill "$(cat /run/beat.pid)" ;;
		status)
			[ ! -e /root/hang ] || { echo $$ >/root/asked; sleep 1000; }
			runs || { echo "there is no beat" >&2; exit 1; }
			;;
		esac
	EOT
	cat >mine/services/beat.json <<-'EOT'
		{"name": "beat", "provisioner": {"actions": {
			"start": {"type": "shell", "fields": {"script": "beat.sh"}, "retries": 0},
			"stop": {"type": "shell", "fields": {"script": "beat.sh"}, "retries": 0},
			"status": {"type": "shell", "fields": {"script": "beat.sh"}}}}}
	EOT
	cat >mine/clustertemplates/beat.json <<-'EOT'
		{"name": "beat", "defaults": {"services": ["beat"], "provider": "sandbox", "hardwaretype": "small", "imagetype": "debian12"}}
	EOT
	coopr-create -o json beat -t beat -n 3 >made 2>log
}

teardown() {
	[ ! -d "$COOPR_STATE/clusters/00000001" ] || coopr-delete -y beat
}

# The first process of the machine with this number.
init_of() {
	"$COOPR_BIN"/../libexec/coopr/provider/sandbox list <mine/providers/sandbox.json | jq -r "select(.id == \"00000001-$1\") | .pid"
}

# Runs words in a namespace of the machine with this number, as root of the host: a program there with the bit setuid would make that
# the machine's.
inside() { # NUMBER --net|--mount|--pid WORD...
	local pid

	pid=$(init_of "$1")
	setpriv --no-new-privs nsenter --target "$pid" "$2" "${@:3}"
}

drift() {
	jq -r '[.node, .service, .what, .mended] | map(select(.)) | join(" ")' <<<"$output" | paste -sd,
}

operations() {
	sqlite3 "$COOPR_STATE/store.sqlite3" "SELECT count(*) FROM operation WHERE job IS NOT NULL"
}

kill_beat() { # NUMBER
	coopr-exec "beat/$1" 'kill -KILL $(cat /run/beat.pid)'
}

@test "a service that was killed is named, and started; a second run has nothing to do" {
	run --separate-stderr -0 coopr reconcile -o json --probe
	same "" "$output$stderr"
	kill_beat 1001
	run --separate-stderr -1 coopr reconcile -o json --probe
	same "00000001-1001 beat stopped" "$(drift)"
	contains "$output" "there is no beat"
	run --separate-stderr -0 coopr reconcile -o json --probe --repair --work
	same "00000001-1001 beat stopped 00000001-002" "$(drift)"
	run --separate-stderr -0 coopr reconcile -o json --probe --repair
	same "" "$output$stderr"
	same "1 2 1" "$(coopr-exec beat 'wc -l </root/done' | sort | sed 's/.*| *//' | paste -sd' ')"
	# What is stopped on purpose stays so.
	coopr-stop -o json -N 00000001-1000 beat beat >now 2>log
	run --separate-stderr -0 coopr reconcile -o json --probe --repair --work
	same 3 "$(operations)"
}

@test "a service that does not say in time whether it runs is unknown, and what was asked is ended" {
	coopr-exec beat/1002 'touch /root/hang'
	run --separate-stderr -1 coopr reconcile -o json --probe --repair --work --timeout 2
	same "00000001-1002 beat unknown" "$(drift)"
	run ! coopr-exec -q beat/1002 'kill -s 0 $(cat /root/asked)'
	coopr-exec beat/1002 'rm /root/hang'
	run --separate-stderr -0 coopr status --probe beat
	same 1 "$(operations)"
}

@test "a machine whose network is cut is unreachable, and not replaced; once it is back, all is well" {
	inside 1001 --net ip link set eth0 down
	run --separate-stderr -1 coopr reconcile -o json --probe --repair --work --timeout 3
	same "00000001-1001 unreachable" "$(drift)"
	run --separate-stderr -1 coopr status --probe -q beat
	same 1 "$(operations)"
	inside 1001 --net ip link set eth0 up
	run --separate-stderr -0 coopr reconcile -o json --probe --repair --work
	same "" "$output"
	contains "$stderr" "1001"
	run --separate-stderr -0 coopr reconcile -o json --probe --repair --work
	same "" "$output$stderr"
	inside 1001 --net ip link set eth0 down
	run --separate-stderr -0 coopr reconcile -o json --probe --repair --work --timeout 3 --replace-unreachable 0s
	same "00000001-1001 unreachable 00000001-002" "$(drift)"
	run --separate-stderr -0 coopr reconcile -o json --probe
	same "00000001-1000 00000001-1002 00000001-1003" "$("$COOPR_BIN"/../libexec/coopr/provider/sandbox list <mine/providers/sandbox.json |
		jq -r .id | sort | paste -sd' ')"
}

@test "machines that were deleted or killed behind its back are replaced" {
	"$COOPR_BIN"/../libexec/coopr/provider/sandbox list <mine/providers/sandbox.json | jq -c 'select(.id == "00000001-1000") |
		{kind: "task", id: "t", action: "delete", type: "sandbox", cluster: {}, machine: .}' | coopr-exec -q >gone
	same 0 "$(jq .status gone)"
	run --separate-stderr -0 coopr reconcile -o json --repair --work --timeout 3
	same "00000001-1000 vanished 00000001-002" "$(drift)"
	kill -KILL "$(init_of 1001)"
	run --separate-stderr -0 coopr reconcile -o json --probe --repair --work --timeout 3
	same "00000001-1001 vanished 00000001-003" "$(drift)"
	contains "$output" "its provider says that it is dead"
	run --separate-stderr -0 coopr reconcile -o json --probe
	same "" "$output$stderr"
}

@test "a machine without room for a script is told of as such" {
	inside 1002 --mount mount -t tmpfs -o size=64k,nr_inodes=2 none /tmp
	inside 1002 --mount sh -c ': >/tmp/full'
	run --separate-stderr -1 coopr reconcile -o json --probe --repair --work --replace-unreachable 0s
	same "00000001-1002 unknown" "$(drift)"
	contains "$output" "No space left on device"
	inside 1002 --mount sh -c 'mount -o remount,size=64k,nr_inodes=99 /tmp && head -c 99999 /dev/zero >/tmp/full || true'
	run --separate-stderr -1 coopr reconcile -o json --probe --repair --work --replace-unreachable 0s
	same "00000001-1002 unknown" "$(drift)"
	contains "$output" "No space left on device"
	inside 1002 --mount umount /tmp
	run --separate-stderr -0 coopr reconcile -o json --probe
}

@test "a disk that is full fails an operation in words one can read; with room again, --retry goes on" {
	inside 1002 --mount mount -t tmpfs -o size=4k none /var/tmp
	kill_beat 1002
	run --separate-stderr -1 coopr-restart beat
	for part in "beat" "1002" "No space left on device"; do
		contains "$stderr" "$part"
	done
	run --separate-stderr -1 coopr reconcile -o json --probe
	same "failed,00000001-1002 beat stopped" "$(drift)"
	contains "$output" "No space left on device"
	inside 1002 --mount umount /var/tmp
	sqlite3 "$COOPR_STATE/store.sqlite3" "UPDATE operation SET begun_ms = begun_ms - 600000, ended_ms = ended_ms - 600000"
	run --separate-stderr -1 coopr reconcile -o json --probe --retry --work
	same "failed 00000001-002,00000001-1002 beat stopped" "$(drift)"
	run --separate-stderr -0 coopr reconcile -o json --probe
}

@test "several at once: one mends, all end, and nothing is done twice" {
	kill_beat 1000
	kill -KILL "$(init_of 1002)"
	for n in 1 2 3 4 5; do
		(
			code=0
			coopr reconcile -o json --probe --repair --work --timeout 3 >"found.$n" 2>"told.$n" || code=$?
			echo "$code" >"code.$n"
		) &
	done
	wait
	same "" "$(cat code.* | grep -vx '[01]')"
	run --separate-stderr coopr reconcile -o json --probe --repair --work --timeout 3
	run --separate-stderr -0 coopr reconcile -o json --probe
	same "create 1 replace 1 start 1" "$(sqlite3 -separator ' ' "$COOPR_STATE/store.sqlite3" \
		"SELECT action, count(*) FROM operation WHERE job IS NOT NULL GROUP BY 1 ORDER BY 1" | paste -sd' ')"
}

@test "killed while it mends, the next one goes on" {
	kill_beat 1000
	cat >mine/scripts/beat.sh.new <<-'EOT'
		#!/bin/sh
		[ "$COOPR_ACTION" != start ] || [ -e /root/go ] || { touch /root/here; while [ ! -e /root/go ]; do sleep 0.1; done; }
	EOT
	sed -n '2,$p' mine/scripts/beat.sh >>mine/scripts/beat.sh.new
	mv mine/scripts/beat.sh.new mine/scripts/beat.sh
	setsid coopr-reconcile -o json --probe --repair --work >found 2>told &
	reconcile=$!
	coopr-exec beat/1000 'while [ ! -e /root/here ]; do sleep 0.1; done'
	kill -KILL "$reconcile"
	wait "$reconcile" || true
	coopr-exec beat/1000 'touch /root/go'
	run --separate-stderr coopr reconcile -o json --probe --repair --work
	run --separate-stderr -0 coopr reconcile -o json --probe
	same "active 2" "$(sqlite3 -separator ' ' "$COOPR_STATE/store.sqlite3" "SELECT status, operation FROM cluster")"
	coopr-store fsck
	coopr-queue fsck
}

@test "a machine that could not be made leaves the others as they are: well where they say so with what there is, else unknown" {
	mkdir shared
	jq --arg folder "$PWD/shared" '.provisioner.share = $folder' mine/providers/sandbox.json >provider
	mv provider mine/providers/sandbox.json
	cat >mine/scripts/look.sh <<-'EOT'
		#!/bin/sh
		set -eu
		. ./lib.sh
		case $COOPR_ACTION in
		status)
			coopr_config peers
			[ ! -e /root/others ] || { echo "there were others" >&2; exit 1; }
			;;
		esac
	EOT
	echo '{"name": "look", "provisioner": {"actions": {"start": {"type": "shell", "fields": {"script": "look.sh"}},
		"status": {"type": "shell", "fields": {"script": "look.sh", "config": ["peers"]}}}}}' >mine/services/look.json
	echo '{"name": "look", "defaults": {"services": ["look"], "provider": "sandbox", "hardwaretype": "small", "imagetype": "debian12",
		"config": {"peers": "%ip.service.look%"}}}' >mine/clustertemplates/look.json
	coopr-create -q -y look -t look -n 3
	mv shared away
	run ! coopr-replace -y --dead look 1001
	contains "$output" "not a directory on this host"
	answers() {
		coopr-status --probe look >said 2>&1 || true
		coopr-show -o json look | jq -r 'select(.kind == "observation" and .service == "look") | "\(.node[9:]) \(.answer)"' | sort | paste -sd ,
	}
	same "1000 healthy,1002 healthy" "$(answers)"
	coopr-ssh look/1000 'touch /root/others' </dev/null
	same "1000 unknown,1002 healthy" "$(answers)"
	contains "$(cat said)" "that may be because a machine is still to be made"
	coopr-ssh look/1000 'rm /root/others' </dev/null
	mv away shared
	coopr-retry -q look
	same "1000 healthy,1002 healthy,1003 healthy" "$(answers)"
	coopr-delete -q -y look
}
