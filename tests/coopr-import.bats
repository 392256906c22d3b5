#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# What comes over from Cask's Coopr: tests/cask/ has documents as its server and its clients send them.

load case
load examples

setup() {
	fresh
	export COOPR_STORE=$PWD/store CASK=$COOPR_ROOT/tests/cask
	coopr-store init
}

# What an import says of an entity: said KIND NAME MEMBER, of the records in the file out
said() {
	jq -r --arg kind "$1" --arg name "$2" "select(.entity == \$kind and .name == \$name).$3" out
}

# The export of a server that has the published documents, as it sends them, with the versions that it counts.
export_of_originals() { # VERSION
	local kind

	for kind in providers hardwaretypes imagetypes services clustertemplates; do
		jq -s --arg kind "$kind" --argjson version "$1" '{($kind): map(. + {version: $version})}' "$SHARED/data/coopr-templates/$kind"/*.json
	done | jq -s 'add + {partialtemplates: []}'
}

@test "the object of GET /v2/export becomes entities of all six kinds" {
	run -0 --separate-stderr coopr-import -o json "$CASK/export.json"
	printf '%s\n' "$output" >out
	contains "$stderr" "coopr-import: 12 changed, 0 as before"
	contains "$stderr" "coopr-import: errors in 1 of them"
	same 12 "$(jq -s 'map(select(.state == "new" and .version == 1)) | length' out)"
	for kind in providers hardwaretypes imagetypes services clustertemplates partialtemplates; do
		same "$(jq -r ".${kind}[].name" "$CASK/export.json" | sort)" "$(coopr-store list -o json $kind | jq -r .name | sort)"
	done
	same "ntp base zk kv-node" "$(coopr-store get -r clustertemplate kv-cluster | jq -r '[.defaults.services[]] | sort_by(. != "ntp") | join(" ")')"
}

@test "an export comes from a pipe as well as from a file" {
	coopr-import -o json "$CASK/export.json" >out 2>log
	run -0 --separate-stderr coopr-import - <"$CASK/export.json"
	same "coopr-import: 0 changed, 12 as before" "$stderr"
}

@test "importing the same export twice changes nothing, whatever version Coopr counts" {
	coopr-import "$CASK/export.json" >out 2>log
	coopr-store export >before
	run -0 --separate-stderr coopr-import "$CASK/export.json"
	same "coopr-import: 0 changed, 12 as before" "$stderr"
	jq '.[][].version += 3' "$CASK/export.json" >later.json
	run -0 --separate-stderr coopr-import later.json
	same "coopr-import: 0 changed, 12 as before" "$stderr"
	same "$(cat before)" "$(coopr-store export)"
	same "" "$(coopr-store export | jq 'select(.version)')"
	same 1 "$(coopr-secret list -o json | jq .version)"
	jq '.services[0].description = "new" | .[][].version += 1' "$CASK/export.json" >later.json
	run -0 --separate-stderr coopr-import -o name later.json
	same services/base "$output"
}

@test "a password of a provider becomes a secret, and is in no output and no entity" {
	run -0 coopr-import -o json "$CASK/export.json"
	printf '%s\n' "$output" | grep '^{' >out
	contains "$(said provider lab-os note)" "api_password: now the secret lab-os.api_password"
	same '{"secret":"lab-os.api_password"}' "$(coopr-store get provider lab-os | jq -c .provisioner.api_password)"
	same k1 "$(coopr-store get provider lab-os | jq -r .provisioner.ssh_key_resource)"
	run -1 grep -r "not for everybody" "$COOPR_STORE" out
	same lab-os.api_password "$(coopr-secret list -o json | jq -r .name)"
}

@test "a secret that exists keeps its value" {
	coopr-import "$CASK/export.json" >out 2>log
	echo changed | coopr-secret set lab-os.api_password
	run -0 --separate-stderr coopr-import -o json "$CASK/export.json"
	contains "$output" "the secret lab-os.api_password exists with another value, which it keeps"
	same 2 "$(coopr-secret list -o json | jq .version)"
}

@test "with --dry-run nothing is written: no entity, no secret, no key, no specification" {
	run -0 --separate-stderr coopr-import --dry-run --specs specs "$CASK/export.json" "$CASK/request.json"
	contains "$stderr" "coopr-import: 13 would be changed, 0 as before"
	same "" "$(coopr-store export; coopr-secret list -o json)"
	[ ! -e specs ]
	[ ! -e "$COOPR_STORE.key" ]
}

@test "the note of an entity names a misspelt member once" {
	mkdir -p mine/services
	echo '{"name": "x", "dependancies": {}, "foo": 1, "provisioner": {"actions": {"install": {"type": "dummy", "fields": {}}}}}' >mine/services/x.json
	coopr-import -o json mine >out
	same '/dependancies: nothing reads this member; did you mean "dependencies"?; foo: kept, without effect' "$(said service x note)"
}

@test "the note of an entity names the plugins that are not installed, and the members that mean nothing here" {
	sed 's/"chef-solo"/"chef-zero"/' "$CASK/export.json" >export.json
	coopr-import -o json export.json >out 2>log
	contains "$(cat log)" "coopr-import: plugins are missing for 1 of them; see coopr-migrate(7)"
	same "api_password: now the secret lab-os.api_password" "$(said provider lab-os note)"
	contains "$(said service base note)" '/type: there is no automator "chef-zero" in the folders of COOPR_PLUGINS and of the installation; did you mean chef-solo?'
	same "1 icon: kept, without effect" "$(said service base note | grep -o 'there is no' | wc -l) $(said service base note | sed 's/.*; //')"
	same null "$(said service kv-legacy note)"
	same null "$(said service zk note)"
	mkdir -p plugins/automator
	printf '#!/bin/sh\n' >plugins/automator/chef-zero
	chmod 755 plugins/automator/chef-zero
	COOPR_STORE=$PWD/other coopr-store init
	COOPR_PLUGINS=$PWD/plugins COOPR_STORE=$PWD/other coopr-import -o json export.json >out 2>log
	same "icon: kept, without effect" "$(said service base note)"
}

@test "an export is taken with the errors that its server had, and the note says them; a catalogue is refused" {
	coopr-import -o json "$CASK/export.json" >out 2>log
	same 'quantities.min is 0, so clusters may be without: ntp; error: /compatibility/imagetypes/1: there is no image type "ubuntu16"' \
		"$(said clustertemplate kv-cluster note)"
	mkdir -p mine/clustertemplates
	jq '.clustertemplates[1] | .name = "mine"' "$CASK/export.json" >mine/clustertemplates/mine.json
	run -1 coopr-import mine
	contains "$output" 'there is no image type "ubuntu16"'
}

@test "what is malformed in an export is named by kind and name, and nothing is changed" {
	jq 'del(.providers[0].providertype) | .services[2].name = 5' "$CASK/export.json" >wrong.json
	run -65 coopr-import wrong.json
	contains "$output" 'wrong.json: provider "lab-os": /providertype: expected string, found nothing'
	contains "$output" 'wrong.json: /services/2: /name: expected string, found number'
	same "" "$(coopr-store export)"
	for text in '{"providers": 5, "services": []}' '{"services": [], "clusters": {"a": 1}}' '{"services": [], "tenants": 5}' '[{"clusterTemplate": "a", "name": "b"}, 7]' '7' '[]' '{}'; do
		printf '%s' "$text" >wrong.json
		run -65 coopr-import --specs specs wrong.json
		contains "$output" "wrong.json"
	done
}

@test "where the folder of specifications cannot be made nothing is changed" {
	echo file >taken
	run -73 coopr-import --specs taken/specs "$CASK/export.json" "$CASK/request.json"
	contains "$output" "taken/specs"
	same "" "$(coopr-store export)"
	run -74 bash -c 'coopr-import -o json "$CASK/export.json" >/dev/full'
}

@test "what has no place here is left out, and the note says why" {
	jq '{services: [], tenants: [{name: "qa", workers: 8, maxClusters: 20, maxNodes: 100}], providertypes: [{name: "aws"}],
		automatortypes: [{name: "chef-solo"}], provisioners: [{id: "p1"}], resources: {}, odd: 1}' <<<null >export.json
	run -0 --separate-stderr coopr-import -o json export.json
	printf '%s\n' "$output" >out
	same "coopr-import: 0 changed, 0 as before, 6 left out" "$stderr"
	same "left out" "$(said providertype aws state)"
	contains "$(said tenant qa note)" "coopr tenant create --clusters 20 --nodes 100 qa"
	contains "$(said automatortype chef-solo note)" "coopr-plugins(7)"
	coopr tenant create --clusters 20 --nodes 100 qa
}

@test "a create-request becomes a cluster specification, which coopr-apply takes" {
	coopr-import --specs specs -o json "$CASK/export.json" "$CASK/request.json" >out 2>log
	same "left out, set it in the provider: providerFields.api_password" "$(said clusterspec kv-qa note)"
	coopr-validate specs/kv-qa.json
	same '{"config":{"kv":{"heap":"4g"}},"description":"for the testers","dnsSuffix":"qa.example.net","hardwaretype":"medium","imagetype":"rocky9","kind":"clusterspec","lease":"36h","name":"kv-qa","numMachines":5,"provider":"lab-os","services":["base","zk","kv-node","ntp"],"template":"kv-cluster"}' "$(jq -cS . specs/kv-qa.json)"
	coopr-store get provider lab-os | jq '.providertype = "dummy" | .provisioner = {}' | coopr-store put -k provider >out 2>log
	run -1 coopr-apply -f specs --dry-run -o json
	same planned "$(jq -r .outcome <<<"$output")"
}

@test "a cluster that the server shows becomes a specification with its owner, size, services and lease" {
	coopr-import --specs - "$CASK/cluster.json" >spec 2>log
	coopr-validate -k clusterspec spec
	same '["kv-prod","ann",3,"30d","kv-cluster","lab-os","base kv-node zk","2g"]' \
		"$(jq -c '[.name, .owner, .numMachines, .lease, .template, .provider, (.services | join(" ")), .config.kv.heap]' spec)"
	jq '[{id, name, description, ownerId: "ann", createTime, expireTime: 0, numNodes: 3, status, provider: {name: .provider.name},
		clusterTemplate: {name: .clusterTemplate.name}, services, progress}, (.name = "gone" | .status = "terminated")]' "$CASK/cluster.json" >list.json
	run -0 --separate-stderr coopr-import --specs specs -o json list.json
	printf '%s\n' "$output" >out
	same "left out it is terminated" "$(said cluster gone state) $(said cluster gone note)"
	contains "$(said clusterspec kv-prod note)" "import GET /v2/clusters/ID"
	same '[3,"0"]' "$(jq -c '[.numMachines, .lease]' specs/kv-prod.json)"
}

@test "a request as the web page sends it, with members that are empty, says nothing of these" {
	jq '. + {services: [], dnsSuffix: "", hardwaretype: null, description: "", providerFields: {}, initialLeaseDuration: 0}' "$CASK/request.json" |
		coopr-import --specs - - >spec 2>log
	same '{"config":{"kv":{"heap":"4g"}},"imagetype":"rocky9","kind":"clusterspec","lease":"0","name":"kv-qa","numMachines":5,"provider":"lab-os","template":"kv-cluster"}' "$(jq -cS . spec)"
}

@test "a single entity of Coopr has no kind, and the message says what to do" {
	jq '.services[1]' "$CASK/export.json" >ntp.json
	run -65 coopr-import ntp.json
	contains "$output" 'ntp.json: the kind is unknown; add a member "kind", or use coopr store put -k KIND'
	coopr-store put --force -k service ntp.json >out 2>log
	jq '{services: .services[:1]}' "$CASK/export.json" | coopr-import - >out 2>log
	same "base ntp" "$(coopr-store list -o json | jq -r .name | paste -sd ' ')"
}

@test "requests need a place for their specifications; one that somebody edited stays, unless --force is given" {
	run -64 coopr-import "$CASK/request.json"
	contains "$output" "option --specs DIR is required"
	coopr-import --specs specs "$CASK/request.json" >out 2>log
	run -0 --separate-stderr coopr-import --specs specs "$CASK/request.json"
	same "coopr-import: 0 changed, 1 as before" "$stderr"
	sed -i 's/"4g"/"8g"/' specs/kv-qa.json
	run -1 coopr-import --specs specs -o json "$CASK/request.json"
	contains "$output" "the file is there and differs; use --force to replace it"
	same 8g "$(jq -r .config.kv.heap specs/kv-qa.json)"
	run -0 coopr-import --force --specs specs "$CASK/request.json"
	same 4g "$(jq -r .config.kv.heap specs/kv-qa.json)"
}

@test "a request without a name that clusters may have, or with the name of another one, is left out, and the others are taken" {
	jq -s '[.[0], (.[0] | .name = "two words"), (.[0] | .numMachines = 3), (.[0] | .name = "kv-2" | .initialLeaseDuration = -1)]' "$CASK/request.json" >all.json
	run -1 --separate-stderr coopr-import --specs specs -o json all.json
	printf '%s\n' "$output" >out
	same "coopr-import: 2 changed, 0 as before, 2 left out" "$stderr"
	contains "$(said clusterspec "two words" note)" '/name: "two words" is not a name'
	same "kv-2.json kv-qa.json" "$(cd specs && echo *)"
	same 5 "$(jq .numMachines specs/kv-qa.json)"
	same null "$(jq .lease specs/kv-2.json)"
}

@test "the kind of a document of Coopr is no entity's: put refuses it, and names the command" {
	run -65 coopr-store put "$CASK/export.json"
	contains "$output" "export.json: this is a document of Coopr; use coopr import"
}

@test "the published documents come over as an export, with their errors noted, and again without a change" {
	need_shared data/coopr-templates
	export_of_originals 1 >export.json
	run -0 --separate-stderr coopr-import -o json export.json
	printf '%s\n' "$output" >out
	contains "$stderr" "coopr-import: 92 changed, 0 as before"
	[[ "$stderr" != *"plugins are missing"* ]]
	contains "$stderr" "coopr-import: errors in 3 of them"
	same 92 "$(coopr-store export | wc -l)"
	contains "$(said clustertemplate docker-base note)" 'error: /compatibility/imagetypes/2: there is no image type "ubuntu16"'
	export_of_originals 2 >export.json
	run -0 --separate-stderr coopr-import export.json
	same "coopr-import: 0 changed, 92 as before" "$stderr"
	run -0 --separate-stderr coopr-import --force "$SHARED/data/coopr-templates"
	same "coopr-import: 0 changed, 92 as before" "$stderr"
	same "openstack.api_password rackspace.api_password" "$(coopr-secret list -o json | jq -r .name | paste -sd ' ')"
}

@test "coopr-migrate(7): the commands of the page work, from the export to the list of machines" {
	sed -n '/^\.Bd -literal/,/^\.Ed/p' "$COOPR_ROOT/man/man7/coopr-migrate.7" | grep -v '^\.' | plain |
		sed -e ':more' -e '/\\$/{N;s/\\\n */ /;b more' -e '}' -e 's/^\$ //' >page
	cp "$CASK/export.json" qa.json
	cp "$CASK/request.json" kv-qa.json
	cp "$CASK/cluster.json" cluster.json
	echo '[{"name": "qa", "workers": 8, "maxClusters": 20, "maxNodes": 100}]' >tenants.json
	editor() { jq '.providertype = "dummy" | .provisioner = {}' "$1" >changed && mv changed "$1"; }
	curl() { :; }
	sed -i -e "s,/usr/libexec/coopr,$COOPR_BIN/../libexec/coopr," -e '/^curl/d' -e '/^coopr apply -T qa -f clusters$/d' -e '/^coopr create/s/$/ --dry-run/' -e '/^coopr apply/s/$/ || [ $? -eq 1 ]/' page
	same 25 "$(wc -l <page)"
	set -e -o pipefail
	# shellcheck disable=SC1091
	. ./page >out 2>&1 || { cat out; false; }
	same "203.0.113.10 bind=10.0.0.10 hostname=kv-prod42-1000.dev.example.net user=rocky flavor=m1.medium" "$(head -n 1 machines)"
	same 3 "$(wc -l <machines)"
	same dummy "$(coopr store get -T qa provider lab-os | jq -r .providertype)"
}

@test "an export and its requests become clusters on the dummy provider, as coopr-migrate(7) says" {
	unset COOPR_STORE
	coopr-store init
	coopr-import "$CASK/export.json" >/dev/null 2>&1
	coopr-store get provider lab-os | jq '.providertype = "dummy" | .provisioner = {}' >trial.json
	coopr-store put -k provider trial.json >/dev/null 2>&1
	mkdir -p trial/automator
	for name in shell chef-solo docker; do
		ln -s "$COOPR_BIN/../libexec/coopr/automator/dummy" "trial/automator/$name"
	done
	export COOPR_PLUGINS=$PWD/trial
	coopr-import --specs clusters "$CASK/request.json" >/dev/null 2>&1
	run -0 coopr-apply -f clusters -y
	contains "$output" "+ kv-qa  made"
	coopr-import --specs running "$CASK/cluster.json" >/dev/null 2>&1
	run -1 coopr-apply -f running -y
	contains "$output" "the template kv-cluster allows a first lease of 48 h 0 m at most; ask for less, and extend it later with coopr lease"
	jq '.lease = "1d"' running/kv-prod.json >shorter
	mv shorter running/kv-prod.json
	coopr-apply -f running -y >/dev/null
	same "kv-prod kv-qa" "$(coopr-list -o json | jq -r 'select(.status == "active").name' | sort | paste -sd' ')"
}
