#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Provider podman at a dockerd, at a podman whose requests go wrong, and beside the docker client, which has to see in our fake what coopr lists.

load ../case
load ../provider
load ../cloud
load ../podman

CREATE='POST /containers/create' LIST='GET /containers/json' DELETE='DELETE /containers' IMAGE=node

setup() {
	fresh
	unset http_proxy https_proxy
	need_podman
}

teardown() {
	daemon_end
	fake_end
}

need_docker() {
	command -v dockerd >/dev/null || "$COOPR_ROOT/tests/install-packages" docker.io >installed 2>&1 ||
		skip "needs docker, which cannot be installed: $(tail -n 1 installed)"
}

provider() {
	PROVIDER=$(jq -cn --arg endpoint "$1" --arg key "$(cat login.pub)" '{name: "lab", providertype: "podman",
		provisioner: {endpoint: $endpoint, network: "lab", public_key: $key, poll_s: 0.2, consistency_s: 1}}')
}

coopr-exec() {
	if [ -n "${DAEMON_PID-}" ] && [ -z "${FAKE-}" ]; then inside "$COOPR_BIN/coopr-exec" "$@"; else command coopr-exec "$@"; fi
}

# What the docker client sees: the version of the API is that of the fake.
seen() {
	DOCKER_API_VERSION=${2-} docker -H "$1" ps --no-trunc --format '{{.Label "coopr-node"}} {{.ID}}'
}

@test "dockerd: keeps the contract of providers, and the docker client sees what coopr lists" {
	need_docker
	ssh-keygen -q -t ed25519 -N '' -f login
	PODMAN_DAEMON=docker podman_start
	provider "unix://$DAEMON"
	keeps_the_contract
	do_task create 1000
	do_task confirm 1000 "$(facts)"
	same 0 "$(member .status)"
	do_task create 1001
	both_see 2 seen "unix://$DAEMON"
	docker -H "unix://$DAEMON" kill "$(id_of 1001)" >/dev/null
	do_task create 1001
	same 0 "$(member .status)"
	contains "$(member .stderr)" "is started"
	both_see 2 seen "unix://$DAEMON"
	do_task delete 1000
	do_task delete 1001
	same "0 0" "$(containers) $(volumes_left)"
}

@test "podman: a container is made once and forgotten never, whatever goes wrong with a request" {
	ssh-keygen -q -t ed25519 -N '' -f login
	podman_start
	COOPR_TEST_DAEMON=$DAEMON fake_start podman
	provider "$FAKE"
	cloud_survives_faults
	cloud_survives_kills 5
	same "0 0" "$(containers) $(volumes_left)"
}

@test "podman: a machine has its volumes, whatever goes wrong with a request, and what they hold is copied" {
	ssh-keygen -q -t ed25519 -N '' -f login
	podman_start
	COOPR_TEST_DAEMON=$DAEMON fake_start podman
	provider "$FAKE"
	KILLS=14 cloud_volumes_survive 'POST /volumes/create' 'POST /containers/create' 'PUT .*archive' 'POST .*rename' 'POST .*start' 'DELETE /containers'
	same "1 2" "$(containers) $(volumes_left)"
	do_task delete 1000
	volume_task snapshot 1000 'del(.machine) | .volume = {id: "s-1", of: "v-1", size_gb: 5, snapshot: true}'
	same 0 "$(member .status)"
	same "0 4" "$(containers) $(volumes_left)"
	for name in s-1 v-1 v-2; do
		volume_task discard 1000 "del(.machine) | .volume = {id: \"$name\", snapshot: (\"$name\" | startswith(\"s\"))}"
	done
	same "0 0" "$(containers) $(volumes_left)"
}

@test "dockerd: web has its volumes, as on podman" {
	need_docker
	ssh-keygen -q -t ed25519 -N '' -f login
	PODMAN_DAEMON=docker podman_start
	provider "unix://$DAEMON"
	do_task create 1000
	volume_task attach 1000 "$DATA"
	same 0 "$(member .status)"
	do_task confirm 1000 "$(facts)"
	same 0 "$(member .status)"
	both_see 1 seen "unix://$DAEMON"
	same "v-1 v-2" "$(docker -H "unix://$DAEMON" inspect -f '{{range .Mounts}}{{.Name}} {{end}}' "$(id_of 1000)" | xargs -n 1 | sort | xargs)"
	do_task delete 1000
	same "0 2" "$(containers) $(volumes_left)"
}

@test "the docker client sees in the fake what coopr lists" {
	need_docker
	ssh-keygen -q -t ed25519 -N '' -f login
	fake_start podman
	provider "$FAKE"
	for number in 1000 1001 1002; do do_task create "$number"; done
	both_see 3 seen "tcp://${FAKE#http://}" 1.40
	DOCKER_API_VERSION=1.40 docker -H "tcp://${FAKE#http://}" rm -f "$(id_of 1001)"
	both_see 2 seen "tcp://${FAKE#http://}" 1.40
}
