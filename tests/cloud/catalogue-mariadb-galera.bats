#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-debian(7): the template mariadb-galera.

load ../case
load ../sandbox
load ../debian

sql() { # NODE STATEMENT
	on "g/$1" "echo \"$2\" | mariadb -N app"
}

size() {
	sql "$1" "SHOW STATUS LIKE 'wsrep_cluster_size'" | cut -f 2
}

is_out() {
	[ "$(sql "$1" "SHOW STATUS LIKE 'wsrep_cluster_status'" | cut -f 2)" = Disconnected ]
}

@test "three members take changes; one dies and its replacement gets all rows; the cluster grows, rolls, stops and starts, and is restored" {
	debian_catalogue mariadb-galera
	coopr-create g -t mariadb-galera -n 3
	unchanged g
	is_well g
	same 3 "$(size 1002)"
	sql 1001 "CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, word VARCHAR(20)); INSERT INTO t (word) VALUES ('first')"
	same first "$(sql 1000 'SELECT word FROM t')"
	coopr-backup g

	kill_machine 1000
	soon sql 1002 "INSERT INTO t (word) VALUES ('second')"
	coopr-reconcile --repair --work || true
	same $'first\nsecond' "$(sql 1003 'SELECT word FROM t ORDER BY id')"
	same 3 "$(size 1001)"
	is_well g

	coopr-expand -y -n 4 g
	same 4 "$(size 1001)"
	coopr-restart -y g
	is_well g
	same 4 "$(size 1003)"

	# Another database comes, for all members, and no row goes.
	coopr-config -y g --set 'mariadb.databases=[{"name": "app", "user": "app", "password": "one", "clients": "%ip.service.firewall%"},
		{"name": "more", "user": "more", "password": "two", "clients": "%ip.service.firewall%"}]'
	same more "$(sql 1001 "SHOW DATABASES LIKE 'more'")"
	same $'first\nsecond' "$(sql 1002 'SELECT word FROM t ORDER BY id')"
	is_well g

	# A member that answers, and is out of the cluster, comes back when it is started.
	sql 1002 "SET GLOBAL wsrep_cluster_address = 'gcomm://127.0.0.9'" || true
	soon is_out 1002
	coopr-start -q -y -N 1002 g
	is_well g

	# All stop: the last one founds the cluster again.
	coopr-stop -y g
	coopr-start -y g
	is_well g
	same 4 "$(size 1002)"
	same $'first\nsecond' "$(sql 1004 'SELECT word FROM t ORDER BY id')"

	coopr-restore -y --discard-data g
	same first "$(sql 1001 'SELECT word FROM t')"
	same first "$(sql 1004 'SELECT word FROM t')"
	unchanged g
}
