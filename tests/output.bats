#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-output(7): tables and text for people wherever they go to, records for programs in the format that -o asks for, and a
# reader that has seen enough.

load case
load examples

setup() {
	fresh
	need_program jq
	own_catalogue
	unset COOPR_OUTPUT SUDO_USER COOPR_USER
}

make_clusters() {
	coopr create shop -t lamp -n 4 >shop.text 2>log
	coopr create blog -t lamp -n 4 >blog.text 2>log
}

# Reads one character, and leaves.
peek() {
	head -c 1 >/dev/null
}

@test "commands for people print tables and text into pipes and files" {
	make_clusters
	contains "$(<shop.text)" "Done in"
	contains "$(coopr list | head -n 1)" "STATE"
	contains "$(coopr status shop | cat)" "shop  active"
	contains "$(coopr show shop | cat)" "cluster    shop (00000001)"
	contains "$(coopr history shop | cat)" "create"
	contains "$(coopr events shop | cat)" ": done"
	contains "$(coopr queue ls | cat)" "JOB"
	contains "$(coopr queue show 00000001-001 | cat)" ", took "
	contains "$(coopr queue stats | cat)" "workers"
	contains "$(coopr queue limit | cat)" "LIMIT"
	contains "$(coopr queue watch --since start --no-follow 00000001-001 | cat)" ": done"
	contains "$(coopr queue report 00000001-001 | cat)" "Critical path"
	contains "$(coopr usage | cat)" "NODE-HOURS"
	contains "$(coopr quota | cat)" "RESOURCE      IN USE"
	contains "$(coopr tenant list | cat)" "DESCRIPTION"
	contains "$(coopr doctor --settings | cat)" "SETTING"
	contains "$(coopr restart --dry-run shop | cat)" "restart"
	contains "$(coopr request -t lamp -n 4 --name x | coopr solve | coopr show | cat)" "HOSTNAME"
	same 0 "$(coopr list | grep -c $'\033')"
}

@test "records are the same as JSON, as YAML and through a template" {
	make_clusters
	same "blog 4,shop 4" "$(coopr list -o json | jq -r '"\(.name) \(.nodes)"' | paste -sd,)"
	same "blog 4,shop 4," "$(coopr list -o jsonpath='{.name} {.nodes},')"
	same "$(coopr list -o json | jq -r .id)" "$(coopr list -o jsonpath='{.id}{"\n"}')"
	coopr list -o yaml >list.yaml
	same 1 "$(grep -c '^---$' list.yaml)"
	same "blog shop" "$(sed -n 's/^name: //p' list.yaml | paste -sd' ')"
	for command in "status shop" "show shop" "history shop" "events shop" "queue ls" "queue show 00000001-001" \
		"queue show --tasks 00000001-001" "queue show --plan 00000001-001" "queue stats" "queue stats --expect" "queue limit" \
		"queue report 00000001-001" "queue watch --since start --no-follow 00000001-001" "usage" "usage --queue" "quota" \
		"tenant list" "doctor --settings" "restart --dry-run shop"; do
		# shellcheck disable=SC2086 # words
		coopr $command -o json >"records" 2>log
		# shellcheck disable=SC2086 # words
		same "$(jq -r .kind records)" "$(coopr $command -o jsonpath='{.kind}{"\n"}' 2>log)"
		# shellcheck disable=SC2086 # words
		same "$(jq -r .kind records)" "$(coopr $command -o yaml 2>log | sed -n 's/^kind: //p')"
	done
}

@test "YAML is what a parser of YAML makes JSON of" {
	need_program python3
	python3 -c 'import yaml' 2>/dev/null || skip "needs the module yaml of python3"
	make_clusters
	coopr show shop -o json | jq -S . >wanted
	coopr show shop -o yaml | python3 -c '
import json, sys, yaml
for document in yaml.safe_load_all(sys.stdin):
    print(json.dumps(document))' | jq -S . >found
	cmp wanted found
}

@test "-o name gives operands of other commands, with all tenants and with terminated clusters too" {
	make_clusters
	coopr delete -y blog >/dev/null 2>&1
	same shop "$(coopr list -o name)"
	same shop "$(coopr show -o name 00000001)"
	same shop/1001 "$(coopr show -o name shop/1001)"
	coopr list -o name | xargs -n1 coopr status
	coopr list -A -o name | xargs -n1 coopr status
	same "00000002,shop" "$(coopr list --status all -o name | sort | paste -sd,)"
	coopr list --status all -o name | xargs -n1 coopr history >/dev/null
	coopr queue ls -o name | xargs -n1 coopr queue show >/dev/null
	coopr tenant list -o name | xargs -n1 coopr tenant show >/dev/null
}

@test "a template that is wrong is refused with its place, before anything is done" {
	run --separate-stderr -64 coopr list -o jsonpath='{.name'
	same "coopr-list: --output: jsonpath template: column 7: expected '}'; see coopr-output(7)" "$stderr"
	run --separate-stderr -64 coopr list -o jsonpath=name
	contains "$stderr" "it has no path in braces, such as {.name}"
	run --separate-stderr -64 coopr list -o jsonpath
	contains "$stderr" "expected table|wide|name|json|yaml|jsonpath=TEMPLATE, found 'jsonpath'; did you mean 'jsonpath='?"
	run --separate-stderr -64 coopr create shop -t lamp -n 4 -o jsonpath='{.name'
	[ ! -e "$COOPR_STATE/store.sqlite3" ]
	run --separate-stderr -64 coopr list -o xml
	run --separate-stderr -64 coopr queue show --plan -o name 00000001-001
}

@test "a list of nothing says so on stderr, and as records is empty" {
	make_clusters
	run --separate-stderr -0 coopr list --search nothing
	same "|coopr-list: no clusters" "$output|$stderr"
	for format in json yaml name jsonpath='{.name}'; do
		run --separate-stderr -0 coopr list --search nothing -o "$format"
		same "|" "$output|$stderr"
	done
	run --separate-stderr -0 coopr secret list
	same "|coopr-secret list: no secrets" "$output|$stderr"
}

@test "a reader that leaves early is no trouble to commands for people, whatever they print" {
	make_clusters
	set -e -o pipefail
	# More than a pipe holds: the writer is there when its reader leaves.
	for i in {1..300}; do
		cat "$COOPR_STATE/clusters/00000001/00000001-001/plan.ndjson"
	done >long 2>log
	[ "$(wc -c <long)" -gt 1000000 ]
	coopr show ./long 2>said | peek
	same "" "$(<said)"
	coopr show -o json ./long 2>said | peek
	same "" "$(<said)"
	coopr show -o yaml ./long 2>said | peek
	same "" "$(<said)"
	for command in list "list -o json" "status shop" "show shop" "history shop" "events shop" "queue ls" usage \
		"doctor --settings" "restart --dry-run shop"; do
		# shellcheck disable=SC2086 # words
		coopr $command 2>said | true
		same "" "$(<said)"
	done
	coopr list | grep -q shop
}

@test "who follows an operation ends with its reader, and the operation goes on" {
	stubborn_service
	mkfifo arrived gate
	exec 6<>gate 7<>arrived
	coopr create shop -t lamp -n 4 >text 2>log
	: >wait
	coopr add -y shop stubborn >now 2>&1 3>&- 6>&- 7>&- &
	read -r -t 60 -u 7 _
	set -o pipefail
	for command in "log -f shop" "events -f shop" "queue watch --since start 00000001-002"; do
		# shellcheck disable=SC2086 # words
		coopr $command 2>said | true
		same "" "$(<said)"
	done
	rm wait
	printf 'go\n%.0s' {1..20} >&6
	wait
	exec 6>&- 7>&-
	same active "$(coopr list -o jsonpath='{.status}')"
}

@test "what an operation has changed is records, too" {
	make_clusters
	same "$(coopr history -d 1 -o wide shop)" "$(coopr history -d 1 -o=jsonpath='{.text}{"\n"}' shop)"
	same difference "$(coopr history -d 1 -o=json shop | jq -r .kind | sort -u)"
}

@test "the job that is left to workers is a record, too" {
	make_clusters
	same "begun 00000001-002" "$(coopr restart -y shop --detach -o json | jq -r '"\(.kind) \(.job)"')"
	same 00000002-002 "$(coopr restart -y blog --detach)"
}

@test "the examples of the page" {
	make_clusters
	sed -n 's/^\$ //p' "$COOPR_ROOT/man/man7/coopr-output.7" | plain >examples
	same 4 "$(wc -l <examples)"
	number=0
	while read -r line; do
		number=$((number + 1))
		bash -euo pipefail -c "$line" >"said.$number" 2>log </dev/null || [ "$number" -eq 1 ]
	done <examples
	same "blog has 4 nodes,shop has 4 nodes" "$(paste -sd, said.4)"
	contains "$(<said.3)" active
	sed -n '/^if coopr list/,/^fi/p' "$COOPR_ROOT/man/man7/coopr-output.7" >script
	contains "$(bash -euo pipefail ./script)" "shop  active"
}

@test "documents are indented JSON, and what else -o says" {
	make_clusters
	[ "$(coopr config shop | wc -l)" -gt 10 ]
	same "$(coopr config shop | jq -cS .)" "$(coopr config shop -o json)"
	same "%ip.self%" "$(coopr config shop -o jsonpath='{.mysql.bind-address}')"
	coopr config shop -o yaml >config.yaml
	coopr config --config config.yaml --dry-run shop >unchanged 2>&1 || true
	grep -q "^mysql:" config.yaml
	same default "$(coopr tenant show default -o jsonpath='{.name}')"
}

@test "a full disk is trouble to all of them" {
	make_clusters
	for command in list "list -o yaml" "list -o jsonpath={.name}" "status shop" "show shop" "queue ls"; do
		code=0
		# shellcheck disable=SC2086 # words
		coopr $command >/dev/full 2>said || code=$?
		same 74 "$code"
		contains "$(<said)" "No space left on device"
	done
}

@test "the format that a person prefers is for terminals: pipes get the table" {
	make_clusters
	contains "$(COOPR_OUTPUT=json coopr list)" "STATE"
	contains "$(COOPR_OUTPUT=yaml script -qec 'coopr list' /dev/null)" "kind: clusterstatus"
	contains "$(COOPR_OUTPUT=yaml script -qec 'coopr list -o table' /dev/null)" "STATE"
}

@test "on a narrow terminal the services of a node are folded below one another; in a pipe they are one line" {
	need_program python3
	make_clusters
	coopr show shop >whole
	"$BATS_TEST_DIRNAME/terminal" '' sh -c 'stty cols 80; exec coopr show --color never shop' | tr -d '\r' >folded
	same "" "$(awk 'length > 80 && !/state/' folded)"
	[ "$(wc -l <folded)" -gt "$(wc -l <whole)" ]
	services() { sed -n '/^NODE/,/^$/p' "$1" | tail -n +2 | cut -c "$2-" | xargs -n1; }
	column=$(awk '/^NODE/ {print index($0, "SERVICES")}' whole)
	same "$(services whole "$column")" "$(services folded "$column")"
}

@test "a status that does not exist is misuse before there is a store, and a folder is no store for any command" {
	run --separate-stderr -64 coopr list --status bogus
	contains "$stderr" 'unknown status "bogus"'
	mkdir folder
	for command in list quota "show x" "hook list" "store list" "store init" "usage" "create x -t lamp"; do
		# shellcheck disable=SC2086 # words
		COOPR_STORE=$PWD/folder run --separate-stderr -66 coopr $command
		contains "$stderr" "/folder: is a folder; a store is a file"
	done
	same "" "$(ls -A folder)"
}

@test "a long argument that is no format is not repeated whole" {
	long=$(printf 'x%.0s' {1..3000})
	run -64 coopr-queue ls -o "$long"
	[ "${#output}" -lt 300 ]
	contains "$output" "..."
}
