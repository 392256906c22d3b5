#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Provider openstack against a real OpenStack (tests/cloud/stack/stack.py), which takes half a minute to start on a quiet machine, and 1 GB; and the
# fake one is as the real one is: the same requests are answered alike, and OpenStack's own client sees the same machines there. STACK=DIR takes one
# that runs already.

load ../case
load ../provider
load ../cloud
load ../openstack

IMAGE=debian-12 UNREACHABLE=yes

setup_file() {
	unset http_proxy https_proxy
	[ -z "${STACK-}" ] || return 0
	need_openstack
	export STACK=$BATS_FILE_TMPDIR/stack
	mkdir -p "$STACK"
	mkfifo "$STACK/alive"
	/usr/bin/python3 "$COOPR_ROOT/tests/cloud/stack/stack.py" "$STACK" <"$STACK/alive" >"$STACK/said" 2>&1 3>&- 8>&- &
	exec 8<>"$STACK/alive"
	until [ -s "$STACK/port" ]; do
		kill -0 $! || { cat "$STACK/said" && return 1; }
		sleep 0.2
	done
}

teardown_file() {
	exec 8>&-
	wait
}

setup() {
	fresh
	unset http_proxy https_proxy
	REAL=http://127.0.0.1:$(cat "$STACK/port")
	clear_real
	provider "$REAL" '{}'
}

teardown() {
	fake_end
	[ -z "${REAL:-}" ] || clear_real
}

provider() {
	PROVIDER=$(jq -cn --arg url "$1/identity" --argjson more "$2" '{name: "lab-os", providertype: "openstack", provisioner: ({api_user: "svc",
		api_password: "secret-token", openstack_tenant: "dev", openstack_auth_url: $url, ssh_keypair: "ops", requests_per_second: 100, consistency_s: 5,
		poll_s: 0.2} + $more)}')
}

# openstack URL WORD...: OpenStack's own client.
openstack() {
	local url=$1

	shift
	OS_AUTH_URL=$url/identity/v3 OS_USERNAME=svc OS_PASSWORD=secret-token OS_PROJECT_NAME=dev OS_USER_DOMAIN_ID=default OS_PROJECT_DOMAIN_ID=default \
		OS_IDENTITY_API_VERSION=3 OS_REGION_NAME=RegionOne HOME=$PWD /usr/bin/python3 /usr/bin/openstack "$@"
}

# What the client sees of ours, and what coopr says.
seen() {
	openstack "$1" server list --long -c ID -c Name -c Properties -f json |
		jq -r '.[] | select(.Properties["coopr-node"]) | "\(.Properties["coopr-node"]) \(.ID)"'
}

# A request to a service with a token of the project: api URL PATH [OPTION OF CURL]...
api() {
	local token

	token=$(curl -sS -D - -o /dev/null "$1/identity/v3/auth/tokens" -H 'Content-Type: application/json' -d '{"auth":{"identity":{"methods":["password"],
		"password":{"user":{"name":"svc","password":"secret-token","domain":{"id":"default"}}}},
		"scope":{"project":{"name":"dev","domain":{"id":"default"}}}}}' | tr -d '\r' | sed -n 's/^[Xx]-[Ss]ubject-[Tt]oken: //p')
	curl -sS -H "X-Auth-Token: $token" "${@:3}" "$1$2"
}

count() {
	api "$REAL" "/$1" | jq ".$2 | length"
}

# What a test has left goes, by the cloud's own way.
clear_real() {
	local id

	for id in $(api "$REAL" /network/v2.0/floatingips | jq -r '.floatingips[].id'); do
		api "$REAL" "/network/v2.0/floatingips/$id" -X DELETE
	done
	for id in $(api "$REAL" /compute/v2.1/servers | jq -r '.servers[].id'); do
		api "$REAL" "/compute/v2.1/servers/$id" -X DELETE
	done
	until [ "$(count compute/v2.1/servers servers)" = 0 ]; do sleep 0.2; done
}

@test "keeps the contract of providers, but for confirm" {
	keeps_the_contract
	same 0 "$(count compute/v2.1/servers servers)"
}

@test "an answer that is lost is found out: there is one server and one address, and then none" {
	local lost

	provider "$REAL" '{"floating_ip":true}'
	for lost in 'POST /compute/v2.1/servers' 'GET /compute/v2.1/servers/detail' 'POST /network/v2.0/floatingips'; do
		echo "# $lost"
		echo "$lost" >"$STACK/lose"
		do_task create 1000
		same 0 "$(member .status)"
		[ ! -e "$STACK/lose" ]
		same '1 1' "$(count compute/v2.1/servers servers) $(count network/v2.0/floatingips floatingips)"
		same "127.200" "$(member .ipaddresses.access_v4 | cut -d . -f 1,2)"
		same "127.77" "$(member .ipaddresses.bind_v4 | cut -d . -f 1,2)"
		do_task delete 1000
		same 0 "$(member .status)"
		same '0 0' "$(count compute/v2.1/servers servers) $(count network/v2.0/floatingips floatingips)"
	done
}

@test "a port that has an address gets no second one" {
	provider "$REAL" '{}'
	do_task create 1000
	openstack "$REAL" floating ip create ext --port "$(openstack "$REAL" port list --server "$(member .result.providerid)" -f json | jq -r '.[0].ID')" \
		--description "coopr-installation:other coopr-node:x" >/dev/null
	provider "$REAL" '{"floating_ip":true}'
	run -0 do_task create 1000
	same 1 "$(count network/v2.0/floatingips floatingips)"
}

@test "faults, quotas and what is not there are told in the cloud's words, with their class; and nothing is left" {
	do_task create 1000 '{"flavor":"huge"}'
	fails_as '75 capacity' "No valid host was found."
	same 0 "$(count compute/v2.1/servers servers)"
	provider "$REAL" '{"network_ids":"ext"}'
	do_task create 1000
	fails_as 75 "Failed to allocate the network(s)"
	provider "$REAL" '{"availability_zone":"moon"}'
	do_task create 1000
	same '78 permanent POST /compute/v2.1/servers: 400 The requested availability zone is not available' "$(member .status) $(member .class) $(member .message)"
	provider "$REAL" '{"api_password":"wrong"}'
	do_task create 1000
	same '77 permanent' "$(member .status) $(member .class)"
	provider "$REAL" '{"floating_ip":true}'
	do_task create 1000
	do_task create 1001
	do_task create 1002
	fails_as '78 quota' "Quota exceeded for resources: ['floatingip']"
	do_task create 1003
	fails_as '78 quota' "403 Quota exceeded for instances: Requested 1, but already used 3 of 3 instances"
	for number in 1000 1001 1002; do do_task delete "$number"; done
	same '0 0' "$(count compute/v2.1/servers servers) $(count network/v2.0/floatingips floatingips)"
}

@test "in the fake, each request may go wrong in each way: there is one machine, and then none" {
	CREATE='POST /compute/v2.1/servers' LIST='GET /compute/v2.1/servers/detail' DELETE='DELETE /compute/v2.1/servers' CLOUD_ALL=1
	fake_start openstack
	provider "$FAKE" '{"consistency_s":0.3,"poll_s":0.1}'
	fake_set '{"active_ms":300}'
	cloud_survives_faults
}

@test "in the fake, whatever goes wrong with a request for a volume, there is one, and one machine has it" {
	fake_start openstack
	provider "$FAKE" '{"consistency_s":0.3,"poll_s":0.1}'
	cloud_volumes_survive 'POST /volume/v3/p1/volumes' 'POST /compute/v2.1/servers/.*/os-volume_attachments'
}

# A story, told to one of the two: what is said of each step, and the requests that it took, each of a kind once. Addresses are listed
# where a machine is, and so as often as it was still being deleted when somebody looked.
story() {
	local step log=$2

	provider "$1" '{"floating_ip":true}'
	rm -rf state
	for step in "create 1000" "create 1000 {\"image\":\"none\"}" "create 1001 {\"flavor\":\"none\"}" "delete 1000" "delete 1000"; do
		: >"$log"
		# shellcheck disable=SC2086 # words
		do_task $step
		echo "$step: $(jq -r '"\(.status) \(.class) \(.message)"' result.json)"
		jq -r '"\(.method) \(.path | gsub("[0-9a-f]{8}-[0-9a-f-]{27}"; "ID") | gsub("(?<a>installation%3A)[0-9a-f]+"; "\(.a)ID")) \(.status) \(
			try (.body | fromjson | [paths | map(if type == "number" then 0 else . end | tostring) | join(".")] | unique | join(" ")) catch "")"' "$log" |
			awk '!/^GET \/network\/v2.0\/floatingips\?limit=1000 200/ && !seen[$0]++'
	done
}

@test "the fake is asked what the real one is asked, and answers alike" {
	story "$REAL" "$STACK/log" >real
	fake_start openstack
	fake_set '{"delete_ms":500,"active_ms":500}'
	story "$FAKE" fake.log >fake
	contains "$(cat real)" "POST /network/v2.0/floatingips 201"
	diff real fake
}

@test "no answer of the fake has a member that the real one's has not" {
	local path

	provider "$REAL" '{"floating_ip":true}'
	do_task create 1000
	fake_start openstack
	provider "$FAKE" '{"floating_ip":true}'
	rm -rf state
	do_task create 1000
	for path in compute/v2.1/servers/detail compute/v2.1/flavors compute/v2.1/flavors/detail compute/v2.1/limits compute/v2.1/os-availability-zone \
		network/v2.0/networks network/v2.0/ports network/v2.0/floatingips network/v2.0/security-groups image/v2/images; do
		api "$REAL" "/$path" >real.json
		api "$FAKE" "/$path" >fake.json
		jq -n --slurpfile real real.json --slurpfile fake fake.json --arg path "$path" '
			def members: [paths | map(if type == "number" then 0 else . end | tostring) | join(".")] | unique;
			($fake[0] | members) - ($real[0] | members) | .[] | "\($path): \(.)"'
	done >more
	same "" "$(cat more)"
}

@test "OpenStack's own client sees in both exactly what provider openstack lists, and deletes it" {
	local url

	fake_start openstack
	for url in "$REAL" "$FAKE"; do
		provider "$url" '{"floating_ip":true}'
		rm -rf state
		for number in 1000 1001; do do_task create "$number"; done
		both_see 2 seen "$url"
		same 2 "$(openstack "$url" floating ip list -f json | jq length)"
		openstack "$url" server delete --wait "$(id_of 1001)"
		both_see 1 seen "$url"
		for number in 1000 1001; do do_task delete "$number"; done
		same "" "$(seen "$url")"
		same 0 "$(openstack "$url" floating ip list -f json | jq length)"
	done
}
