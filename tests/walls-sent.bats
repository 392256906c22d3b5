#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Documents of all kinds, plans, requests, limits and hooks among them, with names of the host in every string, come to whichever command reads
# standard input, from whoever comes by sudo(8). Then the installation goes on: what has been accepted is done. Nothing of the host or of
# another tenant is touched. Each way is tried by two of the users, others with another $SEED; with WALLS_ALL=1 by all.

load case
load walls

setup() {
	walls_setup
	own_catalogue
	for tenant in qa dev; do
		coopr-store import -q -T $tenant mine 2>/dev/null
	done
	unset COOPR_CATALOGUE
	SUDO_USER=bob COOPR_TENANT=qa coopr-create -q own -t lamp -n 4
	SUDO_USER=eve COOPR_TENANT=dev coopr-create -q theirs -t lamp -n 4
}

teardown() {
	walls_teardown
}

# The commands and subcommands, a line each, with what precedes the operands: each option that takes a file, or the one that names the kind.
ways() {
	local program words option argument

	for program in "$COOPR_BIN"/coopr-*; do
		case $program in
		*.c | */coopr-packages | */coopr-serve) continue ;;
		esac
		{
			echo "${program##*/}"
			"$program" --complete-options | sed -n "s/^subcommand\t\([^\t]*\).*/${program##*/} \1/p"
		} | while read -r words; do
			echo "$words"
			# shellcheck disable=SC2086
			$words --complete-options | tr '\t' '\037' | while IFS=$'\037' read -r what _ option argument _; do
				case $what,$argument in
				option,FILE* | option,DIR*) echo "$words --$option=-" ;;
				option,NAME=FILE* | option,NAME\[=FILE*) echo "$words --$option=own" ;;
				esac
			done
		done
	done
}

# Has a user send a document in this way: sent USER WAY DOCUMENT OPERAND...
sent() {
	local user=$1 way=$2 document=$3

	shift 3
	count=$((count + 1))
	# shellcheck disable=SC2086
	SUDO_USER=$user COOPR_TENANT=qa timeout 30 $way "$@" <<<"$document" >>"$here/out" 2>&1 || [ $? -ne 124 ] || echo "does not end: $way $*" >>"$here/stuck"
}

try_all() {
	local here=$PWD way user document count=0 users=(ann bob eve mallory) i=0 n=${SEED:-1} some

	cd host/work || return
	ln -s ../folder ./-
	while read -r way; do
		n=$((n + 1))
		some=("${users[n % 4]}" "${users[(n + 1 + n / 4 % 3) % 4]}")
		[ -z "${WALLS_ALL:-}" ] || some=("${users[@]}")
		for user in "${some[@]}"; do
			read -r document || return
			i=$((i + 1))
			case $((i % 4)) in
			0) sent "$user" "$way" "$document" ;;
			1) sent "$user" "$way" "$document" - ;;
			2) sent "$user" "$way" "$document" own ;;
			3) sent "$user" "$way" "$document" own - ;;
			esac
		done <&8
	done <"$here/ways" 8<"$here/documents"
	echo "$count" >"$here/count"
	coopr-reconcile >>"$here/out" 2>&1
	coopr-work --drain >>"$here/out" 2>&1
	coopr-hook deliver >>"$here/out" 2>&1
}

# What there is of another tenant, and of the installation.
others() {
	for tenant in dev superadmin; do
		coopr-store export -T $tenant
		coopr-member list -T $tenant -o json
		coopr-secret list -T $tenant -o json
		coopr-tenant show $tenant
	done
	coopr-tenant show qa
	coopr-show -T dev theirs -o json
	coopr-config -T dev theirs
	coopr-history -T dev theirs -o json
	find "$HOME" -maxdepth 1 -type f -exec sha256sum {} + | sort
}

@test "whatever document comes to whichever command, from whomever, nothing of the host or of another tenant is touched" {
	echo "seed ${SEED:-1}"
	mkdir -p host/folder/services host/folder/jobs
	echo "$WALLS_WORD" >host/folder/services/canary.json
	others >before
	ways >ways
	[ "$(wc -l <ways)" -ge 100 ]
	kinds=$(find "$COOPR_ROOT/share/coopr/schema" -name '*.json' ! -name definitions.json -printf '%f\n' | sort | sed 's/\.json$//' | tr '\n' ' ')
	walls_documents "$kinds" | jq -c '{kind} + .document' | shuf --random-source=<(yes "${SEED:-1}") >documents
	[ "$(jq -r .kind documents | sort -u | wc -l)" -ge 20 ]
	: >out
	: >stuck
	export -f sent
	traced try_all
	nothing_was_touched spool
	same "" "$(cat stuck)"
	[ "$(cat count)" -ge 200 ]
	others >after
	same "$(cat before)" "$(cat after)"
}

# A guest's own folder, whatever it leads to: called "-".
@test "a file or folder called - is not what a guest means by -" {
	local option

	mkdir -p host/folder/scripts host/folder/services
	echo "$WALLS_WORD" >host/folder/scripts/canary.sh
	cd host/work
	ln -s ../folder ./-
	export COOPR_TENANT=qa SUDO_USER=ann
	run -77 coopr-export -
	contains "$output" "only a superadmin may name files"
	echo '{"kind":"provider","name":"p","providertype":"dummy"}' | coopr-import -q -
	same "" "$(coopr-resource list -o name)"
	for option in --spool=- --store=-; do
		run -77 coopr-list $option
		run -77 coopr-log $option own
		run -77 coopr-delete -y $option own
	done
	run -77 coopr-create -C - -t lamp -n 4 another
	run -77 coopr-apply -C - -f - </dev/null
	same "canary.sh" "$(ls ../folder/scripts)"
	same "" "$(ls ../folder/services)"
	coopr-config -q -y --config - own <<<'{"a": 1}'
	same '{"a":1}' "$(coopr-config own -o json | jq -c .)"
}
