#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0

load case
load provider

setup() {
	fresh
	PROVIDER='{"name":"none","providertype":"dummy","provisioner":{}}'
}

with() {
	PROVIDER=$(jq -cn --argjson fields "$1" '{name: "none", providertype: "dummy", provisioner: $fields}')
}

@test "keeps the contract of providers" {
	keeps_the_contract
}

@test "leaves no file behind" {
	keeps_the_contract
	same "" "$(find state -type f)"
}

@test "a machine that was not made cannot be confirmed" {
	do_task confirm 1000
	same 69 "$(member .status)"
}

@test "failures are drawn from the seed: the same again, others with another seed" {
	outcomes() {
		for num in $(seq 1000 1019); do
			do_task confirm "$num" || return
			member .message
		done
	}
	with '{"fail_percent": 50, "seed": 1}'
	first=$(outcomes)
	failed=$(grep -c drawn <<<"$first")
	[ "$failed" -gt 2 ]
	[ "$failed" -lt 18 ]
	same "$first" "$(outcomes)"
	with '{"fail_percent": "50", "seed": "2"}'
	[ "$first" != "$(outcomes)" ]
}

@test "what fails was not made; its status is what was asked for" {
	with '{"fail_percent": 100, "fail_status": 75}'
	do_task create 1000
	same 75 "$(member .status)"
	same "failed as drawn: fail_percent is 100" "$(member .message)"
	same "" "$(list)"
}

@test "takes as long as it is told to" {
	with '{"delay_ms": 200}'
	start=$(date +%s%N)
	do_task create 1000
	[ $(($(date +%s%N) - start)) -ge 100000000 ]
}

@test "fields that are wrong are named, all of them" {
	with '{"delay_ms": -1, "fail_percent": "many"}'
	do_task create 1000
	fails_as 78 "/delay_ms"
	contains "$(member .message)" "/fail_percent"
}

@test "the automator dummy does nothing, for any action" {
	for action in bootstrap install configure initialize start stop remove; do
		do_task "$action" 1000
		same 0 "$(member .status)"
	done
}

@test "asked for its status, the automator dummy says whether the machine was made, and what is marked as down" {
	status_of() { # SERVICE, or null
		jq -c --argjson service "$1" '.service = $service | .action = "status"' task.json >asked.json
		coopr-exec -q <asked.json >result.json
		member .status
	}
	do_task create 1000
	same "0 0" "$(status_of null) $(status_of '"web"')"
	mkdir -p state/dummy-down
	touch state/dummy-down/00000042-1000 state/dummy-down/00000042-1000.web
	same "75 1 0" "$(status_of null) $(status_of '"web"') $(status_of '"db"')"
	status_of '"web"'
	contains "$(member .message)" "node 00000042-1000: web does not run"
	jq -c '.service = "web" | .action = "start"' task.json | coopr-exec -q
	same 0 "$(status_of '"web"')"
	do_task delete 1000
	rm state/dummy-down/00000042-1000
	same 75 "$(status_of null)"
}

@test "a service of the automator dummy is healthy some time after its start, or never" {
	status_of() {
		jq -c '.service = "web" | .action = "status"' task.json | coopr-exec -q >result.json
		member .status
	}
	start_with() {
		jq -c --argjson fields "$1" '.service = "web" | .action = "start" | .fields = $fields' task.json | coopr-exec -q >result.json
		same 0 "$(member .status)"
	}
	do_task create 1000
	start_with '{"ready_ms":3600000}'
	same 1 "$(status_of)"
	start_with '{"ready_ms":1}'
	until [ "$(status_of)" = 0 ]; do sleep 0.05; done
	start_with '{"never_ready_percent":100}'
	same 1 "$(status_of)"
	start_with '{}'
	same 0 "$(status_of)"
}

@test "describe prints a JSON Schema of the fields" {
	for plugin in provider/dummy provider/static automator/dummy automator/shell; do
		"$COOPR_BIN/../libexec/coopr/$plugin" describe | jq -e '."$schema" and .properties' >/dev/null
	done
}

@test "an action that is none is misuse: 64" {
	for plugin in provider/dummy provider/static automator/dummy automator/shell; do
		run -64 "$COOPR_BIN/../libexec/coopr/$plugin" dance </dev/null
		run -64 "$COOPR_BIN/../libexec/coopr/$plugin" </dev/null
	done
}
