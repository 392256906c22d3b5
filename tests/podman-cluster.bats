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
	cat >cat/scripts/web.sh <<-'END'
		case $COOPR_ACTION in
		start) [ -e /srv/web/page ] || echo "page of $(hostname)" >/srv/web/page ;;
		status) [ -e /srv/web/page ] ;;
		esac
	END
	jq -n '{name: "web", stateful: true, data: ["/srv/web"], volumes: [{name: "data", path: "/srv/web", size_gb: 1}],
		provisioner: {actions: (["start", "status"] | map({(.): {type: "shell", fields: {script: "web.sh"}}}) | add)}}' >cat/services/web.json
	echo '{"name":"tpl","defaults":{"services":["web"],"provider":"lab","hardwaretype":"small","imagetype":"node"},
		"compatibility":{"services":["web"],"hardwaretypes":["small"],"imagetypes":["node"]},"constraints":{"size":{"min":1,"max":10}}}' \
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

# The page of each node, by node.
pages() {
	inside coopr exec shop -- cat /srv/web/page | sed 's/-\([0-9]*\)[^|]*| page of /-\1 /' | awk '{ print $1, $NF }' | sort
}

@test "web on podman is created, grows, loses a machine, which reconcile replaces with its volume, and is deleted; nothing is left" {
	local lost

	catalogue
	inside coopr create -q shop -t tpl -n 2
	agrees 2
	inside coopr expand -q shop -n 3
	agrees 3
	same "3 3" "$(volumes_left) $(inside coopr exec shop -- cat /srv/web/page | grep -c 'page of')"
	pages >before
	cat before
	lost=$(sed -n '2s/.* //p' there)
	daemon "/containers/$lost/kill" -X POST
	inside coopr reconcile --repair
	agrees 3
	run ! grep -F "$lost" there
	pages >after
	cat after
	same "$(cut -d ' ' -f 2 before | sort)" "$(cut -d ' ' -f 2 after | sort)"
	same 3 "$(volumes_left)"
	inside coopr delete -q -y shop
	same "0 3" "$(containers) $(volumes_left)"
	snapshot=$(inside coopr volume snapshot "$(coopr volume list -o json | jq -rs '.[0].id')" -o json | jq -r .id)
	inside coopr volume restore "$snapshot" copy
	inside coopr create -q copy -t tpl -n 1
	contains "$(inside coopr exec copy -- cat /srv/web/page)" "page of shop1-100"
	inside coopr delete -q -y copy
	# shellcheck disable=SC2046 # ids
	inside coopr volume delete -y --discard-data $(coopr volume list -o json | jq -r .id)
	same "0 0" "$(containers) $(volumes_left)"
	same "" "$(find state/podman -name '0*')"
}

# For longer, and other clouds that are real: tests/cloud/chaos.bats.
@test "requests that go wrong, machines that end and commands that are killed: podman has what coopr knows, and nothing when all is deleted" {
	unset http_proxy https_proxy
	COOPR_TEST_DAEMON=$DAEMON inside unshare -m --propagation private python3 "$COOPR_ROOT/tests/cloud/chaos.py" podman "${SEED:-1}" 8 3>&-
}
