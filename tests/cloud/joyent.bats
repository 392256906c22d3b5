#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Triton's own client sees in our fake what coopr says is there; so the fake is like the cloud, and coopr is honest.

load ../case
load ../provider
load ../cloud

setup() {
	need_program python3 openssl node npm
	node_with triton
	fresh
	fake_start joyent
	mkdir -p home/.ssh
	openssl genrsa -traditional -out home/.ssh/id_rsa 2048 2>/dev/null
	chmod 600 home/.ssh/id_rsa
	ssh-keygen -y -f home/.ssh/id_rsa >home/.ssh/id_rsa.pub
	PRINT=$(ssh-keygen -l -E md5 -f home/.ssh/id_rsa.pub | cut -d ' ' -f 2 | sed 's/^MD5://')
	fake_set "$(jq -n --rawfile pem <(openssl pkey -in home/.ssh/id_rsa -pubout) --arg print "$PRINT" '{keys: {($print): $pem}}')"
	PROVIDER=$(jq -cn --arg url "$FAKE" --rawfile key home/.ssh/id_rsa '{name: "triton", providertype: "joyent", provisioner: {api_user: "jill", api_key: $key,
		joyent_api_url: $url, requests_per_second: 1000, consistency_s: 1, poll_s: 0.1}}')
	IMAGE=debian-12
}

teardown() {
	fake_end
}

# Triton's command, with the same key.
triton() {
	env -u SSH_AUTH_SOCK HOME=$PWD/home TRITON_URL=$FAKE TRITON_ACCOUNT=jill TRITON_KEY_ID=$PRINT TRITON_PROFILE=env "$CLIENTS/node_modules/.bin/triton" -i "$@"
}

seen() {
	triton instance list -j | jq -r 'select(.tags["coopr-cluster"] == "00000042") | "\(.tags["coopr-node"]) \(.id)"'
}

@test "Triton's client makes, sees and deletes machines in the fake, and sees exactly what provider joyent lists" {
	local number

	triton instance create -w -n theirs debian-12@20260101 g4-highcpu-1G
	same 1 "$(machines)"
	for number in 1000 1001 1002 1003; do do_task create "$number"; done
	both_see 4 seen
	do_task delete 1003
	both_see 3 seen
	triton instance delete -f -w "$(id_of 1001)"
	both_see 2 seen
	triton instance delete -f -w theirs
	same 2 "$(machines)"
}
