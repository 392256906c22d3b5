#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-tenant, coopr-member, coopr-quota, and who may do what.

load case
load examples
load store

setup() {
	fresh
	export COOPR_STORE=$PWD/store
	unset COOPR_USER SUDO_USER
}

# A tenant "qa" with an admin, ann, and a user, bob; and one "dev" with a user, eve.
two_tenants() {
	coopr-tenant create qa
	coopr-tenant create dev
	coopr-member set -T qa -r admin ann
	coopr-member set -T qa -g ops bob
	coopr-member set -T dev eve
}

# A provider's document: provider NAME [DESCRIPTION]
provider() {
	jq -n --arg name "$1" --arg text "${2:-}" '{name: $name, providertype: "dummy", description: $text}'
}

@test "a tenant is what create and change say; what is not said stays" {
	coopr-tenant create -c 20 --nodes 100 --cost 1.5 -r cpu=400 -d 'Quality assurance' qa
	coopr-tenant change --nodes 200 -r memory=5e3 qa
	coopr-tenant show qa | jq -c '[.description, .quota]' >found
	same '["Quality assurance",{"clusters":20,"cost":1.5,"nodes":200,"resources":{"cpu":400,"memory":5000}}]' "$(cat found)"
	coopr-tenant change -c any -r cpu=any qa
	same '{"cost":1.5,"nodes":200,"resources":{"memory":5000}}' "$(coopr-tenant show qa | jq -c .quota)"
	coopr-tenant show qa | coopr-validate -k tenant -
}

@test "the addresses of a tenant's own machines are ranges, and none at first" {
	coopr-tenant create qa
	same null "$(coopr-tenant show qa | jq -c .addresses)"
	coopr-tenant change --addresses 10.4.0.0/16,2001:db8:4::/64 qa
	coopr-tenant change --nodes 3 qa
	same '["10.4.0.0/16","2001:db8:4::/64"]' "$(coopr-tenant show qa | jq -c .addresses)"
	for wrong in 10.4.0.1/16 10.4.0.0 lab.example.net/32 '10.4.0.0/16,' any; do
		run -65 coopr-tenant change --addresses "$wrong" qa
		contains "$output" "is not a range of addresses, as 10.4.0.0/16"
	done
	coopr-tenant change --addresses 10.5.0.0/16 qa
	same '["10.5.0.0/16"]' "$(coopr-tenant show qa | jq -c .addresses)"
	coopr-tenant change --addresses none qa
	same null "$(coopr-tenant show qa | jq -c .addresses)"
}

@test "a command that only reads makes no store: 66 where there is none" {
	for command in "member list" "member history" "tenant list" "tenant show default" quota usage; do
		# shellcheck disable=SC2086 # words
		run -66 coopr $command
		contains "$output" "$COOPR_STORE: there is no store; coopr-store init makes one"
	done
	[ ! -e "$COOPR_STORE" ]
}

@test "one that is there already, or is not there, is a no" {
	coopr-tenant create qa
	run -1 coopr-tenant create qa
	contains "$output" "tenant qa: it exists already"
	run -1 coopr-tenant change none
	contains "$output" 'no tenant named "none"; coopr tenant list shows the tenants'
	run -1 coopr-tenant delete none
	run -1 coopr-tenant show none
	run -1 coopr-store list -T none
}

@test "a limit that cannot be is refused, and nothing is made" {
	run -65 coopr-tenant create --nodes -1 qa
	contains "$output" "qa: /quota/nodes: "
	run -65 coopr-tenant create --nodes 1.5 qa
	run -65 coopr-tenant create -r cpu=-2 qa
	run -64 coopr-tenant create --nodes many qa
	for amount in nan inf 1e400 0x10; do
		run -64 coopr-tenant create --cost "$amount" qa
		contains "$output" "invalid limit '$amount' of cost: expected a number, or any"
	done
	run -64 coopr-tenant create -r cpu qa
	run -64 coopr-tenant create 'q a'
	run -1 coopr-tenant show qa
}

@test "a quota that is misspelled is none, and told" {
	echo '{"kind": "tenant", "name": "qa", "quota": {"node": 5}}' >qa.json
	run -65 coopr-validate qa.json
	contains "$output" "/quota/node: "
}

@test "bootstrap copies the entities of superadmin, partial templates too" {
	coopr-store init
	coopr-store import -T superadmin "$COOPR_ROOT/share/coopr/catalogue" >/dev/null 2>&1
	echo '{"name": "small", "administration": {}}' | coopr-store put -T superadmin -k partialtemplate >/dev/null 2>&1
	coopr-tenant create --bootstrap qa 2>err
	contains "$(cat err)" "entities copied"
	same "$(coopr-store list -T superadmin -o name)" "$(coopr-store list -T qa -o name)"
	contains "$(coopr-store list -T qa -o name)" partialtemplates/small
	same "$(coopr-store export -T superadmin)" "$(coopr-store export -T qa)"
}

@test "what is deleted is gone, and its name is free for another that sees nothing of it" {
	two_tenants
	provider one | coopr-store put -T qa -k provider >/dev/null 2>&1
	echo swordfish | coopr-secret set -T qa password
	coopr-tenant delete -m 'has ended' qa
	same $'default\ndev\nsuperadmin' "$(coopr-tenant list -o name)"
	run -1 coopr-store list -T qa
	coopr-tenant create qa
	same "" "$(coopr-store list -T qa -o name)"
	same "" "$(coopr-secret list -T qa)"
	same "" "$(coopr-member list -T qa)"
	coopr-store fsck
}

@test "the tenants that have to be cannot be deleted, and of several all or none are" {
	coopr-tenant create qa
	run -1 coopr-tenant delete qa default
	contains "$output" "tenant default: it always exists, and cannot be deleted"
	run -1 coopr-tenant delete superadmin
	coopr-tenant show qa >/dev/null
}

@test "a tenant with a cluster is not deleted" {
	need_program sqlite3
	coopr-tenant create qa
	sqlite3 "$COOPR_STORE" "UPDATE allotment SET last = 1; INSERT INTO cluster (id, tenant, name, owner, status, created_ms, changed_ms)
		SELECT 1, id, 'shop', 'bob', 'active', 1, 1 FROM tenant WHERE name = 'qa'"
	run -1 coopr-tenant delete qa
	contains "$output" "tenant qa: it has 1 cluster; delete it first"
}

@test "tenants are for superadmins, members for admins: 77" {
	two_tenants
	for user in ann bob; do
		run -77 coopr-tenant create --as "$user" other
		contains "$output" "only a superadmin may do that"
		run -77 coopr-tenant change --as "$user" --nodes any qa
		run -77 coopr-tenant change --as "$user" --addresses 10.4.0.0/16 qa
		run -77 coopr-tenant delete --as "$user" qa
		run -77 coopr-store backup --as "$user" copy
		run -77 coopr-store fsck --as "$user"
	done
	run -77 coopr-member set --as bob -T qa -r admin bob
	run -77 coopr-member delete --as bob -T qa ann
	run -77 coopr-member history --as bob -T qa
	coopr-member set --as ann -T qa joe
	coopr-member delete --as ann -T qa joe
}

@test "who looks after all tenants is an admin of superadmin" {
	two_tenants
	coopr-member set -T superadmin -r admin zoe
	coopr-tenant create --as zoe other
	coopr-member set --as zoe -T qa joe
	coopr-store fsck --as zoe
}

@test "only an admin changes entities and secrets; all members read entities" {
	two_tenants
	provider one | coopr-store put --as ann -T qa -k provider >/dev/null 2>&1
	same providers/one "$(coopr-store list --as bob -o name)"
	provider one other >other.json
	run -77 coopr-store put --as bob -k provider other.json
	run -77 coopr-store delete --as bob provider one
	mkdir -p catalogue/providers
	mv other.json catalogue/providers
	run -77 coopr-store import --as bob catalogue
	run -77 bash -c 'echo x | coopr-secret set --as bob name'
	run -77 coopr-secret delete --as bob name
	same ann "$(coopr-store history -o json --as bob provider one | jq -r .by)"
}

@test "another tenant does not exist, by any command" {
	two_tenants
	provider hidden | coopr-store put -T qa -k provider >/dev/null 2>&1
	provider other >other.json
	for command in "coopr-store list" "coopr-store get provider hidden" "coopr-store history provider hidden" "coopr-store export" \
		"coopr-store put -k provider other.json" "coopr-secret list" "coopr-quota" "coopr-member list" "coopr-member set eve" \
		"coopr-member history" "coopr-tenant list" "coopr-tenant show qa"; do
		# shellcheck disable=SC2086 # a command and its arguments
		run -1 $command --as eve -T qa
		contains "$output" 'no tenant named "qa"'
		same "" "$(grep 'did you mean qa' <<<"$output")"
	done
	same dev "$(coopr-tenant list --as eve -o name)"
	run -1 coopr-tenant show --as eve qa
	same "$(coopr-tenant show --as eve none 2>&1 | tr -d '"' | sed s/none/qa/)" "$(coopr-tenant show --as eve qa 2>&1 | tr -d '"')"
}

@test "the tenant is the only one that the user is a member of" {
	two_tenants
	same dev "$(coopr-quota -o json --as eve | jq -r .tenant)"
	same default "$(coopr-quota -o json --as nobody-knows | jq -r .tenant)"
	coopr-member set -T qa eve
	same default "$(coopr-quota -o json --as eve | jq -r .tenant)"
	same qa "$(coopr-quota -o json --as eve -T qa | jq -r .tenant)"
}

@test "only an admin acts as another, and as no superadmin" {
	two_tenants
	run -77 env SUDO_USER=bob coopr-quota -T qa --as ann
	contains "$output" "tenant qa: only its admin may act as ann"
	run -0 env SUDO_USER=ann coopr-member list -T qa --as bob -o name
	same bob "$output"
	run -77 env SUDO_USER=ann coopr-quota -T qa --as root
	run -1 env SUDO_USER=ann coopr-quota -T dev
}

@test "who has become the store's owner by sudo is the user who called it" {
	two_tenants
	provider one | SUDO_USER=ann coopr-store put -T qa -k provider >/dev/null 2>&1
	same ann "$(coopr-store history -o json -T qa provider one | jq -r .by)"
	run -77 env SUDO_USER=bob coopr-store delete -T qa provider one
}

@test "who makes the store by sudo is its superadmin" {
	SUDO_USER=jim coopr-store init
	SUDO_USER=jim coopr-tenant create qa
	same jim "$(coopr-member list -T superadmin -o name)"
	run -77 env SUDO_USER=tom coopr-tenant create dev
}

@test "who may not read the file sees nothing" {
	need_root
	need_program setpriv
	two_tenants
	chmod 755 .
	run ! setpriv --reuid=65534 --clear-groups coopr-tenant list --store "$COOPR_STORE"
	run ! setpriv --reuid=65534 --clear-groups cat "$COOPR_STORE" "$COOPR_STORE-wal" "$COOPR_STORE-shm" "$COOPR_STORE.lock"
	same "600 600 600 600" "$(stat -c %a "$COOPR_STORE" "$COOPR_STORE-wal" "$COOPR_STORE-shm" "$COOPR_STORE.lock" | paste -sd ' ')"
}

@test "every change of a tenant and its members stays in the history: when, who, why" {
	coopr-tenant create -m first qa
	coopr-member set -T qa -r admin -m 'looks after it' ann
	coopr-member set -T qa --as ann -g ops bob
	coopr-member delete -T qa bob
	coopr-member history -o json -T qa | jq -c '[.of, .name, .by == "ann", .why, .document.role]' >found
	same '["tenant","qa",false,"first",null]
["member","ann",false,"looks after it","admin"]
["member","bob",true,null,"user"]
["member","bob",false,null,null]' "$(cat found)"
}

@test "a member has the role and the groups that were said last" {
	coopr-member set -g ops -g dev -g ops bob
	same '["user",["dev","ops"]]' "$(coopr-member list -o json | jq -c '[.role, .groups]')"
	coopr-member set -r admin bob
	same '["admin",[]]' "$(coopr-member list -o json | jq -c '[.role, .groups]')"
	run -64 coopr-member set -r king bob
	run -64 coopr-member set -g 'a b' bob
	run -64 coopr-member set 'b b'
	run -1 coopr-member delete tom
	contains "$output" "user tom is not a member"
	coopr-member set barbara
	run -1 coopr-member delete barbra
	contains "$output" "user barbra is not a member; did you mean barbara?"
}

@test "a quota shows what is in use beside the limit of each" {
	coopr-tenant create --nodes 10 -r cpu=4 qa
	same '{"clusters":{"limit":null,"use":0},"cost":{"limit":null,"use":0},"cpu":{"limit":4,"use":0},"nodes":{"limit":10,"use":0}}' \
		"$(coopr-quota -o json -T qa | jq -c .amounts)"
	coopr-quota -T qa -o table >table
	grep -qE '^cpu +0 +4$' table
	grep -qE '^clusters +0 +any$' table
	run -64 coopr-quota -o name
}

@test "a store of an older version is brought up to date by the first who opens it" {
	need_program sqlite3
	coopr-store init
	provider one | coopr-store put -k provider >/dev/null 2>&1
	older_store "$COOPR_STORE" 2
	same providers/one "$(coopr-store list -o name)"
	coopr-store init --store new
	same "$(sqlite3 new 'PRAGMA user_version')" "$(sqlite3 "$COOPR_STORE" 'PRAGMA user_version')"
	same "2 1" "$(sqlite3 -separator ' ' "$COOPR_STORE.version-2" 'SELECT user_version, count(*) FROM pragma_user_version, entity')"
	coopr-store fsck
}

@test "the examples of coopr-tenant(1), coopr-member(1) and coopr-quota(1)" {
	for page in coopr-tenant coopr-member coopr-quota; do
		commands_of "$COOPR_ROOT/man/man1/$page.1" >examples
		[ -s examples ]
		bash -eu examples >/dev/null 2>&1 || {
			echo "$page"
			return 1
		}
	done
	for command in "coopr-tenant create" "coopr-tenant change" "coopr-tenant delete" "coopr-tenant list" "coopr-member set" \
		"coopr-quota"; do
		coopr-tenant create qa >/dev/null 2>&1 || true
		$command --help | sed -n '/^Examples:/,$s/^  //p' | grep -vE 'create -c|--bootstrap' >examples || true
		[ ! -s examples ] || bash -eu examples >/dev/null
	done
}
