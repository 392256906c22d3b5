#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# What a script prints as its backup, and reads to restore it, over a real sshd; coopr-shell(7).

load case
load sshd

setup() {
	fresh
	need_root
	export TMPDIR=$BATS_TEST_TMPDIR
	sshd_start
	coopr-store init
	archive=$(dirname "$COOPR_BIN")/libexec/coopr/archive
	script data.sh <<-END
		#!/bin/sh
		echo "doing \$COOPR_ACTION" >&2
		case \$COOPR_ACTION in
		backup) cat $PWD/data ;;
		restore) cat >$PWD/back && echo whole >>$PWD/back.end ;;
		esac
	END
	head -c 3000000 /dev/urandom >data
}

teardown() {
	sshd_stop
}

# back_up [FIELDS]
back_up() {
	do_task backup "${1:-{\"script\": \"data.sh\"\}}"
}

put_back() {
	task restore '{"script": "data.sh"}' | jq -c '.archive = "00000042-001-1000-web"' >task.json
	coopr-exec -q <task.json >result.json || :
}

@test "what a script prints is kept, encrypted, and another one reads it again" {
	back_up
	same 0 "$(member .status)"
	same 00000042-001-1000-web "$("$archive" list)"
	"$archive" get 00000042-001-1000-web | cmp - data
	run ! cmp -s "$COOPR_STATE/archives/00000042-001-1000-web" data
	put_back
	same 0 "$(member .status)"
	cmp data back
	same whole "$(cat back.end)"
}

@test "an archive may be empty, of one byte, or look like the lines between streams" {
	for content in '' x 'coopr-end 0 0' $'coopr-archive \ncoopr-begin \n'; do
		printf %s "$content" >data
		back_up
		same 0 "$(member .status)"
		put_back
		same 0 "$(member .status)"
		cmp data back
	done
}

@test "a script that fails in the middle makes no archive" {
	script half.sh <<-END
		#!/bin/sh
		head -c 1000000 $PWD/data
		echo "the disk is broken" >&2
		exit 3
	END
	back_up '{"script": "half.sh"}'
	same 3 "$(member .status)"
	contains "$(member .message)" "the disk is broken"
	same "" "$("$archive" list)"
}

@test "a worker that is killed, and a connection that is lost, make no archive" {
	mkfifo started
	script slow.sh <<-END
		#!/bin/sh
		head -c 1000000 $PWD/data
		echo \$PPID >$PWD/started
		exec sleep 1000
	END
	for victim in us ssh; do
		task backup '{"script": "slow.sh"}' >task.json
		coopr-exec -q <task.json >result.json 3>&- &
		job=$!
		hear started pid
		if [ "$victim" = us ]; then
			kill -KILL "$job"
		else
			kill -KILL "$(pgrep -P "$(pgrep -P "$job")" -x ssh)"
		fi
		wait "$job" || :
		same "" "$("$archive" list)"
	done
}

@test "a damaged archive touches nothing; one that is damaged while it is read is never at its end" {
	back_up
	printf X | dd of="$COOPR_STATE/archives/00000042-001-1000-web" bs=1 seek=2000000 conv=notrunc status=none
	put_back
	same 65 "$(member .status)"
	[ ! -e back ]
	[ ! -e back.end ]
}

@test "what is no longer read, or cannot be kept, fails in words" {
	back_up
	script lazy.sh <<-'END'
		#!/bin/sh
		exec <&-
		sleep 1 # what the archive is handed by notices meanwhile
		exit 4
	END
	task restore '{"script": "lazy.sh"}' | jq -c '.archive = "00000042-001-1000-web"' >task.json
	coopr-exec -q <task.json >result.json || :
	same 4 "$(member .status)"
	export COOPR_ARCHIVES=false
	back_up
	[ "$(member .status)" -ne 0 ]
	contains "$(member .message)" "archive 00000042-001-1000-web: it could not be kept"
}

@test "a restore of a plan names its archive, and only what is restored can have one" {
	request=$(coopr-request -C "$COOPR_ROOT/share/coopr/catalogue" -t web -n 4 --name shop | jq -c '(.. | objects | select(.name? == "mariadb" and .provisioner?).provisioner.actions) |= (. + {backup: .start, restore: .start})')
	coopr-solve <<<"$request" >layout
	node=$(jq -r 'select(.kind == "node" and .services == ["mariadb"]) | .id' layout)
	coopr-plan -a restore --archive "$node/mariadb=00000042-001-1000-mariadb" layout >plan
	same "00000042-001-1000-mariadb" "$(jq -r 'select(.kind == "task" and .action == "restore") | .archive' plan)"
	coopr-plan --check plan
	run -1 coopr-plan -a restore --archive "$node/nginx=x" layout
	contains "$output" "$node/nginx: nothing is restored there"
	run -64 coopr-plan -a backup --archive "$node/mariadb=x" layout
	run -64 coopr-plan -a restore --archive "$node" layout
}
