#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0

load case

# A web cluster: a balancer, two application nodes, a database.
setup() {
	fresh
	definitions='[
	 {"name":"lb","dependencies":{"provides":[],"conflicts":[],"install":{"requires":[],"uses":[]},
	  "runtime":{"requires":["app"],"uses":["cache"]}},"provisioner":{"actions":{
	  "install":{"type":"shell","fields":{"script":"lb.sh","args":"install"},"expect_s":20},
	  "configure":{"type":"shell","fields":{"script":"lb.sh"}},
	  "start":{"type":"shell","fields":{"script":"lb.sh"}},"stop":{"type":"shell","fields":{"script":"lb.sh"}}}}},
	 {"name":"app","dependencies":{"provides":["web"],"conflicts":[],"install":{"requires":["runtime"],"uses":[]},
	  "runtime":{"requires":["sql"],"uses":[]}},"provisioner":{"actions":{
	  "install":{"type":"shell","timeout_s":60,"retries":5},"configure":{"type":"shell"},
	  "start":{"type":"shell"},"stop":{"type":"shell"},"remove":{"type":"shell"}}}},
	 {"name":"runtime","provisioner":{"actions":{"install":{"type":"docker"}}}},
	 {"name":"db","dependencies":{"provides":["sql"]},"provisioner":{"actions":{
	  "install":{"type":"shell"},"configure":{"type":"shell"},"initialize":{"type":"shell"},
	  "start":{"type":"shell"},"stop":{"type":"shell"}}}}]'
	cluster '{}'
	cat >nodes <<-'END'
	{"kind":"node","id":"7-1000","nodenum":1000,"hostname":"shop-1000.local","services":["lb"],"was":null,"rack":"r1"}
	{"kind":"node","id":"7-1001","nodenum":1001,"hostname":"shop-1001.local","services":["app","runtime"],"was":null}
	{"kind":"node","id":"7-1002","nodenum":1002,"hostname":"shop-1002.local","services":["app","runtime"],"was":null}
	{"kind":"node","id":"7-1003","nodenum":1003,"hostname":"shop-1003.local","services":["db"],"was":null}
	END
	cat cluster nodes >layout
}

# Writes the cluster record with that configuration, and its definitions.
cluster() {
	printf '{"kind":"cluster","id":"00000007","name":"shop","tenant":"qa","services":["app","db","lb","runtime"],
	  "config":%s,"provider":{"name":"p","providertype":"dummy","provisioner":{}},"owner":"ann",
	  "definitions":%s}\n' "$1" "$definitions" >cluster
}

# The tasks of a plan, one a line: "install db on 7-1003".
tasks() {
	jq -r 'select(.kind == "task") | "\(.action) \(.service // .type) on \(.node)"' "$@"
}

# What step $1 ("start lb on 7-1000", or a milestone's name) of plan comes after, in the same words.
after() {
	jq -rs --arg name "$1" '
	  map(select(.kind == "task" or .kind == "milestone")
	    | .words = if .kind == "task" then "\(.action) \(.service // .type) on \(.node)" else .name end)
	  | INDEX(.id) as $steps | .[] | select(.words == $name) | .after | map($steps[.].words) | join(", ")' plan
}

@test "coopr-plan prints a job record, the records of the layout as they were, then tasks and milestones" {
	coopr-plan layout >plan
	same "$(jq -r .kind plan | uniq | head -n 5)" $'job\ncluster\nnode\ntask\nmilestone'
	same "$(jq -r .kind plan | tail -n +7 | sort -u)" $'milestone\ntask'
	same "$(jq -c 'select(.kind == "cluster") | .owner' plan)" '"ann"'
	same "$(jq -c 'select(.rack) | .rack' plan)" '"r1"'
	same "$(jq -c 'select(.kind == "job") | [.id, .cluster, .tenant, .action, .tasks]' plan)" \
		"[null,\"00000007\",\"qa\",\"cluster_create\",$(tasks plan | wc -l)]"
}

@test "each step stands behind all that it waits for" {
	coopr-plan layout | coopr-plan --check
	run -0 jq -s 'map(select(.after)) | [foreach .[] as $s ([]; . + [$s.id]; $s.after - .)] | add | length' \
		<(coopr-plan layout)
	same "$output" 0
}

@test "the same input gives the same bytes" {
	coopr-plan layout >first
	coopr-plan <layout >second
	cmp first second
}

@test "nodes are read in any order" {
	{ cat cluster; tac nodes; } | coopr-plan >reversed
	coopr-plan layout | cmp - reversed
}

@test "a plan may stand where a layout is wanted" {
	coopr-plan layout >plan
	coopr-plan plan | cmp - plan
}

@test "on a node: create, confirm, one bootstrap for each automator in use, then each service" {
	coopr-plan layout >plan
	same "$(tasks plan | grep 7-1001)" "create dummy on 7-1001
confirm dummy on 7-1001
bootstrap shell on 7-1001
bootstrap docker on 7-1001
install runtime on 7-1001
install app on 7-1001
configure app on 7-1001
start app on 7-1001"
	same "$(after "install runtime on 7-1001")" "bootstrap docker on 7-1001"
	same "$(after "bootstrap docker on 7-1001")" "confirm dummy on 7-1001"
}

@test "a task carries type, fields, timeout_s, retries, expect_s and rank" {
	coopr-plan layout >plan
	same "$(jq -c 'select(.service == "lb" and .action == "install") | [.type, .fields, .expect_s]' plan)" \
		'["shell",{"args":"install","script":"lb.sh"},20]'
	same "$(jq -c 'select(.service == "app" and .action == "install") | [.fields, .timeout_s, .retries]' plan | uniq)" \
		'[{},60,5]'
	same "$(jq -s 'map(.rank // 0) | max' plan)" "$(jq 'select(.kind == "job") | .critical_path_s' plan)"
}

@test "confirm is undone by delete and create" {
	coopr-plan layout >plan
	same "$(jq -c 'select(.undo) | [.action, .undo]' plan | sort -u)" '["confirm",["delete","create"]]'
}

@test "a service is started after all instances of what it needs at run time are started" {
	coopr-plan layout >plan
	same "$(after "start lb on 7-1000")" "configure lb on 7-1000, started: app"
	same "$(after "started: app")" "start app on 7-1001, start app on 7-1002"
	same "$(after "start app on 7-1002")" "configure app on 7-1002, start db on 7-1003"
}

@test "a service is installed after all instances of what it needs at install time are installed" {
	coopr-plan layout >plan
	contains "$(after "install app on 7-1001")" "installed: runtime"
	same "$(after "installed: runtime")" "install runtime on 7-1001, install runtime on 7-1002"
}

@test "a service is stopped after all instances of the services that need it" {
	coopr-plan -a stop layout >plan
	same "$(tasks plan | sed 's/ on.*//' | uniq)" $'stop lb\nstop app\nstop db'
	same "$(after "stop db on 7-1003")" "stopped: app"
	same "$(after "stop app on 7-1001")" "stop lb on 7-1000"
}

@test "where a service has no such task, what it needs itself counts instead" {
	jq -c 'del(.definitions[1].provisioner.actions.start)' cluster | cat - nodes | coopr-plan >plan
	same "$(after "start lb on 7-1000")" "configure lb on 7-1000, start db on 7-1003"
}

@test "a name stands for the service of that name and for all that provide it" {
	jq -c '.definitions[0].dependencies.provides = ["db"]' cluster >aliased
	jq -c '.definitions[0].dependencies.runtime.requires = [] | .definitions[1].dependencies.runtime.requires = ["db"]' aliased |
		cat - nodes | coopr-plan >plan
	same "$(after "ready to start: app")" "start lb on 7-1000, start db on 7-1003"
}

@test "services that need each other in a circle have no order: the cycle is printed" {
	jq -c '.definitions[3].dependencies.runtime.uses = ["lb"]' cluster | cat - nodes >circle
	run -1 --separate-stderr coopr-plan circle
	same "$output" ""
	same "$stderr" "coopr-plan: cluster 00000007: the runtime dependencies of the services form a cycle: app -> db -> lb -> app"
	coopr-plan -a delete circle >plan
	same "$(tasks plan | wc -l)" 4
	coopr-plan -a configure circle | coopr-plan --check
}

@test "where the configuration asks for addresses, configure waits until all nodes with that service are confirmed" {
	cluster '{"lb":{"upstream":"%ip.service.app%"},"app":{"db":"%ip.access_v4.service.db[0]%"}}'
	cat cluster nodes | coopr-plan >plan
	same "$(after "addresses: app")" "confirm dummy on 7-1001, confirm dummy on 7-1002"
	same "$(after addresses)" "confirm dummy on 7-1003, addresses: app"
	same "$(after "configure db on 7-1003")" "addresses, install db on 7-1003"
	same "$(after "start db on 7-1003")" "initialize db on 7-1003"
}

@test "start starts all that a service needs to run" {
	coopr-plan -a start -s app layout >plan
	same "$(tasks plan)" $'start db on 7-1003\nstart app on 7-1001\nstart app on 7-1002'
}

@test "stop stops all that need a service" {
	coopr-plan -a stop -s app layout >plan
	same "$(tasks plan)" $'stop lb on 7-1000\nstop app on 7-1001\nstop app on 7-1002'
}

@test "restart starts what it needs too, and stops none of that" {
	coopr-plan -a restart -s app layout >plan
	same "$(tasks plan | sort)" "start app on 7-1001
start app on 7-1002
start db on 7-1003
start lb on 7-1000
stop app on 7-1001
stop app on 7-1002
stop lb on 7-1000"
	coopr-plan --check plan
}

@test "only the nodes named, by id or hostname" {
	coopr-plan -a stop -N 7-1001 -N shop-1003.local layout >plan
	same "$(tasks plan)" $'stop app on 7-1001\nstop db on 7-1003'
}

@test "delete deletes all nodes, also those without services" {
	{ cat cluster nodes; echo '{"kind":"node","id":"7-1004","nodenum":1004,"hostname":"h","services":[],"was":null}'; } >more
	coopr-plan -a delete more >plan
	same "$(tasks plan | wc -l)" 5
	contains "$(tasks plan)" "delete dummy on 7-1004"
	same "$(jq -r 'select(.kind == "job") | .action' plan)" cluster_delete
	coopr-plan more >plan
	contains "$(tasks plan)" "confirm dummy on 7-1004"
}

@test "--graceful stops and removes the services of each node before it is deleted" {
	coopr-plan -a delete --graceful layout >plan
	same "$(after "delete dummy on 7-1001")" "remove app on 7-1001"
	same "$(after "remove app on 7-1001")" "stop app on 7-1001"
	same "$(after "delete dummy on 7-1003")" "stop db on 7-1003"
}

@test "a node that leaves a living cluster takes leave of its services" {
	coopr-plan -a delete -N 7-1002 layout >plan
	same "$(tasks plan)" $'stop app on 7-1002\nremove app on 7-1002\ndelete dummy on 7-1002'
	same "$(jq -r 'select(.kind == "job") | .action' plan)" cluster_shrink
}

@test "by default the plan is the difference between what was and what shall be" {
	cat >changed <<-'END'
	{"kind":"node","id":"7-1000","nodenum":1000,"hostname":"a","services":["lb"],"was":["lb"]}
	{"kind":"node","id":"7-1001","nodenum":1001,"hostname":"b","services":["db"],"was":["app","db"]}
	{"kind":"node","id":"7-1002","nodenum":1002,"hostname":"c","services":["app","db"],"was":["db"]}
	{"kind":"node","id":"7-1003","nodenum":1003,"hostname":"d","services":null,"was":["db"]}
	{"kind":"node","id":"7-1004","nodenum":1004,"hostname":"e","services":["db"],"was":null}
	END
	cat cluster changed | coopr-plan >plan
	coopr-plan --check plan
	same "$(tasks plan | grep -v 7-1004 | sort)" "bootstrap shell on 7-1002
configure app on 7-1002
delete dummy on 7-1003
install app on 7-1002
remove app on 7-1001
start app on 7-1002
stop app on 7-1001
stop db on 7-1003"
	same "$(tasks plan | grep -c 7-1004)" 7
	same "$(jq -r 'select(.kind == "job") | .action' plan)" cluster_change
	for action in add-services remove-services expand shrink; do
		cat cluster changed | coopr-plan -a $action | coopr-plan --check
	done
	same "$(cat cluster changed | coopr-plan -a add-services | tasks | grep -c '^start')" 1
}

@test "a plan without any task is a plan too" {
	{ cat cluster; sed 's/"services":\(\[[^]]*\]\),"was":null/"services":\1,"was":\1/' nodes; } >standing
	coopr-plan standing >plan
	same "$(jq -c 'select(.kind == "job") | [.action, .tasks, .critical_path_s]' plan)" '["cluster_change",0,0]'
	coopr-plan -a stop -s runtime layout >plan
	same "$(tasks plan)" "$(coopr-plan -a stop -s runtime layout | tasks)"
	coopr-plan --check plan
}

@test "--job gives the job's id" {
	same "$(coopr-plan --job 00000007-012 layout | head -n 1 | jq -r .id)" 00000007-012
}

@test "-v says how long the plan takes, and why" {
	run -0 --separate-stderr coopr-plan -v layout
	contains "$stderr" "coopr-plan: critical path: "
	contains "$stderr" "start lb on 7-1000"
	contains "$stderr" "expected duration: unknown; "
	contains "$stderr" "duration by the hints of the catalogue: "
}

# All that stands, a third application node beside; the layout is the file "stands".
standing() {
	cluster "${1:-"{}"}"
	cat >nodes <<-'END'
	{"kind":"node","id":"7-1000","nodenum":1000,"hostname":"shop-1000.local","services":["lb"],"was":["lb"]}
	{"kind":"node","id":"7-1001","nodenum":1001,"hostname":"shop-1001.local","services":["app","runtime"],"was":["app","runtime"]}
	{"kind":"node","id":"7-1002","nodenum":1002,"hostname":"shop-1002.local","services":["app","runtime"],"was":["app","runtime"]}
	{"kind":"node","id":"7-1003","nodenum":1003,"hostname":"shop-1003.local","services":["db"],"was":["db"],"facts":{"providerid":"i-3"}}
	{"kind":"node","id":"7-1004","nodenum":1004,"hostname":"shop-1004.local","services":["app","runtime"],"was":["app","runtime"]}
	END
	cat cluster nodes >stands
}

@test "--max-unavailable: the nodes are changed in batches, each when the one before is done with" {
	standing
	coopr-plan -a restart -s app --max-unavailable 2 stands >plan
	coopr-plan --check plan
	same "$(tasks plan | sort)" "$(printf '%s app on 7-100%d\n' start 1 start 2 start 4 stop 1 stop 2 stop 4)"
	same "$(after "stop app on 7-1001"),$(after "stop app on 7-1002")" ","
	same "$(after "stop app on 7-1004")" "batch 1: app"
	same "$(after "batch 1: app")" "start app on 7-1001, start app on 7-1002"
	same "$(jq -c 'select(.kind == "job") | [.action, .rolling, .max_unavailable]' plan)" '["restart_services",true,"2"]'
}

@test "a service does not begin before all that it needs is done with, on all nodes" {
	standing
	coopr-plan -a restart --max-unavailable 1 stands >plan
	same "$(after "stop app on 7-1001")" "start db on 7-1003"
	same "$(after "stop lb on 7-1000")" "done: app"
	same "$(after "done: app")" "start app on 7-1001, start app on 7-1002, start app on 7-1004"
}

@test "a percentage of all nodes that carry the service is rounded down, but at least 1" {
	standing
	coopr-plan -a restart -s app --max-unavailable 34% stands >plan
	same "$(after "stop app on 7-1002")" "start app on 7-1001"
	coopr-plan -a restart -s app --max-unavailable 67% stands >plan
	same "$(after "stop app on 7-1002")" ""
	coopr-plan -a restart -s app --max-unavailable 1% stands >plan
	same "$(after "stop app on 7-1002")" "start app on 7-1001"
}

@test "--max-unavailable auto: the limit of the template, or a quarter; 100% is all at once; only what goes down for a while rolls" {
	standing
	coopr-plan -a restart -s app --max-unavailable auto stands >plan
	same "$(jq -c 'select(.kind == "job") | [.action, .rolling, .max_unavailable]' plan)" '["restart_services",true,"25%"]'
	same "$(after "stop app on 7-1004")" "start app on 7-1002"
	jq -c 'if .kind == "cluster" then .template = {name: "t", rolling: {max_unavailable: "2"}} else . end' stands >two
	coopr-plan -a restart -s app --max-unavailable auto two >plan
	same "$(jq -r 'select(.kind == "job") | .max_unavailable' plan)" 2
	coopr-plan -a restart -s app --max-unavailable 100% two >plan
	coopr-plan -a restart -s app two | cmp - plan
	for action in start stop configure delete; do
		coopr-plan -a "$action" two >plan
		coopr-plan -a "$action" --max-unavailable auto two | cmp - plan
	done
}

@test "a batch begins when the one before is healthy; what needs the service, too" {
	standing
	jq -c 'if .kind == "cluster" then .definitions[] |= if .name == "app" then .provisioner.actions.status = {type: "shell"} | .ready_timeout_s = 60
		else . end else . end' stands >asked
	coopr-plan -a restart --max-unavailable 1 asked >plan
	coopr-plan --check plan
	contains "$(after "stop app on 7-1002")" "check app on 7-1001"
	same "$(after "check app on 7-1001")" "start app on 7-1001"
	same "$(after "stop lb on 7-1000")" "done: app"
	same "$(after "done: app")" "check app on 7-1001, check app on 7-1002, check app on 7-1004"
	same '[60,0,60]' "$(jq -c 'select(.action == "check") | [.timeout_s, .retries, .patience_s]' plan | sort -u)"
	run -1 coopr-plan --check < <(jq -cs '(.[] | select(.action == "check" and .node == "7-1004") | .id) as $id |
		.[] | select(.id != $id) | if .after then .after -= [$id] else . end' plan)
	contains "$output" "app is started, and no task checks that it is healthy"
	coopr-plan -a restart -s lb asked >plan
	contains "$(tasks plan)" "check app on 7-1004"
	contains "$(after "start lb on 7-1000")" "healthy: app"
}

@test "with --max-unavailable, no service is down on more nodes than that in whatever order the tasks are done" {
	need_program python3
	run "$COOPR_ROOT/tests/plan/rolling.py" "$COOPR_BIN/coopr-plan" 120
	contains "$output" " 0 wrong"
}

@test "--check finds when a service can be down on more nodes than allowed" {
	standing
	coopr-plan -a restart -s app --max-unavailable 1 stands >plan
	run -1 coopr-plan --check < <(jq -c 'if .action == "stop" and .node == "7-1002" then .after = [] else . end' plan)
	contains "$output" "app can be down on 2 nodes at a time, and 1 is allowed"
	run -1 coopr-plan --check < <(jq -c 'select(.action != "start" or .node != "7-1004")' plan)
	contains "$output" "app on 7-1004 is stopped and not started again"
}

@test "a limit is refused where nothing goes down for a while" {
	for action in stop start create delete shrink configure; do
		run -64 coopr-plan -a "$action" --max-unavailable 1 layout
	done
	for limit in 0 0% -1 x 1.5 '' 10%%; do
		run -64 coopr-plan -a restart --max-unavailable "$limit" layout
	done
}

@test "upgrade stops, installs, configures and starts; it does not remove or initialize" {
	standing
	coopr-plan -a upgrade -s db stands >plan
	coopr-plan --check plan
	same "$(tasks plan | grep 'db on')" "$(printf '%s db on 7-1003\n' stop install configure start)"
	same "$(tasks plan | grep -c 'stop app')" 3
	coopr-plan -a upgrade -s db --max-unavailable 1 stands >plan
	same "$(tasks plan)" "$(printf '%s on 7-1003\n' "bootstrap shell" "stop db" "install db" "configure db" "start db")"
}

@test "upgrade is about the services whose definition has changed, where it is known what was" {
	standing
	jq -c '.definitions[3].provisioner.actions.install.fields = {version: "2"}' cluster | cat - nodes >newer
	coopr-plan -a upgrade --max-unavailable 1 --from stands newer >plan
	same "$(tasks plan)" "$(printf '%s on 7-1003\n' "bootstrap shell" "stop db" "install db" "configure db" "start db")"
	same "$(coopr-plan -a upgrade --from stands stands | tasks)" ""
	same "$(coopr-plan -a upgrade stands | tasks | grep -c install)" 8
}

@test "--from: what has another definition is upgraded, configured or restarted, as far as it has to be" {
	standing
	change() { jq -c ".definitions[3].provisioner.actions$1" cluster | cat - nodes | coopr-plan --from stands; }
	same "$(change '.install.fields = {v: "2"}' | tasks | cut -d' ' -f1 | xargs)" "bootstrap stop install configure start"
	same "$(change '.configure.fields = {v: "2"}' | tasks | cut -d' ' -f1 | xargs)" "bootstrap stop configure start"
	same "$(change '.start.fields = {v: "2"}' | tasks | cut -d' ' -f1 | xargs)" "bootstrap stop start"
	same "$(change '.initialize.fields = {v: "2"}' | tasks)" ""
	same "$(change '.start.expect_s = 77' | tasks)" ""
	same "$(change '.install.fields = {v: "2"}' | head -n 1 | jq -r .action)" cluster_upgrade
	same "$(change '.configure.fields = {v: "2"}' | head -n 1 | jq -r .action)" cluster_configure_with_restart
	same "$(change '.start.fields = {v: "2"}' | head -n 1 | jq -r .action)" restart_services
}

@test "what is stopped is stopped as it was defined before" {
	standing
	jq -c '.definitions[3].provisioner.actions.stop = {type: "other", fields: {v: "2"}}' cluster | cat - nodes >newer
	coopr-plan --from stands newer >plan
	coopr-plan --check plan
	same "$(jq -c 'select(.action == "stop") | [.type, .fields]' plan)" '["shell",{}]'
	jq -c 'if .action == "stop" then .type = "other" else . end' plan >wrong
	run -1 coopr-plan --check wrong
}

@test "a member of the configuration is about the service of its name and all that need it, any other about all" {
	standing '{"app":{"port":80}}'
	configured() { coopr-plan --from stands newer | tee plan | tasks | sed -n 's/configure \(.*\) on .*/\1/p' | sort -u | xargs; }
	cluster '{"app":{"port":81}}' && cat cluster nodes >newer
	same "$(configured)" "app lb"
	coopr-plan --check plan
	cluster '{"app":{"port":80},"tls":true}' && cat cluster nodes >newer
	same "$(configured)" "app db lb"
	cluster '{"app":{"port":80},"sql":1}' && cat cluster nodes >newer
	same "$(configured)" "app db lb"
	cluster '{"app":{"port":80},"lb":1}' && cat cluster nodes >newer
	same "$(configured)" "lb"
	same "$(coopr-plan --from stands stands | tasks)" ""
}

@test "a member has changed where a macro in it asks for a service of which an instance comes or goes" {
	standing '{"lb":{"upstream":"%ip.service.app%"}}'
	{ cat stands; echo '{"kind":"node","id":"7-1005","nodenum":1005,"hostname":"h","services":["app"],"was":null}'; } >newer
	coopr-plan --from stands newer >plan
	coopr-plan --check plan
	same "$(tasks plan | grep 'on 7-1000')" "$(printf '%s on 7-1000\n' "bootstrap shell" "stop lb" "configure lb" "start lb")"
	same "$(after "stop lb on 7-1000")" "bootstrap shell on 7-1000, confirm dummy on 7-1005, start app on 7-1005"
}

@test "nodes that only the newer layout has are new, and those that only the older one has leave" {
	standing
	{ cat cluster; grep -v 7-1003 nodes; echo '{"kind":"node","id":"7-1005","nodenum":1005,"hostname":"h","services":["db"],"was":["lb"]}'; } >newer
	coopr-plan --from stands newer >plan
	coopr-plan --check plan
	same "$(tasks plan | grep -c 7-1005)" 7
	same "$(tasks plan | grep 7-1003)" $'stop db on 7-1003\ndelete dummy on 7-1003'
	same "$(jq -c 'select(.kind == "node" and .id == "7-1003") | [.services, .was, .facts]' plan)" '[null,["db"],{"providerid":"i-3"}]'
	coopr-plan plan | cmp - plan
}

@test "a node cannot change its hardware type, nor a cluster its id" {
	standing
	sed 's/"hostname":"shop-1003/"hardwaretype":"small",&/' stands >older
	sed 's/"hostname":"shop-1003/"hardwaretype":"large",&/' stands >newer
	run -65 coopr-plan --from older newer
	contains "$output" '7-1003 is of type "small" and cannot become "large": replace it'
	run -65 coopr-plan --from <(sed 's/00000007/00000008/' stands) stands
	contains "$output" "is of the cluster 00000007, what was is of 00000008"
	run -66 coopr-plan --from nowhere stands
	run -64 coopr-plan --from - stands
}

@test "replace: a node leaves when what comes in its place is up" {
	standing
	{ cat cluster; sed '/7-1002/s/"services":\[[^]]*\]/"services":null/' nodes
	  echo '{"kind":"node","id":"7-1005","nodenum":1005,"hostname":"h","services":["app","runtime"],"was":null}'; } >replaced
	coopr-plan -a replace replaced >plan
	coopr-plan --check plan
	same "$(jq -c 'select(.kind == "job") | .action' plan)" '"cluster_replace"'
	same "$(after "stop app on 7-1002")" "start app on 7-1005"
	contains "$(after "delete dummy on 7-1002")" "install runtime on 7-1005"
	same "$(coopr-plan replaced | tasks)" "$(tasks plan)"
	run -1 coopr-plan --check < <(jq -c 'if .action == "stop" then .after = [] else . end' plan)
	contains "$output" "(stop app on 7-1002) does not wait for "
}

@test "replace --max-unavailable: so many nodes of a service are replaced at a time, each new one up before the old one leaves" {
	standing
	{ cat cluster; sed -E '/7-100[124]/s/"services":\[[^]]*\]/"services":null/' nodes
	  for i in 5 6 7; do
		echo '{"kind":"node","id":"7-100'$i'","nodenum":100'$i',"hostname":"h","services":["app","runtime"],"was":null}'
	  done; } >replaced
	coopr-plan -a replace --max-unavailable 1 replaced >plan
	coopr-plan --check plan
	same "$(after "create dummy on 7-1005")" ""
	same "$(after "create dummy on 7-1006")" "delete dummy on 7-1001"
	same "$(after "create dummy on 7-1007")" "delete dummy on 7-1002"
	same "$(after "stop app on 7-1002")" "install runtime on 7-1006, start app on 7-1006"
	same "$(tasks plan | sort)" "$(coopr-plan -a replace replaced | tasks | sort)"
	run -1 coopr-plan --check < <(jq -c 'if .action == "create" then .after = [] else . end' plan)
	contains "$output" "app can be replaced on 3 nodes at a time, and 1 is allowed"
	run -1 coopr-plan --check < <(jq -c 'if .action == "stop" then .after = .after[:1] else . end' plan)
	contains "$output" "does not wait for"
	run -1 coopr-plan -a replace --max-unavailable 1 < <(jq -c 'if .kind == "cluster" then .config = {a: "%ip.service.app%"} else . end' replaced)
	contains "$output" "the configuration asks for the addresses of app"
}

# Three nodes with volumes that leave, and three new ones; the layout is the file "moving".
moving() {
	standing
	jq -c 'if .kind == "cluster" then .definitions |= map(if .name == "db" then .volumes = [{name: "data", path: "/d", size_gb: 1}] else . end) else empty end' \
		stands >moving
	jq -c 'select(.services == ["lb"])' stands >>moving
	for i in 1 2 3; do
		jq -nc --argjson i $i '{kind: "node", id: "7-200\($i)", nodenum: (2000 + $i), hostname: "o\($i).local", services: null, was: ["db"]},
			{kind: "node", id: "7-300\($i)", nodenum: (3000 + $i), hostname: "n\($i).local", services: ["db"], was: null}'
	done >>moving
}

@test "a node frees the volumes of what stood on it; one that was half made, those of all that may have been there" {
	moving
	jq -c 'if .services == null and .id == "7-2003" then .was = [] elif .id == "7-3001" then .services = null | .was = ["lb"] else . end' moving >leaving
	coopr-plan leaving >plan
	same '7-2001 ["data"] 7-2002 ["data"] 7-2003 ["data"] 7-3001 []' \
		"$(jq -r 'select(.action == "delete") | "\(.node) \(.fields.volumes // [] | map(.name) | tojson)"' plan | sort | paste -sd ' ')"
}

@test "volumes are handed over on so many nodes at a time, each new machine there before the old one leaves" {
	moving
	for action in "" "-a replace"; do
		# shellcheck disable=SC2086
		coopr-plan $action --max-unavailable 1 moving >plan
		coopr-plan --check plan
		same "ready to leave: 7-2001" "$(after "stop db on 7-2001")"
		same "confirm dummy on 7-3001" "$(after "ready to leave: 7-2001" | tr -d '\n')"
		same "confirm dummy on 7-3001, delete dummy on 7-2001" "$(after "attach dummy on 7-3001")"
		same "confirm dummy on 7-3002, up: 7-3001" "$(after "ready to leave: 7-2002")"
	done
	# At once, where that is asked for, and where it cannot be otherwise.
	coopr-plan --max-unavailable 100% moving >plan
	same "confirm dummy on 7-3001, delete dummy on 7-2001, delete dummy on 7-2002, delete dummy on 7-2003" "$(after "attach dummy on 7-3001" | sed 's/released: db/delete dummy on 7-2001, delete dummy on 7-2002, delete dummy on 7-2003/')"
	jq -c 'if .id == "7-3001" then .zone = "z2" else . end' moving >elsewhere
	run -1 coopr-plan --max-unavailable 1 elsewhere
	contains "$output" "no new node has the same services with volumes as 7-2003, whose volumes other nodes get; replace some of the nodes at a time"
	coopr-plan --max-unavailable auto elsewhere | coopr-plan --check
	jq -c 'if .kind == "cluster" then .config.db = {peers: "%host.service.db%"} else . end' moving >peers
	run -1 coopr-plan --max-unavailable 1 peers
	contains "$output" "db looks up its own instances, and all of them are replaced"
	coopr-plan --max-unavailable auto peers | coopr-plan --check
}

@test "--dead: where the machine had data, its service is told nothing on other nodes before it is deleted" {
	jq -nc '"10.0.0.\(1 + range(4))" as $address | {kind: "node", id: "7-100\($address[7:8])", nodenum: (1000 + ($address[7:8] | tonumber)), hostname: "h",
		ipaddresses: {bind_v4: $address}, services: ["db"], was: ["db"]}' >nodes
	{
		jq -nc '{kind: "cluster", id: "7", name: "c", services: ["db"], config: {db: "%ip.service.db%"}, was: {config: {db: "%ip.service.db%"}}, provider: {name: "p", providertype: "dummy"},
			template: {name: "t"}, definitions: [{name: "db", data: ["/d"], provisioner: {actions: ({type: "dummy"} |
			{install: ., configure: ., start: ., reload: ., status: .})}}]}'
		sed '1,2s/"services":\["db"\]/"services":null/; $s/"was":\["db"\]/"was":null/; $s/"ipaddresses":{[^}]*},//' nodes
	} >layout
	coopr-plan --dead 7-1001 --dead 7-1002 layout >plan
	coopr-plan --check plan
	gone=$(jq -r 'select(.name == "gone: db").id' plan)
	same 2 "$(jq --arg gone "$gone" 'select(.id == $gone).after | length' plan)"
	same $'configure 7-1003\ninstall 7-1004' "$(jq -r --arg gone "$gone" 'select(.kind == "task" and (.after | index($gone))) | "\(.action) \(.node)"' plan)"
	# The judge sees where it is not so.
	run -1 coopr-plan --check < <(jq -c --arg gone "$gone" 'if .after then .after -= [$gone] else . end' plan)
	contains "$output" "does not wait for"
	# Without data, nobody waits.
	jq -c 'if .definitions then .definitions[0].data = [] else . end' layout >without
	coopr-plan --dead 7-1001 --dead 7-1002 without >plan
	coopr-plan --check plan
	same "" "$(jq -r 'select(.name == "gone: db").id' plan)"
}

@test "--dead: no task is planned on the node but its deletion, which nothing has to precede" {
	standing
	coopr-plan -a delete -N 7-1002 --dead shop-1002.local stands >plan
	same "$(tasks plan)" "delete dummy on 7-1002"
	same "$(jq -c 'select(.kind == "job") | .dead' plan)" '["7-1002"]'
	coopr-plan --check plan
	same "$(coopr-plan -a restart --dead 7-1002 stands | tasks | grep -c 7-1002)" 0
	run -1 coopr-plan --dead 7-4711 stands
	coopr-plan -a restart stands | jq -c 'if .kind == "job" then .dead = ["7-1002"] else . end' >plan
	run -1 coopr-plan --check plan
	contains "$output" "the machine of 7-1002 does not answer"
	coopr-plan -a delete -N 7-1002 stands | jq -c 'if .after then .after = [] | select(.action == "delete") else . end' >plan
	run -1 coopr-plan --check plan
	contains "$output" "7-1002 is deleted, and app on it is not stopped"
}

@test "a need that is local is about the instance on the same node only" {
	jq -c '.definitions[1].dependencies.install.local = ["runtime"]' cluster | cat - nodes | coopr-plan >plan
	coopr-plan --check plan
	same "$(after "install app on 7-1001")" "bootstrap shell on 7-1001, install runtime on 7-1001"
	run -1 coopr-plan --check < <(jq -c 'if .service == "app" and .action == "install" then .after = .after[:1] else . end' plan)
	contains "$output" "does not wait for"
	standing
	jq -c '.definitions[0].dependencies.runtime.local = ["app"]' cluster | cat - nodes |
		sed 's/"services":\["lb"\]/"services":["app","lb"]/' | coopr-plan -a stop >plan
	same "$(after "stop app on 7-1000")" "stop lb on 7-1000"
	same "$(after "stop app on 7-1001")" ""
}

@test "what a job has done is not planned again: the layout it leaves says nothing more of what was" {
	standing
	jq -c '.definitions[3].provisioner.actions.install.fields = {version: "2"}' cluster | cat - nodes >newer
	job=$(coopr-plan --from stands newer | coopr-queue put)
	coopr-queue show --layout "$job" | coopr-plan >plan
	same "$(tasks plan | cut -d' ' -f1 | xargs)" "bootstrap stop install configure start"
	while coopr-queue take >taken; do
		jq -c '{kind: "result", job, task: .id, attempt, status: 0}' taken | coopr-queue done
	done
	coopr-queue show --layout "$job" | coopr-plan >plan
	same "$(tasks plan)" ""
	same "$(jq -c 'select(.kind == "cluster") | .was' plan)" null
}

@test "--history says how long tasks take: on the same hardware type, else on any, else as the service says" {
	cat >history <<-'END'
	{"kind":"expectation","action":"install","service":"lb","type":"shell","hardwaretype":null,"expect_s":3,"runs":9}
	{"kind":"expectation","action":"install","service":"db","type":"shell","hardwaretype":null,"expect_s":5,"runs":9}
	{"kind":"expectation","action":"install","service":"db","type":"shell","hardwaretype":"large","expect_s":4.5,"runs":3}
	{"kind":"expectation","action":"create","service":null,"type":"dummy","hardwaretype":null,"expect_s":1.5,"runs":9}
	{"kind":"expectation","action":"install","service":"app","type":"docker","hardwaretype":null,"expect_s":99,"runs":9}
	END
	sed 's/"hostname":"shop-1003/"hardwaretype":"large",&/' layout | coopr-plan --history history >plan
	coopr-plan --check plan
	expected() { jq -r "select(.action == \"$1\" and .service == $2) | .expect_s" plan | sort -u | xargs; }
	same "$(expected install '"lb"') $(expected install '"db"') $(expected install '"app"') $(expected create null)" "3 4.5 60 1.5"
	same "$(expected configure '"lb"')" 5
	run -64 coopr-plan --history - layout
	run -66 coopr-plan --history nowhere layout
	run -65 coopr-plan --history <(echo '{"kind":"expectation","action":"dance","type":"x"}') layout
	contains "$output" "/0/action"
	contains "$output" "/0/expect_s"
}

@test "--slots: the duration with so many workers" {
	duration() { coopr-plan -v "$@" layout 2>&1 >/dev/null | sed -n 's/.*hints of the catalogue: //p'; }
	contains "$(duration --slots 1)" "with 1 worker"
	contains "$(duration)" "with a worker for every node"
	total=$(coopr-plan layout | jq -s 'map(.expect_s // 0) | add')
	critical=$(coopr-plan layout | head -n 1 | jq .critical_path_s)
	[ "$critical" -lt "$total" ]
	same "$(duration --slots 1)" "$((total / 60)) m $((total % 60)) s with 1 worker"
	same "$(duration --slots 4)" "$(duration | sed 's/a worker for every node/4 workers/')"
}

@test "the plan grows with nodes times services, never with their square" {
	need_program python3
	edges() { python3 "$COOPR_ROOT/tests/plan/hadoop.py" "$1" | coopr-plan | jq -s 'map(.after // [] | length) | add'; }
	small=$(edges 50) large=$(edges 100)
	[ "$large" -lt $((small * 21 / 10)) ]
}

@test "layers of services that each need all of the next, and cannot be started, are looked through once" {
	jq -nc '
	  def service($name; $needs; $starts): {name: $name, dependencies: {runtime: {requires: $needs}},
	    provisioner: {actions: (if $starts then {start: {type: "shell"}} else {} end)}};
	  [range(60) as $l | range(2) as $k
	    | service("s\($l)_\($k)"; if $l == 59 then [] else ["s\($l + 1)_0", "s\($l + 1)_1"] end; $l == 0 or $l == 59)] as $all
	  | ($all | map(.name)) as $names
	  | {kind: "cluster", id: "1", name: "c", services: $names, definitions: $all, provider: {name: "p", providertype: "dummy"}},
	    {kind: "node", id: "n", nodenum: 1000, hostname: "h", services: $names, was: null}' >layers
	coopr-plan layers >plan
	contains "$(after "start s0_1 on n")" "start s59_0 on n, start s59_1 on n"
	coopr-plan --check plan
}

@test "an unknown action, service, node or job id is refused" {
	run -64 coopr-plan -a destroy layout
	run -64 coopr-plan -a creat layout
	contains "$output" "did you mean 'create'?"
	run -64 coopr-plan --job ../etc layout
	run -64 coopr-plan layout layout
	run -64 coopr-plan -a delete -s db layout
	run -1 coopr-plan -s nothing layout
	same "$output" "coopr-plan: cluster 00000007: there is no service nothing; there are app, db, lb, runtime"
	run -1 coopr-plan -N 7-9999 layout
	same "$output" "coopr-plan: cluster 00000007: there is no node 7-9999"
}

@test "malformed input is named, and nothing is printed" {
	run -65 coopr-plan </dev/null
	contains "$output" "there is no cluster record"
	run -65 coopr-plan <<<'{"kind":"cluster"'
	run -65 coopr-plan <<<'[]'
	run -65 --separate-stderr coopr-plan < <(head -c 1000 layout)
	same "$output" ""
	run -65 --separate-stderr coopr-plan < <(jq -c '.services = 7 | .id = "/"' cluster)
	contains "$stderr" "/0/services: expected array, found number"
	contains "$stderr" "/0/id: "
	run -66 coopr-plan nowhere.json
	same "coopr-plan: nowhere.json: No such file or directory" "$output"
	run -66 coopr plan shop
	contains "$output" "coopr expand --dry-run shop"
}

@test "a service without definition is refused" {
	jq -c 'del(.definitions[3])' cluster | cat - nodes >undefined
	run -65 --separate-stderr coopr-plan undefined
	same "$output" ""
	same "$stderr" "coopr-plan: cluster 00000007: node 7-1003: service db: the cluster record has no definition of it"
}

@test "why there is no layout is handed on" {
	run -1 coopr-plan <<<'{"kind":"unsatisfiable","because":"5 machines are wanted, 3 allowed","conflict":[]}'
	same "$output" "coopr-plan: standard input: no layout satisfies the request: 5 machines are wanted, 3 allowed"
}

@test "standard output that cannot be written is an error" {
	run -74 sh -c 'coopr-plan layout >/dev/full'
	contains "$output" "standard output: No space left on device"
}

@test "--check finds a task that does not wait for what it must" {
	coopr-plan layout | jq -c 'if .service == "lb" and .action == "start" then .after = .after[:1] else . end' >plan
	run -1 coopr-plan --check plan
	contains "$output" "(start lb on 7-1000) does not wait for "
	contains "$output" "(start app on 7-1001)"
}

@test "--check finds steps out of order, doubles, strangers, wrong ranks and counts" {
	coopr-plan layout >plan
	tac plan >reversed
	run -1 coopr-plan --check reversed
	contains "$output" "which does not stand before it"
	run -1 coopr-plan --check < <(cat plan; tail -n 1 plan)
	contains "$output" "a second step with the id"
	run -1 coopr-plan --check < <(cat plan; tail -n 1 plan | jq -c '.id = "t99"')
	contains "$output" "a second start of the same"
	run -1 coopr-plan --check < <(sed 's/"node":"7-1001"/"node":"7-4711"/' plan)
	contains "$output" "there is no node 7-4711"
	run -1 coopr-plan --check < <(jq -c 'if .rank then .rank = 1 else . end' plan)
	contains "$output" "its rank is "
	run -1 coopr-plan --check < <(grep -v '"action":"confirm"' plan)
	contains "$output" "which does not stand before it"
	run -65 coopr-plan --check layout
}

@test "the random plans of the original are exactly ours" {
	need_program python3
	need_shared corpus/plan-coopr.ndjson
	run -0 "$COOPR_ROOT/tests/plan/corpus.py" "$COOPR_BIN/coopr-plan" "$SHARED/corpus/plan-coopr.ndjson"
	contains "$output" "113 cases, 0 differ"
}

@test "--check finds every edge that is missing from those plans" {
	need_program python3
	need_shared corpus/plan-coopr.ndjson
	run -0 "$COOPR_ROOT/tests/plan/mutate.py" "$COOPR_BIN/coopr-plan" "$SHARED/corpus/plan-coopr.ndjson"
}

# A cluster with a load balancer, which can be reloaded, four applications and their database.
balanced() {
	jq -cn '
		def service($actions; $needs): {dependencies: {runtime: {requires: $needs}},
			provisioner: {actions: ($actions | map({key: ., value: {type: "dummy", fields: {}}}) | from_entries)}};
		{kind: "cluster", id: "00000007", name: "c", tenant: "t", services: ["app", "db", "lb"],
			config: {lb: {up: "%ip.service.app%"}}, provider: {name: "p", providertype: "dummy"}, definitions: [
			{name: "app"} + service(["configure", "start", "stop", "drain", "status"]; ["db"]),
			{name: "db"} + service(["configure", "start", "stop"]; []),
			{name: "lb"} + service(["configure", "start", "stop", "reload", "status"]; ["app"])]},
		(["lb", "app", "app", "app", "app", "db"] | to_entries[] | {kind: "node", id: "n\(.key)", hostname: "h\(.key)",
			nodenum: (1000 + .key), services: [.value], was: [.value]})'
}

@test "what stops for a while is taken out where it is looked up, batch by batch, drained, and put in again" {
	balanced | coopr-plan -a restart -s app --max-unavailable 2 >plan
	coopr-plan --check <plan
	same 'configure {"app":["n1","n2"]}
configure {"app":["n3","n4"]}
configure {}
reload {"app":["n1","n2"]}
reload {"app":["n3","n4"]}
reload {}' "$(jq -r 'select(.service == "lb" and .action != "check") | "\(.action) \(.without | tojson)"' plan | sort)"
	same 4 "$(jq -s '[.[] | select(.action == "drain")] | length' plan)"

	# All at once: nothing would be left.
	balanced | coopr-plan -a restart -s app --max-unavailable 100% >all
	same 0 "$(jq -s '[.[] | select(.without)] | length' all)"
}

@test "--check finds each round that is missing, and each that comes too late" {
	balanced | coopr-plan -a restart -s app --max-unavailable 2 >plan
	for task in $(jq -r 'select(.without) | .id' plan); do
		jq -c --arg task "$task" 'select(.id != $task) | if .after then .after -= [$task] else . end |
			if .kind == "job" then .tasks -= 1 else . end' plan >less
		run -1 coopr-plan --check less
	done
	for task in $(jq -r 'select(.action == "drain") | .id' plan); do
		jq -c --arg task "$task" 'if .id == $task then .after = [] else . end' plan >less
		run -1 coopr-plan --check less
		contains "$output" "$task (drain app"
	done
}

# Carries out plan, whose tasks all succeed, and prints their records as workers get them; then the layout is in now.
carried_out() {
	local job taken

	coopr-plan --check plan || return
	job=$(coopr-queue put plan)
	while taken=$(coopr-queue take --count 99 --job "$job") && [ "$taken" ]; do
		echo "$taken"
		jq -c '{kind: "result", job, task: .id, attempt, status: 0}' <<<"$taken" | coopr-queue "done"
	done
	coopr-queue show --layout "$job" >now
}

# The rounds of a plan, in their order, and the services that are drained, stopped, started or checked.
course() {
	jq -r 'select(.kind == "task") | "\(.action) \(.service) \(.without // "" | tostring)"' | uniq
}

@test "some of several instances are taken out before they stop, stay out and stopped, and are put in when they are healthy again" {
	balanced | coopr-plan -a stop -s app -N n1 -N n2 >plan
	same 'configure lb {"app":["n1","n2"]}
reload lb {"app":["n1","n2"]}
status lb {"app":["n1","n2"]}
drain app 
stop app ' "$(carried_out | course)"
	same 'n1 ["app"] ["app"],n2 ["app"] ["app"]' "$(jq -r 'select(.stopped) | "\(.id) \(.stopped) \(.taken_out)"' now | paste -sd,)"

	# A change configures what is stopped, does not start it, and leaves it out; of itself each service knows all.
	jq -c 'if .kind == "cluster" then .was = {config: .config} | .config += {app: {v: 1}} else . end' now | coopr-plan >plan
	carried_out >taken
	same "bootstrap configure" "$(jq -r 'select(.node == "n1") | .action' taken | paste -sd' ')"
	same '{"app":["n1","n2"]}' "$(jq -c 'select(.service == "lb") | .without' taken | sort -u)"
	same '{}' "$(jq -c 'select(.service == "app") | .without' taken | sort -u)"
	same '["app"]' "$(jq -c 'select(.id == "n1") | .stopped' now)"

	coopr-plan -a start -s app -N n1 now >plan
	same 'start app {}
status app {}
configure lb {"app":["n2"]}
reload lb {"app":["n2"]}
status lb {"app":["n2"]}' "$(carried_out | course)"
	same 'null ["app"]' "$(jq -sc '.[] | select(.id == "n1" or .id == "n2") | .taken_out' now | paste -sd' ')"

	# All instances of a service, and whole clusters, stop and start without a round; what was out before is put in again.
	coopr-plan -a stop now >plan
	same 0 "$(carried_out | jq -s '[.[] | select(.action == "configure")] | length')"
	coopr-plan -a start now >plan
	same '{}' "$(carried_out | jq -c 'select(.action == "configure") | .without')"
	same 0 "$(jq -s '[.[] | select(.stopped)] | length' now)"
	coopr-plan -a stop now >plan
	same 0 "$(jq -s '[.[] | select(.action == "configure")] | length' plan)"
}

# The layout in now, where n4 and n5 are replaced by n6 and n7, n3 gets another instance of db, and n8 is the only one with the new
# service web.
regrown() {
	jq -c 'def fresh($number; $name): {kind: "node", id: "n\($number)", hostname: "h\($number)", nodenum: (1000 + $number), services: [$name], was: null};
		if .id == "n4" or .id == "n5" then .services = null
		elif .id == "n3" then .services += ["db"]
		elif .kind == "cluster" then .definitions += [.definitions[1] | .name = "web"] | .services += ["web"]
		else . end, (select(.id == "n5") | fresh(6; "app"), fresh(7; "db"), fresh(8; "web"))' now
}

@test "a service that was stopped wherever it stood is set up and not started, and so is a new one where all was stopped; a start starts them" {
	balanced | coopr-plan -a stop >plan
	carried_out
	regrown | coopr-plan >plan
	same "" "$(jq -r 'select(.kind == "task" and (.action == "start" or .action == "check" or .action == "reload")) | "\(.action) \(.service)"' plan)"
	same "n3 db,n6 app,n7 db,n8 web" "$(jq -r 'select(.action == "configure" and .service != "lb") | "\(.node) \(.service)"' plan | sort | paste -sd,)"
	carried_out
	same "n3 app db,n6 app,n7 db,n8 web" "$(jq -r 'select(.id == ("n3", "n6", "n7", "n8")) | "\(.id) \(.stopped | join(" "))"' now | paste -sd,)"
	coopr-plan -a start now >plan
	carried_out
	same "" "$(jq -r 'select(.stopped) | .id' now)"

	# Where an instance of it runs, or anything where it is new, it is started.
	balanced | coopr-plan -a stop -s app -N n1 -N n4 >plan
	carried_out
	regrown | coopr-plan >plan
	same "n3 db,n6 app,n7 db,n8 web" "$(jq -r 'select(.action == "start") | "\(.node) \(.service)"' plan | sort | paste -sd,)"
	carried_out
	same "n1" "$(jq -r 'select(.stopped) | .id' now)"
	# One service alone stays stopped, and what is new is started.
	balanced | coopr-plan -a stop -s lb >plan
	carried_out
	jq -c 'if .id == "n0" then .services = null, (.id = "n9" | .hostname = "h9" | .nodenum = 1009 | .was = null | del(.stopped)) else . end' now |
		coopr-plan -a replace >plan
	same "" "$(jq -r 'select(.action == "start") | .service' plan)"
	carried_out
	same 'n9 ["lb"]' "$(jq -r 'select(.stopped) | "\(.id) \(.stopped)"' now)"
}

@test "what is stopped or started while a machine does not answer is so where that is replaced" {
	balanced | coopr-plan -a stop --dead n5 >plan
	same "" "$(jq -r 'select(.node == "n5") | .action' plan)"
	carried_out
	same '["db"]' "$(jq -c 'select(.id == "n5") | .stopped' now)"
	jq -c 'if .id == "n5" then .services = null, (.id = "n6" | .hostname = "h6" | .nodenum = 1006 | .was = null | del(.stopped)) else . end' now >next
	coopr-plan -a replace --dead n5 next >plan
	same "" "$(jq -r 'select(.action == "start") | .service' plan)"
	coopr-plan -a start --dead n5 now >plan
	carried_out
	same "" "$(jq -r 'select(.stopped) | .id' now)"
}

@test "--check finds what is started where it is set up, though all of it was stopped, and what is not, though it runs" {
	balanced | coopr-plan -a stop >plan
	carried_out
	regrown | coopr-plan >plan
	coopr-plan --check plan
	jq -c 'if .id == "n6" then del(.stopped) else . end' plan >other
	run -1 coopr-plan --check other
	contains "$output" "app on n6 is to be stopped where it is set up"
	balanced >now
	regrown | coopr-plan | jq -c 'if .id == "n7" then .stopped = ["db"] else . end' >other
	run -1 coopr-plan --check other
	contains "$output" "db on n7 is to be started where it is set up"
	contains "$output" "db on n7 was stopped, and nobody asks for its start"
}

@test "--check finds a stop that is not awaited by a round, and each round that is missing" {
	balanced | coopr-plan -a stop -s app -N n1 -N n2 >plan
	for task in $(jq -r 'select(.without) | .id' plan); do
		jq -c --arg task "$task" 'select(.id != $task) | if .after then .after -= [$task] else . end |
			if .kind == "job" then .tasks -= 1 else . end' plan >less
		run -1 coopr-plan --check less
	done
	jq -c 'if .action == "drain" then .after = [] else . end' plan >less
	run -1 coopr-plan --check less
	contains "$output" "does not wait for"
	jq -c 'if .without then .without = {app: ["n1"]} else . end' plan >less
	run -1 coopr-plan --check less
	contains "$output" "app on n2 is not taken out of lb on n0 before"
}

@test "plans of random clusters have the tasks they should have, in a good order" {
	need_program python3
	run "$COOPR_ROOT/tests/plan/clusters.py" "$COOPR_BIN/coopr-plan" 150
	contains "$output" " 0 wrong"
	# Once a start waited for one that waits for nothing itself, and not for what that needs, too.
	run "$COOPR_ROOT/tests/plan/clusters.py" "$COOPR_BIN/coopr-plan" 150 40621301
	contains "$output" " 0 wrong"
}

@test "a layout that was cut off between two records is refused; without the count of its solution it is a layout like any other" {
	coopr-request -t web --machines 4 --name shop | coopr-solve >layout
	same 5 "$(wc -l <layout)"
	for count in 2 3 4; do
		head -n "$count" layout >cut
		run --separate-stderr -65 coopr-plan cut
		same "" "$output"
		contains "$stderr" "cut: the whole document: its solution counts 4 machines, and $((count - 1)) $([ $count -eq 2 ] && echo is || echo are) here: something is missing"
		coopr-plan --from layout cut 2>said && return 1
		contains "$(<said)" "something is missing"
	done
	jq -c 'del(.solution)' cut | coopr-plan >/dev/null
	# One that goes is not counted.
	jq -c 'if .id == "'"$(tail -n 1 layout | jq -r .id)"'" then .was = .services | .services = null else . end' layout >leaves
	run -65 coopr-plan leaves
}

@test "a plan that was cut off between two records is refused by all who carry it out or look at it" {
	coopr-plan layout >plan
	for count in 6 7 12 $(($(wc -l <plan) - 1)); do
		head -n "$count" plan >cut
		run -65 coopr-queue put cut
		contains "$output" "something is missing"
		run -65 coopr-work --simulate 1 cut
		run -1 coopr-plan --check cut
	done
	[ -z "$(coopr-queue ls -o name)" ]
}

@test "the layout of a cluster of which machines are deleted does not count them" {
	coopr-request -t web --machines 4 --name shop | coopr-solve | coopr-plan >plan
	job=$(coopr-queue put plan)
	coopr-queue take --count 4 | jq -c '{kind: "result", job, task: .id, attempt, status: 0}' | coopr-queue "done"
	same 4 "$(coopr-queue show --layout "$job" | jq -s '.[0].solution.objective.machines')"
	coopr-queue cancel "$job"
	coopr-queue show --layout "$job" | coopr-plan -a delete >plan
	job=$(coopr-queue put plan)
	coopr-queue take --count 1 --job "$job" | jq -c '{kind: "result", job, task: .id, attempt, status: 0}' | coopr-queue "done"
	same '[3,null]' "$(coopr-queue show --layout "$job" | jq -sc '[length - 1, .[0].solution]')"
	coopr-queue show --layout "$job" | coopr-plan -a delete >/dev/null
}
