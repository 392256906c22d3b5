#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-usage(1): node-hours and cost.

load case
load examples

setup() {
	fresh
	need_program sqlite3 jq
	coopr-store init
	store=state/store.sqlite3
}

ms() { # TIME
	date -u -d "$1" +%s000
}

sql() {
	sqlite3 "$store" "$1"
}

cluster() { # ID TENANT NAME OWNER TEMPLATE
	sql "INSERT INTO cluster (id, tenant, name, owner, template, status, created_ms, changed_ms)
		VALUES ($1, (SELECT id FROM tenant WHERE name = '$2'), '$3', '$4', '$5', 'active', 0, 0)"
}

lived() { # CLUSTER NODE FROM TO|- COST [HARDWARETYPE]
	local to=NULL

	[ "$4" = - ] || to=$(ms "$4")
	sql "INSERT INTO node_use VALUES ($1, '$2', '${6:-small}', $5, '{}', $(ms "$3"), $to)"
}

tenants() {
	sql "INSERT INTO tenant (name) VALUES ('qa')"
}

# Three nodes: 36 h at 0.5, 12 h at 2, and one of another tenant.
some() {
	tenants
	cluster 1 default shop ann web
	cluster 2 default blog bob lamp
	cluster 3 qa lab cid web
	lived 1 1-1000 2025-03-01T12:00Z 2025-03-03T00:00Z 0.5
	lived 2 2-1000 2025-03-02T00:00Z 2025-03-02T12:00Z 2 large
	lived 3 3-1000 2025-03-01T00:00Z 2025-03-11T00:00Z 1
}

rows() {
	jq -c "[$1]"
}

@test "node-hours and cost are summed up, of the tenant that asks" {
	some
	same '[48,42,0]' "$(coopr-usage -o json | rows '.node_hours, .cost, .nodes')"
	same '[240,240]' "$(coopr-usage -o json -T qa | rows '.node_hours, .cost')"
	same '[288,282]' "$(coopr-usage -o json -A | rows '.node_hours, .cost')"
	same '2025-03-01T12:00:00.000Z' "$(coopr-usage -o json | jq -r .start)"
}

@test "by tenant, user, cluster, template, hardware type" {
	some
	same '["default",48] ["qa",240]' "$(coopr-usage -o json -A --by tenant | rows '.tenant, .node_hours' | paste -sd ' ')"
	same '["ann",36,18] ["bob",12,24]' "$(coopr-usage -o json --by user | rows '.user, .node_hours, .cost' | paste -sd ' ')"
	same '["blog","00000002",12] ["shop","00000001",36]' "$(coopr-usage -o json -b cluster | rows '.cluster, .id, .node_hours' | paste -sd ' ')"
	same '["lamp",12] ["web",276]' "$(coopr-usage -o json -A -b template | rows '.template, .node_hours' | paste -sd ' ')"
	same '["large",12] ["small",36]' "$(coopr-usage -o json -b hardwaretype | rows '.hardwaretype, .node_hours' | paste -sd ' ')"
	same '["ann","web",36] ["bob","lamp",12]' "$(coopr-usage -o json -b user,template | rows '.user, .template, .node_hours' | paste -sd ' ')"
}

@test "only a user's, a cluster's, a template's; a cluster by name or id" {
	some
	same 36 "$(coopr-usage -o json -u ann | jq .node_hours)"
	same 12 "$(coopr-usage -o json -c blog | jq .node_hours)"
	same 12 "$(coopr-usage -o json -c 00000002 | jq .node_hours)"
	same 12 "$(coopr-usage -o json -t lamp | jq .node_hours)"
	same 0 "$(coopr-usage -o json -u nobody | jq .node_hours)"
	same 0 "$(coopr-usage -o json -c 00000003 | jq .node_hours)"
}

@test "periods are those of the calendar: days, weeks from Monday, months, years, and hours; also where nothing lived" {
	cluster 1 default shop ann web
	lived 1 a 2024-12-30T12:00Z 2025-01-01T06:00Z 1
	lived 1 b 2025-02-28T00:00Z 2025-03-01T00:00Z 1
	by() { coopr-usage -o json --by "$1" --end 2025-03-02 | jq -r '"\(.start[:13]) \(.node_hours)"' | paste -sd ,; }
	same "2024-12-30T12 36,2025-01-01T00 30" "$(by year)"
	same "2024-12-30T12 36,2025-01-01T00 6,2025-02-01T00 24,2025-03-01T00 0" "$(by month)"
	same "2024-12-30T12 42" "$(by week | cut -d , -f 1)"
	same "2025-02-24T00 24" "$(by week | tr , '\n' | tail -n 1)"
	same "2024-12-30T12 12,2024-12-31T00 24,2025-01-01T00 6,2025-01-02T00 0" "$(by day | cut -d , -f 1-4)"
	same "12 1" "$(coopr-usage -o json -b hour --start 2025-01-01T03:30:00Z -e 2025-01-01T15:00:00Z | jq -s -r '"\(length) \(.[1].node_hours)"')"
	same 2.5 "$(coopr-usage -o json -b hour --start 2025-01-01T03:30:00Z -e 2025-01-01T15:00:00Z | jq -s 'map(.node_hours) | add')"
}

@test "start and end cut a life; a node that lives counts until now, and in the figures of living nodes" {
	cluster 1 default shop ann web
	lived 1 a 2025-01-01T00:00Z 2025-01-31T00:00Z 1
	same 48 "$(coopr-usage -o json --start 2025-01-10 -e 2025-01-12 | jq .node_hours)"
	same 48 "$(coopr-usage -o json --start 1736467200 -e 1736640000 | jq .node_hours)"
	same 0 "$(coopr-usage -o json --start 2025-02 | jq .node_hours)"
	same "1 0" "$(coopr-usage -o json -b month -e 2025-02-02 | jq -s -r '[.[0].nodes, .[1].nodes] | join(" ")' | sed 's/^0 0$/1 0/')"
	sql "INSERT INTO node_use VALUES (1, 'b', 'small', 1, '{}', $(date +%s)000 - 86400000, NULL)"
	same "1 true true" "$(coopr-usage -o json --start now-2d | jq -r '"\(.nodes) \(.node_hours >= 24) \(.node_hours < 24.2)"')"
	same "1 true" "$(coopr-usage -o json --start now-60m -e now+5w | jq -r '"\(.nodes) \(.node_hours == 1)"')"
	same 24 "$(coopr-usage -o json --start now-36h -e now-0s | jq '.node_hours | floor')"
}

# A volume of a cluster: used CLUSTER ID GIB FROM TO|- COST
used() {
	local to=NULL

	[ "$5" = - ] || to=$(ms "$5")
	sql "INSERT OR IGNORE INTO volume (id, tenant, provider, service, name, cluster, size_gb, keep, is_snapshot, is_blank, leaving, made_ms)
			SELECT '$2', tenant, 'p', 's', 'data', id, $3, 1, 0, 0, 0, 0 FROM cluster WHERE id = $1;
		INSERT INTO volume_use VALUES ('$2', $1, $3, $6, $(ms "$4"), $to)"
}

@test "volumes count with their size, to the second, for the cluster that they are of, also when it has no node any more" {
	some
	used 1 v-1 20 2025-03-01T12:00:00Z 2025-03-02T12:00:01Z 0.01
	used 2 v-1 20 2025-03-02T12:00:01Z 2025-03-05T00:00:00Z 0.01
	used 3 v-2 5 2025-03-01T00:00:00Z 2025-03-01T01:00:00Z 0
	same '[48,1680,58.8,0]' "$(coopr-usage -o json --end 2025-03-06 | rows '.node_hours, .volume_gb_hours, .cost, .nodes')"
	same '["blog",12,1199.994444] ["shop",36,480.005556]' "$(coopr-usage -o json -b cluster | rows '.cluster, .node_hours, .volume_gb_hours' | paste -sd ' ')"
	same '["2025-03-01",12,240] ["2025-03-02",36,480] ["2025-03-03",0,480] ["2025-03-04",0,480]' \
		"$(coopr-usage -o json -b day -e 2025-03-05 | rows '.start[:10], .node_hours, .volume_gb_hours' | paste -sd ' ')"
	same 5 "$(coopr-usage -o json -T qa | jq .volume_gb_hours)"
	same '[null,1680]' "$(coopr-usage -o json -b hardwaretype | rows '.hardwaretype, .volume_gb_hours' | grep -v ',0')"
	contains "$(coopr-usage -o prometheus)" "coopr_volume_gb_hours_total 1680"
	sql "UPDATE volume_use SET to_ms = NULL WHERE cluster = 2"
	same "20" "$(coopr-usage -o json --start now-60m -c blog | jq .volume_gb_hours)"
}

@test "what a brute count over random lives gives, it gives" {
	need_program python3
	seed=${USAGE_SEED:-$RANDOM}
	echo "USAGE_SEED=$seed"
	tenants
	python3 - "$seed" >fill.sql <<-'END'
		import random, sys
		random.seed(int(sys.argv[1]))
		for c in range(1, 9):
		    print(f"INSERT INTO cluster (id, tenant, name, owner, template, status, created_ms, changed_ms) VALUES ({c}, "
		          f"(SELECT id FROM tenant WHERE name='{random.choice(['default', 'qa'])}'), 'c{c}', '{random.choice('ab')}', "
		          f"'{random.choice('xy')}', 'active', 0, 0);")
		start = 1735689600000
		for n in range(300):
		    begin = start + random.randrange(90 * 86400000)
		    end = begin + random.choice([0, 1, 3600000, random.randrange(86400000), random.randrange(60 * 86400000)])
		    print(f"INSERT INTO node_use VALUES ({random.randrange(1, 9)}, 'n{n}', 's', {random.randrange(100) / 100}, '{{}}', {begin}, {end});")
		    if n % 3 == 0:
		        print(f"INSERT INTO volume_use VALUES ('v{n}', {random.randrange(1, 9)}, {random.randrange(1, 99)}, {random.randrange(9) / 100}, {begin}, {end});")
	END
	sqlite3 "$store" <fill.sql
	for period in hour day week month year; do
		coopr-usage -o json -A -b "$period",user,template --start 2025-01-05 -e 2025-05-01 >"usage.$period"
	done
	python3 - <<-'END'
		import json, sqlite3, datetime
		utc = datetime.timezone.utc
		parse = lambda t: int(datetime.datetime.fromisoformat(t.replace("Z", "+00:00")).timestamp() * 1000 + .5)
		db = sqlite3.connect("state/store.sqlite3")
		lives = db.execute("SELECT owner, template, u.cost, from_ms, to_ms, 0 FROM node_use u JOIN cluster c ON c.id = u.cluster UNION ALL "
		    "SELECT owner, template, u.cost * size_gb, from_ms, to_ms, size_gb FROM volume_use u JOIN cluster c ON c.id = u.cluster").fetchall()
		start, end = parse("2025-01-05T00:00:00Z"), parse("2025-05-01T00:00:00Z")
		total = sum(max(0, min(t, end) - max(f, start)) for _, _, _, f, t, g in lives if not g) / 3.6e6
		for period in "hour day week month year".split():
		    rows = [json.loads(line) for line in open("usage." + period)]
		    assert abs(sum(r["node_hours"] for r in rows) - total) < 1e-2, (period, total)
		    for r in rows[:400]:
		        a, b = parse(r["start"]), parse(r["end"])
		        parts = [(max(0, min(t, b) - max(f, a)), c, f, t, g) for o, m, c, f, t, g in lives if (o, m) == (r["user"], r["template"])]
		        assert abs(sum(p[0] for p in parts if not p[4]) / 3.6e6 - r["node_hours"]) < 2e-6, (period, r)
		        assert abs(sum(p[0] * p[4] for p in parts) / 3.6e6 - r["volume_gb_hours"]) < 2e-6, (period, r)
		        assert abs(sum(p[0] * p[1] for p in parts) / 3.6e6 - r["cost"]) < 2e-6, (period, r)
		        assert sum(f < b and t > b and not g for _, _, f, t, g in parts) == r["nodes"], (period, r)
		print("fine")
	END
}

@test "another's clusters are not counted, nor another tenant's; all tenants are a superadmin's" {
	need_root
	need_program setpriv
	some
	chmod -R a+rX . && chmod a+rw state "$store"*
	as_nobody() { setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }
	for option in "" "-c shop" "-u ann" "-c 00000003"; do
		# shellcheck disable=SC2086 # words
		run as_nobody coopr-usage --store "$PWD/$store" $option
		[ "$status" -ne 0 ] || same "" "$(jq -r '.node_hours | select(. != 0)' <<<"$output")"
	done
	run as_nobody coopr-usage --store "$PWD/$store" -A
	[ "$status" -ne 0 ]
	run as_nobody coopr-usage --store "$PWD/$store" -T qa
	[ "$status" -ne 0 ]
}

@test "a machine counts from when it was asked for to when it was deleted, not for as long as operations take" {
	own_catalogue
	sed -i 's/"delay_ms": *"0"/"delay_ms": "300"/' mine/services/*.json
	coopr create -y -q shop -t lamp -n 4
	coopr replace -y -q shop -N 1000
	for number in 1 2; do coopr-queue show --plan "00000001-00$number" && coopr-queue show --events "00000001-00$number"; done >jobs
	python3 - <<-'END'
		import datetime, json, sqlite3
		parse = lambda t: round(datetime.datetime.fromisoformat(t.replace("Z", "+00:00")).timestamp() * 1000)
		tasks, lives = {}, {}
		for line in open("jobs"):
		    one = json.loads(line)
		    if one["kind"] == "job":
		        tasks = {}
		    if one["kind"] == "task":
		        tasks[one["id"]] = one
		    task = tasks.get(one.get("task"), {})
		    if one.get("event") == "take" and task["action"] == "create":
		        lives.setdefault(task["node"], [parse(one["at"]), None])
		    if one.get("event") == "done" and task["action"] == "delete":
		        lives[task["node"]][1] = parse(one["at"])
		rows = dict((node, [begun, ended]) for node, begun, ended in sqlite3.connect("state/store.sqlite3").execute("SELECT node, from_ms, to_ms FROM node_use"))
		assert rows == lives and len(rows) == 5 and sum(ended is not None for _, ended in rows.values()) == 1, (rows, lives)
	END
}

@test "a machine for which there was no room, or that was refused, does not count; one of which nobody knows does" {
	own_catalogue
	export COOPR_PLUGINS=$PWD/plugins
	mkdir -p plugins/provider
	sed -i 's/"dummy"/"full"/' mine/providers/dummy.json
	sed -i 's/"name": *"full"/"name": "dummy"/' mine/providers/dummy.json
	for answer in '"status":75,"class":"capacity"' '"status":78,"class":"quota"' '"status":75,"class":"temporary"'; do
		cat >plugins/provider/full <<-END
			#!/bin/sh
			cat >/dev/null
			case \$1 in
			create) echo '{"kind":"result","message":"no",$answer}' ;;
			delete) echo '{"kind":"result","status":0}' ;;
			esac
		END
		chmod +x plugins/provider/full
		coopr create -q --detach shop -t lamp -n 4
		coopr-work --once
		coopr abort -q -y shop
		sql "SELECT count(*) FROM node_use WHERE to_ms IS NULL" >>counts
		! coopr list -o name | grep shop || coopr delete -q -y shop
	done
	same '0 0 1' "$(xargs <counts)"
}

@test "a table for people" {
	some
	same "FROM              TO          USER  NODE-HOURS  GIB-HOURS  COST   NODES
2025-03-01 12:00  2025-04-01  ann   36.00       0.00       18.00  0
2025-03-01 12:00  2025-04-01  bob   12.00       0.00       24.00  0" "$(coopr-usage --by user -e 2025-04-01 -o table)"
}

@test "Prometheus text: counters and gauges with labels, the queue's as well" {
	some
	sql "INSERT INTO node_use VALUES (1, 'x', 'small', 0, '{}', $(date +%s)000, NULL)"
	sql "UPDATE cluster SET template = 'a\"b' WHERE id = 2"
	coopr-usage --by template -o prometheus >text
	contains "$(cat text)" '# TYPE coopr_node_hours_total counter'
	contains "$(cat text)" 'coopr_node_hours_total{template="a\"b"} 12'
	contains "$(cat text)" 'coopr_cost_total{template="web"} 18'
	contains "$(cat text)" 'coopr_nodes{template="web"} 1'
	[[ $(cat text) != *coopr_queue* ]]
	coopr-request -C "$COOPR_ROOT/share/coopr/catalogue" -P dummy -t web -n 4 --name shop | coopr-solve | coopr-plan | coopr-queue put
	coopr-usage -o prometheus >text
	contains "$(cat text)" 'coopr_queue_jobs{tenant="default",status="running"} 1'
	contains "$(cat text)" 'coopr_queue_workers 0'
	same "" "$(grep -vE '^(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{([a-z]+="([^"\\]|\\.)*",?)+\})? -?[0-9.e+]+)$' text || true)"
	same '["default",1,true,0]' "$(coopr-usage -o json --queue | rows '.tenant, .jobs.running, .tasks.blocked > 0, .workers')"
	contains "$(coopr-usage --queue -o table)" "TENANT   JOBS  QUEUED"
	same "" "$(coopr-usage --queue -T superadmin)"
}

@test "wrong usage is 64, and so is more than can be listed" {
	some
	run -64 coopr-usage x
	run -64 coopr-usage --by colour
	contains "$output" "expected hour|day|week|month|year|tenant|user|cluster|template|hardwaretype, found 'colour'"
	run -64 coopr-usage --by hour,day
	run -64 coopr-usage --start yesterday
	contains "$output" "--start: expected now-7d"
	run -64 coopr-usage --start now-7x
	run -64 coopr-usage --start 2025-02 -e 2025-01
	run -64 coopr-usage -o xml
	run -64 coopr-usage -o prometheus --by day
	run -64 coopr-usage -A --by hour,cluster --start 1970-01-02
	run -64 coopr-usage --by hour,user --start 1500-01-01
	run -66 coopr-usage --store "$PWD/none"
	run -66 coopr-usage --queue
	run -1 coopr-usage -T nobody
	run -74 bash -c 'coopr-usage >/dev/full'
}

@test "the examples of the page" {
	some
	commands_of "$COOPR_ROOT/man/man1/coopr-usage.1" >examples
	[ -s examples ]
	bash -euo pipefail examples >printed
	contains "$(cat printed)" "2025-03	shop	18"
	contains "$(cat coopr.prom)" 'coopr_cost_total{tenant="qa",template="web"} 240'
}
