#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-tenant(1) delete --erase: nothing of the tenant is left anywhere in the installation, but its records in the audit log.

load case

setup() {
	fresh
	need_program sqlite3
	own_catalogue
	unset COOPR_USER SUDO_USER COOPR_CATALOGUE
	store=$COOPR_STATE/store.sqlite3
	archive=$(dirname "$COOPR_BIN")/libexec/coopr/archive
}

# A catalogue whose names and texts have the word: of_the_word FOLDER
of_the_word() {
	cp -R mine "$1"
	jq '.name = "okapi-dummy" | .description = "of okapi"' mine/providers/dummy.json >"$1/providers/okapi-dummy.json"
	jq '.name = "okapi-web" | .description = "okapi"' mine/services/apache.json >"$1/services/okapi-web.json"
	jq '.providermap["okapi-dummy"] = .providermap.dummy' mine/hardwaretypes/small.json >"$1/hardwaretypes/small.json"
	jq '.name = "okapi-lamp" | .compatibility.services += ["okapi-web"] | .defaults.services += ["okapi-web"]' \
		mine/clustertemplates/lamp.json >"$1/clustertemplates/okapi-lamp.json"
}

# A tenant that has a bit of everything, each with the word "okapi", and no cluster any more: life_of TENANT
life_of() {
	of_the_word "okapi-of-$1"
	coopr-tenant create -d "okapi" -m "okapi signs" "$1"
	coopr-member set -T "$1" -r admin -g okapi-group okapi-ann
	coopr-import -T "$1" "okapi-of-$1" >log 2>&1
	echo "echo okapi $1" | coopr-resource upload -T "$1" -q automator/shell/scripts/okapi.sh -
	echo "echo okapi 2 $1" | coopr-resource upload -T "$1" -q automator/shell/scripts/okapi.sh -
	coopr-resource delete -y -T "$1" -q automator/shell/scripts/okapi.sh@1
	echo "okapi-value" | coopr-secret set -T "$1" okapi-word
	coopr-queue limit -T "$1=3"
	coopr-create -q -T "$1" -m "okapi asked" -t okapi-lamp -P dummy -n 4 okapi-shop
	coopr-queue gc --keep 0 >log
	coopr-stop -q -T "$1" okapi-shop
	echo "data of okapi" | "$archive" put "$(cluster_of "$1")-002-1000-okapi" >put.json
	cp "$COOPR_STATE/archives/$(cluster_of "$1")-002-1000-okapi" "$COOPR_STATE/archives/$(cluster_of "$1")-009-1000-okapi"
	coopr-delete -qy -T "$1" --discard-data okapi-shop
}

cluster_of() {
	sqlite3 "$store" "SELECT printf('%08d', id) FROM cluster WHERE tenant = (SELECT id FROM tenant WHERE name = '$1')"
}

# Where the word is found, but in the audit log: places_of WORD
places_of() {
	local table

	# What is deleted is wiped from the files of the store; the audit log is a part of them.
	sqlite3 "$store" "PRAGMA wal_checkpoint(TRUNCATE)" >checkpoint
	grep -rlaF "$1" "$COOPR_STATE" "$COOPR_SPOOL" "$XDG_RUNTIME_DIR" 2>/dev/null | grep -vE '/store\.sqlite3(-wal|-shm)?$' || true
	find "$COOPR_STATE" "$COOPR_SPOOL" "$XDG_RUNTIME_DIR" -name "*$1*"
	for table in $(sqlite3 "$store" "SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'audit'"); do
		! sqlite3 "$store" "SELECT * FROM $table" | grep -qaF "$1" || echo "table $table"
	done
}

complain() {
	wrong="${wrong:-} $1"
}

@test "a tenant that has lived leaves its word in no file, no name and no table" {
	life_of qa
	[ -n "$(places_of okapi)" ]
	sums=$(sqlite3 "$store" "SELECT sum FROM resource WHERE name = 'okapi.sh'")
	coopr-tenant delete --erase -o json qa >proof.json
	same "" "$(places_of okapi)"
	for sum in $sums; do
		same "" "$(find "$COOPR_STATE" -name "$sum")"
	done
	same 0 "$(jq -s 'map(.left) | add' proof.json)"
	for place in cluster operation revision entity resource tenant jobs archives contents "limits of tasks" "durations of tasks"; do
		[ "$place" = archives ] || [ "$(jq -r --arg place "$place" 'select(.place == $place) | .removed' proof.json)" -gt 0 ] || complain "$place"
	done
	same 2 "$(jq 'select(.place == "archives") | .removed' proof.json)"
	same "" "${wrong:-}"
	coopr-audit --verify >head
	coopr-store fsck
	coopr-queue fsck
	same '["erase","tenant qa"]' "$(coopr-audit -A -l 1 -o json | jq -c '[.action, .object]')"
}

@test "the bytes of the store's file have the word only where the audit log has it" {
	life_of qa
	coopr-tenant delete --erase -q qa
	sqlite3 "$store" "PRAGMA wal_checkpoint(TRUNCATE)" >checkpoint
	sqlite3 "$store" "SELECT * FROM audit" | grep -o okapi | wc -l >said
	[ "$(cat said)" -gt 5 ]
	same "$(cat said)" "$(grep -oaF okapi "$store" | wc -l)"
	same 0 "$(grep -caF okapi-value "$store" || true)"
	same 0 "$(grep -caF "of okapi" "$store" || true)"
}

@test "what another tenant has by the same name or of the same bytes stays" {
	life_of qa
	coopr-tenant create dev
	coopr-import -T dev okapi-of-qa >log 2>&1
	echo "echo okapi 2 qa" | coopr-resource upload -T dev -q automator/shell/scripts/okapi.sh -
	coopr-queue limit -T dev=7
	coopr-store export -T dev >before
	coopr-tenant delete --erase -q qa
	coopr-store export -T dev | diff before -
	same "echo okapi 2 qa" "$(coopr-resource get -T dev automator/shell/scripts/okapi.sh)"
	same dev "$(coopr-queue limit -o json | jq -r 'select(.limit == "tenant") | .name')"
}

@test "a tenant that was deleted before is erased by its name, and a second time it does not exist" {
	life_of qa
	coopr-tenant delete qa
	[ -n "$(places_of okapi)" ]
	coopr-tenant delete --erase -q qa
	same "" "$(places_of okapi)"
	run -1 coopr-tenant delete --erase qa
	contains "$output" 'no tenant named "qa"'
}

@test "a tenant with a cluster, one that always exists, and a user who is no superadmin: nothing is touched" {
	coopr-tenant create qa
	coopr-tenant create dev
	coopr-import -T qa mine >log 2>&1
	coopr-member set -T qa -r admin ann
	coopr-create -q -T qa -t lamp -P dummy -n 4 shop
	coopr-store export -T dev >before
	run -1 coopr-tenant delete --erase dev qa
	contains "$output" "tenant qa: it has 1 cluster; delete it first"
	run -1 coopr-tenant delete --erase dev default
	run -1 coopr-tenant delete --erase dev none
	run -77 coopr-tenant delete --erase --as ann dev
	coopr-tenant show dev >shown
	coopr-delete -qy -T qa --discard-data shop
}

@test "killed at any call, the same command does the rest" {
	life_of qa
	make_shim
	tar -cf whole.tar state spool
	for ((at = 1; at < 600; at += ${CRASH_STEP:-41})); do
		code=0
		ASAN_OPTIONS=${ASAN_OPTIONS:-}:verify_asan_link_order=0 LD_PRELOAD=$PWD/shim.so CRASH_NO_SYNC=1 CRASH_AT=$at \
			coopr-tenant delete --erase qa >proof 2>&1 || code=$?
		[ "$code" -ne 0 ] || break
		coopr-tenant delete --erase -q qa >proof 2>said || grep -q 'no tenant named "qa"' said
		same "" "$(places_of okapi)"
		coopr-audit --verify >head
		coopr-store fsck
		coopr-queue fsck
		rm -rf state spool
		tar -xf whole.tar
	done
	[ "$at" -gt 41 ] && [ "$at" -lt 600 ]
}

@test "where archives cannot be deleted it fails, and once they can the same command does the rest" {
	life_of qa
	printf '#!/bin/sh\necho "the disk is away" >&2\nexit 74\n' >away
	chmod 755 away
	run env COOPR_ARCHIVES="$PWD/away" coopr-tenant delete --erase -q qa
	[ "$status" -ne 0 ]
	contains "$output" "the disk is away"
	[ -n "$(sqlite3 "$store" "SELECT id FROM archive")" ]
	run -1 coopr-tenant show qa
	coopr-tenant delete --erase -q qa
	same "" "$(places_of okapi)"
}

@test "a refusal prints no proof" {
	coopr-store init
	run -1 coopr-tenant delete --erase default
	same "coopr-tenant delete: tenant default: it always exists, and cannot be deleted" "$output"
}

@test "every table of the store has a line in the proof, or has nothing of tenants" {
	coopr-tenant create qa
	coopr-tenant delete --erase -o json qa | jq -r .place >looked
	# Of the installation: the audit log stays, its end, the number of the last cluster, its id, when things were done last, who may not log in for a
	# minute, provisioners and their plugins. Codes go with their users; the last is SQLite's.
	printf '%s\n' audit audit_last allotment installation last_time login_attempt login_code plugin_type provisioner sqlite_sequence >>looked
	sqlite3 "$store" "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY 1" >tables
	same "" "$(grep -vxFf looked tables || true)"
}
