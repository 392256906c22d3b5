#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# The archives of services that the store has recorded: coopr-backup(1).

load case

setup() {
	fresh
	own_catalogue
	store=$COOPR_STATE/store.sqlite3
	archive=$(dirname "$COOPR_BIN")/libexec/coopr/archive
	coopr create -q blog -t lamp -n 4
}

sql() {
	sqlite3 "$store" "$1"
}

# Keeps an archive of the first cluster, and records it as made so many seconds ago.
kept() { # ID SECONDS [SERVICE]
	echo "data of $1" | "$archive" put "$1" >put.json
	sql "INSERT INTO archive SELECT '$1', tenant, id, name, '${3:-mysql}', '00000001-1000', 'h', 1, 1000 * (unixepoch() - $2 - 1),
		1000 * (unixepoch() - $2), $(jq .bytes put.json), $(jq .sum put.json | tr \" "'"), 0 FROM cluster WHERE id = 1"
}

@test "archives are listed, the newest first, of one cluster or of all, in every format" {
	run -0 coopr backup --list -o json
	same "" "$output"
	kept one 100
	kept two 50
	run -0 coopr backup --list blog
	same "ID CLUSTER SERVICE NODE MADE SIZE" "$(echo ${lines[0]})"
	[[ ${lines[1]} =~ ^two\ +blog\ +mysql\ +00000001-1000\ .*\ B$ ]]
	same "two one" "$(coopr backup --list -o name | paste -sd' ')"
	same "00000001 blog mysql 1 $(sha256sum <"$COOPR_STATE/archives/one" | cut -d ' ' -f 1)" "$(coopr backup --list -o json 00000001 |
		jq -r 'select(.id == "one") | "\(.cluster) \(.name) \(.service) \(.operation) \(.sum)"')"
	run -1 coopr backup --list nothing
	run -64 coopr backup --list blog blog
	run -64 coopr backup --list --delete one
	run -64 coopr backup
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
	coopr delete -q -y blog
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
