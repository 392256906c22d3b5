#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-clouds(7), on a fake of LXD; tests/cloud/lxd.bats has a real one.

load case
load provider
load cloud

CREATE='POST /1.0/instances$' LIST='GET /1.0/instances' DELETE='DELETE /1.0/instances' IMAGE=node UNREACHABLE=yes

setup() {
	need_program python3
	fresh
	fake_start lxd
	provider '{}'
}

teardown() {
	cloud_end
}

provider() {
	PROVIDER=$(jq -cn --arg endpoint "$FAKE" --argjson more "$1" '{name: "lab", providertype: "lxd",
		provisioner: ({endpoint: $endpoint, public_key: "ssh-ed25519 AAAA test", poll_s: 0.1, consistency_s: 1} + $more)}')
}

made() {
	curl -sS "$FAKE/_machines" | jq "$@"
}

@test "keeps the contract of providers, but for confirm, which needs a machine that answers" {
	fake_set '{"active_ms": 100}'
	keeps_the_contract
	same 0 "$(machines)"
}

@test "an instance is made once and forgotten never, whatever goes wrong with a request" {
	local fault

	fake_set '{"active_ms": 50}'
	for fault in "$CREATE\",\"do\":\"drop" "$CREATE\",\"do\":\"lost" "$CREATE\",\"do\":\"truncate" "$CREATE\",\"do\":\"status\",\"status\":\"500" \
		'POST .*files","do":"lost' 'PATCH","do":"lost' 'PUT .*state","do":"lost' 'GET .*wait","do":"rubbish' "$LIST\",\"do\":\"truncate"; do
		echo "# $fault"
		create_through "$(jq -c '.status |= (. // "0" | tonumber)' <<<"{\"match\":\"$fault\"}")"
		exactly_one_and_none
	done
	for fault in lost drop truncate; do
		do_task create 1000
		same 0 "$(member .status)"
		fake_fault "{\"match\":\"$DELETE\",\"do\":\"$fault\"}"
		do_task delete 1000
		[ "$(member .status)" = 0 ] || do_task delete 1000
		same "0 0" "$(member .status) $(machines)"
	done
}

@test "a list that is answered with what is none of the cloud's is asked for again, as one whose answer was lost" {
	cloud_asks_again
}

@test "killed at any request, create run again makes no second instance, and delete leaves none" {
	fake_set '{"active_ms": 50}'
	cloud_survives_kills 12
}

@test "an instance is bounded as the provider's field says of its flavor, and has its keys before it starts" {
	provider '{"flavors": {"large": {"cpu": 1.5, "memory": 256, "processes": 100, "disk": 1024}}, "pool": "fast", "network": "lxdbr0", "config": {"security.nesting": "true"}}'
	do_task create 1000
	same 0 "$(member .status)"
	same '["150ms/100ms","256MiB","100","true"]' \
		"$(made -c '.[0].tags | [.["limits.cpu.allowance", "limits.memory", "limits.processes", "security.nesting"]]')"
	same '{"eth0":{"name":"eth0","network":"lxdbr0","type":"nic"},"root":{"path":"/","pool":"fast","size":"1024MiB","type":"disk"}}' "$(made -cS '.[0].devices')"
	same '["file","0600","ssh-ed25519 AAAA test\n"]' "$(made -c '.[0].files["/root/.ssh/authorized_keys"]')"
	(umask 077 && made -j '.[0].files["/etc/ssh/ssh_host_ed25519_key"][2]' >key)
	same "$(ssh-keygen -y -f key | cut -d ' ' -f 1,2)" "$(made -r '.[0].tags["user.coopr-host-key"]')"
	run ! grep -rF "$(sed -n 3p key)" state result.json
}

@test "what fails is told in the daemon's words, and nothing is left; one that was handed out and stopped is started" {
	IMAGE=nowhere do_task create 1000
	fails_as '78 permanent' "404 Image not found"
	fake_set '{"start_fails": true}'
	do_task create 1000
	fails_as 75 "Starting instance: Failed to run: lxd forkstart"
	same 0 "$(machines)"
	fake_set '{"start_fails": false}'
	do_task create 1000
	facts >before
	fake_set '{"stop": true}'
	do_task create 1000
	same 0 "$(member .status)"
	same "$(cat before)" "$(facts)"
	fake_set '{"stop": true, "start_fails": true}'
	do_task create 1000
	same 75 "$(member .status)"
	same 1 "$(machines)"
}

@test "a provider that a tenant has written reaches no daemon" {
	PROVIDER=$(jq -c '.of = "tenant"' <<<"$PROVIDER")
	do_task create 1000
	[ "$(member .status)" != 0 ]
	contains "$(member .message)" superadmin
	same 0 "$(requests .)"
}
