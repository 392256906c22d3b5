#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# What is done to clusters by people who are mistaken, in each other's way, interrupted, or short of room: coopr-clusters(7).

load case

setup() {
	fresh
	cp -R "$COOPR_ROOT/share/coopr/catalogue" mine
	jq '.provisioner = {}' "$COOPR_ROOT/share/coopr/catalogue/providers/dummy.json" >mine/providers/dummy.json
	sed -i 's/"delay_ms": *"[0-9]*"/"delay_ms": "0"/' mine/services/*.json
	export COOPR_CATALOGUE=$PWD/mine
}

kept() {
	find "$COOPR_STATE/clusters" -mindepth 1 -maxdepth 2 -name '*[.0-9]*-*' -o -mindepth 1 -maxdepth 1 | sort | sed 's|.*/||'
}

@test "what cannot be leaves nothing behind, and nothing of it gets into the next operation" {
	coopr create blog -t lamp -n 4 >records 2>log
	kept >before
	for words in "add blog nginx" "add blog nginx --dry-run" "add blog nonsuch" "create shop -t lamp -n 400" \
		"create shop -t lamp -n 400 --dry-run" "create shop -t nonsuch" "create shop -t nonsuch --dry-run"; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr -1 coopr $words
		kept >after
		cmp before after
	done
	mkdir "$COOPR_STATE/clusters/00000001/00000001-002" # as one that was killed has it
	echo '{"kind":"request"}' >"$COOPR_STATE/clusters/00000001/00000001-002/request.json"
	coopr restart blog >records 2>log
	[ ! -e "$COOPR_STATE/clusters/00000001/00000001-002/request.json" ]
	coopr expand blog >records 2>log
	same 5 "$(grep -c '"kind":"node"' records)"
}

@test "a name is no option, no hidden file, no id, and nothing odd" {
	coopr create blog -t lamp -n 4 >records 2>log
	kept >before
	for name in -x .x 00000001 00000099 'a b' '' $'a\nb' ../x $'\xff' ä; do
		run --separate-stderr -64 coopr create -t lamp -n 4 -- "$name"
		contains "$stderr" "cannot be the name of a cluster: "
		run --separate-stderr -64 coopr rename blog -- "$name"
		contains "$stderr" "cannot be the name of a cluster: "
	done
	kept >after
	cmp before after
}
