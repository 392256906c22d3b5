#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr list, show, status, history, events and log: what one sees of clusters, in a rehearsal without machines; and that nobody
# sees what is not theirs.

load case
load examples

setup() {
	fresh
	cp -r "$COOPR_ROOT/share/coopr/catalogue" rehearsal
	sed -i 's/"providertype": *"[a-z]*"/"providertype": "dummy"/' rehearsal/providers/*.json
	sed -i 's/"type": *"shell"/"type": "dummy"/; s/"fields": *{[^}]*}/"fields": {}/' rehearsal/services/*.json
	export COOPR_CATALOGUE=$PWD/rehearsal
	unset SUDO_USER COOPR_USER
}

make_shop() {
	coopr-create shop -t web -n 4 -m "the first" >/dev/null 2>&1
}

# An automator "shell" that fails to install mariadb, and tells so.
break_mariadb() {
	mkdir -p plugins/automator
	cat >plugins/automator/dummy <<-'END'
		#!/bin/sh
		[ "$1" != describe ] || { echo '{}'; exit; }
		record=$(cat)
		echo "$1 goes on here" >&2
		case $record in
		*'"action":"install"'*'"service":"mariadb"'*) echo "no room for it" >&2; exit 65 ;;
		esac
		echo '{"kind":"result","status":0}'
	END
	chmod +x plugins/automator/dummy
	export COOPR_PLUGINS=$PWD/plugins
}

@test "without a store there are no clusters, and that is no error; with one that is not there it is" {
	run --separate-stderr -0 coopr-list
	same "" "$output$stderr"
	run --separate-stderr -66 coopr-list --store nowhere
	contains "$stderr" "nowhere: there is no store"
	run --separate-stderr -1 coopr-status shop
	contains "$stderr" "no cluster named \"shop\""
	for verb in expand abort retry "delete -y"; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr -1 coopr $verb shop
		contains "$stderr" "no cluster named \"shop\": there is no store yet"
	done
	[ ! -e "$COOPR_STATE/store.sqlite3" ]
}

@test "a store that cannot be opened is not taken for one that is not there yet" {
	mkdir -p "$COOPR_STATE/store.sqlite3"
	run --separate-stderr -66 coopr-expand shop
	contains "$stderr" "store.sqlite3: is a folder; a store is a file"
	ln -s loop loop
	export COOPR_STATE=$PWD/loop
	for command in list "show shop" "status shop" "expand shop" "history shop" usage export; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr -66 coopr $command
		contains "$stderr" "$PWD/loop/store.sqlite3: Too many levels of symbolic links"
	done
}

@test "show says at once what an operation waits for, if a task is tried again" {
	coopr-create second -t web -n 4 --detach
	coopr-queue take -J 00000001-001 | jq -c '{kind: "result", job, task: .id, attempt, status: 75, message: "no free machine: 3 of 3 in use"}' |
		coopr-queue done
	contains "$(coopr show second)" "retrying   create on 00000001-1002: no free machine: 3 of 3 in use"
}

@test "a list has what one looks for, as a table, as names and as records" {
	make_shop
	coopr-create second -t web -n 4 --detach
	run -0 coopr-list -o table
	same "NAME ID STATE CONDITION READY OBSERVED UNDER WAY NODES COST TEMPLATE OWNER AGE" "$(tr -s ' ' <<<"${lines[0]}" | sed 's/ *$//')"
	contains "${lines[1]}" "second  00000002  updating  unknown    -      -         create 0/29  0 "
	contains "${lines[2]}" "shop    00000001  active    healthy    4/4  "
	same $'second\nshop' "$(coopr-list -o name)"
	same "shop active null 4" "$(coopr-list -o json --search ho | jq -r '"\(.name) \(.status) \(.underway) \(.nodes)"')"
	same shop "$(coopr-list --status active,failed -o name)"
	same second "$(coopr-list --status updating -o name)"
	same "create running 29 blocked" "$(coopr-list -o json --status pending |
		jq -r '.underway | "\(.action) \(.jobstatus) \(.tasks.total) \(if .tasks.done == 0 then "blocked" else "" end)"')"
}

@test "filters: status, owner, template, a part of the name; several at once" {
	make_shop
	coopr-create other -t hadoop-distributed -n 8 >/dev/null 2>&1
	same other "$(coopr-list -t hadoop-distributed -o name)"
	same shop "$(coopr-list -t web --status active -o name)"
	same "" "$(coopr-list -t web --status incomplete,inconsistent -o name)"
	same "" "$(coopr-list --owner nobody -o name)"
	same 2 "$(coopr-list --owner "$(id -un)" -o name | wc -l)"
	run --separate-stderr -64 coopr-list --status happy
	contains "$stderr" 'unknown status "happy"'
}

@test "pages: so many, and those behind; what comes next is said" {
	for name in a b c; do coopr-create "$name" -t web -n 4 --detach >/dev/null; done
	run --separate-stderr -0 coopr-list -l 2 -o table
	contains "$stderr" "there are more: --after 00000002 lists the next ones"
	same c "$(coopr-list -o name --after 00000002)"
	same $'b\nc' "$(coopr-list -o name --after a)"
	run --separate-stderr -0 coopr-list -l 3 -o table
	same "" "$stderr"
	run --separate-stderr -1 coopr-list --after 00000009
	contains "$stderr" "no cluster named \"00000009\""
}

@test "what is terminated is listed where it is asked for, by its id" {
	make_shop
	coopr-delete -y --discard-data shop
	same "" "$(coopr-list -o name)"
	same 00000001 "$(coopr-list --status all -o name)"
	run -1 coopr-status -o json 00000001
	same terminated "$(jq -r .status <<<"$output")"
	same "delete create" "$(coopr-history -o json 00000001 | jq -r .action | paste -sd ' ')"
}

@test "a cluster whole: status, nodes, links, the last operation, its folder" {
	make_shop
	run -0 coopr-show -o table shop
	for part in "cluster    shop (00000001)" "state      active" "condition  healthy, 4/4 ready" "tenant default" "template   web, provider sandbox" \
		"1 create by" "job 00000001-001" "why        the first" "NODE  HOST " "1000  shop1-1000.local" "mariadb" "Shop:  http://" \
		"$COOPR_STATE/clusters/00000001"; do
		contains "$output" "$part"
	done
	same "$(coopr-show -o table shop | grep -v ago)" "$(coopr-show -o table 00000001 | grep -v ago)"
	contains "$(coopr-show -o wide shop)" "dummy-00000001-1000"
	same "clusterstatus operation node node node node link" "$(coopr-show -o json shop | jq -r 'select(.kind != "observation").kind' | paste -sd ' ')"
	same "mariadb nginx php-fpm php-fpm" "$(coopr-show -o json shop | jq -r 'select(.kind == "node").services[]' | paste -sd ' ')"
}

@test "show: a name is a cluster, a path is a file" {
	make_shop
	cp "$COOPR_STATE/clusters/00000001/cluster.ndjson" shop
	cp shop layout
	same clusterstatus "$(coopr-show -o json shop | head -n 1 | jq -r .kind)"
	same clusterstatus "$(coopr-show -o json -c shop | head -n 1 | jq -r .kind)"
	same clusterstatus "$(coopr-show -o json 00000001 | head -n 1 | jq -r .kind)"
	for file in ./shop "$PWD/shop" -; do
		same cluster "$(coopr-show -o json "$file" <shop | head -n 1 | jq -r .kind)"
	done
	run --separate-stderr -1 coopr-show layout
	same "coopr-show: no cluster named \"layout\"; to show the file: coopr show ./layout" "$stderr"
	run --separate-stderr -64 coopr-show -o tree layout
	contains "$stderr" "; a file is ./layout"
	run --separate-stderr -1 coopr-show nothing
	contains "$stderr" "no file or cluster named \"nothing\""
	run --separate-stderr -1 coopr-show shpo
	contains "$stderr" "no file or cluster named \"shpo\"; did you mean shop?"
	run -66 coopr-show ./nothing
	run -64 coopr-show -c
	run --separate-stderr -64 coopr-show -o tree 00000001
	contains "$stderr" "a cluster is shown as table, wide, name, json, yaml or jsonpath"
}

@test "show CLUSTER/NODE and CLUSTER/@SERVICE show these nodes, as -N and -s do" {
	make_shop
	same "node 1000" "$(coopr-show -o json shop/1000 | jq -r '"\(.kind) \(.nodenum)"')"
	same "$(coopr-show -o json shop/1000)" "$(coopr-show -o json shop -N 1000)"
	same "$(coopr-show -o json shop/@php-fpm)" "$(coopr-show -o json shop -s php-fpm)"
	same 2 "$(coopr-show -o json shop/@php-fpm | grep -c '"kind":"node"')"
	contains "$(coopr-show shop/1000)" "shop1-1000.local"
	same 0 "$(coopr-show shop/1000 | grep -c shop1-1001.local)"
	run --separate-stderr -1 coopr-show shop/1009
	contains "$stderr" "there is no node 1009"
	run --separate-stderr -1 coopr-show shpo/1000
	contains "$stderr" "did you mean shop?"
	mkdir folder
	run -66 coopr-show folder/1000
	run -64 coopr-show -N 1000 </dev/null
	run -64 coopr-show -N 1000 folder/1000
}

@test "what failed, and why, is shown" {
	break_mariadb
	run -1 coopr-create shop -t web -n 4
	run -0 coopr-show -o table shop
	for part in "state      failed: " "create by" "failed" "failed: install mariadb on 00000001-1000" "exit code 65" "| no room for it" \
		"coopr retry shop"; do
		contains "$output" "$part"
	done
	same "install mariadb failed" "$(coopr-show -o json shop | jq -r 'select(.kind == "taskstatus") | "\(.action) \(.service) \(.status)"')"
	run -1 coopr-status -o table shop
	contains "$output" "shop  failed  down  0/4"
	contains "$output" "install mariadb on 00000001-1000"
	contains "$(coopr-events -o json shop | jq -r 'select(.event == "fail").task')" t
	run -0 coopr-log -a install shop/@mariadb/mariadb
	same '==> install mariadb on shop1-1000, attempt 1: failed <==
install goes on here
no room for it' "$output"
}

@test "status: 0 for active and healthy, 1 for anything else; --wait sees what workers do to its end, and settles it" {
	make_shop
	run -0 coopr-status -q shop
	same "" "$output"
	coopr-create second -t web -n 4 --detach
	run -1 coopr-status -o table second
	same "second  updating  unknown  -  create 0/29, no worker runs it; coopr retry second resumes it" "$output"
	run --separate-stderr -75 coopr-status --timeout 0 second
	contains "$stderr" "job 00000002-001 is still in progress"
	coopr-status --wait -o json second >status 3>&- &
	coopr-work --drain 2>/dev/null
	wait "$!"
	same active "$(jq -r .status status)"
	same complete "$(coopr-history -o json second | jq -r .status)"
}

@test "history: number, when, who, why, what became of it; and what each operation has changed" {
	make_shop
	coopr-expand shop -n 6 --dry-run -o table >preview
	coopr-expand shop -n 6 -m "more visitors" >/dev/null 2>&1
	cmp preview <(coopr-history -d 2 shop)
	coopr-config shop --set nginx.port=81 >/dev/null 2>&1
	coopr-rename shop store
	coopr-shrink -y store -n 5 >/dev/null 2>&1
	run -0 coopr-history -o table store
	same "5 shrink,4 rename,3 config,2 expand,1 create" "$(sed 1d <<<"$output" | awk '{print $1, $4}' | paste -sd ,)"
	contains "$output" "more visitors"
	same "5 shrink complete null 00000001-005" "$(coopr-history -o json -l 1 store |
		jq -r '"\(.number) \(.action) \(.status) \(.message) \(.job)"')"
	same 4 "$(coopr-history -o wide -d 1 store | grep -c '^+ node 00000001-100[0-3] shop1-100[0-3].local small: ')"
	same '+ node 00000001-1004 shop1-1004.local small: php-fpm
+ node 00000001-1005 shop1-1005.local small: php-fpm' "$(coopr-history -o wide -d 2 store)"
	same '~ config /nginx/port "80" -> 81' "$(coopr-history -o wide -d 3 store)"
	run --separate-stderr -1 coopr-history -d 4 store
	contains "$stderr" "operation 4 did not change the layout"
	same '- node' "$(coopr-history -o wide -d 5 store | cut -c 1-6)"
	run --separate-stderr -1 coopr-history -d 9 store
	contains "$stderr" "there is no operation 9"
}

@test "events: of the last operation or another, also once the queue has forgotten it" {
	make_shop
	coopr-expand shop -n 5 >/dev/null 2>&1
	same complete "$(coopr-events -o json shop | jq -r 'select(.event == "finish").reason')"
	contains "$(coopr-events -o table shop | tail -n 1)" "Z finish: complete"
	same 00000001-002 "$(coopr-events -o json shop | jq -r .job | sort -u)"
	same 00000001-001 "$(coopr-events -o json --operation 1 shop | jq -r .job | sort -u)"
	run -0 coopr-events -f shop
	run --separate-stderr -1 coopr-events --operation 3 shop
	rm -r "$COOPR_SPOOL"
	same finish "$(coopr-events -o json shop | jq -r .event | tail -n 1)"
	coopr-rename shop store
	run --separate-stderr -1 coopr-events --operation 3 store
	contains "$stderr" "done at once"
}

# The events of tasks that the job had on a node, or of a service; from the plan, as a judge: tasks_where CONDITION
tasks_where() {
	jq -r "select(.kind == \"task\" and ($1)).id" plan | sort
}

@test "events of a node or of a service are those of the tasks there, in the queue and in the store" {
	make_shop
	coopr-queue show --plan -o json 00000001-001 >plan
	id=$(jq -r 'select(.kind == "task" and .service).node' plan | head -n 1)
	service=$(jq -r --arg node "$id" 'select(.kind == "task" and .service and .node == $node).service' plan | head -n 1)
	[ -n "$service" ]
	for where in queue store; do
		coopr-events -o json shop -N "${id#*-}" | jq -r .task | sort -u | diff - <(tasks_where ".node == \"$id\"" | sort -u)
		same "$(coopr-events -o json shop -N "${id#*-}")" "$(coopr-events -o json "shop/$id")"
		same "$(coopr-events -o json shop -s "$service")" "$(coopr-events -o json "shop/@$service")"
		coopr-events -o json "shop/@$service/$service" | jq -r .task | sort -u | diff - <(tasks_where ".service == \"$service\"" | sort -u)
		run --separate-stderr -1 coopr-events shop -N 9999
		contains "$stderr" "coopr-events: shop: there is no node 9999"
		run --separate-stderr -1 coopr-events "shop/@${service}x"
		contains "$stderr" "did you mean $service?"
		rm -rf "$COOPR_SPOOL"
	done
}

@test "events -f goes on until the operation is over" {
	coopr-create shop -t web -n 4 --detach
	coopr-events -f -o json shop >events 3>&- &
	coopr-work --drain 2>/dev/null
	wait "$!"
	same "put finish" "$(jq -r .event events | sed -n '1p;$p' | paste -sd ' ')"
	same 29 "$(grep -c '"event":"done"' events)"
}

@test "log: all nodes, a node by number, id and name, a service; follow until it is over" {
	break_mariadb
	run -1 coopr-create shop -t web -n 4
	same "$(coopr-log shop/1001)" "$(coopr-log shop/00000001-1001)"
	same "$(coopr-log shop/1001)" "$(coopr-log shop/shop1-1001)"
	same "$(coopr-log shop/1001)" "$(coopr-log shop/shop1-1001.local)"
	same "$(coopr-log shop/1001)" "$(coopr-log shop/@nginx)"
	contains "$(coopr-log shop/1001)" "==> install nginx on shop1-1001, attempt 1: done <=="
	[ "$(coopr-log shop | wc -l)" -gt "$(coopr-log shop/1001 | wc -l)" ]
	run --separate-stderr -1 coopr-log shop/1009
	contains "$stderr" "no job in the queue has such a task"
	run -64 coopr-log shop/1/2/3
	sed -i 's/; exit 65//' plugins/automator/dummy
	coopr-retry shop --detach >/dev/null
	coopr-log -f shop/@mariadb >followed 3>&- &
	coopr-work --drain 2>/dev/null
	wait "$!"
	contains "$(cat followed)" "shop1-1000 install mariadb | no room for it"
	contains "$(cat followed)" "shop1-1000 start mariadb | start goes on here"
	same "" "$(grep -v '^shop1-1000 ' followed || true)"
}

# Waits until a file has so many lines.
lines_come() {
	while [ "$(wc -l <"$1")" -lt "$2" ]; do sleep 0.05; done
}

@test "list -w and status -w print again only when something has changed, and end when nobody reads" {
	make_shop
	coopr-list -w -o json >listed 3>&- &
	first=$!
	coopr-list -w >tables 3>&- &
	second=$!
	coopr-status -w -o json shop >stated 3>&- &
	third=$!
	lines_come listed 1
	lines_come tables 2
	lines_come stated 1
	coopr-rename shop store
	lines_come listed 2
	lines_come tables 5
	lines_come stated 2
	kill "$first" "$second" "$third"
	same "shop store" "$(jq -r .name listed | paste -sd ' ')"
	same "shop store" "$(jq -r .name stated | paste -sd ' ')"
	same 2 "$(grep -c ^NAME tables)"
	same "" "$(sed -n 3p tables)"
	run -0 bash -c 'coopr-list -w -o name | head -n 1'
	same store "$output"
}

@test "on a terminal the list is drawn in place" {
	need_program script
	make_shop
	printf 'coopr-list -w &\nuntil [ -e over ]; do sleep 0.05; done\nkill $!\nwait\n' >watching
	script -qec "bash watching" /dev/null >drawn 2>&1 3>&- </dev/null &
	until grep -q shop drawn; do sleep 0.05; done
	: >over
	wait "$!"
	contains "$(cat drawn)" $'\e[H\e[2J'
}

@test "status -w watches, and what waited before is told how to wait now" {
	make_shop
	for words in "-qw" "-w --timeout 3" "-w --wait" "-w --probe"; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr -64 coopr-status $words shop
		contains "$stderr" "-w watches; to wait until no operation is running, use --wait"
	done
	run --separate-stderr -64 coopr-status shop/1000
	contains "$stderr" "use --probe"
	same 1 "$(coopr-status --probe -o json shop/1000 | wc -l)"
	run --separate-stderr -1 coopr-status --probe shop -N 1009
	contains "$stderr" "there is no node 1009"
}

@test "-q prints neither progress nor result" {
	for words in "create shop -t web -n 4" "expand -n 5 shop" "restart shop/1000" "pause shop" "rename shop store" "lease store 12h" \
		"shrink store" "reconcile" "expand store --dry-run" "expand store --save plan"; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr coopr $words -q -y
		[ "$status" -eq 0 ] || [ "$words" = "pause shop" ]
		same "" "$output"
		[ "$words" = "pause shop" ] || same "" "$stderr"
	done
	[ -s plan ]
	run --separate-stderr -1 coopr delete -q -y nothing
	contains "$stderr" "no cluster named \"nothing\"; coopr list shows the clusters"
	run --separate-stderr -0 coopr import -q "$COOPR_ROOT/share/coopr/catalogue"
	same "" "$output$stderr"
	coopr request -t web -n 4 --name x | coopr solve | coopr plan >plan2
	run --separate-stderr -0 coopr queue put -q plan2
	same "" "$output$stderr"
	run -64 coopr import -q --specs - "$COOPR_ROOT/share/coopr/catalogue"
}

@test "the names of nodes are completed: behind CLUSTER/, and of -N once the cluster is named" {
	completed() { coopr-completion --line -- "$@" | sed 1d | tr -d '\t' | paste -sd ' '; }
	make_shop
	same "1000 1001 1002 1003 @" "$(completed coopr log shop -N "" | sed 's/@.*/@/')"
	for command in ssh exec log start replace; do
		contains "$(completed coopr $command shop/)" "shop/1000 shop/1001 shop/1002 shop/1003 shop/@"
		same "shop/shop1-1000 shop/shop1-1001 shop/shop1-1002 shop/shop1-1003" "$(completed coopr $command shop/s)"
		same shop "$(completed coopr $command s)"
	done
	contains "$(completed coopr replace shop "")" "1000 1001 1002 1003"
	contains "$(completed coopr-stop shop --node=)" "--node=1000 --node=1001"
	same "" "$(completed coopr exec -N "")"
	same "" "$(completed coopr exec nonsuch/)"
}

@test "nobody sees what is not theirs, by no name, id or command" {
	coopr-tenant create qa
	coopr-member set -T qa -r admin boss
	make_shop
	for who in "--as stranger" "-T qa --as boss"; do
		for command in show status history events log "ssh --dry-run" "exec --dry-run"; do
			for operand in shop 00000001; do
				read -ra words <<<"$command $who $operand"
				[ "${command#* }" != --dry-run ] || words+=(uptime)
				run --separate-stderr -1 coopr "${words[@]}"
				[ "$command" = show ] && missing="no file or cluster named \"$operand\"" || missing="no cluster named \"$operand\""
				contains "$stderr" "$missing"
				same "" "$output"
			done
		done
	done
	same "" "$(coopr-list --as stranger -o name)$(coopr-list -A --as stranger -o name)$(coopr-list -T qa -A --as boss -o name)"
	run --separate-stderr -1 coopr-list --as stranger --after 00000001
	contains "$stderr" "no cluster named \"00000001\""
}

@test "report: the last operation or another one, by names, with the first cause of a failure; kept when the queue has the job no more" {
	need_program jq
	make_shop
	run -0 coopr report shop
	contains "$output" "cluster        shop, of tenant default"
	contains "$output" "operation      create, job 00000001-001: complete"
	run ! grep -q "00000001-100" <(coopr report shop)
	coopr expand -n +1 shop >/dev/null 2>log
	contains "$(coopr report shop)" "operation      expand, job 00000001-002: complete"
	break_mariadb
	run -1 coopr create second -t web -n 4
	run -0 coopr report second
	contains "$output" "First cause of the failure"
	contains "$output" "install mariadb on second2-1000.local: failed with exit code 65"
	contains "$output" "| no room for it"
	command=$(sed -n 's/.*the whole log: //p' <<<"$output")
	contains "$(bash -c "$command")" "no room for it"
	coopr report -o html second >page
	contains "$(cat page)" 'install mariadb on second2-1000.local</b>: failed with exit code 65'
	contains "$(cat page)" '<a href="#log">The whole log</a>'
	contains "$(coopr report --operation 1 shop)" "operation      create"
	same "failed second" "$(coopr report -o json second | jq -r 'select(.kind == "report") | "\(.status) \(.cluster_name)"')"
	same "yaml" "$(coopr report -o yaml second | grep -qx 'kind: report' && echo yaml)"
	rm -rf "$COOPR_SPOOL"
	run -0 coopr report second
	contains "$output" "install mariadb on second2-1000.local: failed with exit code 65"
	run -0 coopr report -o html second
	contains "$output" "The queue has no log of it."
	run --separate-stderr -1 coopr report --operation 9 shop
	run --separate-stderr -1 coopr report nobody
	run --separate-stderr -64 coopr report
	run --separate-stderr -64 coopr report -o pdf shop
	same 74 "$(coopr report shop >/dev/full 2>errors || echo $?)"
}

@test "the pages' examples" {
	need_program jq
	make_shop
	for command in list status history events report; do
		commands_of "$COOPR_ROOT/man/man1/coopr-$command.1"
		help_of "coopr-$command"
	done >examples # coopr-list(1), coopr-status(1), coopr-history(1), coopr-events(1)
	[ "$(wc -l <examples)" -gt 12 ]
	while read -r line <&4; do
		bash -euo pipefail -c "$line" >output 2>errors || { echo "$line"; cat output errors; false; }
	done 4<examples
}

@test "show, log, events and history need no folder of the cluster; events are kept when the queue has the job no more" {
	coopr-create -o json shop -t lamp -n 4 >records 2>log
	for command in "coopr-show -o json shop" "coopr-history -o json shop" "coopr-events -o json shop" "coopr-log shop"; do
		$command >before 2>&1 || true
		[ -s before ]
		rm -rf "$COOPR_STATE/clusters"
		$command >after 2>&1 || true
		cmp before after
	done
	coopr-events -o json shop | jq -c 'select(.kind == "event")' >before
	rm -rf "$COOPR_SPOOL"
	coopr-events -o json shop | jq -c 'select(.kind == "event") | del(.job)' >after
	same "$(jq -c '[.event, .task]' before)" "$(jq -c '[.event, .task]' after)"
	[ ! -e "$COOPR_STATE/clusters" ] || same "" "$(find "$COOPR_STATE/clusters" -name events.ndjson)"
}
