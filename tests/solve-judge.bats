#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Answers of coopr-solve: judged, explained, and right in larger cases.

load case
load solve

# Judged wrong, each fault in a line: faulty REQUEST LAYOUT TEXT...
faulty() {
	local request=$1 layout=$2 text

	shift 2
	run -1 --separate-stderr coopr-solve --check "$layout" "$request"
	same "" "$output"
	for text; do
		contains "$stderr" "$text"
	done
}

@test "--check names the node, what is wrong, and the member of the request that it breaks" {
	coopr-solve request >layout
	coopr-solve --check layout request
	jq -c 'if .nodenum == 1001 then .services = ["master", "worker"] else . end' layout >wrong
	faulty request wrong "layout: 00000042-1001: lacks monitor, which stands on every node" \
		"layout: 00000042-1001: holds all of what cannot coexist (/template/constraints/layout/cantcoexist/0)" \
		"layout: cluster: master has 2 instances, but may have at most 1 (/template/constraints/services/master/quantities/max)"
	jq -c 'if .nodenum == 1000 then .hardwaretype = "small" else . end' layout >wrong
	faulty request wrong "master may not stand on its hardware type (/template/constraints/services/master/hardwaretypes)" \
		"its hardware type and flavor are not offered (/hardwaretypes)"
	head -n 3 layout >wrong
	faulty request wrong "2 nodes are not the number that is asked for (/cluster/numMachines)"
}

@test "--check computes anew what a layout says of itself" {
	coopr-solve request >layout
	for change in cost machines moves; do
		jq -c "if .solution then .solution.objective.$change += 1 else . end" layout >wrong
		faulty request wrong "layout: cluster: its solution says $change "
	done
	jq -c 'if .solution then .solution.bound = {"cost": 9} else . end' layout >wrong
	faulty request wrong "its cost is 1.5, below what is said to be its bound, 9"
	jq -c 'if .solution then .solution = {"status": 3} else . end' layout >wrong
	run -65 --separate-stderr coopr-solve --check wrong request
	contains "$stderr" "/solution/status"
}

@test "--check wants present nodes to be what they were, and nothing to move that need not" {
	coopr-solve request >before
	jq -s '.[0] as $r | .[1:] as $layout | $r | .cluster.services += ["idle"] | .cluster.numMachines = 4
	  | .nodes = ($layout | map(select(.kind == "node")))' request before >changed
	coopr-solve changed >layout
	coopr-solve --check layout changed
	for change in '.hostname = "x"' '.zone = "z"' '.image = "x"' '.was = ["master"]' '.was = null'; do
		jq -c "if .nodenum == 1001 then $change else . end" layout >wrong
		faulty changed wrong "layout: 00000042-1001: "
	done
	jq -c 'select(.nodenum != 1001)' layout >wrong
	faulty changed wrong "00000042-1001: is present, and the layout does not say what becomes of it (/nodes)"
	jq -c 'if .nodenum == 1001 then .services -= ["worker"] else . end' layout >wrong
	faulty changed wrong "00000042-1001: has lost worker, which is unaffected by the change (/nodes)"
	jq -c 'if .solution then .solution.objective.moves = 1 else . end' wrong >moved
	coopr-solve --allow-moves=1 --check moved changed
	jq -c 'if .nodenum == 1002 then .services -= ["worker"] else . end' moved >wrong
	run -1 --separate-stderr coopr-solve --allow-moves=1 --check wrong changed
	contains "$stderr" "2 placements of unaffected services change; at most 1 may"
}

@test "--check judges a conflict: that its members cannot hold together, and that each is needed" {
	changed '.cluster.services = ["master", "worker"] | .template.constraints.services.worker.quantities = {"max": 1}'
	coopr-solve changed >conflict || true
	coopr-solve --check conflict changed
	jq -c 'del(.conflict[1])' conflict >wrong
	faulty changed wrong "conflict: as a whole: it is not a conflict: a layout keeps all of its members"
	jq -c '.conflict += ["/template/constraints/layout/cantcoexist/0"]' conflict >wrong
	faulty changed wrong "conflict: /template/constraints/layout/cantcoexist/0: can be left out"
	jq -c '.conflict += ["/cluster/name"]' conflict >wrong
	faulty changed wrong "conflict: /cluster/name: points at nothing that the request demands"
	jq -c '.minimal = false | .conflict += ["/template/constraints/layout/cantcoexist/0"]' conflict >wide
	coopr-solve --check wide changed
}

# N services that take two resources, one of them by 2 more than MACHINES machines of the larger of two types hold.
scarce() { # N MACHINES >REQUEST
	jq -n "[range($1)] as \$all | (\$all | map(9 + . % 7) | add) as \$sum | {kind: \"request\", provider: {name: \"p\", providertype: \"dummy\"},
	  cluster: {name: \"c\", services: (\$all | map(\"s\(.)\"))},
	  services: (\$all | map({name: \"s\(.)\", consumes: {cpu: (9 + . % 7), memory: (3 + . * 5 % 8)}})),
	  template: {name: \"t\", constraints: {size: {max: $2}, services: (\$all | map({\"s\(.)\": {quantities: {max: 1}}}) | add)}},
	  hardwaretypes: [{name: \"small\", providermap: {p: {flavor: \"f\", capacity: {cpu: 30, memory: 900}}}},
	    {name: \"large\", providermap: {p: {flavor: \"f\", capacity: {cpu: ((\$sum - 2) / $2 | floor), memory: 2000}}}}],
	  imagetypes: [{name: \"i\", providermap: {p: {image: \"x\"}}}]}"
}

@test "--check proves by sums that there is too little room, and shows of members that are alike with one layout that each is needed" {
	scarce 120 4 >request
	run -1 coopr-solve request
	echo "$output" >conflict
	same '[null,true]' "$(jq -c '[.minimal, (.conflict | length > 200)]' conflict)"
	coopr-solve --node-limit 3000 --check conflict request
	jq -c '.conflict += ["/template/constraints/services/s0/quantities/max"]' conflict >wide
	run -1 --separate-stderr coopr-solve --check wide request
	same "coopr-solve: conflict: /template/constraints/services/s0/quantities/max: can be left out: the other members cannot hold together either" "$stderr"
	jq -c '.conflict |= map(select(. != "/services/6/consumes"))' conflict >wrong
	run ! coopr-solve --node-limit 3000 --check wrong request
}

@test "--check of a conflict that need not be minimal wants nothing but that its members cannot hold together" {
	scarce 60 3 >request
	run -1 coopr-solve --node-limit 1 request
	jq -c '.minimal = false | .conflict = ["/services/0/consumes", .conflict[]] | .conflict |= unique' <<<"$output" >conflict
	coopr-solve --node-limit 1 --check conflict request
}

@test "what --check cannot prove within its limit is said, and is not called wrong" {
	scarce 120 4 >most
	jq '.cluster.instances = {"s0": 2} | .template.constraints.services.s0.quantities.max = 2
	  | .hardwaretypes[1].providermap.p.capacity.cpu += 2' most >request
	coopr-solve request >conflict || true
	jq -e '.minimal == null and any(.conflict[]; startswith("/cluster/instances"))' conflict
	coopr-solve --check conflict request
	run -75 --separate-stderr coopr-solve --node-limit 1 --check conflict request
	same "" "$output"
	contains "$stderr" "conflict: it was not proved of "
	contains "$stderr" " that they are needed; raise --node-limit, or give --time-limit"
	run -75 --separate-stderr coopr-solve -v --node-limit 1 --check conflict request
	contains "$stderr" "conflict: /template/constraints/size/max: it was not proved that it is needed"
}

@test "-v says of a conflict what becomes of the request without each of its members" {
	changed '.cluster.services = ["master", "worker"] | .template.constraints.services.worker.quantities = {"max": 1}'
	coopr-solve changed >conflict || true
	run -0 --separate-stderr coopr-solve -v --check conflict changed
	contains "$stderr" "conflict: /cluster/numMachines: without it, the request has a layout"
	same 3 "${#stderr_lines[@]}"
}

@test "--check finds the reasons anew why services do not go together" {
	changed '.services[0].dependencies = {"conflicts": ["worker"]}'
	coopr-solve changed >conflict || true
	coopr-solve --check conflict changed
	jq -c '.conflict = .conflict[:1]' conflict >wrong
	faulty changed wrong "conflict: as a whole: it is not the reason; the reason is: "
}

@test "--explain: no layout has it otherwise, and the rules that say so are listed" {
	run -0 coopr-solve --explain 1000 worker request
	same "worker does not stand on 00000042-1000, large with rocky; there: master, monitor.
It cannot: no layout has it on one more machine like this one.
  master and worker may not stand on one machine (/template/constraints/layout/cantcoexist/0)
If only this were otherwise:
  00000042-1000: holds all of what cannot coexist (/template/constraints/layout/cantcoexist/0)" "$output"
	run -0 coopr-solve --explain 00000042-1000 monitor request
	contains "$output" "It has to: no rule names it, and such services stand on every new node."
}

@test "--explain: the rules want as many instances, and they could stand elsewhere" {
	changed '.cluster.services += ["idle"] | .template.constraints.services.idle.quantities = {"min": 2, "max": 2}'
	coopr-solve --explain 1000 idle -o json changed >record
	same '["needed",true,["/template/constraints/services/idle/quantities/min"]]' "$(jq -c '[.verdict, .stands, .rules]' record)"
}

@test "--explain: what the best layout that has it otherwise would cost more" {
	changed '.template.objective = ["cost"] | .cluster.services = ["master", "worker"]'
	coopr-solve changed >layout
	same small "$(jq -r 'select(.nodenum == 1002) | .hardwaretype' layout)"
	jq -c 'if .nodenum == 1002 then .hardwaretype = "large" | .flavor = "f.large" else . end
	  | if .solution then .solution.objective.cost = 1.087 else . end' layout >dear
	coopr-solve --check dear changed
	run -0 coopr-solve --explain 1001 master --check layout changed
	contains "$output" "master does not stand on 00000042-1001, small"
	contains "$output" "master may only stand on hardware large (/template/constraints/services/master/hardwaretypes)"
	changed '.template = {"name": "t", "objective": ["machines"], "constraints": {"size": {"max": 5},
	  "services": {"a": {}, "b": {"quantities": {"min": 2}}}}} | .cluster = {"name": "c", "services": ["a", "b"]}
	  | .services = [{"name": "a", "consumes": {"cpu": 1}}, {"name": "b", "consumes": {"cpu": 1}}]
	  | .hardwaretypes = [{"name": "h", "providermap": {"p": {"flavor": "f", "cost": 1, "capacity": {"cpu": 2}}}}]'
	coopr-solve --explain 1000 b -o json changed >record
	same '["needed","b needs at least 2 instances"]' "$(jq -c '[.verdict, .words[0]]' record)"
	changed '.template = {"name": "t", "objective": ["cost"], "constraints": {"services": {"a": {}, "b": {}}}}
	  | .cluster = {"name": "c", "services": ["a", "b"], "numMachines": {"min": 1, "max": 3}}
	  | .services = [{"name": "a"}, {"name": "b"}]'
	run -0 coopr-solve --explain 1000 a changed
	contains "$output" "a stands on 00000001-1000, small with rocky; there: b."
	contains "$output" "Some machine has to have it: there cannot be an instance less, but it could stand elsewhere; otherwise the layout costs 0.087 more"
	contains "$output" "  cost: 0.087, otherwise 0.174"
}

@test "--explain: there is no such node, or no such service" {
	run -1 --separate-stderr coopr-solve --explain 1009 worker request
	contains "$stderr" "layout: no node \"1009\""
	run -1 --separate-stderr coopr-solve --explain 1000 nothing request
	contains "$stderr" 'no service "nothing" is defined'
	run -0 coopr-solve --explain 1000 idle request
	contains "$output" "It cannot: it is not asked for (/cluster/services)."
	changed '.cluster.numMachines = 1'
	run -1 --separate-stderr coopr-solve --explain 1000 worker changed
	contains "$stderr" "no layout satisfies the request: "
	run -64 coopr-solve --explain 1000
	run -64 coopr-solve -o table request
	coopr-solve request >records
	coopr-solve -o json request | diff records -
	run -64 coopr-solve --explain 1000 worker -o xml request
}

@test "larger cases of the published kinds: wordpress with up to 12 instances and 500 offers" {
	need_shared corpus/wordpress-n3-o20.request.json
	for case in 7:15 8:19 10:23 11:25 12:26; do
		jq --argjson n "${case%:*}" '.template.constraints.services.wordpress.quantities.min = $n' \
			"$SHARED/corpus/wordpress-n3-o20.request.json" >large
		coopr-solve large >layout
		coopr-solve --check layout large
		same "[\"optimal\",${case#*:}]" "$(head -n 1 layout | jq -c '.solution | [.status, .objective.machines]')"
	done
	cost=$(head -n 1 layout | jq .solution.objective.cost)
	# offers that are the same but dearer change nothing
	jq '.hardwaretypes = [range(25) as $k | .hardwaretypes[] | .name += "-\($k)" | .providermap.cloud.cost += 7 * $k]' large >many
	coopr-solve many >layout
	coopr-solve --check layout many
	same "$cost" "$(head -n 1 layout | jq .solution.objective.cost)"
}

# The memory that all instances take, in machines, rounded up.
machines_needed() {
	jq '. as $r | [.template.constraints.services | to_entries[] | .key as $s | .value.quantities.min *
	  ([$r.services[] | select(.name == $s) | .consumes.memory] | first)] | add / 2048 | ceil' "$1"
}

@test "larger cases of the published kinds: openstack with two and three times as many instances" {
	need_shared corpus/openstack-redundant-big.request.json
	for times in 2 3; do
		jq --argjson k $times '.template.constraints.services[].quantities |= {min: (.min * $k), max: (.max * $k)}
		  | .template.constraints.size.max = 40 | .hardwaretypes[0].providermap.rack.available = 40' \
			"$SHARED/corpus/openstack-redundant-big.request.json" >large
		coopr-solve large >layout
		coopr-solve --check layout large
		same "[\"optimal\",$(machines_needed large)]" "$(head -n 1 layout | jq -c '.solution | [.status, .objective.machines]')"
	done
}

@test "larger cases of the published kinds: 40 masters and workers on 10000 machines" {
	jq -n '[range(40) | "s\(100 + .)"] as $s | {kind: "request", cluster: {name: "c", numMachines: 10000, services: ($s + ["base"])},
	  template: {name: "t", constraints: {layout: {cantcoexist: [["s100", "s139"]]},
	   services: ([range(40) | {("s\(100 + .)"): {quantities: (if . < 20 then {min: 1, max: 1} else {min: 2} end)}}] | add)}},
	  provider: {name: "p", providertype: "dummy"}, hardwaretypes: [{name: "h", providermap: {p: {flavor: "f"}}}],
	  imagetypes: [{name: "i", providermap: {p: {image: "x"}}}], services: ($s + ["base"] | map({name: .}))}' >large
	coopr-solve large >layout
	coopr-solve --check layout large
	# one machine has all masters, and all but one of the pair; all others have the workers
	same "1 40 9999 21" "$(jq 'select(.kind == "node") | .services | length' layout | uniq -c | xargs)"
}
