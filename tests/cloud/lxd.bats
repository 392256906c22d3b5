#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Provider lxd at an LXD of the test's own.

load ../case
load ../provider
load ../podman
load ../lxd

IMAGE=node

setup() {
	fresh
	unset http_proxy https_proxy
	need_lxd
	lxd_start
	ssh-keygen -q -t ed25519 -N '' -f login
	PROVIDER=$(jq -cn --arg endpoint "unix://$DAEMON" --arg key "$(cat login.pub)" '{name: "lab", providertype: "lxd",
		provisioner: {endpoint: $endpoint, public_key: $key, poll_s: 0.3, config: {"security.privileged": "true"},
			flavors: {large: {memory: 256, processes: 200, cpu: 1.5}}}}')
}

teardown() {
	daemon_end
}

coopr-exec() {
	inside "$COOPR_BIN/coopr-exec" "$@"
}

instances() {
	daemon /1.0/instances | jq -r '.metadata[]' | sed 's|.*/||' | sort
}

@test "keeps the contract of providers; lxc sees what coopr lists; a machine shows the host key that was put into it" {
	keeps_the_contract
	same "" "$(instances)"
	do_task create 1000
	do_task confirm 1000 "$(facts)"
	same 0 "$(member .status)"
	same "" "$(member .stderr)"
	printf '%s %s\n' "$(member .ipaddresses.access_v4)" "$(member .result.ssh_host_keys.ed25519)" >known_hosts
	same "shop42-1000 root" "$(inside ssh -F none -i login -o UserKnownHostsFile=known_hosts -o StrictHostKeyChecking=yes -o BatchMode=yes \
		"root@$(member .ipaddresses.access_v4)" 'echo "$(hostname) $(id -un)"')"
	same "00000042-1000 shop42-1000" "$(list) $(instances)"
	# Stopped by somebody, it runs again, and is the same.
	facts >before
	LXD_DIR=$PWD/lxd/state HOME=$PWD/lxd lxc stop -f shop42-1000
	do_task create 1000
	same 0 "$(member .status)"
	same "$(jq .facts.providerid before)" "$(facts | jq .facts.providerid)"
	# Two are made at once; one that somebody else has made is not ours.
	do_task delete 1000
	LXD_DIR=$PWD/lxd/state HOME=$PWD/lxd lxc init node shop42-1001 >/dev/null 2>&1
	do_task create 1001
	fails_as 78 "somebody else's"
	same shop42-1001 "$(instances)"
	IMAGE=nowhere do_task create 1002
	same 78 "$(member .status)"
	same shop42-1001 "$(instances)"
	ask test '{"flavors":["large"],"images":["node"]}' | jq -r '"\(.name) \(.status)"' >trials
	same "credentials ok flavor ok image ok" "$(paste -sd ' ' trials)"
}
