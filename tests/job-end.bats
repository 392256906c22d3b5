#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# That a job is over is recorded as soon as it is, by whom that may be, and is in nobody's way.

load case
load work

setup() {
	fresh
	own_catalogue
	work=
	coopr-create --detach a -t lamp -n 3 -P dummy
}

teardown() {
	work_teardown
}

states() {
	coopr list -o json | jq -r '.name + " " + .status' | sort | paste -sd' '
}

@test "a worker has the end of an operation recorded, and its hooks told" {
	mkdir -p "$HOME/.config/coopr/hooks"
	printf '#!/bin/sh\ncat >>%s/heard\necho >>%s/heard\n' "$PWD" "$PWD" >"$HOME/.config/coopr/hooks/tell"
	chmod +x "$HOME/.config/coopr/hooks/tell"
	coopr-work --drain
	same "a active" "$(states)"
	start_work
	coopr-create --detach b -t lamp -n 3 -P dummy
	until [ "$(states)" = "a active b active" ]; do sleep .1; done
	same "complete complete" "$(coopr history a -o json | jq -r .status) $(coopr history b -o json | jq -r .status)"
	until [ "$(jq -r 'select(.event == "success").cluster.name' heard | paste -sd' ')" = "a b" ]; do sleep .1; done
	same "" "$(cat work.log)"
}

@test "a hook that hangs keeps no other end from being recorded" {
	mkdir -p "$HOME/.config/coopr/hooks"
	mkfifo go
	printf '#!/bin/sh\ncat >>%s/heard\necho >>%s/heard\nread -r _ <%s/go\n' "$PWD" "$PWD" "$PWD" >"$HOME/.config/coopr/hooks/tell"
	chmod +x "$HOME/.config/coopr/hooks/tell"
	printf '[hook tell]\nevents = success\ntimeout_s = 600\n' >"$HOME/.config/coopr/config"
	start_work
	until [ -s heard ]; do sleep .1; done
	coopr-create --detach b -t lamp -n 3 -P dummy
	until [ "$(states)" = "a active b active" ]; do sleep .1; done
	same 1 "$(wc -l <heard)"
	exec 4<>go
	until [ "$(wc -l <heard)" = 2 ]; do echo >&4; sleep .1; done
}

@test "a worker that is told to stop does not wait for a hook, which is notified by the next" {
	mkdir -p "$HOME/.config/coopr/hooks"
	mkfifo go
	printf '#!/bin/sh\necho >>%s/heard\nread -r _ <%s/go\n' "$PWD" "$PWD" >"$HOME/.config/coopr/hooks/tell"
	chmod +x "$HOME/.config/coopr/hooks/tell"
	printf '[hook tell]\nevents = success\ntimeout_s = 600\n' >"$HOME/.config/coopr/config"
	start_work
	until [ -s heard ]; do sleep .1; done
	kill "$work"
	run -0 timeout 100 tail --pid="$work" -f /dev/null
	same "a active" "$(states)"
	same 1 "$(coopr-hook list -o json | jq -r .waiting)"
	exec 4<>go
	echo >&4
}

@test "what a hook that refuses says is told by the worker, once while it stays the same" {
	mkdir -p "$HOME/.config/coopr/hooks"
	printf '#!/bin/sh\necho no way >&2\nexit 1\n' >"$HOME/.config/coopr/hooks/tell"
	chmod +x "$HOME/.config/coopr/hooks/tell"
	printf '[hook tell]\nevents = success\n' >"$HOME/.config/coopr/config"
	start_work
	until [ -s work.log ]; do sleep .1; done
	coopr-create --detach b -t lamp -n 3 -P dummy
	until [ "$(coopr-hook list -o json | jq -r .waiting)" = 0 ] && [ "$(states)" = "a active b active" ]; do sleep .1; done
	same "coopr-work: not all hooks are notified: coopr-hook deliver: hook tell: no way; it is not told again" "$(cat work.log)"
}

@test "--finish-only records what is over, and leaves all else alone; with other options it is refused" {
	coopr-create --detach b -t lamp -n 3 -P dummy
	coopr-queue pause 00000002-001
	coopr-work --drain --job 00000001-001
	same "a pending b pending" "$(states)"
	coopr reconcile --finish-only
	same "a active b pending" "$(states)"
	rm -r "$COOPR_STATE/dummy" # which only a real run tells of
	coopr reconcile --finish-only
	same "a active b pending" "$(states)"
	for option in --probe --repair --work; do
		run -64 coopr reconcile --finish-only "$option"
	done
	COOPR_STORE=$PWD/none coopr reconcile --finish-only
	[ ! -e none ]
}

# hold COMMAND: somebody has the cluster until the command has ended.
hold() {
	(
		exec 9<"$COOPR_STATE/clusters/00000001" 3>&-
		flock 9
		echo held >held
		"$@"
	) &
	read -r _ <held
}

@test "a command that comes while a job's end is being recorded waits for that; while the job is at work it is refused at once" {
	coopr-queue pause 00000001-001
	mkfifo held go
	hold cat go
	run -75 coopr stop -y a
	contains "$output" "job 00000001-001 (create), started by root, has been in progress since"
	echo >go
	wait
	coopr-queue resume 00000001-001
	coopr-work --drain --job 00000001-001
	hold sleep .3
	coopr stop -y a
	same "stop complete create complete" "$(coopr history a -o json | jq -r '.action + " " + .status' | paste -sd' ')"
}
