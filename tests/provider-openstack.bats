#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-clouds(7), on a fake of OpenStack that its own clients accept; tests/cloud/openstack.bats has the same of a real one.

load case
load provider
load cloud

CREATE='POST /compute/v2.1/servers' LIST='GET /compute/v2.1/servers/detail' DELETE='DELETE /compute/v2.1/servers' IMAGE=debian-12 UNREACHABLE=yes

setup() {
	need_program python3
	fresh
	fake_start openstack
	provider '{}'
}

teardown() {
	cloud_end
}

provider() {
	PROVIDER=$(jq -cn --arg url "$FAKE/identity/v3" --argjson more "$1" '{name: "lab-os", providertype: "openstack",
		provisioner: ({api_user: "svc", api_password: "secret-token", openstack_tenant: "dev", openstack_auth_url: $url, ssh_keypair: "ops",
		requests_per_second: 1000, consistency_s: 0.3, poll_s: 0.1} + $more)}')
}

# What the request for the only server had: asked FILTER.
asked() {
	curl -sS -f "$FAKE/_machines" | jq -cS ".[0].asked | $1"
}

# How many floating addresses there are.
addresses() {
	curl -sS -f -H 'X-Auth-Token: test-admin' "$FAKE/network/v2.0/floatingips" | jq '.floatingips | length'
}

@test "keeps the contract of providers, but for confirm, which needs a machine that answers" {
	keeps_the_contract
	same 0 "$(machines)"
}

@test "a list that is answered with what is none of the cloud's is asked for again, as one whose answer was lost" {
	cloud_asks_again
}

# Each request of a life goes wrong in one of these ways; tests/cloud/openstack.bats has all of them.
@test "a server and its address are made once and forgotten never, whatever goes wrong with a request" {
	local request number=0 faults=('"do":"lost"' '"do":"status","status":503' '"do":"truncate"' '"do":"drop","count":2' '"do":"rubbish"')

	provider '{"floating_ip":"true"}'
	fake_set '{"active_ms":200}'
	for request in "$CREATE" 'POST /network/v2.0/floatingips' "$LIST" 'POST /identity' "$DELETE" 'DELETE /network/v2.0/floatingips' "$CREATE" \
		'POST /network/v2.0/floatingips'; do
		echo "# $request: ${faults[number % 5]}"
		create_through "{\"match\":\"$request\",${faults[number++ % 5]}}"
		same '0 1' "$(member .status) $(addresses)"
		same '127.200 127.0' "$(member '.ipaddresses | [.access_v4, .bind_v4] | map(split(".")[:2] | join(".")) | join(" ")')"
		exactly_one_and_none
		same 0 "$(addresses)"
	done
}

@test "killed at any request, create run again makes no second machine and no second address, and delete leaves none" {
	provider '{"floating_ip":true}'
	cloud_survives_kills 11
	same 0 "$(addresses)"
}

@test "where there is no room, which the server tells, the node's choices are tried in their order by one task" {
	cloud_finds_room nova az2 12
}

@test "where a machine was lost before it was complete, the one that is made in its place has the only floating address" {
	provider '{"floating_ip":true}'
	do_task create 1000
	same '0 1' "$(member .status) $(addresses)"
	curl -sS -f -X DELETE "$FAKE/_machines/$(curl -sS -f "$FAKE/_machines" | jq -r '.[0].id')"
	do_task create 1000
	same '0 1 1' "$(member .status) $(machines) $(addresses)"
}

@test "the address of a server that somebody else has deleted is released with its node" {
	provider '{"floating_ip":true}'
	do_task create 1000
	curl -sS -f -X DELETE -H 'X-Auth-Token: test-admin' "$FAKE/compute/v2.1/servers/$(member .result.providerid)"
	same '0 1' "$(machines) $(addresses)"
	do_task delete 1000
	same 0 "$(addresses)"
}

@test "a machine that appears late in the list is waited for, and not made twice" {
	cloud_waits_for_the_late
}

@test "delete is done when the server is gone, and not when it is to go" {
	fake_set '{"delete_ms":700}'
	do_task create 1000
	do_task delete 1000
	same 0 "$(member .status)"
	same '0 1' "$(machines) $(requests "$DELETE")"
	do_task create 1000
	fake_set '{"locked":true}'
	do_task delete 1000
	fails_as 75 "409 Instance $(curl -sS "$FAKE/_machines" | jq -r '.[0].id') is locked"
	# Nova ends a server that it is building when that is done: until then it may still run.
	fake_set '{"locked":false,"active_ms":60000}'
	killed_at 'POST /compute/v2.1/servers' do_task create 1001
	do_task delete 1001
	same '0 1' "$(member .status) $(machines)"
}

@test "what the cloud refuses is told in its words, with its class" {
	provider '{"api_password":"wrong"}'
	do_task create 1000
	fails_as '77 permanent' "POST /identity/v3/auth/tokens: 401 The request you have made requires authentication."
	provider '{"availability_zone":"moon"}'
	do_task create 1000
	fails_as '78 permanent' "400 The requested availability zone is not available"
	provider '{"security_groups":"moon"}'
	do_task create 1000
	fails_as '78 permanent' "Unable to find security_group with name or id 'moon'"
	provider '{}'
	fake_set '{"capacity":1}'
	do_task create 1000
	same 0 "$(member .status)"
	do_task create 1001
	fails_as '78 quota' "403 Quota exceeded for instances: Requested 1, but already used 1 of 1 instances"
	same 1 "$(machines)"
}

@test "a server that Nova finds no host for is deleted, and its fault is told: there is no capacity" {
	fake_set '{"full":[["nova","large"]],"active_ms":300,"fault_ms":400}'
	do_task create 1000
	fails_as '75 capacity' "No valid host was found. There are not enough hosts available.; it was deleted"
	same 0 "$(machines)"
	same "" "$(find state -path '*00000042-1000*')"
	provider '{"availability_zone":"az2"}'
	do_task create 1000
	same '0 az2' "$(member .status) $(member .result.zone)"
}

@test "addresses that are used up are quota; the server stays on record, and delete leaves nothing" {
	provider '{"floating_ip":true}'
	fake_set '{"addresses":1}'
	do_task create 1000
	do_task create 1001
	fails_as '78 quota' "Quota exceeded for resources: ['floatingip']."
	same 2 "$(list | wc -l)"
	do_task delete 1001
	same '1 1' "$(machines) $(addresses)"
}

@test "flavors, images and networks are called by name or id, and what is not there or is there twice is told" {
	fake_set '{"networks":["backend"]}'
	do_task create 1000
	fails_as 78 "Multiple possible networks found"
	provider '{"network_ids":"backend, 11111111-0000-4000-8000-000000000001","security_groups":["web","default"],"config_drive":"true"}'
	do_task create 1000
	same 0 "$(member .status)"
	same '["71893ec7-b625-44a5-b333-ca19885b941d","4",[{"uuid":"11111111-0000-4000-8000-100000000000"},{"uuid":"11111111-0000-4000-8000-000000000001"}],[{"name":"web"},{"name":"default"}],true,"ops"]' \
		"$(asked '[.imageRef, .flavorRef, .networks, .security_groups, .config_drive, .key_name]')"
	# backend stands first: it is the network between machines.
	same '127.0.0.1 127.0.0.1' "$(member .ipaddresses.access_v4) $(member .ipaddresses.bind_v4)"
	do_task create 1001 '{"flavor":"2","image":"71893ec7-b625-44a5-b333-ca19885b941d"}'
	same 0 "$(member .status)"
	do_task create 1002 '{"image":"twice"}'
	fails_as 78 "2 things are each a image called twice (give the id)"
	do_task create 1002 '{"image":"debian-13"}'
	contains "$(member .message)" "the cloud has no image debian-13"
	do_task create 1002 '{"flavor":"huge"}'
	fails_as 78 "the cloud has no flavor huge"
	provider '{"network_ids":"moon"}'
	do_task create 1002
	contains "$(member .message)" "the cloud has no network moon"
	same 2 "$(machines)"
}

@test "a token that has ended is drawn anew, once for all" {
	do_task create 999
	tasks_for 1000 1019 >tasks
	fake_set '{"active_ms":500}'
	(head -n 10 tasks && sleep 1 && fake_set '{"expire":true}' && tail -n 10 tasks) | plugin stream >results
	same 20 "$(jq -s 'map(select(.status == 0)) | length' results)"
	same 21 "$(machines)"
	# By the task above, by the stream at its start, and by it again.
	same 3 "$(requests 'POST /identity')"
}

@test "Coopr's own document works: version 2.0 of Keystone where there is one, else version 3 at the same place" {
	need_shared data/coopr-templates
	PROVIDER=$(jq -c --arg url "$FAKE/identity/v2.0/tokens" '.provisioner += {api_user: "svc", api_password: "secret-token", openstack_tenant: "dev",
		openstack_auth_url: $url, ssh_keypair: "ops", floating_ip: "", network_ids: "", security_groups: "default", openstack_ssl_verify_peer: "",
		availability_zone: "", user_data_resource: "", poll_s: 0.1}' "$SHARED/data/coopr-templates/providers/openstack.json")
	do_task create 1000
	same 0 "$(member .status)"
	same '1 1' "$(requests 'POST /identity/v2.0') $(requests 'POST /identity/v3')"
	fake_set '{"two":true,"three":false}'
	do_task delete 1000
	same 0 "$(member .status)"
	same 0 "$(machines)"
}

@test "an application credential, a region and an interface of the catalogue are taken" {
	provider '{"api_user":"","api_password":"","openstack_tenant":"","application_credential_id":"c0ffee00c0ffee00c0ffee00c0ffee00",
		"application_credential_secret":"secret-token","openstack_region":"regiontwo","openstack_interface":"internal"}'
	do_task create 1000
	same 0 "$(member .status)"
	provider '{"openstack_region":"Mars"}'
	do_task create 1001
	fails_as 78 "the catalogue has no service of type compute in region Mars"
	provider '{"api_user":"","openstack_interface":"private"}'
	do_task create 1001
	fails_as 78 "/api_user: is required"
	contains "$(member .message)" "/openstack_interface: expected public, internal or admin"
}

@test "a cloud that knows only one version of Nova's API is asked by that" {
	fake_set '{"old":true}'
	keeps_the_contract
}

@test "a list in which Nova cannot see a part of the cloud is none" {
	do_task create 1000
	fake_fault '{"match":"GET /compute/v2.1/servers/detail","do":"status","status":200,"body":"{\"servers\":[{\"id\":\"x1\",\"status\":\"UNKNOWN\",\"tenant_id\":\"p1\"}]}"}'
	do_task create 1001
	fails_as 75 "a part of the cloud does not answer, which has server x1"
	same 1 "$(machines)"
}

@test "the host keys that a server prints on its console are those that it has to show" {
	need_root
	need_program unshare
	[ -x /usr/sbin/sshd ] || skip "sshd is not installed"
	cat >confirm.sh <<-'END'
		set -eu
		ip link set lo up
		trap 'exec 9>&-; kill "$SSHD"; wait' EXIT
		ssh-keygen -q -t ed25519 -N '' -C '' -f hostkey
		[ -d /run/sshd ] || mount -t tmpfs none /run && mkdir -p /run/sshd
		/usr/sbin/sshd -D -e -f /dev/null -h "$PWD/hostkey" -o ListenAddress=0.0.0.0:22 -o PidFile=none 2>sshd.log 3>&- &
		SSHD=$!
		. "$COOPR_ROOT/tests/provider.bash"
		. "$COOPR_ROOT/tests/cloud.bash"
		rm -f fake.*
		fake_start openstack
		PROVIDER=$(jq -c --arg url "$FAKE/identity" '.provisioner.openstack_auth_url = $url' provider.json)
		IMAGE=debian-12
		do_task create 1000
		facts >known
		for key in "$(cat hostkey.pub)" "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPv root@x"; do
			jq -n --arg key "$key" '{console: "ci-info: x\n-----BEGIN SSH HOST KEY KEYS-----\n\($key)\n-----END SSH HOST KEY KEYS-----\n"}' >console
			fake_set "$(cat console)"
			do_task confirm 1000 "$(cat known)"
			jq -r '"\(.status) \(.result.ssh_host_keys.ed25519) \(.message)"' result.json >>told
		done
	END
	fake_end
	echo "$PROVIDER" >provider.json
	unshare -n -m bash confirm.sh 3>&-
	contains "$(head -n 1 told)" "0 $(cut -d ' ' -f 1,2 hostkey.pub)"
	contains "$(tail -n 1 told)" "77 null"
	contains "$(tail -n 1 told)" "shows a host key that is none of the 1 which the machine has reported to lab-os"
}

@test "test tries credentials, quota, zones, flavors, images and networks, and makes nothing" {
	provider '{"network_ids":"lan","security_groups":"web","floating_ip":true,"availability_zone":"az2"}'
	ask test '{"zones":["nova"],"flavors":["large","2"],"images":["debian-12","71893ec7-b625-44a5-b333-ca19885b941d"]}' >checks
	same 'ok credentials svc of project dev
ok quota 0 servers, without a limit
ok zone nova: available
ok flavor large: available
ok flavor 2: available
ok image debian-12: available
ok image 71893ec7-b625-44a5-b333-ca19885b941d: available
ok network network lan, group web, external network ext, key ops' "$(jq -r '"\(.status) \(.name) \(.text)"' checks)"
	ask flavors >flavors
	same '{"capacity":{"cpu":4,"disk":80,"memory":8192},"flavor":"large","kind":"flavor"}' "$(grep large flavors)"
	same 0 "$(requests '^(POST /compute|PUT|DELETE)')"
}

@test "the password is in no log, no message, no argument and no state; nor is the token" {
	cloud_tells_no secret-token gAAAA
}

@test "list pages through thousands, and shows only what this installation owns" {
	cloud_lists_many 2450 '.metadata["coopr-installation"]'
}

@test "of machines that were made twice, because an answer was lost, the oldest stays, and the others go before it is handed out" {
	cloud_drops_twins
}

@test "a hundred creations share one process, the lists, the token, and what names stand for" {
	cloud_makes_many 'GET /(image|compute/v2.1/flavors)'
	same 2 "$(requests 'POST /identity')"
}

@test "volumes are made once, attached to one machine at a time, never taken from one that may write, copied and deleted" {
	fake_set '{"active_ms":200}'
	cloud_has_volumes
}

@test "a zone that Cinder does not know is not asked for" {
	provider '{"availability_zone":"az2"}'
	do_task create 1000
	volume_task attach 1000 "$DATA"
	same 0 "$(member .status)"
	same '["nova","nova"]' "$(ask volumes | jq -c .zone | paste -sd , | sed 's/.*/[&]/')"
}

@test "a document of the provider is in the user data, and ours behind it" {
	cloud_gives_documents .user_data
}
