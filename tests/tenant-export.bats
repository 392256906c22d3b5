#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-tenant(1) export and import: a tenant leaves one installation, and arrives in another.

load case

setup() {
	fresh
	need_program sqlite3
	own_catalogue
	unset COOPR_USER SUDO_USER COOPR_CATALOGUE
	coopr-tenant create -d 'Quality' --nodes 50 -m why qa
	coopr-member set -T qa -r admin -g ops ann
	coopr-member set -T qa bob
	coopr-import -T qa mine >log 2>&1
	mkdir -p kit
	echo part >kit/part
	echo "echo 1" | coopr-resource upload -T qa -q automator/shell/scripts/hello.sh -
	echo "echo 2" | coopr-resource upload -T qa -q automator/shell/scripts/hello.sh -
	coopr-resource stage -T qa -q automator/shell/scripts/hello.sh@1
	coopr-resource sync -T qa -q
	coopr-resource stage -T qa -q automator/shell/scripts/hello.sh@2
	coopr-resource upload -T qa -q automator/shell/files/kit kit
	head -c 200000 /dev/urandom | coopr-resource upload -T qa -q automator/shell/files/large -
	for i in $(seq 12); do
		jq --arg text "$i" '.description = $text' mine/services/mysql.json | coopr-store put -T qa -q -k service -m "number $i" -
	done
	jq '.name = "gone"' mine/services/mysql.json | coopr-store put -T qa -q -k service -
	coopr-store delete -y -T qa service gone
	echo swordfish | coopr-secret set -T qa word
	coopr-queue limit -T qa=5
}

# Another installation: elsewhere COMMAND...
elsewhere() {
	COOPR_STATE=$PWD/other COOPR_SPOOL=$PWD/other-spool COOPR_STORE='' "$@"
}

# What an import takes of an export.
defining() {
	jq -cS 'select((.kind == "tenantrow" and (.table | IN("tenant", "member", "revision", "resource"))) or
		(.kind | IN("tenantexport", "tenantlimit", "tenantcontent")))' "$1" | sort
}

@test "what is exported, imported into a fresh installation and exported again is the same" {
	coopr-tenant export qa >qa.ndjson
	elsewhere coopr-tenant import --trusted qa.ndjson 2>said
	contains "$(cat said)" "its secret word has to be set: coopr secret set -T qa word"
	elsewhere coopr-tenant export qa >again.ndjson
	defining qa.ndjson >first
	defining again.ndjson >second
	[ "$(wc -l <first)" -gt 40 ]
	diff first second
	elsewhere coopr-store fsck
	elsewhere coopr-audit --verify >head
	same "$(coopr-store export -T qa)" "$(elsewhere coopr-store export -T qa)"
	same "$(coopr-resource list -T qa -o json)" "$(elsewhere coopr-resource list -T qa -o json)"
	same "echo 1" "$(elsewhere coopr-resource get -T qa automator/shell/scripts/hello.sh)"
	echo x | elsewhere coopr-secret set -T qa word
	elsewhere coopr-create -q -T qa -t lamp -P dummy -n 4 shop
	coopr-create -q -T qa -t lamp -P dummy -n 4 shop
}

@test "an export has every table that has something of tenants, with all columns but the numbers of rows and the values of secrets" {
	coopr-create -q -T qa -t lamp -P dummy -n 4 -m because shop
	coopr-tenant export qa >qa.ndjson
	for table in tenant member revision resource secret account_history cluster cluster_document operation operation_document \
		operation_file node_use observation audit; do
		jq -es --arg table "$table" 'any(.[]; .table == $table)' qa.ndjson >found || echo "$table" >>missing
	done
	jq -r 'select(.table) | .table as $table | .row | keys[] | "\($table) \(.)"' qa.ndjson | sort -u >has
	for table in $(jq -r '.table // empty' qa.ndjson | sort -u); do
		sqlite3 "$COOPR_STATE/store.sqlite3" "SELECT '$table ' || name FROM pragma_table_info('$table') WHERE name NOT IN ('tenant', 'sealed')
			AND NOT (name = 'id' AND '$table' IN ('tenant', 'account_history')) AND NOT ('$table' = 'revision' AND name = 'entity')
			AND name <> 'deleted_ms'"
	done | grep -vxFf has >>missing || true
	same "" "$(cat missing)"
	run ! grep -q swordfish qa.ndjson
	same because "$(jq -r 'select(.table == "operation") | .row.why' qa.ndjson)"
}

@test "an administrator exports their own tenant, a user does not, and nobody another's" {
	coopr-tenant create dev
	coopr-member set -T dev -r admin eve
	echo "echo of-dev" | coopr-resource upload -T dev -q automator/shell/scripts/dev.sh -
	coopr-tenant export --as ann qa >qa.ndjson
	same tenantexportend "$(tail -n 1 qa.ndjson | jq -r .kind)"
	run ! grep -qw -e eve -e of-dev qa.ndjson
	run -77 coopr-tenant export --as bob qa
	run -1 coopr-tenant export --as eve qa
	contains "$output" 'no tenant named "qa"'
	run -77 coopr-tenant import --as ann -T qa qa.ndjson || run -77 coopr-tenant import --as ann qa.ndjson
}

@test "an administrator who comes by sudo exports the tenant, too, and imports none" {
	SUDO_USER=ann coopr-tenant export qa >qa.ndjson
	same tenantexportend "$(tail -n 1 qa.ndjson | jq -r .kind)"
	run -77 env SUDO_USER=ann coopr-tenant import qa.ndjson
	run -77 bash -c 'SUDO_USER=ann coopr-tenant import - <qa.ndjson'
	run -77 env SUDO_USER=ann coopr-tenant delete --erase qa
	run -74 bash -c 'coopr-tenant export qa >/dev/full'
}

@test "an import into an installation that has the tenant is refused" {
	coopr-tenant export qa >qa.ndjson
	run -1 coopr-tenant import qa.ndjson
	contains "$output" "tenant qa: it exists already"
}

@test "what the installation had written is the tenant's after an import, unless the export is trusted" {
	coopr-tenant export qa >qa.ndjson
	[ "$(jq -r 'select(.table == "revision") | .row.origin' qa.ndjson | sort -u)" = installation ]
	elsewhere coopr-tenant import qa.ndjson 2>said
	contains "$(cat said)" "written by the installation, and are the tenant's here: --trusted"
	same tenant "$(elsewhere coopr-tenant export qa | jq -r 'select(.table == "revision") | .row.origin' | sort -u)"
}

@test "which addresses machines of the tenant's own may have, an import says only if the export is trusted" {
	coopr-tenant change --addresses 10.4.0.0/16 qa
	coopr-tenant export qa >qa.ndjson
	elsewhere coopr-tenant import qa.ndjson 2>said
	contains "$(cat said)" "coopr-tenant change --addresses RANGE,... qa"
	same null "$(elsewhere coopr-tenant show qa | jq -c .addresses)"
	elsewhere coopr-tenant delete -y --erase qa >/dev/null
	elsewhere coopr-tenant import --trusted qa.ndjson
	same '["10.4.0.0/16"]' "$(elsewhere coopr-tenant show qa | jq -c .addresses)"
}

@test "an export that is cut off, altered or hostile is refused with 65, and no tenant is made" {
	coopr-tenant export qa >good
	hostile() { # NAME JQ-FILTER
		jq -c "$2" good >bad
		cmp -s good bad && { echo "$1: nothing was altered"; return 1; }
		run -65 elsewhere coopr-tenant import --trusted bad
		[ "$status" -eq 65 ] || { echo "$1: $output"; return 1; }
		run -1 elsewhere coopr-tenant show qa
	}
	elsewhere coopr-store init
	for lines in 1 2 30; do
		head -n -"$lines" good >bad
		run -65 elsewhere coopr-tenant import bad
		contains "$output" "its end is missing"
	done
	hostile "bytes" 'if .kind == "tenantcontent" and .part == 0 then .base64 = "AAAA" else . end'
	hostile "digest" 'if .kind == "tenantcontent" then .sum = "../../../../etc/passwd" else . end'
	hostile "parts" 'if .kind == "tenantcontent" then .part = 7 else . end'
	hostile "resource name" 'if .table == "resource" then .row.name = "../../x" else . end'
	hostile "resource sum" 'if .table == "resource" then .row.sum = "/etc/passwd" else . end'
	hostile "archive" 'if .table == "resource" then .row.format = "archive" else . end'
	hostile "size" 'if .table == "resource" then .row.bytes = 1 else . end'
	hostile "kind" 'if .table == "revision" then .row.kind = "tenant" else . end'
	hostile "entity name" 'if .table == "revision" then .row.name = "a/../b" else . end'
	hostile "version" 'if .table == "revision" then .row.version += 1 else . end'
	hostile "document" 'if .table == "revision" then .row.document = "[]" else . end'
	hostile "time" 'if .table == "revision" then .row.at = "yesterday" else . end'
	hostile "member" 'if .table == "member" then .row.user = "a\nb" else . end'
	hostile "tenant" 'if .kind == "tenantexport" then .tenant = "../x" else . end'
	hostile "format" 'if .kind == "tenantexport" then .version = 2 else . end'
	hostile "quota" 'if .table == "tenant" then .row.document = "{\"quota\":{\"nodes\":-1}}" else . end'
	elsewhere coopr-store fsck
}

@test "an import that is killed at any call has made the whole tenant, or none" {
	make_shim
	coopr-tenant export qa >qa.ndjson
	elsewhere coopr-store init
	tar -cf whole.tar other
	for ((at = 1; at < 900; at += ${CRASH_STEP:-89})); do
		code=0
		elsewhere env ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0" LD_PRELOAD="$PWD/shim.so" CRASH_NO_SYNC=1 CRASH_AT="$at" \
			coopr-tenant import --trusted qa.ndjson >said 2>&1 || code=$?
		[ "$code" -ne 0 ] || break
		elsewhere coopr-tenant import --trusted -q qa.ndjson 2>said || contains "$(cat said)" "it exists already"
		elsewhere coopr-tenant export qa >again.ndjson
		diff <(defining qa.ndjson | grep -v tenantlimit) <(defining again.ndjson | grep -v tenantlimit)
		rm -rf other other-spool
		tar -xf whole.tar
	done
	[ "$at" -gt 89 ] && [ "$at" -lt 900 ]
}
