#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Secrets that one operation is given: coopr-secret(1).

load case
load serve

setup() {
	fresh
	own_catalogue
	stubborn_service
	export COOPR_STORE=$PWD/store
	unset COOPR_KEY
	# What the tasks of the service are handed, one line each: the job, the action, the value.
	cat >plugins/automator/stubborn <<-'EOT'
		#!/bin/sh
		cat >"$WHERE/handed.$$"
		jq -r --arg action "$1" '"\(.job) \($action) \(.cluster.config.x)"' "$WHERE/handed.$$" >>"$WHERE/seen"
		rm "$WHERE/handed.$$"
		if [ "$1" = start ] && [ -e "$WHERE/broken" ]; then
			echo '{"kind":"result","status":65,"message":"it is broken"}'
		else
			echo '{"kind":"result","status":0}'
		fi
	EOT
	jq '.provisioner.actions.configure = .provisioner.actions.start' mine/services/stubborn.json >stubborn
	mv stubborn mine/services/stubborn.json
	canary=canary-$$-$RANDOM
	echo "$canary" >token
}

teardown() {
	serve_end
}

create() {
	coopr create -q shop -t lamp -n 4 --services stubborn --set 'x={"secret":"operation/token"}' "$@"
}

rows() {
	sqlite3 "$COOPR_STORE" "SELECT count(*) FROM cluster_secret"
}

seen() {
	grep -v ' bootstrap ' seen | cut -d ' ' -f 1,3 | sort -u
}

@test "an operation's tasks have the secrets that it is given, and those of no other; once it is complete they are gone" {
	create --secret token=token
	same "00000001-001 $canary" "$(seen)"
	same 0 "$(rows)"
	rm seen
	coopr config -q -y shop --set y=1
	same "00000001-002 null" "$(seen)"
	echo other | coopr config -q -y shop --set y=2 --secret token
	same "00000001-002 null
00000001-003 other" "$(seen)"
	rm -f token seen
	run ! grep -rqF "$canary" .
}

@test "one that has failed keeps them for a retry, which may bring others; the next operation removes them" {
	touch broken
	run -1 create --secret token=token
	same 1 "$(rows)"
	run ! grep -rqF "$canary" store spool state
	coopr-secret list -o name >log
	[ ! -s log ]
	rm seen broken
	coopr retry -q -y shop
	same "00000001-001 $canary" "$(seen)"
	same 0 "$(rows)"

	touch broken
	run -1 coopr config -q -y shop --set y=1 --secret token=token
	rm seen broken
	echo better | coopr retry -q -y --secret token shop
	same "00000001-002 better" "$(seen)"

	touch broken
	run -1 coopr config -q -y shop --set y=2 --secret token=token
	same 1 "$(rows)"
	rm broken
	coopr config -q -y shop --set y=3
	same 0 "$(rows)"
}

@test "a plan that is saved has none; coopr run is given them" {
	run -64 create --secret token=token --save plan
	contains "$output" "give it to coopr run"
	create --save plan
	run ! grep -qF "$canary" plan
	coopr run -q -y --secret token=token plan
	same "00000001-001 $canary" "$(seen)"
}

@test "they are encrypted anew with the others, and deleted with the cluster" {
	touch broken
	run -1 create --secret token=token
	coopr-store rekey
	sed -i '2,$d' store.key
	rm seen broken
	coopr retry -q -y shop
	same "00000001-001 $canary" "$(seen)"
	touch broken
	run -1 coopr config -q -y shop --set y=1 --secret token=token
	coopr delete -q -y shop
	same 0 "$(rows)"
}

@test "several are one line of standard input, behind which there may be a configuration" {
	{
		jq -cn --arg canary "$canary" '{token: $canary, other: "o"}'
		echo '{"x": {"secret": "operation/token"}, "y": {"secret": "operation/other"}}'
	} >both
	coopr create -q shop -t lamp -n 4 --services stubborn --secrets - --config - <both
	same "00000001-001 $canary" "$(seen)"
	same 0 "$(rows)"
	for wrong in '[]' '{"a/b": "x"}' '{"token": 7}' '{"token": ""}' '{"token": "x"' '"x"' ''; do
		echo "$wrong" >wrong
		run coopr config -q -y shop --set y=1 --secrets wrong
		[ "$status" -eq 64 ] || [ "$status" -eq 65 ]
		[ -z "$wrong" ] || [[ $output != *'"x"'* ]]
	done
	run -64 coopr config -q -y shop --set y=1 --secrets both --save plan
}

@test "a request to the server may have them as a member, which nobody reads again; so may a command of another machine" {
	coopr-store init
	serve
	answers 202 POST /v1/clusters -H 'Idempotency-Key: one' -d "$(jq -cn --arg canary "$canary" '{name: "shop", template: "lamp", machines: 4,
		services: "stubborn", secrets: {token: $canary}, config: {x: {secret: "operation/token"}}}')"
	run ! grep -F "$canary" body
	coopr-work --drain >work.log 2>&1
	same "00000001-001 $canary" "$(seen)"
	coopr-reconcile >/dev/null
	rm seen
	# The value is no part of what a request is known by.
	answers 202 POST /v1/clusters -H 'Idempotency-Key: one' -d '{"name": "shop", "template": "lamp", "machines": 4, "services": "stubborn",
		"secrets": {"token": "guess"}, "config": {"x": {"secret": "operation/token"}}}'
	answers 422 POST /v1/clusters/shop/config -d '{"set": "y=1", "secrets": "canary"}'
	answers 422 POST /v1/clusters/shop/config -d '{"set": "y=1", "secrets": {"token": 7}}'
	answers 422 POST '/v1/clusters/shop/config?secrets=canary' -d '{"set": "y=1"}'
	answers 422 POST /v1/clusters/shop/config -d '{"set": "y=1", "secret": "token=token"}'
	env -u COOPR_STORE -u COOPR_SPOOL -u COOPR_STATE -u COOPR_CATALOGUE coopr --server "unix:$SOCKET" config -q -y shop --set y=2 --secret token=token
	same "00000001-002 $canary" "$(seen)"
	rm -f token seen
	coopr-audit --all-tenants -o json >audit
	coopr-history shop -o json >history
	coopr-events shop -o json >events
	run ! grep -rqF "$canary" .
	answers 200 GET /v1/openapi.json
	same '{"additionalProperties":{"type":"string"},"type":"object","writeOnly":true}' "$(jq -c '.paths["/v1/clusters"].post.requestBody.content["application/json"].schema |
		.. | objects | select(has("writeOnly")) | del(.description)' body)"
}

@test "a name that is none, and a file that is not there or empty, are refused before anything is done" {
	run -64 create --secret a/b=token
	contains "$output" "--secret: invalid name 'a/b'"
	run -66 create --secret token=nothing
	run -65 create --secret token=/dev/null
	run -64 create --secret
	[ ! -e seen ]
}
