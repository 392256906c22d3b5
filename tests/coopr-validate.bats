#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0

load case
load examples

# Runs coopr-validate; what it says goes to the file said, without the name of the program.
validate() {
	local code=0

	coopr-validate "$@" 2>err || code=$?
	sed 's/^coopr-validate: //' err >said
	return $code
}

# One clear line, exit code 65.
refused() {
	[ "$status" -eq 65 ] || { echo "exit code $status: $output"; return 1; }
	[ "${#lines[@]}" -eq 1 ] || { echo "says: $output"; return 1; }
	contains "$output" "$1"
}

@test "without an operand, or with a kind that is none, it is misuse" {
	run -64 coopr-validate
	contains "$output" "missing argument DIR|FILE"
	run -64 coopr-validate -k sevrice x
	contains "$output" "did you mean 'service'?"
}

@test "what cannot be read gives 66" {
	run -66 coopr-validate nothing.json
	contains "$output" "nothing.json: No such file or directory"
	mkdir empty
	run -66 coopr-validate empty
	contains "$output" "empty: no catalogue: it has none of the folders providers, hardwaretypes"
}

@test "nothing wrong: 0, nothing said; -v says what was found" {
	run -0 coopr-validate "$COOPR_ROOT/share/coopr/catalogue"
	same "" "$output"
	run -0 coopr-validate -v "$COOPR_ROOT/share/coopr/catalogue"
	[[ $output =~ [0-9]+\ services,\ [0-9]+\ clustertemplates,\ [0-9]+\ partialtemplates\;\ 0\ errors ]]
	coopr-request -t web --name shop --set shop.database.password=open-sesame >request.json
	run -0 coopr-validate -v request.json
	contains "${lines[0]}" "/cluster/config/shop/database/password: warning: a password or key in clear"
	same "coopr-validate: request.json: 1 document, nothing wrong" "${lines[1]}"
}

@test "all 92 published files load, what is wrong in them is said, and nothing else" {
	need_shared data/coopr-templates
	code=0
	validate "$SHARED/data/coopr-templates/" || code=$?
	[ "$code" -eq 1 ]
	sed -i "s,$SHARED/data/coopr-templates/,," said
	same "$(cat <<-'END'
		clustertemplates/cdap-singlenode.json: /compatibility/services/2: there is no service "hadoop-hdfs-secondarynamenode"
		clustertemplates/coopr-standalone-docker.json: /links/0/url: %ip.access_v4.service.coopr%: there is no service "coopr"
		clustertemplates/coopr-standalone-docker.json: /compatibility/services/0: there is no service "coopr-standalone"; did you mean "coopr-standalone-docker"?
		clustertemplates/coopr-standalone-docker.json: /defaults/services/0: there is no service "coopr-standalone"; did you mean "coopr-standalone-docker"?
		clustertemplates/docker-base.json: /compatibility/imagetypes/2: there is no image type "ubuntu16"; did you mean "ubuntu12"?
		clustertemplates/docker-base.json: /defaults/imagetype: "centos6" is not among the compatible image types
		: warning: 37 services have no action status, so that nothing waits until they are healthy (show them with -v)
	END
	)" "$(cat said)"
}

@test "-v shows the warnings about them, --pedantic counts these" {
	need_shared data/coopr-templates
	validate -v "$SHARED/data/coopr-templates" || true
	same '' "$(grep -o 'there is no [pa][a-z]* "[^"]*" in the folders' said | cut -d '"' -f 2 | uniq | tr '\n' ' ' | sed 's/ $//')"
	same 37 "$(grep -c 'there is no action status' said)"
	grep -v -e 'in the folders of COOPR_PLUGINS' -e 'there is no action status' -e 'in clear;' said | grep -o '[a-z]*/[^/]*.json: .*warning: .*' | same "$(cat <<-'END'
		services/cdap-sandbox-docker.json: /dependencies/conflicts/1: warning: there is no service "cdap-standalone-docker"; did you mean "coopr-standalone-docker"?
		services/coopr-standalone-docker.json: /dependencies/conflicts/0: warning: there is no service "coopr"; did you mean "coopr-standalone-docker"?
		services/hadoop-hdfs-datanode.json: /dependencies/runtime/uses/0: warning: there is no service "hadoop-hdfs-secondarynamenode"
		clustertemplates/cdap-distributed.json: /constraints/layout/mustcoexist/1/9: warning: "mysql-server" stands in this set before already
		clustertemplates/dcos-single-master.json: /constraints/layout/cantcoexist/0: warning: this forbids only all 3 on one node; mutuallyexclusive forbids any two of them
	END
	)" "$(cat)"
	contains "$(tail -1 said)" "8 providers, 5 hardwaretypes, 11 imagetypes, 53 services, 15 clustertemplates, 0 partialtemplates; 6 errors, 58 warnings"
	same 16 "$(grep -c "a password or key in clear" said)"
	mkdir -p warnings/services
	echo '{"name":"a","dependencies":{"install":{"uses":["b"]}}}' >warnings/services/a.json
	run -0 coopr-validate warnings
	run -1 coopr-validate --pedantic warnings
}

@test "a misspelt member or plugin is a warning that is always shown; other members are people's own" {
	mkdir -p typing/services typing/providers
	echo '{"name":"a","provisoner":{},"depends":7,"dependencies":{"runtime":{"requries":["b"]}},"our_team":"web"}' >typing/services/a.json
	echo '{"name":"b","provisioner":{"actions":{"start":{"type":"dumy","feilds":{}},"stop":{"type":"dumy"}}}}' >typing/services/b.json
	echo '{"name":"p","providertype":"sandbax"}' >typing/providers/p.json
	run -0 coopr-validate typing
	contains "$output" 'services/a.json: /provisoner: warning: nothing reads this member; did you mean "provisioner"?'
	contains "$output" 'services/a.json: /dependencies/runtime/requries: warning: nothing reads this member; did you mean "requires"?'
	contains "$output" 'services/b.json: /provisioner/actions/start/feilds: warning: nothing reads this member; did you mean "fields"?'
	contains "$output" '/provisioner/actions/start/type: warning: there is no automator "dumy"'
	contains "$output" 'providers/p.json: /providertype: warning: there is no provider "sandbax"'
	same "0 1 2" "$(grep -c our_team <<<"$output") $(grep -c '"dumy"' <<<"$output") $(grep -c 'did you mean [ds]' <<<"$output")"
	run -1 coopr-validate --pedantic typing
	run -0 coopr-validate typing/services/a.json
	contains "$output" 'typing/services/a.json: /provisoner: warning: nothing reads this member'
}

@test "a malformed file is the only cause that is named, and a name that is taken names the other file" {
	cp -R "$COOPR_ROOT/share/coopr/catalogue" broken
	echo '{' >broken/services/apache.json
	run -65 coopr-validate broken
	same "coopr-validate: broken/services/apache.json: line 2, column 1: the text ends inside a value" "$output"
	run -65 --separate-stderr coopr-request -C broken -t lamp --name c
	contains "$stderr" 'broken/services/apache.json: line 2, column 1'
	cp "$COOPR_ROOT/share/coopr/catalogue/services/apache.json" broken/services
	cp broken/services/apache.json broken/services/other.json
	run -1 coopr-validate broken
	contains "$output" "services/other.json: the whole document: the name is that of services/apache.json already; this file is left out"
}

@test "a catalogue with a malformed file gives 65, and the others are checked all the same" {
	mkdir -p bad/services
	echo '{"name":"a","dependencies":7}' >bad/services/a.json
	echo '{"name":"b"' >bad/services/b.json
	echo '{"name":"c","dependencies":{"install":{"requires":["d"]}}}' >bad/services/c.json
	run -65 coopr-validate bad
	contains "$output" "bad/services/a.json: /dependencies: expected object, found number"
	contains "$output" "bad/services/b.json: line 2, column 1: the text ends inside a value"
	contains "$output" 'bad/services/c.json: /dependencies/install/requires/0: there is no service "d"'
}

@test "what has the name of a file of a catalogue and cannot be read is not passed over" {
	mkdir -p odd/providers odd/services odd/imagetypes/dir.json
	ln -s nowhere odd/services/dead.json
	ln -s loop.json odd/services/loop.json
	mkfifo odd/services/fifo.json
	echo '{"name":"real"}' >real.json
	ln -s ../../real.json odd/services/real.json
	touch odd/hardwaretypes odd/services/notes.txt odd/services/.hidden.json
	run -65 coopr-validate odd
	same "coopr-validate: odd/hardwaretypes: the whole document: Not a directory
coopr-validate: odd/imagetypes/dir.json: the whole document: it is not a regular file
coopr-validate: odd/services/dead.json: the whole document: No such file or directory
coopr-validate: odd/services/fifo.json: the whole document: it is not a regular file
coopr-validate: odd/services/loop.json: the whole document: Too many levels of symbolic links" "$output"
}

@test "the kind of a file is what --kind says, or its folder, or what it says itself" {
	mkdir services
	echo '{"name":7}' >services/x.json
	cp services/x.json x.json
	for arguments in services/x.json "-k service x.json"; do
		# shellcheck disable=SC2086
		run -65 coopr-validate $arguments
		contains "$output" "x.json: /name: expected string, found number"
	done
	run -65 coopr-validate x.json
	contains "$output" "/kind: expected a string that names the kind of record"
	echo '{"kind":"service","name":7}' >x.json
	run -65 coopr-validate x.json
	contains "$output" "x.json: /name: expected string, found number"
	echo '{"kind":"unheard-of"}' >x.json
	run -65 coopr-validate x.json
	contains "$output" 'x.json: /kind: "unheard-of" is not a kind of document'
}

@test "all that is wrong with the records of a stream is said, the number of the record first" {
	printf '%s\n' '{"kind":"cluster","id":"1","name":"c","provider":{"name":"p"}}' \
		'{"kind":"node","id":"n","nodenum":1000,"hostname":"n","services":[]}' '{"kind":"node","services":[1]}' >layout.ndjson
	code=0
	validate - <layout.ndjson || code=$?
	[ "$code" -eq 65 ]
	same "$(cat <<-'END'
		standard input: /0/provider/providertype: expected string, found nothing
		standard input: /2/hostname: expected string, found nothing
		standard input: /2/id: expected string, found nothing
		standard input: /2/nodenum: expected number, found nothing
		standard input: /2/services/0: expected string, found number
	END
	)" "$(cat said)"
}

@test "of several operands the worst counts" {
	echo '{"kind":"result","status":0}' >good
	echo '{"kind":"result"}' >bad
	run -65 coopr-validate good bad
	run -65 coopr-validate bad nothing good
	run -66 coopr-validate good nothing
}

@test "hostile input gives 65, one clear line, little memory" {
	run bash -c "printf '%0100000d' 0 | tr 0 '[' | coopr-validate -"
	refused "more than 128 arrays and objects inside one another"
	run bash -c "little; head -c 1000000000 /dev/zero | tr '\0' '[' | coopr-validate -"
	refused "more than 128 arrays and objects inside one another"
	run bash -c "little; head -c 1000000000 /dev/zero | tr '\0' '[' | coopr-validate -k service -"
	refused "more than 128 arrays and objects inside one another"
	for value in '{}' '[]' '{"x":1}'; do
		run bash -c "little; { printf '{\"kind\":\"result\",\"x\":['; yes '$value,' | head -c 60000000 | tr -d '\n'; } | coopr-validate -"
		refused "too many small values"
	done
	run bash -c "printf '{\"kind\":\"result\",\"status\":0,\"x\":\"a\0b\"}' | coopr-validate -"
	refused "standard input: record 1: line 1"
	run bash -c "printf '{\"kind\":\"result\",\"status\":0,\"x\":\"\xff\"}' | coopr-validate -"
	refused "standard input: record 1: line 1"
	run bash -c "printf '{\"kind\":\"result\",\"status\":1e999}' | coopr-validate -"
	refused "standard input: record 1: line 1"
	run bash -c "printf '{\"kind\":\"result\",\"status\":12345678901234567890}' | coopr-validate -"
	refused "standard input: record 1: line 1"
	run bash -c "printf '{\"kind\":\"result\",\"status\":0,\"status\":1}' | coopr-validate -"
	refused "status"
	run bash -c "printf '{\"kind\":\"result\",\"status\":0' | coopr-validate -"
	refused "the text ends inside a value"
	run bash -c "printf '' | coopr-validate -"
	refused "standard input: the file is empty"
	run bash -c "printf 'hello' | coopr-validate -k service -"
	refused "standard input: line 1, column 1"
}

@test "the examples of the manual page work" {
	need_program jq
	commands_of "$COOPR_ROOT/man/man1/coopr-validate.1" >examples
	[ -s examples ]
	bash -euo pipefail examples
}

@test "a local that is no need of the service is a warning" {
	mkdir -p warnings/services
	echo '{"name":"b"}' >warnings/services/b.json
	echo '{"name":"a","dependencies":{"install":{"local":["b"]},"runtime":{"uses":["b"],"local":["b"]}}}' >warnings/services/a.json
	coopr-validate -v warnings 2>said
	grep warning: said | same "$(cat -)" "coopr-validate: warnings/services/a.json: /dependencies/install/local/0: warning: \"b\" is neither in requires nor in uses, so this says nothing"
}

@test "services that are started and cannot be asked whether they are healthy: one line, or with -v each" {
	mkdir -p asked/services
	for name in one two three; do
		jq -n --arg name $name '{name: $name, provisioner: {actions: {start: {type: "shell", fields: {script: "/bin/true"}}}}}' >asked/services/$name.json
	done
	jq '.provisioner.actions.status = .provisioner.actions.start' asked/services/one.json >new
	mv new asked/services/one.json
	echo '{"name":"jdk","provisioner":{"actions":{"install":{"type":"shell","fields":{"script":"/bin/true"}}}}}' >asked/services/jdk.json
	run -0 coopr-validate asked
	same "coopr-validate: asked: warning: 2 services have no action status, so that nothing waits until they are healthy (show them with -v)" "$output"
	run -0 coopr-validate -v asked
	same "three.json two.json" "$(grep -o '[a-z]*\.json: /provisioner/actions: warning: there is no action status' <<<"$output" | sed 's/:.*//' | sort | paste -sd' ')"
	rm asked/services/t*.json
	run -0 coopr-validate asked
	same "" "$output"
}

# A catalogue with one service, whose actions are given.
one_service() { # ACTIONS
	mkdir -p one/services one/scripts
	echo "{\"name\": \"a\", \"provisioner\": {\"actions\": $1}}" >one/services/a.json
}

@test "a script that is not there is an error, in a catalogue and in a service alone, each named once" {
	one_service '{"install": {"type": "shell", "fields": {"script": "gone.sh"}}, "stop": {"type": "shell", "fields": {"script": "gone.sh"}}}'
	run -1 coopr-validate one
	[ "${#lines[@]}" -eq 1 ]
	contains "$output" 'one/services/a.json: /provisioner/actions/install/fields/script: "gone.sh" is neither in one/scripts nor in'
	run -1 coopr-validate one/services/a.json
	contains "$output" '"gone.sh" is neither in one/scripts nor in'
	echo 'exit 0' >one/scripts/gone.sh
	run -0 coopr-validate one one/services/a.json
	same "" "$output"
}

@test "a script that its shell does not understand is an error; that of another interpreter is not asked" {
	one_service '{"install": {"type": "shell", "fields": {"script": "bad.sh", "files": "data/x"}}}'
	printf '#!/bin/sh\nif true; then\n' >one/scripts/bad.sh
	run -1 coopr-validate one
	contains "$output" "/provisioner/actions/install/fields/script: one/scripts/bad.sh: sh -n: "
	contains "$output" '/provisioner/actions/install/fields/files: "data/x" is neither in'
	printf '#!/usr/bin/env python3\nif True:\n\tpass\n' >one/scripts/bad.sh
	mkdir one/scripts/data
	touch one/scripts/data/x
	run -0 coopr-validate one
	same "" "$output"
}

@test "a field that its plugin does not know is a warning, one that it requires an error" {
	one_service '{"install": {"type": "shell", "fields": {"skript": "x.sh"}}, "start": {"type": "dummy", "fields": {"mood": "1"}}}'
	run -1 coopr-validate one
	contains "$output" '/provisioner/actions/install/fields: automator "shell" requires the field "script"'
	contains "$output" '/provisioner/actions/install/fields/skript: warning: automator "shell" has no field "skript"; did you mean "script"?'
	contains "$output" '/provisioner/actions/start/fields/mood: warning: automator "dummy" has no field "mood"'
}

@test "what coopr export has written for any automator is found where it is: by validate, by a request, and by its own automator alone" {
	mkdir -p one/services one/automator/{itamae/recipes,puppet/manifests}
	for type in itamae puppet; do
		field=$([ "$type" = itamae ] && echo recipes || echo manifest)
		jq -n --arg type "$type" --arg field "$field" '{name: $type, provisioner: {actions: {configure: {$type, fields: {($field): "site.pp"}}}}}' >"one/services/$type.json"
	done
	echo of itamae >one/automator/itamae/recipes/site.pp
	echo of puppet >one/automator/puppet/manifests/site.pp
	run -0 coopr-validate one
	same "" "$output"
	coopr-store init
	coopr-import -q one
	coopr-export copy
	diff -r one/automator copy/automator
	run -0 coopr-validate copy
	same "" "$output"
	rm one/automator/puppet/manifests/site.pp
	run -1 coopr-validate one
	contains "$output" 'puppet.json: /provisioner/actions/configure/fields/manifest: "site.pp" is neither in one/scripts, nor in a folder of one/automator/puppet, nor in '
	same 'coopr-validate: one: a folder is checked by itself; coopr import --dry-run one checks it together with what the store has' "${lines[1]}"
	same 2 "${#lines[@]}"
}

@test "a value that is none of those that its plugin knows is a warning, and so is what is deeper in a field, by name or in a list" {
	cat >box.json <<-'END'
		{"kind": "provider", "name": "box", "providertype": "podman", "provisioner": {"pull": "sometimes", "restart": null,
		 "flavors": {"small": {"cpus": 1, "memory": "much"}, "*": {"cpu": 1, "disk": 100}}, "capabilities": ["NET_ADMIN", 3]}}
	END
	cat >rack.json <<-'END'
		{"kind": "provider", "name": "rack", "providertype": "static",
		 "provisioner": {"machines": [{"address": "192.0.2.1"}, {"address": "192.0.2.2", "hostname": "b", "zonne": "a"}]}}
	END
	echo '{"kind": "provider", "name": "stack", "providertype": "openstack", "provisioner": {"openstack_auth_url": "https://a", "openstack_interface": ""}}' >stack.json
	run --separate-stderr -0 coopr-validate box.json rack.json stack.json
	same 'coopr-validate: box.json: /provisioner/capabilities/1: warning: expected string, found number
coopr-validate: box.json: /provisioner/flavors/small/cpus: warning: provider "podman" has no field "cpus"; did you mean "cpu"?
coopr-validate: box.json: /provisioner/flavors/small/memory: warning: expected number, found string
coopr-validate: box.json: /provisioner/pull: warning: expected never, missing or always
coopr-validate: rack.json: /provisioner/machines/1/zonne: warning: provider "static" has no field "zonne"; did you mean "zone"?' "$stderr"
}

@test "a request is checked for macros that are malformed or name a service that the cluster cannot have, and for its scripts" {
	need_program jq
	coopr-request -t web --name shop >request.json
	jq -c '.cluster.config.x = ["%host.service.%"] | .cluster.config.y = "%host.service.oracle%"
		| .services[0].provisioner.actions.start = {type: "shell", fields: {script: "gone.sh"}}' request.json >bad.json
	run -1 coopr-validate bad.json
	contains "$output" "bad.json: /cluster/config/x/0: %host.service.%: this is not a macro of coopr-macros(7)"
	contains "$output" 'bad.json: /cluster/config/y: %host.service.oracle%: the cluster cannot have a service "oracle"'
	contains "$output" '/services/0/provisioner/actions/start/fields/script: "gone.sh" is neither in'
	run -0 coopr-validate request.json
	same "" "$output"
}

@test "a folder is checked by itself; where there is a store, it is said how both are checked together" {
	mkdir -p one/clustertemplates
	echo '{"name": "t", "defaults": {"services": [], "provider": "lab"}}' >one/clustertemplates/t.json
	run -1 coopr-validate one
	same 'coopr-validate: one/clustertemplates/t.json: /defaults/provider: there is no provider "lab"' "$output"
	coopr-store init
	echo '{"name": "lab", "providertype": "dummy"}' | coopr-store put -q -k provider -
	run -1 coopr-validate one
	same 'coopr-validate: one: a folder is checked by itself; coopr import --dry-run one checks it together with what the store has' "${lines[1]}"
	run -0 coopr-import --dry-run one
}

@test "a password in clear is a warning, a secret in its place is none" {
	mkdir -p one/providers
	echo '{"name": "p", "providertype": "dummy", "provisioner": {"api_password": "x", "other_token": {"secret": "t"}, "keypair": "k"}}' >one/providers/p.json
	run -0 coopr-validate -v one
	contains "$output" "providers/p.json: /provisioner/api_password: warning: a password or key in clear"
	run ! grep -E '(other_token|keypair).*in clear' <<<"$output"
	run -1 coopr-validate --pedantic one/providers/p.json
	contains "$output" "/provisioner/api_password: warning: a password or key in clear"
}

@test "a member of the configuration that nothing knows, and that is nearly one that is known, is a warning" {
	need_program jq
	coopr-request -t web --name shop --set shop.greting=hi --set ngnix.port=81 --set own.thing=1 >request.json
	run -0 coopr-validate request.json
	contains "$output" '/cluster/config/shop/greting: warning: nothing knows this member of the configuration; did you mean "greeting"?'
	contains "$output" '/cluster/config/ngnix: warning: nothing knows this member of the configuration; did you mean "nginx"?'
	run ! grep own <<<"$output"
	fresh
	own_catalogue
	jq '.defaults.config.shop = {title: "x", greeting: "y"}' mine/clustertemplates/lamp.json >lamp.json
	mv lamp.json mine/clustertemplates/
	coopr create shop -t lamp -n 4 --set shop.greting=hi >log 2>&1
	contains "$(cat log)" 'warning: /cluster/config/shop/greting: nothing knows this member'
	coopr expand -n 5 shop >log 2>&1
	run ! grep 'nothing knows' log
	coopr config --no-restart --set shop.tilte=x shop >log 2>&1
	contains "$(cat log)" 'did you mean "title"?'
}
