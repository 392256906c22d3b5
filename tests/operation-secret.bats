#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Secrets that one operation is given: coopr-secret(1).

load case

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

@test "a name that is none, and a file that is not there or empty, are refused before anything is done" {
	run -64 create --secret a/b=token
	contains "$output" "--secret: invalid name 'a/b'"
	run -66 create --secret token=nothing
	run -65 create --secret token=/dev/null
	run -64 create --secret
	[ ! -e seen ]
}
