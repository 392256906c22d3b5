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

# Kills the machine of a node, as a host that loses its power would.
kill_machine() {
	kill -9 "$(sandbox list </dev/null | jq "select(.id == \"$1\").pid")"
	while sandbox list </dev/null | jq -e "select(.id == \"$1\" and .state == \"running\")" >/dev/null; do :; done
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
