#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# What clients of Cask's Coopr send and count on, as they were seen to, coopr-api-v2(7).

load case
load serve
load examples

setup() {
	serve_setup
	serve
	user=$(id -un) tenant=default
}

teardown() {
	serve_end
}

# Prints the lines of the examples of the page, of which one may be continued: the prompt, "$ " or "# ", and the command; or an answer.
said_of_page() {
	plain <"$COOPR_ROOT/man/man7/coopr-api-v2.7" | sed -n '/^\.Bd/,/^\.Ed/p' | grep -v '^\.' | sed -e ':again' -e '/\\$/{N; s/\\\n *//; b again' -e '}'
}

# Sends what the Java client sends, of which the command line of Coopr is made: java STATUS METHOD PATH [BODY]
java() {
	local has=(-H 'Content-Type: text/plain; charset=UTF-8' --data-binary "${4-}")

	[ $# -gt 3 ] || has=(-H 'Content-Type:')
	[ "$2" != POST ] || [ $# -gt 3 ] || has+=(--data-binary '')
	v2 "$1" "$2" "$3" -H 'Accept:' -H 'Coopr-ApiKey: 123456789abcdef' -H 'Connection: Keep-Alive' -H 'Accept-Encoding: gzip,deflate' \
		-H 'User-Agent: Apache-HttpClient/4.5.14 (Java/17.0.15)' "${has[@]}"
}

# Sends what Coopr's page sends by its proxy: page STATUS METHOD PATH [BODY]
page() {
	local has=(-H 'Content-Type: application/json;charset=UTF-8' --data-binary "${4-}")

	[ $# -gt 3 ] || has=()
	v2 "$1" "$2" "$3" -H 'Accept: application/json, text/plain, */*' -H 'X-Requested-With: snow-bird' -H 'Connection: close' "${has[@]}"
}

@test "entities have all members that Coopr's page counts on, also where the document lacks them" {
	v2 200 POST /v2/clustertemplates -d '{"name": "bare", "defaults": {"provider": "dummy"}, "constraints": {"services": {"mysql": {}}}}'
	v2 200 POST /v2/partialtemplates -d '{"name": "ntp", "immutable": true}'
	v2 200 POST /v2/services -d '{"name": "nothing"}'
	page 200 GET /v2/clustertemplates
	same '{"administration":{"leaseduration":{"initial":0,"max":0,"step":0}},"compatibility":{"hardwaretypes":[],"imagetypes":[],"services":[]},"constraints":{"layout":{"cantcoexist":[],"mustcoexist":[]},"services":{"mysql":{"quantities":{}}},"size":{"max":2147483647,"min":1}},"defaults":{"provider":"dummy","services":[]},"links":[],"name":"bare","version":1}' \
		"$(jq -cS '.[] | select(.name == "bare")' body)"
	same true "$(body 'all(.[]; (.constraints.size.max, .administration.leaseduration.initial, (.compatibility.services | length)) | type == "number")')"
	page 200 GET /v2/partialtemplates/ntp
	same '[1,0,true]' "$(body '[.constraints.size.min, .administration.leaseduration.max, .immutable]')"
	page 200 GET /v2/services
	same '{"dependencies":{"conflicts":[],"install":{"requires":[],"uses":[]},"provides":[],"runtime":{"requires":[],"uses":[]}},"links":[],"name":"nothing","provisioner":{"actions":{}},"version":1}' \
		"$(jq -cS '.[] | select(.name == "nothing")' body)"
}

@test "what was added for clients, and comes back, does not become part of a document; null is no member" {
	v2 200 POST /v2/services -d '{"name": "nothing", "dependencies": {"provides": ["it"]}}'
	for of in clustertemplate/lamp service/mysql service/nothing hardwaretype/small imagetype/debian12 provider/dummy; do
		coopr-store get "${of%/*}" "${of#*/}" | jq -S . >before
		page 200 GET "/v2/${of%/*}s/${of#*/}"
		page 200 PUT "/v2/${of%/*}s/${of#*/}" "$(jq -c '. + {icon: null}' body)"
		coopr-store get "${of%/*}" "${of#*/}" | jq -S 'del(.[] | nulls)' | diff before -
	done
	page 200 GET /v2/clustertemplates/lamp
	page 200 PUT /v2/clustertemplates/lamp "$(jq -c '.defaults.hardwaretype = null | .constraints.size.max = 50' body)"
	page 200 GET /v2/clustertemplates/lamp
	same '[null,{"max":50,"min":3},3]' "$(jq -cS '[(.defaults | has("hardwaretype") | if . then "there" else null end), .constraints.size, .version]' body)"
}

@test "the Java client and the page make clusters, and see what they have said of them" {
	java 200 POST /v2/clusters '{"name":"kv","description":"","clusterTemplate":"lamp","numMachines":4,"initialLeaseDuration":-1}'
	same '{"id":"00000001"}' "$(cat body)"
	# Whatever the page shows of the template and the provider comes along.
	page 200 POST /v2/clusters '{"clusterTemplate":"lamp","numMachines":4,"name":"shop","services":["haproxy","apache",{"name":"mod-php"},"mysql","memcached"],"provider":"dummy","dnsSuffix":"shop.example.net","hardwaretype":null,"config":{"php":{"memory":"64M"}},"initialLeaseDuration":0,"description":"for the autumn","providerFields":{"api_password":{"secret":"dummy.api_password"}}}'
	coopr-work --drain
	java 200 GET /v2/clusters/00000002
	same '["for the autumn","shop","active",{"php":{"memory":"64M"}},"lamp",1,[1]]' \
		"$(body '[.description, .name, .status, .config, .clusterTemplate.name, .clusterTemplate.version, ([.nodes[].services[].version] | unique)]')"
	page 200 GET '/v2/clusters?status=pending,active,incomplete,inconsistent'
	same '[["kv",4,1,"active","complete"],["shop",4,1,"active","complete"]]' \
		"$(body 'map([.name, .numNodes, .provider.version, .status, .progress.actionstatus]) | sort')"
	java 200 PUT /v2/clusters/00000001/config '{"config":{"php":{"memory":"64M"}},"restart":false}'
	coopr-work --drain
	java 200 POST /v2/clusters/00000001/services/mysql/restart
	coopr-work --drain
	java 200 POST /v2/clusters/00000001/clustertemplate/sync
	coopr-work --drain
	java 200 POST /v2/clusters/00000001 "{\"expireTime\":$((($(date +%s) + 1000000) * 1000))}"
	java 400 POST /v2/clusters/00000001 '{"expireTime":10}'
	java 200 GET /v2/clusters/00000001/status
	same upgrade "$(body .action)"
	java 200 POST /v2/getNodeProperties '{"clusterId":"00000001","properties":["hostname","nodenum","nothing"],"services":["mysql"]}'
	same '{"00000001-1000":{"hostname":"kv1-1000.lamp.example.net","nodenum":1000}}' "$(jq -cS . body)"
	page 200 DELETE /v2/clusters/00000002
	java 200 DELETE /v2/clusters/00000001
}

# Sends what the uploader of resources sends, which comes with Coopr's provisioner: uploader STATUS METHOD PATH [CURL-ARGUMENT...]
uploader() {
	v2 "$@" -H 'User-Agent: rest-client/2.1.0 (linux-gnu x86_64) ruby/3.1.7p261' -H 'Content-Type: application/x-www-form-urlencoded' \
		-H 'Accept-Encoding: gzip;q=1.0,deflate;q=0.6,identity;q=0.3'
}

@test "the uploader of resources and the script of defaults load what comes with Coopr" {
	head -c 9000000 /dev/urandom >large
	of=/v2/plugins/automatortypes/shell
	uploader 200 GET /status
	uploader 200 GET $of
	same file "$(body .resourceTypes.files.format)"
	uploader 200 POST $of/files/large --data-binary @large
	same 1 "$(body .version)"
	uploader 200 POST $of/files/large/versions/1/stage --data-binary ''
	uploader 200 POST /v2/plugins/sync --data-binary ''
	coopr-resource get automatortypes/shell/files/large | cmp large -
	coopr-store get hardwaretype small | jq '.description = "of defaults"' >small.json
	v2 200 PUT /v2/hardwaretypes/small -H 'Content-Type:application/json' -H 'Coopr-ApiKey:1234567890abcdef' --data @small.json
	same '"of defaults"' "$(coopr-store get hardwaretype small | jq .description)"
}

@test "a plugin has no parameters of users, of whom the Java client takes only one kind" {
	java 200 GET /v2/plugins/automatortypes/
	same '[["admin"]]' "$(body '[.[].parameters | keys] | unique')"
	java 200 GET /v2/plugins/automatortypes/shell/scripts/?status=ACTIVE
	same '{}' "$(cat body)"
	java 200 POST /v2/plugins/sync
	java 200 GET /
}

@test "each request of the page is answered as the page says" {
	serve_end
	coopr-tenant create -y qa
	coopr-import -yq -T qa mine
	coopr-member set -y -T qa ann --role admin
	coopr-user add -r superadmin zoe
	coopr-user add ann
	serve --listen 127.0.0.1:0
	TOKEN=$(coopr-token create --as ann -T qa -o json page | jq -r .token)
	export TOKEN
	echo 'echo hi' >web.sh
	curl() {
		command curl -f "$@"
	}
	shopt -s expand_aliases
	said_of_page | sed -e "s|/run/coopr/serve|$SOCKET|; s|https://coopr.example:8443|$(sed -n 's|.*serving on http://|http://|p' serve.log)|; s/00000042/00000001/g" >lines
	while read -r prompt line; do
		case $prompt$line in
		'$coopr serve'*) ;;
		'#'*) eval "$line -y" ;;
		'$'*)
			[[ $line != *' -X '* ]] || coopr-work --drain
			eval "$line" >said || {
				echo "$line"
				return 1
			}
			count=$((${count-0} + 1))
			;;
		*)
			line="$prompt${line:+ $line}"
			contains "$(cat said)" "${line%, ...}"
			;;
		esac
	done <lines
	[ "$count" -ge 11 ]
	[ -s export.json ]
}
