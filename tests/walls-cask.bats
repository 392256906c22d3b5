#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Documents of Cask's Coopr that somebody else has made, with names of the host in any string, come to coopr-import: from members of a tenant,
# and, what becomes a cluster specification, from a superadmin.

load case
load walls

setup() {
	walls_setup
}

teardown() {
	walls_teardown
}

try_all() {
	local here=$PWD document users=(ann ann bob eve mallory) i=0

	exec 9<"$HOME"
	cd host/work || return
	while read -r document; do
		i=$((i + 1))
		SUDO_USER=${users[i % 5]} COOPR_TENANT=qa coopr-import -q - <<<"$document" >>"$here/out" 2>&1 && echo "$i" >>"$here/stored"
		jq -e 'has("clusterTemplate")' <<<"$document" >"$here/is" 2>&1 && coopr-import -q --specs "$here/specs" - <<<"$document" >>"$here/out" 2>&1
	done <"$here/documents"
	echo "$i" >"$here/tried"
}

@test "whatever a document of Cask's Coopr says, importing it opens nothing of the host, and writes specifications in their folder alone" {
	judges_see_it
	echo "seed ${SEED:-1}"
	templates=$COOPR_SHARED/data/coopr-templates
	[ -d "$templates" ] || templates=
	walls_spellings | python3 -B "$BATS_TEST_DIRNAME/walls-cask.py" "${CASES:-80}" "$templates" "$BATS_TEST_DIRNAME"/cask/*.json >documents
	coopr-store export -T dev >before
	find . -path ./state -prune -o -path ./specs -prune -o -type f -print | sort >files
	: >stored
	traced try_all
	nothing_was_touched specs
	[ "$(cat tried)" -ge "${CASES:-80}" ]
	[ -s stored ]
	same "" "$(find specs -mindepth 1 ! -name '[A-Za-z0-9]*.json')"
	[ -n "$(find specs -name '*.json')" ]
	same "$(cat before)" "$(coopr-store export -T dev)"
	same "" "$(find . -path ./state -prune -o -path ./specs -prune -o -type f -print | grep -vxFf files | grep -vxE './(files|out|is|stored|tried|trace|store.*)')"
}
