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
