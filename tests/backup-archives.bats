#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# The archives of services that the store has recorded: coopr-backup(1).

load case

setup() {
	fresh
	own_catalogue
	store=$COOPR_STATE/store.sqlite3
	jq '.backup = {"keep": 2}' mine/clustertemplates/lamp.json >template.json
	mv template.json mine/clustertemplates/lamp.json
	archive=$(dirname "$COOPR_BIN")/libexec/coopr/archive
	coopr create -q blog -t lamp -n 4
	node=$(sql "SELECT layout FROM cluster_document" | jq -r 'select(.services? and (.services | index("mysql")) and .nodenum) | .id')
}

# Lets the cluster say how long archives are kept.
keep() { # JSON [SERVICE]
	sql "UPDATE cluster_document SET wish = json_set(wish, '$.template.backup', json('$1'))"
}

sql() {
	sqlite3 "$store" "$1"
}

# Keeps an archive of the first cluster, and records it as made so many seconds ago.
kept() { # ID SECONDS [SERVICE [NODE]]
	echo "data of $1" | "$archive" put "$1" >put.json
	sql "INSERT INTO archive SELECT '$1', tenant, id, name, '${3:-mysql}', '${4:-$node}', 'h', 1, 1000 * (unixepoch() - $2 - 1),
		1000 * (unixepoch() - $2), $(jq .bytes put.json), $(jq .sum put.json | tr \" "'"), 0 FROM cluster WHERE id = 1"
}

@test "archives are listed, the newest first, of one cluster or of all, in every format" {
	run -0 coopr backup --list -o json
	same "" "$output"
	kept one 100
	kept two 50
	run -0 coopr backup --list blog
	same "ID CLUSTER SERVICE NODE MADE SIZE" "$(tr -s ' ' <<<"${lines[0]}" | sed 's/ $//')"
	[[ ${lines[1]} =~ ^two\ +blog\ +mysql\ +$node\ .*\ B$ ]]
	same "two one" "$(coopr backup --list -o name | paste -sd' ')"
	same "00000001 blog mysql 1 $(sha256sum <"$COOPR_STATE/archives/one" | cut -d ' ' -f 1)" "$(coopr backup --list -o json 00000001 |
		jq -r 'select(.id == "one") | "\(.cluster) \(.name) \(.service) \(.operation) \(.sum)"')"
	run -1 coopr backup --list nothing
	run -64 coopr backup --list blog blog
	run -64 coopr backup --list --delete one
	run -64 coopr backup
}

@test "a preview names what is restored, and a restart also of a service that cannot be asked whether it is healthy" {
	jq '.provisioner.actions |= (. + {backup: .configure, restore: .configure} | del(.status))' mine/services/mysql.json >mysql.json
	mv mysql.json mine/services/mysql.json
	coopr upgrade -qy blog
	coopr backup -q blog
	run -0 coopr restore --dry-run blog
	contains "$output" "! mysql is restored on 1 machine"
	contains "$output" "! the data of mysql on node ${node##*-} is replaced by that of an archive"
	run -64 coopr restore -y blog
	contains "$output" "data would be lost: mysql on ${node##*-}; use --discard-data"
	run -0 coopr restart --dry-run blog -s mysql
	contains "$output" "! mysql restarts on 1 machine"
}

@test "a backup or a restore whose automator ends with 0 and has not moved the archive has failed" {
	export COOPR_PLUGINS=$PWD/plugins MOVES=$PWD/moves ARCHIVE=$archive
	mkdir -p plugins/automator
	cat >plugins/automator/foreign <<-'EOT'
		#!/bin/sh
		task=$(cat)
		if [ "$1" = backup ] && [ -e "$MOVES" ]; then
			echo data | "$ARCHIVE" put "$(printf '%s' "$task" | jq -r '"\(.job)-\(.machine.nodenum)-\(.service)"')" >&2
		elif [ "$1" = restore ] && [ -e "$MOVES" ]; then
			"$ARCHIVE" get "$(printf '%s' "$task" | jq -r .archive)" >&2
		fi
		echo '{"kind":"result","status":0}'
	EOT
	chmod 755 plugins/automator/foreign
	jq '.provisioner.actions |= (. + {backup: {type: "foreign", fields: {}}, restore: {type: "foreign", fields: {}}})' \
		mine/services/mysql.json >mysql.json
	mv mysql.json mine/services/mysql.json
	coopr upgrade -qy blog
	run -1 coopr backup blog
	contains "$output" "automator/foreign ended with 0, but it has not made the archive 00000001-003-${node##*-}-mysql"
	same "" "$(coopr backup --list -o name blog)"

	touch moves
	coopr backup -q blog
	same 1 "$(coopr backup --list -o name blog | wc -l)"
	rm moves
	run -1 coopr restore -y --discard-data blog
	contains "$output" "has not read all of the archive $(coopr backup --list -o name blog)"
	touch moves
	coopr retry -q blog
	same "restore complete" "$(coopr history -o json blog | jq -r '"\(.action) \(.status)"' | head -n 1)"
	coopr restore -qy --discard-data blog
}

@test "an archive is deleted with what was kept, the last one of a living cluster only with that consent" {
	kept one 100
	kept two 50
	coopr backup --delete one
	same two "$(coopr backup --list -o name)"
	same two "$("$archive" list)"
	run -64 coopr backup --delete two
	contains "$output" "it is the last archive of mysql of blog; use --discard-data"
	coopr backup --delete two --discard-data
	same "" "$("$archive" list)$(sql 'SELECT * FROM archive')"
	run -1 coopr backup --delete two
	contains "$output" 'there is no archive "two"'
}

@test "archives stay when their cluster is deleted, and can be deleted then" {
	kept one 100
	run -0 coopr delete -y blog
	contains "$output" "blog: 1 archive of its services stays as long as the cluster's definitions say; coopr backup --list 00000001 lists them"
	same one "$(coopr backup --list -o name)"
	same one "$(coopr backup --list -o name 00000001)"
	coopr backup --delete one
	same "" "$("$archive" list)"
}

@test "a deletion that fails in the middle leaves nothing that counts, and is done again" {
	kept one 100
	kept two 50
	run -74 env COOPR_ARCHIVES=false coopr backup --delete one
	same two "$(coopr backup --list -o name)"
	same "one two" "$("$archive" list | paste -sd' ')"
	run -1 coopr backup --delete one
	coopr reconcile -q
	same two "$("$archive" list)"
	same two "$(sql 'SELECT id FROM archive')"
}

@test "nobody of another tenant, and nobody who may not see the cluster, sees or deletes its archives" {
	kept one 100
	kept two 50
	coopr tenant create other
	coopr member set -T other -r admin eve
	coopr member set -T default mallory
	coopr member set -T default -r admin ada
	for who in "-T other --as eve" "-T default --as mallory"; do
		# shellcheck disable=SC2086 # several words
		same "" "$(coopr backup --list -o name $who)"
		# shellcheck disable=SC2086
		run -1 coopr backup --delete one $who
	done
	same "two one" "$(coopr backup --list -o name --as ada | paste -sd' ')"
	coopr backup --delete one --as ada
	same two "$("$archive" list)"
}

@test "archives count against the quota of the tenant" {
	kept one 100
	bytes=$(sql 'SELECT sum(bytes) FROM archive')
	same "$bytes null" "$(coopr quota -o json | jq -r '.amounts.archives | "\(.use) \(.limit)"')"
	coopr tenant change --archives $((bytes + 1)) default
	same $((bytes + 1)) "$(coopr quota -o json | jq .amounts.archives.limit)"
	grep -qE "^bytes of archives +$bytes +$((bytes + 1))$" <(coopr quota -o table)
	run -65 coopr tenant change --archives -1 default
	coopr tenant change --archives any default
	same null "$(coopr quota -o json | jq .amounts.archives.limit)"
}

@test "of each instance the newest are kept, as many as the template says; a service says more than its template" {
	for n in 5 4 3 2 1; do
		kept "m$n" "$n"
		kept "a$n" "$n" apache 00000001-1001
		kept "b$n" "$n" apache 00000001-1002
	done
	sql "UPDATE cluster_document SET wish = json_set(wish, '$.services[0].backup', json('{\"keep\": 3}'))"
	same apache "$(sql "SELECT json_extract(wish, '$.services[0].name') FROM cluster_document")"
	sql "SELECT layout FROM cluster_document" >layout
	same 2 "$(jq -r 'select(.kind == "node" and (.services | index("apache"))) | .id' layout | grep -cE '100[1-9]')"
	for n in 1 2; do
		sql "UPDATE archive SET node = '$(jq -r 'select(.kind == "node" and (.services | index("apache"))) | .id' layout | sed -n ${n}p)'
			WHERE node = '00000001-100$n'"
	done
	coopr reconcile -q
	same "a1 a2 a3 b1 b2 b3 m1 m2" "$(coopr backup --list -o name | sort | paste -sd' ')"
	same "a1 a2 a3 b1 b2 b3 m1 m2" "$("$archive" list | sort | paste -sd' ')"
}

@test "archives that are too old are deleted, but not the last one of an instance while the cluster lives" {
	keep '{"keep": "1h"}'
	kept one 9000
	kept two 8000
	kept gone 9500 mysql 00000001-2000
	coopr reconcile -q
	same two "$(coopr backup --list -o name)"
	coopr delete -q -y blog
	coopr reconcile -q
	same "" "$(coopr backup --list -o name)$("$archive" list)"
}

@test "of a node that is gone, the archive that is the last one of the service stays" {
	keep '{"keep": "1h"}'
	kept one 9000 mysql 00000001-2000
	kept two 8000 mysql 00000001-2000
	coopr reconcile -q
	same two "$(coopr backup --list -o name)"
	kept three 100
	coopr reconcile -q
	same three "$(coopr backup --list -o name)"
}

@test "without a word about it, all archives are kept; of a deleted cluster, as many as the template says" {
	sql "UPDATE cluster_document SET wish = json_remove(wish, '$.template.backup')"
	for n in 4 3 2 1; do
		kept "m$n" "$((n * 100000))"
	done
	coopr reconcile -q
	same 4 "$(coopr backup --list -o name | wc -l)"
	keep '{"keep": 2}'
	coopr delete -q -y blog
	coopr reconcile -q
	same "m1 m2" "$(coopr backup --list -o name | paste -sd' ')"
}

@test "what cannot be deleted is told of, and the rest is done" {
	for n in 4 3 2 1; do
		kept "m$n" "$n"
	done
	run -74 env COOPR_ARCHIVES=false coopr reconcile
	contains "$output" "false delete: it failed with exit code 1"
	coopr reconcile -q
	same "m1 m2" "$("$archive" list | sort | paste -sd' ')"
}

@test "when backups are made and how long they are kept is checked in catalogues" {
	for policy in '{"every":"1d","keep":7}' '{"every":"15m","keep":"30d"}' '{}'; do
		jq -c --argjson policy "$policy" '.backup = $policy | .repair = "restore"' mine/services/mysql.json >s.json
		coopr validate -k service s.json
	done
	for policy in '{"every":"1x"}' '{"every":7}' '{"keep":0}' '{"keep":"7"}' '{"every":"0m"}' 7; do
		jq -c --argjson policy "$policy" '.backup = $policy' mine/services/mysql.json >s.json
		run -65 coopr validate -k service s.json
	done
	jq -c '.repair = "pray"' mine/services/mysql.json >s.json
	run -65 coopr validate -k service s.json
	contains "$output" "neither restore nor report"
}

# Lets the service mysql of the cluster have the action backup, and say how often.
every() { # TIME
	local at

	at=$(sql "SELECT wish FROM cluster_document" | jq '[.services[].name] | index("mysql")')
	sql "UPDATE cluster_document SET wish = json_set(wish, '$.services[$at].backup', json('{\"every\":\"$1\"}'),
		'$.services[$at].provisioner.actions.backup', json('{\"type\":\"dummy\",\"fields\":{}}'))"
}

@test "a backup that is due and cannot begin is a fault, told once, until an archive is there" {
	coopr tenant change --archives 0 default
	every 1h
	run --separate-stderr -1 coopr reconcile
	contains "$stderr" "blog (00000001): $node: mysql: it is not backed up: there is no archive of it; "
	run --separate-stderr -1 coopr reconcile
	same "" "$stderr"
	same "unsaved mysql" "$(coopr reconcile -o json 2>/dev/null | jq -r '"\(.what) \(.service)"')"
	kept one 4000
	run --separate-stderr -1 coopr reconcile -o json
	contains "$output" "its newest archive is of "
	kept two 3000
	run --separate-stderr -0 coopr reconcile
	same "coopr-reconcile: blog (00000001): $node: mysql: no fault any more; it was unsaved" "$stderr"
}

@test "a backup that cannot begin keeps no cluster from being stopped at the end of its lease" {
	coopr tenant change --archives 0 default
	every 1h
	sql "UPDATE cluster_document SET layout = replace(layout, '\"name\":\"mysql\"', '\"name\":\"mysql\",\"stateful\":true')"
	sql "UPDATE cluster SET expires_ms = 1"
	run --separate-stderr coopr reconcile
	[[ $stderr != *"not backed up"* ]]
	contains "$stderr" "blog: its lease has ended; job 00000001-002 stops it, and its data is kept"
}

# Lets mysql have data, the actions backup and restore, and say what becomes of a lost machine.
repairs() { # WORD
	local at

	at=$(sql "SELECT wish FROM cluster_document" | jq '[.services[].name] | index("mysql")')
	sql "UPDATE cluster_document SET layout = replace(replace(layout, '\"stateful\":true,', ''), '\"name\":\"mysql\",', '\"name\":\"mysql\",\"stateful\":true,'),
		wish = json_set(wish, '$.services[$at].repair', '$1', '$.services[$at].provisioner.actions.restore', json('{\"type\":\"dummy\"}'))"
}

@test "a lost machine with data is replaced only where that is wanted and its archive is there, and its data is a fault until it is restored" {
	machines=$COOPR_STATE/dummy/dummy
	for word in report restore; do
		repairs $word
		[ "$word" = restore ] || kept one 50
		[ "$word" = report ] || sql "UPDATE archive SET node = '00000001-2000'"
		rm -f "$machines/$node"
		run --separate-stderr -1 coopr reconcile -o json --repair
		contains "$output" "it has data of mysql, and is not replaced"
		same 1 "$(sql "SELECT count(*) FROM operation")"
	done
	sql "UPDATE archive SET node = '$node'"
	run --separate-stderr -1 coopr reconcile -o json
	contains "$output" "its data is restored with the archive one of "
	same 1 "$(sql "SELECT count(*) FROM operation")"
	run --separate-stderr -0 coopr reconcile --repair
	contains "$stderr" "; repaired by job 00000001-002"
	same "replace complete reconcile: its machine is lost; its data is restored" \
		"$(sql "SELECT action || ' ' || status || ' ' || why FROM operation WHERE number = 2")"
	[ ! -e "$machines/$node" ]
	same 4 "$(coopr show -o json blog | grep -c '"kind":"node"')"
	# In the same run.
	same "restore complete" "$(sql "SELECT action || ' ' || status FROM operation WHERE number = 3")"
	contains "$stderr" "mysql: its data is not restored: its machine was lost, and replaced; repaired by job 00000001-003"
	run -0 coopr reconcile
	same 3 "$(sql "SELECT count(*) FROM operation")"
	same one "$(coopr backup --list -o name)"
}

@test "what waits for its data is not backed up: the archive of an empty service would be the newest" {
	every 1h
	kept one 4000
	repairs restore
	rm "$COOPR_STATE/dummy/dummy/$node" "$COOPR_STATE/archives/one" # it cannot be restored
	coopr tenant change --archives 0 default
	coopr reconcile --repair 2>err || true
	coopr reconcile 2>err || true
	[[ $(cat err) != *"it is not backed up"* ]]
	[ "$(sql "SELECT count(*) FROM operation WHERE action = 'restore' AND status <> 'complete'")" -gt 0 ]
	same 0 "$(sql "SELECT count(*) FROM operation WHERE action = 'backup'")"
}

@test "a backup of the installation has the records of archives, and not what is kept; both together restore" {
	kept one 100
	coopr backup -q --installation --key-file key all.tar
	run ! grep -q 'state/archives' <(tar -tf all.tar)
	cp -R "$COOPR_STATE/archives" archives
	export COOPR_STATE=$PWD/elsewhere
	unset COOPR_SPOOL
	coopr restore -q --key-file key all.tar
	cp -R archives "$COOPR_STATE/archives"
	same "data of one" "$("$archive" get one)"
}
