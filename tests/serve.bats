#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-serve(1) on a Unix socket, and the routes of coopr-api(7).

load case
load serve

setup() {
	serve_setup
}

teardown() {
	serve_end
}

@test "a cluster is created, looked at, changed and deleted as by the commands" {
	serve
	answers 200 GET /v1/clusters
	same '{"items":[]}' "$(body .)"
	answers 202 POST /v1/clusters -D head -d '{"name": "shop", "template": "lamp", "machines": 4, "provider": "dummy", "message": "by hand"}'
	same 00000001-001 "$(body .job)"
	id=$(sed -n 's|^Location: /v1/clusters/\(.*\)\r$|\1|p' head)
	coopr-work --drain
	answers 200 GET "/v1/clusters/$id"
	same "shop active" "$(body '"\(.name) \(.status)"')"
	coopr-status -o json shop | jq -S . >expected
	jq -S . body | diff expected -
	answers 200 GET /v1/clusters/shop/nodes
	same 4 "$(body '.items | map(select(.kind == "node")) | length')"
	answers 200 GET /v1/clusters/shop/events
	coopr-events -o json shop | jq -cs '{items: .}' | diff - body
	answers 200 GET /v1/clusters/shop/operations
	same '["create","by hand"]' "$(body '.items[0] | [.action, .why]')"
	answers 202 POST /v1/clusters/shop/expand -d '{"machines": 5}'
	coopr-work --drain
	answers 200 GET /v1/clusters/shop
	answers 200 GET "/v1/clusters?search=sho"
	same 5 "$(body '.items[0].nodes')"
	answers 202 DELETE /v1/clusters/shop -H 'If-Match: *' -d '{"discard-data": true}'
	coopr-work --drain
	answers 404 GET /v1/clusters/shop
	answers 200 GET /v1/clusters/00000001
	same terminated "$(body .status)"
}

@test "a preview changes nothing, and is what --dry-run prints" {
	serve
	answers 200 POST /v1/clusters -d '{"name": "shop", "template": "lamp", "machines": 4, "provider": "dummy", "dry-run": true}'
	coopr-create --dry-run -o json -t lamp -n 4 -P dummy shop | jq -cSs '{items: .}' >expected
	jq -cS . body | diff expected -
	same "" "$(coopr-list -o name)"
}

@test "a plan is saved, and carried out later exactly as it is, also by who only uses the tenant; one that was changed is refused" {
	serve
	coopr-member set ann
	token=$(coopr-token create --as ann -o json mine | jq -r .token)
	as_ann() {
		answers "${@:1:3}" -H "Authorization: Bearer $token" "${@:4}"
	}
	as_ann 200 POST /v1/clusters -H 'Accept: text/plain' -d '{"name": "shop", "template": "lamp", "machines": 4, "provider": "dummy", "save": true}'
	mv body plan
	same "" "$(coopr-list -o name)"
	sed 's/"lamp"/"lump"/' plan >changed
	as_ann 422 POST /v1/plans --data-binary @changed
	contains "$(body .detail)" "it has been changed"
	as_ann 200 POST '/v1/plans?dry-run=true' --data-binary @plan
	as_ann 202 POST /v1/plans --data-binary @plan
	coopr-work --drain
	as_ann 200 GET /v1/clusters/shop
	same 'ann 4' "$(body '"\(.owner) \(.nodes)"')"
	as_ann 200 DELETE /v1/clusters/shop -H 'Accept: text/plain' -d '{"save": true}'
	same savedplan "$(head -n 1 body | jq -r .kind)"
	as_ann 422 POST /v1/clusters/shop/expand -d '{"machines": 5, "save": "/tmp/file"}'
	coopr-member set -y bob
	token=$(coopr-token create --as bob -o json mine | jq -r .token)
	as_ann 403 POST /v1/plans --data-binary @plan
}

@test "/readyz tells whether it can answer, /metrics is what Prometheus reads" {
	serve
	answers 200 GET /readyz
	coopr-create -q --detach -t lamp -n 4 -P dummy shop
	answers 200 GET '/metrics?all-tenants=true&by=tenant'
	contains "$(cat body)" 'coopr_queue_jobs{tenant="default",status="running"} 1'
	contains "$(cat body)" '# TYPE coopr_cluster_ready gauge'
	coopr-member set -y ann
	token=$(coopr-token create --as ann -o json mine | jq -r .token)
	answers 403 GET '/metrics?all-tenants=true' -H "Authorization: Bearer $token"
}

@test "entities, resources, secrets and tenants are kept by requests" {
	serve
	echo '{"kind": "hardwaretype", "name": "huge", "providermap": {"dummy": {"flavor": "huge"}}}' >huge.json
	answers 200 POST /v1/entities --data-binary @huge.json
	for request in 'POST /v1/entities' 'PUT /v1/entities/provider/lab -H If-Match:*'; do
		# shellcheck disable=SC2086 # words
		answers 200 $request -d "{\"kind\": \"provider\", \"name\": \"lab\", \"providertype\": \"Podman\", \"description\": \"$request\"}"
		contains "$(body '.items[].note')" 'there is no provider "Podman" in the folders of COOPR_PLUGINS and of the installation; did you mean podman?'
	done
	answers 200 GET /v1/entities/hardwaretype/huge
	same huge "$(body .name)"
	answers 204 DELETE /v1/entities/hardwaretype/huge -H 'If-Match: *'
	answers 404 GET /v1/entities/hardwaretype/huge
	answers 200 GET /v1/export
	body '.items[]' >records
	answers 200 POST '/v1/import?dry-run' --data-binary @records
	head -c 5000 /dev/urandom >bytes
	answers 200 PUT '/v1/resources/automatortypes/shell/files/noise?sync' --data-binary @bytes
	answers 200 GET /v1/resources/automatortypes/shell/files/noise
	cmp bytes body
	answers 204 PUT /v1/secrets/word --data-binary 'to be or not'
	answers 200 GET /v1/secrets
	same '["word"]' "$(body '[.items[].name]')"
	run ! grep 'to be' body
	answers 204 POST /v1/tenants -d '{"name": "qa", "clusters": 2}'
	answers 204 PATCH /v1/tenants/qa -H 'If-Match: *' -d '{"clusters": 3}'
	answers 200 GET /v1/tenants/qa
	same 3 "$(body .quota.clusters)"
	answers 204 PUT /v1/members/ann -d '{"tenant": "qa", "role": "admin"}'
	answers 200 GET '/v1/members?tenant=qa'
	same '["ann"]' "$(body '[.items[].user]')"
}

@test "a problem has the command's message, its exit code and one status" {
	serve
	answers 404 GET /v1/clusters/shpo -D head
	contains "$(cat head)" "Content-Type: application/problem+json"
	same '[404,"Not Found",1]' "$(body '[.status, .title, .exit_code]')"
	same "$(coopr-status shpo 2>&1 | sed 's/^coopr-status: //')" "$(body .detail)"
	answers 422 POST /v1/clusters -d '{"name": "shop", "tempalte": "lamp", "machines": [1, {}], "detach": true}'
	same '[["/tempalte"],["/machines/1"],["/detach"]]' "$(body '[.errors[] | [.pointer]] | sort | reverse | [.[0], .[1], .[2]]')"
	answers 422 POST /v1/clusters -d '{"name": '
	answers 422 POST /v1/clusters -d '[]'
	# What a command cannot do without is a member that the description requires.
	answers 200 GET /v1/openapi.json
	body '.paths | to_entries[] | select(.value.post.requestBody.content."application/json".schema.required) | .key' >paths
	[ "$(wc -l <paths)" -gt 20 ]
	while read -r path; do
		run -0 curl -sS --unix-socket "$SOCKET" -d '{}' "http://coopr${path//[{\}]/zz}"
		run ! grep -E 'missing argument|expected one' <<<"${output//missing argument NODE;/}" # nodes, or node, or service
	done <paths
	answers 409 POST /v1/clusters -d '{"name": "shop", "template": "lamp", "machines": 1, "provider": "dummy"}'
	answers 405 PUT /v1/clusters -D head
	contains "$(cat head)" "Allow: GET, POST"
	answers 404 GET /v1/nothing
	answers 400 GET /v1/clusters/a%zz
	answers 400 GET /v1/clusters/a%00b
	answers 400 GET '/v1/clusters?search=%ff'
	head -c 9000000 /dev/zero >large
	for way in '' 'Transfer-Encoding: chunked'; do
		answers 413 POST /v1/entities -H "$way" --data-binary @large
		same '{"detail":"the body has more than 8388608 bytes","status":413,"title":"Content Too Large"}' "$(cat body)"
	done
	answers 413 GET /healthz --data-binary @<(head -c 20000 large)
	same '{"detail":"the body has more than 16384 bytes","status":413,"title":"Content Too Large"}' "$(cat body)"
	answers 413 POST /v2/clusters -H 'Coopr-UserID: admin' -H 'Coopr-TenantID: superadmin' --data-binary @large
	same 'the body has more than 8388608 bytes' "$(cat body)"
}

@test "a problem names the member that permits what was refused, and says it without the option of the command" {
	jq '.data = ["/var/lib/mysql"]' mine/services/mysql.json >data
	mv data mine/services/mysql.json
	coopr-import -yq mine
	coopr-create -q -t lamp -n 4 -P dummy blog
	serve
	answers 422 DELETE /v1/clusters/blog -H 'If-Match: *' -d '{}'
	contains "$(body .detail)" "; use --discard-data to permit that"
	same '["/discard-data",true]' "$(body '.errors[0] | [.pointer, .permits]')"
	[[ $(body '.errors[0].detail') = "blog: data would be lost: mysql on "* ]]
	answers 409 POST /v1/clusters -d '{"name": "small", "template": "lamp", "machines": 1, "provider": "dummy"}'
	same '["/force",true]' "$(body '.errors[0] | [.pointer, .permits]')"
	run ! grep -e --force <<<"$(body '.errors[0].detail')"
	answers 409 DELETE /v1/entities/provider/dummy -H 'If-Match: *' -d '{}'
	same '["/force",true,"nothing was changed"]' "$(body '.errors[-1] | [.pointer, .permits, .detail]')"
}

@test "a GET changes nothing: of a command that also changes it has only the options that look" {
	serve
	answers 202 POST /v1/clusters -d '{"name": "shop", "template": "lamp", "machines": 4, "provider": "dummy"}'
	coopr-work --drain
	coopr-serve --openapi | jq -r '.paths | to_entries[] | select(.value.get["x-command"]) |
		"\(.key) \(.value.get["x-command"]) \([.value.get.parameters[] | select(.in == "query").name] | join(" "))"' >looks
	while read -r path coopr command options; do
		"$coopr" "$command" --help 2>/dev/null | grep -q -- --yes || continue
		echo "$path"
		same "" "$(tr ' ' '\n' <<<"$options" | grep -vxE 'as|expanded|fields|node|tenant')"
		for query in set=php.x=1 dry-run wait message=x discard-data force; do
			answers 422 GET "${path/\{cluster\}/shop}?$query"
		done
	done <looks >seen
	contains "$(cat seen)" "/v1/clusters/{cluster}/config"
	answers 422 GET '/v1/limits?tenant=qa=3'
	answers 200 GET '/v1/clusters/shop/config?node=1000&expanded'
	same 1 "$(coopr-history -o json shop | wc -l)"
}

@test "what a path names and is not there is 404, whatever is asked of it" {
	serve
	coopr-create -yq --detach -t lamp -P dummy one
	while read -r method path data; do
		answers 404 "$method" "$path" -d "${data:-{\}}"
	done <<-'END'
		DELETE /v1/clusters/zz
		POST /v1/clusters/zz/expand {"machines": 3}
		POST /v1/clusters/zz/rename {"name": "yy"}
		POST /v1/clusters/zz/abort
		POST /v1/clusters/00000099/stop
		DELETE /v1/entities/service/zz
		GET /v1/entities/service/mysql/diff?old=7
		DELETE /v1/secrets/zz
		POST /v1/secrets/zz/rotate
		POST /v1/secrets/zz/allow {"user": "ann"}
		DELETE /v1/tenants/zz
		PATCH /v1/tenants/zz {"clusters": 1}
		DELETE /v1/members/zz
		DELETE /v1/resources/automator/shell/scripts/zz.sh
		POST /v1/resources/automator/shell/scripts/zz.sh/stage
		POST /v1/resources/automator/shell/scripts/zz.sh/recall
		GET /v1/jobs/zz
	END
}

@test "what was looked at has a tag, and is not sent again while nothing changes" {
	serve
	answers 200 GET /v1/entities/service/php -D head || answers 200 GET /v1/entities/service/mysql -D head
	tag=$(sed -n 's/^ETag: \(.*\)\r$/\1/p' head)
	answers 304 GET "/v1/entities/service/$(body .name)" -H "If-None-Match: $tag"
	[ ! -s body ]
}

@test "of what is looked at only the members come that are asked for, of one record and of each of a list, however long it is" {
	serve
	answers 200 GET "/v1/entities/service?fields=name,kind,nothing"
	same '["kind","name"]' "$(body '[.items[] | keys] | unique | .[] | @json')"
	answers 200 GET "/v1/entities/service/$(body '.items[0].name')?fields=name"
	same '["name"]' "$(body 'keys | @json')"
	answers 422 POST "/v1/clusters" -d '{"fields": "name"}'
	mkdir -p many/services
	for number in $(seq 300); do
		printf '{"name": "s%s", "links": [{"label": "%01000d", "url": "http://h/"}]}' "$number" 1 >"many/services/s$number.json"
	done
	coopr-store import many
	answers 200 GET "/v1/entities/service?fields=name"
	[ "$(body '.items | length')" -ge 300 ]
	same '["name"]' "$(body '[.items[] | keys] | unique | .[] | @json')"
}

@test "a request names no file of the server, and nothing of where and how a command prints" {
	serve
	echo secret >file
	for member in '"store": "'"$PWD"'/other"' '"spool": "."' '"save": "plan"' '"output": "table"' '"color": "always"' '"catalogue": "mine"' \
		'"secret": "x=file"' '"help": true' '"version": true' '"yes": false'; do
		answers 422 POST /v1/clusters -d "{\"name\": \"shop\", \"template\": \"lamp\", \"provider\": \"dummy\", $member}"
	done
	answers 422 POST /v1/clusters -d '{"name": "shop", "template": "lamp", "provider": "dummy", "config": "file"}'
	answers 422 GET /v1/clusters/.%2Ffile/nodes
	answers 404 GET /v1/clusters/file/nodes
	answers 404 GET /v1/clusters/-/nodes
	answers 404 GET /v1/clusters/--help
	[ ! -e other ] && [ ! -e plan ]
}

@test "a user is answered as the store knows that user" {
	need_root
	need_program setpriv
	coopr-tenant create -y qa
	coopr-member set -y -T qa nobody --role user
	coopr-create -yq --detach -t lamp -P dummy one
	serve # where others may come to
	as_nobody() {
		status=$(setpriv --reuid nobody --clear-groups --regid nogroup curl -sS --unix-socket "$SOCKET" -o - -w '\n%{http_code}' \
			"http://coopr$1" "${@:2}" | tee said | tail -n 1)
	}
	as_nobody /v1/tenants
	same "200" "$status"
	same '["qa"]' "$(head -n 1 said | jq -c '[.items[].name]')"
	as_nobody /v1/jobs
	same "403" "$status"
	contains "$(cat said)" "only a superadmin may do that"
	as_nobody /v1/tenants -d '{"name": "mine"}'
	same "403" "$status"
	as_nobody /v1/members/nobody -X PUT -d '{"tenant": "qa", "role": "admin"}'
	same "403" "$status"
	as_nobody '/v1/clusters?as=root'
	same "403" "$status"
	answers 200 GET /v1/jobs
	answers 200 GET /v1/audit
	as_nobody /v1/secrets/word -X PUT --data-binary word
	same "403" "$status"
	answers 204 PUT /v1/members/nobody -d '{"tenant": "qa", "role": "admin"}'
	as_nobody '/v1/secrets/word?tenant=qa' -X PUT --data-binary word
	same "204" "$status"
	answers 200 GET '/v1/audit?tenant=qa'
	same '["nobody","nobody","coopr-secret set"]' "$(body '.items[-1] | [.user, .login, .program]')"
}

@test "the page has every route, and no other" {
	coopr-serve --openapi | jq -r '.paths | to_entries[] | .key as $path | .value | to_entries[] |
		"\(.key | ascii_upcase) \($path) \(.value["x-command"] // (.value.summary | rtrimstr(".") + "."))"' | sort >have
	sed -n '/^\.Ss Routes/,/^\.El/p' "$COOPR_ROOT/man/man7/coopr-api.7" |
		sed -n '/^\.It /{N;s/^\.It \([A-Z]*\) Pa \(.*\)\n/\1 \2 /;s/\.Ic \(.*\) :$/\1/;p}' | sort | diff have -
}

@test "the description is one of OpenAPI: every reference has an end, no two operations have one name, and every answer of JSON has a schema" {
	coopr-serve --openapi >api.json
	same 3.1.0 "$(jq -r .openapi api.json)"
	same "" "$(jq -r '[.paths[][].operationId] | group_by(.) | map(select(length > 1)) | .[][0]' api.json)"
	same "" "$(jq -r '. as $all | [.. | objects | .["$ref"]? // empty] | unique | .[] | . as $ref |
		select(($all | getpath($ref | ltrimstr("#/") | split("/"))) == null)' api.json)"
	same "" "$(jq -r '.paths | to_entries[] | .key as $path | .value[] |
		([$path | scan("\\{([a-z]+)\\}")[]] - [.parameters[] | select(.in == "path") | .name]) | .[]' api.json)"
	# A configuration is free, this description has one elsewhere, and what is valid answers nothing.
	same "GET /v1/clusters/{cluster}/config GET /v1/openapi.json POST /v1/validate" "$(jq -r '.paths | to_entries[] | .key as $path | .value | to_entries[] |
		select(.value.responses[].content["application/json"].schema | select(.) | . == {type: "object"} or .properties.items.items == {type: "object"}) |
		"\(.key | ascii_upcase) \($path)"' api.json | sort | paste -sd' ')"
}

@test "public validators take the description for one of OpenAPI, and each schema in it for one of JSON Schema" {
	coopr-serve --openapi >api.json
	python3 -c 'import jsonschema' || skip "needs python3-jsonschema, which is not installed"
	python3 - <<-'END'
		import json, jsonschema
		description = json.load(open("api.json"))
		for schema in description["components"]["schemas"].values():
		    jsonschema.Draft202012Validator.check_schema(schema)
	END
	# Debian has none for OpenAPI; another python3 may have one.
	for python in $(type -ap python3); do
		! "$python" -c 'import openapi_spec_validator' 2>/dev/null ||
			"$python" -c 'import json, openapi_spec_validator; openapi_spec_validator.validate(json.load(open("api.json")))'
	done
}

@test "who asks hears so as a record, whatever is accepted" {
	serve
	answers 200 GET /v1/session
	cp body expected
	answers 200 GET /v1/session -H 'Accept: text/plain'
	cmp body expected
}

@test "a server that is told to end answers what it was asked before, also who reads slowly" {
	serve_slowly list
	head -c 20000000 /dev/zero | tr '\0' ' ' >answer
	mkfifo reader
	curl -sS --unix-socket "$SOCKET" -o - -w '%{http_code}' http://coopr/v1/clusters >reader 3>&- &
	exec 7<reader
	until [ -e began ]; do kill -0 "$server"; sleep 0.05; done
	kill "$server"
	while curl -s --unix-socket "$SOCKET" -o /dev/null http://coopr/healthz; do kill -0 "$server"; sleep 0.05; done
	echo "$PWD/answer" >gate
	until [ -e list.done ]; do kill -0 "$server"; sleep 0.05; done
	[ "$(head -c 1000 <&7 | wc -c)" -eq 1000 ]
	kill -0 "$server"
	same '{"items":[]}200' "$(printf '{"items":[%s' "$(tr -d ' \n' <&7)")"
	exec 7<&-
	wait "$server"
	server=
	rm -rf "$held"
}

@test "whoever asks hears that the command was killed, and what to do" {
	serve_slowly list
	answers 500 GET /v1/clusters &
	until [ -e began ]; do kill -0 "$server"; sleep 0.05; done
	kill -KILL "$(cat began)"
	wait $!
	same "the command was killed by signal 9; check what was done before you repeat the request" "$(body .detail)"
}

@test "a socket that a dead server has left is replaced; one that is served is not, nor is a file" {
	serve
	run -75 coopr-serve --socket "$SOCKET"
	contains "$output" "a server runs there already"
	kill -KILL "$server"
	wait "$server" || true
	[ -S "$SOCKET" ]
	serve
	serve_end
	echo mine >file
	run -73 coopr-serve --socket file
	same mine "$(cat file)"
	run -64 coopr-serve --socket "/$(printf 'x%.0s' $(seq 200))"
	run -66 env COOPR_STORE="$PWD/none" coopr-serve --socket other
}

@test "it serves the sockets that systemd hands over" {
	need_program systemd-socket-activate
	systemd-socket-activate -E COOPR_STATE -E COOPR_STORE -E HOME -l "$PWD/socket" "$(command -v coopr-serve)" 2>serve.log 3>&- &
	server=$!
	SOCKET=$PWD/socket
	for _ in $(seq 100); do
		[ ! -S socket ] || break
		sleep 0.1
	done
	answers 200 GET /v1/version
}

# Makes c.pem and k.pem for localhost: certificate COMMON-NAME
certificate() {
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout k.pem -out c.pem -days 30 -subj "/CN=$1" \
		-addext subjectAltName=DNS:localhost 2>/dev/null
}

# Asks by TLS: secure PATH [CURL-ARGUMENT...]
secure() {
	curl -sS --cacert c.pem -o body -w '%{http_code}' "${@:2}" "https://localhost:$port$1"
}

@test "by TCP, with TLS, nobody is known; a certificate is read again without losing a connection" {
	need_program openssl
	certificate one
	coopr-user add -r superadmin zoe
	serve --listen 127.0.0.1:0 --cert c.pem --key k.pem
	port=$(sed -n 's|.*https://127.0.0.1:||p' serve.log)
	same 200 "$(secure /v1/version)"
	same 401 "$(secure /v1/clusters -D head)"
	contains "$(cat head)" "WWW-Authenticate: Bearer"
	same 401 "$(secure /v1/clusters -H 'Coopr-UserID: root' -H 'Authorization: Bearer root' -d '{"name": "x"}')"
	run ! curl -sS "http://localhost:$port/v1/version"
	run ! curl -sS --tls-max 1.1 --cacert c.pem "https://localhost:$port/v1/version"
	mkfifo urls
	curl -sS --cacert c.pem -K urls >many 2>&1 3>&- &
	asker=$!
	exec 7>urls
	printf 'url = "https://localhost:%s/v1/version"\noutput = one\n' "$port" >&7
	certificate two
	kill -HUP "$server"
	until curl -sSv --cacert c.pem "https://localhost:$port/v1/version" 2>&1 | grep -q 'subject: CN=two'; do
		kill -0 "$server"
		sleep 0.05
	done
	printf 'url = "https://localhost:%s/v1/version"\noutput = another\n' "$port" >&7
	exec 7>&-
	wait "$asker" || true
	echo rubbish >k.pem
	kill -HUP "$server"
	until grep -q 'k.pem: is no key in PEM' serve.log; do
		kill -0 "$server"
		sleep 0.05
	done
	same 200 "$(secure /v1/version)"
}

@test "without TLS it speaks to its own machine alone, unless it is told to" {
	run -64 coopr-serve --listen 0.0.0.0:0
	contains "$output" "other machines can reach it, and there is no TLS"
	run -64 coopr-serve --listen nothing
	run -64 coopr-serve --cert c.pem
	run -66 coopr-serve --cert c.pem --key k.pem
	run -77 coopr-serve --listen 127.0.0.1:0
	contains "$output" "nobody can log in at 127.0.0.1:0 yet"
	coopr-user add -r superadmin zoe
	serve --listen 127.0.0.1:0 --listen '[::1]:0'
	mapfile -t addresses < <(sed -n 's|.*serving on http://||p' serve.log)
	same 2 "${#addresses[@]}"
	for address in "${addresses[@]}"; do
		same 200 "$(curl -s -o /dev/null -w '%{http_code}' "http://$address/healthz")"
		run -75 coopr-serve --listen "$address"
	done
}

@test "what a command takes as a file is a member of the request" {
	serve
	answers 202 POST /v1/clusters -d '{"name": "shop", "template": "lamp", "machines": 4, "provider": "dummy", "config": {"one": 1}}'
	coopr-work --drain
	answers 200 GET /v1/clusters/shop
	answers 200 GET /v1/clusters/shop/config
	same '{"one":1}' "$(body .)"
}

@test "many who look at the same at once have one command run; whatever has changed is seen by who asks next" {
	serve_slowly list
	mkfifo sent
	python3 -B -c 'import socket, sys
four = [socket.socket(socket.AF_UNIX) for _ in range(4)]
for one in four:
    one.connect(sys.argv[1])
    one.sendall(b"GET /v1/clusters HTTP/1.1\r\nHost: coopr\r\nConnection: close\r\n\r\n")
open("sent", "w").write("all")
for one in four:
    print(b"".join(iter(lambda: one.recv(65536), b"")).split(b"\r\n\r\n")[1].decode().strip())' "$SOCKET" >found 3>&- &
	asking=$!
	read -r <sent || true
	until [ -e began ]; do
		kill -0 "$server"
		sleep 0.05
	done
	answers 200 GET /healthz
	answers 200 GET /healthz
	echo '{"kind":"cluster","name":"found"}' >answer
	# A second command would wait for this as well, and there is only one line.
	echo answer >gate
	wait "$asking"
	same '4 {"items":[{"kind":"cluster","name":"found"}]}' "$(sort found | uniq -c | xargs -0 | sed 's/^ *//;/^$/d')"
	for i in $(seq 20); do
		answers 204 PUT "/v1/members/user$i" -d '{}'
		answers 200 GET /v1/members
		same "$((2 * i - 1))" "$(body '.items | length')"
		coopr-member set "other$i"
		answers 200 GET /v1/members
		same "$((2 * i))" "$(body '.items | length')"
	done
}

@test "who goes away while a command looks has it stopped; a change is finished" {
	serve_slowly list rename
	ask_and_go() {
		curl -s --unix-socket "$SOCKET" "$@" >/dev/null 3>&- &
		asker=$!
		until [ -e began ]; do kill -0 "$asker"; sleep 0.05; done
		command=$(cat began)
		rm began
		kill -KILL "$asker"
		wait "$asker" || true
	}
	ask_and_go http://coopr/v1/clusters
	while kill -0 "$command" 2>/dev/null; do kill -0 "$server"; sleep 0.05; done
	[ ! -e list.done ]
	ask_and_go http://coopr/v1/clusters/a/rename -d '{"name": "b"}'
	answers 200 GET /healthz
	echo >gate
	until [ -e rename.done ]; do kill -0 "$server"; sleep 0.05; done
}

@test "what could be read as two requests is refused, and so is rubbish; others are served meanwhile" {
	serve
	timeout 200 python3 -B "$BATS_TEST_DIRNAME/serve-attack.py" "$SOCKET" >said
	cat said
	same "" "$(grep -v '^another protocol: 505' said | grep -E ': [125]|silent| 200' || true)"
	same 23 "$(wc -l <said)"
	# Connections on which nothing goes on.
	python3 -B -c 'import socket, subprocess, sys
held = []
for _ in range(500):
    one = socket.socket(socket.AF_UNIX)
    one.connect(sys.argv[1])
    one.sendall(b"GET /v1/clu")
    held.append(one)
sys.exit(subprocess.run(["curl", "-sf", "--max-time", "60", "--unix-socket", sys.argv[1], "http://coopr/v1/clusters"]).returncode)' "$SOCKET"
}

@test "a request may name the whole address, as to a proxy, and has one encoding at most" {
	serve
	answers 200 GET / --request-target http://coopr/healthz
	same '{"status":"ok"}' "$(cat body)"
	answers 200 GET / --request-target HTTPS://other:1/v1/clusters
	answers 404 GET / --request-target ftp://coopr/healthz
	answers 400 POST /v1/validate -H 'Transfer-Encoding: gzip, chunked' -d '{}'
	answers 400 POST /v1/validate -H 'Transfer-Encoding: identity' -d '{}'
}
