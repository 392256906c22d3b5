#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-clouds(7), at a libvirtd of the test's own with the fake of a host that libvirt has; tests/cloud/libvirt.bats has real machines.

load case
load provider
load cloud
load podman
load libvirt

IMAGE=node UNREACHABLE=yes

setup() {
	fresh
	need_libvirt
	libvirt_start test
	virsh_of vol-create-as default-pool node 64M >/dev/null
	provider '{}'
}

teardown() {
	exec 8>&-
	daemon_end
}

# That host takes no bytes into its volumes, so that there is no seed.
provider() {
	PROVIDER=$(jq -cn --arg uri "$URI" --argjson more "$1" '{name: "lab", providertype: "libvirt",
		provisioner: ({uri: $uri, pool: "default-pool", seed: false, poll_s: 0.1, consistency_s: 0.2} + $more)}')
}

@test "keeps the contract of providers; virsh sees the machines and disks that coopr lists, and nothing is left" {
	keeps_the_contract
	same "" "$(domains)$(disks)"
	do_task create 1000
	do_task create 1001
	same "shop42-1000
shop42-1001" "$(domains)"
	same 2 "$(disks | wc -l)"
	same "$(listed | cut -d ' ' -f 2 | sort)" "$(virsh_of list --all --uuid | grep -vx "$(virsh_of domuuid test)" | sed '/^$/d' | sort)"
	same "$(virsh_of domifaddr shop42-1000 | awk '{ sub("/.*", "", $4); print $4 }')" "$(ask list | jq -r 'select(.id == "00000042-1000").address')"
}

# What goes wrong at a call, tests/cloud/libvirt.py: goes_wrong WHAT NUMBER ACTION. It is tried again where it has failed for a while.
goes_wrong() {
	echo "$1 $2" >fault
	do_task "$3" 1000
	echo "$3 $1 $(domains | wc -l) $(disks | wc -l)" >>states
	for _ in 1 2; do
		[ "$(member .status)" != 0 ] || break
		do_task "$3" 1000
	done
	same 0 "$(member .status)"
	rm -f fault
}

@test "killed at any call, or its answer lost, create run again makes no second machine, and delete leaves neither machine nor disk" {
	local fault state points=({kill,drop}-{1..22})

	mkfifo alive
	python3 "$COOPR_ROOT/tests/cloud/libvirt.py" "$PWD/calls" "$PWD/libvirt/libvirt-sock" "$PWD/fault" <alive 3>&- 8>&- 9>&- &
	exec 9<>alive
	until [ -S calls ]; do sleep 0.05; done
	provider "{\"uri\": \"test+unix:///default?socket=$PWD/calls\"}"
	[ -n "${CLOUD_ALL-}" ] || points=(kill-16 kill-18 kill-20 drop-18)
	for fault in "${points[@]}"; do
		goes_wrong "${fault%-*}" "${fault#*-}" create
		same "shop42-1000 1 00000042-1000" "$(domains) $(disks | wc -l) $(list)"
		goes_wrong "${fault%-*}" "${fault#*-}" delete
		same "" "$(domains)$(disks)$(list)$(find state -path '*00000042-1000*')"
	done
	exec 9>&-
	# That was before there was anything, between disk and machine, and behind both. At which call that is depends on how often the host had to
	# be asked: so only all calls are sure to show it.
	[ -n "${CLOUD_ALL-}" ] || return 0
	for state in "create kill 0 0" "create kill 0 1" "create kill 1 1" "delete kill 0 1" "delete kill 0 0"; do
		grep -qx "$state" states
	done
}

@test "machines and disks of others stay; one of that name that is somebody else's is no machine of ours" {
	virsh_of dumpxml test | sed '/<uuid>/d; s|<name>test</name>|<name>shop42-1000</name>|' >other.xml
	virsh_of define other.xml >/dev/null
	do_task create 1000
	fails_as '78 permanent' "the domain shop42-1000 is somebody else's"
	do_task delete 1000
	same 0 "$(member .status)"
	same "shop42-1000" "$(domains)"
	same "" "$(list)$(disks)"
	# Another installation at the same host sees none of ours.
	do_task create 1001
	same "" "$(COOPR_STATE=$PWD/elsewhere list)"
	same "00000042-1001" "$(list)"
}

@test "a machine is as large as the provider's field says of its flavor, and its disk at least as its image" {
	provider '{"flavors": {"large": {"cpu": 1.5, "memory": 256, "disk": 100}, "tiny": {"memory": 64, "disk": 16}}}'
	do_task create 1000
	same 0 "$(member .status)"
	virsh_of dumpxml shop42-1000 >xml
	same "262144 2" "$(sed -n "s|.*<memory unit='KiB'>\(.*\)</memory>|\1|p; s|.*<vcpu placement='static'>\(.*\)</vcpu>|\1|p" xml | xargs)"
	same "100.00 MiB" "$(virsh_of vol-info "$(disks)" --pool default-pool | sed -n 's/Capacity: *//p')"
	same '{"cpu":1.5,"disk":0.09765625,"memory":256}' "$(ask flavors | jq -cS 'select(.flavor == "large").capacity')"
	jq -c '.machine.flavor = "tiny" | .machine.id = "00000042-1001" | .machine.hostname = "shop42-1001"' task.json | coopr-exec -q >result.json || true
	fails_as '78 permanent' "image node has 64 MiB, and the flavor's disk only 16"
	jq -c '.machine.flavor = "huge" | .machine.id = "00000042-1001" | .machine.hostname = "shop42-1001"' task.json | coopr-exec -q >result.json || true
	fails_as '78 permanent' "no flavor huge"
	same "shop42-1000 1" "$(domains) $(disks | wc -l)"
}

@test "what fails is told in the host's words and leaves nothing; a machine that has stopped is started again, and is the same" {
	IMAGE=nowhere do_task create 1000
	fails_as '78 permanent' 'image nowhere: pool default-pool has no such volume'
	provider '{"pool": "nowhere"}'
	do_task create 1000
	fails_as '78 permanent' "no storage pool with matching name 'nowhere'"
	provider '{"uri": "test+unix:///default?socket=/nowhere"}'
	do_task create 1000
	fails_as 75 "Failed to connect socket to '/nowhere'"
	provider '{}'
	jq -c '.machine.zone = "east"' task.json | jq -c --argjson provider "$PROVIDER" '.cluster.provider = $provider' | coopr-exec -q >result.json || true
	fails_as '78 permanent' "is one host, and has no zone east"
	do_task create 1000
	facts >before
	virsh_of destroy shop42-1000 >/dev/null
	same dead "$(ask list | jq -r .state)"
	do_task create 1000
	same 0 "$(member .status)"
	same "$(jq .facts.providerid before)" "$(facts | jq .facts.providerid)"
	same "running" "$(virsh_of domstate shop42-1000)"
}

@test "what can be tried without making anything is tried; a provider that a tenant has written reaches no host" {
	ask test '{"flavors": ["large"], "images": ["node"]}' | jq -r '"\(.name) \(.status) \(.text)"' >trials
	same "credentials ok TEST 0.0.2
flavor ok large: available
image ok node: 64 MiB
network ok available" "$(cat trials)"
	provider '{"network": "nowhere"}'
	run ask test '{"images": ["nowhere"]}'
	same 78 "$status"
	contains "$output" "no network with matching name 'nowhere'"
	contains "$output" "pool default-pool has no such volume"
	same "" "$(domains)$(disks)"
	PROVIDER=$(jq -c '.of = "tenant"' <<<"$PROVIDER")
	do_task create 1000
	[ "$(member .status)" != 0 ]
	contains "$(member .message)" superadmin
}

@test "no other program of coopr is linked with libvirt" {
	find "$COOPR_BIN" "$COOPR_BIN/../libexec" -type f -perm -100 | while read -r program; do
		! readelf -d "$program" 2>/dev/null | grep -q libvirt || echo "${program##*/}"
	done >linked
	same libvirt "$(sort -u linked)"
}
