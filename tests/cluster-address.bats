#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Addresses of clusters' own: %cluster.address% in coopr-macros(7), of the ranges that a provider names.

load case

setup() {
	fresh
	cp -r "$COOPR_ROOT/share/coopr/catalogue" mine
	export COOPR_CATALOGUE=$PWD/mine
	jq '.addresses = ["10.9.0.8/31", "2001:db8::9/128"]' mine/providers/dummy.json >changed && mv changed mine/providers/dummy.json
	jq '.defaults.provider = "dummy" | .defaults.config.vip = {address: "%cluster.address%/24", all: "%map(cluster.address, \u0027[$]\u0027)%"}' \
		mine/clustertemplates/lamp.json >changed && mv changed mine/clustertemplates/lamp.json
}

# The address of a cluster, as its nodes get it.
address() {
	coopr-config --expanded "$1" -o json | jq -r '.config.vip.address | sub("/24"; "")' | sort -u
}

create() {
	coopr-create -q "$1" -t lamp -n 4 "${@:2}"
}

@test "each cluster has an address of its own until it is deleted, which its configuration has by a macro" {
	create a
	create b
	create c
	same '10.9.0.8 10.9.0.9 2001:db8::9' "$(address a) $(address b) $(address c)"
	run -1 --separate-stderr create d
	contains "$stderr" "d: other clusters have all addresses that the provider dummy names"
	same '{"address":"10.9.0.9/24","all":"[10.9.0.9]"}' "$(coopr-config --expanded b/1000 -o json | jq -c .config.vip)"
	# It stays, whatever is done, and another cluster gets it once this one is gone.
	coopr-expand -q -y b -n 5
	coopr-config -q -y b --set vip.more=1
	same 10.9.0.9 "$(address b)"
	coopr-delete -q -y b
	coopr-clone -q -y a d
	same '10.9.0.8 10.9.0.9' "$(address a) $(address d)"
	coopr-store fsck
}

@test "of two creations at once, both have an address, and none has the other's" {
	create a &
	create b || create b
	wait $! || create a
	same '10.9.0.8 10.9.0.9' "$(printf '%s\n' "$(address a)" "$(address b)" | sort | xargs)"
	same '10.9.0.8 10.9.0.9' "$(sqlite3 "$COOPR_STATE/store.sqlite3" "SELECT address FROM cluster ORDER BY address" | xargs)"
	run ! sqlite3 "$COOPR_STATE/store.sqlite3" "UPDATE cluster SET address = '10.9.0.8'"
}

@test "without an address that the provider names, the cluster is not created, unless it is set" {
	jq 'del(.addresses)' mine/providers/dummy.json >changed && mv changed mine/providers/dummy.json
	run -78 --separate-stderr create a
	contains "$stderr" 'a: its configuration has %cluster.address%, and the provider dummy names no addresses'
	create a --set vip=10.9.0.77 --dry-run
	jq '.addresses = ["10.9.0.9/31"]' mine/providers/dummy.json >wrong
	run -65 --separate-stderr coopr-store put -k provider wrong
	contains "$output$stderr" '"10.9.0.9/31" is not a range of addresses'
}
