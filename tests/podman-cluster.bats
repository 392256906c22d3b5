#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# The life of a cluster whose machines are containers of a podman of the test's own.

load case
load podman

setup() {
	fresh
	need_podman
	podman_start
}

teardown() {
	daemon_end
}

catalogue() {
	mkdir -p cat/{providers,hardwaretypes,imagetypes,services,clustertemplates,scripts}
	jq -n --arg endpoint "unix://$DAEMON" '{name: "lab", providertype: "podman",
		provisioner: {endpoint: $endpoint, network: "lab", poll_s: 0.2, flavors: {small: {memory: 256, processes: 300}}}}' >cat/providers/lab.json
	echo '{"name":"small","providermap":{"lab":{"flavor":"small"}}}' >cat/hardwaretypes/small.json
	echo '{"name":"node","providermap":{"lab":{"image":"node","sshuser":"root"}}}' >cat/imagetypes/node.json
	echo 'echo "$1 on $(hostname)" >>/root/done' >cat/scripts/app.sh
	jq -n '{name: "app", provisioner: {actions: (["install", "start"] | map({(.): {type: "shell", fields: {script: "app.sh", args: .}}}) | add)}}' \
		>cat/services/app.json
	echo '{"name":"tpl","defaults":{"services":["app"],"provider":"lab","hardwaretype":"small","imagetype":"node"},
		"compatibility":{"services":["app"],"hardwaretypes":["small"],"imagetypes":["node"]},"constraints":{"size":{"min":1,"max":10}}}' \
		>cat/clustertemplates/tpl.json
	coopr-store init >/dev/null
	coopr-import cat >/dev/null
}

# What podman has is what coopr says, node by node.
agrees() {
	daemon '/containers/json?all=true' | jq -r '.[] | select(.State == "running") | "\(.Labels["coopr-node"]) \(.Id)"' | sort >there
	inside coopr show -o json shop | jq -r 'select(.kind == "node") | "\(.id) \(.facts.providerid)"' | sort | diff - there
	same "$1" "$(wc -l <there)"
}

@test "a cluster on podman is created, grows, loses a machine, which is replaced, and is deleted; nothing is left" {
	local lost

	catalogue
	inside coopr create -q shop -t tpl -n 2
	agrees 2
	inside coopr expand -q shop -n 3
	agrees 3
	same 3 "$(inside coopr exec shop -- cat /root/done | grep -c 'start on')"
	lost=$(sed -n '2s/.* //p' there)
	daemon "/containers/$lost/kill" -X POST
	inside coopr reconcile --repair >told 2>&1 || true
	cat told
	agrees 3
	run ! grep -F "$lost" there
	inside coopr delete -q -y shop
	same "0 0" "$(containers) $(volumes_left)"
	same "" "$(find state/podman -name '0*')"
}
