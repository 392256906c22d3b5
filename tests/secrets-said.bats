#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# What a user of a tenant says of secrets, in every form and wherever a command takes configuration: coopr-security(7).

load case
load walls

setup() {
	fresh
	need_program jq
	own_catalogue
	export COOPR_STORE=$PWD/store COOPR_PLUGINS=$PWD/plugins WHERE=$PWD/handed TRUE=$COOPR_BIN/../libexec/coopr
	unset COOPR_USER SUDO_USER COOPR_KEY
	# The dummies keep what they are handed.
	mkdir -p plugins/automator plugins/provider handed
	cat >plugins/automator/dummy <<-'EOT'
		#!/bin/sh
		kind=$(basename "$(dirname "$0")")
		case $1 in
		describe) "$TRUE/$kind/dummy" describe | jq -c 'del(.stream)' ;;
		list) "$TRUE/$kind/dummy" list ;;
		*) tee "$WHERE/$$" | "$TRUE/$kind/dummy" "$1" ;;
		esac
	EOT
	chmod 755 plugins/automator/dummy
	cp plugins/automator/dummy plugins/provider/dummy
	walls_tenant
	# As little as there can be: a node with a service, which takes no time.
	coopr-store get -T qa clustertemplate lamp | jq -c '.name = "tiny" | .defaults.services = ["memcached"] | .defaults.config = {db: {pass: {secret: "used"}}} |
		.compatibility.services = ["memcached"] | .constraints = {} | del(.links)' | coopr-store put -T qa -k clustertemplate -
	canary=canary-$$-$RANDOM
	echo "$canary" | coopr-secret set -T qa used
	echo "other-$canary" | coopr-secret set -T qa other
	export COOPR_TENANT=qa
} >/dev/null 2>&1

# What may stand in a configuration for a secret, or may be taken for that.
forms() {
	local name

	for name in used other; do
		printf '%s\n' "{\"secret\":\"$name\"}" "{\"generated_secret\":\"$name\"}" "{\"secret\":\"cluster/$name\"}" \
			"{\"generated_secret\":\"cluster/$name\"}" "{\"secret\":\"operation/$name\"}" "{\"generated_secret\":\"operation/$name\"}" \
			"{\"secret\":\"cluster/../$name\"}" "{\"secret\":\"operation/../$name\"}" "{\"secret\":\"tenant/$name\"}" "{\"secret\":\"/$name\"}" \
			"{\"secret\":\"cluster//$name\"}" "{\"secret\":\"qa/$name\"}" "{\"secret\":\"$name\",\"secret\":\"$name\"}" \
			"{\"secret\":\"$name\",\"x\":null}" "[{\"secret\":\"$name\"}]" "{\"a\":{\"b\":[[{\"secret\":\"$name\"}]]}}" \
			"{\"pass\":{\"secret\":\"$name\"}}" "{\"secret\":{\"secret\":\"$name\"}}" "\"%secret.$name%\"" "\"{\\\"secret\\\":\\\"$name\\\"}\"" \
			"{\"\\u0073ecret\":\"$name\"}" "{\"secret\":\"$(printf '\\u%04x' "'${name:0:1}")${name:1}\"}"
	done
}

# Says it in one of the ways in which a command takes configuration.
say() { # WAY FORM
	local form=$2

	case $1 in
	0) coopr-config -q -y one --set "x=$form" ;;
	1) coopr-config -q -y one --set "db=$form" ;;
	2) coopr-config -q -y one --set "db.pass.x=$form" ;;
	3) coopr-create -q two -t tiny -n 1 --set "db.other=$form" ;;
	4) coopr-config -q -y one --set "memcached=$form" ;;
	5) jq -n --argjson form "$form" '{x: $form, db: {pass: $form}}' | coopr-config -q -y one --config - ;;
	6) coopr-clone -q one two --set "x=$form" ;;
	7) coopr-create -q two -t tiny -n 1 --config <(jq -n --argjson form "$form" '{db: [$form]}') ;;
	8)
		jq -n --argjson form "$form" '{kind: "clusterspec", name: "two", template: "tiny", numMachines: 1, config: {x: $form}}' >two.json
		coopr-apply -q -y -f two.json
		;;
	esac
	coopr-delete -q -y two
}

@test "whatever a user says, wherever a command takes it, no secret of the tenant comes to a task of theirs" {
	export COOPR_USER=bob
	coopr-create -q one -t tiny -n 1
	count=0
	while IFS= read -r form <&9; do
		for way in $((count % 9)) $(((count / 9 + count + 4) % 9)); do
			say "$way" "$form" >>out 2>&1 </dev/null 9<&- || true
		done
		count=$((count + 1))
	done 9< <(forms)
	[ "$count" -ge 40 ]
	coopr-rollback -q -y --to 1 one
	[ "$(find handed -type f | wc -l)" -gt 100 ]
	# The one that the template uses, where that has it, and nowhere else.
	run ! grep -rlF "other-$canary" handed
	same "" "$(find handed -type f -print0 | xargs -0 cat | jq -c --arg canary "$canary" \
		'[paths(strings | contains($canary))] - [["cluster", "config", "db", "pass"]] | .[]' | sort -u)"
	grep -rqF "$canary" handed
	rm -rf handed
	run ! grep -rlF "$canary" spool state out
}

@test "a user does not get back what an administrator has put into the configuration and taken out again" {
	COOPR_USER=bob coopr-create -q one -t tiny -n 1
	COOPR_USER=ann coopr-config -q -y one --set 'x={"secret":"other"}'
	COOPR_USER=ann coopr-config -q -y one --set x=1
	rm handed/*
	COOPR_USER=bob run -77 coopr-rollback -q -y --to 2 one
	contains "$output" 'the secret "other" is not yours to send'
	COOPR_USER=bob run -77 coopr-config -y one --set 'x={"secret":"other"}'
	same 0 "$(find handed -type f | wc -l)"
}
