#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-upgrade(1): what was left as the template gave it follows the template, what was set stays; scripts that have changed.

load case

setup() {
	fresh
	need_program jq
	mkdir -p mine/services mine/clustertemplates mine/scripts
	for folder in providers hardwaretypes imagetypes; do cp -r "$COOPR_ROOT/share/coopr/catalogue/$folder" mine; done
	service db && service app && service more
	template '["app","db"]' '{"app":{"port":80,"threads":2,"hosts":["a"]},"db":{"memory":"1G"}}'
}

# A service of the automator dummy: service NAME
service() {
	jq -n --arg name "$1" '{name: $name, provisioner: {actions: ([("install", "configure", "start", "stop", "status", "remove") |
		{(.): {type: "dummy"}}] | add)}}' >"mine/services/$1.json"
}

template() { # SERVICES CONFIG
	jq -n --argjson services "$1" --argjson config "$2" '{name: "plain", defaults: {services: $services, provider: "dummy",
		hardwaretype: "small", imagetype: "debian12", config: $config},
		compatibility: {hardwaretypes: ["small"], imagetypes: ["debian12"], services: ["app", "db", "more"]}}' >mine/clustertemplates/plain.json
}

# The configuration of the cluster, with its members sorted.
config() {
	coopr config one | jq -cS .
}

@test "defaults that have changed are followed where they were left, and stay where they were set; both are shown" {
	coopr create one -C mine -t plain -n 2 -y >records 2>log
	coopr config one --set app.port=8080 >records 2>log
	template '["app","db"]' '{"app":{"port":81,"threads":4,"hosts":["a","b"]},"db":{"memory":"1G","sync":true}}'
	coopr upgrade one --dry-run >preview 2>said
	sort said >sorted
	same "$(cat sorted)" "$(sort <<-'END'
		coopr-upgrade: one: config /app/hosts: follows the template's default: ["a"] -> ["a","b"]
		coopr-upgrade: one: config /app/port: stays 8080, as it was set; the template's default: 80 -> 81
		coopr-upgrade: one: config /app/threads: follows the template's default: 2 -> 4
		coopr-upgrade: one: config /db/sync: follows the template's default: absent -> true
		coopr-upgrade: one: template plain: its definition has changed
	END
	)"
	same '{"app":{"hosts":["a"],"port":8080,"threads":2},"db":{"memory":"1G"}}' "$(config)"
	coopr upgrade one -y >records 2>log
	same '{"app":{"hosts":["a","b"],"port":8080,"threads":4},"db":{"memory":"1G","sync":true}}' "$(config)"
	coopr-queue show 00000001-003 --tasks -o json | grep -q '"action":"configure"'
	coopr upgrade one --dry-run >preview 2>said
	same "" "$(cat said)"
}

@test "upgrade, configuration, rollback and upgrade again: what was set at each time stays" {
	coopr create one -C mine -t plain -n 2 -y >records 2>log
	coopr config one --set app.threads=9 >records 2>log
	template '["app","db"]' '{"app":{"port":81,"threads":4,"hosts":["a"]},"db":{"memory":"2G"}}'
	coopr upgrade one -y >records 2>log
	coopr config one --set db.memory=3G >records 2>log
	template '["app","db"]' '{"app":{"port":82,"threads":5,"hosts":["a"]},"db":{"memory":"4G"}}'
	coopr upgrade one -y >records 2>log
	same '{"app":{"hosts":["a"],"port":82,"threads":9},"db":{"memory":"3G"}}' "$(config)"
	coopr rollback one --to 3 -y >records 2>log
	same '{"app":{"hosts":["a"],"port":81,"threads":9},"db":{"memory":"2G"}}' "$(config)"
	coopr upgrade one -y >records 2>log
	same '{"app":{"hosts":["a"],"port":82,"threads":9},"db":{"memory":"4G"}}' "$(config)"
}

@test "services follow the template where none of its defaults was taken out" {
	coopr create one -C mine -t plain -n 2 -y >records 2>log
	coopr create two -C mine -t plain -n 2 -s app -y >records 2>log
	template '["app","more"]' '{}'
	run --separate-stderr -0 coopr upgrade one -y
	contains "$stderr" "service more: the template has it now by default; the cluster follows"
	contains "$stderr" "service db: the template has it no longer by default; the cluster follows"
	same '["app","more"]' "$(sqlite3 "$COOPR_STATE/store.sqlite3" "SELECT wish FROM cluster_document WHERE cluster = 1" | jq -c .cluster.services)"
	run --separate-stderr -0 coopr upgrade two -y
	contains "$stderr" "service more: the template has it now by default; the cluster's services stay, as they were chosen"
	same '["app"]' "$(sqlite3 "$COOPR_STATE/store.sqlite3" "SELECT wish FROM cluster_document WHERE cluster = 2" | jq -c .cluster.services)"
}

# An automator that runs nothing, and notes which contents a task's script has; and services of it.
written() {
	mkdir -p plugins/automator
	cat >plugins/automator/written <<-END
		#!/bin/sh
		if [ "\$1" = describe ]; then
			echo '{"title":"automator written","type":"object","properties":{"script":{"type":"string","format":"script"},"files":{"type":"string","format":"files"}}}'
			exit
		fi
		jq -r '"\(.action) \(.service) \(.scripts // "today")"' >>"$PWD/did"
		echo '{"kind":"result","status":0}'
	END
	chmod +x plugins/automator/written
	export COOPR_PLUGINS=$PWD/plugins
	for name in app db; do
		jq --arg name "$name" '.provisioner.actions |= (to_entries | map({key, value: {type: "written", fields: {script: "\($name)-\(.key).sh", files: "common"}}}) | from_entries)' \
			"mine/services/$name.json" >new
		mv new "mine/services/$name.json"
		for action in install configure start stop status remove; do echo "echo $action 1" >"mine/scripts/$name-$action.sh"; done
	done
	mkdir -p mine/scripts/common
	echo one >mine/scripts/common/part
	: >did
}

# What was done since the last time, each once.
did() {
	sort -u did | grep -v "^bootstrap\|status" | paste -sd,
	: >did
}

@test "a script that has changed is a changed definition of the actions that name it" {
	written
	coopr create one -C mine -t plain -n 2 -y >records 2>log || { cat log records; false; }
	did >created
	coopr upgrade one -y >records 2>said
	same "" "$(grep -v ': job ' said)"
	same "" "$(did)"
	echo "echo configure 2" >mine/scripts/app-configure.sh
	coopr upgrade one --dry-run >preview 2>said
	same "coopr-upgrade: one: service app: script app-configure.sh (configure) has changed" "$(cat said)"
	coopr upgrade one -y >records 2>log
	same "configure app today,start app today,stop app today" "$(did)"
	echo "echo install 2" >mine/scripts/db-install.sh
	coopr upgrade one -y >records 2>log
	contains "$(did)" "install db today"
	chmod +x mine/scripts/app-start.sh
	coopr upgrade one --dry-run >preview 2>said
	same "coopr-upgrade: one: service app: script app-start.sh (start) has changed" "$(cat said)"
	echo two >mine/scripts/common/part
	same 12 "$(coopr upgrade one --dry-run 2>&1 >preview | grep -c 'script .* has changed$')"
}

@test "a rollback uses the scripts that were kept, and so does what comes later, until the next upgrade" {
	written
	coopr create one -C mine -t plain -n 2 -y >records 2>log
	echo "echo configure 2" >mine/scripts/app-configure.sh
	coopr upgrade one -y >records 2>log
	did >upgraded
	coopr rollback one --to 1 -y >records 2>log
	old=$(grep -rla 'app-configure\.sh' "$COOPR_STATE/resources" | xargs grep -la 'echo configure 1$')
	same "configure app ${old##*/},start app today,stop app today" "$(did)"
	coopr-queue show --plan "$(coopr history -o json one | jq -r .job | head -n 1)" >plan
	coopr-plan --check plan
	run -1 coopr-plan --check < <(jq -c 'del(.scripts)' plan)
	contains "$output" "the scripts of configure app are ${old##*/}, not today's"
	coopr expand one -n 3 -y >records 2>log
	contains "$(did)" "configure app ${old##*/}"
	coopr upgrade one -y >records 2>said
	grep -q "script app-configure.sh (configure) has changed" said
	same "configure app today,start app today,stop app today" "$(did)"
}

@test "what was kept of scripts is removed once no revision of a living cluster names it" {
	written
	coopr create one -C mine -t plain -n 2 -y >records 2>log
	count=$(find "$COOPR_STATE/resources" -type f | wc -l)
	unnamed=$COOPR_STATE/resources/ab/ab$(printf '0%.0s' {1..62}) earlier=$COOPR_STATE/scripts/ab$(printf '0%.0s' {1..62})
	mkdir -p "$COOPR_STATE/resources/ab" "$COOPR_STATE/scripts"
	printf 'file 1 x\0y' | tee "$earlier" >"$unnamed"
	coopr reconcile >said 2>&1 || true
	[ -e "$unnamed" ] && [ -e "$earlier" ]
	find "$COOPR_STATE/resources" "$COOPR_STATE/scripts" -type f -exec touch -d '2 days ago' {} +
	coopr reconcile >said 2>&1 || true
	same "$count" "$(find "$COOPR_STATE/resources" -type f | wc -l)"
	[ ! -e "$unnamed" ] && [ ! -e "$earlier" ]
	coopr delete one -y >records 2>log
	coopr reconcile >said 2>&1 || true
	same 0 "$(find "$COOPR_STATE/resources" -type f | wc -l)"
}

@test "a rollback to a script that was not kept is refused by its name, unless it is put back" {
	written
	coopr create one -C mine -t plain -n 2 -y >records 2>log
	cp mine/scripts/db-stop.sh former
	echo "echo stop 2" >mine/scripts/db-stop.sh
	coopr upgrade one -y >records 2>log
	rm -r "$COOPR_STATE/resources"
	run --separate-stderr -1 coopr rollback one --to 1 -y
	contains "$stderr" "one: script db-stop.sh (stop of service db) is not what it was, and its former contents were not kept"
	rm mine/scripts/db-stop.sh
	run --separate-stderr -1 coopr rollback one --to 1 -y
	contains "$stderr" "script db-stop.sh"
	cp former mine/scripts/db-stop.sh
	coopr rollback one --to 1 -y >records 2>log
	did >now
	same today "$(tr , '\n' <now | grep -o '[a-z]*$' | sort -u)"
}

@test "a cluster of an earlier version says nothing of its scripts: they count as unchanged, and that is said" {
	written
	coopr create one -C mine -t plain -n 2 -y >records 2>log
	for column in wish layout; do
		sqlite3 "$COOPR_STATE/store.sqlite3" "SELECT $column FROM cluster_document" | command jq -c 'del(.. | .digest?)' >silent
		! grep digest silent
		sqlite3 "$COOPR_STATE/store.sqlite3" "UPDATE cluster_document SET $column = CAST(readfile('silent') AS TEXT)"
	done
	did >created
	echo "echo install 2" >mine/scripts/app-install.sh
	coopr upgrade one -y >records 2>said
	grep -q "service app: it is not known what its scripts were; they count as unchanged, and changes are seen from now on" said
	same "" "$(did)"
	echo "echo install 3" >mine/scripts/app-install.sh
	coopr upgrade one -y >records 2>said
	contains "$(did)" "install app today"
}
