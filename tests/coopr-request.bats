#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0

load case
load examples

# A small catalogue in the folder c.
setup() {
	fresh
	mkdir -p c/{providers,hardwaretypes,imagetypes,services,clustertemplates,partialtemplates}
	echo '{"name":"p","providertype":"x"}' >c/providers/p.json
	echo '{"name":"q","providertype":"y"}' >c/providers/q.json
	for size in small large; do
		echo '{"name":"'$size'","providermap":{"p":{"flavor":"f"}}}' >c/hardwaretypes/$size.json
	done
	echo '{"name":"far","providermap":{"q":{"flavor":"f"}}}' >c/hardwaretypes/far.json
	echo '{"name":"i","providermap":{"p":{"image":"x"},"q":{"image":"y"}}}' >c/imagetypes/i.json
	for name in a b other; do
		echo '{"name":"'$name'"}' >c/services/$name.json
	done
	echo '{"name":"t","defaults":{"provider":"p","services":["a",{"name":"b","config":{"k":1}}],"config":{"b":{"j":2},"x.y":[1]},
		"dnsSuffix":"example.net"},"compatibility":{"hardwaretypes":["small","far"]},"extends":{"name":"parent"}}' >c/clustertemplates/t.json
	echo '{"name":"parent","includes":[{"name":"part"}]}' >c/clustertemplates/parent.json
	echo '{"name":"part","defaults":{"config":{"part":true}}}' >c/partialtemplates/part.json
	export COOPR_CATALOGUE=c
}

request() {
	coopr-request -t t --name shop "$@" >request.json
}

@test "a template and a name are wanted, and no operands" {
	run -64 coopr-request --name shop
	contains "$output" "option -t TEMPLATE is required"
	run -64 coopr-request -t t
	contains "$output" "option --name NAME is required"
	run -64 coopr-request -t t --name shop x
	contains "$output" "unexpected argument"
}

@test "the request is one canonical line, the same each time, and a valid document" {
	request
	same 1 "$(wc -l <request.json)"
	same "$(jq -cS . request.json)" "$(cat request.json)"
	same "$(cat request.json)" "$(coopr-request -t t --name shop)"
	coopr-validate request.json
	request -p
	same "$(coopr-request -t t --name shop)" "$(jq -cS . request.json)"
	[ "$(wc -l <request.json)" -gt 10 ]
}

@test "it holds what the cluster can be made of, and no more" {
	request
	same '["a","b"]' "$(jq -c '[.services[].name]' request.json)"
	same '["small"]' "$(jq -c '[.hardwaretypes[].name]' request.json)"
	same '["i"]' "$(jq -c '[.imagetypes[].name]' request.json)"
	same p "$(jq -r .provider.name request.json)"
	request -P q -s other -H large
	same '["other"]' "$(jq -c '[.services[].name]' request.json)"
	same '["far","large"]' "$(jq -c '[.hardwaretypes[].name]' request.json)"
	same '"large"' "$(jq -c .cluster.hardwaretype request.json)"
}

@test "what the template extends and includes is merged in" {
	request
	same '{"b":{"j":2,"k":1},"part":true,"x.y":[1]}' "$(jq -cS .cluster.config request.json)"
	same null "$(jq -c '.template.extends' request.json)"
	same example.net "$(jq -r .cluster.dnsSuffix request.json)"
}

@test "the cluster knows its catalogue by an absolute path" {
	request
	same "$(realpath c)" "$(jq -r .cluster.catalogue request.json)"
}

@test "the id is eight digits drawn from tenant and name, or what --id says" {
	request
	id=$(jq -r .cluster.id request.json)
	[[ $id =~ ^[0-9]{8}$ ]]
	request -n 7 -s a
	same "$id" "$(jq -r .cluster.id request.json)"
	request --tenant qa
	[ "$id" != "$(jq -r .cluster.id request.json)" ]
	COOPR_TENANT=qa coopr-request -t t --name shop | cmp - request.json
	request --id 00000042
	same 00000042 "$(jq -r .cluster.id request.json)"
}

@test "-n is a number or a range, or absent" {
	for case in '4 4' '2:8 {"max":8,"min":2}' '2: {"min":2}' ':8 {"max":8}' '3:3 3'; do
		request -n "${case% *}"
		same "${case#* }" "$(jq -cS .cluster.numMachines request.json)"
	done
	request
	same null "$(jq -c .cluster.numMachines request.json)"
	for wrong in 0 -1 x 4x 1.5 : 8:2 0:3 :0 1:2:3 99999999999999999999; do
		run -64 coopr-request -t t --name shop -n "$wrong"
		contains "$output" "expected a number from 1 on, or MIN:MAX"
	done
}

@test "services in place of the template's: lists and repeated options" {
	request -s other,a -s b -s a
	same '["a","b","other"]' "$(jq -c .cluster.services request.json)"
}

@test "--config replaces the config as a whole, --set changes one value" {
	echo '{"only":1}' >config.json
	request --config config.json
	same '{"only":1}' "$(jq -cS .cluster.config request.json)"
	request --config - <config.json
	same '{"only":1}' "$(jq -cS .cluster.config request.json)"
	request --set b.j=x --set /x.y/1='{"n":2}' --set new.deep.er=true
	same '{"b":{"j":"x","k":1},"new":{"deep":{"er":true}},"part":true,"x.y":[1,{"n":2}]}' "$(jq -cS .cluster.config request.json)"
	run -64 coopr-request -t t --name shop --set part.x=1
	contains "$output" 'part.x: there is no "x" in this boolean'
	run -64 coopr-request -t t --name shop --set part
	contains "$output" "part: expected PATH=VALUE"
	echo '[]' >config.json
	run -65 coopr-request -t t --name shop --config config.json
	contains "$output" "config.json: expected object, found array"
}

@test "--nodes takes the nodes that stay from a layout, and what they are made of" {
	printf '%s\n' '{"kind":"cluster","id":"1","name":"shop","provider":{"name":"p","providertype":"x"}}' \
		'{"kind":"node","id":"n0","nodenum":1000,"hostname":"n0","services":["other"],"was":null,"hardwaretype":"large"}' \
		'{"kind":"node","id":"n1","nodenum":1001,"hostname":"n1","services":null,"was":["a"]}' >layout.ndjson
	request --nodes layout.ndjson
	same '["n0"]' "$(jq -c '[.nodes[].id]' request.json)"
	same '["a","b","other"]' "$(jq -c '[.services[].name]' request.json)"
	same '["large","small"]' "$(jq -c '[.hardwaretypes[].name]' request.json)"
	echo '{"kind":"node","id":"n0","services":[]}' >layout.ndjson
	run -65 coopr-request -t t --name shop --nodes layout.ndjson
	contains "$output" "layout.ndjson: /nodes/0/nodenum: expected number, found nothing"
}

# A layout of three nodes, of which the last leaves.
layout_of_three() {
	printf '%s\n' '{"kind":"cluster","id":"00000042","name":"shop","nextNodenum":1007,"provider":{"name":"p","providertype":"x"}}' \
		'{"kind":"node","id":"n0","nodenum":1000,"hostname":"n0","services":["a"],"was":null,"hardwaretype":"large"}' \
		'{"kind":"node","id":"n1","nodenum":1001,"hostname":"n1","services":["b"],"was":null,"hardwaretype":"large"}' \
		'{"kind":"node","id":"n2","nodenum":1002,"hostname":"n2","services":null,"was":["a"]}'
}

@test "a cluster that stands already keeps its id, its number of machines, and gives no number again" {
	layout_of_three >layout.ndjson
	request --nodes layout.ndjson
	same '["00000042",2,1007]' "$(jq -c '.cluster | [.id, .numMachines, .nextNodenum]' request.json)"
	grep -v '"cluster"' layout.ndjson | request --nodes - -n 2:5 --id 7
	same '["7",{"max":5,"min":2},1003]' "$(jq -c '.cluster | [.id, .numMachines, .nextNodenum]' request.json)"
	coopr-validate request.json
}

@test "a cluster that stands already keeps its services where -s names no others" {
	layout_of_three | jq -c 'if .kind == "cluster" then .services = ["b"] else . end' >layout.ndjson
	request --nodes layout.ndjson
	same '["b"]' "$(jq -c .cluster.services request.json)"
	request --nodes layout.ndjson -s a
	same '["a"]' "$(jq -c .cluster.services request.json)"
}

@test "--replace names nodes that leave, each for a new one" {
	layout_of_three >layout.ndjson
	request --nodes layout.ndjson --replace n0 --replace n1
	same '["n0","n1"]' "$(jq -c .replace request.json)"
	coopr-validate request.json
	run -1 coopr-request -t t --name shop --nodes layout.ndjson --replace n2
	same 'coopr-request: layout.ndjson: there is no node "n2"' "$output"
	run -64 coopr-request -t t --name shop --replace n0
	contains "$output" "--replace needs --nodes FILE"
}

@test "a stream without a cluster or a node is no layout" {
	echo '{"kind":"unsatisfiable","conflict":[],"because":"so"}' >layout.ndjson
	run -65 coopr-request -t t --name shop --nodes layout.ndjson
	same "coopr-request: layout.ndjson: neither a cluster nor a node is in it" "$output"
}

@test "names the catalogue does not have give 1, and the nearest one is suggested" {
	run -1 coopr-request -t praent --name shop
	same 'coopr-request: there is no cluster template "praent"; did you mean "parent"?' "$output"
	run -1 coopr-request -t t --name shop -s othre
	same 'coopr-request: there is no service "othre"; did you mean "other"?' "$output"
	run -1 coopr-request -t t --name shop -P zzz
	same 'coopr-request: there is no provider "zzz"; there are p, q' "$output"
	run -1 coopr-request -t t --name shop -H smal
	same 'coopr-request: there is no hardware type "smal"; did you mean "small"?' "$output"
	run -1 coopr-request -t t --name shop -I j
	contains "$output" 'there is no image type "j"'
	run -1 coopr-request -t parent --name shop
	contains "$output" 'the template "parent" has no default provider'
}

@test "names that can be none are misuse" {
	for option in --name=a/b --tenant=.. --id=123456789012345678901234567890123 --dns-suffix=a..b -sa,,b; do
		run -64 coopr-request -t t --name shop "$option"
	done
	run -64 coopr-request -t t --name a/b
	contains "$output" "--name: expected 1 to 255 of the characters A-Z a-z 0-9 _ . -, found 'a/b'"
	run -64 coopr-request -t t --name shop --nodes - --config -
	contains "$output" "only one of --config and --nodes can be standard input"
}

@test "a malformed file matters only where it is missed" {
	echo '{"name":' >c/services/other.json
	run -0 --separate-stderr coopr-request -t t --name shop
	contains "$stderr" "c/services/other.json: line 2, column 1: the text ends inside a value"
	run -65 coopr-request -t t --name shop -s other
	contains "$output" 'the service "other" is left out, since its file is malformed'
}

@test "parts of a template that contradict one another give 65" {
	echo '{"name":"part","immutable":true,"defaults":{"config":{"b":true}}}' >c/partialtemplates/part.json
	run -65 coopr-request -t t --name shop
	same "coopr-request: clustertemplates/t.json: /defaults/config/b: the immutable partial template part sets it" "$output"
}

@test "a catalogue that is not there gives 66, output that cannot be written 74" {
	run -66 coopr-request -C nothing -t t --name shop
	run -74 bash -c "coopr-request -t t --name shop >/dev/full"
	contains "$output" "standard output"
}

@test "every published template makes a request that is a valid document" {
	need_shared data/coopr-templates
	for file in "$SHARED"/data/coopr-templates/clustertemplates/*.json; do
		name=$(basename "$file" .json)
		[ "$name" = coopr-standalone-docker ] || coopr-request -C "$SHARED/data/coopr-templates" -t "$name" --name x | coopr-validate -
	done
	run -1 coopr-request -C "$SHARED/data/coopr-templates" -t coopr-standalone-docker --name x
	contains "$output" 'there is no service "coopr-standalone"; did you mean "coopr-standalone-docker"?'
}

@test "the examples of the manual page work" {
	need_program jq
	unset COOPR_CATALOGUE
	[ -x "$COOPR_BIN/coopr-solve" ] || skip "needs coopr-solve"
	commands_of "$COOPR_ROOT/man/man1/coopr-request.1" >examples
	[ -s examples ]
	bash -euo pipefail examples
}

# The catalogue c, in the store of a tenant; no catalogue is named.
into_store() {
	coopr-store init
	coopr-store import c >/dev/null
	unset COOPR_CATALOGUE
}

@test "entities come from the tenant's store where no catalogue is named and it has any, else from the installation" {
	need_program jq
	into_store
	request
	same '["a","b"] ["p"] null' "$(jq -c '.cluster.services, [.provider.name], .cluster.catalogue' request.json | tr '\n' ' ' | sed 's/ $//')"
	run -1 coopr-request -t web -n 4 --name shop
	contains "$output" 'there is no cluster template "web"'
	coopr-request -C "$COOPR_ROOT/share/coopr/catalogue" -t web -n 4 --name shop >request.json
	COOPR_CATALOGUE=$COOPR_ROOT/share/coopr/catalogue coopr-request -t web -n 4 --name shop >again.json
	same "$(cat request.json)" "$(cat again.json)"
	COOPR_STORE=$PWD/none coopr-request -t web -n 4 --name shop >again.json
	same "$(cat request.json)" "$(cat again.json)"
	run -1 coopr-request --tenant nobody -t t --name shop
	contains "$output" 'no tenant named "nobody"'
}

@test "templates of the store are made of their parts as well, and what must not be set again is not" {
	need_program jq
	into_store
	request
	same "true null null" "$(jq -c '.template.defaults.config.part, .template.extends, .template.includes' request.json | tr '\n' ' ' | sed 's/ $//')"
	coopr-store get --resolved clustertemplate t >resolved.json
	same "$(jq -S .template request.json)" "$(jq -S . resolved.json)"

	echo '{"name":"part","immutable":true,"defaults":{"config":{"part":true,"x.y":[2]}}}' >part.json
	run -1 coopr-store put -k partialtemplate part.json
	contains "$output" "the immutable partial template part sets it"
	coopr-store put --force -k partialtemplate part.json >/dev/null 2>&1
	run -65 coopr-request -t t --name shop
	contains "$output" "/defaults/config/x.y: the immutable partial template part sets it"
	run -65 coopr-store get -r clustertemplate t
}

@test "a template of the store that extends itself is refused, through others as well" {
	into_store
	echo '{"name":"parent","extends":{"name":"t"}}' >parent.json
	run coopr-store put -k clustertemplate parent.json
	[ "$status" -ne 0 ]
	contains "$output" "extends itself"
	coopr-store put --force -k clustertemplate parent.json >/dev/null 2>&1
	run -65 coopr-request -t t --name shop
	contains "$output" "/extends: the template extends itself"
	run -65 coopr-store get -r clustertemplate t
	contains "$output" "/extends: the template extends itself"
	run -64 coopr-store get -r service a
	run -64 coopr-store get -r --revision 1 clustertemplate t
}

@test "a template without a provider, once all its parts are merged in, makes no request" {
	into_store
	run -1 coopr-request -t parent --name shop
	contains "$output" "provider"
}
