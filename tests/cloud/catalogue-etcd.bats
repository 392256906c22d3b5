#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-debian(7): the template etcd.

load ../case
load ../sandbox
load ../debian

etcdctl() { # NODE ARGUMENT...
	on "$1" "ETCDCTL_API=3 etcdctl ${*:2}"
}

members() { # NODE
	etcdctl "$1" member list | cut -d , -f 3 | tr -d ' ' | sort
}

addresses() {
	coopr-show -o json e | jq -r 'select(.kind == "node").ipaddresses.access_v4' | sort
}

@test "three members keep a row, through a backup, two more members, the death of one machine, and a restore" {
	debian_catalogue etcd
	coopr-create e -t etcd -n 3
	unchanged e
	is_well e
	etcdctl e/1000 put row first
	same $'row\nfirst' "$(etcdctl e/1002 get row)"
	coopr-backup e

	coopr-expand -y -n 5 e
	same "$(addresses)" "$(members e/1000)"
	same $'row\nfirst' "$(etcdctl e/1004 get row)"

	# A start that fails, as another member is joining, leaves data and settings that are of no use.
	on e/1004 'service etcd stop; rm -rf /var/lib/etcd/coopr/member/*; sed -i "/^ETCD_INITIAL_CLUSTER=/s/,[^,]*$/\"/" /etc/default/etcd'
	etcdctl e/1000 member remove "$(etcdctl e/1000 member list | grep -F "$(address e 1004):2380" | cut -d , -f 1)"
	soon etcdctl e/1000 member add again --peer-urls="http://$(address e 1004):2380"
	coopr-restart -q -y -s etcd -N 1004 e
	same "$(addresses)" "$(members e/1000)"
	same $'row\nfirst' "$(etcdctl e/1004 get row)"

	# One dies: the others go on, and another takes its place.
	kill_machine 1000
	soon etcdctl e/1001 put row second
	coopr-reconcile --repair --work || true
	same "$(addresses)" "$(members e/1001)"
	same $'row\nsecond' "$(etcdctl e/1005 get row)"
	is_well e

	# A change of their settings restarts one after the other, and a smaller cluster knows who has left.
	coopr-shrink -y --discard-data -N 1002 -N 1003 e
	soon eval 'same "$(addresses)" "$(members e/1001)"'
	is_well e

	coopr-restore -y --discard-data e
	same $'row\nfirst' "$(etcdctl e/1005 get row)"
	same "$(addresses)" "$(members e/1005)"
	etcdctl e/1001 put row third
	same $'row\nthird' "$(etcdctl e/1004 get row)"

	coopr-restart -y e
	is_well e
	same $'row\nthird' "$(etcdctl e/1001 get row)"
	same "$(addresses)" "$(members e/1004)"
}
