#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# What is done to a cluster that lives, coopr-clusters(7), with machines and services that are not real; and the EXAMPLES of
# coopr-expand(1), coopr-shrink(1), coopr-add(1), coopr-remove(1), coopr-config(1), coopr-start(1), coopr-stop(1), coopr-restart(1),
# coopr-replace(1), coopr-upgrade(1), coopr-rollback(1), coopr-retry(1), coopr-abort(1), coopr-pause(1), coopr-resume(1),
# coopr-clone(1), coopr-rename(1) and coopr-lease(1).

load case
load examples

setup() {
	fresh
	own_catalogue
	stubborn_service
	coopr create -o json blog -t lamp -n 4 >records 2>log
}

recorded() { # COLUMN of the cluster
	sqlite3 "$COOPR_STATE/store.sqlite3" "SELECT $1 FROM cluster"
}

operations() { # COLUMNS
	sqlite3 -separator ' ' "$COOPR_STATE/store.sqlite3" "SELECT $1 FROM operation ORDER BY number"
}

# How many nodes carry a service, by the recorded layout.
carriers() {
	sqlite3 "$COOPR_STATE/store.sqlite3" "SELECT layout FROM cluster_document" |
		jq -s --arg service "$1" 'map(select(.kind == "node" and ((.services // []) | index($service)))) | length'
}

@test "expand and shrink change the number of machines, to or by a number; who stays is left alone" {
	coopr expand -o json blog >now 2>log
	same 5 "$(recorded nodes)"
	same "" "$(jq -r 'select(.kind == "node") | .id' records | while read -r id; do grep -q "$id" now || echo "$id"; done)"
	coopr expand -o json -n 7 blog 2>log >now
	same 7 "$(recorded nodes)"
	coopr shrink -o json -y -n -2 blog 2>log >now
	same 5 "$(recorded nodes)"
	node=$(jq -r 'select(.kind == "node" and (.services | index("apache"))) | .id' now | head -n 1)
	coopr shrink -o json -y --node "$node" blog 2>log >now
	same 4 "$(recorded nodes)"
	same "" "$(grep "\"id\":\"$node\"" now)"
	for words in "expand -n 4" "expand -n 2" "shrink -n 4" "shrink -n 9" "shrink -n -4" "shrink --node nobody"; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr -1 coopr $words blog
		[ -n "$stderr" ]
	done
	run --separate-stderr -64 coopr expand -n -1 blog
	contains "$stderr" "coopr shrink"
	run --separate-stderr -64 coopr shrink -y -n +1 blog
	run --separate-stderr -64 coopr expand -n many blog
	same "create complete,expand complete,expand complete,shrink complete,shrink complete" \
		"$(operations "action, status" | paste -sd,)"
}

@test "remove and add take services down and set them up" {
	same 2 "$(carriers memcached)"
	coopr remove -o json blog memcached >now 2>log
	same 0 "$(carriers memcached)"
	coopr add -o json blog memcached stubborn >now 2>log
	[ "$(carriers memcached)" -ge 1 ]
	[ "$(carriers stubborn)" -ge 1 ]
	run --separate-stderr -1 coopr add blog memcached
	contains "$stderr" 'the cluster has the service "memcached" already'
	run --separate-stderr -1 coopr remove blog nginx
	contains "$stderr" 'the cluster has no service "nginx"'
	run --separate-stderr -1 coopr add blog nonsuch
	contains "$stderr" 'there is no service "nonsuch"'
	run --separate-stderr -1 coopr add blog nginx
	contains "$stderr" 'nginx is not among the services that the template allows: haproxy, apache, '
	run --separate-stderr -1 coopr add blog nginx
	contains "$stderr" "blog: no layout satisfies the request: "
	contains "$stderr" "nginx"
	same active "$(recorded status)"
}

@test "config prints the configuration, and changes it: what it is about is configured and started again" {
	coopr config blog | jq -e '.php.memory == null'
	coopr config -o json --set php.memory=64M blog >now 2>log
	same 64M "$(coopr config blog | jq -r .php.memory)"
	contains "$(coopr-queue show 00000001-002 --tasks -o json | jq -r 'select(.action) | .action + " " + (.service // "")')" "configure mod-php"
	echo '{"mysql": {"port": 3307}}' | coopr config -o json --config - --no-restart blog >now 2>log
	same '{"mysql":{"port":3307}}' "$(coopr config -o json blog)"
	same configure "$(coopr-queue show 00000001-003 --tasks -o json | jq -r 'select(.action != "bootstrap") | .action' | sort -u)"
}

@test "--dry-run tells of each what it does: what is set up anew, what changes in the configuration, what restarts, is stopped or started" {
	coopr config --set php.memory=64M --set 'mysql.bind-address="0.0.0.0"' --dry-run -o table blog >preview
	grep -qx -- '+ config /php/memory "64M"' preview
	grep -qx -- '~ config /mysql/bind-address "%ip.self%" -> "0.0.0.0"' preview
	grep -qx -- '! apache restarts on 2 machines' preview
	grep -qx -- '~ 2  small, debian12: apache mod-php  (configure all)' preview
	coopr config --set php.memory=64M --no-restart --dry-run -o table blog >preview
	run ! grep '^!' preview
	coopr stop --node 1003 --dry-run -o table blog memcached >preview
	grep -qx '! memcached is stopped on 1 of 2 machines' preview
	coopr stop --dry-run -o table blog mysql >preview
	grep -qx '1 task, expected duration unknown: no such task was measured here yet' preview
	coopr start --dry-run -o table blog mysql >preview
	grep -qx '! mysql is started on 1 machine' preview
	coopr upgrade --dry-run -o table blog >preview
	same "4 unchanged: 4 machines, cost 0.22 an hour;no tasks: nothing is to be done on any machine" "$(tail -n 2 preview | paste -sd';')"
	contains "$(coopr upgrade -o table blog 2>log)" "Done in 0 ms"
	jq '.provisioner.actions.install.fields.version = "2"' mine/services/mysql.json >new
	mv new mine/services/mysql.json
	coopr upgrade --dry-run -o table blog >preview
	grep -qx -- '~ 1  medium, debian12: memcached mysql  (install mysql)' preview
	coopr remove --dry-run -o table blog haproxy >preview
	grep -qx -- '~ 1  small, debian12: memcached  (-haproxy)' preview
	coopr delete --dry-run -o table blog >preview
	grep -qx -- '4 to be removed: 0 machines, cost 0.22 -> 0 an hour' preview
	coopr expand -n 60 --dry-run -o table blog >preview
	coopr expand -n 60 -j 1 --dry-run -o table blog >slow
	same "" "$(diff preview slow | grep '^[<>]' | grep -v ' tasks, expected ')"
	run -0 coopr list -o json
	same 0.22 "$(jq .cost <<<"$output")"
}

@test "clone makes another like it, of the entities as they were" {
	coopr config -o json --set php.memory=64M blog >now 2>log
	jq '.provisioner.actions.install.fields.version = "2"' mine/services/mysql.json >new
	mv new mine/services/mysql.json
	coopr clone -o json blog copy >copied 2>log
	same "blog 4 active copy 4 active" "$(recorded "name || ' ' || nodes || ' ' || status" | paste -sd' ')"
	same "64M null" "$(coopr config copy | jq -r .php.memory) $(jq -c 'select(.kind == "cluster") | .definitions[] | select(.name == "mysql") |
		.provisioner.actions.install.fields.version' copied)"
	same 00000002-1000 "$(jq -r 'select(.kind == "node") | .id' copied | head -n 1)"
	run --separate-stderr -1 coopr clone nonsuch other
	contains "$stderr" "no cluster named \"nonsuch\""
	run --separate-stderr -1 coopr clone blog copy2 --owner nobody-else --tenant nonsuch
}

@test "start, stop and restart act on what is named, and on what that draws in" {
	for verb in stop start restart; do
		coopr "$verb" blog haproxy >now 2>log
	done
	same "stop start check stop start check" "$(for n in 2 3 4; do coopr-queue show "00000001-00$n" --tasks -o json; done |
		jq -r 'select(.service == "haproxy") | .action' | paste -sd' ')"
	run --separate-stderr coopr restart blog nonsuch
	[ "$status" -ne 0 ]
	same active "$(recorded status)"
}

@test "what is stopped is recorded as not to run, until it is started or leaves; also where the cluster changes meanwhile" {
	stopped() {
		sqlite3 "$COOPR_STATE/store.sqlite3" "SELECT layout FROM cluster_document WHERE cluster = 1" |
			jq -r 'select(.kind == "node") | .stopped // [] | .[]' | sort -u | paste -sd' '
	}
	coopr stop -o json blog apache >now 2>log
	same "apache haproxy" "$(stopped)"
	# Who is configured anew, for the sake of a machine that comes, is not started, and neither is what all was stopped of on that machine.
	coopr expand -o json blog >now 2>log
	same "apache haproxy" "$(stopped)"
	same '["apache"]' "$(jq -c 'select(.kind == "node" and .nodenum == 1004) | .stopped' now)"
	coopr start -o json blog apache >now 2>log
	same "haproxy" "$(stopped)"
	coopr start -o json blog haproxy >now 2>log
	same "" "$(stopped)"
	coopr stop -o json blog haproxy >now 2>log
	coopr restart -o json blog haproxy >now 2>log
	same "" "$(stopped)"
}

@test "a node is named by its number, id or host name, and nodes by a service that they have" {
	coopr replace -o json -y blog 1001 >now 2>log
	same "" "$(grep '"id":"00000001-1001"' now)"
	coopr stop -o json blog -N 1002 -N "$(jq -r 'select(.nodenum == 1003).hostname' records)" -N 00000001-1003 >now 2>log
	same "00000001-1002 00000001-1003" "$(coopr-queue show 00000001-003 --tasks -o json | jq -r 'select(.action == "stop").node' | sort -u | paste -sd' ')"
	coopr restart -o json blog -N @mysql mysql >now 2>log
	same "$(jq -r 'select(.kind == "node" and (.services | index("mysql"))) | .id' now)" \
		"$(coopr-queue show 00000001-004 --tasks -o json | jq -r 'select(.service == "mysql").node' | sort -u)"
	for verb in "replace blog" "stop blog -N"; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr -1 coopr $verb 1009
		contains "$stderr" "there is no node 1009; there are 1000, 1002, 1003, 1004"
	done
	run --separate-stderr -1 coopr stop blog -N "$(jq -r 'select(.nodenum == 1003).hostname' records | sed 's/-1003.*/-103/')"
	contains "$stderr" "; did you mean "
	run --separate-stderr -1 coopr replace blog/@mysqll
	contains "$stderr" "no node has the service mysqll; did you mean mysql?"
}

@test "CLUSTER/NODE and CLUSTER/@SERVICE say the same as -N and -s" {
	planned() { coopr "$@" --dry-run -o json blog 2>&1 | jq -c 'select(.kind == "task") | [.node, .service, .action]'; }
	by_operand() { coopr "$1" --dry-run -o json "${@:2}" 2>&1 | jq -c 'select(.kind == "task") | [.node, .service, .action]'; }
	for verb in stop restart; do
		same "$(planned $verb -N 1002)" "$(by_operand $verb blog/1002)"
		same "$(planned $verb -s apache)" "$(by_operand $verb blog/@apache)"
		same "$(planned $verb -s apache)" "$(by_operand $verb blog apache)"
		same "$(planned $verb -N @mysql -s mysql)" "$(by_operand $verb blog/@mysql/mysql)"
		same "$(planned $verb -N 1002 -N 1003 -s apache)" "$(by_operand $verb blog/1002/apache -N 1003)"
		[ -n "$(planned $verb -s apache)" ] && [ "$(planned $verb)" != "$(planned $verb -s apache)" ]
	done
	same "$(planned replace -N 1001)" "$(by_operand replace blog/1001)"
	same "$(planned replace -s mysql)" "$(by_operand replace blog/@mysql)"
	[ -n "$(planned replace -s mysql)" ]
	run --separate-stderr -64 coopr replace blog/@mysql 1001
	contains "$stderr" "expected nodes or a service, found both"
	run --separate-stderr -64 coopr replace blog
	run --separate-stderr -64 coopr stop blog/1/2/3
	run --separate-stderr -64 coopr stop blog -N ../x
}

@test "replace puts a new node in the place of one" {
	node=$(jq -r 'select(.kind == "node" and (.services | index("mysql"))) | .id' records)
	coopr replace -o json -y blog "$node" >now 2>log
	same "4 1" "$(recorded nodes) $(carriers mysql)"
	same "" "$(grep "\"id\":\"$node\"" now)"
	coopr replace -o json -y --dead blog "$(jq -r 'select(.kind == "node" and (.services | index("mysql"))) | .hostname' now)" >later 2>log
	same "delete" "$(coopr-queue show 00000001-003 --tasks -o json | jq -r "select(.node == $(jq 'select(.kind == "node" and (.services | index("mysql"))) | .id' now)) | .action")"
}

@test "a cluster knows nothing of what becomes of its entities until it is upgraded" {
	jq '.provisioner.actions.install.fields.version = "2"' mine/services/mysql.json >new
	mv new mine/services/mysql.json
	coopr expand -o json blog >now 2>log
	same null "$(jq -c 'select(.kind == "cluster") | .definitions[] | select(.name == "mysql") | .provisioner.actions.install.fields.version' now)"
	coopr config -o json --set php.memory=64M blog >now 2>log
	coopr upgrade -o json blog >now 2>log
	same '"2"' "$(jq -c 'select(.kind == "cluster") | .definitions[] | select(.name == "mysql") | .provisioner.actions.install.fields.version' now)"
	contains "$(coopr-queue show 00000001-004 --tasks -o json | jq -r '.action + " " + (.service // "")')" "install mysql"
	same "64M 5" "$(coopr config blog | jq -r .php.memory) $(recorded nodes)"
}

# History of what a plan does, in which each task took so long 100 times, the last times of all: learned PLAN SECONDS P90
learned() {
	jq -cs --argjson took "$2" --argjson p90 "$3" '(map(select(.kind == "cluster"))[0].provider.name) as $provider |
		(map(select(.kind == "node") | {(.id): .}) | add) as $nodes |
		map(select(.kind == "task") | {kind: "history", action, service, type, $provider, done: 100, failed: 0, lost: 0, retried: 0,
			imagetype: $nodes[.node].imagetype, hardwaretype: $nodes[.node].hardwaretype}) | unique[] |
		.recent = [range(100) | [4e12 + ., if . % 100 < 80 then $took else $p90 end * 1000]]' "$1" >"$COOPR_SPOOL/history"
}

@test "--dry-run tells how long it takes as measured here: the median and the 90th percentile, with so many tasks in parallel" {
	coopr stop --dry-run -o json blog mysql >plan
	learned plan 80 80
	coopr stop --dry-run -o table blog mysql | grep -qx '1 task, expected to take 1 m 20 s (90th percentile: 1 m 20 s)'
	learned plan 80 240
	coopr stop --dry-run -o table blog mysql >preview
	[[ $(tail -n 1 preview) =~ ^'1 task, expected to take '1\ m\ .*' (90th percentile: '[34]\ m\ .*')'$ ]]
	same '100 null' "$(coopr stop --dry-run -o json blog mysql | jq -r 'select(.kind == "job") | "\(.runs) \(.unmeasured)"')"
	coopr expand -n 14 --dry-run -o json blog >plan
	learned plan 10 10
	longest=$(coopr expand -n 14 -j 999 --dry-run -o json blog | jq 'select(.kind == "job") | .expected_s')
	one=$(coopr expand -n 14 -j 1 --dry-run -o json blog | jq -s '.[0].expected_s, .[0].tasks' | paste -sd' ')
	same "$((${one#* } * 10)) ${one#* }" "$one"
	[ "$longest" -ge "$(jq 'select(.kind == "job") | .tasks / 14 | floor' plan)" ] && [ "$longest" -lt "${one% *}" ]
}

@test "an operation took as long as its job, whenever somebody looks" {
	coopr expand -q --detach -n 5 blog
	coopr-work --drain
	finished=$(coopr-queue show --events 00000001-002 | jq -r 'select(.event == "finish").at')
	[ -n "$finished" ]
	until [ "$(date -u +%FT%TZ)" \> "${finished%.*}.999Z" ]; do sleep 0.05; done
	coopr status blog
	same "$finished" "$(coopr history -o json blog | jq -r 'select(.number == 2).ended')"
}

@test "a name is free as soon as the deletion of its cluster is over, whoever finishes that" {
	for how in "create -t lamp -n 4 -q blog" "create --dry-run -t lamp -n 4 blog" "clone -q other blog" "rename other blog"; do
		for name in blog other; do
			coopr list -o json | grep -q "\"name\":\"$name\"" || coopr create -q -t lamp -n 4 $name
		done
		coopr delete -yq --detach blog
		# shellcheck disable=SC2086 # words
		run ! coopr $how # still there
		coopr-work --drain
		# shellcheck disable=SC2086 # words
		coopr $how
	done
	same blog "$(coopr list -o json | jq -r .name)"
}

@test "the restart of the only instance of a stateful service is shown as downtime" {
	jq '.stateful = true' mine/services/mysql.json >stateful
	mv stateful mine/services/mysql.json
	coopr restart --dry-run blog -s mysql >preview
	grep -qxE '! mysql is down for about [0-9.]+ m?s( \(not measured yet\))?: it has no other instance' preview
}

@test "--dry-run shows the plan and changes nothing; --detach leaves the work to others, and is settled later" {
	coopr shrink --dry-run blog -o table >preview
	grep -qE -- '^- 1  small, debian12: apache mod-php  \([0-9]{4}\)$' preview
	grep -qx '! haproxy restarts on 1 machine' preview
	grep -qx -- '~ 1  small, debian12: haproxy memcached  (configure haproxy)' preview
	grep -qx '3 changed, 1 to be removed: 3 machines, cost 0.22 -> 0.2 an hour' preview
	grep -qx '1[0-9] tasks, expected duration unknown: [1-9]* of them were never measured here' preview
	coopr expand -n +2 --dry-run blog -o json >plan
	coopr-plan --check plan
	same "4 active" "$(recorded nodes) $(recorded status)"
	same 00000001-001 "$(cd "$COOPR_STATE/clusters/00000001" && echo *-*)"
	same 00000001-002 "$(coopr expand --detach blog)"
	same "pending" "$(recorded status)"
	run --separate-stderr -75 coopr expand -n 9 blog
	contains "$stderr" "job 00000001-002 (expand), started by $(id -un), has been in progress since "
	coopr-work --drain
	coopr restart -o json blog apache >now 2>log
	same "5 active" "$(recorded nodes) $(recorded status)"
}

@test "an operation that fails leaves what it has made, is told, and goes on with retry, or with the same command" {
	touch broken
	run --separate-stderr -1 coopr add blog stubborn
	contains "$stderr" "it is broken"
	same "inconsistent failed" "$(recorded status) $(operations status | tail -n 1)"
	contains "$(recorded message)" "start stubborn"
	run --separate-stderr -1 coopr expand blog
	contains "$stderr" "inconsistent"
	run --separate-stderr -1 coopr retry blog
	rm broken
	coopr retry -o json blog >now 2>log
	same "active complete" "$(recorded status) $(operations status | tail -n 1)"
	run --separate-stderr -1 coopr retry blog
	contains "$stderr" "its last operation has not failed"
}

@test "retry of a creation does not make a machine again that was made and is lost: that is a fault, which reconcile repairs or names" {
	touch broken
	run -1 coopr create shop -t lamp -n 4 -s haproxy,apache,mysql,stubborn
	rm broken "$COOPR_STATE"/dummy/*/00000002-1000
	coopr retry -q shop
	[ -z "$(find "$COOPR_STATE/dummy" -name 00000002-1000)" ]
	run --separate-stderr -1 coopr reconcile --probe shop
	contains "$stderr" "00000002-1000: its machine is gone"
}

@test "rollback brings back what was before an operation that failed" {
	touch broken
	run -1 coopr add blog stubborn -n +1
	same 5 "$(recorded nodes)"
	coopr rollback -o json -y blog >now 2>log
	same "4 active 0" "$(recorded nodes) $(recorded status) $(carriers stubborn)"
	same '["apache","haproxy","memcached","mod-php","mysql"]' "$(jq -c 'select(.kind == "cluster") | .services' now)"
	rm broken
	coopr expand -o json blog >now 2>log
	same "5 active 0" "$(recorded nodes) $(recorded status) $(carriers stubborn)"
	coopr rollback -o json -y blog >now 2>log
	same "4 active" "$(recorded nodes) $(recorded status)"
}

@test "rollback undoes the failed operation also after a new name or a new lease; the remedies of coopr show work" {
	touch broken
	run -1 coopr add blog stubborn -n +1
	coopr rename blog journal
	coopr lease journal 2d
	contains "$(coopr show -o table journal)" "coopr rollback journal"
	coopr rollback -o json -y journal >now 2>log
	same "4 active 0" "$(recorded nodes) $(recorded status) $(carriers stubborn)"
	run -1 coopr create shop -t lamp -n 4 -s haproxy,apache,mysql,stubborn
	shown=$(coopr show -o table shop)
	contains "$shown" "To remove it: coopr delete shop"
	[[ $shown != *rollback* ]]
	run -1 coopr expand shop
	[[ $output != *repair* ]]
}

@test "after a new name the next commands that are recommended name the cluster by it" {
	coopr rename blog journal
	contains "$(coopr expand -o table journal 2>log)" "Take it down: coopr delete journal"
}

@test "a machine that rollback brings back costs and uses what it did before" {
	coopr add -o json blog stubborn >now 2>log
	before="$(recorded 'nodes, cost, resources')"
	touch broken
	run -1 coopr replace -y --dead blog 00000001-1000
	rm broken
	coopr rollback -o json -y blog >now 2>log
	contains "$(jq -r .id now)" 00000001-1000
	same "$before" "$(recorded 'nodes, cost, resources')"
}

@test "pause, resume and abort steer what another process follows" {
	mkfifo arrived gate
	touch wait
	coopr add -o json blog stubborn >now 2>said &
	hear arrived _
	coopr pause blog
	same paused "$(coopr-queue ls -o json | jq -r 'select(.job == "00000001-002") | .status')"
	coopr resume blog
	coopr abort blog 3>&- &
	rm wait
	wait $! || true
	wait
	same "inconsistent cancelled" "$(recorded status) $(operations status | tail -n 1)"
	run --separate-stderr -1 coopr abort blog
	contains "$stderr" "no operation is in progress"
	coopr retry -o json blog >now 2>log
	same active "$(recorded status)"
}

@test "the examples of the pages" {
	coopr create -o json shop -t lamp -n 4 >now 2>log
	for name in expand shrink; do
		commands_of "$COOPR_ROOT/man/man1/coopr-$name.1" >>examples
	done
	for name in remove add config restart stop start upgrade; do
		commands_of "$COOPR_ROOT/man/man1/coopr-$name.1" >>examples
	done
	commands_of "$COOPR_ROOT/man/man1/coopr-replace.1" |
		sed "s/00000042-1001/$(jq -r 'select(.nodenum? == 1001).id' now)/" >>examples
	commands_of "$COOPR_ROOT/man/man1/coopr-lease.1" >>examples
	commands_of "$COOPR_ROOT/man/man1/coopr-clone.1" >>examples
	commands_of "$COOPR_ROOT/man/man1/coopr-rename.1" >>examples
	while read -r line <&4; do
		run bash -euo pipefail -c "$line"
		echo "$line: $status: $output"
		[ "$status" -eq 0 ]
	done 4< <(sed -E '/^coopr (shrink|replace) /s//&-y /' examples) # nobody is there to be asked
	same "blog shop-test store" "$(recorded name | sort | paste -sd' ')"
	run -1 bash -c "$(commands_of "$COOPR_ROOT/man/man1/coopr-retry.1" | tail -n 1 | sed 's/shop/store/')"
	while read -r line <&4; do
		run bash -euo pipefail -c "$line"
		echo "$line: $status: $output"
		[ "$status" -eq 0 ]
	done 4< <(commands_of "$COOPR_ROOT/man/man1/coopr-rollback.1" | sed 's/shop/store/; s/^coopr rollback/& -y/')
	for name in abort pause resume; do
		run -1 bash -c "$(commands_of "$COOPR_ROOT/man/man1/coopr-$name.1" | sed 's/shop/store/')"
		contains "$output" "no operation is in progress"
	done
}

@test "-m, --message says why; --why, its earlier name, is still understood" {
	coopr-create -o json c -t lamp -n 4 -m one >records 2>log
	coopr-lease --message two c 1d >log
	coopr-lease --why three c 2d >log
	same "one two three" "$(coopr-history -o json c | jq -r .why | tac | paste -sd ' ')"
	run ! grep -- --why <(coopr-lease --help)
}

@test "expand, killed at any call: the same command goes on, and nothing is done twice" {
	make_shim
	for ((at = 1; at < 72; at += ${CRASH_STEP:-14})); do
		ASAN_OPTIONS=${ASAN_OPTIONS:-}:verify_asan_link_order=0 LD_PRELOAD=$PWD/shim.so CRASH_NO_SYNC=1 CRASH_AT=$at \
			coopr-expand -n 5 blog >/dev/null 2>&1 || true
		coopr expand -o json -n 5 blog >now 2>log || grep -q "it has 5 machines" log
		same "5 active" "$(recorded nodes) $(recorded status)"
		coopr shrink -o json -y blog >now 2>log
	done
	same "complete" "$(operations status | sort -u)"
	coopr-store fsck
	coopr-queue fsck
}
