#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Every route of coopr-serve(1), asked by everybody: coopr-api(7), coopr-security(7). REQUESTS=100000 asks that often.

load case
load serve

setup() {
	serve_setup
}

teardown() {
	kill "${worker-}" 2>/dev/null || :
	serve_end
}

# Prints one who asks, as serve-walk.py reads it: asker NAME ROLE TENANT BY [MEMBER VALUE]...
asker() {
	jq -cn '$ARGS.positional as $a | {name: $a[0], role: (if $a[1] == "" then null else $a[1] end), tenant: (if $a[2] == "" then null else $a[2] end),
		by: $a[3]} + ([range(4; $a | length; 2) | {($a[.]): ($a[. + 1] | (tonumber? // .))}] | add // {})' --args "$@"
}

# Makes a tenant with things that are known by their names, and whose other strings have "canary" in them.
make_known() {
	coopr-tenant create --description canary-description known-tenant
	coopr-member set -T known-tenant -r admin known
	coopr-member set -T known-tenant canary-member
	coopr-import -yq -T known-tenant mine
	jq -n '{kind: "hardwaretype", name: ("known-type", "canary-type"), description: "canary-words", providermap: {dummy: {flavor: "canary-flavor"}}}' |
		coopr-store put -q -T known-tenant -
	for name in known-cluster canary-cluster; do
		coopr-create -q --detach --as known -T known-tenant -t lamp -n 4 -P dummy -m canary-why --set php.x=canary-setting "$name"
	done
	for name in known-word canary-word; do
		echo canary-hidden | coopr-secret set -T known-tenant "$name"
	done
	for name in known-file canary-file; do
		echo canary-bytes | coopr-resource upload -q -T known-tenant --sync "automator/shell/files/$name" -
	done
	coopr-token create --as known -T known-tenant canary-token >/dev/null
	coopr-user add -q -T known-tenant canary-user
}

# Prints a user who has a password.
user_with_password() {
	coopr-user add -q "${@:2}" "$1" >/dev/null
	echo "PASSWORD of $1" | coopr-user password -q "$1"
}

@test "everybody who asks every route, whatever and however, gets an answer that the description has, and none that is not theirs" {
	need_program python3
	make_known
	coopr-tenant create --clusters 20 qa
	coopr-import -yq -T qa mine
	coopr-create -q --detach -T qa -t lamp -n 4 -P dummy shop
	user_with_password zoe -r superadmin
	user_with_password boss -T qa -r admin
	for role in read-only user admin; do
		coopr-member set -T qa -r "$role" "of-$role"
		[ "$role" = read-only ] ||
			asker "token-$role" "$role" qa token token "$(coopr-token create --as "of-$role" -T qa own)"
		asker "limited-$role" "$role" qa token token "$(coopr-token create -T qa -r "$role" limited)"
	done >askers
	{
		asker superadmin superadmin '' socket uid "$(id -u)"
		asker session-superadmin superadmin '' session user zoe password 'PASSWORD of zoe'
		asker session-admin admin qa session user boss password 'PASSWORD of boss'
		asker session-of-another-site admin qa session user boss password 'PASSWORD of boss' forgets 1
		asker wrong-token '' qa token token coopr_wrong
		asker nobody '' qa nobody
		if [ "$(id -u)" = 0 ]; then
			coopr-member set -T qa -r user daemon
			asker socket-user user qa socket uid "$(id -u daemon)"
			asker socket-stranger user default socket uid 54321
		fi
	} >>askers
	serve --listen 127.0.0.1:0
	coopr-work --drain >work.log 2>&1
	coopr-status -q -T qa shop >/dev/null
	coopr-work >>work.log 2>&1 3>&- &
	worker=$!
	cat >state-of <<-'END'
		#!/bin/sh
		[ "$1" = all ] || where="WHERE tenant = (SELECT id FROM tenant WHERE name = 'known-tenant')"
		for table in member token cluster entity secret resource; do
			# What a cluster was last seen to be, each who looks may record.
			columns=*
			[ "$table" != cluster ] || columns='id, tenant, name, owner, grp, status, changed_ms, expires_ms, nodes, cost, revision'
			sqlite3 "$COOPR_STATE/store.sqlite3" "SELECT '$table', $columns FROM $table $where"
		done
	END
	chmod +x state-of
	echo "SEED=${SEED:=1}"
	export SEED
	python3 -B "$BATS_TEST_DIRNAME/serve-walk.py" "$SOCKET" "$(sed -n 's|.*serving on \(http://.*\)|\1|p' serve.log)" \
		"$(cd "$COOPR_BIN" && find . -name 'coopr-*' ! -name '*.*' -printf '%f\n' | sed 's/coopr-//')" "$PWD/state-of" <askers >wrong 2>asked
	head -n 50 wrong
	cat asked
	[ ! -s wrong ]
}
