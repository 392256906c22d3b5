#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# The address at which coopr-serve(1) answers provisioners of Coopr, coopr-provisioners(7).

load case
load serve
load provisioner

setup() {
	fresh
	need_program curl
	need_program python3
	cloud_store
	provider=
}

teardown() {
	provisioner_end
	serve_end
}

# Serves provisioners at $address; the token of one for the tenant default is $token.
serve_provisioners() {
	token=$(coopr-token create --provisioner default rack)
	serve --provisioners 127.0.0.1:0
	address=$(sed -n 's|.*serving provisioners on http://||p' serve.log)
}

# Starts one that does tasks; it is told of its tenant before this returns.
provisioner() {
	python3 "$BATS_TEST_DIRNAME/serve-provisioner.py" "http://coopr:$token@$address" p1 default 5 3>&- &
	provider=$!
	appears told/default
}

provisioner_end() {
	[ -n "${provider-}" ] || return 0
	kill "$provider"
	wait "$provider" || true
	provider=
}

# Waits for a file.
appears() {
	for _ in $(seq 600); do
		[ ! -e "$1" ] || return 0
		sleep 0.1
	done
	ls -R .
	return 1
}

# Asks with a token: asks STATUS METHOD PATH [CURL-ARGUMENT...]
asks() {
	status=$(curl -sS -o body -w '%{http_code}' -u "coopr:$token" -X "$2" "${@:4}" "http://$address$3") || return 1
	[ "$status" = "$1" ] || {
		echo "$2 $3: $status"
		cat body
		return 1
	}
}

routes() {
	sed -nE 's/^\t\{"([A-Z]*)", "([^"]*)".*/\1 \2/p' "$COOPR_ROOT/lib/web/provisioner-routes.c"
}

@test "the page has every route, and no other" {
	routes | sort >have
	[ "$(wc -l <have)" -gt 7 ]
	sed -n '/^\.Ss Routes/,/^\.El/s/^\.It \([A-Z]*\) Pa /\1 /p' "$COOPR_ROOT/man/man7/coopr-provisioners.7" | sort | diff have -
}

@test "a provisioner is told of its tenants when it registers, and its workers do the tasks of a cluster" {
	serve_provisioners
	provisioner
	same '[5,{"automatortypes":{},"providertypes":{}}]' "$(jq -c '[.workers, .resources]' told/default)"
	coopr-create -y --detach -t t -n 2 shop >job
	coopr-queue wait -q --timeout 100 "$(cat job)"
	same 10 "$(find tasks -type f | wc -l)"
	same 10 "$(jq -r .config.provider.provisioner.api_password tasks/* | grep -c -x s3cretpw)"
	coopr-queue show --layout "$(cat job)" | jq -r 'select(.kind == "node") | [.facts.providerid, .ipaddresses.bind_v4] | join(" ")' >facts
	same "$(printf '%s\n' 'i-00000001-1000 10.0.0.4' 'i-00000001-1001 10.0.0.4')" "$(cat facts)"
	! grep -r s3cretpw spool state serve.log || false
	# Host keys are as each side has them.
	key=AAAAB3NzaC1yc2EAAAADAQAB
	same "ssh-rsa $key" "$(coopr-queue show --layout "$(cat job)" | jq -r 'select(.kind == "node") | .facts.ssh_host_keys.rsa' | sort -u)"
	coopr-list >/dev/null
	same 2 "$(coopr-ssh-config shop | grep -c '^Host ')"
	same 6 "$(jq -r '.config.ssh_host_keys.rsa' tasks/* | grep -c -x "$key")"
	# It is where it comes from, whatever it says.
	for _ in $(seq 600); do
		ask GET /v2/provisioners -H "Coopr-UserID: $(id -un)" -H 'Coopr-TenantID: superadmin'
		[ "$(jq -c '.[0].usage' body)" != '{"default":2}' ] || break
		sleep 0.1
	done
	same '["200","p1","127.0.0.1",5,0,{"default":5},{"default":2}]' \
		"$(jq -c --arg status "$status" '.[0] | [$status, .id, .host, .capacityTotal, .capacityFree, .assignments, .usage]' body)"
	provisioner_end
	answers 404 GET /v2/provisioners/p1 -H "Coopr-UserID: $(id -un)" -H 'Coopr-TenantID: superadmin'
}

@test "an operation on a cluster of a provisioner whose services have actions that nobody would do is refused at once" {
	serve_provisioners
	asks 200 PUT /v2/provisioners/p1 -d '{"port": 55056, "capacityTotal": 1}'
	asks 200 PUT /v2/plugins/providertypes/vcloud -d '{"name": "vcloud"}'
	for action in status reload backup; do
		jq --arg action "$action" '.provisioner.actions[$action] = .provisioner.actions.start' mine/services/web.json >web.json
		coopr-store put -yq -k service web.json
		run -69 coopr-create -y --detach -t t -n 1 "shop-$action"
		contains "$output" "/definitions/0/provisioner/actions/$action: no provisioner of Coopr does this action, and the automator chef-zero is not installed here; remove"
	done
	jq '.provisioner.actions.status = {type: "dummy", fields: {}}' mine/services/web.json >web.json
	coopr-store put -yq -k service web.json
	coopr-create -y --detach -t t -n 1 shop >job
	same 1 "$(coopr-list -o json | wc -l)"
}

@test "a plugin that is installed here comes before one of the same name that a provisioner has" {
	serve_provisioners
	asks 200 PUT /v2/provisioners/p2 -d '{"port":2222,"capacityTotal":1,"host":"x"}'
	asks 200 PUT /v2/plugins/providertypes/dummy -d '{"name":"dummy","parameters":{}}'
	asks 200 PUT /v2/plugins/providertypes/moon -d '{"name":"moon","parameters":{}}'
	jq -n '{name: "ours", providertype: "dummy", provisioner: {}}' | coopr-store put -q -k provider -
	jq -n '{name: "theirs", providertype: "moon", provisioner: {}}' | coopr-store put -q -k provider -
	for name in ours theirs; do
		jq -cn --arg name "$name" --arg id "$([ $name = ours ] && echo 00000077 || echo 00000078)" '
			{kind: "job", id: null, cluster: $id, tenant: "default", action: "cluster_create", tasks: 1, critical_path_s: 1},
			{kind: "cluster", id: $id, name: $name, tenant: "default", services: [], config: {}, definitions: [], provider: {name: $name, providertype: "x", provisioner: {}}},
			{kind: "node", id: "\($id)-1000", nodenum: 1000, hostname: "n.example.net", services: [], was: null},
			{kind: "task", id: "t1", node: "\($id)-1000", action: "create", service: null, type: "x", fields: {}, timeout_s: 60, retries: 0, expect_s: 1, rank: 1, after: []}' |
			coopr-queue put
	done
	asks 200 POST /v2/tasks/take -d '{"provisionerId":"p2","workerId":"w1","tenantId":"default"}'
	contains "$(cat body)" theirs
	asks 204 POST /v2/tasks/take -d '{"provisionerId":"p2","workerId":"w2","tenantId":"default"}'
}

@test "a provisioner is told anew when its resources change, and the types of its plugins may be uploaded" {
	serve_provisioners
	provisioner
	echo '{"name": "web"}' >web.json
	coopr-resource upload --sync -q automator/chef-zero/roles/web.json web.json
	run -64 coopr-resource upload --format file automator/chef-zero/cookbooks/web web.json
	user=$(id -un) tenant=default
	v2 200 GET /v2/plugins/automatortypes/chef-zero
	same '["chef-zero",1,["cookbooks","roles"]]' "$(body '[.name, .version, (.resourceTypes | keys)]')"
	v2 200 GET /v2/plugins/providertypes
	same '["dummy","vcloud"]' "$(body 'map(.name) - ["aws", "digitalocean", "ec2", "google", "joyent", "opennebula", "openstack", "rackspace", "libvirt", "lxd", "podman", "sandbox", "static"] | sort')"
	v2 200 GET /v2/plugins/automatortypes/chef-zero/roles
	same '["web.json"]' "$(body keys)"
	v2 200 GET /v2/plugins/automatortypes/chef-zero/cookbooks
	same '{}' "$(cat body)"
	v2 404 GET /v2/plugins/providertypes/chef-zero
	tenant=nowhere v2 404 GET /v2/plugins/providertypes
	run -1 coopr-resource upload automator/chef-zero/recipes/web.json web.json
	contains "$output" 'has no resources of type "recipes", but cookbooks, roles'
	appears resources/web.json
	cmp web.json resources/web.json
	same '{"roles":{"active":[{"name":"web.json","version":1}],"format":"file","permissions":"0600"}}' \
		"$(jq -cS '.resources.automatortypes["chef-zero"]' told/default)"
}

@test "each route wants the token of a provisioner, which lets in nowhere else" {
	serve_provisioners
	plain=$(coopr-token create mine)
	[ "$(routes | wc -l)" -gt 7 ]
	while read -r method path; do
		# shellcheck disable=SC2001 # a variable of the path is any word
		path=$(sed 's/{kind}/providertypes/; s/{[a-z]*}/zz/g' <<<"$path")
		asks 405 PATCH "$path"
		[ "$path" != /status ] || continue
		same 401 "$(curl -s -o body -w '%{http_code}' -X "$method" "http://$address$path")"
		token=$plain asks 401 "$method" "$path"
		token=rubbish asks 401 "$method" "$path"
		same 401 "$(curl -s -o body -w '%{http_code}' -H "Authorization: Bearer $plain" -X "$method" "http://$address$path")"
		asks "$(case $method$path in *take | *finish | PUT*) echo 400 ;; DELETE*) echo 200 ;; GET*) echo 403 ;; *) echo 404 ;; esac)" "$method" "$path" -d '[]'
	done < <(routes)
	asks 404 GET /v1/clusters
	asks 404 GET /v2/clusters
	asks 404 GET /
	asks 200 GET /status
	answers 401 GET /v1/clusters -H "Authorization: Bearer $token"
	answers 404 POST /v2/tasks/take -H "Coopr-UserID: $(id -un)" -H 'Coopr-TenantID: superadmin' -d '{}'
}

@test "a provisioner has its tenants, its id and its tasks alone" {
	coopr-tenant create qa
	serve_provisioners
	other=$(coopr-token create --provisioner qa other)
	asks 200 PUT /v2/provisioners/p1 -d '{"port": 9, "capacityTotal": 1}' || same 400 "$status"
	asks 400 PUT /v2/provisioners/p1 -d '{"port": 22, "capacityTotal": 1}'
	asks 400 PUT /v2/provisioners/..%2fp1 -d '{"port": 55056, "capacityTotal": 1}'
	asks 200 PUT /v2/provisioners/p1 -d '{"port": "55056", "capacityTotal": "1"}'
	asks 200 PUT /v2/plugins/providertypes/vcloud -d '{"name": "vcloud"}'
	asks 404 PUT /v2/plugins/others/vcloud -d '{"name": "vcloud"}'
	coopr-create -y --detach -t t -n 1 shop >job
	asks 204 POST /v2/tasks/take -d "$(jq -nc '{provisionerId: "p1", workerId: "h.1", tenantId: "default"}')" || same 200 "$status"
	mv body task
	jq -c '{provisionerId: "p1", workerId: "h.1", tenantId: "default", taskId, status: 0}' task >result
	token=$other asks 403 PUT /v2/provisioners/p1 -d '{"port": 55056, "capacityTotal": 1}'
	token=$other asks 404 POST /v2/provisioners/p1/heartbeat -d '{"usage": {}}'
	token=$other asks 200 DELETE /v2/provisioners/p1
	token=$other asks 403 POST /v2/tasks/take -d '{"provisionerId": "p1", "workerId": "h.1", "tenantId": "default"}'
	token=$other asks 403 POST /v2/tasks/finish -d @result
	asks 403 POST /v2/tasks/take -d '{"provisionerId": "p1", "workerId": "h.2", "tenantId": "qa"}'
	asks 417 POST /v2/tasks/finish -d "$(jq -c '.workerId = "h.2"' result)"
	asks 400 POST /v2/tasks/finish -d "$(jq -c 'del(.status)' result)"
	asks 200 POST /v2/tasks/finish -d @result
	asks 200 POST /v2/tasks/finish -d @result
	asks 417 POST /v2/tasks/finish -d "$(jq -c '.status = 1' result)"
	asks 200 POST /v2/provisioners/p1/heartbeat -d '{"usage": {"default": 1}}'
	# A token that is revoked takes its provisioners with it.
	coopr-token delete -q 1
	asks 401 POST /v2/provisioners/p1/heartbeat -d '{}'
	same '[]' "$("$COOPR_ROOT/libexec/coopr/provisioner" list | tail -1)"
}

@test "a resource is handed out as long as it is the active version of one of the provisioner's tenants" {
	coopr-tenant create qa
	serve_provisioners
	echo one >web.sh
	coopr-resource upload --sync -q --format file automator/shell/scripts/web.sh web.sh
	echo two >web.sh
	coopr-resource upload -q --format file automator/shell/scripts/web.sh web.sh
	asks 200 GET /v2/tenants/default/automatortypes/shell/scripts/web.sh/versions/1
	same one "$(cat body)"
	asks 404 GET /v2/tenants/default/automatortypes/shell/scripts/web.sh/versions/2
	asks 404 GET /v2/tenants/default/automatortypes/shell/scripts/other/versions/1
	mkdir web
	echo three >web/run.sh
	coopr-resource upload --sync -q --format archive automator/shell/scripts/web web
	asks 200 GET /v2/tenants/default/automatortypes/shell/scripts/web/versions/1
	same three "$(tar -xzOf body web/run.sh)"
	asks 403 GET /v2/tenants/qa/automatortypes/shell/scripts/web.sh/versions/1
	asks 403 GET /v2/tenants/nowhere/automatortypes/shell/scripts/web.sh/versions/1
}

@test "with TLS it speaks nothing else, and only there may a token be shown that other machines could read" {
	need_program openssl
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout key -out cert -days 30 -subj /CN=localhost \
		-addext subjectAltName=IP:127.0.0.1 2>/dev/null
	token=$(coopr-token create --provisioner default rack)
	serve --provisioners 127.0.0.1:0 --cert cert --key key
	address=$(sed -n 's|.*serving provisioners on https://||p' serve.log)
	tls() {
		same "$1" "$(curl -sS --cacert cert -o body -w '%{http_code}' -u "coopr:$token" -X "$2" "${@:4}" "https://$address$3")"
	}
	tls 200 PUT /v2/provisioners/p1 -d '{"port": 55056, "capacityTotal": 1}'
	tls 200 PUT /v2/plugins/providertypes/vcloud -d '{"name": "vcloud"}'
	coopr-create -y --detach -t t -n 1 shop >job
	tls 200 POST /v2/tasks/take -d '{"provisionerId": "p1", "workerId": "h.1", "tenantId": "default"}'
	same CREATE "$(jq -r .taskName body)"
	tls 200 POST /v2/tasks/finish -d "$(jq -c '{provisionerId: "p1", workerId: "h.1", tenantId: "default", taskId, status: 0}' body)"
	token=rubbish tls 401 POST /v2/tasks/take -d '{}'
	run curl -sS -u "coopr:$token" "http://$address/status"
	[ "$status" -ne 0 ] || [[ $output != *OK* ]]
	run -60 curl -sS -u "coopr:$token" "https://$address/status"
}

@test "without TLS it is for this machine alone" {
	run -64 coopr-serve --socket "$PWD/socket" --provisioners '*:0'
	contains "$output" "other machines can reach it, and there is no TLS"
}
