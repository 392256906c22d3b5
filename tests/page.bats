#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# The page for browsers, share/coopr/www, as coopr-serve(1) sends it.

load case
load serve
load browser

setup_file() {
	browser_start
}

teardown_file() {
	browser_end
}

setup() {
	serve_setup
	www=$COOPR_ROOT/share/coopr/www
}

teardown() {
	browse_end
	serve_end
}

# Sets release: the word that the page names its files with.
page_release() {
	answers 200 GET /
	release=$(grep -oE 'ui/[0-9a-f]{16}/' body | sort -u)
	release=${release//ui/}
	release=${release//\//}
	[ -n "$release" ]
}

@test "the page and each of its files is sent to everybody, with its type, a tag, and what a browser must not do with it" {
	serve
	page_release
	find "$www" -maxdepth 1 -type f ! -name '*.html' -printf "/ui/$release/%f\n" >paths
	echo / >>paths
	[ "$(wc -l <paths)" -gt 10 ]
	while read -r path; do
		answers 200 GET "$path" -D head
		case $path in
		/) type='text/html; charset=utf-8' && sed "s|ui/RELEASE|ui/$release|" "$www/index.html" | cmp - body ;;
		*.css) type='text/css; charset=utf-8' ;;
		*.js) type='text/javascript; charset=utf-8' ;;
		*.svg) type=image/svg+xml ;;
		esac
		contains "$(cat head)" "Content-Type: $type"
		contains "$(cat head)" "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
		contains "$(cat head)" "X-Content-Type-Options: nosniff"
		contains "$(cat head)" "Cross-Origin-Resource-Policy: same-origin"
		contains "$(cat head)" "Referrer-Policy: no-referrer"
		tag=$(sed -n 's/^ETag: \(.*\)\r$/\1/p' head)
		answers 304 GET "$path" -H "If-None-Match: $tag" -D head
		[ ! -s body ]
		contains "$(cat head)" "frame-ancestors 'none'"
	done <paths
	answers 405 POST / -d '{}'
}

@test "a browser keeps the files of the page as long as none of them changes, since their names have the release" {
	cp -R "$COOPR_ROOT/share" share
	mkdir bin
	cp "$COOPR_BIN"/coopr* bin
	PATH=$PWD/bin:$PATH serve
	page_release
	first=$release
	answers 200 GET "/ui/$first/app.js" -D head
	contains "$(cat head)" "Cache-Control: max-age=31536000, immutable"
	echo >>share/coopr/www/dom.js
	page_release
	[ "$release" != "$first" ]
	for path in "/ui/$first/app.js" / /v1/schemas/service; do
		answers 200 GET "$path" -D head
		contains "$(cat head)" "Cache-Control: no-cache"
	done
	answers 200 GET "/ui/$release/app.js" -D head
	contains "$(cat head)" immutable
}

@test "no name leads to another file than those of the page" {
	serve
	for name in ..%2f..%2fschema%2fnode.json %2e%2e/style.css .. . .hidden.js %2fetc%2fpasswd style.css%00.js style%2ecss%2f nothing.js ..%5cstyle.css \
		../report.html style.css/ %c0%ae%c0%ae%2fstyle.css; do
		ask GET "/ui/x/$name"
		case $status in
		400 | 404) ;;
		*)
			echo "$name: $status"
			return 1
			;;
		esac
	done
	answers 404 GET /v1/schemas/..%2fwww%2findex
	answers 404 GET /v1/schemas/nothing
	answers 200 GET /v1/schemas/clustertemplate
	cmp body "$COOPR_ROOT/share/coopr/schema/clustertemplate.json"
}

@test "the first page has less than 100 kB, all of them less than 260 kB; it asks no other host, and has neither scripts nor styles inside its markup" {
	[ "$(cat "$www"/*.* | wc -c)" -lt 260000 ]
	first=$(grep -oE 'RELEASE/[a-z]+\.[a-z]+' "$www/index.html" | sed "s|RELEASE|$www|")
	# shellcheck disable=SC2086 # words
	[ "$(cat "$www/index.html" $first | wc -c)" -lt 100000 ]
	# What others have written, and what only the terminal loads, is in vendor. The name of a space of XML is no address that is asked for.
	run ! grep -rnE "https?://[a-z]|[^:/]//[a-z]+\.[a-z]" "$www" --exclude-dir=vendor --include='*.html' --include='*.css'
	same "" "$(grep -rhoE "https?://[a-z][^'\"\`]*" "$www" --exclude-dir=vendor --include='*.js' --include='*.svg' | grep -vxF http://www.w3.org/2000/svg)"
	run ! grep -nE '<style|style=|<script>|<script [^>]*>[^<]|[ ]on[a-z]+=' "$www/index.html"
	run ! grep -rnE 'innerHTML|outerHTML|insertAdjacentHTML|document\.write|[^a-z]eval\(|new Function|DOMParser|srcdoc' "$www" --exclude-dir=vendor --include='*.js'
}

@test "one logs in, on the page as in the commands" {
	run ! grep -niE '\b(sign(s|ed|ing)?[- ](in|out)|log(s|ged|ging)? ?on)\b' "$www"/*.js "$www"/*.html
}

@test "each file that a script or the page names is there" {
	grep -rhoE "(from|import\() ?'\./[a-z-]+\.js'" "$www" | grep -oE '[a-z-]+\.js' | sort -u >named
	grep -ohE 'ui/RELEASE/[a-z.]+' "$www"/*.html | sed 's|.*/||' | sort -u >>named
	[ "$(wc -l <named)" -gt 8 ]
	while read -r name; do
		[ -f "$www/$name" ] || echo "$name"
	done <named >missing
	same "" "$(cat missing)"
}

# What the page asks: METHOD PATH
asked() {
	grep -rhoE "'(GET|POST|PUT|PATCH|DELETE) /v1/[^']*'" "$www" --include='*.js' | tr -d "'" | sort -u
}

@test "every route that the page asks is one of the API, every command that it shows is that of its route, and every change has one" {
	coopr-serve --openapi >api.json
	jq -r '.paths | to_entries[] | .key as $path | .value | keys[] | "\(ascii_upcase) \($path)"' api.json | sort >have
	asked >wanted
	[ "$(wc -l <wanted)" -gt 20 ]
	same "" "$(comm -23 wanted have)"
	sed -n "s|^  [a-zA-Z]*: \['\([A-Z]*\) \([^']*\)', '\([^']*\)'.*|\1 \2 \3|p" "$www/command.js" | sort >shown
	[ "$(wc -l <shown)" -gt 20 ]
	jq -r '.paths | to_entries[] | .key as $path | .value | to_entries[] | "\(.key | ascii_upcase) \($path) \(.value["x-command"])"' api.json | sort >commands
	same "" "$(comm -23 shown commands)"
	# A session is the page's own, and the filters change nothing.
	cut -d' ' -f1,2 shown | sort -u >changes
	grep -vE '^GET | /v1/(session|session/provider|solve|validate)$' wanted | comm -23 - changes >bare
	same "" "$(cat bare)"
}

@test "the page says for which tenant it asks wherever the command takes one, and nowhere else" {
	coopr-serve --openapi | jq -r '.paths | to_entries[] | .key as $path | .value | to_entries[] |
		select([(.value.parameters[]? | select(.in == "query").name), (.value.requestBody.content["application/json"].schema.properties // {} | keys[])] | index("tenant")) |
		"\(.key | ascii_upcase) \($path)"' | sort >with
	sed -n '/^export const INSTALLATION/,/];$/p' "$www/api.js" | grep -oE "'[^']*'" | tr -d "'" | sort -u >listed
	asked | comm -23 - with | diff - listed
}

@test "a change with dry-run is answered with the preview of the command where text is accepted" {
	serve
	coopr-create --dry-run -t lamp -n 4 -P dummy shop >expected
	answers 200 POST /v1/clusters -H 'Accept: text/plain' -D head -d '{"name": "shop", "template": "lamp", "machines": 4, "provider": "dummy", "dry-run": true}'
	contains "$(cat head)" "Content-Type: text/plain"
	diff expected body
	answers 409 POST /v1/clusters -H 'Accept: text/plain' -d '{"name": "shop", "template": "lamp", "machines": 1, "provider": "dummy", "dry-run": true}'
	contains "$(jq -r .detail body)" "no layout satisfies the request"
}

@test "what an operation did is a list of records, and a lease is text" {
	serve
	answers 202 POST /v1/clusters -d '{"name": "shop", "template": "lamp", "machines": 4, "provider": "dummy"}'
	coopr-work --drain
	answers 200 GET /v1/clusters/shop/report
	coopr-report -o json shop | jq -cs '{items: .}' | diff - body
	answers 204 POST /v1/clusters/shop/lease -d '{"time": "12h"}'
	answers 200 GET /v1/clusters/shop/lease
	same "$(coopr-lease shop)" "$(cat body)"
}

@test "of a log, or of anything that GET shows, a range is answered; what is no range is ignored" {
	serve
	create_shop
	answers 200 GET /v1/clusters/shop/config
	mv body whole
	size=$(stat -c %s whole)
	while read -r range from length; do
		answers 206 GET /v1/clusters/shop/config -H "Range: bytes=$range" -D head
		tail -c +$((from + 1)) whole | head -c "$length" | cmp - body
		contains "$(cat head)" "Content-Range: bytes $from-$((from + length - 1))/$size"
	done <<-END
		0-0 0 1
		3-9 3 7
		5- 5 $((size - 5))
		-4 $((size - 4)) 4
		-99999999 0 $size
		$((size - 1))-99999999999999999999 $((size - 1)) 1
	END
	answers 416 GET /v1/clusters/shop/config -H "Range: bytes=$size-" -D head
	contains "$(cat head)" "Content-Range: bytes */$size"
	for range in bytes=9-3 bytes=- bytes=-0 bytes=a-b bytes=1-2,5-6 lines=1-2 bytes=1 bytes=1-2x; do
		answers 200 GET /v1/clusters/shop/config -H "Range: $range"
		cmp body whole
	done
	answers 200 GET /v1/clusters/shop/config -H 'Range: bytes=0-1' -H 'If-Range: "another"'
}

@test "filters answer with the records that their commands print" {
	serve
	coopr-request -t lamp -n 4 -P dummy --name shop >request
	coopr-solve <request >layout
	answers 200 POST /v1/solve --data-binary @request
	jq -cs '{items: .}' layout | diff - body
	answers 200 POST /v1/plan --data-binary @layout
	coopr-plan <layout | jq -cs '{items: .}' | diff - body
	answers 200 POST /v1/validate?kind=clustertemplate --data-binary @mine/clustertemplates/lamp.json
	jq -c '.cluster.numMachines = 1' request >small
	run -1 --separate-stderr coopr-solve small
	answers 200 POST /v1/solve -d @small
	same "$output" "$(jq -c '.items[]' body)"
	same unsatisfiable "$(jq -r '.items[].kind' body)"
	# Who is no superadmin, too: they read nothing but what is sent.
	token=$(coopr-token create -T default -r user filters)
	answers 200 POST /v1/solve --data-binary @request -H "Authorization: Bearer $token"
	answers 200 POST /v1/plan --data-binary @layout -H "Authorization: Bearer $token"
	answers 200 POST /v1/validate?kind=clustertemplate --data-binary @mine/clustertemplates/lamp.json -H "Authorization: Bearer $token"
	answers 403 GET /v1/settings -H "Authorization: Bearer $token"
	answers 403 GET /v1/checks -H "Authorization: Bearer $token"
	answers 403 GET /v1/limits -H "Authorization: Bearer $token"
}

@test "machines and services are asked whether they are well by a route of its own, which lists what is not" {
	serve
	create_shop
	answers 200 GET /v1/clusters/shop/probe
	same '["clusterstatus"]' "$(jq -c '[.items[].kind]' body)"
	mkdir -p "$COOPR_STATE/dummy-down"
	touch "$COOPR_STATE/dummy-down/$(coopr-show -o json shop | jq -r 'select(.kind == "node" and (.services | index("mysql"))).id').mysql"
	answers 200 GET /v1/clusters/shop/probe
	same 'mysql stopped' "$(jq -r '.items[] | select(.kind == "drift") | "\(.service) \(.what)"' body)"
	answers 200 GET /v1/clusters/shop
	same degraded "$(jq -r .condition body)"
	answers 422 GET '/v1/clusters/shop?probe=true'
}

WITH_STUBBORN=haproxy,apache,mod-php,mysql,memcached,stubborn

# The service stubborn, and the template that may have it, in the store.
with_stubborn() {
	stubborn_service
	coopr-store put -yq --kind service <mine/services/stubborn.json
	coopr-store put -yq --kind clustertemplate <mine/clustertemplates/lamp.json
}

create_shop() {
	coopr-create -yq -t lamp -n 4 -P dummy "$@" shop
}

@test "in a browser, a cluster is created from its template, with the layout or the reason why there is none beside the form" {
	need_browser
	serve
	browse create
	same 5 "$(coopr-list -o json | jq .nodes)"
}

@test "in a browser, a page is one chain of requests: its files are there from before, and it asks who is there and for the list at once" {
	need_browser
	serve
	browse chain
}

@test "in a browser, who comes by TCP logs in with a link once, then with the password chosen there, and sees no more than their role" {
	need_browser
	create_shop --owner bob
	code=$(coopr-user add -y -T default -r user -o json bob | jq -r .code)
	serve --listen 127.0.0.1:0
	ADDRESS=$(sed -n 's|.*serving on http://||p' serve.log) browse login "$code"
}

@test "in a browser, all is done by keyboard" {
	need_browser
	serve
	browse keyboard
	same 4 "$(coopr-list -o json | jq .nodes)"
}

@test "in a browser, a change is previewed, carried out and rolled back, and a cluster is deleted once its name is typed" {
	need_browser
	create_shop
	serve
	browse change
	same terminated "$(coopr-list --status all -o json | jq -r .state)"
}

@test "in a browser, what has failed is named with its cause, and the operation continues once that is fixed" {
	need_browser
	with_stubborn
	touch broken
	run create_shop -s "$WITH_STUBBORN"
	serve
	browse repair
	same active "$(coopr-list -o json | jq -r .state)"
}

@test "in a browser, superadmins see what each worker does, and since when" {
	need_browser
	mkfifo gate
	touch wait
	with_stubborn
	create_shop --detach -s "$WITH_STUBBORN"
	serve
	browse workers
}

@test "in a browser, a view is drawn again while events go on and on" {
	need_browser
	serve
	browse looking
}

@test "in a browser, what somebody else does is seen as it happens, and what they did before the view heard of events" {
	need_browser
	serve
	browse follow
}

@test "in a browser, entities are written as a form or as JSON, which are checked meanwhile, and not deleted while something needs them" {
	need_browser
	serve
	browse entities
	same 3 "$(coopr-store history -o json hardwaretype tiny | wc -l)"
}

@test "in a browser, a configuration has a field for each value that the schema of a service describes, and says what is none" {
	need_browser
	jq '.config = {properties: {workers: {type: "integer", minimum: 1, maximum: 64, default: 8, description: "Processes at once."}, level: {enum: ["error", "info"]},
		ServerAdmin: {title: "Address of the administrator"}}}' mine/services/apache.json | coopr-store put -yq --kind service
	serve
	browse schema
	same "13 info" "$(coopr-config shop | jq -r '.apache | "\(.workers) \(.level)"')"
}

@test "in a browser, the rules of a template are drawn, and tried at once on all sizes" {
	need_browser
	serve
	browse rules
	same '[{"max":8,"min":3},["medium"],[{"apache":-1,"memcached":2}]]' \
		"$(coopr-store get clustertemplate lamp | jq -c '.constraints | [.size, .services.apache.hardwaretypes, [.counts[] | select(.min == 0) | .terms]]')"
}

@test "in a browser, the rules of a template are drawn by keyboard as well" {
	need_browser
	serve
	browse rulesByKeyboard
	same '{"max":7,"min":3}' "$(coopr-store get clustertemplate lamp | jq -c .constraints.size)"
}

@test "in a browser, resources are uploaded, made active by a sync, compared and deleted" {
	need_browser
	serve
	browse resources
	same "1 active" "$(coopr-resource list -o json automator/shell/scripts/web.sh | jq -r '"\(.version) \(.state)"')"
}

@test "in a browser, a provider is tried, its fields are listed, and its flavors become hardware types" {
	need_browser
	export COOPR_PLUGINS=$PWD/plugins
	mkdir -p plugins/provider
	cat >plugins/provider/dummy <<-END
		#!/bin/sh
		real=$COOPR_BIN/../libexec/coopr/provider/dummy
		case \$1 in
		describe) "\$real" describe | sed 's/^{/{"flavors":true,/' ;;
		flavors) cat >/dev/null && printf '{"kind":"flavor","flavor":"%s","capacity":{"cpu":1,"memory":1024},"cost":0.5}\n' s-1 m-1 ;;
		*) exec "\$real" "\$@" ;;
		esac
	END
	chmod +x plugins/provider/dummy
	serve
	coopr-import -q "$COOPR_ROOT/share/coopr/catalogue"
	browse provider
	same 's-1 0.5' "$(coopr-store get hardwaretype s-1 | jq -r '.name + " " + (.providermap.dummy.cost | tostring)')"
	run -1 coopr-store get hardwaretype m-1
}

@test "in a browser, volumes are seen with what they cost, copied, given to a cluster and deleted" {
	need_browser
	export COOPR_PLUGINS=$PWD/plugins
	mkdir -p plugins/provider
	cat >plugins/provider/dummy <<-END
		#!/bin/sh
		case \$1 in
		snapshot | discard) cat >/dev/null && echo '{"kind":"result","status":0}' ;;
		*) exec "$COOPR_BIN/../libexec/coopr/provider/dummy" "\$@" ;;
		esac
	END
	chmod +x plugins/provider/dummy
	serve
	coopr-create -yq -t lamp -n 4 -P dummy shop
	for volume in a b; do
		sqlite3 "$COOPR_STATE/store.sqlite3" "INSERT INTO volume (id, tenant, provider, service, name, cluster, node, size_gb, keep, is_snapshot, is_blank,
			leaving, made_ms) SELECT 'v-000000000000000$volume', tenant, 'dummy', 'mysql', 'rows', id, CASE '$volume' WHEN 'a' THEN '00000001-1000' END, 20, 1,
			0, 0, 0, created_ms FROM cluster;
			INSERT INTO volume_use SELECT id, cluster, size_gb, 0.01, made_ms, NULL FROM volume WHERE id LIKE '%$volume'"
	done
	browse volumes
	same "v-000000000000000a 00000001-1000 null" "$(coopr-volume list -o json | jq -r 'select(.type == "volume") | "\(.id) \(.node) \(.promised)"')"
	same "1 v-000000000000000a" "$(coopr-volume list -o json | jq -rs 'map(select(.type == "snapshot")) | "\(length) \(.[0].of)"')"
}

@test "in a browser, an old version of an entity is restored, and who needs it is named" {
	need_browser
	coopr-store get hardwaretype small | jq '.description = "another"' | coopr-store put -yq --kind hardwaretype
	serve
	browse restore
	same "$(coopr-store get --revision 1 hardwaretype small)" "$(coopr-store get hardwaretype small)"
}

@test "in a browser, superadmins see the settings in force, and limit the tasks that run at once" {
	need_browser
	serve
	browse settings
	same "default=3 =7" "$(coopr-queue limit -o json | jq -r '"\(.name // "")=\(.max)"' | sort -r | paste -sd' ')"
}

@test "in a browser, who may only read is offered nothing that changes something" {
	need_browser
	create_shop
	code=$(coopr-user add -y -T default -r read-only -o json eve | jq -r .code)
	serve --listen 127.0.0.1:0
	ADDRESS=$(sed -n 's|.*serving on http://||p' serve.log) browse reader "$code"
}

@test "in a browser, members come and go, and a secret is set and never shown" {
	need_browser
	serve
	browse members
	same db "$(coopr-secret list -o name)"
}

@test "in a browser, no terminal is offered where the server has none" {
	need_browser
	create_shop
	serve --no-terminal
	answers 200 GET /v1/version
	same false "$(jq .terminal body)"
	browse noTerminal
}

@test "in a browser, axe finds nothing on any view, light, dark or narrow, and none is wider than its screen" {
	need_browser
	create_shop
	serve
	browse axe
}

@test "in a browser, a command is shown as a shell takes it" {
	need_browser
	serve
	browse pasted
}

@test "in a browser, what others have written is text, and no part of the page" {
	need_browser
	plain='<img src=http://198.51.100.1/x onerror="window.ran=1"><script>window.ran=2</script>'
	evil=$plain$'\e]0;title\a\u202e'
	with_stubborn
	cat >plugins/automator/stubborn <<-EOT
		#!/bin/sh
		cat >/dev/null
		echo '$evil' >&2
		echo '{"kind": "result", "status": 0}'
	EOT
	jq --arg evil "$evil" '.label = $evil | .description = $evil | .links = [{label: $evil, url: "javascript:window.ran=3"}] | .defaults.config.php[$evil] = $evil' \
		mine/clustertemplates/lamp.json | coopr-store put -yq --kind clustertemplate
	# The same in every text of every kind of entity.
	for one in services/apache hardwaretypes/small imagetypes/debian12 providers/dummy; do
		jq --arg evil "$evil" '.label = $evil | .description = $evil' "mine/$one.json" | coopr-store put -yq -m "$evil" --kind "${one%s/*}"
	done
	coopr-store get service apache | jq --arg evil "$evil" '.links = [{label: $evil, url: "javascript:window.ran=3"}] | .config = {properties: {
		($evil): {title: $evil, description: $evil, default: $evil, enum: [$evil]}}}' | coopr-store put -yq -m "$evil" --kind service
	jq '.label = {href: "https://198.51.100.1/", onclick: "window.ran = 4"} | .description = .label' mine/clustertemplates/hadoop-distributed.json |
		coopr-store put -yq --kind clustertemplate
	coopr-tenant change -y --description "$evil" default
	echo "$evil" >web.sh
	coopr-resource upload -yq --stage -m "$evil" automator/shell/scripts/web.sh web.sh
	create_shop -s "$WITH_STUBBORN" -m "$evil"
	coopr-log shop >log
	contains "$(cat log)" "$plain"
	serve
	browse hostile resources/automator/shell/scripts/web.sh entities/service/apache entities/hardwaretype/small entities/imagetype/debian12 entities/provider/dummy \
		entities/clustertemplate/hadoop-distributed create/hadoop-distributed
}
