#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-debian(7): the template postgres-ha.

load ../case
load ../sandbox
load ../debian

# SQL on a node: sql NODE STATEMENT
sql() {
	on "p/$1" "cd / && echo \"$2\" | runuser -u postgres -- psql -X -q -A -t -v ON_ERROR_STOP=1 app"
}

primary() {
	for node in $(coopr-show -o json p | jq -r 'select(.kind == "node").nodenum'); do
		[ "$(sql "$node" 'SELECT pg_is_in_recovery()' 2>/dev/null)" != f ] || echo "$node"
	done
}

synchronous() { # PRIMARY
	sql "$1" "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'"
}

@test "each commit is on two machines; the primary's machine dies and a standby that has all rows takes its place, once it is deleted; the cluster grows, rolls and is restored" {
	debian_catalogue postgres-ha
	coopr-create p -t postgres-ha -n 3
	unchanged p
	is_well p
	same 1000 "$(primary)"
	sql 1000 'CREATE TABLE t (row text); ALTER TABLE t OWNER TO app'
	sql 1000 "INSERT INTO t VALUES ('first')"
	soon eval 'same first "$(sql 1002 "SELECT row FROM t")"'
	coopr-backup p

	# The machine of a standby that is stopped holds nothing up; without any standby nothing is acknowledged.
	coopr-stop -y -N 1001 p
	sql 1000 "INSERT INTO t VALUES ('second')"
	coopr-stop -y -N 1002 p
	run ! on p/1000 "cd / && runuser -u postgres -- timeout 5 psql -X -q -c \"INSERT INTO t VALUES ('none')\" app"
	coopr-start -y p
	soon eval 'same 1 "$(synchronous 1000)"'

	# The last row is on the standby, whatever becomes of the primary.
	sql 1000 "INSERT INTO t VALUES ('third')"
	kill_machine 1000
	same "" "$(primary)"
	coopr-reconcile --repair --work || true
	same 1001 "$(primary)"
	same $'first\nsecond\nthird' "$(sql 1001 "SELECT row FROM t WHERE row <> 'none'")"
	soon eval 'same $'"'first\nsecond\nthird'"' "$(sql 1003 "SELECT row FROM t WHERE row <> '"'none'"'")"'
	soon eval 'same 1 "$(synchronous 1001)"'
	is_well p

	coopr-expand -y -n 4 p
	soon eval 'same 3 "$(sql 1001 "SELECT count(*) FROM pg_stat_replication")"'
	coopr-restart -y p
	is_well p
	same 1001 "$(primary)"

	# Another database comes, and the primary stays.
	coopr-config -y p --set 'postgres.databases=[{"name": "app", "user": "app", "password": "one", "clients": "%ip.service.firewall%"},
		{"name": "more", "user": "more", "password": "two", "clients": "%ip.service.firewall%"}]'
	same more "$(sql 1001 "SELECT datname FROM pg_database WHERE datname = 'more'")"
	same 1001 "$(primary)"
	is_well p

	coopr-restore -y --discard-data p
	same first "$(sql 1001 'SELECT row FROM t')"
	soon eval 'same first "$(sql 1004 "SELECT row FROM t")"'
	unchanged p

	# Who is not a client has no way in, and nobody sees a password.
	contains "$(PGPASSWORD=wrong psql -h "$(address p 1001)" -U app app -c 'SELECT 1' 2>&1 || true)" "no pg_hba.conf entry"
	run -1 grep -rqF "$(on p/1001 'cut -d : -f 5 /var/lib/postgresql/coopr-passwords')" "$COOPR_SPOOL"
}
