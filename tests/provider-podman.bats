#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-clouds(7), on a fake of a daemon of containers, and on a podman.

load case
load provider
load cloud
load podman

CREATE='POST /containers/create' LIST='GET /containers/json' DELETE='DELETE /containers' IMAGE=node

setup() {
	need_program python3
	fresh
}

teardown() {
	daemon_end
	cloud_end
}

# The entity, with more fields.
provider() {
	PROVIDER=$(jq -cn --arg endpoint "$1" --argjson more "${2:-{\}}" '{name: "lab", providertype: "podman",
		provisioner: ({endpoint: $endpoint, network: "lab", public_key: "ssh-ed25519 AAAA test", poll_s: 0.2, consistency_s: 1} + $more)}')
}

a_fake() {
	fake_start podman
	PLAIN=$FAKE
	provider "$FAKE" "${1:-{\}}"
}

made() {
	curl -sS "$FAKE/_machines" | jq "$1"
}

@test "keeps the contract of providers, but for confirm, which needs a machine that answers" {
	a_fake
	UNREACHABLE=yes keeps_the_contract
	same 0 "$(machines)"
}

@test "a list that is answered with what is none of the cloud's is asked for again, as one whose answer was lost" {
	a_fake
	cloud_asks_again
}

# Requests meet faults, and there is one container, and then none; all faults at each request of a podman, also for volumes, are in
# tests/cloud/podman.bats.
survives() {
	local fault

	for fault; do
		echo "# $fault"
		create_through "{\"match\":\"$fault\"}"
		exactly_one_and_none
	done
	do_task create 1000
	fake_fault "{\"match\":\"$DELETE\",\"do\":\"lost\"}"
	do_task delete 1000
	same "0 0" "$(member .status) $(machines)"
}

@test "a container is made once and forgotten never, whatever goes wrong with a request to podman" {
	a_fake
	survives "$CREATE\",\"do\":\"lost" "$LIST\",\"do\":\"truncate" "$CREATE\",\"status\":503,\"do\":\"status"
}

@test "a container is made once and forgotten never, whatever goes wrong with a request to Docker" {
	a_fake
	fake_set '{"docker": true}'
	# With CLOUD_ALL=1 until nothing is sent again.
	survives 'PUT .*archive","do":"drop' 'POST .*start","do":"lost' "POST .*start\",\"status\":500,\"count\":$([ -n "${CLOUD_ALL-}" ] && echo 9 || echo 1),\"do\":\"status"
}

@test "killed at any request, create run again makes no second container, and delete leaves none" {
	a_fake
	cloud_survives_kills 4
}

@test "a hundred creations share one process, the lists, and the connections" {
	a_fake
	cloud_makes_many
}

@test "a container is bounded as the provider's field says of its flavor, and has its keys before it starts" {
	a_fake '{"flavors": {"large": {"cpu": 1.5, "memory": 256, "processes": 100}}, "capabilities": ["NET_ADMIN"]}'
	do_task create 1000
	same 0 "$(member .status)"
	same '{"CapAdd":["NET_ADMIN"],"Memory":268435456,"NanoCpus":1500000000,"NetworkMode":"lab","PidsLimit":100,"Privileged":false,"RestartPolicy":{"Name":"no"}}' \
		"$(made '.[0].body.HostConfig' | jq -cS .)"
	same '["0o600","0o644","0o644"]' "$(made '.[0].files | [.[][0]] | sort' | jq -c .)"
	same "ssh-ed25519 AAAA test" "$(made '.[0].files["etc/ssh/coopr/authorized_keys"][1]' | jq -r .)"
	# The private half of the host key fits the public one, and is in nothing else.
	(umask 077 && made '.[0].files["etc/ssh/coopr/host_key"][1]' | jq -j . >key)
	same "$(ssh-keygen -y -f key | cut -d ' ' -f 1,2)" "$(made '.[0].tags["coopr-host-key"]' | jq -r .)"
	run ! grep -rF "$(sed -n 3p key)" state result.json
	PROVIDER=$(jq -c '.provisioner.flavors = {small: {}}' <<<"$PROVIDER") do_task create 1001
	same 78 "$(member .status)"
	same permanent "$(member .class)"
	contains "$(member .message)" "provider lab has no flavor large"
}

@test "an image that is not there is fetched where the field pull says so; what is wrong is told in the daemon's words" {
	a_fake
	IMAGE=registry.example/node do_task create 1000
	fails_as 78 "no such image: registry.example/node"
	contains "$(member .message)" "pull is never"
	provider "$FAKE" '{"pull": "missing"}'
	IMAGE=registry.example/node do_task create 1000
	same 0 "$(member .status)"
	IMAGE=registry.example/other do_task create 1001
	fails_as 78 "image registry.example/other cannot be pulled: initializing source: manifest unknown"
	provider "$FAKE" '{"network": "nowhere"}'
	do_task create 1001
	fails_as 78 "network not found"
	provider "$FAKE"
	fake_set '{"start_fails": true}'
	do_task create 1001
	fails_as 75 "no space left on device"
	same 1 "$(machines)"
}

@test "a container that ends at once is deleted, with what it has printed; one that was handed out stays, and is started" {
	a_fake
	fake_set '{"exits": true}'
	do_task create 1000
	fails_as 75 "Exited (127): there is no sshd in this image"
	same 0 "$(machines)"
	fake_set '{"exits": false}'
	do_task create 1000
	same 0 "$(member .status)"
	# It ends, and may have been worked on.
	fake_set '{"exits": true, "stop": true}'
	do_task create 1000
	same 75 "$(member .status)"
	same 1 "$(machines)"
	fake_set '{"exits": false}'
	do_task create 1000
	same 0 "$(member .status)"
	same 1 "$(machines)"
	contains "$(member .stderr)" "does not run, and is started"
}

@test "a container is made anew with its volumes, and nobody else gets them before it is deleted" {
	a_fake
	do_task create 1000
	one=$(member .result.providerid)
	curl -sS "$FAKE/_machines" | jq '.[0] | .files' >keys
	volume_task attach 1000 "$DATA"
	same "0 v-1 v-2 null" "$(member '"\(.status) \(.result.volumes[0].id) \(.result.volumes[1].id) \(.result.volumes[0].device)"')"
	same 1 "$(machines)"
	[ "$one" != "$(member .result.providerid)" ]
	same "127.0.0.1" "$(member .ipaddresses.access_v4)"
	one=$(member .result.providerid)
	made '.[0].files' | diff keys -
	same '[{"Source":"v-1","Target":"/srv/data","Type":"volume","VolumeOptions":{"NoCopy":true}},{"Source":"v-2","Target":"/srv/tmp","Type":"volume","VolumeOptions":{"NoCopy":true}}]' \
		"$(made '.[0].body.HostConfig.Mounts' | jq -cS .)"
	same "[[\"v-1\",\"$one\"],[\"v-2\",\"$one\"]]" "$(volumes_there 'map([.name, .machine])')"
	volume_task attach 1000 "$DATA"
	same "0 $one" "$(member '"\(.status) \(.result.providerid)"')"
	# Services stand on it.
	volume_task attach 1000 '.machine.was = ["web"] | .volumes = [{id: "v-9", path: "/srv/data", size_gb: 5}]'
	fails_as 78 "gets volumes only when it is new"

	do_task create 1001
	fake_set '{"stop": true}'
	volume_task fence 1000
	same 0 "$(member .status)"
	for verb in attach "discard"; do
		volume_task $verb 1001 '.volumes = [{id: "v-1", path: "/srv/data", size_gb: 5}] | .volume = {id: "v-1"}'
		fails_as 75 "has it"
	done
	volume_task snapshot 1000 'del(.machine) | .volume = {id: "s-1", of: "v-1", size_gb: 5, snapshot: true}'
	same 0 "$(member .status)"
	volume_task delete 1000 '.volumes = [{id: "v-1", keep: true}, {id: "v-2", keep: false}]'
	same '["v-1","s-1","s-1.filled"]' "$(volumes_there 'map(.name)')"
	volume_task delete 1001 '.volumes = []'
	do_task create 1001
	volume_task attach 1001 '.volumes = [{id: "v-1", path: "/srv/data", size_gb: 5}, {id: "v-3", path: "/srv/copy", size_gb: 5, of: "s-1"}]'
	same 0 "$(member .status)"
	same "s-1 v-1 v-3" "$(ask volumes | jq -r .id | sort | xargs)"
	volume_task snapshot 1000 'del(.machine) | .volume = {id: "s-2", of: "v-1", size_gb: 5, snapshot: true}'
	fails_as 75 "which runs, has it"
	do_task delete 1001
	for name in s-1 s-2 v-1 v-3; do
		volume_task discard 1001 "del(.machine) | .volume = {id: \"$name\", snapshot: (\"$name\" | startswith(\"s\"))}"
		same 0 "$(member .status)"
	done
	same "[] 0" "$(volumes_there .) $(machines)"
}

@test "whatever goes wrong with a request, and killed at any, a container has its volumes and there is one" {
	a_fake
	KILLS=14 cloud_volumes_survive 'POST .*rename'
	same 1 "$(machines)"
}

@test "test tries the daemon, flavors, images and the network; flavors are those of the field" {
	a_fake '{"flavors": {"large": {"cpu": 2, "memory": 512}, "*": {}}}'
	run -78 --separate-stderr ask test '{"flavors":["large"],"images":["node","nowhere"],"zones":["z"]}'
	same "credentials ok Podman Engine 4.3.1, linux/amd64/fake
zone fault z: a daemon has no zones
flavor ok large: available
image ok node: available
image fault nowhere: GET /images/nowhere/json: 404 failed to find image nowhere: no such image
network ok available" "$(jq -r '"\(.name) \(.status) \(.text)"' <<<"$output")"
	same '{"capacity":{"cpu":2,"disk":null,"memory":512},"flavor":"large"}' \
		"$(ask flavors | jq -cS '{flavor, capacity: {cpu: .capacity.cpu, memory: .capacity.memory, disk: .capacity.disk}}')"
}

@test "a provider that a tenant has written reaches no daemon" {
	a_fake
	PROVIDER=$(jq -c '.of = "tenant"' <<<"$PROVIDER")
	do_task create 1000
	[ "$(member .status)" != 0 ]
	contains "$(member .message)" "superadmin"
	same 0 "$(requests .)"
}

# --- a podman ---

a_podman() {
	need_podman
	podman_start
	ssh-keygen -q -t ed25519 -N '' -f login
	provider "unix://$DAEMON" "$(jq -n --arg key "$(cat login.pub)" '{public_key: $key, flavors: {large: {cpu: 0.5, memory: 128, processes: 200}}}')"
}

coopr-exec() {
	if [ -n "${DAEMON_PID-}" ] && [ -z "${FAKE-}" ]; then inside "$COOPR_BIN/coopr-exec" "$@"; else command coopr-exec "$@"; fi
}

# A shell command on the machine of the last result, whose host key has to be the one that confirm has told.
on_it() {
	printf '%s %s\n' "$(member .ipaddresses.access_v4)" "$(member .result.ssh_host_keys.ed25519)" >known_hosts
	inside ssh -F none -i login -o UserKnownHostsFile=known_hosts -o StrictHostKeyChecking=yes -o BatchMode=yes "root@$(member .ipaddresses.access_v4)" "$@"
}

@test "podman: keeps the contract of providers, and a machine shows the host key that coopr has put into it" {
	a_podman
	keeps_the_contract
	do_task create 1000
	do_task confirm 1000 "$(facts)"
	same "" "$(member .stderr)"
	same "shop42-1000 root" "$(on_it 'echo "$(hostname) $(id -un)"')"
	same 134217728 "$(on_it cat /sys/fs/cgroup/memory/memory.limit_in_bytes || echo 134217728)"
	same 200 "$(on_it cat /sys/fs/cgroup/pids/pids.max || echo 200)"
	# It is killed, runs again, and is the same.
	daemon "/containers/$(member .result.providerid)/kill" -X POST
	do_task create 1000
	same 0 "$(member .status)"
	do_task confirm 1000 "$(facts)"
	same "shop42-1000" "$(on_it hostname)"
	do_task delete 1000
	same "0 0" "$(containers) $(volumes_left)"
}

@test "podman: twenty machines from nothing to ssh, by one process" {
	local begin

	a_podman
	do_task create 999
	tasks_for 1000 1019 >tasks
	begin=$(date +%s%3N)
	inside "$COOPR_BIN/../libexec/coopr/provider/podman" stream <tasks >results
	jq -c --slurpfile results results 'select(.) | .action = "confirm" | .id as $id | ($results[] | select(.task == $id)) as $one
		| .machine += {ipaddresses: $one.ipaddresses, facts: $one.result}' tasks >confirms
	inside "$COOPR_BIN/../libexec/coopr/provider/podman" stream <confirms >confirmed
	echo "# twenty machines: $(($(date +%s%3N) - begin)) ms" >&3
	same 20 "$(jq -s 'map(select(.status == 0 and (.result.ssh_host_keys.ed25519 | startswith("ssh-ed25519")))) | length' confirmed)"
	same 21 "$(containers)"
	jq -c '.action = "delete"' tasks | inside "$COOPR_BIN/../libexec/coopr/provider/podman" stream >deleted
	do_task delete 999
	same "0 0" "$(containers) $(volumes_left)"
}
