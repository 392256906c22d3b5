#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-create(1) and coopr-delete(1), with machines and services that are not real.

load case

# A catalogue with a service of two more plugins: "gate" tells that it runs and waits to be let through, "flaky" fails
# as long as there is a file "broken".
setup() {
	fresh
	own_catalogue
	export COOPR_PLUGINS=$PWD/plugins WHERE=$PWD
	mkdir -p plugins/automator
	cat >plugins/automator/gate <<-'EOT'
		#!/bin/sh
		cat >/dev/null
		if [ "$1" = start ] && [ ! -e "$WHERE/open" ]; then
			echo here >"$WHERE/arrived"
			read -r _ <"$WHERE/gate"
		fi
		echo '{"kind":"result","status":0}'
	EOT
	cat >plugins/automator/flaky <<-'EOT'
		#!/bin/sh
		cat >/dev/null
		if [ "$1" = start ] && [ -e "$WHERE/broken" ]; then
			echo "about to break" >&2
			echo '{"kind":"result","status":3,"message":"it is broken"}'
		else
			echo '{"kind":"result","status":0}'
		fi
	EOT
	chmod 755 plugins/automator/*
	add_service gate gate
	add_service flaky flaky
	add_service plain dummy
}

# A service whose actions are a plugin's, and a template of it and the service plain on one machine each.
add_service() {
	jq -n --arg name "$1" --arg type "$2" '{$name, provisioner: {actions: {
		install: {type: "dummy", fields: {}, retries: 1}, start: {$type, fields: {}, retries: 1}}}}' \
		>"mine/services/$1.json"
	jq -n --arg name "$1" '{$name, defaults: {services: ([$name, "plain"] | unique), provider: "dummy",
		hardwaretype: "small", imagetype: "debian12"},
		constraints: (if $name == "plain" then {} else {layout: {cantcoexist: [[$name, "plain"]]},
			services: {plain: {quantities: {min: 1, max: 1}}}} end)}' \
		>"mine/clustertemplates/$1.json"
}

# The folder of a cluster, and of one of its operations: ID [NUMBER]
folder() {
	echo "$COOPR_STATE/clusters/$1${2:+/$1-$2}"
}

tasks() { # STATUS of the last job of a cluster
	coopr-queue show "$1" --tasks -o json | jq -r "select(.status == \"$2\") | .action + \" \" + (.service // \"-\")"
}

@test "it makes the cluster and prints hosts, addresses, services and links" {
	run --separate-stderr -0 coopr-create blog -t lamp -n 4 -o table
	for part in blog1-1000.lamp.example.net "apache mod-php" "Web site:  http://198.18." "critical path" \
		"coopr delete blog" "coopr show blog"; do
		contains "$output" "$part"
	done
	contains "$stderr" "complete"
}

@test "in a pipe it prints the records of the layout, each node with its addresses" {
	coopr-create -o json blog -t lamp -n 4 >records 2>log
	same $' 1 cluster\n 4 node' "$(jq -r .kind records | sort | uniq -c | tr -s ' ')"
	same true "$(jq -r 'select(.kind == "node") | .ipaddresses.access_v4 | length > 6' records | sort -u)"
	cmp records "$(folder 00000001)/cluster.ndjson"
}

@test "each stage's file is kept, and the stage run again by hand gives the same" {
	coopr-create -o json blog -t lamp -n 4 >records 2>log
	cd "$(folder 00000001 001)"
	coopr-request -t lamp -n 4 --name blog --id 00000001 | cmp - request.json
	coopr-solve <request.json | cmp - layout.ndjson
	coopr-plan --job 00000001-001 --slots 20 --history measured.ndjson <layout.ndjson | cmp - plan.ndjson
	same "coopr create --template=lamp --machines=4 blog" "$(cat command)"
	coopr-queue show 00000001-001 --layout | cmp - ../cluster.ndjson
	contains "$(cat work.log)" "start haproxy"
}

@test "the configuration may come from a pipe" {
	echo '{"one": 1}' | coopr-create -q blog -t lamp -n 4 --config -
	coopr-create -q shop -t lamp -n 4 --config <(echo 'two: 2')
	same '{"one":1}{"two":2}' "$(coopr-config -o json blog | jq -c .)$(coopr-config -o json shop | jq -c .)"
}

@test "--dry-run tells what would be made, and makes and keeps nothing" {
	run --separate-stderr -0 coopr-create blog -t lamp -n 8 --dry-run -o table
	contains "$output" "+ 6  small, debian12: apache mod-php"
	contains "$output" "8 new: 8 machines, cost 0.3 an hour"
	contains "$output" "77 tasks, expected duration unknown: no such task was measured here yet"
	coopr-create -o json blog -t lamp -n 8 --dry-run >plan
	coopr-plan --check plan
	same "" "$(ls -A "$COOPR_STATE/clusters")"
	same "" "$(sqlite3 "$COOPR_STATE/store.sqlite3" "SELECT * FROM cluster")"
	[ ! -e "$COOPR_SPOOL" ]
}

@test "a cluster that exists is left alone: 1, and the way out" {
	coopr-create -o json c -t plain -n 1 >records 2>log
	run --separate-stderr -1 coopr-create c -t plain -n 1
	contains "$stderr" "a cluster of this name exists, active, owned by"
	contains "$stderr" "coopr delete c"
	[ -z "$output" ]
}

@test "a stage that fails ends the chain with its exit code, and nothing is put" {
	run --separate-stderr -1 coopr-create blog -t lamp -n 2
	contains "$stderr" "coopr-create: blog: no layout satisfies the request: "
	[ ! -e "$(folder 00000001 001)" ]
	run --separate-stderr -65 coopr-create blog -t lamp -n 4 --config <(echo nonsense)
	run --separate-stderr -1 coopr-create other -t none
	same "" "$(sqlite3 "$COOPR_STATE/store.sqlite3" "SELECT * FROM cluster")"
	[ ! -e "$COOPR_SPOOL" ]
}

@test "misuse is 64: no name, two names, no template, a name that would leave the folder" {
	for words in "" "a b -t lamp" "a" "../a -t lamp" ".. -t lamp" ".a -t lamp" "a -t lamp -o xml" "a -t lamp -j 0" "a -t lamp -n x"; do
		# shellcheck disable=SC2086
		run --separate-stderr -64 coopr-create $words
	done
	for words in "" "a b -y" "a -y -j 0"; do
		# shellcheck disable=SC2086
		run --separate-stderr -64 coopr-delete $words
	done
	[ ! -e "$COOPR_SPOOL" ]
}

@test "a disk that is full is an error: 74" {
	run --separate-stderr bash -c 'coopr-create c -t plain -n 1 >/dev/full'
	[ "$status" -eq 74 ]
	run --separate-stderr -74 bash -c 'coopr-create d -t plain -n 1 --detach >/dev/full'
	same "coopr-create: job 00000002-001 runs, but standard output cannot be written: No space left on device; make room on its file system" "$stderr"
}

@test "ids are given once, to many at a time too" {
	for i in 1 2 3 4 5 6 7 8; do
		coopr-create -o json "c$i" -t plain -n 1 >"records$i" 2>"log$i" &
	done
	wait
	same "$(seq -f %08g 1 8)" "$(jq -r 'select(.kind == "cluster") | .id' records? | sort)"
}

@test "a task that fails is named with its reason and its output; the others are done; once that is mended, the same command goes on" {
	touch broken
	run --separate-stderr -1 coopr-create c -t flaky -n 3
	for part in "start flaky" "it is broken" "about to break" "exit code 3" "attempt 2" "likewise on" "the same command again"; do
		contains "$stderr" "$part"
	done
	same 1 "$(grep -c "it is broken" <<<"$stderr")" # once, with one remedy
	same 1 "$(grep -c -e "again, or coopr retry c" -e "coopr-queue retry" <<<"$stderr")"
	same "start flaky" "$(tasks 00000001-001 failed | sort -u)"
	contains "$(tasks 00000001-001 "done")" "start plain"

	run --separate-stderr -1 coopr-create c -t flaky -n 3
	contains "$stderr" "job 00000001-001 failed before; its tasks that are not done are retried"
	contains "$stderr" "attempt 4"
	rm broken
	run --separate-stderr -0 coopr-create c -t flaky -n 3 -o table
	contains "$output" "c1-1002"
	same "" "$(tasks 00000001-001 failed)"
}

# Starts to make the cluster slow, and waits until it stands before its gate. The process is $maker.
start_slow() {
	mkfifo arrived gate
	coopr-create -o json slow -t gate -n 2 >records 2>log 3>&- &
	maker=$!
	hear arrived _
}

@test "while one makes a cluster, another gets 75, and is told of the job" {
	start_slow
	run --separate-stderr -75 coopr-create slow -t gate -n 2
	contains "$stderr" "slow: job 00000001-001 (create), started by $(id -un), has been in progress since "
	run --separate-stderr -75 coopr-expand slow
	echo go >gate
	wait "$maker"
}

@test "killed in the middle, the same command goes on, and does nothing twice that was done" {
	start_slow
	kill -9 "$maker"
	wait "$maker" || [ $? -eq 137 ]
	touch open
	run --separate-stderr -0 coopr-create slow -t gate -n 2 -o table
	contains "$output" slow1-1001
	same 00000001-001 "$(coopr-queue ls -o name)"
	same "" "$(coopr-queue show 00000001-001 --events | jq -r 'select(.event == "done") | .task' | sort | uniq -d)"
}

@test "told to end, it lets the tasks under way end, and the same command goes on" {
	start_slow
	kill -TERM "$maker"
	grep -q -m 1 "waiting for running tasks; a second signal stops them" <(tail -f -n +1 --pid="$maker" log)
	echo go >gate
	code=0
	wait "$maker" || code=$?
	[ "$code" -eq 143 ] || [ "$code" -eq 0 ]
	same 1 "$(grep -c "waiting for running tasks" log)"
	if [ "$code" -eq 143 ]; then
		contains "$(cat log)" "the same command resumes"
		touch open
		run --separate-stderr -0 coopr-create slow -t gate -n 2
	fi
	same "" "$(coopr-queue show 00000001-001 --events | jq -r 'select(.event == "lost") | .task')"
}

@test "^C is named on a terminal only" {
	need_program script
	mkfifo arrived gate
	script -qefc 'echo $$ >pid; exec coopr-create slow -t gate -n 2' log >/dev/null </dev/null 3>&- &
	maker=$!
	hear arrived _
	kill -TERM "$(cat pid)"
	grep -q -m 1 "waiting for running tasks; press ^C again to stop them" <(tail -f -n +1 --pid="$maker" log)
	echo go >gate
	wait "$maker" || true
	[[ $(cat log) != *"second signal"* ]]
}

@test "what the command names is mended: the same command uses it, as a new operation; without a change it continues the first" {
	touch broken
	echo '{"port": 1}' >c.json
	run -1 coopr-create c -t flaky -n 3 --config c.json
	echo '{ "port": 1.0 }' >c.json # the same
	run -1 coopr-create c -t flaky -n 3 --config c.json
	same 1 "$(coopr-queue ls -o json | wc -l)"
	echo '{"port": 2}' >c.json
	run --separate-stderr -1 coopr-create c -t flaky -n 3 --config c.json
	contains "$stderr" "the files or entities that the command names have changed since job 00000001-001 failed; the operation is planned anew"
	run --separate-stderr -1 coopr-create c -t flaky -n 3 --config c.json
	contains "$stderr" "job 00000001-002 failed before; its tasks that are not done are retried"
	jq '.provisioner.actions.start.type = "dummy"' mine/services/flaky.json >service # its definition was wrong
	mv service mine/services/flaky.json
	run --separate-stderr -0 coopr-create c -t flaky -n 3 --config c.json
	same '2' "$(coopr config c | jq .port)"
	same "failed failed complete" "$(coopr-history -o json c | jq -r .status | tac | paste -sd ' ')"
	run -1 coopr-create c -t flaky -n 3 --config c.json
}

@test "a creation of which no machine could be made leaves nothing, and once the provider is mended the same command makes all" {
	cp mine/providers/dummy.json right.json
	jq --arg path "$PWD/gone" '.providertype = "static" | .provisioner = {machines: $path}' right.json >mine/providers/dummy.json # its file of machines is not there
	run -1 coopr-create c -t plain -n 2
	cp right.json mine/providers/dummy.json
	run --separate-stderr -0 coopr-create c -t plain -n 2
	same "terminated 0 active 2" "$(sqlite3 -separator ' ' "$COOPR_STATE/store.sqlite3" "SELECT status, nodes FROM cluster ORDER BY id" | paste -sd ' ')"
	same $'create -\ncreate -' "$(tasks 00000002-001 'done' | grep create)"
	same $'start plain\nstart plain' "$(tasks 00000002-001 'done' | grep start)"
	same 2 "$(coopr-show c -o json | jq -r 'select(.kind == "node") | .ipaddresses.access_v4' | grep -c '^198[.]')"
}

@test "a provider that refuses at the first create, with 77 or Coopr's 201, ends the creation: nothing is held or retried" {
	mkdir -p plugins/provider
	cat >plugins/provider/deny <<-'EOT'
		#!/bin/sh
		cat >/dev/null
		echo "$1" >>"$WHERE/asked"
		echo "{\"kind\":\"result\",\"status\":$STATUS,\"message\":\"not for you\"}"
	EOT
	chmod 755 plugins/provider/deny
	jq '.providertype = "deny"' mine/providers/dummy.json >deny.json
	cp deny.json mine/providers/dummy.json
	for status in 77 201; do
		export STATUS=$status
		rm -f asked
		run --separate-stderr -1 coopr-create c -t plain -n 3
		contains "$stderr" "exit code 77: not for you"
		contains "$stderr" "no machine was made, nothing is held, and there is no such cluster"
		same 3 "$(grep -c create asked)"
		same "" "$(coopr list -o name)"
		same "0 0" "$(coopr quota -o json | jq -r '"\(.amounts.nodes.use) \(.amounts.clusters.use)"')"
	done
}

@test "a service that was not started is started when the command is planned anew, also where its configuration is the same" {
	touch broken
	run -1 coopr-create c -t flaky -n 3
	rm broken
	jq '.provisioner.actions.install.fields.delay_ms = "1"' mine/services/plain.json >service # of another service
	mv service mine/services/plain.json
	run --separate-stderr -0 coopr-create c -t flaky -n 3
	contains "$stderr" "the operation is planned anew"
	contains "$(tasks 00000001-002 'done')" "start flaky"
	contains "$(tasks 00000001-002 'done')" "bootstrap -"
	same "" "$(tasks 00000001-002 'done' | grep -e delete -e create)"
	same active "$(coopr-list -o json | jq -r .status)"
}

@test "machines that were made and cannot be entered are replaced when the command is planned anew, with -y, and all is set up" {
	cat >plugins/automator/door <<-'EOT'
		#!/bin/sh
		user=$(jq -r .machine.sshuser)
		[ "$1.$user" != bootstrap.nobody ] || { echo '{"kind":"result","status":77,"message":"login as nobody was refused"}' && exit 77; }
		echo '{"kind":"result","status":0}'
	EOT
	chmod 755 plugins/automator/door
	add_service door door
	cp mine/imagetypes/debian12.json right.json
	jq '.providermap.dummy.sshuser = "nobody"' right.json >mine/imagetypes/debian12.json
	run --separate-stderr -1 coopr-create c -t door -n 3
	contains "$stderr" "login as nobody was refused"
	cp right.json mine/imagetypes/debian12.json
	run --separate-stderr -64 coopr-create c -t door -n 3 </dev/null
	contains "$stderr" "use -y to confirm"
	run --separate-stderr -0 coopr-create -y c -t door -n 3
	contains "$stderr" "the operation is planned anew"
	[[ $stderr != *"still"* ]]
	same $'start door\nstart door' "$(tasks 00000001-002 'done' | grep start | sort)"
	same $'2 create -\n2 delete -' "$(tasks 00000001-002 'done' | grep -e delete -e create | sort | uniq -c | sed 's/^ *//')"
	same "active 3 3" "$(coopr-list -o jsonpath='{.status} {.ready} {.nodes}')"
}

@test "a clone that failed is planned anew once the other cluster has changed, and keeps what was made" {
	touch broken
	run -1 coopr create c -t flaky -n 3
	run -1 coopr clone c d
	run --separate-stderr -1 coopr clone c d
	contains "$stderr" "job 00000002-001 failed before; its tasks that are not done are retried"
	rm broken
	coopr retry c >records 2>log
	touch broken
	coopr config -y c --set port=7 --no-restart >records 2>log
	rm broken
	run --separate-stderr -0 coopr clone c d
	contains "$stderr" "the files or entities that the command names have changed since job 00000002-001 failed; the operation is planned anew"
	same 7 "$(coopr config d | jq .port)"
	contains "$(tasks 00000002-002 'done')" "start flaky"
	same "" "$(tasks 00000002-002 'done' | grep -e delete -e create)"
	same "active active" "$(coopr list -o json | jq -r .status | paste -sd ' ')"
}

@test "what is in progress, or paused, with what the command named before is not continued with something else: 75" {
	echo '{"port": 1}' >c.json
	coopr-create --detach c -t plain -n 2 --config c.json
	coopr-queue pause 00000001-001
	echo '{"port": 2}' >c.json
	run --separate-stderr -75 coopr-create c -t plain -n 2 --config c.json
	contains "$stderr" "cancel it with coopr abort c, then run the same command again"
	coopr abort c 2>log
	coopr-create c -t plain -n 2 --config c.json >records 2>log
	same 2 "$(coopr config c | jq .port)"
}

@test "another wish for a cluster that is half made is refused" {
	start_slow
	kill -9 "$maker"
	wait "$maker" || [ $? -eq 137 ]
	run --separate-stderr -75 coopr-create slow -t gate -n 3
	contains "$stderr" "slow: job 00000001-001 (create), started by $(id -un), has been in progress since "
}

@test "killed at any call, the same command goes on: one cluster, one job, nothing done twice" {
	make_shim
	for ((at = 1; at < 60; at += ${CRASH_STEP:-4})); do
		ASAN_OPTIONS=${ASAN_OPTIONS:-}:verify_asan_link_order=0 LD_PRELOAD=$PWD/shim.so CRASH_NO_SYNC=1 CRASH_AT=$at \
			coopr-create c -t plain -n 1 >/dev/null 2>&1 || true
		coopr-create -o json c -t plain -n 1 >records 2>log || grep -q "a cluster of this name exists, active" log
		same "active 1" "$(sqlite3 -separator ' ' "$COOPR_STATE/store.sqlite3" "SELECT status, nodes FROM cluster WHERE status <> 'terminated'")"
		same complete "$(coopr-queue ls -o json | jq -r .status | sort -u)"
		coopr-queue fsck
		coopr-store fsck
		coopr-delete -y c 2>log
		coopr-reconcile >log 2>&1
		same "" "$(ls -A "$COOPR_STATE/clusters")" # no folder of a cluster that came to nothing
	done
}

@test "the failure of an inner program is told in the words of the command that was typed" {
	for words in "-t nonsuch" "-t lamp -n 4 -s nonsuch" "-t lamp -n 400" "-t lamp -n 4 -P nonsuch" "-t lamp -n 4 --config nonsuch"; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr ! coopr-create blog $words
		[ -n "$stderr" ]
		same "" "$(grep -v '^coopr-create: ' <<<"$stderr" || true)"
		same "" "$(grep -E 'coopr-(request|solve|plan|queue)' <<<"$stderr" || true)"
	done
}

@test "work.log keeps the messages of all tries" {
	touch broken
	run -1 coopr-create c -t flaky -n 3
	cp "$(folder 00000001 001)/work.log" first
	[ -s first ]
	run -1 coopr-retry c
	cp "$(folder 00000001 001)/work.log" second
	head -c "$(stat -c %s first)" second | cmp - first
	[ "$(stat -c %s second)" -gt "$(stat -c %s first)" ]
	rm broken
	run -0 coopr-retry c
	head -c "$(stat -c %s second)" "$(folder 00000001 001)/work.log" | cmp - second
}

@test "delete deletes the machines and then the folder" {
	coopr-create -o json blog -t lamp -n 4 >records 2>log
	run --separate-stderr -0 coopr-delete -y blog
	[ -z "$output" ]
	[ ! -e "$(folder 00000001)" ]
	same $'delete\ndelete\ndelete\ndelete' "$(coopr-queue show 00000001-002 --tasks -o json | jq -r .action)"
	same "" "$("$COOPR_BIN"/../libexec/coopr/provider/dummy list <"$COOPR_ROOT/share/coopr/catalogue/providers/dummy.json")"
	run --separate-stderr -1 coopr-delete -y blog
	contains "$stderr" "no cluster named \"blog\""
}

@test "without -y it asks; without a terminal, or with another answer than yes, nothing is deleted" {
	need_program script
	coopr-create -o json c -t plain -n 1 >records 2>log
	run --separate-stderr -64 coopr-delete c </dev/null
	contains "$stderr" "-y"
	run --separate-stderr -1 script -qec "coopr-delete c" /dev/null <<<"n"
	[ -e "$(folder 00000001)/cluster.ndjson" ]
	run --separate-stderr -0 script -qec "coopr-delete c" /dev/null <<<"y"
	[ ! -e "$(folder 00000001)" ]
}

@test "delete takes what is half made: it cancels what runs, and deletes every machine" {
	start_slow
	kill -9 "$maker"
	wait "$maker" || [ $? -eq 137 ]
	run --separate-stderr -0 coopr-delete -y slow
	[ ! -e "$(folder 00000001)" ]
	same $'00000001-001 cancelled\n00000001-002 complete' "$(coopr-queue ls -o json | jq -r '.job + " " + .status')"
}

@test "delete takes what failed" {
	touch broken
	run -1 coopr-create c -t flaky -n 2
	same incomplete "$(sqlite3 "$COOPR_STATE/store.sqlite3" "SELECT status FROM cluster")"
	coopr-delete -y c 2>log
	same "" "$(ls -A "$COOPR_STATE/clusters")"
}

@test "a delete that was cut off goes on, and create says so" {
	coopr-create -o json c -t plain -n 1 >records 2>log
	coopr-delete -y --detach c
	run --separate-stderr -75 coopr-create c -t plain -n 1
	contains "$stderr" "job 00000001-002 (delete), started by $(id -un), has been in progress since "
	coopr-delete -y c 2>log
	same $'00000001-001 complete\n00000001-002 complete' "$(coopr-queue ls -o json | jq -r '"\(.job) \(.status)"')"
	same terminated "$(sqlite3 "$COOPR_STATE/store.sqlite3" "SELECT status FROM cluster")"
}
