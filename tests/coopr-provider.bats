#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-provider(1), with a fake of DigitalOcean's API, and plugins that make nothing.

load case
load cloud

setup() {
	need_program jq python3 curl
	fresh
	fake_start digitalocean
	mkdir -p cat/{providers,hardwaretypes,imagetypes}
	jq -n --arg endpoint "$FAKE" '{name: "ocean", providertype: "digitalocean", zones: ["nyc3", "ams3"], provisioner: {api_token: {secret: "ocean-token"},
		endpoint: $endpoint, requests_per_second: 1000}}' >cat/providers/ocean.json
	echo '{"name":"lab","providertype":"dummy","provisioner":{}}' >cat/providers/lab.json
	echo '{"name":"small","providermap":{"ocean":{"flavor":"s-1vcpu-1gb","capacity":{"gpu":1}},"lab":{"flavor":"f1"}}}' >cat/hardwaretypes/small.json
	echo '{"name":"debian12","providermap":{"ocean":{"image":"debian-12-x64","sshuser":"root"}}}' >cat/imagetypes/debian12.json
	coopr-store init
	coopr-import cat
	printf secret-token | coopr-secret set ocean-token
} >/dev/null 2>&1

teardown() {
	fake_end
}

@test "list shows providers, their plugins, and how much hardware types and image types offer of them" {
	echo '{"name":"moon","providertype":"no-such","provisioner":{}}' | coopr-store put -q -k provider -
	run -0 coopr provider list -o json
	same 'lab dummy true 1 0
moon no-such false 0 0
ocean digitalocean true 1 1' "$(jq -r '"\(.name) \(.type) \(.plugin != null) \(.flavors) \(.images)"' <<<"$output")"
	run -0 coopr provider list
	contains "$output" missing
	same $'lab\nmoon\nocean' "$(coopr provider list -o name)"
}

@test "describe lists the fields: required, secret, of the tenant or of the installation" {
	run -0 coopr provider describe ec2 -o json
	same 'api_password true true tenant
endpoint false false installation' "$(jq -r 'select(.name == ("api_password", "endpoint")) | "\(.name) \(.required) \(.secret) \(.of)"' <<<"$output")"
	same "$output" "$(coopr provider describe aws -o json)"
	run -0 coopr provider describe ocean
	contains "$output" 'digitalocean_region'
	contains "$output" nyc3
	run -1 coopr provider describe no-such
	contains "$output" 'provider "no-such"'
}

@test "a type is described without a store; a provider that only a catalogue's folder has is said to be no provider of the store" {
	export COOPR_CATALOGUE=$PWD/cat
	COOPR_STATE=$PWD/none run -0 coopr provider describe podman -o name
	contains "$output" endpoint
	[ ! -e none ]
	coopr-store delete -q provider lab
	run -1 coopr provider describe lab
	contains "$output" 'the store has no provider "lab" (coopr import stores those'
	run -1 coopr provider test lab
	contains "$output" 'the store (coopr import stores those'
	COOPR_STATE=$PWD/other coopr-store init
	COOPR_STATE=$PWD/other run -0 coopr provider list
	contains "$output" 'the store has no providers (coopr import stores those'
	unset COOPR_CATALOGUE
	run -1 coopr provider test lab
	[[ $output != *"coopr import"* ]]
}

@test "where no daemon answers at a socket, it is the socket that is named" {
	jq -n --arg endpoint "unix://$PWD/none.sock" '{name: "box", providertype: "podman", provisioner: {$endpoint}}' | coopr-store put -q -k provider -
	run -1 coopr provider test box
	contains "$output" "unix://$PWD/none.sock: GET "
	run -1 --separate-stderr coopr provider test box -o json
	same "connection fault null" "$(jq -r '"\(.name) \(.status) \(.remedy)"' <<<"$output")"
}

@test "test tries all that hardware types and image types name, with the secrets, and makes nothing" {
	run -0 coopr provider test ocean
	run -0 coopr provider test ocean -o json
	same 'credentials quota zone zone flavor image' "$(jq -r .name <<<"$output" | paste -sd ' ')"
	same ok "$(jq -r .status <<<"$output" | sort -u)"
	same 0 "$(requests '^(POST|PUT|DELETE)')"
	run ! grep -rF secret-token state home
	run -0 --separate-stderr coopr provider test lab
	contains "$output" "0 machines of this installation"
}

@test "what would not work is named, and the exit code is 1" {
	echo '{"name":"huge","providermap":{"ocean":{"flavor":"s-96vcpu"}}}' | coopr-store put -q -k hardwaretype -
	run -1 --separate-stderr coopr provider test ocean
	contains "$output" "s-96vcpu: DigitalOcean has no such size"
	printf wrong | coopr-secret set ocean-token
	run -1 --separate-stderr coopr provider test ocean -o json
	same 'credentials fault GET /v2/account: 401 Unable to authenticate you' "$(jq -r '"\(.name) \(.status) \(.text)"' <<<"$output")"
	same 'change api_token of the provider (coopr store put), or the secret that is named there (coopr secret set)' "$(jq -r .remedy <<<"$output")"
	coopr-secret delete -qy ocean-token
	run -65 coopr provider test ocean
	contains "$output" ocean-token
	run -1 --separate-stderr coopr provider test no-such
	same "" "$output"
}

# A plugin that says two lines and ends with that code: refusing CODE [NAME: ]
refusing() {
	mkdir -p plugins/provider
	cat >plugins/provider/refusing <<-END
		#!/bin/sh
		[ "\$1" = describe ] && exec echo '{"name":"refusing","fields":{"type":"object"},"flavors":true,"test":true}'
		echo "asking the cloud" >&2
		echo "${2-}the region is none of its own" >&2
		exit $1
	END
	chmod +x plugins/provider/refusing
}

@test "a plugin that fails says why, and its code tells who is to blame: the provider, its cloud, or the time" {
	export COOPR_PLUGINS=$PWD/plugins
	echo '{"name":"far","providertype":"refusing","provisioner":{}}' | coopr-store put -q -k provider - || true
	for codes in '78 65' '65 65' '77 65' '76 76' '69 69' '75 69' '1 69'; do
		refusing "${codes% *}"
		for verb in test import-flavors; do
			run "-${codes#* }" --separate-stderr coopr provider $verb far
			same $'asking the cloud\ncoopr-provider '"$verb"': provider/refusing '"${verb/import-/}"': the region is none of its own' "$stderr"
		done
	done
	# Which plugin that is, is told once, also where it calls itself by another name.
	for name in refusing refuses; do
		refusing 69 "provider/$name: "
		run -69 --separate-stderr coopr provider test far
		same $'asking the cloud\ncoopr-provider test: provider/refusing test: the region is none of its own' "$stderr"
	done
	echo '{"name":"moon","providertype":"no-such","provisioner":{}}' | coopr-store put -q -k provider -
	run -65 coopr provider test moon
	contains "$output" 'it has no plugin'
}

@test "import-flavors makes hardware types, with prices; those that are there keep what else they have" {
	run -0 coopr provider import-flavors --dry-run ocean
	contains "$output" "3 of 3 flavors: 3 hardware types would be changed"
	run -1 coopr-store get hardwaretype large
	run -0 coopr provider import-flavors -m 'prices of today' ocean 's-*'
	contains "$output" "2 of 3 flavors: 2 hardware types changed, 0 as before"
	same '{"name":"small","providermap":{"lab":{"flavor":"f1"},"ocean":{"capacity":{"cpu":1,"disk":25,"gpu":1,"memory":1024},"cost":0.00893,"flavor":"s-1vcpu-1gb"}}}' \
		"$(coopr-store get hardwaretype small | jq -cS .)"
	same '{"name":"s-2vcpu-4gb","providermap":{"ocean":{"capacity":{"cpu":2,"disk":80,"memory":4096},"cost":0.03571,"flavor":"s-2vcpu-4gb"}}}' \
		"$(coopr-store get hardwaretype s-2vcpu-4gb | jq -cS .)"
	run -0 coopr provider import-flavors ocean 's-*'
	contains "$output" "0 hardware types changed, 2 as before"
	run -1 coopr provider import-flavors ocean 'x-*'
	contains "$output" "none of its 3 flavors is wanted"
	coopr-store get provider ocean | jq '.name = "nowhere" | .provisioner.digitalocean_region = "nyc9"' | coopr-store put -q -k provider -
	run -1 coopr provider import-flavors nowhere
	contains "$output" 'provider "nowhere": it offers no flavors in its zone'
	run -1 coopr provider import-flavors lab
}

@test "only administrators of the tenant ask a cloud; a tenant's provider names nothing of the host" {
	coopr-tenant create -q qa
	coopr-member set -q -T qa -r admin ann
	coopr-member set -q -T qa ben
	coopr-export -T default | coopr-import -q -T qa -
	printf secret-token | coopr-secret set -T qa ocean-token
	run -77 coopr provider test -T qa --as ben ocean
	run -77 coopr provider import-flavors -T qa --as ben ocean
	run -0 coopr provider list -T qa --as ben
	run -0 coopr provider test -T qa --as ann ocean
	jq '.name = "own"' cat/providers/ocean.json | run -77 coopr-store put -q -T qa --as ann -k provider -
}
