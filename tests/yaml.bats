#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# What people write may be YAML: catalogues, configurations and single documents; see coopr-catalogue(5). PyYAML is the judge.

load case
load examples

setup() {
	fresh
	catalogue=$COOPR_ROOT/share/coopr/catalogue
}

judge() {
	python3 "$COOPR_ROOT/tests/yaml-judge.py" "$@"
}

need_judge() {
	need_program python3 jq
	python3 -c 'import yaml' 2>/dev/null || skip "needs python3-yaml, which is not installed"
}

@test "values are read as another reader of YAML reads them" {
	need_judge
	for seed in ${YAML_SEEDS:-1 2}; do
		echo "seed $seed"
		judge generate "$seed" "${YAML_CASES:-300}"
		coopr-show -o json ./values.yaml | jq -cS . >found
		same "$(judge load values.yaml | jq -cS .)" "$(cat found)"
		same "$(judge read values.yaml | jq -cS .)" "$(cat found)"
	done
}

@test "what is printed as YAML is the same to a reader of YAML 1.1, and to ours" {
	need_judge
	for seed in ${YAML_SEEDS:-1 2}; do
		echo "seed $seed"
		judge generate "$seed" "${YAML_CASES:-300}"
		coopr-show -o json ./values.yaml >values.json
		coopr-show -o yaml ./values.json >printed.yaml
		same "$(jq -cS . values.json)" "$(judge load printed.yaml | jq -cS .)"
		same "$(cat values.json)" "$(coopr-show -o json ./printed.yaml)"
	done
}

@test "of texts that are nearly YAML none is read otherwise than another reader does, and all others are refused with their line" {
	need_judge
	mkdir soup
	for seed in ${YAML_SEEDS:-1}; do
		echo "seed $seed"
		judge soup "$seed" "${YAML_CASES:-100}"
		read=()
		: >found
		for file in soup/*; do
			if coopr-show -o json "$file" >>found 2>said; then
				read+=("$file")
			elif ! [[ $(<said) =~ ^coopr-show:\ $file:\ line\ [0-9]+,\ column\ [0-9]+:\  ]]; then
				cat "$file" said
				false
			fi
		done
		same "$(judge read "${read[@]}" | jq -cS .)" "$(jq -cS . found)"
		[ "${#read[@]}" -gt 0 ]
	done
}

@test "a catalogue of YAML says the same as one of JSON" {
	need_judge
	judge catalogue "$catalogue" mine
	run -0 coopr-validate mine
	same "" "$output"
	for template in lamp web; do
		coopr-request -C "$catalogue" -t "$template" -n 4 --name shop | jq -S 'del(.cluster.catalogue)' >wanted
		coopr-request -C mine -t "$template" -n 4 --name shop | jq -S 'del(.cluster.catalogue)' >found
		same "$(cat wanted)" "$(cat found)"
	done
	coopr-store init 2>log
	coopr-store import "$catalogue" 2>log
	run -0 --separate-stderr coopr-store import mine
	contains "$stderr" "0 changed"
}

@test "an entity, a configuration and a document may be YAML, also on standard input" {
	need_judge
	mkdir services
	printf 'name: echo\nprovisioner:\n  actions:\n    install: {type: dummy, fields: {}}\n' >services/echo.yml
	run -0 coopr-validate services/echo.yml
	coopr-store init 2>log
	coopr-store put services/echo.yml 2>log
	coopr-store get service echo | sed 's/"dummy"/"shell"/' | judge convert | coopr-store put -k service - 2>log
	same shell "$(coopr-store get service echo | jq -r .provisioner.actions.install.type)"
	printf -- '---\nkind: service\nname: one\n---\nkind: service\nname: two\n' | coopr-store import - 2>log
	contains "$(cat log)" "2 changed"
	printf 'php:\n  memory_limit: 64M\n' >config.yaml
	coopr-request -C "$catalogue" -t lamp -n 4 --name shop --config config.yaml >found
	coopr-request -C "$catalogue" -t lamp -n 4 --name shop --config <(echo '{"php":{"memory_limit":"64M"}}') >wanted
	same "$(cat wanted)" "$(cat found)"
	coopr-request -C "$catalogue" -t lamp -n 4 --name shop --config - <config.yaml >found
	same "$(cat wanted)" "$(cat found)"
}

@test "a problem is named by line and column, of a catalogue, too" {
	need_judge
	judge catalogue "$catalogue" mine
	cat >mine/services/nginx.yaml <<-'END'
		name: nginx
		dependencies:
		  install:
		    requires:
		      - bae
	END
	printf 'name: mysql\nprovisioner: 7\n' >mine/services/mysql.yaml
	printf 'name: php\nname: php\n' >mine/services/twice.yaml
	printf 'name: other\n' >mine/services/named.yaml
	run -65 coopr-validate mine
	contains "$output" "coopr-validate: mine/services/mysql.yaml: line 2, column 1: /provisioner: expected object, found number"
	contains "$output" "coopr-validate: mine/services/twice.yaml: line 2, column 1: the member \"name\" is there already, in line 1"
	rm mine/services/twice.yaml mine/services/mysql.yaml
	run -1 coopr-validate mine
	contains "$output" "coopr-validate: mine/services/nginx.yaml: line 5, column 9: /dependencies/install/requires/0: there is no service \"bae\""
	contains "$output" "coopr-validate: mine/services/named.yaml: line 1, column 1: /name: \"other\" is not the name of the file"
	run -65 coopr-validate -k service - <<-'END'
		name: x
		provisioner: 7
	END
	contains "$output" "coopr-validate: standard input: line 2, column 1: /provisioner: expected object, found number"
}

@test "a name ending says what a file is; JSON is refused and read as ever" {
	printf 'kind: service\nname: x\n' >x.json
	run -65 coopr-validate x.json
	contains "$output" "x.json: record 1: line 1, column 1: not a JSON value"
	printf '{"kind": "service", "name": "x", "provides": ["\\ud83d\\ude00",\t"\\/"]}' >x.yaml
	run -0 coopr-validate x.yaml
	run -0 coopr-validate - <x.yaml
	printf '{"kind": "service", "name": x}' >x.yaml
	run -0 coopr-validate x.yaml
	run -65 coopr-validate - <x.yaml
	contains "$output" "standard input: record 1: line 1, column 29: not a JSON value"
}

@test "the examples of the page work" {
	need_program jq
	page=$COOPR_ROOT/man/man5/coopr-yaml.5
	documents_of "$page"
	coopr-validate 1.yaml
	coopr-show -o json ./1.yaml >shop.json
	commands_of "$page" >examples
	[ "$(wc -l <examples)" -eq 3 ]
	while read -r line <&4; do
		run -0 bash -eu -c "$line"
	done 4<examples
	contains "$output" "store"
}

@test "the words that the page calls ambiguous are refused, and what it calls text is text" {
	need_program mandoc jq
	page=$(mandoc -T ascii -O width=1000 "$COOPR_ROOT/man/man5/coopr-yaml.5" | sed 's/.\x08//g')
	words=$(sed -n '/These words are refused/,/Dates, times/s/ *\(.*\)  .* or text$/\1/p' <<<"$page" | tr -d ' ' | tr , '\n')
	[ "$(wc -l <<<"$words")" -ge 15 ]
	while read -r word; do
		printf 'kind: value\nvalue: %s\n' "$word" >word.yaml
		run -65 coopr-show -o json ./word.yaml
		contains "$output" "line 2, column 8: $word is "
	done <<<"$words"
	words=$(sed -n 's/.*Dates, times, addresses and the like are text: \(.*\)\.$/\1/p' <<<"$page" | tr -d ' ' | tr , '\n')
	[ "$(wc -l <<<"$words")" -ge 4 ]
	while read -r word; do
		printf 'kind: value\nvalue: %s\n' "$word" >word.yaml
		same "\"$word\"" "$(coopr-show -o json ./word.yaml | jq .value)"
	done <<<"$words"
}

@test "what would grow is refused before it grows" {
	python3 -c 'print("a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join("%s: &%s [%s]\n" % (b, b, ",".join(["*" + a] * 9)) for a, b in zip("abcdefgh", "bcdefghi")))' >bomb.yaml
	run -65 coopr-validate bomb.yaml
	contains "$output" "bomb.yaml: line 1, column 4: the anchor &a is not supported"
	python3 -c 'print("[" * 1000000)' >deep.yaml
	run -65 timeout 60 coopr-validate deep.yaml
	contains "$output" "deep.yaml: line 1, column 129: more than 128 lists and mappings inside one another"
	python3 -c 'print("- " * 1000000)' >deep.yaml
	run -65 timeout 60 coopr-validate deep.yaml
	contains "$output" "more than 128 lists and mappings inside one another"
}
