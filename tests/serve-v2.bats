#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Requests of clients of Cask's Coopr, coopr-api-v2(7).

load case
load serve

setup() {
	serve_setup
	serve
	user=$(id -un) tenant=default
}

teardown() {
	serve_end
}

# Prints the routes, METHOD PATH: {E} stands for the six kinds of entities, {P} for the two of plugins.
routes() {
	sed -nE -e 's|"/v2/" folder,|"/v2/{E}",|; s|"/v2/" folder "|"/v2/{E}|' \
		-e 's|"/v2/plugins/" folder,|"/v2/plugins/{P}",|; s|"/v2/plugins/" folder "|"/v2/plugins/{P}|' \
		-e 's/^\tGET\("([^"]*)".*/GET \1/p; s/^\tCHANGE\("([A-Z]*)", "([^"]*)".*/\1 \2/p; s/^\tUPLOAD\("([^"]*)".*/POST \1/p; s/^\t\{"([A-Z]*)", "([^"]*)".*/\1 \2/p' \
		"$COOPR_ROOT/lib/web/coopr-routes.c"
}

@test "the page has every route, and no other" {
	routes | sort >have
	[ "$(wc -l <have)" -gt 8 ]
	sed -n '/^\.Ss Routes/,/^\.El/s/^\.It \([A-Z]*\) Pa /\1 /p' "$COOPR_ROOT/man/man7/coopr-api-v2.7" | sort | diff have -
}

@test "every route of Coopr is one" {
	{
		routes
		sed -nE 's/^\t\{"([A-Z]*)", "([^"]*)".*/\1 \2/p' "$COOPR_ROOT/lib/web/provisioner-routes.c"
	} | sed 's/{P}/{E}/; s/{[a-z]*}/*/g' | sort -u >have
	sed 's/{P}/{E}/; s/{[a-z]*}/*/g' <<-'END' | sort -u >want
		GET /status
		GET /v2/{E}
		POST /v2/{E}
		GET /v2/{E}/{name}
		GET /v2/{E}/{name}/{version}
		PUT /v2/{E}/{name}
		DELETE /v2/{E}/{name}
		DELETE /v2/{E}/{name}/{version}
		POST /v2/resolve
		GET /v2/export
		POST /v2/import
		GET /v2/plugins/{P}
		GET /v2/plugins/{P}/{plugin}
		GET /v2/plugins/{P}/{plugin}/{type}
		DELETE /v2/plugins/{P}/{plugin}
		DELETE /v2/plugins/{P}/{plugin}/{version}
		GET /v2/plugins/{P}/{plugin}/{type}/{name}
		POST /v2/plugins/{P}/{plugin}/{type}/{name}
		POST /v2/plugins/{P}/{plugin}/{type}/{name}/versions/{version}/stage
		POST /v2/plugins/{P}/{plugin}/{type}/{name}/versions/{version}/recall
		DELETE /v2/plugins/{P}/{plugin}/{type}/{name}
		DELETE /v2/plugins/{P}/{plugin}/{type}/{name}/versions/{version}
		POST /v2/plugins/sync
		GET /v2/tenants
		POST /v2/tenants
		GET /v2/tenants/{tenant}
		PUT /v2/tenants/{tenant}
		DELETE /v2/tenants/{tenant}
		GET /v2/provisioners
		GET /v2/provisioners/{provisioner}
		GET /v2/clusters
		POST /v2/clusters
		GET /v2/clusters/{cluster}
		GET /v2/clusters/{cluster}/status
		GET /v2/clusters/{cluster}/config
		GET /v2/clusters/{cluster}/services
		DELETE /v2/clusters/{cluster}
		POST /v2/clusters/{cluster}
		PUT /v2/clusters/{cluster}/config
		POST /v2/clusters/{cluster}/services
		POST /v2/clusters/{cluster}/services/start
		POST /v2/clusters/{cluster}/services/stop
		POST /v2/clusters/{cluster}/services/restart
		POST /v2/clusters/{cluster}/services/{service}/start
		POST /v2/clusters/{cluster}/services/{service}/stop
		POST /v2/clusters/{cluster}/services/{service}/restart
		POST /v2/clusters/{cluster}/clustertemplate/sync
		POST /v2/clusters/{cluster}/abort
		POST /v2/clusters/{cluster}/pause
		POST /v2/clusters/{cluster}/resume
		GET /v2/clusters/{cluster}/plans
		GET /v2/clusters/{cluster}/plans/{job}
		GET /v2/nodes
		POST /v2/nodes
		GET /v2/nodes/{node}
		PUT /v2/nodes/{node}
		DELETE /v2/nodes/{node}
		GET /v2/profile
		PUT /v2/profile
		DELETE /v2/profile
		GET /v2/metrics/queues
		GET /v2/metrics/nodes/usage
		POST /v2/getNodeProperties
		POST /v2/getClusterStatuses
		POST /v2/tasks/take
		POST /v2/tasks/finish
		PUT /v2/provisioners/{provisioner}
		DELETE /v2/provisioners/{provisioner}
		POST /v2/provisioners/{provisioner}/heartbeat
		PUT /v2/plugins/{kind}/{plugin}
		GET /v2/tenants/{tenant}/{kind}/{plugin}/{type}/{name}/versions/{version}
	END
	same '' "$(comm -13 have want)"
	answers 403 DELETE /v2/plugins/automatortypes/shell/1 -H "Coopr-UserID: $user" -H "Coopr-TenantID: $tenant"
}

@test "each route wants a user and a tenant, knows its methods, and says what is not there" {
	kinds=(providers hardwaretypes imagetypes services clustertemplates partialtemplates)
	count=0
	while read -r method path; do
		path=${path/\{E\}/${kinds[count++ % 6]}}
		path=${path/\{P\}/automatortypes}
		path=${path//\{version\}/1}
		# shellcheck disable=SC2001 # a variable of the path is any word
		path=$(sed 's/{[a-z]*}/zz/g' <<<"$path")
		v2 405 PATCH "$path"
		[ "$path" != /status ] || continue
		answers 401 "$method" "$path" -H "Coopr-UserID: $user"
		answers 401 "$method" "$path" -H 'Coopr-TenantID: default'
		contains "$(cat body)" "Coopr-UserID not found"
		ask "$method" "$path" -H "Coopr-UserID: $user" -H "Coopr-TenantID: nowhere" -d '{"name": "zz"}'
		[[ $status = 40[034] ]] || {
			echo "$method $path in no tenant: $status"
			return 1
		}
		ask "$method" "$path" -H "Coopr-UserID: $user" -H "Coopr-TenantID: default" --data-binary '{"name": ["rubbish"]}'
		case $status in
		200 | 400 | 403 | 404 | 409) ;;
		*)
			echo "$method $path: $status $(cat body)"
			return 1
			;;
		esac
		[[ $path != *zz* || $method != GET || $status = 404 ]] || {
			echo "$path: $status"
			return 1
		}
	done < <(routes)
	v2 404 GET /v2/nothing
	v2 200 GET /status
	same OK "$(cat body)"
}

@test "what was put is what one gets, with its version" {
	echo '{"name": "db", "description": "a database", "icon": "db.png", "dependencies": {"provides": ["sql"], "conflicts": [],
		"install": {"requires": [], "uses": []}, "runtime": {"requires": ["nowhere"], "uses": []}},
		"provisioner": {"actions": {"start": {"type": "dummy", "fields": {"run_list": "recipe[db]"}}}}, "links": []}' >db.json
	v2 200 POST /v2/services --data-binary @db.json
	v2 200 GET /v2/services/db
	same "$(jq -cS '. + {version: 1}' db.json)" "$(jq -cS . body)"
	v2 409 POST /v2/services --data-binary @db.json
	jq '.description = "another"' db.json >new.json
	v2 200 PUT /v2/services/db --data-binary @new.json
	v2 200 GET /v2/services/db
	same '["another",2]' "$(body '[.description, .version]')"
	v2 200 GET /v2/services/db/1
	same '["a database",1]' "$(body '[.description, .version]')"
	v2 200 GET /v2/services
	same '["another",2]' "$(body '.[] | select(.name == "db") | [.description, .version]')"
	v2 400 PUT /v2/services/sql --data-binary @db.json
	v2 400 GET /v2/services/db/new
	v2 404 GET /v2/services/db/7
	v2 409 DELETE /v2/services/db/1
	contains "$(cat body)" "version 1 is not the newest"
	v2 200 DELETE /v2/services/db/9
	v2 200 DELETE /v2/services/db/2
	v2 200 GET /v2/services/db
	same '["a database",3]' "$(body '[.description, .version]')"
	v2 200 DELETE /v2/services/db
	v2 404 GET /v2/services/db
	v2 200 DELETE /v2/services/db
	v2 200 DELETE /v2/services/db/4
	v2 200 POST /v2/services --data-binary @db.json
	v2 409 DELETE /v2/services/db/3
	v2 200 DELETE /v2/services/db/5
	v2 404 GET /v2/services/db
	v2 200 DELETE /v2/services/db/3
	v2 400 POST /v2/services -d '{"name": '
	v2 400 POST /v2/services -d '[]'
	v2 400 POST /v2/services -d '{"name": 5}'
	contains "$(cat body)" "/name: expected string, found number"
}

@test "members that only coopr has are not shown, and stay where a client of Coopr leaves them out; those of Coopr go" {
	v2 200 GET /v2/hardwaretypes/small
	same '{"flavor":"small"}' "$(body .providermap.dummy)"
	v2 200 PUT /v2/hardwaretypes/small -d '{"name": "small", "providermap": {"dummy": {"flavor": "s"}, "static": {"flavor": "x", "note": "n"}}}'
	v2 200 GET /v2/hardwaretypes/small
	same '{"name":"small","providermap":{"dummy":{"flavor":"s"},"static":{"flavor":"x","note":"n"}},"version":2}' "$(jq -cS . body)"
	same '{"capacity":{"cpu":1,"memory":2048},"cost":0.02,"flavor":"s"}' "$(coopr-store get hardwaretype small | jq -cS .providermap.dummy)"
	v2 200 PUT /v2/hardwaretypes/small -d '{"name": "small", "providermap": {"static": {"flavor": "x"}}}'
	same '{"static":{"capacity":{"cpu":1,"memory":2048},"cost":0,"flavor":"x"}}' "$(coopr-store get hardwaretype small | jq -cS .providermap)"
	v2 200 GET /v2/services/mysql
	same '["configure","initialize","install","remove","start","stop"]' "$(body '.provisioner.actions | keys')"
	jq '.description = "changed"' body >mysql.json
	v2 200 PUT /v2/services/mysql --data-binary @mysql.json
	coopr-store get service mysql | jq -S 'del(.description)' >after
	coopr-store get --revision 1 service mysql | jq -S 'del(.description)' | diff - after
	v2 200 GET /v2/clustertemplates/lamp
	jq 'del(.description, .constraints.layout.mustcoexist)' body >lamp.json
	v2 200 PUT /v2/clustertemplates/lamp --data-binary @lamp.json
	same '[["moves","cost","dense"],null,null,[["haproxy","apache"],["mysql","apache"],["mysql","haproxy"]]]' \
		"$(coopr-store get clustertemplate lamp | jq -c '[.objective, .description, .constraints.layout[("mustcoexist", "cantcoexist")]]')"
}

@test "a password of a provider is a secret from then on, which can be sent back, and replaced" {
	v2 200 PUT /v2/providers/lab -d '{"name": "lab", "providertype": "openstack", "provisioner": {"api_user": "svc", "api_password": "not for everybody"}}'
	v2 200 GET /v2/providers/lab
	same '{"api_password":{"secret":"lab.api_password"},"api_user":"svc"}' "$(body .provisioner)"
	jq '.description = "with a secret"' body >lab.json
	v2 200 PUT /v2/providers/lab --data-binary @lab.json
	v2 200 GET /v2/export
	run ! grep 'not for everybody' body
	same '{"secret":"lab.api_password"}' "$(body '.providers[] | select(.name == "lab").provisioner.api_password')"
	same 1 "$(coopr-secret list -o json | jq 'select(.name == "lab.api_password").version')"
	v2 200 PUT /v2/providers/lab -d '{"name": "lab", "providertype": "openstack", "provisioner": {"api_password": "a new one"}}'
	same 2 "$(coopr-secret list -o json | jq 'select(.name == "lab.api_password").version')"
}

@test "all published documents of Coopr are what they were after an import and an export" {
	need_shared data/coopr-templates
	coopr-tenant create -y qa
	tenant=qa
	for kind in providers hardwaretypes imagetypes services clustertemplates; do
		jq -s --arg kind "$kind" '{($kind): map(. + {version: 3})}' "$SHARED/data/coopr-templates/$kind"/*.json
	done | jq -s 'add + {partialtemplates: []}' >all.json
	v2 200 POST /v2/import --data-binary @all.json
	v2 200 GET /v2/export
	same 1 "$(jq -n 'input | type == "object" and length == 6 | if . then 1 else 0 end' body)"
	# Each member of each document is there, as it was; a lease is in milliseconds, and passwords are secrets.
	jq -r --slurpfile got body 'to_entries[] | .key as $kind | .value[] | .name as $name |
		($got[0][$kind][] | select(.name == $name)) as $shown | del(.version) | paths(type != "object") as $path |
		select($path[-1] != "api_password" and (getpath($path) | tostring) != ($shown | getpath($path) | tostring)) | "\($kind)/\($name) \($path)"' \
		all.json >differ
	same "" "$(cat differ)"
	[ "$(jq 'map(length) | add' body)" -gt 70 ]
	cp body before
	v2 200 POST /v2/import -d '{"services": []}'
	v2 200 GET /v2/export
	cmp before body
	v2 400 POST /v2/import -d '{"services": [5]}'
	v2 400 POST /v2/import -d '{}'
}

@test "a cluster lives as Coopr's clients have it: made, looked at, changed, prolonged and deleted" {
	v2 200 POST /v2/clusters -d '{"name": "kv", "clusterTemplate": "lamp", "numMachines": 4, "initialLeaseDuration": 86400000,
		"dnsSuffix": ".dev.example.net", "config": {"php": {"memory": "64M"}}, "providerFields": {}}'
	id=$(body .id)
	same 00000001 "$id"
	v2 200 GET "/v2/clusters/$id/status"
	same '["00000001","pending","cluster_create","running",41,0]' "$(body '[.clusterid, .status, .action, .actionstatus, .stepstotal, .stepscompleted]')"
	v2 200 GET '/v2/clusters?status=pending,nonsense'
	same '[["00000001","kv","lamp","dummy",86400000,"running"]]' "$(body '[.[] | [.id, .name, .clusterTemplate.name, .provider.name,
		.expireTime - .createTime, .progress.actionstatus]]')"
	v2 200 GET '/v2/clusters?status=active'
	same '[]' "$(body .)"
	v2 200 POST /v2/getClusterStatuses
	same '[["00000001","pending","cluster_create","running",41]]' "$(body '[.[] | [.clusterid, .status, .action, .actionstatus, .stepstotal]]')"
	v2 409 POST "/v2/clusters/$id/services/stop"
	coopr-work --drain
	v2 200 GET "/v2/clusters/$id"
	same '["active","00000001-001",["apache","haproxy","memcached","mod-php","mysql"],{"php":{"memory":"64M"}},"lamp","dummy",4]' \
		"$(body '[.status, .latestJobId, .services, .config, .clusterTemplate.name, .provider.providertype, (.nodes | length)]')"
	same "[\"$user\",\"default\",{\"initial\":0,\"max\":0,\"step\":0}]" "$(body '[.account.userId, .account.tenantId, .clusterTemplate.administration.leaseduration]')"
	same '{"action":"cluster_create","actionstatus":"complete","stepscompleted":41,"stepstotal":41}' "$(body .progress)"
	same '["kv1-1000.dev.example.net",1000,["dummy"],["memcached","mysql"],"complete","CREATE"]' "$(body '.nodes[0] |
		[.properties.hostname, .properties.nodenum, .properties.automators, [.services[].name], .actions[0].status, .actions[0].action]')"
	same '["install","start"]' "$(body '.nodes[0].services[] | select(.name == "mysql").provisioner.actions | [keys[] | select(. == "install" or . == "start")]')"
	contains "$(body '.links[0].url')" http://
	v2 200 GET "/v2/clusters/$id/plans/$id-001"
	same '["00000001-001","CLUSTER_CREATE",41,["CREATE",4]]' "$(body '[.id, .action, (.stages | flatten | length), [.stages[0][0].taskName, (.stages[0] | length)]]')"
	same true "$(body '.currentStage == (.stages | length)')"
	v2 400 GET "/v2/clusters/$id/plans/00000002-001"
	v2 404 GET "/v2/clusters/$id/plans/$id-009"
	v2 200 PUT "/v2/clusters/$id/config" -d '{"config": {"php": {"memory": "128M"}}, "restart": false}'
	coopr-work --drain
	v2 200 GET "/v2/clusters/$id/config"
	same '{"php":{"memory":"128M"}}' "$(body .)"
	v2 200 GET "/v2/clusters/$id/services"
	same '["apache","haproxy","memcached","mod-php","mysql"]' "$(body .)"
	v2 200 POST "/v2/clusters/$id/services/mysql/restart"
	v2 200 POST "/v2/clusters/$id/pause"
	v2 200 POST "/v2/clusters/$id/pause"
	v2 200 GET "/v2/clusters/$id/status"
	same '["restart_services","paused"]' "$(body '[.action, .actionstatus]')"
	v2 200 POST "/v2/clusters/$id/resume"
	v2 200 POST "/v2/clusters/$id/abort"
	v2 200 POST "/v2/clusters/$id/abort"
	coopr-work --drain
	v2 404 POST "/v2/clusters/$id/services/zz/start"
	v2 409 POST "/v2/clusters/$id/services" -d '{"services": ["mysql"]}'
	v2 400 POST "/v2/clusters/$id/services" -d '{"services": "mysql"}'
	v2 200 POST "/v2/clusters/$id" -d "{\"expireTime\": $((($(date +%s) + 1000000) * 1000))}"
	v2 400 POST "/v2/clusters/$id" -d '{"expireTime": "tomorrow"}'
	v2 200 GET "/v2/nodes/$id-1000"
	same "$id" "$(body .clusterId)"
	v2 403 DELETE "/v2/nodes/$id-1000"
	v2 200 POST /v2/getNodeProperties -d "{\"clusterId\": \"$id\", \"services\": [\"mysql\"], \"properties\": [\"nodenum\"]}"
	same '{"00000001-1000":{"nodenum":1000}}' "$(body .)"
	v2 200 DELETE "/v2/clusters/$id"
	coopr-work --drain
	v2 200 GET "/v2/clusters/$id"
	same '["terminated",[]]' "$(body '[.status, .nodes]')"
	v2 200 DELETE "/v2/clusters/$id"
	v2 200 GET "/v2/clusters/$id/plans"
	same '["CLUSTER_CREATE","CLUSTER_CONFIGURE_WITH_RESTART","RESTART_SERVICES","CLUSTER_DELETE"]' "$(body '[.[].action]')"
}

@test "a cluster that cannot be is refused at once, with the reason" {
	v2 409 POST /v2/clusters -d '{"name": "big", "clusterTemplate": "lamp", "numMachines": 400}'
	contains "$(cat body)" "no layout satisfies the request"
	v2 404 POST /v2/clusters -d '{"name": "kv", "clusterTemplate": "zz", "numMachines": 4}'
	v2 404 POST /v2/clusters -d '{"name": "kv", "clusterTemplate": "lamp", "numMachines": 4, "provider": "zz"}'
	v2 400 POST /v2/clusters -d '{"name": "kv", "clusterTemplate": "lamp"}'
	v2 400 POST /v2/clusters -d '{"name": "kv", "numMachines": 4}'
	v2 400 POST /v2/clusters -d '{"clusterTemplate": "lamp", "numMachines": 4}'
	v2 400 POST /v2/clusters -d '{"name": "kv", "clusterTemplate": "lamp", "numMachines": 4, "initialLeaseDuration": -5}'
	v2 200 GET /v2/clusters
	same '[]' "$(body .)"
}

@test "resources are uploaded, staged, made active, recalled and deleted; a plugin is described" {
	printf '#!/bin/sh\necho hi\n' >web.sh
	of=/v2/plugins/automatortypes/shell/scripts
	v2 200 POST $of/web.sh --data-binary @web.sh
	same '{"name":"web.sh","status":"inactive","version":1}' "$(jq -cS . body)"
	v2 200 GET "$of/?status=INACTIVE"
	same '{"web.sh":[{"name":"web.sh","status":"inactive","version":1}]}' "$(jq -cS . body)"
	v2 200 POST $of/web.sh/versions/1/stage
	v2 200 POST /v2/plugins/sync
	v2 200 GET $of/web.sh
	same '["active"]' "$(body 'map(.status)')"
	v2 409 DELETE $of/web.sh
	v2 200 POST $of/web.sh/versions/1/recall
	v2 200 POST /v2/plugins/sync
	v2 200 DELETE $of/web.sh/versions/1
	v2 200 GET $of
	same '{}' "$(body .)"
	v2 404 POST $of/web.sh/versions/9/stage
	# More than documents may have, as it comes.
	head -c 20000000 /dev/urandom >big
	v2 200 POST /v2/plugins/automatortypes/shell/files/big --data-binary @big -H 'Transfer-Encoding: chunked'
	same '["big",1]' "$(body '[.name, .version]')"
	coopr-resource get automatortypes/shell/files/big@1 | cmp big -
	v2 200 GET /v2/plugins/automatortypes/shell
	same '["shell","text",[["script"]],"0755"]' "$(body '[.name, .parameters.admin.fields.script.type, .parameters.admin.required, .resourceTypes.scripts.permissions]')"
	v2 200 GET /v2/plugins/providertypes
	contains "$(body 'map(.name) | join(" ")')" "dummy"
	v2 404 GET /v2/plugins/providertypes/shell
	v2 403 DELETE /v2/plugins/automatortypes/shell
}

@test "tenants have Coopr's limits, and figures Coopr's shapes" {
	v2 200 POST /v2/tenants -d '{"tenant": {"name": "qa", "description": "tests", "workers": 8, "maxClusters": 20, "maxNodes": 100}, "bootstrap": true}'
	v2 409 POST /v2/tenants -d '{"tenant": {"name": "qa"}}'
	v2 400 POST /v2/tenants -d '{"name": "qa"}'
	v2 200 PUT /v2/tenants/qa -d '{"tenant": {"name": "qa", "maxNodes": 50}}'
	v2 400 PUT /v2/tenants/qa -d '{"tenant": {"name": "other"}}'
	v2 200 GET /v2/tenants/qa
	same '{"description":"tests","maxClusters":2147483647,"maxNodes":50,"name":"qa","workers":0}' "$(jq -cS . body)"
	v2 200 GET /v2/tenants
	same '["default","qa","superadmin"]' "$(body 'map(.name)')"
	v2 200 DELETE /v2/tenants/qa
	v2 404 GET /v2/tenants/qa
	v2 200 POST /v2/clusters -d '{"name": "kv", "clusterTemplate": "lamp", "numMachines": 4}'
	v2 200 GET /v2/metrics/queues
	same '{"default":{"inProgress":0,"queued":41,"total":41}}' "$(jq -cS . body)"
	coopr-work --drain
	v2 200 GET "/v2/metrics/nodes/usage?groupby=day&timeunit=DAYS&start=$(($(date +%s) - 90000))"
	same '[true,true]' "$(body '[(.data | length >= 2), all(.data[]; .value == 0 and (.time | type) == "number")]')"
	v2 400 GET '/v2/metrics/nodes/usage?groupby=eon'
	v2 400 GET '/v2/metrics/nodes/usage?timeunit=eon'
	v2 404 GET '/v2/metrics/nodes/usage?tenant=nope'
}

@test "a profile is an object of a user in a tenant, and goes with the member" {
	coopr-tenant create -y qa
	for user in ann bob; do
		coopr-member set -y -T qa "$user" --role user
	done
	user=ann tenant=qa
	v2 404 GET /v2/profile
	v2 200 PUT /v2/profile -d '{"skin": "dark", "of": {"it": [1]}}'
	v2 200 GET /v2/profile
	same '{"of":{"it":[1]},"skin":"dark"}' "$(cat body)"
	v2 400 PUT /v2/profile -d '[]'
	v2 400 PUT /v2/profile -d "{\"much\": \"$(head -c 70000 /dev/zero | tr '\0' x)\"}"
	v2 200 PUT /v2/profile -d '{"skin": "light"}'
	same '{"skin":"light"}' "$(v2 200 GET /v2/profile && cat body)"
	user=bob v2 404 GET /v2/profile
	tenant=default v2 404 GET /v2/profile
	v2 200 DELETE /v2/profile
	v2 200 DELETE /v2/profile
	v2 404 GET /v2/profile
	v2 200 PUT /v2/profile -d '{"skin": "light"}'
	coopr-member delete -y -T qa ann
	coopr-member set -y -T qa ann --role user
	v2 404 GET /v2/profile
	same 'put profile ann' "$(coopr-audit -A -o json | jq -r 'select(.object == "profile ann") | "\(.action) \(.object)"' | head -n 1)"
}

@test "a template that is sent is merged with what it extends and includes" {
	v2 200 POST /v2/partialtemplates -d '{"name": "ntp", "immutable": true, "defaults": {"config": {"ntp": {"server": "10.0.0.1"}}}}'
	v2 200 POST /v2/resolve -d '{"name": "mine", "extends": {"name": "lamp"}, "includes": [{"name": "ntp"}], "defaults": {"provider": "static"}}'
	same '["mine","static","10.0.0.1",true]' "$(body '[.name, .defaults.provider, .defaults.config.ntp.server, (.defaults.services | contains(["mysql"]))]')"
	v2 404 POST /v2/resolve -d '{"name": "mine", "includes": [{"name": "nope"}]}'
	v2 400 POST /v2/resolve -d '{"name": "mine", "includes": [{"name": "ntp"}], "defaults": {"config": {"ntp": 4}}}'
	v2 400 POST /v2/resolve -d '{"name": 7}'
}

# Asks by TCP: by_tcp STATUS USER TENANT KEY METHOD PATH [CURL-ARGUMENT...]
by_tcp() {
	status=$(curl -s -o body -w '%{http_code}' -X "$5" -H "Coopr-UserID: $2" -H "Coopr-TenantID: $3" -H "Coopr-ApiKey: $4" "${@:7}" \
		"$(sed -n 's|.*serving on http://|http://|p' serve.log)$6")
	same "$1" "$status" || {
		cat body
		return 1
	}
}

@test "elsewhere than on the machine a key is a token; a proxy that is named is believed, and no other who names a user" {
	serve_end
	coopr-tenant create -y qa
	coopr-member set -y -T qa ann --role user
	coopr-member set -y -T qa admin --role admin
	coopr-user add -r superadmin zoe
	coopr-user add ann
	coopr-user add admin
	ann=$(coopr-token create --as ann -T qa -o json one | jq -r .token)
	serve --listen 127.0.0.1:0
	by_tcp 401 ann qa "" GET /v2/services
	by_tcp 401 ann qa coopr_rubbish GET /v2/services
	by_tcp 200 ann qa "$ann" GET /v2/services
	by_tcp 401 admin qa "$ann" GET /v2/services
	by_tcp 404 ann default "$ann" GET /v2/services
	by_tcp 403 ann qa "$ann" POST /v2/services -d '{"name": "db"}'
	by_tcp 403 ann qa "$ann" PUT /v2/services/db -d '{"name": "db"}'
	by_tcp 403 ann qa "$ann" POST /v2/import -d '{"services": [{"name": "db"}]}'
	by_tcp 403 ann qa "$ann" POST /v2/plugins/automatortypes/shell/scripts/x -d x
	by_tcp 403 ann qa "$ann" POST /v2/tenants -d '{"tenant": {"name": "mine"}}'
	by_tcp 403 ann qa "$ann" PUT /v2/tenants/qa -d '{"tenant": {"name": "qa"}}'
	coopr-create -yq --detach -t lamp -P dummy theirs
	by_tcp 404 ann qa "$ann" GET /v2/clusters/00000001
	by_tcp 404 ann qa "$ann" DELETE /v2/clusters/00000001
	by_tcp 404 ann qa "$ann" POST /v2/clusters/00000001/abort
	serve_end
	serve --listen 127.0.0.1:0 --proxy 127.0.0.1 --proxy-header Coopr-UserID
	by_tcp 200 ann qa 123456789abcdef GET /v2/services
	by_tcp 403 ann qa 123456789abcdef POST /v2/services -d '{"name": "db"}'
	by_tcp 200 admin qa 123456789abcdef POST /v2/services -d '{"name": "db"}'
	by_tcp 401 root qa 123456789abcdef GET /v2/services
}
