#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# What is in the database of the template web survives its machine: coopr-backup(1), coopr-restore(1).

load case

setup() {
	fresh
	need_root
	web_packages
	export COOPR_CATALOGUE=$PWD/mine
}

teardown() {
	[ -z "${load:-}" ] || kill "$load" 2>/dev/null || :
	[ ! -d "$COOPR_STATE" ] || coopr delete -y --discard-data shop
	web_packages_end
}

# The node of a service.
node_of() {
	coopr show -o json shop | jq -r --arg service "$1" 'select(.kind == "node" and .services == [$service]) | .id'
}

sql() {
	coopr exec shop/@mariadb -- mariadb -N -e "$*"
}

machine_of() {
	"$COOPR_BIN"/../libexec/coopr/provider/sandbox list <mine/providers/sandbox.json | jq -r --arg id "$1" 'select(.id == $id) | .pid'
}

@test "a row that was written before a backup is there again after the machine was killed under load" {
	coopr create -q -t web -n 4 shop
	address=$(coopr show -o json shop | jq -r 'select(.kind == "node" and .services == ["nginx"]) | .ipaddresses.access_v4')
	(while :; do curl -s --max-time 5 "http://$address/" || :; sleep 0.05; done) >/dev/null 2>&1 3>&- &
	load=$!
	sql "CREATE TABLE shop.orders (text VARCHAR(100)); INSERT INTO shop.orders VALUES ('the row')"
	coopr backup -q shop
	same 1 "$(coopr backup --list shop -o name | wc -l)"
	sql "INSERT INTO shop.orders VALUES ('a later row')"
	database=$(node_of mariadb)
	kill -KILL "$(machine_of "$database")"

	# By itself nothing is destroyed: it is said.
	run --separate-stderr -1 coopr reconcile --probe --repair
	contains "$output$stderr" "$database"
	same "$database" "$(node_of mariadb)"

	run -64 coopr replace -y --dead "shop/$database"
	contains "$output" "--discard-data"
	coopr replace -q --dead --discard-data -y "shop/$database"
	[ "$(node_of mariadb)" != "$database" ]
	run -64 coopr restore -y shop/@mariadb
	contains "$output" "--discard-data"
	coopr restore -y --discard-data shop/@mariadb 2>said
	contains "$(cat said)" "gets back archive"
	run -0 sql "SELECT text FROM shop.orders"
	contains "$output" "the row"
	[[ $output != *"a later row"* ]]
	contains "$(curl -s "http://$address/")" "Good morning!"
	coopr status shop
}

@test "a backup that fails in the middle makes no archive; one of a cluster without the action is refused; an archive that is cut off is not restored" {
	coopr create -q -t web -n 4 shop
	coopr exec shop/@mariadb -- 'printf "#!/bin/sh\nhead -c 1000000 /dev/zero\necho the disk is broken >&2\nexit 3\n" >/usr/local/bin/mariadb-dump
		chmod 755 /usr/local/bin/mariadb-dump'
	run -1 coopr backup shop
	contains "$output" "the disk is broken"
	same 0 "$(coopr backup --list shop -o name | wc -l)"
	coopr status shop
	run -1 coopr backup shop/@nginx
	contains "$output" "no service that was chosen has an action backup"
	run -1 coopr restore --discard-data -y shop
	contains "$output" "there is no archive of it"

	# A dump that is cut off, although its script ended with 0, is no reason to lose what is there.
	coopr exec -q shop/@mariadb -- 'printf "#!/bin/sh\n/usr/bin/mariadb-dump \"\$@\" | head -n -1\n" >/usr/local/bin/mariadb-dump'
	coopr backup -q shop
	sql "CREATE TABLE shop.orders (text VARCHAR(100)); INSERT INTO shop.orders VALUES ('the row')"
	run -1 coopr restore --discard-data -y shop
	contains "$output" "what came is no whole dump"
	run -0 sql "SELECT text FROM shop.orders"
	contains "$output" "the row"
	run -0 coopr exec -q shop/@mariadb -- test ! -e /var/lib/mysql-restore
}
