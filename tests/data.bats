#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Data of services is never lost by the decision of a machine: coopr-clusters(7), "Data".

load case

setup() {
	fresh
	own_catalogue
	machines=$COOPR_STATE/dummy/dummy
	has_data mysql
	coopr create -o json blog -t lamp -n 4 >records 2>log
	node=$(jq -r 'select(.kind == "node" and (.services | index("mysql"))) | .nodenum' records)
	id=$(jq -r 'select(.kind == "node" and (.services | index("mysql"))) | .id' records)
}

has_data() { # SERVICE
	jq '.data = ["/var/lib/mysql"]' "mine/services/$1.json" >service.json
	mv service.json "mine/services/$1.json"
}

sql() {
	sqlite3 "$COOPR_STATE/store.sqlite3" "$1"
}

operations() {
	sql "SELECT count(*) FROM operation WHERE job IS NOT NULL"
}

asked() { # KEYS COMMAND...
	AT_QUESTION='' "$BATS_TEST_DIRNAME/terminal" "$1" "${@:2}"
}

@test "a plan that loses data says which on which node, and is refused without --discard-data, whatever the command" {
	run -0 coopr delete --dry-run blog
	contains "$output" "! the data of mysql on node $node is lost: /var/lib/mysql"
	for words in "delete blog" "delete -y blog" "replace -y blog/$node" "replace -y --dead blog/$node"; do
		# shellcheck disable=SC2086 # several words
		run --separate-stderr -64 coopr $words
		contains "$stderr" "data would be lost: mysql on $node; use --discard-data to permit that"
	done
	same 1 "$(operations)"
	[ -e "$machines/$id" ]
	coopr delete -y --discard-data blog
	[ ! -e "$machines/$id" ]
}

@test "a service with data is removed only with that consent" {
	stubborn_service
	has_data stubborn
	coopr create -o json shop -t lamp -n 4 -s apache,haproxy,mod-php,mysql,stubborn >records 2>log
	run --separate-stderr -64 coopr remove -y shop stubborn
	contains "$stderr" "data would be lost: stubborn on"
	coopr remove -y --discard-data shop stubborn
}

@test "what loses no data needs no such consent" {
	other=$(jq -r 'select(.kind == "node" and (.services | index("apache"))) | .nodenum' records | head -n 1)
	coopr replace -y "blog/$other"
	coopr expand -y -n 5 blog
	coopr shrink -y -n 4 blog
	coopr restart -y blog
	[ -e "$machines/$id" ]
}

@test "on a terminal the typed name of the cluster is consent; y is none, nor is -y" {
	run -1 asked 'y\n' coopr delete blog
	contains "$output" "Data is lost. Type blog to do this all the same:"
	contains "$output" "not deleted"
	run -1 asked 'yes\n' coopr delete -y blog
	same 1 "$(operations)"
	run -0 asked 'blog\n' coopr delete -y blog
	[ ! -e "$machines/$id" ]
}

@test "a saved plan keeps the consent that it was given; without, its run needs it" {
	coopr replace --save bare.plan "blog/$node"
	run --separate-stderr -64 coopr run -y bare.plan
	contains "$stderr" "data would be lost: mysql on $node"
	coopr replace --save given.plan --discard-data "blog/$node"
	coopr run -y given.plan
	[ ! -e "$machines/$id" ]
}

@test "a delete that is refused does not cancel what is in progress" {
	coopr expand --detach -n 5 blog
	run -64 coopr delete -y blog
	same planned "$(sql "SELECT status FROM operation WHERE action = 'expand'" | sed 's/running/planned/')"
}

@test "in a cluster that is older than the member, today's definition counts, and doctor lists it" {
	has_data apache
	apache=$(jq -r 'select(.kind == "node" and (.services | index("apache"))) | .nodenum' records | sort | paste -sd' ')
	run --separate-stderr -64 coopr delete -y blog
	contains "$stderr" "apache on $apache"
	run coopr doctor
	contains "$output" "data of which the own definitions of the cluster say nothing: blog"
}

@test "reconcile replaces no machine with data: it says what it is about, and what a person can do; others are replaced" {
	other=$(jq -r 'select(.kind == "node" and (.services | index("haproxy"))) | .id' records)
	rm "$machines/$id" "$machines/$other"
	run --separate-stderr -1 coopr reconcile -o json --repair --work
	contains "$output" "it has data of mysql, and is not replaced; without that data: coopr replace --dead --discard-data blog/$node"
	same "$id vanished null" "$(jq -r --arg id "$id" 'select(.node == $id) | [.node, .what, .mended] | map(tostring) | join(" ")' <<<"$output")"
	[ "$(jq -r --arg id "$other" 'select(.node == $id) | .mended' <<<"$output")" != null ]
	same 2 "$(operations)"
	coopr replace -y --dead --discard-data "blog/$node"
	run --separate-stderr -0 coopr reconcile -o json --repair --work
	same "" "$output"
}

@test "at the end of its lease a cluster with data is stopped once and kept" {
	coopr lease blog 1h >/dev/null
	sql "UPDATE cluster SET expires_ms = 1000 * (unixepoch() - 1)"
	run --separate-stderr -1 coopr reconcile -o json --repair --work
	contains "$stderr" "blog: its lease has ended; job 00000001-003 stops it, and its data is kept"
	same expired "$(jq -r .what <<<"$output")"
	contains "$output" "it has data of mysql, and is not deleted"
	run --separate-stderr -1 coopr reconcile -o json --probe --repair --work
	same 2 "$(operations)"
	same active "$(sql "SELECT status FROM cluster")"
	[ -e "$machines/$id" ]
	# What takes the place of a machine stays stopped, too; what somebody starts is left to run.
	rm "$machines/$(jq -r 'select(.kind == "node" and (.services | index("haproxy"))) | .id' records)"
	run --separate-stderr -1 coopr reconcile --repair --work
	same "replace stop create" "$(sql "SELECT action FROM operation WHERE job IS NOT NULL ORDER BY number DESC" | paste -sd' ')"
	same "" "$(coopr show -o json blog | jq -r 'select(.kind == "node" and .services - .stopped - ["mod-php"] != []) | .id')"
	run --separate-stderr -1 coopr reconcile --repair --work
	same 3 "$(operations)"
	coopr start -q -y blog
	run --separate-stderr -1 coopr reconcile --repair --work
	same 4 "$(operations)"
}

@test "at the end of its lease nobody waits for a machine that is gone: the others are stopped" {
	coopr lease blog 1h >/dev/null
	sql "UPDATE cluster SET expires_ms = 1000 * (unixepoch() - 1)"
	rm "$machines/$id"
	run --separate-stderr -1 coopr reconcile -o json --work
	job=$(sed -n 's/.*its lease has ended; job \(.*\) stops it, and its data is kept$/\1/p' <<<"$stderr")
	contains "$stderr" "the machine of node $node is gone"
	same "false 3" "$(coopr-queue show --tasks -o json "$job" | jq -rs --arg id "$id" 'map(.node // empty) | unique | "\(index($id) != null) \(length)"')"
	same "stop create" "$(sql "SELECT action FROM operation WHERE job IS NOT NULL AND status = 'complete' ORDER BY number DESC" | paste -sd' ')"
	# Where all are gone, nobody stops anything, and the fault of each is told.
	coopr start -q -y blog || true
	rm "$machines"/*
	run --separate-stderr -1 coopr reconcile -o json --work
	[[ $stderr != *"its lease has ended; job"* ]]
	same 4 "$(jq -r 'select(.what == "vanished").node' <<<"$output" | sort -u | wc -l)"
}

@test "a lease that was set with --discard-data deletes the data, too" {
	coopr lease --discard-data blog 1h >/dev/null
	sql "UPDATE cluster SET expires_ms = 1"
	run --separate-stderr -0 coopr reconcile -o json --work
	same terminated "$(sql "SELECT status FROM cluster")"
	[ ! -e "$machines/$id" ]
}

@test "apply deletes no data of a cluster whose file is gone, but with --discard-data" {
	mkdir clusters
	echo '{"kind":"clusterspec","name":"shop","template":"lamp","numMachines":4}' >clusters/shop.json
	jq '.name = "store"' clusters/shop.json >clusters/store.json
	coopr apply -y -f clusters
	rm clusters/shop.json
	run --separate-stderr -64 coopr apply -y --prune -f clusters
	contains "$stderr" "data would be lost: mysql"
	same active "$(sql "SELECT status FROM cluster WHERE name = 'shop'")"
	coopr apply -y --prune --discard-data -f clusters
	same terminated "$(sql "SELECT status FROM cluster WHERE name = 'shop'")"
}
