#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-apply(1), with machines and services that are not real; and its EXAMPLES.

load case
load examples

setup() {
	fresh
	own_catalogue
	stubborn_service
	mkdir clusters
	jq '.name = "other"' mine/providers/dummy.json >mine/providers/other.json
	for file in mine/hardwaretypes/*.json mine/imagetypes/*.json; do
		jq '.providermap.other = .providermap.dummy' "$file" >changed
		mv changed "$file"
	done
	jq '.name = "lamp2" | .defaults.config.php.flavour = "second"' mine/clustertemplates/lamp.json >mine/clustertemplates/lamp2.json
}

# A file of the folder: the cluster $1, a lamp, and what more is said of it.
describe() { # NAME [JSON]
	jq -n --arg name "$1" --argjson more "${2:-{\}}" '{kind: "clusterspec", name: $name, template: "lamp"} + $more' >"clusters/$1.json"
}

apply() {
	coopr apply -o json -f clusters "$@"
}

recorded() { # COLUMNS of the clusters that are there, one a line
	sqlite3 -separator ' ' "$COOPR_STATE/store.sqlite3" "SELECT $1 FROM cluster WHERE status <> 'terminated' ORDER BY name"
}

operations() { # COLUMNS
	sqlite3 -separator ' ' "$COOPR_STATE/store.sqlite3" "SELECT $1 FROM operation ORDER BY begun_ms, cluster, number"
}

count_operations() {
	[ ! -e "$COOPR_STATE/store.sqlite3" ] || operations "count(*)"
}

# The differences of a cluster in records, one a line.
differences() { # NAME
	jq -r --arg name "$1" 'select(.name == $name) | .differences[]'
}

# What the request that is kept of a cluster says.
request() { # NAME FILTER
	sqlite3 "$COOPR_STATE/store.sqlite3" "SELECT wish FROM cluster_document JOIN cluster ON id = cluster
		WHERE status <> 'terminated' AND name = '$1'" | jq -c "$2"
}

# It is as the folder says, and nothing is done.
settled() {
	local before
	before=$(count_operations)
	apply >again 2>log
	same none "$(jq -r .change again | sort -u)"
	same "$before" "$(count_operations)"
	apply --dry-run >again 2>log
}

@test "what is missing is made; the second time nothing is done" {
	describe blog '{"numMachines": 4, "description": "for all"}'
	describe wiki '{"numMachines": {"min": 3, "max": 6}, "set": {"php.memory": "64M", "/php/depth": 3}, "lease": "12h",
		"services": ["mysql", "apache", "mod-php", "haproxy"], "provider": "other", "dnsSuffix": "x.example", "imagetype": "debian12",
		"hardwaretype": "medium"}'
	apply -o table >said 2>log
	same "+ blog  made,+ wiki  made,2 new, 0 unchanged" "$(paste -sd, said)"
	same "blog 4 active 0,wiki 3 active 1" "$(recorded "name, nodes, status, expires_ms > 0" | paste -sd,)"
	same '"64M" 3' "$(request wiki '.cluster.config.php.memory, .cluster.config.php.depth' | paste -sd' ')"
	same '["apache","haproxy","mod-php","mysql"]["medium","debian12","x.example","other"]' "$(request wiki '.cluster.services,
		[.cluster.hardwaretype, .cluster.imagetype, .cluster.dnsSuffix, .provider.name]' | paste -sd '')"
	same "create create" "$(operations action | paste -sd' ')"
	contains "$(operations why | head -n 1)" "apply of $PWD/clusters"
	contains "$(coopr show blog -o table | grep ^follows)" "$PWD/clusters"
	settled
	describe blog '{"numMachines": 4, "description": "for others", "owner": null, "services": []}'
	settled
}

@test "a dry run shows what would be done, exits with 1 where that is something, and does nothing" {
	describe blog '{"numMachines": 4}'
	run --separate-stderr -1 apply --dry-run -o table
	contains "$output" "+ blog  is new"
	contains "$output" "4 machines, "
	same 0 "$(count_operations)"
	apply >said 2>log
	run --separate-stderr -0 apply --dry-run -o table
	same "= blog,1 unchanged" "$(paste -sd, <<<"$output")"
	describe blog '{"numMachines": 5}'
	run --separate-stderr -1 apply --dry-run -o table
	contains "$output" "    ~ machines 4 -> 5"
	contains "$output" "    + 1  small, debian12: apache mod-php"
	run --separate-stderr -1 apply --dry-run
	same '{"change":"changed","cluster":"00000001","differences":["~ machines 4 -> 5"],"job":null,"kind":"applied","message":null,"name":"blog","outcome":"planned"}' "$output"
	same 1 "$(count_operations)"
	[ ! -e "$COOPR_STATE/clusters/00000001/00000001-002" ]
}

@test "what differs is changed, all of a cluster by one operation" {
	describe blog '{"numMachines": 4}'
	describe wiki
	apply >said 2>log
	describe blog '{"numMachines": 5, "services": ["apache", "haproxy", "mod-php", "mysql", "stubborn"], "set": {"php.memory": "64M"}}'
	apply >said 2>log
	same "blog changed done,wiki none done" "$(jq -r '[.name, .change, .outcome] | join(" ")' said | paste -sd,)"
	same "$(printf '%s\n' '~ machines 4 -> 5' '+ service stubborn' '- service memcached' '+ config /php/memory "64M"')" \
		"$(differences blog <said)"
	same "blog 5 active" "$(recorded "name, nodes, status" | head -n 1)"
	same '["apache","haproxy","mod-php","mysql","stubborn"]"64M"' "$(request blog '.cluster.services, .cluster.config.php.memory' | paste -sd '')"
	same "create create apply" "$(operations action | paste -sd' ')"
	settled
}

@test "what is dropped from a file goes back to what the template says; what was never in it is left alone" {
	describe blog '{"numMachines": 4, "services": ["apache", "haproxy", "mod-php", "mysql"], "set": {"php.memory": "64M"},
		"hardwaretype": "medium", "dnsSuffix": "x.example"}'
	describe wiki '{"numMachines": 4}'
	apply >said 2>log
	coopr add -o json wiki stubborn >now 2>log
	coopr config -o json --set php.memory=32M wiki >now 2>log
	describe blog
	apply >said 2>log
	same "$(printf '%s\n' '+ service memcached' '~ dnsSuffix x.example -> lamp.example.net' '~ hardwaretype medium -> -' \
		'- config /php/memory "64M"')" "$(differences blog <said)"
	same "" "$(differences wiki <said)"
	same '[4,null,null]' "$(request blog '[.cluster.numMachines, .cluster.config.php.memory, .cluster.hardwaretype]')"
	settled
}

@test "what was changed by hand is changed back where a file says otherwise" {
	describe blog '{"numMachines": 4, "set": {"php.memory": "64M"}}'
	apply >said 2>log
	coopr expand -o json blog >now 2>log
	coopr config -o json --set php.memory=32M blog >now 2>log
	apply -y >said 2>log
	same "$(printf '%s\n' '~ machines 5 -> 4' '~ config /php/memory "32M" -> "64M"')" "$(differences blog <said)"
	settled
	describe blog '{"numMachines": {"max": 3}}'
	apply -y >said 2>log
	same 3 "$(recorded nodes)"
	describe blog '{"numMachines": {"min": 5}}'
	apply >said 2>log
	same 5 "$(recorded nodes)"
	coopr expand -o json blog >now 2>log
	settled
}

@test "an entity that changes changes no cluster; another template in the file does" {
	describe blog '{"numMachines": 4}'
	apply >said 2>log
	coopr config -o json --set php.memory=32M blog >now 2>log
	jq '.provisioner.actions.install.fields.version = "2"' mine/services/mysql.json >new
	mv new mine/services/mysql.json
	settled
	describe blog '{"template": "lamp2", "numMachines": 5}'
	apply >said 2>log
	same "$(printf '%s\n' '~ template lamp -> lamp2' '~ machines 4 -> 5')" "$(differences blog <said)"
	same '["lamp2","second",null,"2"]' "$(request blog '[.template.name, .cluster.config.php.flavour, .cluster.config.php.memory,
		(.services[] | select(.name == "mysql") | .provisioner.actions.install.fields.version)]')"
	same "lamp2 5 active" "$(recorded "template, nodes, status")"
	settled
}

@test "with another template the services are the file's, or that template's, not those that it had" {
	jq '.name = "lamp3" | .defaults.services = ["apache", "haproxy", "mod-php", "mysql"]' mine/clustertemplates/lamp.json \
		>mine/clustertemplates/lamp3.json
	describe blog '{"numMachines": 4}'
	apply >said 2>log
	describe blog '{"numMachines": 4, "template": "lamp3"}'
	apply >said 2>log
	same '["apache","haproxy","mod-php","mysql"]' "$(request blog .cluster.services)"
	describe blog '{"numMachines": 4, "template": "lamp", "services": ["apache", "haproxy", "mod-php", "mysql", "stubborn"]}'
	apply >said 2>log
	same '["apache","haproxy","mod-php","mysql","stubborn"]' "$(request blog .cluster.services)"
	settled
}

@test "--prune deletes what apply has made of this folder and no file speaks of, and nothing else" {
	coopr create -o json mine -t lamp -n 4 >now 2>log
	for name in blog wiki; do describe "$name"; done
	apply >said 2>log
	mkdir elsewhere
	jq '.name = "far"' clusters/wiki.json >elsewhere/far.json
	coopr apply -o json -f elsewhere >said 2>log
	describe mine '{"numMachines": 5}'
	rm clusters/wiki.json
	apply >said 2>log
	same "wiki deleted left" "$(jq -r 'select(.name == "wiki") | [.name, .change, .outcome] | join(" ")' said)"
	same "blog far mine wiki" "$(recorded name | paste -sd' ')"
	same 5 "$(recorded "CASE name WHEN 'mine' THEN nodes END" | grep .)"
	rm clusters/mine.json
	run --separate-stderr -64 apply --prune
	contains "$stderr" "wiki would be deleted"
	run --separate-stderr -1 apply --prune --dry-run -o table
	contains "$output" "- wiki  is deleted"
	same "blog far mine wiki" "$(recorded name | paste -sd' ')"
	describe bad '{"numMachines": 1}'
	run --separate-stderr -1 apply --prune --yes
	same "wiki kept" "$(jq -r 'select(.change == "deleted") | [.name, .outcome] | join(" ")' <<<"$output")"
	rm clusters/bad.json
	apply --prune --yes >said 2>log
	same "blog far mine" "$(recorded name | paste -sd' ')"
	settled
	run --separate-stderr -64 coopr apply --prune -y -f clusters/blog.json
	rm clusters/blog.json
	run --separate-stderr -66 apply --prune -y
	contains "$stderr" "coopr delete"
	same "blog far mine" "$(recorded name | paste -sd' ')"
}

@test "a file of the folder can be applied alone, and standard input" {
	describe blog '{"numMachines": 4}'
	describe wiki '{"numMachines": 4}'
	coopr apply -o json -f clusters/blog.json >said 2>log
	same blog "$(recorded name)"
	apply >said 2>log
	jq -c '.numMachines = 5' clusters/blog.json clusters/wiki.json | coopr apply -o json -f - >said 2>log
	same "5 5" "$(recorded nodes | paste -sd' ')"
	coopr apply -y -o json -f <(cat clusters/blog.json) >said 2>log
	same "4 5" "$(recorded nodes | paste -sd' ')"
	rm clusters/wiki.json
	apply --prune -y >said 2>log
	same blog "$(recorded name)"
}

@test "a cluster follows one folder, until another adopts it; a folder that moves keeps its name" {
	describe blog '{"numMachines": 4}'
	apply >said 2>log
	mv clusters moved
	run --separate-stderr -1 coopr apply -f moved
	contains "$stderr" "blog: it follows the files of $PWD/clusters; --adopt lets it follow those of $PWD/moved"
	coopr apply -o json -f moved --origin "$PWD/clusters" >said 2>log
	coopr apply -o json -f moved --origin shops --adopt >said 2>log
	same "shops 1" "$(sqlite3 -separator ' ' "$COOPR_STATE/store.sqlite3" 'SELECT origin, made FROM applied')"
	ln -s moved linked
	coopr apply -o json -f linked --adopt >said 2>log
	coopr apply -o json -f moved >said 2>log
	same 1 "$(count_operations)"
}

@test "what is wrong in any file is said, all of it, and nothing is begun" {
	describe blog
	echo '{"kind":"clusterspec","name":"wiki","template":"lamp","numMachine":4,"lease":"soon"}
		{"kind":"clusterspec","name":"00000001","template":7}' >clusters/more.ndjson
	jq -c . clusters/blog.json >clusters/zebra.json
	echo '{"kind":"clusterspec",' >clusters/cut.json
	echo '{"kind":"service","name":"x","template":"y"}' >clusters/kind.json
	: >clusters/void.json
	mkfifo clusters/pipe.json
	ln -s nowhere clusters/gone.json
	echo 'no JSON' >clusters/README.md
	echo 'no JSON' >clusters/.hidden.json
	mkdir clusters/below.json
	run --separate-stderr -65 apply
	for line in 'more.ndjson: /numMachine: there is no such member; did you mean numMachines?' \
		'more.ndjson: /lease: "soon" is not a time' 'more.ndjson: record 2: /template: expected string, found number' \
		"more.ndjson: record 2: /name: invalid cluster name '00000001'" 'cut.json: ' \
		'kind.json: /kind: expected "clusterspec", found "service"' 'void.json: it is empty' 'pipe.json: not a regular file' \
		'gone.json: No such file' '/name: "blog" is described in clusters/blog.json, too' 'so nothing was done'; do
		contains "$stderr" "$line"
	done
	same "" "$output"
	same "coopr-apply: clusters: not read: README.md does not end with .json, .ndjson, .yaml or .yml; below.json is a folder; .hidden.json begins with a dot" \
		"$(grep -e README -e hidden -e below <<<"$stderr")"
	[ ! -e "$COOPR_STATE/store.sqlite3" ]
}

@test "a specification may be YAML, and says the same then" {
	describe blog '{"numMachines": 4, "set": {"php.memory_limit": "64M"}}'
	apply >said 2>log
	same '{"memory_limit":"64M"}' "$(request blog '.cluster.config.php | {memory_limit}')"
	rm clusters/blog.json
	cat >clusters/blog.yaml <<-'END'
		# The blog, as it was.
		kind: clusterspec
		name: blog
		template: lamp
		numMachines: 4
		set:
		  php.memory_limit: 64M
		---
		kind: clusterspec
		name: wiki
		template: lamp
	END
	mv clusters/blog.yaml clusters/blog.yml
	apply >said 2>log
	same "blog none,wiki new" "$(jq -r '"\(.name) \(.change)"' said | paste -sd,)"
	settled
	run -0 coopr apply -o json -f - <clusters/blog.yml
	same "none" "$(jq -r .change <<<"$output" | sort -u)"
	run -0 coopr apply -o json -f <(cat clusters/blog.yml)
	same "none" "$(jq -r .change <<<"$output" | sort -u)"
}

@test "what is wrong in YAML is said with its line" {
	cat >clusters/a.yaml <<-'END'
		kind: clusterspec
		name: a
		template: lamp
		numMachine: 4
		---
		kind: clusterspec
		name: b
		template: 7
	END
	printf 'kind: clusterspec\nname: no\n' >clusters/b.yaml
	printf '# nothing yet\n' >clusters/c.yaml
	: >clusters/d.yaml.bak
	: >clusters/e.yml~
	run --separate-stderr -65 apply
	same "	coopr-apply: clusters/a.yaml: line 4, column 1: /numMachine: there is no such member; did you mean numMachines?
	coopr-apply: clusters/a.yaml: line 8, column 1: /template: expected string, found number
	coopr-apply: clusters/b.yaml: line 2, column 7: no is a boolean to some readers of YAML and text to others; write false, or \"no\" for text
	coopr-apply: clusters/c.yaml: it is empty; expected a clusterspec
	coopr-apply: clusters: not read: d.yaml.bak, e.yml~ do not end with .json, .ndjson, .yaml or .yml
	coopr-apply: clusters: 4 errors, so nothing was done" "${stderr//coopr-apply/$'\t'coopr-apply}"
}

@test "what cannot be read is 66; misuse is 64" {
	run --separate-stderr -66 coopr apply -f nowhere
	contains "$stderr" nowhere
	run --separate-stderr -66 apply
	contains "$stderr" "no file in it ends with .json"
	run --separate-stderr -64 coopr apply
	run --separate-stderr -64 coopr apply clusters
	run --separate-stderr -64 coopr apply -f ''
	describe blog
	run --separate-stderr -64 apply -j 0
	run --separate-stderr -64 apply --origin ""
	run --separate-stderr -65 coopr apply -f - </dev/null
	run --separate-stderr -65 coopr apply -f /dev/null
}

@test "one cluster that cannot be does not keep the others" {
	describe blog '{"numMachines": 4}'
	describe mid '{"numMachines": 4}'
	apply >said 2>log
	describe aaa '{"template": "nonsuch"}'
	describe blog '{"services": ["nonsuch"]}'
	describe huge '{"numMachines": 2}'
	describe mid '{"provider": "other"}'
	describe wiki '{"numMachines": 4}'
	describe set '{"set": {"php.memory": 1, "php.memory.x": 2}}'
	run --separate-stderr -1 apply
	same "aaa failed,blog failed,huge failed,mid failed,set failed,wiki done" "$(jq -r '[.name, .outcome] | join(" ")' <<<"$output" | paste -sd,)"
	contains "$stderr" 'nonsuch'
	contains "$stderr" "huge: no layout satisfies the request"
	contains "$stderr" "mid: its machines are of the provider dummy, and cannot become those of other"
	same "blog mid wiki" "$(recorded name | paste -sd' ')"
	describe mid '{"owner": "somebody"}'
	describe wiki '{"group": "some"}'
	run --separate-stderr -1 apply
	contains "$stderr" "cannot become somebody"
	contains "$stderr" "its group is none, and cannot become some while the cluster lives; leave group out"
}

@test "an operation that failed is tried again if it leads to what the file says, else rolled back" {
	describe blog '{"numMachines": 4}'
	apply >said 2>log
	touch broken
	describe blog '{"numMachines": 5, "services": ["apache", "haproxy", "mod-php", "mysql", "stubborn"]}'
	run --separate-stderr -1 apply
	contains "$stderr" "it is broken"
	same inconsistent "$(recorded status)"
	run --separate-stderr -1 apply --dry-run
	contains "$output" "failed: it is retried"
	run --separate-stderr -1 apply
	rm broken
	apply >said 2>log
	same "5 active" "$(recorded "nodes, status")"
	settled
	touch broken
	run -1 coopr restart blog stubborn
	same inconsistent "$(recorded status)"
	rm broken
	apply >said 2>log
	same active "$(recorded status)"
	touch broken
	run -1 coopr expand blog
	describe blog '{"numMachines": 4, "set": {"php.memory": "64M"}, "services": ["apache", "haproxy", "mod-php", "mysql"]}'
	apply -y >said 2>log
	same "4 active" "$(recorded "nodes, status")"
	same '["apache","haproxy","mod-php","mysql"]"64M"' "$(request blog '.cluster.services, .cluster.config.php.memory' | paste -sd '')"
	contains "$(differences blog <said)" "failed: it is rolled back"
	settled
}

@test "a making that failed is resumed, or, where the file says otherwise by then, begun again" {
	touch broken
	describe blog '{"numMachines": 4, "services": ["apache", "haproxy", "mod-php", "mysql", "stubborn"]}'
	run --separate-stderr -1 apply
	same incomplete "$(recorded status)"
	same 1 "$(jq -s 'map(select(.event == "put" or .event == "retry")) | length' "$COOPR_SPOOL"/*/00000001-001/events.ndjson)"
	rm broken
	apply >said 2>log
	same "1 active" "$(recorded "id, status")"
	settled
	coopr delete -o json -y blog >now 2>log
	touch broken
	run -1 apply
	describe blog '{"numMachines": 5, "services": ["apache", "haproxy", "mod-php", "mysql"]}'
	apply -y >said 2>log
	same "3 5 active" "$(recorded "id, nodes, status")"
	contains "$(differences blog <said)" "it is deleted and created again"
	settled
	run -1 coopr create byhand -t lamp -n 4 -s apache,haproxy,mod-php,mysql,stubborn
	describe byhand '{"numMachines": 5}'
	run --separate-stderr -1 apply
	contains "$stderr" "coopr delete byhand"
	same incomplete "$(recorded status | tail -n 1)"
}

@test "an operation that failed is not retried as it was where an entity that the file names has changed" {
	describe blog '{"numMachines": 4, "services": ["apache", "haproxy", "mod-php", "mysql", "stubborn"]}'
	describe shop '{"numMachines": 4, "services": ["apache", "haproxy", "mod-php", "mysql"]}'
	touch broken
	run --separate-stderr -1 apply
	describe shop '{"numMachines": 4, "services": ["apache", "haproxy", "mod-php", "mysql", "stubborn"]}'
	run --separate-stderr -1 apply
	jq '.description = "otherwise"' mine/services/stubborn.json >changed && mv changed mine/services/stubborn.json
	run --separate-stderr -1 apply
	contains "$(differences blog <<<"$output")" "failed, and entities of it have changed since: what it has not done is planned anew"
	jq '.provisioner.actions.start.type = "dummy"' mine/services/stubborn.json >changed && mv changed mine/services/stubborn.json
	run --separate-stderr -1 apply --dry-run
	contains "$(differences blog <<<"$output")" "what it has not done is planned anew"
	contains "$(differences shop <<<"$output")" "it is rolled back and planned anew"
	apply >said 2>log
	contains "$(differences blog <said)" "what it has not done is planned anew"
	contains "$(differences shop <said)" "it is rolled back and planned anew"
	same "1 4 active
2 4 active" "$(recorded "id, nodes, status")"
	same '"dummy"' "$(request blog '.services[] | select(.name == "stubborn").provisioner.actions.start.type')"
	same '"dummy"' "$(request shop '.services[] | select(.name == "stubborn").provisioner.actions.start.type')"
	settled
}

@test "what was shown is done; where a cluster has changed since, that is shown and asked again" {
	describe blog '{"numMachines": 4}'
	describe wiki '{"numMachines": 3}'
	apply >said 2>log
	describe blog '{"numMachines": 5}'
	export AT_QUESTION='coopr expand -y -n 6 blog'
	run -1 "$BATS_TEST_DIRNAME/terminal" 'y\nn\n' coopr apply -f clusters
	contains "$output" "machines 4 -> 5"
	contains "$output" "blog: it has changed since this was shown; all is looked at again"
	contains "$output" "machines 6 -> 5"
	same 2 "$(grep -c 'Do this?' <<<"$output")"
	same "6 active
3 active" "$(recorded "nodes, status")"
	AT_QUESTION='coopr expand -y -n 4 wiki' run -0 "$BATS_TEST_DIRNAME/terminal" 'y\ny\n' coopr apply -f clusters
	contains "$output" "machines 4 -> 3"
	same "5 active
3 active" "$(recorded "nodes, status")"
	settled
}

@test "what another command is at work on is passed over" {
	describe blog '{"numMachines": 4}'
	describe wiki '{"numMachines": 4}'
	apply >said 2>log
	describe blog '{"numMachines": 5}'
	describe wiki '{"numMachines": 5}'
	run --separate-stderr -75 flock "$COOPR_STATE/clusters/00000001" coopr apply -o json -f clusters
	same "blog failed,wiki done" "$(jq -r '[.name, .outcome] | join(" ")' <<<"$output" | paste -sd,)"
	same "4 5" "$(recorded nodes | paste -sd' ')"
	apply >said 2>log
	same "5 5" "$(recorded nodes | paste -sd' ')"
}

@test "interrupted, it begins nothing more, and the same command goes on" {
	describe blog '{"numMachines": 4, "services": ["apache", "haproxy", "mod-php", "mysql", "stubborn"]}'
	describe wiki '{"numMachines": 4}'
	mkfifo arrived gate errors
	touch wait
	exec 6<>arrived 7<>gate
	coopr-apply -o json -f clusters >said 2>errors 3>&- 6>&- 7>&- &
	exec 5<errors
	read -r _ <&6
	got=0
	while [ "$got" -ne 1 ]; do # until it has ended; the second signal, or a later one, ends the tasks that wait
		kill -TERM $! 2>/dev/null || true
		got=0
		read -r -t 10 line <&5 || got=$?
		echo "$line" >>rest
	done
	code=0
	wait $! || code=$?
	same 143 "$code"
	contains "$(cat rest)" "blog: interrupted; the same command resumes"
	same "blog failed" "$(jq -r '[.name, .outcome] | join(" ")' said)"
	same "blog pending" "$(recorded "name, status")"
	rm wait
	apply >said 2>log
	same "blog active,wiki active" "$(recorded "name, status" | paste -sd,)"
	settled
}

@test "--detach begins all, and leaves the work to workers; the next one settles them, or goes on" {
	describe blog '{"numMachines": 4}'
	describe wiki '{"numMachines": 4}'
	apply --detach >said 2>log
	same "00000001-001 begun,00000002-001 begun" "$(jq -r '[.job, .outcome] | join(" ")' said | paste -sd,)"
	same "pending pending" "$(recorded status | paste -sd' ')"
	apply --detach >said 2>log
	same "begun begun" "$(jq -r .outcome said | paste -sd' ')"
	coopr-work --drain
	apply >said 2>log
	same "active active" "$(recorded status | paste -sd' ')"
	describe blog '{"numMachines": 5}'
	apply --detach >said 2>log
	describe blog '{"numMachines": 6}'
	run --separate-stderr -75 apply --detach
	contains "$stderr" "is running and has another goal"
	apply >said 2>log
	same "6 active" "$(recorded "nodes, status" | head -n 1)"
	settled
}

@test "a lease that the file changes is changed; one that was prolonged is left alone" {
	describe blog '{"numMachines": 4, "lease": "12h"}'
	apply >said 2>log
	coopr lease blog 13h
	settled
	describe blog '{"numMachines": 4, "lease": "6h"}'
	run --separate-stderr -1 apply --dry-run
	apply >said 2>log
	contains "$(differences blog <said)" "~ lease 12 h 0 m -> 6 h 0 m"
	same 21600000 "$(recorded "expires_ms - created_ms")"
	same 1 "$(operations "job IS NOT NULL" | grep -c 1)"
	settled
}

@test "clusters of others, and of other tenants, are none of its business" {
	coopr tenant create qa >now 2>log
	describe blog '{"numMachines": 4}'
	apply >said 2>log
	coopr apply -o json -f clusters -T qa >said 2>log
	same "blog new done" "$(jq -r '[.name, .change, .outcome] | join(" ")' said)"
	same "default qa" "$(recorded "(SELECT name FROM tenant WHERE tenant.id = cluster.tenant)" | sort | paste -sd' ')"
	rm clusters/blog.json
	describe wiki '{"numMachines": 4}'
	coopr apply -o json -f clusters -T qa --prune -y >said 2>log
	same "default blog,qa wiki" "$(recorded "(SELECT name FROM tenant WHERE tenant.id = cluster.tenant), name" | sort | paste -sd,)"
	run --separate-stderr -1 coopr apply -f clusters -T nonsuch
}

@test "the examples" {
	documents_of "$COOPR_ROOT/man/man5/coopr-clusterspec.5"
	mv 1.clusterspec clusters/shop.json
	commands_of "$COOPR_ROOT/man/man1/coopr-apply.1" >examples
	help_of coopr-apply | tail -n +2 >>examples
	sed -i '/^coopr-apply/s/-f clusters/& --origin shops.git/' examples
	[ "$(wc -l <examples)" -ge 6 ]
	while read -r line <&4; do
		run bash -eu -c "$line"
		echo "$line: $status: $output"
		[ "$status" -eq 0 ]
	done 4<examples
	same "shop 4" "$(recorded "name, nodes")"
}

@test "killed at any call, the next one makes the folder true" {
	make_shim
	describe blog '{"numMachines": 4}'
	describe old '{"numMachines": 3}'
	apply >said 2>log
	rm clusters/old.json
	describe blog '{"numMachines": 5, "set": {"php.memory": "64M"}}'
	describe new '{"numMachines": 3}'
	cp -R "$COOPR_STATE" before
	cp -R "$COOPR_SPOOL" spool-before
	for ((at = 2; at < 400; at += ${CRASH_STEP:-33})); do
		rm -rf "$COOPR_STATE" "$COOPR_SPOOL"
		cp -aR before "$COOPR_STATE"
		cp -aR spool-before "$COOPR_SPOOL"
		ASAN_OPTIONS=${ASAN_OPTIONS:-}:verify_asan_link_order=0 LD_PRELOAD=$PWD/shim.so CRASH_NO_SYNC=1 CRASH_AT=$at \
			coopr-apply -f clusters --prune --yes >/dev/null 2>&1 || true
		apply --prune --yes >said 2>log
		same "blog 5 active,new 3 active" "$(recorded "name, nodes, status" | paste -sd,)"
		settled
		coopr-store fsck
		coopr-queue fsck
	done
	same "1 1" "$(sqlite3 "$COOPR_STATE/store.sqlite3" "SELECT made FROM cluster JOIN applied ON cluster = id WHERE status <> 'terminated'" | paste -sd' ')"
}
