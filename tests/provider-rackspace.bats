#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-clouds(7), on a fake of Rackspace's cloud, which is one of OpenStack with an identity service of its own.

load case
load provider
load cloud

CREATE='POST /compute/v2.1/servers' IMAGE=debian-12 UNREACHABLE=yes

setup() {
	need_program python3
	fresh
	fake_start openstack
	fake_set '{"rackspace":true}'
	provider '{}'
}

teardown() {
	cloud_end
}

provider() {
	PROVIDER=$(jq -cn --arg url "$FAKE" --argjson more "$1" '{name: "rackspace", providertype: "rackspace", provisioner: ({api_user: "svc",
		api_password: "secret-token", rackspace_region: "dfw", ssh_keypair: "ops", endpoint: $url, requests_per_second: 1000, consistency_s: 0.3,
		poll_s: 0.1} + $more)}')
}

@test "keeps the contract of providers, but for confirm, which needs a machine that answers" {
	keeps_the_contract
	same 0 "$(machines)"
}

@test "Coopr's own document works: an API key is exchanged, and the servers of its region are asked" {
	need_shared data/coopr-templates
	PROVIDER=$(jq -c --arg url "$FAKE" '.provisioner += {api_user: "svc", api_password: "secret-token", ssh_keypair: "ops", ssh_key_resource: "k",
		rackconnect_wait: "", endpoint: $url, poll_s: 0.1}' "$SHARED/data/coopr-templates/providers/rackspace.json")
	do_task create 1000 '{"flavor":"4","image":"71893ec7-b625-44a5-b333-ca19885b941d"}'
	same 0 "$(member .status)"
	same '127 10' "$(member '.ipaddresses | [.access_v4, .bind_v4] | map(split(".")[0]) | join(" ")')"
	same '{"RAX-KSKEY:apiKeyCredentials":{"apiKey":"secret-token","username":"svc"}}' "$(jq -r 'select(.path == "/v2.0/tokens").body | fromjson | .auth | tojson' fake.log | head -n 1)"
	do_task delete 1000
	same 0 "$(machines)"
}

@test "the key of the cluster is in a file of the server, and in its user data, which it gets by a drive" {
	do_task create 1000
	jq -c '.cluster.key = "ssh-ed25519 AAAA coopr" | .machine.id = "00000042-1001"' task.json | coopr-exec -q >result.json
	same 0 "$(member .status)"
	curl -sS -f "$FAKE/_machines" | jq -c '.[1].asked' >asked
	same 'ssh-ed25519 AAAA coopr' "$(jq -r '.personality[0] | select(.path == "/root/.ssh/authorized_keys").contents | @base64d' asked)"
	same 'true null' "$(jq -r '"\(.config_drive) \(.key_name)"' asked)"
	contains "$(jq -r '.user_data | @base64d' asked)" "ssh-ed25519 AAAA coopr"
}

@test "with rackconnect_wait a server runs when RackConnect has done its work on it" {
	fake_set '{"connect_ms":1000}'
	provider '{"rackconnect_wait":"true"}'
	do_task create 1000
	same 0 "$(member .status)"
	[ "$(requests 'GET /compute/v2.1/servers/detail')" -gt 4 ]
}

@test "a region that is not there, and a key that is wrong, are told" {
	provider '{"rackspace_region":"iad"}'
	do_task create 1000
	fails_as 78 "no service of type compute in region iad"
	provider '{"api_password":"wrong"}'
	do_task create 1000
	fails_as '77 permanent' "POST /v2.0/tokens: 401"
}
