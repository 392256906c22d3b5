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
	for kind in provider hardwaretype imagetype service clustertemplate partialtemplate tenant request cluster node job task \
		milestone result event expectation unsatisfiable solution take limits clusterspec savedplan seal; do
		jq -e '.title and .description and ."$id" == "'$kind'.json"' "$COOPR_ROOT/share/coopr/schema/$kind.json"
	done
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
		rm -f -- *.*
		documents_of "$page"
		for file in *.*; do
			case $file in
			*.records)
				jq -c . "$file" | while read -r record; do
					printf '%s' "$record" >record
					agree --as-is "$(jq -r .kind record)" record
				done
				;;
			*.yaml) ;; # the schemas are for JSON
			*) agree --as-is "${file#*.}" "$file" ;;
			esac
		done
	done
}
