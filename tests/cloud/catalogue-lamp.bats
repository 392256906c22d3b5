#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-debian(7): the template lamp.

load ../case
load ../sandbox
load ../debian

site() {
	curl -sS -f -m 10 "http://$(address l "$(nodes_with l haproxy)")/"
}

nodes() {
	for _ in $(seq 8); do site; done | sed 's/.*by //' | sort -u | paste -sd ' '
}

@test "an application on two machines and more counts in its database, through a change of the password, a dead machine, a backup and a restore" {
	debian_catalogue lamp
	coopr-create l -t lamp -n 4
	unchanged l
	is_well l
	contains "$(site)" "visit "
	same 2 "$(nodes | wc -w)"
	first=$(site | grep -o '[0-9]*' | head -n 1)
	same $((first + 1)) "$(site | grep -o '[0-9]*' | head -n 1)"
	coopr-backup l

	coopr-expand -y -n 5 l
	same 3 "$(nodes | wc -w)"
	# The database lets the nodes of the cluster in, and nobody else.
	same 5 "$(on l/@mariadb "echo \"SELECT COUNT(*) FROM mysql.user WHERE User = 'app'\" | mariadb -N")"
	# With characters that SQL and PHP care about.
	jq -n '[{name: "app", user: "app", password: "o\u0027t\\her\"", clients: "%ip.service.firewall%"}]' >databases
	coopr-config -y l --set "apache.database.password=$(jq -r '.[0].password' databases)" --set "mariadb.databases=$(cat databases)"
	contains "$(site)" "visit "

	kill_machine "$(nodes_with l apache-php | head -n 1)"
	coopr-reconcile --repair --work || true
	is_well l
	same 3 "$(nodes | wc -w)"
	same 5 "$(on l/@mariadb "echo \"SELECT COUNT(*) FROM mysql.user WHERE User = 'app'\" | mariadb -N")"
	# The database has its volume back, with the last visit.
	number=$(site | grep -o '[0-9]*' | head -n 1)
	kill_machine "$(nodes_with l mariadb)"
	coopr-reconcile --repair --work || true
	is_well l
	same $((number + 1)) "$(site | grep -o '[0-9]*' | head -n 1)"
	coopr-restart -y l
	is_well l

	coopr-restore -y --discard-data l
	same $((first + 2)) "$(site | grep -o '[0-9]*' | head -n 1)"
	unchanged l
}
