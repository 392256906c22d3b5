#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0

load case
load solve

@test "coopr-solve prints a cluster record, then the nodes in the order of preference" {
	coopr-solve request >layout
	same "1000 large rocky master,monitor
1001 large rocky monitor,worker
1002 large rocky monitor,worker" "$(nodes layout)"
	same '["00000042","kv-qa","qa",["master","monitor","worker"],{"a":1},"/some/where"]' \
		"$(head -n 1 layout | jq -c '[.id, .name, .tenant, .services, .config, .catalogue]')"
	same '["master","monitor","worker"]' "$(head -n 1 layout | jq -c '[.definitions[].name]')"
	same '["optimal",{"cost":1.5,"machines":3,"moves":0}]' "$(head -n 1 layout | jq -c '.solution | [.status, .objective]')"
	same '{"flavor":"f.large","hardwaretype":"large","hostname":"kv-qa42-1000.dev.example.net","id":"00000042-1000",'`
		`'"image":"7d1e","imagetype":"rocky","kind":"node","nodenum":1000,"services":["master","monitor"],'`
		`'"sshuser":"rocky","was":null,"zone":null}' "$(sed -n 2p layout)"
}

@test "the same request gives the same bytes, on standard input too" {
	coopr-solve request >first
	coopr-solve <request >second
	cmp first second
}

@test "the order of members and lists in the request does not matter" {
	jq '.template.constraints.spread = [{"services": ["worker", "monitor"], "min": 1}] | .provider.zones = ["z"]
	  | .template.constraints.counts = [{"terms": {"worker": 1}, "min": 1}, {"terms": {"master": 1}, "max": 3}]
	  | .template.defaults.services = ["worker", "master"] | .services[0].dependencies.provides = ["y", "x"]' request >request2
	coopr-solve request2 >layout
	jq -c 'walk(if type == "object" then to_entries | reverse | from_entries elif type == "array" then reverse else . end)' \
		request2 | coopr-solve >reversed
	cmp layout reversed
	changed '.template.constraints.services.worker.quantities.min = 3 | .template.constraints.services.monitor.quantities.min = 4'
	same "$(coopr-solve changed | jq .because)" "$(jq -c 'walk(if type == "object" then to_entries | reverse | from_entries
	  elif type == "array" then reverse else . end)' changed | coopr-solve | jq .because)"
	# how many machines there are of one type, and what another one offers, are both in the way
	jq -c '.cluster.numMachines = 3 | .cluster.services = ["worker"] | .services = [{"name": "worker", "consumes": {"m": 2}}] | .template = {"name": "t"}
	  | .hardwaretypes = [{"name": "small", "providermap": {(.provider.name): {"flavor": "s", "capacity": {"m": 4}, "available": 1}}},
	    {"name": "large", "providermap": {(.provider.name): {"flavor": "l", "capacity": {"m": 1}}}}]' request >types
	same "$(coopr-solve types | jq .because)" "$(jq -c '.hardwaretypes |= reverse' types | coopr-solve | jq .because)"
	contains "$(coopr-solve types)" "1 machine of type small is available"
}

@test "what is so large that time or memory would have no bound is malformed" {
	changed '.cluster.numMachines = 1000000000'
	run -65 --separate-stderr coopr-solve changed
	contains "$stderr" "more than 1000000 machines are asked for"
	changed '.template.constraints.layout.cantcoexist = [range(5000) | ["a\(.)", "b"]]'
	run -65 --separate-stderr coopr-solve changed
	contains "$stderr" "/template/constraints/layout/cantcoexist: 5000 of them, more than 4096"
	changed '.cluster.services = [range(5000) | "s\(.)"]'
	run -65 --separate-stderr coopr-solve changed
	contains "$stderr" "/cluster/services: 5000 of them"
	# counted before anything is made of it
	for reader in coopr-solve coopr-plan coopr-validate; do
		run -65 bash -c "little; { printf '{\"kind\":\"request\",\"services\":['; yes '{\"name\":\"an element\"},' | head -c 80000000; } | $reader -"
		contains "$output" "services: more than 16384 of them"
		run -65 bash -c "little; { printf '{\"kind\":\"request\",\"nodes\":['; yes '1,' | head -c 80000000; } | $reader -"
		contains "$output" "nodes: more than 1000000 of them"
	done
}

# Answers each line of a file of requests: a record {"kind":"code"} behind each answer.
answer_all() {
	local line code

	while read -r line; do
		code=0
		coopr-solve 2>>errors <<<"$line" || code=$?
		echo "{\"kind\":\"code\",\"code\":$code}"
	done
}

@test "every answer of the original is ours" {
	need_shared corpus/solve-coopr.ndjson
	grep -v '^{"about"' "$SHARED/corpus/solve-coopr.ndjson" >cases
	# The template's least number of machines is not the original solver's to check.
	jq -c '.request | .cluster.minMachines = 1' cases | answer_all >answers
	jq -c '.expect | if .unsatisfiable then "none"
	  else [.layout[] | [.hardwaretype, .imagetype, (.services | sort), .count]] | sort end' cases >expected
	jq -nc 'foreach inputs as $r ({}; if $r.kind == "code" then {done: .nodes, code: $r.code}
	   elif $r.kind == "node" then {nodes: (.nodes + [[$r.hardwaretype, $r.imagetype, $r.services]])} else {} end;
	  select(has("done")) | if .code == 1 then "none" else [.done | group_by(.)[] | .[0] + [length]] end)' answers >found
	[ "$(wc -l <found)" -gt 400 ]
	diff expected found
}

@test "a service is added to a living cluster just where that can be done without a move" {
	need_shared corpus/add-coopr.ndjson
	grep -v '^{"about"' "$SHARED/corpus/add-coopr.ndjson" >cases
	jq -c .request cases >requests
	answer_all <requests >answers
	diff <(jq 'if .expect.possible then 0 else 1 end' cases) <(jq 'select(.kind == "code") | .code' answers)
	csplit -q -z -f answer. -n 4 answers '/"kind":"code"/+1' '{*}'
	csplit -q -z -f request. -n 4 requests '/./' '{*}'
	for answer in answer.*; do
		grep -q '"kind":"unsatisfiable"' "$answer" || coopr-solve --check "$answer" "${answer/answer/request}"
	done
}

@test "published cases have their published cost or number of machines" {
	need_shared corpus/wordpress-n3-o20.request.json
	for expect in "$SHARED"/corpus/*.expect.json; do
		coopr-solve "${expect%.expect.json}.request.json" >layout
		coopr-solve --check layout "${expect%.expect.json}.request.json"
		same "$(jq -c 'if .cost then {cost} else {machines} end' "$expect")" \
			"$(head -n 1 layout | jq -c --slurpfile e "$expect" '.solution.objective | if $e[0].cost then {cost} else {machines} end')"
		same '"optimal"' "$(head -n 1 layout | jq .solution.status)"
	done
}

@test "sets of services are never listed one by one: 24 services on 100 machines, 200 on 10000" {
	jq -n '[range(200) | "s\(.)"] as $s | {kind: "request", cluster: {name: "c", numMachines: 10000, services: $s},
	  template: {name: "t", constraints: {layout: {cantcoexist: [["s0", "s1"], ["s2", "s3"]]},
	   services: ($s | map({(.): {quantities: {min: 2}}}) | add)}},
	  provider: {name: "p", providertype: "dummy"}, hardwaretypes: [{name: "h", providermap: {p: {flavor: "f"}}}],
	  imagetypes: [{name: "i", providermap: {p: {image: "x"}}}], services: ($s | map({name: .})), nodes: []}' >large
	coopr-solve large >layout
	same 10001 "$(wc -l <layout)"
	coopr-solve --check layout large
}

@test "what is missing is said all at once" {
	changed '.services[0].dependencies = {"install": {"requires": ["jdk", "ntp"]}, "runtime": {"requires": ["dns"]}}
	  | .services[1].dependencies = {"runtime": {"requires": ["store"]}}'
	run -1 --separate-stderr coopr-solve changed
	same "master requires jdk, ntp (install), which nothing on the cluster provides; "`
		`"master requires dns (runtime), which nothing on the cluster provides; "`
		`"worker requires store (runtime), which nothing on the cluster provides" "$(jq -r .because <<<"$output")"
	same '["/cluster/services/1","/services/0/dependencies/install/requires"]' "$(jq -c .conflict <<<"$output")"
}

@test "a requirement is met by a service that provides it" {
	changed '.services[0].dependencies = {"install": {"requires": ["jobs"]}} | .services[1].dependencies = {"provides": ["jobs"]}'
	coopr-solve changed >layout
	same '["master","monitor","worker"]' "$(head -n 1 layout | jq -c .services)"
}

@test "services in conflict are refused, and told once" {
	refuses '.services[0].dependencies = {"conflicts": ["worker"]} | .services[1].dependencies = {"conflicts": ["master"]}' \
		/cluster/services/1 /cluster/services/2 /services/0/dependencies/conflicts
	same "master conflicts with worker" "$(jq -r .because <<<"$output")"
}

@test "a service that the template does not allow is refused" {
	refuses '.template.compatibility = {"services": ["master", "worker"]}' /cluster/services/0 /template/compatibility/services
}

@test "more machines than the template allows are refused" {
	refuses '.template.constraints.size = {"min": 1, "max": 2}' /cluster/numMachines /template/constraints/size/max
	contains "$(jq -r .because <<<"$output")" "3 machines are asked for, but the template allows at most 2 machines"
}

@test "fewer machines than the template's least are refused, unless the request lowers it" {
	refuses '.template.constraints.size = {"min": 9}' /cluster/numMachines /template/constraints/size/min
	contains "$(jq -r .because <<<"$output")" "3 machines are asked for, but the template needs at least 9 machines"
	for least in 2 3; do
		changed '.template.constraints.size = {"min": 9} | .cluster.minMachines = '$least
		coopr-solve changed >layout
		coopr-solve --check layout changed
	done
	refuses '.template.constraints.size = {"min": 9} | .cluster.minMachines = 4' /cluster/numMachines /template/constraints/size/min
	jq '.template.constraints.size = {"min": 9}' request >changed
	run -1 --separate-stderr coopr-solve --check layout changed
	contains "$stderr" "3 nodes are fewer than the template needs (/template/constraints/size/min)"
}

@test "a number of machines that is left open keeps the template's size" {
	changed '.template.constraints.size = {"min": 4, "max": 6} | del(.cluster.numMachines)'
	same 6 "$(coopr-solve changed | nodes | wc -l)"
	jq '.template.objective = ["machines"]' changed >least
	same 4 "$(coopr-solve least | nodes | wc -l)"
}

@test "the conflict is minimal, and the sentence says with numbers what would be possible" {
	refuses '.cluster.services = ["master", "worker"] | .template.constraints.services.worker.quantities = {"max": 1}' \
		/cluster/numMachines /template/constraints/services/master/quantities/max \
		/template/constraints/services/worker/quantities/max
	same "3 machines are asked for, but master may have at most 1 instance and worker may have at most 1 instance: "`
		`"at most 2 machines are possible" "$(jq -r .because <<<"$output")"
}

@test "a rule that cannot be kept at all is said to be so" {
	refuses '.template.constraints.counts = [{"name": "one", "terms": {}, "min": 1}]' /template/constraints/counts/0
	same 'the rule "one" (1 <= 0) holds, which cannot be' "$(jq -r .because <<<"$output")"
	refuses '.template.constraints.layout.cantcoexist = [["master"]]' /cluster/services/1 \
		/template/constraints/layout/cantcoexist/0
	contains "$(jq -r .because <<<"$output")" "master may not stand on any machine: no instance is possible"
	refuses '.template.constraints.counts = [{"terms": {"idle": 1}, "min": 1}]' /template/constraints/counts/0
	same 'the rule (1 <= idle; idle is not on the cluster) holds, which cannot be' "$(jq -r .because <<<"$output")"
	refuses '.template.constraints.layout.cantcoexist = [[]]' /template/constraints/layout/cantcoexist/0
	contains "$(jq -r .because <<<"$output")" "the whole of an empty set"
}

@test "a hardware type that is short is named" {
	refuses '.hardwaretypes[1].providermap.p.available = 2 | .cluster.numMachines = 9 | .template.constraints.services.master.quantities = {"min": 3}' \
		/hardwaretypes/1/providermap/p/available /template/constraints/services/master/hardwaretypes \
		/template/constraints/services/master/quantities/min
	same "master needs at least 3 instances, but 2 machines of type large are available and "`
		`"master may only stand on hardware large: at most 2 instances are possible" "$(jq -r .because <<<"$output")"
}

@test "a hardware type that the provider does not offer is named" {
	refuses '.cluster.hardwaretype = "huge"' /cluster/hardwaretype
	contains "$(jq -r .because <<<"$output")" "hardware huge is asked for, which provider p does not offer"
	refuses '.template.defaults.hardwaretype = "huge"' /template/defaults/hardwaretype
	contains "$(jq -r .because <<<"$output")" "the template's default is hardware huge, which provider p does not offer"
	refuses '.template.compatibility.imagetypes = ["a", "b"]' /template/compatibility/imagetypes
	same "the template allows only image a or b, none of which provider p offers" "$(jq -r .because <<<"$output")"
	refuses '.template.constraints.services.worker.imagetypes = ["a"]' /cluster/services/2 /template/constraints/services/worker/imagetypes
	contains "$(jq -r .because <<<"$output")" "worker may only stand on image a, which provider p does not offer: no"
	refuses '.hardwaretypes = []' /hardwaretypes
	refuses '.hardwaretypes |= .[1:] | .hardwaretypes[0].providermap.p.available = 0' /hardwaretypes/0/providermap/p/available
	same "0 machines of type large are available, and provider p offers no other type" "$(jq -r .because <<<"$output")"
}

@test "what is short of a resource is said with what a service takes and a machine offers" {
	refuses '.services[0].consumes = {"cpu": 3, "memory": 2} | .hardwaretypes[1].providermap.p.capacity = {"cpu": 8}' \
		/cluster/services/1 /hardwaretypes/1/providermap/p/capacity /services/0/consumes \
		/template/constraints/services/master/hardwaretypes
	contains "$(jq -r .because <<<"$output")" "master takes cpu 3 + memory 2, a machine of type large offers only cpu 8 and"
}

@test "a conflict about room says the sums, names two of many, and with -v all of its members" {
	changed '.cluster = {name: "c", numMachines: 4, services: ["db", "cache", (range(10) | "app\(.)")]} | .template.constraints = {services:
	  (.cluster.services | map({(.): {quantities: {min: 1, max: 1}}}) | add)} | .services = [.cluster.services[] | {name: ., consumes: {m: 333}}] |
	  .services[0].consumes.m = 337.9 | .services[1].consumes.m = 334.1 | .hardwaretypes[0].providermap.p.capacity = {m: 1000} |
	  .hardwaretypes[1].providermap.p.capacity = {m: 400}'
	run -1 --separate-stderr coopr-solve -v changed
	same "db, cache and 10 others need 4002 m, but 4 machines of the largest type (small) hold 4000: 4 machines are asked for and "`
		`"app0, app1 and 10 others need at least 1 instance each: at least 5 machines are necessary" "$(jq -r .because <<<"$output")"
	for pointer in $(jq -r '.conflict[]' <<<"$output"); do
		contains "$stderr" "coopr-solve: request: $pointer: "
	done
	same 27 "$(jq '.conflict | length' <<<"$output")"
	# as much room as is needed, but not in these parts; numbers that doubles do not hold
	jq '.services[].consumes.m = 0.4 | .services[0].consumes.m = 0.1 | .hardwaretypes[].providermap.p.capacity.m = 1.1 |
	  .cluster.numMachines = 5' changed >parts
	contains "$(coopr-solve parts | jq -r .because)" "need 4.4 m, and 5 machines of the largest type (large) hold 5.5, but not in these parts: "
}

@test "that one of a choice has to have instances is because of its own min" {
	changed '.template.constraints.oneof = [["master", "worker"]] | .template.constraints.services.worker.quantities = {min: 1}'
	run -1 --separate-stderr coopr-solve changed
	same '["/template/constraints/oneof/0","/template/constraints/services/master/quantities/min","/template/constraints/services/worker/quantities/min"]' \
		"$(jq -c .conflict <<<"$output")"
	coopr-solve --check /dev/stdin changed <<<"$output"
	changed '.template.constraints.oneof = [["master", "worker"]] | .template.constraints.services.worker.quantities = {}'
	coopr-solve changed >layout
	coopr-solve --check layout changed
}

@test "choices: the cheapest is found at once, and what the rules of counts say of them is a conflict of a few members" {
	for seed in 2 3 10 13 14; do
		"$COOPR_ROOT/tests/bench/families.py" choices "$seed" >request
		coopr-solve --node-limit 1000 request >layout
		same optimal "$(jq -r 'select(.kind == "cluster").solution.status' layout)"
		coopr-solve --check layout request
	done
	same 118 "$(jq 'select(.kind == "cluster").solution.objective.cost' layout)"

	# that of the last group has to be s030, of which the rule wants more than there may be
	jq '.template.constraints |= (.services.s030.quantities = {min: 1, max: 5} |
	  .counts += [{name: "many", terms: {s028: 3, s029: 1, s030: 1, s031: 4}, min: 7}])' request >refused
	run -1 --separate-stderr coopr-solve refused
	same "/template/constraints/counts/7 /template/constraints/oneof/7 /template/constraints/services/s030/quantities/max "`
		`"/template/constraints/services/s030/quantities/min true" "$(jq -r '.conflict + [.minimal != false] | join(" ")' <<<"$output")"
	coopr-solve --check /dev/stdin refused <<<"$output"
}

@test "three resources with costs: the cheapest layout is proved in a few nodes, and where the limit is reached it is not much too dear" {
	for seed in 302 308 310 316; do
		"$COOPR_ROOT/tests/bench/families.py" dimensions "$seed" >request
		coopr-solve --node-limit 3000 request >layout
		same optimal "$(jq -r 'select(.kind == "cluster").solution.status' layout)"
		coopr-solve --check layout request
	done
	"$COOPR_ROOT/tests/bench/families.py" dimensions 310 >request
	coopr-solve --node-limit 3000 request >layout
	same 2498 "$(jq 'select(.kind == "cluster").solution.objective.cost' layout)"
	coopr-solve --node-limit 150 request >layout 2>warning
	same "feasible true" "$(jq -r 'select(.kind == "cluster").solution | [.status, (.objective.cost < 2498 * 1.1 and .bound.cost > 2498 * 0.9 and .bound.cost <= 2498)] | join(" ")' layout)"
}

@test "what is added to two hundred kinds of machines is proved the densest" {
	for seed in 1 2; do
		"$COOPR_ROOT/tests/bench/families.py" additions "$seed" >request
		coopr-solve request >layout
		same "optimal 0" "$(jq -r 'select(.kind == "cluster").solution | [.status, .objective.moves] | join(" ")' layout)"
		coopr-solve --check layout request
	done
}

@test "neither the layout nor the words of a conflict depend on the order in which a service lists its types" {
	changed '.hardwaretypes += [.hardwaretypes[0] | .name = "tiny"] | .template.constraints.services.worker = {quantities: {min: 1},
	  hardwaretypes: ["tiny", "small", "large", "gone"], imagetypes: ["rocky", "other"]}'
	coopr-solve changed >first
	jq '.cluster.numMachines = 1 | .template.constraints.services.worker.hardwaretypes = ["tiny", "small"]' changed >refused
	words=$(coopr-solve refused | jq -r .because || true)
	contains "$words" "small or tiny"
	for order in reverse sort 'sort_by(length)' '[.[1:][], .[0]]'; do
		jq ".template.constraints.services.worker |= (.hardwaretypes |= ($order) | .imagetypes |= ($order))" changed | coopr-solve | cmp - first
		same "$words" "$(jq ".template.constraints.services.worker.hardwaretypes |= ($order)" refused | coopr-solve | jq -r .because)"
	done
}

@test "coefficients and amounts are exact in any unit, and judged so" {
	for e in -12 -7 0 6; do
		changed "def scaled(\$e): \"\(.)e\(\$e)\" | tonumber; .cluster.services = [\"master\", \"worker\"] | .cluster.numMachines = {min: 1, max: 40} |
		  .template.objective = [\"machines\"] | .template.constraints = {counts: [{terms: {master: (27 | scaled($e)), worker: (-24 | scaled($e))},
		  min: 0, max: (0.5 | scaled($e))}]} | .hardwaretypes[].providermap.p.capacity = {m: (0.3 | scaled($e))} |
		  .services[0].consumes = {m: (0.2 | scaled($e))} | .services[1].consumes = {m: (0.1 | scaled($e))}"
		coopr-solve changed >layout
		same "[8,9]" "$(jq -sc '[.[1:][].services[]] | group_by(.) | map(length)' layout)"
		coopr-solve --check layout changed
		jq ".template.constraints.counts[0].max = (\"-0.001e$e\" | tonumber)" changed >broken
		run -1 --separate-stderr coopr-solve --check layout broken
		contains "$stderr" "is broken"
		jq ".services[0].consumes.m = (\"0.2001e$e\" | tonumber)" changed >broken
		run -1 --separate-stderr coopr-solve --check layout broken
		contains "$stderr" "is taken"
	done
}

@test "numbers beyond 2^53 are decimal strings, exact to the last digit; digits that would not be kept are refused" {
	changed '.cluster.services = ["worker"] | .template.objective = ["cost"] | .hardwaretypes[].providermap.p.cost = "123456789012.25"'
	for n in 7 729 9973; do
		jq ".cluster.numMachines = $n" changed | coopr-solve >layout
		same "$(sed -E 's/(..)$/.\1/; s/0$//' <<<$((n * 12345678901225)))" "$(head -n 1 layout | jq -r '.solution.objective.cost')"
		coopr-solve --check layout <(jq ".cluster.numMachines = $n" changed)
		coopr-plan layout >plan
	done
	same '"1231234556819169.25"' "$(head -n 1 layout | jq .solution.objective.cost)"
	jq '.hardwaretypes[].providermap.p.cost = 1e15 | .cluster.numMachines = 10' changed | coopr-solve | head -n 1 |
		jq -e '.solution.objective.cost == "10000000000000000"'
	jq '.hardwaretypes[].providermap.p.cost = "0.12345678901234567"' changed >digits
	run -65 --separate-stderr coopr-solve digits
	contains "$stderr" '/hardwaretypes/0/providermap/p/cost: "0.12345678901234567" has digits that would not be kept'
	jq '.services[1].consumes = {m: "9007199254740993"}' changed >digits
	run -65 --separate-stderr coopr-solve digits
	contains "$stderr" '/services/1: consumes: m: "9007199254740993" has digits that would not be kept'
	jq '.services[1].consumes = {m: "9007199254740992"} | .cluster.numMachines = 1' changed | coopr-solve >layout
}

@test "costs are added up without a rounding error" {
	changed '.cluster.services = ["worker"] | .template.objective = ["cost"]'
	for n in 1 2 3 7 1000; do
		jq ".cluster.numMachines = $n" changed | coopr-solve | grep -o '"objective":{"cost":[0-9.]*'
	done >costs
	same "0.087 0.174 0.261 0.609 87" "$(cut -d : -f 3 costs | xargs)"
}

@test "the cheapest machines that have room are taken" {
	changed '.template.objective = ["cost"] | .services[1].consumes = {"cpu": 1.5} | .services[0].consumes = {"cpu": 1}
	  | .hardwaretypes[0].providermap.p += {"capacity": {"cpu": 1}} | .hardwaretypes[1].providermap.p += {"capacity": {"cpu": 2}}'
	coopr-solve changed >layout
	same '{"cost":1.087,"machines":3,"moves":0}' "$(head -n 1 layout | jq -c .solution.objective)"
	coopr-solve --check layout changed
}

@test "on a change no unaffected service moves" {
	coopr-solve request >before
	jq -s '.[0] as $r | .[1:] as $layout | $r | .cluster.services += ["idle"] | .cluster.numMachines = 5
	  | .nodes = ($layout | map(select(.kind == "node")))' request before >changed
	coopr-solve changed >layout
	same "1000 large rocky idle,master,monitor
1001 large rocky idle,monitor,worker
1002 large rocky idle,monitor,worker
1003 large rocky idle,monitor,worker
1004 large rocky idle,monitor,worker" "$(nodes layout)"
	same '["monitor","worker"]' "$(jq -c 'select(.nodenum == 1001) | .was' layout)"
	same null "$(jq -c 'select(.nodenum == 1003) | .was' layout)"
	coopr-solve --check layout changed
}

@test "nodes leave where fewer are asked for, services where they are no longer" {
	coopr-solve request >before
	jq -s '.[0] as $r | .[1:] as $layout | $r | .cluster.services = ["master", "worker"] | .cluster.numMachines = 2
	  | .nodes = ($layout | map(select(.kind == "node") | . + {"facts": {"providerid": "i-1"}}))' request before >changed
	coopr-solve changed >layout
	same "1000 large rocky master
1001 large rocky worker
1002 large rocky -" "$(nodes layout)"
	same '{"providerid":"i-1"}' "$(jq -c 'select(.nodenum == 1000) | .facts' layout)"
	coopr-solve --check layout changed
}

# The zones of a layout: "1000 z1 a,b".
zones() {
	jq -r 'select(.kind == "node") | "\(.nodenum) \(.zone) \(.services | join(","))"' "$@"
}

@test "each new node stands in a zone of its provider, each zone having as many of them as it can" {
	changed '.cluster.numMachines = 7 | .provider.zones = ["east", "west", "north"]'
	coopr-solve changed >layout
	same "3 east 2 north 2 west" "$(jq -r 'select(.kind == "node").zone' layout | sort | uniq -c | xargs)"
	coopr-solve --check layout changed
}

@test "spread: the instances of each service that has any stand in at least min zones" {
	changed '.cluster.numMachines = 6 | .provider.zones = ["z1", "z2", "z3"] | .template.constraints.services.worker.quantities.max = 3
	  | .template.constraints.services.monitor = {} | .services += [{"name": "none"}] | .cluster.services += ["none"]
	  | .template.constraints.services.none.quantities = {"min": 0, "max": 1}
	  | .template.constraints.spread = [{"services": ["worker", "monitor", "none"], "over": "zone", "min": 3}]'
	coopr-solve changed >layout
	same "3 3" "$(jq -r 'select(.kind == "node" and (.services | index("worker"))).zone' layout | sort -u | wc -l) $(
		jq -r 'select(.kind == "node" and (.services | index("monitor"))).zone' layout | sort -u | wc -l)"
	coopr-solve --check layout changed
}

@test "a node in place of one with volumes that are kept stands in its zone, where the spread of services allows it" {
	request() {
		triangle 2 | jq -c "del(.template.constraints.spread, .template.constraints.layout) | .cluster.services = [\"a\"] | .services[0] +=
			{volumes: [{name: \"d\", path: \"/d\", size_gb: 1}]} | .template.constraints.services = {} | $1"
	}
	request . | coopr-solve | jq -c 'select(.kind == "node") | .zone = "z1"' >present
	request . | jq -c --slurpfile n present '.nodes = $n | .replace = [$n[0].id]' | coopr-solve >layout
	same z1 "$(jq -r 'select(.kind == "node" and .was == null).zone' layout)"
	request 'del(.services[0].volumes)' | jq -c --slurpfile n present '.nodes = $n | .replace = [$n[0].id]' | coopr-solve >layout
	same z0 "$(jq -r 'select(.kind == "node" and .was == null).zone' layout)"
	request '.template.constraints.spread = [{"services": ["a"], "over": "zone", "min": 2}]' |
		jq -c --slurpfile n present '.nodes = $n | .replace = [$n[0].id]' | coopr-solve >layout
	same z0 "$(jq -r 'select(.kind == "node" and .was == null).zone' layout)"
	coopr-solve --check layout <(request '.template.constraints.spread = [{"services": ["a"], "over": "zone", "min": 2}]' |
		jq -c --slurpfile n present '.nodes = $n | .replace = [$n[0].id]')
}

# Three services on three machines, two on each: NUMBER of zones.
triangle() {
	jq -n --argjson k "$1" '{kind: "request", cluster: {name: "c", numMachines: 3, services: ["a", "b", "c"]},
	  template: {name: "t", constraints: {
	   services: ({a: {}, b: {}, c: {}} | map_values({quantities: {min: 2, max: 2}})), layout: {cantcoexist: [["a", "b", "c"]]},
	   spread: [{services: ["a", "b", "c"], over: "zone", min: 2}]}},
	  provider: {name: "p", providertype: "dummy", zones: [range($k) | "z\(.)"]},
	  hardwaretypes: [{name: "h", providermap: {p: {flavor: "f"}}}], imagetypes: [{name: "i", providermap: {p: {image: "x"}}}],
	  services: [{name: "a"}, {name: "b"}, {name: "c"}]}'
}

@test "spread: enough instances are not enough where no zones can be given to their machines" {
	triangle 3 >request
	coopr-solve request >layout
	same "1000 z0 a,b
1001 z1 a,c
1002 z2 b,c" "$(zones layout)"
	triangle 2 >request
	run -1 --separate-stderr coopr-solve request
	same '["/cluster/numMachines","/cluster/services/0","/cluster/services/1","/cluster/services/2","/provider/zones",'`
		`'"/template/constraints/layout/cantcoexist/0","/template/constraints/spread/0"]' "$(jq -c .conflict <<<"$output")"
	changed '.cluster.numMachines = 4'
	coopr-solve changed >layout
	coopr-solve --check layout changed
}

@test "spread: present nodes keep their zones" {
	changed '.provider.zones = ["z1", "z2"] | .template.constraints.spread = [{"services": ["worker"], "over": "zone", "min": 2}]'
	coopr-solve changed >layout
	jq -s '.[0] as $r | $r | .cluster.numMachines = 4 | .nodes = ([$layout[] | select(.kind == "node") | .zone = "z1"])' \
		--slurpfile layout layout changed >more
	coopr-solve more >layout
	same "z1 z1 z1 z2" "$(jq -r 'select(.kind == "node").zone' layout | xargs)"
	coopr-solve --check layout more
	jq '.cluster.numMachines = 3' more >same
	run -1 --separate-stderr coopr-solve same
	same '["/cluster/numMachines","/nodes","/template/constraints/spread/0"]' "$(jq -c .conflict <<<"$output")"
}

@test "a spread over a provider that names no zones cannot be kept" {
	changed '.template.constraints.spread = [{"services": ["worker"], "over": "zone", "min": 2}]'
	run -1 --separate-stderr coopr-solve changed
	same '["/cluster/services/2","/provider/zones","/template/constraints/spread/0"]' "$(jq -c .conflict <<<"$output")"
	contains "$(jq -r .because <<<"$output")" "provider p has no zones"
}

@test "that there is no layout is proved also where nothing bounds the number of machines" {
	triangle 3 >request
	changed '.cluster.numMachines = {} | .template.objective = ["cost", "dense"] | .template.constraints.spread[0].min = 4 |
	  .template.constraints |= (.services = {} | .layout = {}) | .template.constraints.counts = [{terms: {a: 2, b: -1, c: -1}, max: -1}] |
	  .hardwaretypes[0].providermap.p.cost = 0'
	run -1 --separate-stderr coopr-solve changed
	same '["/provider/zones","/template/constraints/spread/0"]' "$(jq -c .conflict <<<"$output")"
}

# 40 services once each on machines with two capacities, cheapest first: PROGRAM changes it.
packing() {
	jq -n "[range(40) | \"s\\(. + 10)\"] as \$s | {kind: \"request\", cluster: {name: \"c\", numMachines: {min: 1, max: 40}, services: \$s},
	  template: {name: \"t\", objective: [\"cost\", \"machines\", \"dense\"],
	   constraints: {services: (\$s | map({(.): {quantities: {min: 1, max: 1}}}) | add)}},
	  provider: {name: \"p\", providertype: \"dummy\"}, hardwaretypes: [range(4) | {name: \"h\\(.)\",
	   providermap: {p: {flavor: \"f\", cost: [15, 31, 27, 44][.], capacity: {cpu: (100 + 30 * .), memory: (100 + 27 * .)}}}}],
	  imagetypes: [{name: \"i\", providermap: {p: {image: \"x\"}}}], services: [\$s | to_entries[] | {name: .value,
	   consumes: {cpu: (20 + .key * 37 % 51), memory: (20 + .key * 29 % 53)}}]} | ${1:-.}"
}

@test "with --node-limit the best layout found by then is printed, with a bound and the gap to it; the same every time" {
	packing >packing
	coopr-solve packing >best
	same optimal "$(head -n 1 best | jq -r .solution.status)"
	same '[{},null]' "$(head -n 1 best | jq -c '.solution | [.bound, .gap]')"
	coopr-solve --node-limit 3 packing >layout 2>said
	coopr-solve --node-limit 3 packing 2>/dev/null | cmp - layout
	same 1 "$(wc -l <said)"
	contains "$(cat said)" "the search stopped after 3 nodes; "
	contains "$(cat said)" "raise --node-limit"
	coopr-solve --check layout packing
	head -n 1 layout | jq -e --slurpfile best best '.solution | .status == "feasible" and .bound.cost <= $best[0].solution.objective.cost
	  and .objective.cost >= $best[0].solution.objective.cost
	  and (.gap.cost - (.objective.cost - .bound.cost) / .objective.cost | fabs) < 1e-9'
}

@test "each objective of a layout that is not proved the best has a bound, whatever ended the search; standard error says the gap" {
	packing '.template.objective = ["machines", "cost", "dense"]' >packing
	coopr-solve packing >best
	for nodes in 2 3 5 8 13 21; do
		code=0
		coopr-solve --node-limit "$nodes" packing >layout 2>said || code=$?
		[ "$code" -ne 75 ] || continue
		head -n 1 layout | jq -e --slurpfile best best '.solution | .status == "optimal" or (["machines", "cost"] - (.bound | keys) == [] and
		  .bound.machines <= $best[0].solution.objective.machines and (.gap | keys) == (.bound | keys))'
		[ "$(head -n 1 layout | jq '[.solution.gap[]?] | add // 0')" = 0 ] || contains "$(cat said)" "% of its "
	done
}

@test "thousands of services, each once, get a layout and a bound though the linear program is too large to be solved" {
	packing '.cluster.services = [range(3000) | "s\(.)"] | .cluster.numMachines = 2900 | .services = [.cluster.services[] | {name: .}] |
	  .template.constraints.services = (.cluster.services | map({(.): {quantities: {min: 1, max: 1}}}) | add)' >large
	coopr-solve large >layout 2>said
	coopr-solve --check layout large
	same "[2900,3000]" "$(jq -sc '[.[1:] | length, (map(.services | length) | add)]' layout)"
	jq '.cluster.numMachines = {min: 1, max: 2900} | .services |= (to_entries | map(.value + {consumes: {cpu: (20 + .key * 37 % 51),
	  memory: (20 + .key * 29 % 53)}}))' large >packed
	coopr-solve packed >layout 2>said
	coopr-solve --check layout packed
	head -n 1 layout | jq -e '.solution | .status == "feasible" and .bound.cost > 0 and .bound.cost <= .objective.cost and .gap.cost < 0.3 and .bound.machines > 0'
	contains "$(cat said)" "% of its cost"
}

@test "the best layout is the same, and proved, in whatever unit costs and amounts are given" {
	packing >packing
	coopr-solve packing | jq -c 'select(.kind == "node") | [.nodenum, .hardwaretype, .services]' >best
	for e in -12 -7 -1 3 7 13; do
		packing "def scaled(\$e): \"\(.)e\(\$e)\" | tonumber; .hardwaretypes[].providermap.p |= (.cost |= scaled($e) |
			.capacity.memory |= scaled(-$e)) | .services[].consumes.memory |= scaled(-$e)" >scaled
		coopr-solve scaled >layout
		same optimal "$(head -n 1 layout | jq -r .solution.status)"
		jq -c 'select(.kind == "node") | [.nodenum, .hardwaretype, .services]' layout | diff best -
		coopr-solve --check layout scaled
	done
}

@test "costs differ by their last digit, and amounts in bytes with costs in millions of units are proved" {
	changed '.cluster.numMachines = 1 | .cluster.services = ["worker"] | .template.objective = ["cost"] |
	  .hardwaretypes[0].providermap.p.cost = 0.00000027 | .hardwaretypes[1].providermap.p.cost = 0.00000024'
	same "$(jq -r '.hardwaretypes[1].name' changed)" "$(coopr-solve changed | jq -r 'select(.kind == "node").hardwaretype')"
	jq '.hardwaretypes[0].providermap.p.cost = 1500000.5 | .hardwaretypes[1].providermap.p.cost = 1500000.25' changed |
		coopr-solve | head -n 1 | jq -e '.solution.objective.cost == 1500000.25'
	packing '.cluster.numMachines.max = 400 | .template.objective = ["cost"] |
	  .template.constraints.services = (.cluster.services | to_entries | map({(.value): {quantities: {min: (1 + .key * 7 % 20)}}}) | add) |
	  .services |= (to_entries | map(.value + {consumes: {memory: (268435456 + .key * 1234567891 % 8321499136)}})) |
	  .hardwaretypes |= (to_entries | map(.key as $i | .value | .providermap.p += {cost: [3123456789, 5987654321, 8111222333, 9765432101][$i],
	    capacity: {memory: (8589934592 + $i * 20434567123)}}))' >large
	coopr-solve large >layout
	same optimal "$(head -n 1 layout | jq -r .solution.status)"
	coopr-solve --check layout large
	changed '.template.objective = ["cost"] | .hardwaretypes[0].providermap.p.cost = 1e15 | .hardwaretypes[1].providermap.p.cost = 1.0000001e-9'
	run --separate-stderr -65 coopr-solve changed
	contains "$stderr" "cost too large, beside the others, to be computed with exactly"
}

# Services with a ratio of each to the next one, or in pairs, as drawn from a seed: ratios SEED SERVICES RULES STEP JQ-PROGRAM
ratios() {
	jq -n --argjson seed "$1" --argjson n "$2" --argjson rules "$3" --argjson step "$4" "def next: (. * 1103515245 + 12345) % 2147483648;
	  def draw(\$from; \$to): \$from + (. / 65536 | floor) % (\$to - \$from + 1);
	  [limit(200; \$seed | recurse(next))] as \$r | [range(\$n) | \"s\(.)\"] as \$s | {kind: \"request\",
	  cluster: {id: \"00000001\", name: \"r\", services: \$s, numMachines: {min: 1, max: 10000}}, template: {name: \"t\",
	   objective: [\"machines\"], constraints: {services: (\$s | map({(.): {quantities: {min: 1}}}) | add), counts: [range(\$rules) |
	    . as \$i | {name: \"r\(\$i)\", terms: {(\$s[\$step * \$i]): (\$r[3 * \$i + 1] | draw(2; 9)), (\$s[\$step * \$i + 1]): -(\$r[3 * \$i + 2] | draw(2; 9))},
	    min: 0, max: 0}]}},
	  provider: {name: \"p\", providertype: \"dummy\"}, hardwaretypes: [{name: \"h\", providermap: {p: {flavor: \"f\"}}}],
	  imagetypes: [{name: \"i\", providermap: {p: {image: \"x\"}}}], services: [\$s[] | {name: .}]} | $5"
}

@test "rules of counts that no whole numbers keep are refused without a search, with a minimal conflict; numbers that keep them are found" {
	for seed in 1 2 3 4 5; do
		# a is a multiple of 6, and one more than a multiple of 2 or 3, somewhere among other rules
		ratios "$seed" 20 8 2 ".template.constraints.counts += [{name: \"even\", terms: {s17: 1, s18: -6}, min: 0, max: 0},
			{name: \"odd\", terms: {s17: 1, s19: $((-2 - seed % 2))}, min: 1, max: 1}]" >request
		run -1 --separate-stderr coopr-solve --node-limit 100 request
		jq -e '.minimal == null and .conflict == ["/template/constraints/counts/8", "/template/constraints/counts/9"]' <<<"$output"
		ratios "$seed" 14 4 1 . >request
		coopr-solve --node-limit 100 request >layout
		head -n 1 layout | jq -e '.solution | .status == "optimal" and .objective.machines > 1'
		coopr-solve --check layout request
	done
}

@test "a limit that is reached with no layout in hand gives 75, and says which" {
	triangle 2 >request
	run -75 --separate-stderr coopr-solve --node-limit 1 request
	same "" "$output"
	contains "$stderr" "no layout was found before the search stopped after 1 node; "
	contains "$stderr" "raise --node-limit"
}

@test "with --time-limit the best layout found by then is printed" {
	packing '.services[].consumes |= map_values(. * 1.7)' >packing
	code=0
	coopr-solve --time-limit 0.2 packing >layout || code=$?
	[ "$code" -eq 75 ] || coopr-solve --check layout packing
	run -64 --separate-stderr coopr-solve --time-limit never packing
	contains "$stderr" "expected seconds"
	run -64 --separate-stderr coopr-solve --node-limit 0 packing
}

# Many services, one instance each, on so many machines: crowd SERVICES MACHINES CPU CAPACITY, where CPU is what service number . takes.
crowd() {
	jq -n "[range($1)] | {kind: \"request\", provider: {name: \"p\", providertype: \"dummy\"},
	  cluster: {name: \"c\", numMachines: $2, services: map(\"s\(.)\")}, services: map({name: \"s\(.)\", consumes: {cpu: ($3)}}),
	  template: {name: \"t\", constraints: {services: (map({\"s\(.)\": {quantities: {max: 1}}}) | add)}},
	  hardwaretypes: [{name: \"small\", providermap: {p: {flavor: \"f\", capacity: {cpu: 7}}}},
	    {name: \"large\", providermap: {p: {flavor: \"f\", capacity: {cpu: $4}}}}],
	  imagetypes: [{name: \"i\", providermap: {p: {image: \"x\"}}}]}"
}

@test "thousands of services that are too much by sums are refused with these sums and a minimal set" {
	crowd 4096 4 '9 + (. % 2)' 9728 >request # 38912 + 1 is too much
	jq '.services[0].consumes.cpu += 1' request >changed
	run -1 coopr-solve changed
	same '[null,8195]' "$(jq -c '[.minimal, (.conflict | length)]' <<<"$output")"
	contains "$(jq -r .because <<<"$output")" "and 4094 others need 38913 cpu, but 4 machines of the largest type (large) hold 38912: 4 machines are asked for"
	contains "$(jq -r .because <<<"$output")" ": at least 5 machines are necessary"
	crowd 700 100 'if . == 9 then 1001 else 10 end' 1000 >request # one that no machine holds
	run -1 coopr-solve request
	same '[null,["/cluster/services/9","/hardwaretypes/0/providermap/p/capacity","/hardwaretypes/1/providermap/p/capacity","/services/9/consumes"]]' \
		"$(jq -c '[.minimal, .conflict]' <<<"$output")"
	crowd 90 60 1 1000 | jq '.template.constraints.layout.mutuallyexclusive = [.cluster.services]' >request
	run -1 coopr-solve request
	same '[null,63]' "$(jq -c '[.minimal, (.conflict | length)]' <<<"$output")"
	contains "$(jq -r .because <<<"$output")" "60 machines are asked for, but no two of s0, s1 and 88 others may share a machine and "
	echo "$output" >conflict
	coopr-solve --check conflict request
	crowd 90 9 1 1000 | jq '.hardwaretypes[0].providermap.p.available = 1
	  | .template.constraints.services[["s1","s3","s5","s7","s9","s11","s13","s15","s17","s19"][]].hardwaretypes = ["small"]' >request
	run -1 coopr-solve request
	contains "$(jq -r .because <<<"$output")" "and 6 others need 8 cpu, but 1 machine of type small holds 7: "
}

@test "a conflict that a limit left unproved says that it may not be minimal" {
	changed '.template.constraints.services.worker.quantities.min = 3'
	run -1 coopr-solve changed
	same '[null,4]' "$(jq -c '[.minimal, (.conflict | length)]' <<<"$output")"
	run -1 coopr-solve --node-limit 1 changed
	same '[false,true]' "$(jq -c '[.minimal, (.conflict | length > 4)]' <<<"$output")"
}

# A cluster of an earlier answer, and a request for what shall become of it.
living() { # REQUEST JQ-PROGRAM >CHANGED
	coopr-solve "$1" | grep '"kind":"node"' >present
	jq --slurpfile nodes present ".nodes = \$nodes | $2" "$1"
}

moves_of() {
	head -n 1 "$1" | jq .solution.objective.moves
}

@test "what the present layout breaks is no layout without moves, and is said with how few would do" {
	living request '.template.constraints.layout.mutuallyexclusive = [["monitor", "master"]]' >changed
	run -1 --separate-stderr coopr-solve changed
	same '["/nodes","/template/constraints/layout/mutuallyexclusive/0"]' "$(jq -c .conflict <<<"$output")"
	contains "$(jq -r .because <<<"$output")" "the present layout breaks that already, on 00000042-1000; 1 move would do"
}

@test "a node of which nothing is asked for any more, and that can hold nothing else, is named" {
	living request '.cluster.services = ["idle"] | .template.constraints.services.idle.hardwaretypes = ["small"]' >changed
	run -1 --separate-stderr coopr-solve changed
	same '["/nodes","/template/constraints/services/idle/hardwaretypes"]' "$(jq -c .conflict <<<"$output")"
	contains "$(jq -r .because <<<"$output")" "of what stands on 00000042-1000 nothing is asked for any more"
	jq '.nodes[0].services = []' changed >empty
	run -1 --separate-stderr coopr-solve empty
	contains "$(jq -r .because <<<"$output")" "; nothing stands on 00000042-1000"
}

@test "which of several rules the present layout breaks is said where it is named" {
	living request '.cluster.numMachines = 4 | .nodes[1].services = ["worker"] | .nodes[2].services = ["worker"]
	  | .template.constraints.services.monitor = {"hardwaretypes": ["small"], "quantities": {"max": 1}}
	  | .template.constraints.layout.mustcoexist = [["monitor", "worker"]]' >changed
	run -1 --separate-stderr coopr-solve changed
	same 4 "$(jq '.conflict | length' <<<"$output")"
	contains "$(jq -r .because <<<"$output")" \
		"must stand on the same machines (the present layout breaks that already, on 00000042-1000), master may"
	living request 'del(.hardwaretypes[].providermap.p.flavor) | .cluster.numMachines = 4' >changed
	same "no hardware type is available from provider p" "$(coopr-solve changed | jq -r .because)"
	living request 'del(.hardwaretypes[].providermap.p.flavor) | .template.constraints.services.monitor.quantities.max = 1' >changed
	contains "$(coopr-solve changed | jq -r .because)" "; 2 moves would do"
}

@test "--allow-moves mends the present layout with the fewest moves, and names the rule that was broken" {
	living request '.template.constraints.layout.mutuallyexclusive = [["monitor", "master"]]' >changed
	run -0 --separate-stderr coopr-solve --allow-moves changed
	same "coopr-solve: request: /template/constraints/layout/mutuallyexclusive/0: no two of master and monitor may share "`
		`"a machine: the present layout breaks that, on 00000042-1000" "$stderr"
	echo "$output" >layout
	same "1000 large rocky master
1001 large rocky monitor,worker
1002 large rocky monitor,worker" "$(nodes layout)"
	same 1 "$(moves_of layout)"
	coopr-solve --allow-moves --check layout changed
	run -1 coopr-solve --check layout changed
	run -1 coopr-solve --allow-moves=0 changed
}

@test "--allow-moves=N allows so many, and less is told with what would do" {
	living request '.template.constraints.services.worker.hardwaretypes = ["small"]' >changed
	run -1 --separate-stderr coopr-solve --allow-moves=3 changed
	contains "$(jq -r .because <<<"$output")" "; 4 moves would do"
	coopr-solve --allow-moves=4 changed >layout
	same 4 "$(moves_of layout)"
	same "1000 large rocky master,monitor
1001 large rocky monitor
1002 large rocky -
1003 small rocky monitor,worker" "$(nodes layout)"
	coopr-solve --allow-moves=4 --check layout changed
	run -64 coopr-solve --allow-moves=x changed
}

@test "no move is made that is not needed: a change that needs none is the same with --allow-moves" {
	living request '.cluster.services += ["idle"] | .cluster.numMachines = 5' >changed
	coopr-solve changed >without
	coopr-solve --allow-moves changed >with
	cmp <(tail -n +2 without) <(tail -n +2 with)
	same 0 "$(moves_of with)"
}

@test "a node to be replaced leaves, a new one comes, and nothing else changes" {
	living request 'del(.cluster.numMachines) | .replace = ["00000042-1000"]' >changed
	coopr-solve changed >layout
	same "1000 large rocky -
1001 large rocky monitor,worker
1002 large rocky monitor,worker
1003 large rocky master,monitor" "$(nodes layout)"
	same 0 "$(moves_of layout)"
	coopr-solve --check layout changed
	jq '.replace = ["00000042-1000", "nowhere"]' changed >wrong
	run -65 coopr-solve wrong
	contains "$output" '/replace/1: no present node has the id "nowhere"'
}

@test "the number of a node that has left is not given again" {
	living request '.cluster.numMachines = 2' >changed
	coopr-solve changed >fewer
	same 1003 "$(head -n 1 fewer | jq .nextNodenum)"
	jq -s '.[0] as $r | .[1:] as $layout | $r | .nodes = ($layout | map(select(.services and .nodenum)))
	  | .cluster.nextNodenum = $layout[0].nextNodenum' request fewer >changed
	same "1000 1001 1003" "$(coopr-solve changed | nodes | cut -d ' ' -f 1 | xargs)"
}

@test "of fewer machines those leave that the rules do not need, with as few services as can be" {
	living request '.cluster.numMachines = 2 | .nodes[2].services = ["worker"] | .nodes[1].services = ["monitor", "worker"]' >changed
	same "1000 large rocky master,monitor
1001 large rocky monitor,worker
1002 large rocky -" "$(coopr-solve changed | nodes)"
	jq '.nodes[1].services = ["worker"] | .nodes[2].services = ["monitor", "worker"]' changed >other
	same "1000 large rocky master,monitor
1001 large rocky -
1002 large rocky monitor,worker" "$(coopr-solve other | nodes)"
}

@test "a living cluster of many kinds of nodes gets the best layout, proved" {
	changed '.cluster.numMachines = 4 | .hardwaretypes = [] | .imagetypes = [] | .cluster.services = ["d", "zk", "kv"] | .services = (.cluster.services | map({name: .}))
	  | .template.constraints = {services: {zk: {quantities: {max: 1}}}, layout: {cantcoexist: [["d", "zk"]]}}
	  | .nodes = ([[null, []], [null, ["d"]], ["small", []], [null, []]] | to_entries | map({id: "00000042-\(1000 + .key)",
	    nodenum: (1000 + .key), hostname: "h\(.key)", hardwaretype: .value[0], services: .value[1]}))'
	coopr-solve changed >layout
	same optimal "$(head -n 1 layout | jq -r .solution.status)"
	same "1000 null null kv,zk
1001 null null d,kv
1002 small null kv
1003 null null kv" "$(nodes layout)"
}

@test "services come and go and the number changes at once" {
	living request '.cluster.numMachines = 4 | .cluster.services = ["master", "worker", "idle"]
	  | .template.constraints.services.idle.quantities = {min: 1, max: 1}' >changed
	coopr-solve changed >layout
	same "1000 large rocky idle,master
1001 large rocky worker
1002 large rocky worker
1003 large rocky worker" "$(nodes layout)"
	coopr-solve --check layout changed
}

@test "numbers of nodes are exact in JSON, or the request is malformed" {
	changed '.cluster.nextNodenum = 9007199253740991'
	same "9007199253740991 9007199253740992 9007199253740993" "$(coopr-solve changed | nodes | cut -d ' ' -f 1 | xargs)"
	changed '.cluster.nextNodenum = 9007199253740992'
	run -65 --separate-stderr coopr-solve changed
	contains "$stderr" "/cluster/nextNodenum: numbers of new nodes must begin at 9007199253740991 at most"
	living request '.nodes[1].nodenum = 9007199254740991' >changed
	run -65 --separate-stderr coopr-solve changed
	contains "$stderr" "/nodes: numbers of new nodes"
}

@test "nothing that bounds the number of machines is malformed" {
	changed 'del(.cluster.numMachines)'
	run -65 --separate-stderr coopr-solve changed
	contains "$stderr" "nothing bounds the number of machines; give it, constraints.size.max, or an objective of cost or machines"
}

@test "a malformed request gives 65 and all its errors, and nothing on standard output" {
	changed '.cluster.numMachines = -1 | .services = {} | .hardwaretypes[0].name = 7'
	run -65 --separate-stderr coopr-solve changed
	same "" "$output"
	contains "$stderr" "/cluster/numMachines"
	contains "$stderr" "/services: expected array, found object"
	contains "$stderr" "/hardwaretypes/0/name"
	changed '.cluster.services += ["ghost"]'
	run -65 --separate-stderr coopr-solve changed
	contains "$stderr" 'no service "ghost" is defined'
}

@test "hostile input gives 65 and one line" {
	for text in '' '{' '[]' 'null' '{"kind":"request"}x' $'{"kind":"re\xffquest"}' '{"kind":"request","kind":"request"}'; do
		printf '%s' "$text" >hostile
		run -65 --separate-stderr coopr-solve hostile
		same "" "$output"
	done
	head -c 100000 /dev/zero | tr '\0' '[' >hostile
	run -65 --separate-stderr coopr-solve hostile
	same 1 "${#stderr_lines[@]}"
}

@test "hostile sizes give 65 or a right answer" {
	changed '.cluster.numMachines = 1000000000'
	run -65 --separate-stderr coopr-solve changed
	changed '.template.constraints.services.worker.quantities = {"min": 9007199254740991}'
	run -1 --separate-stderr coopr-solve changed
	changed '.services += [range(5000) | {name: "x\(.)"}] | .cluster.services += [range(5000) | "x\(.)"]'
	run -65 --separate-stderr coopr-solve changed
	changed '.services[0].consumes = {"cpu": 1} | .services[1].consumes = {"cpu": 999999999999999} |
	  .hardwaretypes[1].providermap.p.capacity = {"cpu": 2}'
	coopr-solve changed >layout
	coopr-solve --check layout changed
	changed '.services[0].consumes = {"cpu": 0.0000001} | .services[1].consumes = {"cpu": 999999999999999}'
	run -65 --separate-stderr coopr-solve changed
}

@test "misuse gives 64, a file that cannot be read 66" {
	run -64 coopr-solve one two
	run -64 coopr-solve --no-such-option
	run -66 coopr-solve nowhere
	run -66 coopr-solve --check nowhere request
	run -66 coopr-solve .
	run -66 coopr-solve --check . request
	run -66 bash -c 'coopr-solve <&-'
	run -64 coopr-solve --check - <request
	contains "$output" "only one of the answer and the request can be standard input"
}

@test "a layout that cannot be written is an error" {
	run -74 --separate-stderr bash -c 'coopr-solve request >/dev/full'
	contains "$stderr" "coopr-solve: "
}

@test "-v says on standard error how long it took" {
	run -0 --separate-stderr coopr-solve -v request
	contains "$stderr" "solved in "
}

@test "a name that ends with a digit is separated from the id; a cluster of an earlier version keeps its host names, also for new nodes" {
	changed '.cluster.name = "kv1"'
	coopr-solve changed >first
	same "kv1-42-1000 kv1-42-1001 kv1-42-1002" "$(jq -r 'select(.kind == "node").hostname | split(".")[0]' first | paste -sd' ')"
	coopr-solve --check first changed
	jq -c 'select(.kind == "node").hostname |= sub("kv1-42"; "kv142")' first >older
	jq --slurpfile layout older '.cluster.numMachines = 4 | .nodes = [$layout[] | select(.kind == "node")]' changed >more
	coopr-solve more >second
	same "kv142-1000 kv142-1001 kv142-1002 kv142-1003" "$(jq -r 'select(.kind == "node").hostname | split(".")[0]' second | paste -sd' ')"
	coopr-solve --check second more
}
