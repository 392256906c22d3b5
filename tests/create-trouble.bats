#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-create(1) whose job is given other orders meanwhile.

load case

# A service that waits to be let through when it is started, on machines that are not real.
setup() {
	fresh
	cp -R "$COOPR_ROOT/share/coopr/catalogue" mine
	export COOPR_CATALOGUE=$PWD/mine COOPR_PLUGINS=$PWD/plugins WHERE=$PWD
	mkdir -p plugins/automator
	mkfifo arrived gate
	cat >plugins/automator/gate <<-'EOT'
		#!/bin/sh
		cat >/dev/null
		if [ "$1" = install ] && [ ! -e "$WHERE/open" ]; then
			echo here >"$WHERE/arrived"
			read -r _ <"$WHERE/gate"
		fi
		echo '{"kind":"result","status":0}'
	EOT
	chmod 755 plugins/automator/*
	jq -n '{name: "gate", provisioner: {actions: {install: {type: "gate", fields: {}}, start: {type: "gate", fields: {}}}}}' \
		>mine/services/gate.json
	jq -n '{name: "gate", defaults: {services: ["gate"], provider: "dummy", hardwaretype: "small",
		imagetype: "debian12"}}' >mine/clustertemplates/gate.json
	coopr-create -o json c -t gate -n 1 >records 2>log 3>&- &
	maker=$!
	hear arrived _
}

teardown() {
	kill "$maker" 2>/dev/null || true
}

@test "a job that is paused meanwhile is not waited for: 75, and the way on" {
	coopr-queue pause 00000001-001
	echo go >gate
	code=0
	wait "$maker" || code=$?
	same 75 "$code"
	contains "$(cat log)" "c: job 00000001-001 is paused; after coopr-queue resume 00000001-001, the same command resumes it"
	run --separate-stderr -75 coopr-create c -t gate -n 1
	coopr-queue resume 00000001-001
	touch open
	run --separate-stderr -0 coopr-create c -t gate -n 1 -o table
}

@test "a job that is cancelled meanwhile goes on with the same command" {
	coopr-queue cancel 00000001-001
	wait "$maker" || true
	same cancelled "$(coopr-queue ls -o json | jq -r .status)"
	touch open
	run --separate-stderr -0 coopr-create c -t gate -n 1 -o table
	contains "$stderr" "was cancelled before"
}
