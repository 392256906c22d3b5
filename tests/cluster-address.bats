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

@test "of many creations at once, each gets an address as long as there are free ones, and the others get the reason" {
	local i jobs=() codes=()

	jq '.addresses = ["10.9.0.8/30", "2001:db8::9/128"]' mine/providers/dummy.json >changed && mv changed mine/providers/dummy.json
	for i in 1 2 3 4 5 6 7; do
		create "c$i" 2>"said.$i" &
		jobs+=($!)
	done
	for i in "${jobs[@]}"; do
		wait "$i" && codes+=(0) || codes+=($?)
	done
	same '0 0 0 0 0 1 1' "$(printf '%s\n' "${codes[@]}" | sort -n | xargs)"
	same 2 "$(cat said.* | grep -c 'c[1-7]: other clusters have all addresses that the provider dummy names')"
	sqlite3 "$COOPR_STATE/store.sqlite3" "SELECT name, address FROM cluster WHERE status = 'active' ORDER BY address" >recorded
	same '10.9.0.10 10.9.0.11 10.9.0.8 10.9.0.9 2001:db8::9' "$(cut -d '|' -f 2 recorded | xargs)"
	while IFS='|' read -r name address; do
		same "$address" "$(address "$name")"
	done <recorded
	# Nothing is left of those that got none.
	same 5 "$(sqlite3 "$COOPR_STATE/store.sqlite3" 'SELECT count(*) FROM cluster')"
	same 5 "$(find "$COOPR_STATE/clusters" -mindepth 1 -maxdepth 1 -type d | wc -l)"
	run ! sqlite3 "$COOPR_STATE/store.sqlite3" "UPDATE cluster SET address = '10.9.0.8'"
	coopr-store fsck
}

@test "a saved plan whose address another cluster has got since is refused, and says how to plan again" {
	create a --save a.plan
	create b
	run -1 --separate-stderr coopr-run a.plan
	contains "$stderr" 'a: the address 10.9.0.8 was given to another cluster since the plan was made' 'to plan again: coopr create a'
	create a
	same '10.9.0.9 10.9.0.8' "$(address a) $(address b)"
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
