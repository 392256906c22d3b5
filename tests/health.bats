#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Health is part of every change: a roll goes on only where the last batch is healthy, coopr-plan(1), coopr-catalogue(5).

load case

setup() {
	fresh
	need_program jq
	mkdir -p mine/services mine/clustertemplates
	for folder in providers hardwaretypes imagetypes; do cp -r "$COOPR_ROOT/share/coopr/catalogue/$folder" mine; done
	service db '{}' '{}'
	service app '{}' '{"dependencies":{"runtime":{"requires":["db"]}}}'
	service front '{}' '{"dependencies":{"runtime":{"requires":["app"]}}}'
	cat >mine/clustertemplates/plain.json <<-'END'
		{"name":"plain","defaults":{"services":["app","db","front"],"provider":"dummy","hardwaretype":"small","imagetype":"debian12"},
		 "constraints":{"services":{"db":{"quantities":{"min":1,"max":1}},"front":{"quantities":{"min":1,"max":1}}}},
		 "compatibility":{"hardwaretypes":["small"],"imagetypes":["debian12"],"services":["app","db","front"]}}
	END
}

# A service of the automator dummy, with these fields of its start: service NAME FIELDS MORE
service() {
	jq -n --arg name "$1" --argjson fields "$2" --argjson more "$3" '{name: $name, ready_timeout_s: 1, provisioner: {actions: {
		configure: {type: "dummy"}, start: {type: "dummy", fields: $fields}, stop: {type: "dummy"}, status: {type: "dummy"}}}} + $more' \
		>"mine/services/$1.json"
}

# "start" and "check" of a service that were done in a job, one a line.
did() { # JOB SERVICE
	coopr-queue show "$1" --tasks -o json | jq -r --arg service "$2" 'select(.service == $service and .status != "blocked") | "\(.action) \(.status)"' | sort
}

@test "what requires a service waits until that is healthy; one that never is fails the creation, and says so" {
	service db '{"never_ready_percent":"100"}' '{}'
	run --separate-stderr -1 coopr create one -C mine -t plain -n 3 -y
	contains "$output$stderr" "check db on 00000001-"
	contains "$output$stderr" "db does not run"
	same "check failed,configure done,start done" "$(did 00000001-001 db | sort -u | paste -sd,)"
	same "configure done" "$(did 00000001-001 app | sort -u)"
	[[ $stderr != *"coopr rollback"* ]]
	run --separate-stderr -0 coopr-queue stats -o json
	same '0 1 true' "$(jq -r 'select(.action == "check" and .service == "db") | "\(.done) \(.failed) \(.waited > 0 and .retried == 0)"' <<<"$output")"
	contains "$(coopr report one)" 'a check said "not yet"'
}

@test "a roll stops at the first batch that is not healthy, and leaves the rest as it was; retry asks again before anything else" {
	coopr create one -C mine -t plain -n 6 -y >records 2>log
	service app '{"never_ready_percent":"100"}' '{"dependencies":{"runtime":{"requires":["db"]}}}'
	run --separate-stderr -1 coopr upgrade one -C mine -y
	contains "$output$stderr" "check app on 00000001-"
	contains "$stderr" "or coopr retry one; coopr rollback one goes back to what was before"
	same "1 check failed,1 start done,1 stop done" "$(did 00000001-002 app | uniq -c | sed 's/^ *//' | paste -sd,)"
	same "" "$(did 00000001-002 front)"
	same 1 "$(find "$COOPR_STATE/dummy-down" -type f | wc -l)"
	rm -r "$COOPR_STATE/dummy-down"
	run --separate-stderr -1 coopr retry one
	same "1 check done,1 check failed,2 start done,2 stop done" "$(did 00000001-002 app | uniq -c | sed 's/^ *//' | paste -sd,)"
}

@test "a drain that is not over within its timeout_s is said, and the instance is stopped all the same" {
	mkdir -p plugins/automator
	cat >plugins/automator/slow <<-'END'
		#!/bin/sh
		[ "$1" != drain ] || exec sleep 1000
		echo '{"kind":"result","status":0}'
	END
	chmod +x plugins/automator/slow
	export COOPR_PLUGINS=$PWD/plugins
	service app '{}' '{}'
	jq '.provisioner.actions.drain = {type: "slow", timeout_s: 1}' mine/services/app.json >app.json
	mv app.json mine/services/app.json
	coopr create one -C mine -t plain -n 3 -y >records 2>log
	run --separate-stderr -0 coopr restart one app -y
	contains "$(did 00000001-002 app | sort -u | paste -sd,)" "drain done"
	run --separate-stderr -0 coopr events one
	contains "$output" "not drained within its timeout_s, 1 s; it is stopped all the same"
	same active "$(coopr list -o json | jq -r .state)"
}
