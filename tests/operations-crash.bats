#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Every operation on a cluster, killed at each call that changes a file, in the command itself and in all that it starts
# (tests/crash/shim.c): the same command run again ends well, and store, spool, folders and machines agree; every other time it
# finds none of the folders of clusters, which can be made again. Every CRASH_STEP-th call (default 41; 1: all of them).

# Tests have their own before and after:
# shellcheck disable=SC2317

load case

# Services "one", "two" and "frail", which does not start while there is a file "broken".
setup() {
	fresh
	need_program "${CC:-cc}"
	"${CC:-cc}" -D_GNU_SOURCE -shared -fPIC -o shim.so "$BATS_TEST_DIRNAME/crash/shim.c"
	step=${CRASH_STEP:-41} last=160
	mkdir -p mine/{services,clustertemplates,providers,hardwaretypes,imagetypes} plugins/automator
	cp "$COOPR_ROOT"/share/coopr/catalogue/hardwaretypes/small.json mine/hardwaretypes
	cp "$COOPR_ROOT"/share/coopr/catalogue/imagetypes/*.json mine/imagetypes
	jq '.provisioner = {}' "$COOPR_ROOT/share/coopr/catalogue/providers/dummy.json" >mine/providers/dummy.json
	export COOPR_CATALOGUE=$PWD/mine COOPR_PLUGINS=$PWD/plugins WHERE=$PWD
	cat >plugins/automator/frail <<-'EOT'
		#!/bin/sh
		cat >/dev/null
		[ "$1" = start ] && [ -e "$WHERE/broken" ] && echo '{"kind":"result","status":65,"message":"it is broken"}' && exit
		echo '{"kind":"result","status":0}'
	EOT
	chmod 755 plugins/automator/frail
	service one dummy
	service two dummy
	service frail frail
	jq -n '{name: "pair", compatibility: {hardwaretypes: ["small"], services: ["one", "two", "frail"]},
		defaults: {services: ["one"], provider: "dummy", hardwaretype: "small", imagetype: "debian12"}}' >mine/clustertemplates/pair.json
	coopr-create c -t pair -n 2 >out 2>err
}

service() { # NAME AUTOMATOR [NOTE]
	jq -n --arg name "$1" --arg type "$2" --arg note "${3-}" '{name: $name, description: $note, provisioner: {actions:
		([["install", "dummy"], ["configure", "dummy"], ["start", $type], ["stop", "dummy"], ["remove", "dummy"]]
		| map({(.[0]): {type: .[1], fields: {note: $note}}}) | add)}}' >"mine/services/$1.json"
}

ask() {
	sqlite3 -separator ' ' "$COOPR_STATE/store.sqlite3" "$1"
}

# The words of what is recorded, of clusters that are there.
recorded() {
	ask "SELECT $1 FROM cluster WHERE status <> 'terminated' ORDER BY id"
}

id_of() {
	ask "SELECT printf('%08d', id) FROM cluster WHERE name = '$1' AND status <> 'terminated'"
}

carried() { # by the recorded layout of c, node by node
	ask "SELECT layout FROM cluster_document JOIN cluster ON id = cluster WHERE name = 'c' AND status <> 'terminated'" |
		jq -c 'select(.kind == "node") | .services'
}

# Whether store, spool, folders and machines say the same.
agree() {
	coopr-store fsck
	coopr-queue fsck
	same "" "$(ask 'SELECT cluster, number FROM operation WHERE ended_ms = 0')"
	same "$(ask "SELECT job, status FROM operation WHERE job IS NOT NULL AND status <> 'rolledback' ORDER BY job")" \
		"$(coopr-queue ls -o json | jq -r '"\(.job) \(.status)"' | sort)"
	same "$(recorded 'coalesce(sum(nodes), 0)')" "$("$COOPR_BIN"/../libexec/coopr/provider/dummy list <mine/providers/dummy.json | grep -c . || true)"
	coopr-reconcile >drift 2>&1 || [ $? -eq 1 ] # removes folders of clusters that came to nothing
	same "" "$(comm -13 <(recorded "printf('%08d', id)") <(find state/clusters -mindepth 1 -maxdepth 1 ! -name ".try-*" -printf "%f\n" | sort))"
}

# Kills the command ("$@") at a call, runs it again, and looks: it ends well, or says what stands in $so (an expression): that it
# is so already. Then all must agree, and what function "after" says must hold. Function "before" comes first.
so=
at_each_call() {
	local at

	for ((at = 1; at < last; at += step)); do
		before
		ASAN_OPTIONS=${ASAN_OPTIONS:-}:verify_asan_link_order=0 LD_PRELOAD=$PWD/shim.so CRASH_NO_SYNC=1 CRASH_AT=$at \
			"$@" >out 2>err </dev/null || true
		((at / step % 2)) || rm -rf state/clusters
		"$@" >again 2>log </dev/null || { [ -n "$so" ] && grep -qE "$so" log; } || {
			echo "killed at call $at, then:"
			cat log
			return 1
		}
		agree || { echo "killed at call $at: $(cat err log)"; return 1; }
		after || { echo "killed at call $at: $(cat err log)"; return 1; }
	done
}

before() { :; }
after() { same "active" "$(recorded status)"; }

@test "shrink" {
	before() { coopr-expand -n 3 c >out 2>err || grep -q "it has 3" err; }
	after() { same "c active 2" "$(recorded 'name, status, nodes')"; }
	so="it has 2 machines"
	at_each_call coopr-shrink -y -n 2 c
}

@test "add" {
	before() { ! carried | grep -q two || coopr-remove c two >out 2>err; }
	after() { [ "$(carried | grep -c two)" -gt 0 ]; }
	so="two"
	at_each_call coopr-add c two
}

@test "remove" {
	before() { carried | grep -q two || coopr-add c two >out 2>err; }
	after() { same 0 "$(carried | grep -c two)"; }
	so="two"
	at_each_call coopr-remove c two
}

@test "config" {
	before() { coopr-config --set one.value="before $at" c >out 2>err; }
	after() { same new "$(coopr-config c | jq -r .one.value)"; }
	so="nothing|already|same"
	at_each_call coopr-config --set one.value=new c
}

@test "stop, start, restart" {
	at_each_call coopr-stop c
	at_each_call coopr-start c
	at_each_call coopr-restart c
}

@test "replace" {
	before() { node=$(ask "SELECT layout FROM cluster_document" | jq -r 'select(.kind == "node") | .id' | head -n 1); ln -sfn "$node" node; }
	after() { same "active 2" "$(recorded 'status, nodes')" && ! ask "SELECT layout FROM cluster_document" | grep -q "\"id\":\"$(readlink node)\""; }
	so="there is no node|no such node|has no node"
	replace() { coopr-replace -y c "$(readlink "$WHERE/node")"; }
	export -f replace
	at_each_call bash -c replace
}

@test "upgrade" {
	before() { service one dummy "note $at"; }
	after() { same "note $at" "$(ask "SELECT layout FROM cluster_document" | jq -r 'select(.kind == "cluster").definitions[] | select(.name == "one").description')"; }
	so="nothing|up to date|already"
	at_each_call coopr-upgrade c
}

# An operation that has failed.
fail() {
	carried | grep -q frail && coopr-remove c frail >out 2>err
	touch broken
	! coopr-add c frail >out 2>err
	rm broken
}

@test "retry" {
	before() { fail; }
	after() { same active "$(recorded status)" && [ "$(carried | grep -c frail)" -gt 0 ]; }
	so="nothing|complete"
	at_each_call coopr-retry c
}

@test "rollback" {
	before() { fail; }
	after() { same active "$(recorded status)" && same 0 "$(carried | grep -c frail)"; }
	so="while the cluster is active"
	at_each_call coopr-rollback -y c
}

@test "abort" {
	before() { coopr-expand --detach c >out 2>err; }
	after() { same 0 "$(ask "SELECT count(*) FROM operation WHERE status IN ('planned', 'running')")"; }
	so="no operation is in progress"
	at_each_call coopr-abort c
}

@test "pause and resume" {
	before() { coopr-expand --detach c >out 2>err; }
	agree() { coopr-store fsck && coopr-queue fsck; }
	after() { coopr-resume c >out 2>err; coopr-work --drain >out 2>err; coopr-status c >out 2>err; same active "$(recorded status)"; }
	so="paused"
	at_each_call coopr-pause c
}

@test "rename" {
	before() { ask "SELECT name FROM cluster" | grep -qx c || coopr-rename d c; }
	after() { same "d active" "$(recorded 'name, status')"; }
	so="no cluster named \"c\""
	at_each_call coopr-rename c d
}

@test "lease" {
	before() { coopr-lease c 1d >out; }
	after() { same 1 "$(ask "SELECT expires_ms > (unixepoch() + 86400 * 4) * 1000 FROM cluster")"; }
	at_each_call coopr-lease c 5d
}

@test "clone" {
	before() { [ -z "$(id_of d)" ] || coopr-delete -y d >out 2>err; }
	after() { same $'c active 2\nd active 2' "$(recorded 'name, status, nodes')"; }
	so="a cluster of this name exists"
	at_each_call coopr-clone c d
}

@test "delete" {
	before() { [ -n "$(id_of d)" ] || coopr-create d -t pair -n 1 >out 2>err; }
	after() { same "c active 2" "$(recorded 'name, status, nodes')"; }
	so="there is no (such )?cluster|the cluster is terminated"
	at_each_call coopr-delete -y d
}

@test "what changes the store only: tenants, quotas, members, secrets, entities" {
	after() { same "5 qa ann admin 1" "$(ask "SELECT json_extract(document, '\$.quota.nodes'), name, user, role, (SELECT count(*) FROM secret)
		FROM tenant JOIN member ON id = tenant WHERE name = 'qa'")"; }
	many() {
		coopr-tenant create qa
		coopr-tenant change --nodes 5 qa && coopr-member set -T qa -r admin ann && echo x | coopr-secret set -T qa one && coopr-store import -T qa mine &&
			coopr-store get -T qa service one
	}
	export -f many
	at_each_call bash -c many
}
