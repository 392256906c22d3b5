#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Limits of tasks of tenants, which the installation sets: coopr-queue(1) limit, shown by coopr-quota(1).

load case
load queue

setup() {
	fresh
	own_catalogue
	unset COOPR_USER SUDO_USER COOPR_CATALOGUE
	coopr-tenant create qa
	coopr-tenant create dev
	coopr-member set -T qa -r admin ann
}

# COUNT tasks, each on a node of its own: many COUNT CLUSTER TENANT
many() {
	seq 1 "$1" | sed 's/.*/t& n& create -/' | plan "$2" | sed 's/"tenant":"qa"/"tenant":"'"$3"'"/'
}

@test "the tasks of a tenant's clusters are the tenant's, and no more of them run than its limit says" {
	export COOPR_PLUGINS=$PWD/plugins LOG=$PWD/log
	mkdir -p plugins/automator
	cat >plugins/automator/telling <<-'EOT'
		#!/bin/sh
		cat >/dev/null
		echo begin >>"$LOG"
		echo end >>"$LOG"
		echo '{"kind":"result","status":0}'
	EOT
	chmod 755 plugins/automator/telling
	jq '.provisioner.actions.configure = {type: "telling", fields: {}}' mine/services/apache.json >apache.json
	mv apache.json mine/services/apache.json
	coopr-import -T qa mine >said 2>&1
	coopr-queue limit -T qa=1
	coopr-create -q -T qa -t lamp -P dummy -n 12 shop
	same qa "$(status_of 00000001-001 .tenant)"
	[ "$(grep -c begin log)" -gt 3 ]
	# With one at a time each end follows its begin.
	same "begin end" "$(paste -sd' ' log | grep -oE '[a-z]+ [a-z]+' | sort -u)"
}

@test "of a tenant with a thousand tasks and one with ten, each gets every other task" {
	many 1000 00000001 qa | coopr-queue put
	many 10 00000002 dev | coopr-queue put
	for _ in $(seq 20); do
		coopr-queue take | jq -r .job >>taken
	done
	same "10 00000001-001,10 00000002-001" "$(sort taken | uniq -c | sed 's/^ *//' | paste -sd,)"
	# At no time does one have two more than the other.
	awk '{ n[$1]++; d = n["00000001-001"] - n["00000002-001"]; if (d > 1 || d < -1) print NR ": " d }' taken >wrong
	same "" "$(cat wrong)"
}

@test "a tenant that is at its limit does not hold back another's tasks" {
	coopr-queue limit -T qa=2 --total 6
	many 1000 00000001 qa | coopr-queue put
	many 10 00000002 dev | coopr-queue put
	coopr-queue take --count 100 | jq -r .job | sort | uniq -c | sed 's/^ *//' >taken
	same "2 00000001-001,4 00000002-001" "$(paste -sd, taken)"
}

@test "coopr quota shows a tenant its limit of tasks, and how many run; nobody else's" {
	same null "$(coopr-quota -T qa -o json | jq -c .amounts.tasks)"
	coopr-queue limit -T qa=2 -T dev=7
	many 5 00000001 qa | coopr-queue put
	coopr-queue take --count 9 >taken
	same '[2,2]' "$(coopr-quota -T qa --as ann -o json | jq -c '.amounts.tasks | [.use, .limit]')"
	contains "$(coopr-quota -T qa -o table)" "tasks in parallel"
	coopr-queue limit -T '*=4' -T qa=none
	same '[2,4]' "$(coopr-quota -T qa -o json | jq -c '.amounts.tasks | [.use, .limit]')"
}

@test "who comes by sudo neither sees nor changes the limits of others" {
	run -77 env SUDO_USER=ann SUDO_UID=12345 COOPR_TENANT=qa coopr-queue limit -T qa=none
	run -77 env SUDO_USER=ann SUDO_UID=12345 COOPR_TENANT=qa coopr-queue limit
}
