#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-audit: who has changed what, and whether that record is whole.

load case
load examples

setup() {
	need_program sqlite3
	fresh
	export COOPR_STORE=$PWD/store COOPR_STATE=$PWD/state
	unset COOPR_USER SUDO_USER SSH_CONNECTION
	coopr-store init
}

# Actions and objects of the log, each with its user: audit [OPTION]...
audit() {
	coopr-audit -o json "$@" | jq -r '"\(.tenant) \(.user) \(.action) \(.object)"'
}

provider() {
	echo '{"kind": "provider", "name": "p", "providertype": "dummy"}'
}

me() {
	id -un
}

# Alters the store as somebody would who has its file: sql STATEMENT
sql() {
	sqlite3 store "DROP TRIGGER IF EXISTS audit_unaltered; DROP TRIGGER IF EXISTS audit_kept; $1"
}

@test "each change of an entity, a secret, a tenant, a member and a quota adds a record" {
	coopr-tenant create qa
	coopr-member set -T qa -r admin ann
	coopr-quota set -T qa --nodes 5 2>/dev/null || coopr-tenant change --nodes 5 qa
	provider | coopr-store put -T qa -
	provider | coopr-store put -T qa -
	echo x | coopr-secret set -T qa --as ann word
	coopr-secret delete -y -T qa --as ann word
	coopr-store delete -y -T qa provider p
	coopr-member delete -y -T qa ann
	cat >wanted <<-END
		qa $(me) put tenant qa
		qa $(me) put member ann
		qa $(me) put tenant qa
		qa $(me) put provider p@1
		qa ann set secret word
		qa ann delete secret word
		qa $(me) delete provider p@2
		qa $(me) delete member ann
	END
	audit -T qa | diff wanted -
}

@test "a record says who had logged in, where, by which program and why; a secret's value is not in it" {
	echo swordfish | SSH_CONNECTION="192.0.2.7 40000 192.0.2.1 22" coopr-secret set word
	same '["192.0.2.7","coopr-secret set"]' "$(coopr-audit -o json | jq -c '[.address, .program]')"
	same "$(uname -n)" "$(coopr-audit -o json | jq -r .host)"
	echo y | SSH_CONNECTION="\$(reboot) 1" coopr-secret set word
	same null "$(coopr-audit -l 1 -o json | jq .address)"
	provider | coopr-store put -m "as asked" -
	same "as asked" "$(coopr-audit -l 1 -o json | jq -r .reason)"
	run -1 grep -r swordfish .
}

@test "a record says which processes have started the command, also a crontab's and sudo's" {
	cp "$(command -v sh)" cron
	echo "echo x | coopr-secret set word; true" >job
	./cron job
	[[ $(coopr-audit -l 1 -o json | jq -r .via) =~ ^cron(,|$) ]]
	cp "$(command -v sh)" sud
	printf '#!/bin/sh\n%s\n' "$PWD/cron job; true" >outer
	./sud outer
	[[ $(coopr-audit -l 1 -o json | jq -r .via) =~ ^cron,\ sud(,|$) ]]
	odd=./$'a)\nb'
	cp "$(command -v sh)" "$odd"
	"$odd" job
	[[ $(coopr-audit -l 1 -o json | jq -r .via) =~ ^a\?\?b(,|$) ]]
	coopr-audit --verify >head
}

@test "operations on clusters, and what is done to their jobs, have records; --cluster takes the name or the id" {
	own_catalogue
	coopr-store import mine >log 2>&1
	unset COOPR_CATALOGUE
	coopr-create shop -P dummy -t lamp -n 3 -m "for the test" >records 2>log
	coopr-create other -P dummy -t lamp -n 3 --detach >records 2>log
	coopr pause other >records 2>log
	coopr resume other >records 2>log
	coopr abort -y other >records 2>log
	coopr rename shop store >records 2>log
	coopr delete -y --discard-data store >records 2>log
	same "create shop,rename shop,delete store" \
		"$(coopr-audit -c 00000001 -o json | jq -r '.action + " " + (.object | split(" ")[1])' | paste -sd,)"
	same "create,pause,resume,abort" "$(coopr-audit -c other -o json | jq -r .action | paste -sd,)"
	same '"for the test"' "$(coopr-audit -c shop -o json | jq .reason | head -n 1)"
	coopr-audit --verify >head
}

@test "what is done to jobs and limits by hand has a record, which the tenant of the cluster sees" {
	own_catalogue
	coopr-tenant create qa
	coopr-import -T qa mine >log 2>&1
	unset COOPR_CATALOGUE
	coopr-create -T qa shop -P dummy -t lamp -n 3 >records 2>log
	coopr-queue limit -T qa=4 --total 9
	for verb in pause resume cancel retry; do
		coopr-queue "$verb" 00000001-001 >log 2>&1 || true
	done
	coopr-queue skip -r 'by hand' 00000001-001 t1 >log 2>&1 || true
	same "pause,resume,cancel,retry,skip" "$(coopr-audit -T qa -c 00000001 -o json | jq -r 'select(.object == "job 00000001-001") | .action' | paste -sd,)"
	same "coopr-queue cancel" "$(coopr-audit -T qa -o json | jq -r 'select(.action == "cancel") | .program')"
	same "limit tenant qa=4" "$(coopr-audit -T qa -o json | jq -r 'select(.object | startswith("limit")) | .object')"
	same "limit total=9" "$(coopr-audit -T superadmin -o json | jq -r 'select(.object | startswith("limit")) | .object')"
	coopr-audit --verify >head
	COOPR_STORE=$PWD/none coopr-queue limit --total 8
	[ ! -e none ]
}

@test "a name with control characters, or the words of another record, forges nothing" {
	coopr-queue limit -T $'qa\n2026 default root put tenant qa=3' || true
	coopr-queue pause $'00000001-001\e[2K' || true
	provider | coopr-store put -m $'why\n00000 \e[31mred' - || true
	same "$(coopr-audit -A -o json | wc -l)" "$(($(coopr-audit -A | wc -l) - 1))"
	run ! grep -q $'\e' <(coopr-audit -A)
	coopr-audit --verify >head
}

@test "a change that is refused has no record" {
	run coopr-store put - <<<'{"kind": "provider", "name": "p"}'
	[ "$status" -ne 0 ]
	run -1 coopr-tenant delete -y none
	same "" "$(audit -A)"
}

@test "the store refuses to alter the log; one that was altered otherwise is found" {
	for secret in a b c d e f; do
		echo x | coopr-secret set "$secret"
	done
	coopr-audit --verify >head
	run sqlite3 store "UPDATE audit SET user = 'ann' WHERE id = 3"
	contains "$output" "the audit log is not altered"
	run sqlite3 store "DELETE FROM audit WHERE id = 3"
	contains "$output" "nothing is removed from the audit log"
	cp store good

	for column in at_ms tenant user login host address program action object cluster reason hash via; do
		cp good store
		sql "UPDATE audit SET $column = '99' WHERE id = 3"
		run -1 coopr-audit --verify
		contains "$output" "audit log: record 3 is not as it was written"
		run -1 coopr-store fsck
		contains "$output" "audit log: record 3 is not as it was written"
	done
	cp good store
	sql "DELETE FROM audit WHERE id IN (2, 3)"
	run -1 coopr-audit --verify
	contains "$output" "audit log: the records 2 to 3 are missing"
	cp good store
	sql "UPDATE audit SET id = id + 100 WHERE id = 3; UPDATE audit SET id = 3 WHERE id = 4; UPDATE audit SET id = 4 WHERE id = 103"
	run -1 coopr-audit --verify
	contains "$output" "audit log: record 3 is not as it was written"
	for end in 4 5 0; do
		cp good store
		sql "DELETE FROM audit WHERE id > $end"
		run -1 coopr-audit --verify
		contains "$output" "audit log: the records $((end + 1)) to 6 are missing, the newest"
		# What is written behind it fills no gap.
		echo x | coopr-secret set g
		run -1 coopr-audit --verify
		contains "$output" "audit log: the records $((end + 1)) to 6 are missing"
		run -1 coopr-store fsck
		contains "$output" "audit log: the records $((end + 1)) to 6 are missing"
	done
	cp good store
	sql "UPDATE audit_last SET (id, hash) = (SELECT id, hash FROM audit WHERE id = 5)"
	run -1 coopr-audit --verify
	contains "$output" "audit log: record 6 is not the one that coopr has written last"
	cp good store
	sql "DELETE FROM audit WHERE id > 4; UPDATE audit_last SET (id, hash) = (SELECT id, hash FROM audit WHERE id = 4)"
	run -0 coopr-audit --verify
	run -1 coopr-audit --verify --head "$(cat head)"
	contains "$output" "no record has the hash of --head"
}

@test "the hash of an earlier last record is still there later" {
	echo x | coopr-secret set a
	coopr-audit --verify >head
	echo x | coopr-secret set b
	run -0 coopr-audit --verify --head "$(cat head)"
	[ "$output" != "$(cat head)" ]
	run -64 coopr-audit --head "$(cat head)"
}

@test "an administrator sees what was done in their tenant, a user nothing, a superadmin all" {
	coopr-tenant create qa
	coopr-member set -T qa -r admin ann
	coopr-member set -T qa bob
	echo x | coopr-secret set word
	same 3 "$(coopr-audit -T qa --as ann -o json | wc -l)"
	run -77 coopr-audit -T qa --as bob
	run -64 coopr-audit -A -T qa --as ann
	run -77 env COOPR_TENANT=qa coopr-audit -A --as ann
	run -77 env COOPR_TENANT=qa coopr-audit --verify --as ann
	same 4 "$(coopr-audit -A -o json | wc -l)"
}

@test "times choose records, and a limit the newest" {
	echo x | coopr-secret set a
	echo x | coopr-secret set b
	same "" "$(audit --end now-1d)"
	same 2 "$(coopr-audit --start now-1h -o json | wc -l)"
	same "default $(me) set secret b" "$(audit -l 1)"
	run -64 coopr-audit --start yesterday
}

@test "a hundred changes by four at a time make one chain" {
	for i in 1 2 3 4; do
		(for j in $(seq 25); do echo x | coopr-secret set "s$i.$j"; done) &
	done
	wait
	same 100 "$(coopr-audit -o json | wc -l)"
	coopr-audit --verify >head
}

@test "tenant delete --erase leaves nothing of the tenant but the audit log" {
	own_catalogue
	coopr-tenant create qa
	coopr-member set -T qa -r admin ann
	coopr-store import -T qa mine >log 2>&1
	echo swordfish | coopr-secret set -T qa word
	unset COOPR_CATALOGUE
	coopr-create -T qa zebra -P dummy -t lamp -n 3 >records 2>log
	coopr-tenant create keep
	provider | coopr-store put -T keep -
	run -1 coopr-tenant delete -y --erase qa
	coopr-delete -y --discard-data -T qa zebra >records 2>log
	coopr-tenant delete -y --erase qa
	for table in $(sqlite3 store "SELECT m.name FROM sqlite_schema AS m, pragma_table_info(m.name) AS c WHERE m.type = 'table' AND c.name = 'tenant' AND m.name <> 'audit'"); do
		same "" "$(sqlite3 store "SELECT * FROM $table WHERE tenant NOT IN (SELECT id FROM tenant)")"
	done
	same "default keep superadmin" "$(sqlite3 store 'SELECT name FROM tenant ORDER BY 1' | paste -sd ' ')"
	for table in $(sqlite3 store "SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'audit'"); do
		! sqlite3 store "SELECT * FROM $table" | grep -q -e zebra -e ann || complain "$table has something of qa"
	done
	[ "${wrong:-0}" -eq 0 ]
	same "" "$(sqlite3 store "PRAGMA foreign_key_check")"
	same "erase tenant qa" "$(coopr-audit -A -l 1 -o json | jq -r '.action + " " + .object')"
	coopr-audit --verify >head
	coopr-store fsck
	same 1 "$(coopr-store list -T keep -o json | wc -l)"
	coopr-tenant create qa
	same "" "$(coopr-store list -T qa -o json)"
}

@test "a tenant that has the name of one that was deleted or erased sees nothing of its log" {
	for how in "" --erase; do
		coopr-tenant create qa
		coopr-member set -T qa -r admin ann
		provider | coopr-store put -T qa -
		coopr-store delete -y -T qa provider p
		coopr-tenant delete -y $how qa
		coopr-tenant create qa
		coopr-member set -T qa -r admin eve
		same "put tenant qa,put member eve" "$(COOPR_USER=eve coopr-audit -T qa -o json | jq -r '.action + " " + .object' | paste -sd,)"
		contains "$(coopr-audit -A -o json)" '"member ann"'
		coopr-tenant delete -y --erase qa
	done
	coopr-audit --verify >head
}

@test "the examples of coopr-audit(1)" {
	own_catalogue
	coopr create -q shop -t lamp -n 4
	commands_of "$COOPR_ROOT/man/man1/coopr-audit.1" | sed 's/| logger .*/>verified/' >examples
	bash -eu examples >said
	contains "$(coopr audit -c shop)" create
	contains "$(cat verified)" "$(coopr audit -o json -A | tail -n 1 | jq -r .hash)"
}
