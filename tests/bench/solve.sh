#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# coopr-solve, the whole process: the published cases where ../shared is there, the families on which Coopr 0.9.9
# gave up (it needed over a minute at a tenth of these sizes), and large clusters.

# Programs for jq, not for the shell:
# shellcheck disable=SC2016

set -eu

# A request: generate SERVICES MACHINES CONSTRAINTS CANTCOEXIST, the last two as jq programs over $s, the services.
generate() {
	jq -n --argjson k "$1" --argjson n "$2" "[range(\$k) | \"s\\(. + 1000)\"] as \$s | {kind: \"request\",
	  cluster: {name: \"c\", numMachines: \$n, services: (\$s + [\"base\"])},
	  template: {name: \"t\", constraints: {services: ($3), layout: {cantcoexist: ($4)}}},
	  provider: {name: \"p\", providertype: \"dummy\"}, hardwaretypes: [{name: \"h\", providermap: {p: {flavor: \"f\"}}}],
	  imagetypes: [{name: \"i\", providermap: {p: {image: \"x\"}}}], services: (\$s + [\"base\"] | map({name: .}))}"
}

# each 'PROGRAM': that entry of constraints for each service, $i being its number.
each() {
	echo "[\$s | to_entries[] | .key as \$i | {(.value): ($1)}] | add"
}

time_it() {
	repeat -n "${TIMES:-20}" -i "$2" -l "$1" coopr-solve
}

for request in "$COOPR_SHARED"/corpus/*.request.json; do
	[ ! -e "$request" ] || time_it "$(basename "$request" .request.json)" "$request"
done

generate 180 100 "$(each '{quantities: {min: 1}}')" '[]' >f1
time_it "F1: 180 services, 100 machines" f1
generate 180 100 "$(each 'if $i < 90 then {quantities: {min: 1, max: 1}} else {quantities: {min: 2}} end')" \
	'[[$s[0], $s[90]]]' >f1b
time_it "F1b: 180 services, half once, one pair apart" f1b
generate 80 400 "$(each 'if $i == 1 then {quantities: {min: 100}} else {quantities: {min: 1}} end')" '[[$s[0], $s[1]]]' >f4
time_it "F4: deep search, min 100, 80 services" f4
generate 190 100 "$(each '{quantities: {min: 1, max: 1}}')" '[]' >f7
time_it "F7: 190 services, each once" f7
generate 40 10000 "$(each 'if $i < 20 then {quantities: {min: 1, max: 1}} else {quantities: {min: 2}} end')" \
	'[[$s[0], $s[20]]]' >wide
time_it "40 services on 10,000 machines" wide
coopr-solve <wide >layout
jq -s '.[0] as $r | .[1:] as $layout | $r | .cluster.services += ["x", "y", "z"] | .services += [{name: "x"}, {name: "y"}, {name: "z"}]
  | .nodes = ($layout | map(select(.kind == "node")))' wide layout >added
time_it "adding 3 services to these" added
jq -s '.[0] as $r | .[1:] as $layout | $r | .cluster.numMachines = 10010
  | .nodes = ($layout | map(select(.kind == "node")))' wide layout >expanded
time_it "adding 10 machines to these" expanded
jq '.template.constraints.services.s1000.quantities = {min: 3, max: 2}' wide >never
repeat -n 20 -l "the same, unsatisfiable, with its minimal conflict" sh -c 'coopr-solve never; [ $? -eq 1 ]'

jq -n '[range(60) | "s\(. + 100)"] as $s | [0.1, 0.5, 1, 2] as $cpu | [128, 512, 1024, 4096] as $memory | {kind: "request",
  cluster: {name: "c", numMachines: 50000, services: $s},
  template: {name: "t", constraints: {
   services: ([$s | to_entries[] | {(.value): {quantities: {min: [1, 2, 3, 500, 2500][.key * 7 % 5]}}}] | add),
   layout: {cantcoexist: [range(12) | select(. % 3 != 1) | [$s[. * 5 + 1], $s[. * 5 + 2]]],
    mutuallyexclusive: [range(12) | select(. % 3 == 1) | $s[. * 5: . * 5 + 3]],
    mustcoexist: [range(12) | select(. % 3 == 0) | [$s[. * 5], $s[. * 5 + 3]]]}}},
  provider: {name: "p", providertype: "dummy"},
  hardwaretypes: [range(6) | {name: "h\(.)", providermap: {p: {flavor: "f", capacity: {cpu: (4 * (. + 1)), memory: (8000 * (. + 1))}}}}],
  imagetypes: [{name: "i", providermap: {p: {image: "x"}}}],
  services: [$s | to_entries[] | {name: .value, consumes: {cpu: $cpu[.key * 13 % 4], memory: $memory[.key * 11 % 7 % 4]}}]}' >full
time_it "60 services in 12 groups, 6 types with capacities, 50,000 machines" full
