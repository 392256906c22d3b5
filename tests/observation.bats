#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# The last known truth: what list, show and status say of a cluster, and who has seen it. "CONDITION" in coopr-states(7).

load case

setup() {
	fresh
	own_catalogue
	coopr create -o json blog -t lamp -n 4 >records 2>log
}

# What is to be found down: a machine, or NODE.SERVICE; see automator/dummy.
down() {
	mkdir -p "$COOPR_STATE/dummy-down"
	(cd "$COOPR_STATE/dummy-down" && touch "$@")
}

up() {
	(cd "$COOPR_STATE/dummy-down" && rm "$@")
}

# What list says of it, on one line.
listed() {
	coopr list -o json | jq -r 'select(.name == "blog") | "\(.status) \(.state) \(.condition) \(.ready)/\(.instances)"'
}

# All that was seen, so many seconds ago.
age() { # SECONDS
	sqlite3 "$COOPR_STATE/store.sqlite3" "UPDATE observation SET observed_ms = observed_ms - $1 * 1000;
		UPDATE cluster SET observed_ms = observed_ms - $1 * 1000"
}

@test "a cluster that was just made is healthy, since the job has seen it, and all its instances are ready" {
	same "active active healthy 8/8" "$(listed)"
	run -0 coopr status blog
	contains "$output" "active  healthy  8/8"
	same "job" "$(coopr show -o json blog | jq -r 'select(.kind == "observation" and .service == "mysql").by')"
	run -0 coopr show blog
	contains "$output" "healthy, 8/8 ready, observed"
	run --separate-stderr -0 coopr list -o name --unhealthy
	same "" "$output"
}

@test "what nobody has looked at for stale_after_s seconds is unknown, until somebody looks" {
	age 301
	same "active active unknown 8/8" "$(listed)"
	run -75 coopr status blog
	contains "$output" unknown
	run -0 coopr show blog
	contains "$output" "coopr status --probe blog looks"
	same blog "$(coopr list -o name --unhealthy)"
	COOPR_STALE_AFTER_S=3600 run -0 coopr status blog
	run -78 env COOPR_STALE_AFTER_S=soon coopr status blog
	run -0 coopr status --probe blog
	same "active active healthy 8/8" "$(listed)"
}

@test "what was seen while a clock was ahead says nothing, and is replaced by what is seen next" {
	age -86400
	same "active active unknown 8/8" "$(listed)"
	run -75 coopr status blog
	contains "$(coopr list --unhealthy)" blog
	down 00000001-1000.mysql
	run -1 coopr reconcile --probe
	same "active active degraded 7/8" "$(listed)"
}

@test "a service that does not run, and a machine that does not answer, make it degraded: probe and reconcile record what they see" {
	down 00000001-1000.mysql
	run -1 coopr status --probe blog
	same "active active degraded 7/8" "$(listed)"
	run -1 coopr status blog
	run -0 coopr show blog
	contains "$output" "mysql (unhealthy)"
	contains "$output" "not ready: mysql on 00000001-1000, since"
	down 00000001-1001
	run --separate-stderr -1 coopr reconcile --probe -o json
	same "active active degraded 5/8" "$(listed)"
	same reconcile "$(coopr show -o json blog | jq -r 'select(.kind == "observation" and .answer == "unreachable" and .service == null).by')"
	run -0 coopr show blog
	contains "$output" unreachable
	up 00000001-1000.mysql 00000001-1001
	run -0 coopr status --probe blog
	same "active active healthy 8/8" "$(listed)"
}

@test "reconcile --probe observes a cluster that is being changed, too, and what it sees of it is no fault" {
	coopr restart --detach -y blog mysql >now 2>log
	down 00000001-1001
	run --separate-stderr -0 coopr reconcile --probe --detach -o json
	same "" "$output"
	same "pending degraded 6/8" "$(coopr list -o json | jq -r '"\(.status) \(.condition) \(.ready)/\(.instances)"')"
	same reconcile "$(coopr show -o json blog | jq -r 'select(.kind == "observation" and .answer == "unreachable" and .service == null).by')"
}

@test "a cluster whose machines are gone is down, and not just active" {
	rm "$COOPR_STATE"/dummy/dummy/00000001-*
	run --separate-stderr -1 coopr reconcile -o json
	same "active active down 0/8" "$(listed)"
	run -1 coopr status blog
	contains "$output" down
	run -0 coopr show blog
	contains "$output" gone
}

@test "what was stopped on purpose is shown, and is not ready; started again it is" {
	coopr stop -o json -y blog mysql >now 2>log
	same "active active degraded 7/8" "$(listed)"
	run -1 coopr status blog
	run -0 coopr show blog
	contains "$output" "mysql (stopped)"
	contains "$output" "it was stopped"
	run -1 coopr status --probe blog
	same "active active degraded 7/8" "$(listed)"
	coopr start -o json blog mysql >now 2>log
	same "active active healthy 8/8" "$(listed)"
}

@test "a cluster that was stopped is stopped, and neither down nor degraded, unless more is amiss" {
	coopr stop -o json -y blog >now 2>log
	same "active active stopped 2/8" "$(listed)"
	run -1 coopr status blog
	contains "$output" " stopped "
	run -1 coopr status --probe blog
	same "active active stopped 2/8" "$(listed)"
	contains "$(coopr list --unhealthy)" "stopped"
	rm "$COOPR_STATE/dummy/dummy/00000001-1001"
	run -1 coopr reconcile
	same "active active degraded" "$(listed | cut -d ' ' -f 1-3)"
	run -0 coopr reconcile --repair --work
	same "active active stopped 2/8" "$(listed)"
	coopr start -o json blog mysql >now 2>log
	same "active active degraded" "$(listed | cut -d ' ' -f 1-3)"
	coopr start -o json blog >now 2>log
	same "active active healthy 8/8" "$(listed)"
}

@test "a machine that was never made is not up, and what failed is seen so" {
	jq '.provisioner.actions.start.fields = {fail_percent: "100"} | .provisioner.actions.start.retries = 0' mine/services/mysql.json >new
	mv new mine/services/mysql.json
	run -1 coopr create shop -t lamp -n 4
	same "failed" "$(coopr list -o json | jq -r 'select(.name == "shop").state')"
	run -0 coopr show shop
	contains "$output" "mysql (unhealthy)"
	run -1 coopr status shop
	coopr delete -o json -y shop >now 2>log
	same 0 "$(sqlite3 "$COOPR_STATE/store.sqlite3" "SELECT count(*) FROM observation WHERE cluster = 2")"
}

@test "an operation keeps what was seen of the rest, and forgets what is no more" {
	age 100
	coopr expand -o json blog >now 2>log
	same "active active healthy" "$(listed | cut -d ' ' -f 1-3)"
	coopr delete -o json -y blog >now 2>log
	same 0 "$(sqlite3 "$COOPR_STATE/store.sqlite3" "SELECT count(*) FROM observation")"
	coopr-store fsck
}

@test "Prometheus has the condition of each cluster, its instances, and how many are ready" {
	down 00000001-1000.mysql
	run -1 coopr status --probe blog
	run -0 coopr usage -o prometheus
	contains "$output" 'coopr_cluster_condition{tenant="default",cluster="blog",id="00000001",state="active",condition="degraded"} 1'
	contains "$output" 'coopr_cluster_instances{tenant="default",cluster="blog",id="00000001"} 8'
	contains "$output" 'coopr_cluster_ready{tenant="default",cluster="blog",id="00000001"} 7'
}
