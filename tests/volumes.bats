#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-volumes(7): volumes of services on sandbox machines, which outlive these and their clusters.

load case
load sandbox

# A service rows with a volume, whose data is a table in it, on sandbox machines of a network of their own.
setup() {
	need_root
	need_program ip sshd mkfs.ext4 ssh-keygen
	[ -e /dev/loop-control ] || skip "needs loop devices"
	fresh
	own_network
	mkdir mine/scripts
	cat >mine/scripts/rows.sh <<-'EOT'
		#!/bin/sh
		case $COOPR_ACTION in
		initialize) [ -e /srv/rows/table ] || echo first >/srv/rows/table ;;
		status) grep -q first /srv/rows/table ;;
		esac
	EOT
	jq -n '{name: "rows", stateful: true, data: ["/srv/rows"], volumes: [{name: "data", path: "/srv/rows", size_gb: 1}],
		provisioner: {actions: ({initialize: 1, start: 1, status: 1} | map_values({type: "shell", fields: {script: "rows.sh"}, retries: 0}))}}' \
		>mine/services/rows.json
	jq -n '{name: "rows", defaults: {services: ["rows"], provider: "sandbox", hardwaretype: "small", imagetype: "debian12", config: {}},
		compatibility: {services: ["rows"]}}' >mine/clustertemplates/rows.json
	export COOPR_CATALOGUE=$PWD/mine
}

teardown() {
	[ -z "${COOPR_STATE-}" ] || sandbox purge >/dev/null
}

table() {
	coopr-exec "$1" cat /srv/rows/table
}

@test "a row is there after its machine was killed and reconcile has run" {
	coopr create db -t rows -n 1 -y
	coopr-exec db 'echo second >>/srv/rows/table'
	kill_machine 00000001-1000
	coopr reconcile --repair
	same "first second" "$(table db | awk '{ print $NF }' | xargs)"
}

@test "a machine that is merely unreachable keeps its volume, and a provider that does not say that it is off keeps it too" {
	coopr create db -t rows -n 1 -y
	coopr-exec db 'kill $(cat /run/sshd.pid)' || true
	run -1 coopr reconcile --probe --repair --timeout 2
	contains "$output" "does not say that the machine is gone or off (00000001-1000: the machine"
	contains "$output" "coopr replace --dead db/1000"
	same 1000 "$(coopr show db --cluster -o json | jq -r 'select(.kind == "node").nodenum')"
	# Whoever is asked to attach it elsewhere does not take it from a machine that runs.
	NETWORK=$(jq -r .provisioner.network mine/providers/sandbox.json)
	record 1001 >other.json
	sandbox create <other.json >/dev/null
	run -75 sandbox attach <<<"$(jq -c --arg id "$(coopr-volume list -o json | jq -r .id)" \
		'.volumes = [{id: $id, path: "/srv/rows", size_gb: 1}]' other.json)"
	contains "$output" "has it, and is running"
}

@test "nodes are replaced one after the other, each new one with the volume of the old one" {
	coopr create db -t rows -n 2 -y
	coopr-exec db 'hostname >>/srv/rows/table'
	coopr-volume list db -o json | jq -r .id | sort >before
	coopr replace --max-unavailable 1 db/@rows -y
	same "1002 1003" "$(coopr show db --cluster -o json | jq -r 'select(.kind == "node").nodenum' | xargs)"
	same "db1-1000 db1-1001" "$(table db | sort | awk '$NF != "first" { print $NF }' | xargs)"
	same "$(cat before)" "$(coopr-volume list db -o json | jq -r 'select(.node).id' | sort)"
}

@test "coopr-reconcile(1): a volume that no record knows is named, and stays; one that is free is known" {
	coopr create db -t rows -n 2 -y
	coopr delete db -y
	coopr reconcile
	stray=$(coopr-volume list -o json | jq -rs '.[0].id')
	sqlite3 state/store.sqlite3 "DELETE FROM volume_use WHERE volume = '$stray'; DELETE FROM volume WHERE id = '$stray'"
	run --separate-stderr -1 coopr reconcile -o json --repair --delete-orphaned
	same "orphaned_volume $stray null" "$(jq -r '"\(.what) \(.volume) \(.node)"' <<<"$output")"
	contains "$stderr" "$stray: no record knows the volume: provider sandbox has it; delete it there"
	same 2 "$(sandbox volumes </dev/null | wc -l)"
}

@test "coopr-volume(1): volumes outlive their cluster, are taken up by another one, copied, and deleted when nobody has them" {
	coopr create db -t rows -n 2 -y
	coopr-exec db 'echo $COOPR_NODE $(hostname) >>/srv/rows/table'
	same "1 1" "$(coopr-volume list db -o json | jq -r .size_gb | xargs)"
	run -1 coopr-volume delete -y --discard-data "$(coopr-volume list db -o json | jq -rs '.[0].id')"
	contains "$output" "the node 00000001-1000 has it"

	run -0 coopr delete db -y
	contains "$output" "coopr-delete: db: 2 volumes or snapshots of it stay, 2 GiB, until somebody deletes them; coopr volume list 00000001 lists them"
	coopr-volume list -o json >left
	same "2 null null orphaned" "$(jq -rs '"\(length) \(.[0].node) \(.[1].node) \(.[0].state)"' left)"
	id=$(jq -rs '.[0].id' left)
	# A table, too, says of which cluster they are: a new one may have the name.
	same '00000001 00000001' "$(coopr-volume list | awk '/^v-/ { print $4 }' | xargs)"
	same '00000001 00000001' "$(jq -r .cluster left | xargs)"
	run -64 coopr-volume delete -y "$id"
	contains "$output" "use --discard-data"
	COOPR_MESSAGES=json run -64 coopr-volume delete -y "$id"
	same "discard-data $id: it has the data of rows of the cluster db" "$(jq -r '"\(.option) \(.reason)"' <<<"$output")"
	sandbox volumes </dev/null | jq -r .id | sort >there
	same "$(jq -r .id left | sort)" "$(cat there)"

	snapshot=$(coopr-volume snapshot "$id" -o json | jq -r .id)
	coopr-volume restore "$id" db2
	coopr-volume restore "$snapshot" db3
	coopr create db2 -t rows -n 1 -y
	coopr create db3 -t rows -n 1 -y
	contains "$(table db2)" "| db1-100"
	same "$(table db2 | cut -d "|" -f 2)" "$(table db3 | cut -d "|" -f 2)"
	same "$id 00000002-1000" "$(coopr-volume list db2 -o json | jq -r '"\(.id) \(.node)"')"

	# Of each that is named there is one snapshot; of one that cannot be copied, none, and the others stay.
	other=$(jq -rs '.[1].id' left)
	# shellcheck disable=SC2207 # ids
	copies=($(coopr-volume snapshot "$other" "$snapshot" "$other" -o json 2>said | jq -r .id)) || true
	contains "$(cat said)" "$snapshot: it is a snapshot already"
	same "$(printf '%s\n' "$snapshot" "${copies[@]}" | sort)" "$(sandbox volumes </dev/null | jq -r .id | grep ^s- | sort)"
	run --separate-stderr ! coopr-volume snapshot "$(coopr-volume list db2 -o json | jq -r .id)" -o json
	same "" "$output"
	contains "$stderr" "the file system here copies only a volume that no machine has: "
	same 2 "${#copies[@]}"
	run -1 coopr-volume delete -y "${copies[0]}" v-0000000000000000 "${copies[1]}"
	same "$snapshot" "$(sandbox volumes </dev/null | jq -r .id | grep ^s-)"

	coopr-volume delete -y --discard-data "$(jq -rs '.[1].id' left)" "$snapshot"
	coopr delete db2 -y
	# What was to be restored is not there as long as no node is new.
	coopr-volume restore "$id" db3
	run -0 coopr restart -y db3
	contains "$output" "coopr-restart: db3: no node has taken the volume $id, which is promised to it: the next new node with the service rows does"
	coopr-volume delete -y --discard-data "$id"
	same "00000003-1000" "$(coopr-volume list -o json | jq -r .node)"
	same 1 "$(sandbox volumes </dev/null | wc -l)"
	# They were used from when they were recorded to when they were gone, by one cluster at a time.
	same "1|1" "$(sqlite3 state/store.sqlite3 "SELECT (SELECT count(*) FROM volume_use WHERE to_ms IS NULL), count(*) FROM volume WHERE gone_ms IS NULL")"
	same "1|1
2|0" "$(sqlite3 state/store.sqlite3 "SELECT cluster, to_ms IN (SELECT from_ms FROM volume_use WHERE volume = '$id') FROM volume_use WHERE volume = '$id' ORDER BY from_ms")"
	same "" "$(sqlite3 state/store.sqlite3 "SELECT id FROM volume WHERE (made_ms, coalesce(gone_ms, 0)) <> (SELECT min(from_ms), coalesce(max(to_ms), 0)
		FROM volume_use WHERE volume = id) AND gone_ms IS NOT NULL")"
	contains "$(coopr-usage -o json | jq '.volume_gb_hours > 0')" true
}

@test "a snapshot that failed, and whose deletion failed, is leaving: it is not restored, and its deletion is completed" {
	coopr create db -t rows -n 1 -y
	coopr delete db -y
	id=$(coopr-volume list -o json | jq -r .id)
	mkdir -p plugins/provider
	printf '#!/bin/sh\ncase $1 in snapshot | discard) exit 75 ;; esac\nexec %s/libexec/coopr/provider/sandbox "$@"\n' "$COOPR_ROOT" >plugins/provider/sandbox
	chmod +x plugins/provider/sandbox
	COOPR_PLUGINS=$PWD/plugins run -69 coopr-volume snapshot "$id"
	contains "$output" "coopr-volume snapshot: $id: the snapshot failed: "
	contains "$output" "; coopr volume delete $(coopr-volume list -o json | jq -r 'select(.of).id') deletes what was made of it"
	same "snapshot leaving" "$(coopr-volume list -o json | jq -r 'select(.of).type + " " + .state')"
	snapshot=$(coopr-volume list -o json | jq -r 'select(.of).id')
	run -1 coopr-volume restore "$snapshot" db2
	contains "$output" "$snapshot: its making, or its deletion, was cut off; coopr volume delete $snapshot completes its deletion"
	coopr-volume delete -y "$snapshot"
	same "$id orphaned" "$(coopr-volume list -o json | jq -r '.id + " " + .state')"
	sed -i 's/ | discard//' plugins/provider/sandbox
	COOPR_PLUGINS=$PWD/plugins run -69 coopr-volume snapshot "$id"
	contains "$output" "coopr-volume snapshot: $id: no snapshot was made: "
	same "$id orphaned" "$(coopr-volume list -o json | jq -r '.id + " " + .state')"
}

@test "a volume that was never mounted goes with its node, though it is kept: it may never have been made" {
	jq '.volumes += [{name: "scratch", path: "/etc/passwd/scratch", size_gb: 1}]' mine/services/rows.json >changed && mv changed mine/services/rows.json
	run coopr create db -t rows -n 1 -y
	same "00000001-1000 00000001-1000" "$(coopr-volume list -o json | jq -r .node | xargs)"
	coopr delete db -y
	same "" "$(coopr-volume list -o json)"
	same "" "$(sandbox volumes </dev/null)"
}

@test "a volume that is not kept goes with its node, and its tenant's quota is free again" {
	jq '.volumes[0].keep = false | .stateful = false | .data = []' mine/services/rows.json >changed && mv changed mine/services/rows.json
	jq '.volume_cost = 0.25' mine/providers/sandbox.json >changed && mv changed mine/providers/sandbox.json
	coopr-tenant change --cost 0.2 default
	run -1 --separate-stderr coopr create db -t rows -n 1 --dry-run
	contains "$stderr" "the tenant's quota of cost an hour is 0.2: 0 are in use, this would need 0.25 more"
	coopr-tenant change --cost 0.4 default
	coopr create db -t rows -n 1 -y
	same '[0.25,0.4]' "$(coopr-quota -o json | jq -c '.amounts.cost | [.use, .limit]')"
	same 0.25 "$(coopr-volume list -o json | jq .cost)"
	run coopr expand db -n 2 --dry-run
	contains "$output" "the tenant's quota of cost an hour is 0.4: 0.25 are in use, this would need 0.25 more"
	coopr-tenant change --cost any default
	coopr-tenant change --volumes 1 default
	contains "$(coopr-quota)" "GiB of volumes"
	run coopr expand db -n 2 -y
	contains "$output" "the tenant's quota of volumes is 1 GiB: 1 are in use, this would need 1 more"
	same "1000" "$(coopr show db --cluster -o json | jq -r 'select(.kind == "node").nodenum')"
	coopr delete db -y
	same "" "$(coopr-volume list -o json)"
	same "" "$(sandbox volumes </dev/null)"
	same 0 "$(coopr-quota -o json | jq '.amounts.volumes.use')"
}

@test "a provider without volumes is refused before anything is solved" {
	jq '.defaults.provider = "dummy"' mine/clustertemplates/rows.json >changed && mv changed mine/clustertemplates/rows.json
	run -65 coopr create db -t rows -n 1 -y
	contains "$output" "the service rows asks for volumes, and the provider \"dummy\" has none"
	run -1 coopr show db --cluster
}

# How many loop devices have a volume.
devices() {
	cat /sys/block/loop*/loop/backing_file 2>/dev/null | grep -c "^$PWD/state/sandbox-volumes/" || true
}

@test "killed at any call, an attach leaves nothing that is attached twice, and the next one completes it" {
	NETWORK=$(jq -r .provisioner.network mine/providers/sandbox.json)
	make_shim
	for node in 1000 1001; do
		record "$node" '.volumes = [{id: "v-1", path: "/srv/rows", size_gb: 1, keep: true}]' >"$node.json"
		sandbox create <"$node.json" >/dev/null
	done
	# mkfs is killed, too, and then this fails with 69.
	at=0 code=137
	while [ "$code" = 137 ] || [ "$code" = 69 ]; do
		at=$((at + 1)) code=0
		LD_PRELOAD=$PWD/shim.so CRASH_AT=$at CRASH_NO_SYNC=1 sandbox attach <1000.json >/dev/null 2>&1 || code=$?
		[ "$(devices)" -le 1 ]
	done
	same 0 "$code"
	[ "$at" -gt 10 ]
	same 1 "$(devices)"
	run -75 sandbox attach <1001.json

	# So with a machine that has ended: another one gets it once, whatever was killed in between.
	kill_machine 00000042-1000
	code=137 at=0
	while [ "$code" = 137 ]; do
		at=$((at + 1)) code=0
		LD_PRELOAD=$PWD/shim.so CRASH_AT=$at CRASH_NO_SYNC=1 sandbox attach <1001.json >/dev/null 2>&1 || code=$?
		[ "$(devices)" -le 1 ]
	done
	same "0 1" "$code $(devices)"
	run -75 sandbox discard <<<'{"volume": {"id": "v-1"}}'

	# The deletion of the machine that had it first changes nothing for the other one.
	sandbox delete <1000.json >/dev/null
	same "00000042-1001" "$(sandbox volumes </dev/null | jq -r .node)"
	sandbox delete <1001.json >/dev/null
	same "null 0" "$(sandbox volumes </dev/null | jq -r .node) $(devices)"
}

@test "the path of a volume leads nowhere but in its machine" {
	NETWORK=$(jq -r .provisioner.network mine/providers/sandbox.json)
	coopr create db -t rows -n 1 -y
	mkdir canary
	coopr-exec db "ln -s $PWD/canary /srv/link && ln -s ../../../../../../../..$PWD/canary /srv/up && ln -s /proc/1/root$PWD/canary /srv/root"
	for link in link up root; do
		record 1000 ".cluster.id = \"00000001\" | .machine.id = \"00000001-1000\" | .volumes = [{id: \"v-$link\", path: \"/srv/$link/inside\", size_gb: 1}]" |
			sandbox attach >/dev/null || true
	done
	same "" "$(ls canary)"
	run ! grep -q canary /proc/mounts
}

@test "a tenant gets at no volume of another one: not by its id, and not by a cluster of the same name" {
	for tenant in qa dev; do
		coopr-tenant create "$tenant"
		coopr-member set -T "$tenant" -r admin "of-$tenant"
		coopr-store import -T "$tenant" mine >/dev/null 2>&1
	done
	unset COOPR_CATALOGUE
	coopr create -T qa db -t rows -n 1 -y
	id=$(coopr-volume list -T qa -o json | jq -r .id)
	coopr delete -T qa db -y
	coopr-volume restore -T qa "$id" db

	same "" "$(coopr-volume list --as of-dev -T dev -o json)"
	for verb in snapshot "delete -y --discard-data"; do
		# shellcheck disable=SC2086
		run -1 coopr-volume $verb --as of-dev -T dev "$id"
		contains "$output" "there is no volume \"$id\""
	done
	run -1 coopr-volume restore --as of-dev -T dev "$id" db
	coopr create -T dev db -t rows -n 1 -y
	same "null" "$(coopr-volume list -T qa -o json | jq -r .node)"
	run -64 coopr-tenant delete -y qa
	contains "$output" "it has the volumes $id (rows of db, 1 GiB); use --discard-data"
	COOPR_MESSAGES=json run -64 coopr-tenant delete -y qa
	same discard-data "$(jq -r .option <<<"$output")"
	coopr-tenant delete -y --discard-data qa
	run -1 grep -q "$id" <(sandbox volumes </dev/null)
	same "1 false" "$(coopr-volume list -T dev -o json | jq -rs --arg id "$id" '"\(length) \(.[0].id == $id)"')"
}

# Runs share/coopr/shell/volumes.sh as on a node: mount_volumes ARGUMENT...; the file fstab is its /etc/fstab.
mount_volumes() {
	mkdir -p node/run
	cp "$COOPR_ROOT"/share/coopr/shell/{volumes,lib}.sh node/run/
	(cd node/run && COOPR_DIR=$PWD unshare -m sh -c 'mount --bind "$1" /etc/fstab && shift && sh ./volumes.sh "$@" && cat /proc/mounts' sh "$BATS_TEST_TMPDIR/fstab" "$@")
}

@test "a block device gets a file system only if its volume is blank, and is mounted, also after a restart" {
	need_program losetup unshare blkid
	truncate -s 64M image
	touch fstab
	device=$(losetup --find --show image)
	mkdir mnt
	run -78 mount_volumes v-1 "$PWD/mnt" false "$device"
	contains "$output" "there is no file system on $device, which had one"
	run -0 mount_volumes v-1 "$PWD/mnt" true "/dev/none $device"
	contains "$output" "$device $PWD/mnt ext4"
	uuid=$(blkid -p -o value -s UUID "$device")
	same "UUID=$uuid $PWD/mnt auto defaults,nofail 0 2 # coopr: volume v-1" "$(cat fstab)"
	# What is there is not made again, whatever is said; and what the provider mounts has to be mounted.
	run -0 mount_volumes v-1 "$PWD/mnt" true "$device"
	same "$uuid 1" "$(blkid -p -o value -s UUID "$device") $(wc -l <fstab)"
	run -78 mount_volumes v-1 "$PWD/mnt" true -
	losetup -d "$device"
}
