#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0

load case

setup() {
	fresh
	cat >layout <<-'END'
	{"kind":"cluster","id":"00000007","name":"shop","tenant":"qa","services":["app","db"],"config":{},
	 "provider":{"name":"p","providertype":"dummy","provisioner":{}},"definitions":[
	 {"name":"app","dependencies":{"runtime":{"requires":["db"]}},"provisioner":{"actions":{"install":{"type":"shell"},"start":{"type":"shell"}}}},
	 {"name":"db","provisioner":{"actions":{"install":{"type":"shell"},"start":{"type":"shell"}}}}]}
	{"kind":"node","id":"7-1000","nodenum":1000,"hostname":"shop-1000.local","services":["db"],"was":null,"hardwaretype":"small"}
	{"kind":"node","id":"7-1001","nodenum":1001,"hostname":"shop-1001.local","services":["app"],"was":null}
	{"kind":"node","id":"7-1002","nodenum":1002,"hostname":"shop-1002.local","services":["app"],"was":null}
	{"kind":"node","id":"7-1003","nodenum":1003,"hostname":"shop-1003.local","services":null,"was":["app"]}
	END
	coopr-plan layout >plan
}

# In a terminal of 80 columns.
on_terminal() {
	need_program script
	TERM=xterm script -qec "$1" /dev/null </dev/null | tr -d '\r'
}

@test "a table for each kind of record, with the columns a person looks for" {
	run -0 coopr-show -o table ./layout
	same "$output" "CLUSTER   NAME  TENANT  SERVICES
00000007  shop  qa      app db

NODE    HOSTNAME         HARDWARE  SERVICES         PREVIOUS
7-1000  shop-1000.local  small     db               (new)
7-1001  shop-1001.local  -         app              (new)
7-1002  shop-1002.local  -         app              (new)
7-1003  shop-1003.local  -         (to be removed)  app"
}

@test "tasks and milestones of a plan stand in one table, in order" {
	run -0 coopr-show -o table ./plan
	contains "$output" "STEP  WHAT "
	same "$(grep -c '^[tm][0-9]* ' <<<"$output")" "$(grep -cE '"kind":"(task|milestone)"' plan)"
	same "$(grep -o '^[tm][0-9]* ' <<<"$output" | tr -d ' ')" "$(jq -r 'select(.kind == "task" or .kind == "milestone") | .id' plan)"
}

@test "results and events have their columns" {
	run -0 coopr-show -o table <<-'END'
	{"kind":"result","job":"7-001","task":"t1","attempt":2,"status":0,"ipaddresses":{"access_v4":"192.0.2.4"}}
	{"kind":"result","job":"7-001","task":"t2","attempt":1,"status":1,"message":"no disk"}
	{"kind":"event","seq":3,"at":"2026-11-21T10:00:00.123Z","event":"done","task":"t1","attempt":2,"by":"work-7f3a","result":{"status":0}}
	END
	same "$output" "TASK  JOB    ATTEMPT  STATUS  ADDRESS    MESSAGE
t1    7-001  2        0       192.0.2.4  -
t2    7-001  1        1       -          no disk

EVENT  TIME                      WHAT  TASK  ATTEMPT  USER       STATUS
3      2026-11-21T10:00:00.123Z  done  t1    2        work-7f3a  0"
}

@test "records of a kind nobody knows are shown too" {
	run -0 coopr-show -o table <<<'{"kind":"weather","sky":"blue","wind":{"from":"north"}}'
	same "$output" "KIND     SKY   WIND
weather  blue  from"
}

@test "what a record lacks is shown as -" {
	run -0 coopr-show -o table <<<'{"kind":"node"} {"kind":"node","services":7,"hostname":["x"]}'
	same "$output" "NODE  HOSTNAME  SERVICES
-     -         -
-     [\"x\"]     7"
}

@test "long lists are cut on a terminal, and shown in full in pipes and where wide" {
	jq -nc '{kind: "cluster", id: "1", services: [range(20) | "s\(.)"]}' >many
	contains "$(on_terminal "coopr-show ./many")" "s0 s1 s2 s3 s4 and 15 more"
	contains "$(on_terminal "coopr-show -o wide ./many")" "s18 s19"
	contains "$(coopr-show ./many)" "s18 s19"
}

@test "kind and id or name of each record" {
	same "$(coopr-show -o name ./layout)" "cluster/00000007
node/7-1000
node/7-1001
node/7-1002
node/7-1003"
}

@test "json gives the records as they are, one a line, members sorted" {
	coopr-show -o json ./layout >shown
	same "$(wc -l <shown)" 5
	same "$(jq -Sc . layout)" "$(cat shown)"
	coopr-show -o json <layout | cmp - shown
	coopr-show -o json ./shown | cmp - shown
}

@test "the default is table on a terminal" {
	contains "$(on_terminal "coopr-show --color never ./layout")" "NODE    HOSTNAME         HARDWARE  SERVICES         PREVIOUS"
}

@test "no colour where NO_COLOR is set, and none elsewhere than on a terminal" {
	contains "$(on_terminal "coopr-show ./layout")" $'\033[1m'
	same "$(NO_COLOR=1 on_terminal "coopr-show ./layout" | grep -c $'\033')" 0
	same "$(coopr-show -o table ./layout | grep -c $'\033')" 0
	contains "$(coopr-show -o table --color always ./layout)" $'\033[1mNODE'
}

@test "a plan as an indented tree" {
	run -0 coopr-show -o tree ./plan
	contains "${lines[0]}" "cluster_change  shop"
	contains "$output" "  7-1001        shop-1001.local  new
    t2          create
    t5          confirm          after t2
    t8          bootstrap shell  after t5
    t11         install app      after t8
    t14         start app        after t11, t13 (start db on 7-1000)"
	same "$(grep -c '^    t' <<<"$output")" "$(grep -c '"kind":"task"' plan)"
}

@test "milestones are said with what they are about" {
	sed 's/"name":"db","provisioner"/"name":"db","dependencies":{"runtime":{"requires":["app"]}},"provisioner"/; s/"requires":\["db"\]/"requires":[]/' layout |
		coopr-plan | coopr-show -o tree >shown
	contains "$(cat shown)" "(started: app)"
	contains "$(cat shown)" "  milestones"
}

@test "a layout has its services below the nodes" {
	same "$(coopr-show -o tree ./layout | head -n 3)" "layout    shop
  7-1000  shop-1000.local  new
    db"
}

@test "a plan as a graph for Graphviz" {
	coopr-show -o dot ./plan >plan.dot
	contains "$(cat plan.dot)" 'label="shop-1001.local"'
	same "$(grep -c -- '->' plan.dot)" "$(jq -s 'map(.after // [] | length) | add' plan)"
	need_program dot
	dot -Tsvg plan.dot >plan.svg
	same "$(grep -c 'class="edge"' plan.svg)" "$(grep -c -- '->' plan.dot)"
	coopr-show -o dot ./layout | dot -Tsvg >/dev/null
}

@test "hostile names make neither a graph nor a terminal do what they say" {
	echo '{"kind":"milestone","id":"m9","name":"\"];\u001b]0;x\u0007 evil [shape=\"\\","after":[]}' | cat plan - >bad
	coopr-show -o dot ./bad >bad.dot
	contains "$(cat bad.dot)" 'label="\"];?]0;x? evil [shape=\"\\"'
	for format in table wide name tree dot json; do
		same "$(coopr-show -o "$format" ./bad | tr -d '\n\t' | tr -dc '\000-\037\177' | wc -c)" 0
	done
	if command -v dot >/dev/null; then
		dot -Tsvg bad.dot >bad.svg
	fi
}

@test "a file in a catalogue need not say its kind, its folder does" {
	mkdir -p cat/services cat/providers
	echo '{"name":"nginx","dependencies":{"install":{"requires":["base"],"uses":["ssl"]}},"provisioner":{"actions":{"install":{"type":"shell"}}}}' >cat/services/nginx.json
	echo '{"name":"here","providertype":"sandbox"}' >cat/providers/here.json
	same "$(coopr-show -o table ./cat/services/nginx.json)" "SERVICE  ACTIONS  INSTALL NEEDS
nginx    install  base ssl"
	same "$(coopr-show -o name ./cat)" $'provider/here\nservice/nginx'
	same "$(coopr-show -o json ./cat/services/nginx.json | jq -r .kind)" service
	echo '[]' >cat/services/wrong.json
	run -65 coopr-show ./cat/services/wrong.json
	run -65 coopr-show -o name ./cat
	contains "$output" "service/nginx"
	contains "$output" "coopr-validate ./cat"
}

@test "several files are shown together" {
	run -0 coopr-show -o name ./layout ./plan
	same "$(grep -c ^cluster/ <<<"$output")" 2
	run -66 --separate-stderr coopr-show -o name ./nowhere ./layout
	contains "$output" node/7-1000
	contains "$stderr" "nowhere: No such file or directory"
}

@test "input that cannot be shown is an error" {
	run -65 coopr-show </dev/null
	same "$output" "coopr-show: standard input: there are no records to show"
	run -65 coopr-show -o table <<<'{"kind":"node"'
	run -65 coopr-show -o table <<<'{"name":"x"}'
	run -65 coopr-show -o tree <<<'{"kind":"event","seq":1}'
	contains "$output" "neither a plan nor a layout"
	run -65 coopr-show -o tree <<<'{"kind":"node","id":"/"}'
	contains "$output" "/0/id: "
	run -64 coopr-show -o tabel ./layout
	contains "$output" "did you mean 'table'?"
	run -64 coopr-show --color sometimes ./layout
}

@test "what was read before an error is still shown" {
	run -65 --separate-stderr coopr-show -o table < <(cat layout; printf '{"kind"')
	contains "$output" "7-1000"
	contains "$stderr" "record 6"
}

@test "standard output that cannot be written is an error" {
	for format in table wide name tree dot json; do
		run -74 sh -c "coopr-show -o $format ./plan >/dev/full"
	done
}
