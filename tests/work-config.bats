#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# What coopr-work(1) is configured with: labels, files, SIGHUP.

# shellcheck disable=SC2154 # $work and $good are set by work.bash

load case
load work

setup() {
	fresh
	need_program jq
	work_setup
}

teardown() {
	work_teardown
}

config() { # JSON
	mkdir -p home/.config/coopr
	echo "$1" >home/.config/coopr/work.json
}

done_of() {
	coopr-queue show "$1" -o json | jq 'select(.kind == "status") | .tasks.done'
}

@test "--tenant takes only tasks of this tenant's jobs, --provider of clusters with this provider; more than once, of these" {
	one=$(put dummy 1 2 00000001 '{}' '{"tenant": "qa", "provider": {"name": "here"}}')
	two=$(put dummy 1 2 00000002 '{}' '{"tenant": "dev", "provider": {"name": "there"}}')
	three=$(put dummy 1 2 00000003 '{}' '{"tenant": "ops", "provider": {"name": "there"}}')
	run -1 coopr-work --once --tenant nobody
	run -0 coopr-work --once --tenant dev --provider there
	same "0 1 0" "$(done_of "$one") $(done_of "$two") $(done_of "$three")"
	run -1 coopr-work --once --tenant dev --provider here
	timeout 60 coopr-work -T qa -T dev --once
	timeout 60 coopr-work -T qa -T dev --once
	timeout 60 coopr-work -T qa -T dev --once
	same "2 2 0" "$(done_of "$one") $(done_of "$two") $(done_of "$three")"
	run -0 coopr-work -P here -P there --drain
	same complete "$(status "$three")"
}

@test "the user's file is the stronger, options are stronger than it" {
	one=$(put dummy 1 1 00000001 '{}' '{"tenant": "qa"}')
	two=$(put dummy 1 1 00000002 '{}' '{"tenant": "dev"}')
	config '{"tenants": ["qa"]}'
	run -0 coopr-work --once
	same "1 0" "$(done_of "$one") $(done_of "$two")"
	run -1 coopr-work --once
	run -0 coopr-work --once --tenant dev
	same "1 1" "$(done_of "$one") $(done_of "$two")"
}

@test "-c reads the configuration from this file, and from no other" {
	config '{"tenants": ["nobody"]}'
	echo '{"jobs": 2}' >mine.json
	job=$(put dummy 2 1)
	run -0 coopr-work --drain -c mine.json
	same complete "$(status "$job")"
	run -78 coopr-work --once -c nowhere.json
	contains "$output" nowhere.json
}

@test "environment: variables for plugins" {
	plugin tells <<<"printf '%s %s\n' \"\$GREETING\" \"\${GONE-none}\" >told; $good"
	config '{"environment": {"GREETING": "hello = you", "GONE": null}}'
	put tells 1 1
	GONE=here run -0 coopr-work --drain
	same "hello = you none" "$(cat told)"
}

@test "what is wrong with the configuration is told, all of it, and a worker does not start with it" {
	config '{"jobs": 0, "tenants": "qa", "colour": "red", "environment": {"A": 1}}'
	run -78 coopr-work --once
	contains "$output" "work.json"
	for pointer in /jobs /tenants /colour /environment/A; do
		contains "$output" "$pointer: "
	done
	config 'jobs: 5'
	run -78 coopr-work --once
}

@test "SIGHUP: the configuration is read again; tasks in hand are not touched" {
	plugin waits <<<"task=\$(jq -r .id); echo \"\$COLOUR\" >>begun; echo \$task >>started; read -r _ <go.\$task; $good"
	mkfifo go.t0-0 go.t1-0 go.t2-0
	: >started
	config '{"jobs": 1, "environment": {"COLOUR": "red"}}'
	job=$(put waits 3 1)
	start_work -v
	until [ "$(wc -l <started)" = 1 ]; do sleep 0.05; done
	config '{"jobs": 2, "environment": {"COLOUR": "blue"}}'
	kill -HUP "$work"
	until [ "$(wc -l <started)" = 2 ]; do sleep 0.05; done
	same "red
blue" "$(cat begun)"
	grep -q "configuration read again" work.log
	# With fewer than run, none is taken until there are fewer.
	config '{"jobs": 1}'
	kill -HUP "$work"
	until [ "$(grep -c "configuration read again" work.log)" = 2 ]; do sleep 0.05; done
	echo >"go.$(sed -n 1p started)"
	until grep -q "done in" work.log; do sleep 0.05; done
	same 2 "$(wc -l <begun)"
	echo >"go.$(sed -n 2p started)"
	until [ "$(wc -l <started)" = 3 ]; do sleep 0.05; done
	echo >"go.$(sed -n 3p started)"
	timeout 60 coopr-queue wait "$job"
	kill "$work"
	wait "$work"
}

@test "SIGHUP with a configuration that is wrong: the old one stays, and it says why" {
	config '{"jobs": 3}'
	start_work
	timeout 60 coopr-queue wait "$(put dummy 1 1)"
	config '{"jobs": "many"}'
	kill -HUP "$work"
	until grep -q "the configuration stays unchanged: .*/jobs: " work.log; do sleep 0.05; done
	job=$(put dummy 2 2)
	timeout 60 coopr-queue wait "$job"
	kill "$work"
	wait "$work"
}

@test "SIGHUP: a plugin that streams finishes what it has, and is started anew for what comes" {
	start_work
	job=$(put dummy 1 1 00000042 '{"fields": {"delay_ms": 10}}')
	timeout 60 coopr-queue wait "$job"
	plugin=$(pgrep -P "$work")
	kill -HUP "$work"
	until [ ! -e "/proc/$plugin" ]; do sleep 0.05; done
	job=$(put dummy 1 1)
	timeout 60 coopr-queue wait "$job"
	[ "$plugin" != "$(pgrep -P "$work")" ]
	kill "$work"
	wait "$work"
}

@test "with --drain, SIGHUP is as SIGTERM" {
	plugin waits <<<"echo >started; read -r _ <go; $good"
	mkfifo started go
	job=$(put waits 1 2)
	start_work --drain
	hear started _
	kill -HUP "$work"
	until grep -q "waiting for 1 running task;" work.log; do sleep 0.05; done
	echo >go
	wait "$work"
	same 1 "$(done_of "$job")"
}

@test "where no worker takes what is ready, show says so" {
	plugin ok <<<"$good"
	job=$(put ok 1 1)
	contains "$(coopr-queue show -o table "$job")" "No worker has joined: coopr-work takes what is ready"
	start_work --tenant nobody
	until grep -qs '"tenants":\["nobody"\]' "$COOPR_SPOOL"/workers/*; do sleep 0.05; done
	contains "$(coopr-queue show -o table "$job")" \
		"None of the workers (1) takes tasks of tenant default at provider none: see coopr-work --tenant"
	coopr-work --drain
	same complete "$(status "$job")"
	kill "$work"
	wait "$work"
	work=
}
