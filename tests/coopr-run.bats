#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-run(1): plans that are saved, and carried out exactly as they were shown, or not at all.

load case
load examples

setup() {
	fresh
	own_catalogue
	stubborn_service
}

store() { # SQL
	sqlite3 -separator ' ' "$COOPR_STATE/store.sqlite3" "$1"
}

make_blog() {
	coopr create -o json blog -t lamp -n 4 >made 2>log
}

# The records of the plan that is in a file, behind the request and the layout.
plan_in() {
	jq -c 'select(.kind == "job" or .kind == "task" or .kind == "milestone")' "$1"
}

@test "--save shows the plan, begins nothing, and keeps it in a file that only its owner reads" {
	make_blog
	store "SELECT * FROM operation" >before
	coopr expand -n 6 --dry-run -o json blog >shown
	run --separate-stderr -0 coopr expand -n 6 --save bigger -o json blog
	same "$(cat shown)" "$output"
	contains "$stderr" "bigger: plan saved; coopr run bigger carries out exactly this"
	same 600 "$(stat -c %a bigger)"
	same "savedplan expand coopr expand --machines=6 blog" "$(head -n 1 bigger | jq -r '"\(.kind) \(.action) \(.command)"')"
	same "$(plan_in shown)" "$(plan_in bigger)"
	store "SELECT * FROM operation" >after
	cmp before after
	same 00000001-001 "$(coopr-queue ls -o json | jq -r .job)"
	run --separate-stderr -0 coopr run --dry-run -o json bigger
	same "$(cat shown)" "$output"
	contains "$stderr" "coopr-run: bigger: the plan of coopr expand --machines=6 blog, made by $(id -un) at 20"
}

@test "--save - prints the plan that is saved, and nothing else: a pipe shows it, and carries it out" {
	make_blog
	coopr expand -n 6 --save - blog >bigger 2>log
	same "" "$(cat log)"
	same "savedplan seal" "$(jq -r .kind bigger | sed -n '1p;$p' | paste -sd ' ')"
	coopr expand -n 6 --save file blog >shown
	same "$(cat shown)" "$(coopr run --dry-run - <bigger)"
	coopr expand -n 6 --save - blog | coopr run -yq -
	same 6 "$(coopr list -o json | jq .nodes)"
	run -74 sh -c 'coopr expand -n 7 --save - blog >/dev/full'
}

@test "it is carried out as it was shown, whatever has become of the entities; a second time it is refused" {
	make_blog
	coopr expand -o json -n 6 --save bigger -m because blog >shown 2>log
	sed -i 's/"expect_s": *[0-9]*/"expect_s": 999/' mine/services/*.json
	coopr run -o json bigger >now 2>log
	same "$(plan_in bigger)" "$(plan_in "$COOPR_STATE/clusters/00000001/00000001-002/plan.ndjson")"
	same "6 6" "$(store "SELECT nodes FROM cluster") $(jq -s 'map(select(.kind == "node")) | length' now)"
	same "expand complete because" "$(store "SELECT action, status, why FROM operation WHERE number = 2")"
	same "$(coopr config blog)" "$(coopr config blog)"
	run --separate-stderr -1 coopr run bigger
	contains "$stderr" "blog: this plan has been carried out already, as job 00000001-002"
	run --separate-stderr -1 coopr run --dry-run bigger
	same 2 "$(store "SELECT count(*) FROM operation")"
}

@test "coopr show of a saved plan prints what --dry-run printed, and says whether it can be carried out" {
	make_blog
	for words in "create shop -t lamp -n 4" "config --set php.memory=32M blog" "restart blog mysql" "shrink -n 3 blog" "upgrade blog" \
		"delete blog"; do
		# shellcheck disable=SC2086 # words
		coopr $words --dry-run -o table -j 2 >dry 2>log
		# shellcheck disable=SC2086 # words
		coopr $words --save plan -o table -j 2 >saved 2>log
		run --separate-stderr -0 coopr show -o table ./plan
		echo "$words"
		same "$(cat dry)" "$output"
		cmp dry saved
		contains "$stderr" "./plan: the plan of coopr "
		contains "$stderr" "is as it was then; coopr run ./plan carries out exactly this"
	done
	coopr restart blog >now 2>log
	run --separate-stderr -0 coopr show -o table ./plan
	same "$(cat dry)" "$output"
	contains "$stderr" "it cannot be carried out: blog: the cluster has changed since the plan was made"
	sed 's/"lease_ms"/"lost_ms"/' plan >edited
	run --separate-stderr coopr show -o table ./edited
	contains "$stderr" "save the plan again"
	jq -c 'select(.kind != "seal") | del(.basis)' plan >early
	jq -c 'select(.kind == "seal")' plan >>early
	run --separate-stderr -0 coopr show -o table ./early
	contains "$output" "4 to be removed"
	same savedplan "$(coopr show -o json ./plan | jq -r .kind | head -n 1)"
}

@test "each command that plans saves it: clusters are made, changed and deleted so" {
	for words in "create shop -t lamp -n 4 --set php.memory=64M" "config --set php.memory=32M blog" "restart blog mysql" "remove blog memcached" \
		"add blog memcached" "shrink -n 3 blog" "replace blog 00000001-1000" "upgrade blog" "stop blog" "start blog" "clone blog copy" \
		"delete --graceful blog"; do
		[ -e made ] || make_blog
		# shellcheck disable=SC2086 # words
		coopr $words --save plan >shown 2>log
		coopr run -o json -y plan >now 2>log
	done
	same "shop copy" "$(coopr list -o name | sort -r | paste -sd' ')"
	same "64M 32M" "$(coopr config shop | jq -r .php.memory) $(coopr config copy | jq -r .php.memory)"
	same 3 "$(store "SELECT count(*) FROM operation WHERE action = 'create' AND status = 'complete'")"
}

unmeasured() {
	jq -c 'del(.critical_path_s, .expect_s, .expected_p90_s, .expected_s, .p90_s, .rank, .runs, .unmeasured)' "$1"
}

@test "what it leaves in the folders and in the store is what the command itself leaves" {
	make_blog
	for words in "create shop -t lamp -n 4 --set php.memory=64M" "expand blog" "restart blog mysql"; do
		cp -R state before
		# shellcheck disable=SC2086 # words
		coopr $words >now 2>log
		store "SELECT action, wish, before, wanted, prices FROM operation NATURAL JOIN operation_document" >documents
		mv state straight
		mv before state
		# shellcheck disable=SC2086
		coopr $words --save plan >shown 2>log
		rm -rf spool
		coopr run -o json plan >now 2>log
		store "SELECT action, wish, before, wanted, prices FROM operation NATURAL JOIN operation_document" | cmp - documents
		for file in state/clusters/*/*/{request.json,layout.ndjson,plan.ndjson,was.ndjson}; do
			# Durations are measured anew, and never the same.
			[ ! -e "$file" ] || cmp <(unmeasured "$file") <(unmeasured "straight/${file#*/}")
		done
		rm -rf straight
	done
}

@test "a new cluster has the id that it was planned with, and its planner's name; nobody else gets that id" {
	coopr create -o json shop -t lamp -n 4 --save plan >shown 2>log
	make_blog
	same "00000001 00000002" "$(head -n 1 plan | jq -r .cluster) $(coopr list -o json | jq -r .id)"
	coopr run -o json plan >now 2>log
	same "00000001-1000 shop1-1000.lamp.example.net" "$(jq -r 'select(.kind == "node") | "\(.id) \(.hostname)"' now | head -n 1)"
	coopr delete -y shop 2>log
	run --separate-stderr -1 coopr run plan
	contains "$stderr" "shop: this plan has been carried out already, as job 00000001-001"
	same 00000002 "$(ls "$COOPR_STATE/clusters")"
}

@test "it is refused where the cluster has changed: by an operation, a new name or lease, or one that is under way" {
	make_blog
	coopr restart -o json --save plan blog >shown 2>log
	coopr expand -o json blog >now 2>log
	run --separate-stderr -1 coopr run plan
	contains "$stderr" "blog: the cluster has changed since the plan was made, at 20"
	contains "$stderr" ": expand by $(id -un) (complete); see coopr history blog; to plan again: coopr restart blog --save FILE"
	coopr restart -o json --save plan blog >shown 2>log
	coopr rename blog store
	run --separate-stderr -1 coopr run plan
	contains "$stderr" "store: the cluster has changed since the plan was made, at 20"
	coopr restart -o json --save plan store >shown 2>log
	coopr lease store 2d
	run --separate-stderr -1 coopr run plan
	coopr delete -o json --save plan store >shown 2>log
	coopr expand --detach store >job 2>log
	run --separate-stderr -1 coopr run plan
	contains "$stderr" "expand by $(id -un) (running)"
	same running "$(coopr-queue show -o json "$(cat job)" | jq -r .status)"
	coopr retry -o json store >now 2>log
	same "5" "$(store "SELECT max(number) FROM operation")"
}

@test "it is refused where the cluster has failed, was tried again, or is gone" {
	make_blog
	touch broken
	run -1 coopr add blog stubborn
	coopr config -o json --set php.memory=1M --save plan blog >shown 2>log
	rm broken
	coopr retry -o json blog >now 2>log
	run --separate-stderr -1 coopr run plan
	contains "$stderr" "its status is active, and was inconsistent"
	coopr config -o json --set php.memory=1M --save plan blog >shown 2>log
	coopr delete -y blog 2>log
	make_blog
	run --separate-stderr -1 coopr run plan
	contains "$stderr" "blog (00000001): the cluster is terminated"
	same "4 active" "$(store "SELECT nodes, status FROM cluster WHERE id = 2")"
}

@test "one that fails is tried again by the same command, and its failure is not another's to go on with" {
	make_blog
	touch broken
	coopr add -o json --save plan blog stubborn >shown 2>log
	cp plan other
	coopr add -o json --save plan blog stubborn >shown 2>log
	run -1 coopr run plan
	run --separate-stderr -1 coopr run other
	contains "$stderr" "the cluster has changed since the plan was made"
	contains "$stderr" "add by $(id -un) (failed)"
	rm broken
	coopr run -o json plan >now 2>log
	same "add complete" "$(store "SELECT action, status FROM operation WHERE number = 2")"
	run --separate-stderr -1 coopr run plan
	contains "$stderr" "has been carried out already"
}

@test "a create is refused where the name is taken meanwhile" {
	coopr create -o json blog -t lamp -n 4 --save plan >shown 2>log
	make_blog
	run --separate-stderr -1 coopr run plan
	contains "$stderr" "blog: a cluster of this name exists"
	same 1 "$(store "SELECT count(*) FROM cluster")"
	same 00000002 "$(ls "$COOPR_STATE/clusters")"
}

@test "a file that is not as it was saved is refused: edited, cut off, with more behind it, from another store, or something else" {
	make_blog
	coopr expand -o json --save plan blog >shown 2>log
	coopr shrink -o json --save plan2 blog >shown 2>log
	sed 's/"nodenum":1004/"nodenum":1005/' plan >edited
	sed '1s/"name":"blog"/"name":"shop"/' plan >renamed
	sed '$s/"mac":"./"mac":"x/' plan >unsealed
	head -n 8 plan >short
	head -c -10 plan >cutoff
	cat plan plan2 >two
	{ cat plan; echo; } >longer
	printf '\0' | cat plan - >nul
	: >empty
	store "SELECT * FROM operation" >before
	for file in edited renamed unsealed short cutoff two longer nul empty made shown; do
		run --separate-stderr -65 coopr run "$file"
		contains "$stderr" "coopr-run: $file: "
		run --separate-stderr -65 coopr run - <"$file"
		contains "$stderr" "coopr-run: standard input: "
	done
	run --separate-stderr -66 coopr run nonsuch
	run --separate-stderr -66 coopr run .
	run --separate-stderr -64 coopr run plan plan2
	run --separate-stderr -64 coopr run
	COOPR_STATE=$PWD/elsewhere run --separate-stderr -66 coopr run plan
	COOPR_STATE=$PWD/elsewhere COOPR_SPOOL=$PWD/elsewhere/spool coopr create -o json blog -t lamp -n 4 >now 2>log
	COOPR_STATE=$PWD/elsewhere run --separate-stderr -65 coopr run plan
	contains "$stderr" "was saved from another store"
	store "SELECT * FROM operation" >after
	cmp before after
	coopr run -o json - <plan >now 2>log
	same 5 "$(store "SELECT nodes FROM cluster")"
}

@test "--save replaces a plan, and nothing else; what cannot be written leaves nothing behind" {
	make_blog
	coopr restart -o json --save plan blog >shown 2>log
	coopr expand -o json --save plan blog >shown 2>log
	same expand "$(head -n 1 plan | jq -r .action)"
	ln -s plan link
	echo precious >file
	for target in file link . /dev/null made nonsuch/plan; do
		run --separate-stderr coopr expand --save "$target" blog
		same 73 "$status"
		contains "$stderr" "coopr-expand: $target: "
	done
	same precious "$(cat file)"
	run --separate-stderr -64 coopr expand --save "" blog
	run --separate-stderr -64 coopr config --save plan3 blog
	run --separate-stderr -64 coopr retry --save plan3 blog
	ls -I "separate*" >before
	run --separate-stderr -74 bash -c 'coopr expand --save plan blog >/dev/full'
	same "$(cat before)" "$(ls -I "separate*")"
	same 1 "$(store "SELECT count(*) FROM operation")"
	same 00000001-001 "$(cd "$COOPR_STATE/clusters/00000001" && echo *-*)"
}

@test "a disk that is full leaves the plan that was there" {
	need_root
	need_program unshare
	make_blog
	mkdir small
	unshare -m true || skip "cannot make a namespace"
	unshare -m bash -euc 'mount -t tmpfs -o size=64k none small
		coopr restart -o json --save small/plan blog >shown 2>log
		cp small/plan before
		head -c 44k /dev/zero >small/rest
		code=0
		coopr expand -o json --save small/plan blog >shown 2>log || code=$?
		[ "$code" = 74 ]
		cmp small/plan before
		[ "$(ls small | paste -sd" ")" = "plan rest" ]'
	contains "$(cat log)" "small/plan: cannot be written"
}

@test "quota, hooks and rights are asked when it is carried out, not when it was saved" {
	make_blog
	coopr expand -o json -n 6 --save plan blog >shown 2>log
	coopr tenant change --nodes 5 default
	run --separate-stderr -1 coopr run plan
	contains "$stderr" "quota"
	coopr tenant change --nodes 6 default
	coopr run -o json plan >now 2>log
	same "6 2" "$(store "SELECT nodes, operation FROM cluster")"
	coopr restart -o json --save plan blog >shown 2>log
	mkdir -p home/.config/coopr/hooks
	printf '#!/bin/sh\necho "not on a Friday" >&2\nexit 1\n' >home/.config/coopr/hooks/calendar
	chmod 755 home/.config/coopr/hooks/calendar
	run --separate-stderr -1 coopr run plan
	contains "$stderr" "not on a Friday"
	same 2 "$(store "SELECT count(*) FROM operation")"
	rm home/.config/coopr/hooks/calendar
	coopr run -o json plan >now 2>log
}

@test "others in the tenant, and other tenants, can do nothing with it" {
	make_blog
	coopr tenant create qa
	coopr member set -T qa ann
	coopr member set -T qa bob
	coopr create -o json shop -T qa --as ann -t lamp -n 4 >now 2>log
	coopr expand -o json -T qa --as ann --save plan shop >shown 2>log
	coopr create -o json new -T qa --as ann -t lamp -n 4 --save newplan >shown 2>log
	run --separate-stderr -1 coopr run --dry-run --as bob plan
	same " coopr-run: no cluster named \"00000002\"; coopr list shows the clusters" "$output $stderr"
	run --separate-stderr -1 coopr run --as bob plan
	contains "$stderr" "no cluster named \"00000002\""
	for dry in "" --dry-run; do
		# shellcheck disable=SC2086 # nothing is no word
		run --separate-stderr -77 coopr run $dry --as bob newplan
		same "" "$output"
		contains "$stderr" "carrying out another's plan of a cluster"
	done
	run --separate-stderr -1 coopr run --as eve plan
	same 2 "$(store "SELECT count(*) FROM operation")"
	COOPR_TENANT=default coopr run -o json --as ann plan >now 2>log
	coopr run -o json newplan >now 2>log
	same "ann expand,$(id -un) create" "$(store "SELECT user || ' ' || action FROM operation WHERE cluster > 1 ORDER BY begun_ms DESC LIMIT 2" | tac |
		paste -sd,)"
	same "ann" "$(store "SELECT owner FROM cluster WHERE name = 'new'")"
}

@test "no secret is in it" {
	coopr-store init
	coopr secret set password <<<"open sesame"
	coopr create -o json blog -t lamp -n 4 --config <(echo '{"mysql":{"password":{"secret":"password"}}}') --save plan >shown 2>log
	grep -q '{"secret":"password"}' plan
	run -1 grep -c sesame plan
	coopr run -o json plan >now 2>log
}

@test "what the store says forbids it: the plan that is saved while something is under way" {
	make_blog
	coopr expand --detach blog >job 2>log
	run --separate-stderr -75 coopr restart --save plan blog
	[ ! -e plan ]
}

@test "coopr-run(1): EXAMPLES" {
	export COOPR_CATALOGUE=$PWD/mine
	sed -i 's/"provider": *"[a-z]*"/"provider": "dummy"/' mine/clustertemplates/*.json
	sed -i 's/"type": *"shell"/"type": "dummy"/; s/"fields": *{[^}]*}/"fields": {}/' mine/services/*.json
	coopr create -o json shop -t web -n 4 >now 2>log
	commands_of "$COOPR_ROOT/man/man1/coopr-run.1" >examples
	help_of coopr-run >>examples
	same 10 "$(wc -l <examples)"
	head -n 8 examples | while read -r line; do
		bash -euo pipefail -c "$line" >>said 2>log </dev/null
	done
	grep -q 'start nginx' said
	coopr shrink -o json -y -n 4 shop >now 2>log
	coopr expand -o json --save bigger.plan shop >now 2>log
	tail -n 2 examples | while read -r line; do
		bash -euo pipefail -c "$line" >now 2>log </dev/null
	done
	same "as agreed on Monday" "$(store "SELECT why FROM operation JOIN cluster ON cluster = id WHERE name = 'outlet'")"
}

# The command under the shim, stopped at its call number $1.
stopped_at() {
	local at=$1

	shift
	ASAN_OPTIONS=${ASAN_OPTIONS:-}:verify_asan_link_order=0 LD_PRELOAD=$PWD/shim.so CRASH_NO_SYNC=1 CRASH_AT=$at "$@" >/dev/null 2>&1 || true
}

@test "killed at any call, the same file goes on, and nothing is done twice: a cluster that grows, and one that is made" {
	make_shim
	make_blog
	for ((at = 1; at < 80; at += ${CRASH_STEP:-13})); do
		coopr expand -o json -n 5 --save plan blog >shown 2>log
		stopped_at "$at" coopr-run plan
		coopr run -o json plan >now 2>log || grep -q "has been carried out already" log
		same "5 active" "$(store "SELECT nodes, status FROM cluster WHERE id = 1")"
		coopr create -o json "new-$at" -t lamp -n 3 --save newplan >shown 2>log
		stopped_at "$at" coopr-run newplan
		coopr run -o json newplan >now 2>log || grep -q "has been carried out already" log
		same "3 active 1" "$(store "SELECT nodes, status, operation FROM cluster WHERE name = 'new-$at'")"
		coopr shrink -o json -y -n 4 blog >now 2>log
	done
	same complete "$(store "SELECT DISTINCT status FROM operation")"
	same "" "$(store "SELECT cluster FROM node_use GROUP BY cluster HAVING count(*) <> count(DISTINCT node)")"
	coopr-store fsck
	coopr-queue fsck
}

@test "--save killed at any call leaves a whole plan or none, and begins nothing" {
	make_shim
	make_blog
	for ((at = 1; at < 50; at += ${CRASH_STEP:-9})); do
		stopped_at "$at" coopr-expand --save plan blog
		[ ! -e plan ] || coopr run -o json --dry-run plan >shown 2>log
		coopr expand -o json --save plan blog >shown 2>log
		coopr run -o json --dry-run plan >shown 2>log
		rm plan
	done
	same 1 "$(store "SELECT count(*) FROM operation")"
	coopr-store fsck
}

@test "coopr-clusters(7): what --dry-run shows, and a plan that is saved and run" {
	make_blog
	sed -n '/^\.Ss Previews/,/^\.Ss What/p' "$COOPR_ROOT/man/man7/coopr-clusters.7" | sed -n '/^\.Bd/,/^\.Ed/p' | plain >blocks
	grep '^\$ ' blocks | sed 's/^\$ //' >commands
	sed -n '2,/^\.Ed/p' blocks | grep -v -e '^\$' -e '^\.' >shown
	same "$(cat shown)" "$(bash -c "$(head -n 1 commands)")"
	sed -n '2,3p' commands | while read -r line; do
		bash -euo pipefail -c "$line" >now 2>log </dev/null
	done
	same 6 "$(store "SELECT nodes FROM cluster")"
	same "coopr shrink -n 4 blog" "$(tail -n 1 commands)"
	same "$(sed -n '/^\$ coopr shrink/,/^Do this/p' blocks | sed '1d;$d')" "$(coopr shrink -n 4 blog --dry-run)"
}
