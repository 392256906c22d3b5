#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# The demo, and the life of a site: the web template on real machines, with real packages.

load case
load sandbox

# The demo is run as it is, but for where it keeps its state.
setup() {
	fresh
	need_root
	# As coopr-packages(1) says it.
	web_packages
	export DEMO_CATALOGUE=$PWD/mine
}

teardown() {
	[ ! -d "$COOPR_STATE" ] || DEMO_CATALOGUE=$PWD/mine "$COOPR_ROOT/tests/demo" down
	web_packages_end
}

@test "make demo ends with a site whose two application nodes answer in turn with the row of the database; make undemo leaves nothing" {
	# What is not the demo's stays as it is.
	mkdir other
	: >other/store.sqlite3
	COOPR_STATE=$PWD/other run -69 "$COOPR_ROOT/tests/demo" up
	contains "$output" "other is not the demo's; unset COOPR_STATE"
	COOPR_STATE=$PWD/other run -0 "$COOPR_ROOT/tests/demo" down
	contains "$output" "There is no demo in"
	same store.sqlite3 "$(ls -A other)"

	run --separate-stderr -0 "$COOPR_ROOT/tests/demo" up
	contains "$output" "This row comes from the database on shop1-"
	contains "$output" "application node 1 of 2"
	contains "$output" "application node 2 of 2"
	contains "$output" "critical path"
	contains "$output" "coopr queue show 00000001-001"
	page=$(grep -o 'http://127.0.0.1:[0-9]*/#login=.*' <<<"$output")
	same 200 "$(curl -s -o /dev/null -w '%{http_code}' "${page%%#*}")"
	same demo "$(curl -s "${page%%#*}v1/session" -d "{\"code\": \"${page##*=}\"}" | jq -r .user)"

	run --separate-stderr -0 "$COOPR_ROOT/tests/demo" up
	contains "$output" "is there already"
	contains "$output" "application node 2 of 2"

	# What its services say of themselves.
	export COOPR_SPOOL=$COOPR_STATE/spool
	run --separate-stderr -0 coopr reconcile --probe
	# With what starts a database again that has died, which is older, and so is killed first.
	coopr exec shop 'pkill -KILL "nginx|php-fpm|mysqld_safe|mariadbd"; true'
	run --separate-stderr -1 coopr reconcile -o json --probe
	same "mariadb does not answer,nginx does not run,php*-fpm does not run,php*-fpm does not run" \
		"$(jq -r .message <<<"$output" | sed 's/.*: //; s/; it needs .*//; s/php[0-9.]*/php*/' | sort | paste -sd,)"
	contains "$output" "it needs mariadb, which is repaired first"
	# A service is repaired when what it needs is healthy, all in one run: the database, the application, the load balancer.
	run --separate-stderr -0 coopr reconcile --probe --repair --work
	run --separate-stderr -0 coopr reconcile --probe

	run --separate-stderr -0 "$COOPR_ROOT/tests/demo" up
	contains "$output" "application node 2 of 2"
	run --separate-stderr -0 "$COOPR_ROOT/tests/demo" down
	[ ! -e "$COOPR_STATE" ]
	run -7 curl -s "${page%%#*}"
	run --separate-stderr -0 "$COOPR_ROOT/tests/demo" down
}

# Which nodes answer, when the site is asked many times.
answering() {
	for _ in $(seq 12); do curl -sS -f -m 10 "$site"; done | grep -o 'shop1-[0-9]*' | sort -u | grep -vx "$database" | paste -sd ' '
}

@test "a site is made, scaled while it is asked, its text changed without losing a request, a dead machine of it replaced, and its database restored" {
	export COOPR_CATALOGUE=$PWD/mine COOPR_SPOOL=$COOPR_STATE/spool # as the demo has it, which takes down what is left
	mkdir "$COOPR_STATE"
	: >"$COOPR_STATE/made-by-demo"
	coopr-create shop -t web -n 4
	site=http://$(coopr-show -o json shop | jq -r 'select(.kind == "node" and .services == ["nginx"]).ipaddresses.access_v4')/
	database=$(coopr-show -o json shop | jq -r 'select(.kind == "node" and .services == ["mariadb"]).hostname | split(".")[0]')
	same 2 "$(answering | wc -w)"
	coopr-backup -q shop

	until [ -e stop ]; do curl -sS -f -m 10 -o /dev/null "$site" || true; sleep 0.05; done >lost 2>&1 3>&- &
	coopr-expand -y -q -n 5 shop
	coopr-config -y -q shop --set shop.greeting="Good evening"
	: >stop
	wait $!
	same "" "$(cat lost)"
	same 3 "$(answering | wc -w)"
	contains "$(curl -sS -f -m 10 "$site")" "Good evening"

	dead=$(coopr-show -o json shop | jq -nr 'first(inputs | select(.kind == "node" and .services == ["php-fpm"])).id')
	kill_machine "$dead"
	run -0 coopr-reconcile --repair --work
	same 3 "$(answering | wc -w)"
	run -1 grep "${dead##*-}" <<<"$(answering)"

	coopr-restore -y -q --discard-data shop
	contains "$(curl -sS -f -m 10 "$site")" "Good morning"
	coopr-delete -y -q --discard-data shop
	same "" "$("$COOPR_ROOT/libexec/coopr/provider/sandbox" list <mine/providers/sandbox.json)"
}
