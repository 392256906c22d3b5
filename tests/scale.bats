#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-scale(1): how many instances of services a cluster has, also in requests and specifications; and its EXAMPLES.

load case
load examples

setup() {
	fresh
	own_catalogue
}

recorded() { # COLUMN of the cluster blog
	sqlite3 "$COOPR_STATE/store.sqlite3" "SELECT $1 FROM cluster WHERE name = 'blog' AND status <> 'terminated'"
}

# What the cluster is asked to be: FILTER of its request's cluster.
asked() {
	sqlite3 "$COOPR_STATE/store.sqlite3" "SELECT wish FROM cluster_document, cluster WHERE cluster = id AND status <> 'terminated' AND name = '${2-blog}'" |
		jq -c ".cluster | $1"
}

# How many nodes have a service: SERVICE [CLUSTER]
instances() {
	sqlite3 "$COOPR_STATE/store.sqlite3" "SELECT layout FROM cluster_document, cluster WHERE cluster = id AND status <> 'terminated' AND name = '${2-blog}'" |
		jq -s --arg service "$1" 'map(select(.kind == "node" and ((.services // []) | index($service)))) | length'
}

@test "it sets how many instances of a service there are, and machines come and leave as that needs" {
	coopr create blog -t lamp -n 4 >records 2>log
	contains "$(coopr scale --dry-run -o table blog apache=3)" "1 new, 4 changed: 5 machines"
	same "4 2" "$(recorded nodes) $(instances apache)"
	coopr scale blog apache=3 >records 2>log
	same "5 3 active" "$(recorded nodes) $(instances apache) $(recorded status)"
	coopr scale blog apache=+2 >records 2>log
	same "7 5" "$(recorded nodes) $(instances apache)"
	run --separate-stderr -64 coopr scale blog apache=-3 </dev/null
	contains "$stderr" "use -y to confirm"
	coopr scale -y blog apache=-3 memcached=1 >records 2>log
	same "4 2 1" "$(recorded nodes) $(instances apache) $(instances memcached)"
	same '[4,{"apache":2,"memcached":1}]' "$(asked '[.numMachines, .instances]')"
	contains "$(coopr show -o table blog)" "apache=2 memcached=1"
	coopr scale blog apache=2 >records 2>log # as it is
	same "4 2 1" "$(recorded nodes) $(instances apache) $(instances memcached)"
}

@test "a number of instances lasts: other changes, a clone and an upgrade keep it; what would break it is refused, in the solver's words" {
	coopr create blog -t lamp -n 4 >records 2>log
	coopr scale blog apache=3 >records 2>log
	coopr config --set php.memory_limit=64M blog >records 2>log
	coopr replace -y blog 1001 >records 2>log
	coopr clone blog two >records 2>log
	coopr upgrade blog >records 2>log
	same '{"apache":3} {"apache":3}' "$(asked .instances) $(asked .instances two)"
	same "3 3" "$(instances apache) $(instances apache two)"
	run --separate-stderr -1 coopr shrink -n 4 -y blog
	contains "$stderr" "3 instances of apache are asked for, but"
	contains "$stderr" "; the number of apache was asked for before, and coopr scale blog apache=auto leaves it to the template again"
	run --separate-stderr -1 coopr scale blog mysql=2
	same "" "$(grep "asked for before" <<<"$stderr" || true)"
	run --separate-stderr -1 coopr expand blog
	contains "$stderr" "3 instances of apache are asked for, but"
	coopr scale blog apache=auto >records 2>log
	same null "$(asked .instances)"
	coopr expand blog >records 2>log
	same 4 "$(instances apache)"
	coopr scale blog apache=5 >records 2>log
	coopr remove -y blog memcached >records 2>log
	same '{"apache":5}' "$(asked .instances)"
}

@test "fewer machines than the template needs are refused by create, shrink, scale and upgrade, unless a person insists" {
	jq '.constraints.size.min = 4' mine/clustertemplates/lamp.json >t
	mv t mine/clustertemplates/lamp.json
	run --separate-stderr -1 coopr create blog -t lamp -n 3
	contains "$stderr" "3 machines are asked for, but the template needs at least 4 machines"
	contains "$stderr" "; ask for more machines, or use --force"
	run --separate-stderr -1 coopr status blog # nothing was made
	coopr create blog -t lamp -n 5 >records 2>log
	run --separate-stderr -1 coopr shrink -y -n 3 blog
	contains "$stderr" "use --force"
	coopr shrink -y -n 4 blog >records 2>log
	coopr shrink -y --force -n 3 blog >records 2>log
	same "3 3" "$(recorded nodes) $(asked .minMachines)"
	coopr upgrade blog >records 2>log
	coopr config --set php.memory_limit=64M blog >records 2>log
	coopr replace -y blog 1001 >records 2>log
	coopr clone blog two >records 2>log
	same "3 3" "$(recorded nodes) $(asked .minMachines two)"
	coopr create small -t lamp -n 3 --force >records 2>log
	same 3 "$(asked .minMachines small)"
}

@test "a cluster that needs a plugin which is not here is refused before anything is made; a rehearsal is not" {
	sed -i 's/"type": *"dummy"/"type": "dumy"/' mine/services/mysql.json
	run --separate-stderr -78 coopr create blog -t lamp -n 4
	contains "$stderr" 'blog: there is no automator "dumy"'
	contains "$stderr" "did you mean dummy?"
	same "[]" "$(coopr list -A -o json | jq -cs .)"
	coopr create blog -t lamp -n 4 --dry-run >plan
	cp "$COOPR_ROOT"/share/coopr/catalogue/services/mysql.json mine/services
	jq '.providertype = "nowhere"' mine/providers/dummy.json >t
	mv t mine/providers/dummy.json
	run --separate-stderr -78 coopr create blog -t lamp -n 4
	contains "$stderr" 'blog: there is no provider "nowhere"'
}

@test "no cluster gets larger than the installation allows; a user can lower that only" {
	export COOPR_MACHINES=4
	run --separate-stderr -1 coopr create blog -t lamp -n 5
	contains "$stderr" "blog: 5 machines are more than the 4 that a cluster may have here; ask for fewer, or raise the setting machines in "
	coopr create blog -t lamp -n 4 >records 2>log
	run --separate-stderr -1 coopr expand blog
	run --separate-stderr -1 coopr scale blog apache=4
	contains "$stderr" "machines are more than the 4 that a cluster may have here"
	COOPR_MACHINES=2 coopr shrink -y blog >records 2>log # larger already
	same 3 "$(recorded nodes)"
	unset COOPR_MACHINES
	run --separate-stderr -1 coopr create big -t lamp -n 20000
	contains "$stderr" "big: 20000 machines are more than the 10000 that"
}

@test "the number comes back with rollback, and what failed is resumed with it" {
	stubborn_service
	coopr create blog -t lamp -n 4 -s haproxy,apache,mod-php,mysql,stubborn >records 2>log
	was=$(instances stubborn)
	touch broken
	run -1 coopr scale blog stubborn=+1
	coopr rollback -y blog >records 2>log
	same "$was null" "$(instances stubborn) $(asked .instances)"
	run -1 coopr scale blog stubborn=+1
	rm broken
	coopr scale blog stubborn=+1 >records 2>log # continues: there are not two more
	same "$((was + 1)) active" "$(instances stubborn) $(recorded status)"
}

@test "what cannot be is refused with the reason, and misuse with 64" {
	coopr create blog -t lamp -n 4 >records 2>log
	run --separate-stderr -1 coopr scale blog mysql=3
	same "coopr-scale: blog: no layout satisfies the request: 3 instances of mysql are asked for, but mysql may have at most 1 instance: at most 1 instance is possible" "$stderr"
	run --separate-stderr -1 coopr scale blog nginx=3
	same 'coopr-scale: blog: the cluster has no service "nginx"; there are apache, haproxy, memcached, mod-php, mysql' "$stderr"
	run --separate-stderr -1 coopr scale blog apache=-3
	same "coopr-scale: blog: apache has 2 instances, and cannot have 3 fewer" "$stderr"
	run --separate-stderr -1 coopr scale blog apache=0
	contains "$stderr" "apache needs at least 1 instance"
	for words in "" "blog" "blog apache" "blog apache=" "blog apache=x" "blog apache=+" "blog apache=3:2" "blog =3" "blog apache=1x" "blog apache=3 apache=4"; do
		# shellcheck disable=SC2086 # words
		run -64 coopr scale $words
	done
	same "4 2" "$(recorded nodes) $(instances apache)"
}

@test "with a template that does not limit machines, there are as few as possible" {
	jq 'del(.objective) | del(.constraints.size)' mine/clustertemplates/lamp.json >mine/clustertemplates/any.json
	sed -i 's/"name": "lamp"/"name": "any"/' mine/clustertemplates/any.json
	coopr create blog -t any -n 4 >records 2>log
	before=$(instances apache)
	coopr scale blog apache=+2 >records 2>log
	same "$((before + 2)) 6" "$(instances apache) $(recorded nodes)"
	coopr scale -y blog apache=1 >records 2>log
	same 1 "$(instances apache)"
}

@test "a new cluster has them with --instances, and a cluster follows the instances of its file" {
	coopr create blog -t lamp --instances apache=3 --instances memcached=:1 >records 2>log
	same '3 1 {"apache":3,"memcached":{"max":1}}' "$(instances apache) $(instances memcached) $(asked .instances)"
	run --separate-stderr -64 coopr create c -t lamp --instances apache
	contains "$stderr" "--instances: expected SERVICE=N or SERVICE=MIN:MAX, found 'apache'"
	run --separate-stderr -1 coopr create c -t lamp --instances nginx=3
	contains "$stderr" 'instances of "nginx" are asked for, but it is not one of the cluster'\''s services'
	coopr delete -y blog 2>log

	echo '{"kind": "clusterspec", "name": "blog", "template": "lamp", "instances": {"apache": 4, "memcached": {"min": 1, "max": 2}}}' >blog.json
	coopr apply -f blog.json >applied 2>log
	same 4 "$(instances apache)"
	run -0 coopr apply -f blog.json --dry-run
	sed -i 's/"apache": 4/"apache": 2/' blog.json
	coopr apply -y -f blog.json -o table >applied 2>log
	contains "$(cat applied)" "~ instances apache 4 -> 2"
	same 2 "$(instances apache)"
	sed -i 's/, "instances": {.*}}/}/' blog.json
	coopr apply -f blog.json >applied 2>log
	same "2 null" "$(instances apache) $(asked .instances)"
	coopr scale blog apache=3 >records 2>log # nothing in the file says otherwise
	run -0 coopr apply -f blog.json --dry-run
}

@test "the solver's layouts with numbers of instances are right, by the judge, whatever is present" {
	coopr-request -t lamp -n 7 --name blog | coopr-solve >present
	for words in apache=2 apache=9 memcached=1 memcached=:1,apache=3 apache=1,memcached=2 apache=6:8 haproxy=1,apache=:2; do
		IFS=, read -ra instances <<<"$words"
		coopr-request -t lamp --name blog --nodes present "${instances[@]/#/--instances=}" |
			jq 'del(.cluster.numMachines)' >request
		run -0 coopr-solve request
		echo "$output" >answer
		coopr-solve --check answer request
		coopr-solve --allow-moves request >answer
		coopr-solve --allow-moves --check answer request
	done
	for words in apache=0 mysql=2 apache=9,mysql=0 haproxy=2; do
		IFS=, read -ra instances <<<"$words"
		coopr-request -t lamp --name blog --nodes present "${instances[@]/#/--instances=}" |
			jq 'del(.cluster.numMachines)' >request
		run -1 coopr-solve request
		echo "$output" >answer
		contains "$output" "/cluster/instances/"
		coopr-solve --check answer request
	done
}

@test "the examples of the page" {
	coopr create shop -t lamp -n 4 >records 2>log
	commands_of "$COOPR_ROOT/man/man1/coopr-scale.1" >examples
	[ -s examples ]
	while read -r line <&3; do
		bash -euo pipefail -c "$line" >records 2>log
	done 3<examples
	same 1 "$(instances memcached shop)"
}
