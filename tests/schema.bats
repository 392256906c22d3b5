#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# The JSON Schemas say the same as the parsers.

load case
load examples

need_jsonschema() {
	python3 -c 'import jsonschema' 2>/dev/null || skip "needs python3-jsonschema, which is not installed"
}

agree() {
	python3 "$COOPR_ROOT/tests/schema/agree.py" "$@"
}

@test "every kind of document has a schema that says what it is" {
	cd "$COOPR_ROOT/share/coopr/schema"
	jq -r 'select(.title and .description and ."$id" == input_filename | not) | input_filename' \
		{provider,hardwaretype,imagetype,service,clustertemplate,partialtemplate,tenant,request,cluster,node,job,task}.json \
		{milestone,result,event,expectation,unsatisfiable,solution,take,limits,clusterspec,savedplan,seal}.json >"$BATS_TEST_TMPDIR/wrong"
	same "" "$(cat "$BATS_TEST_TMPDIR/wrong")"
}

@test "schema and parser agree on a document of each kind, and on thousands that are nearly such" {
	need_jsonschema
	for file in "$COOPR_ROOT"/tests/schema/*.json; do
		agree "$(basename "$file" .json)" "$file"
	done
}

@test "schema and parser agree on the published templates" {
	need_jsonschema
	need_shared data/coopr-templates
	for folder in providers hardwaretypes imagetypes services clustertemplates; do
		agree --as-is "${folder%s}" "$SHARED/data/coopr-templates/$folder"/*.json
	done
}

@test "schema and parser agree on the catalogue that comes with it" {
	need_jsonschema
	for folder in providers hardwaretypes imagetypes services clustertemplates partialtemplates; do
		files=("$COOPR_ROOT/share/coopr/catalogue/$folder"/*.json)
		[ ! -e "${files[0]}" ] || agree --as-is "${folder%s}" "${files[@]}"
	done
}

@test "schema and parser agree on what coopr-request prints" {
	need_jsonschema
	coopr-request -t web -n 4 --name shop >request.json
	agree --as-is request request.json
}

@test "the documents in the manual pages are what they are said to be" {
	for page in "$COOPR_ROOT"/man/man5/coopr-{catalogue,clusterspec,request,layout,plan,result,event,yaml}.5; do
		rm -f -- *.*
		documents_of "$page"
		for file in *.*; do
			case $file in
			*.records | *.yaml) coopr-validate "$file" ;;
			*) coopr-validate -k "${file#*.}" "$file" ;;
			esac
		done
	done
}

@test "and so their schemas say" {
	need_jsonschema
	for page in "$COOPR_ROOT"/man/man5/coopr-{catalogue,clusterspec,request,layout,plan,result,event}.5; do
		mkdir "${page##*/}"
		(cd "${page##*/}" && documents_of "$page")
	done
	rm ./*/*.yaml # the schemas are for JSON
	mkdir records
	jq -r '"\(.kind) \(tojson)"' ./*/*.records | while read -r kind record; do
		number=$((number + 1))
		printf '%s' "$record" >"records/$number.$kind"
	done
	rm ./*/*.records
	# All of a kind at once, as the judge takes longer to start than for a document.
	mapfile -t kinds < <(find . -name '[0-9]*.*' | sed 's/.*\.//' | sort -u)
	[ "${#kinds[@]}" -gt 10 ]
	for kind in "${kinds[@]}"; do
		agree --as-is "$kind" ./*/[0-9]*."$kind"
	done
}
