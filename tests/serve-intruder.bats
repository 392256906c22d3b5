#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Who has logged in to coopr-serve(1), and wants more: coopr-security(7).

load case
load serve

setup() {
	serve_setup
	coopr-tenant create qa
	coopr-tenant create dev
}

teardown() {
	serve_end
}

# Runs a command as a user who has asked the server: for USER COMMAND...
for_user() {
	COOPR_ASKER=$1 "${@:2}"
}

# The same, with a token of that kind and role for the tenant qa: with KIND ROLE USER COMMAND...
with() {
	COOPR_ASKER_LIMIT="$1 1 $2 qa" for_user "${@:3}"
}

@test "who acts as another is told of that user's other tenants only where they are a superadmin" {
	coopr-member set -T qa -r admin ann
	coopr-member set -T qa -r user eve
	coopr-member set -T dev -r user carol
	same dev "$(coopr-whoami --as carol -o json | jq -r .tenant)"
	for tenant in '' -Tdev -Tdevv; do
		run for_user eve coopr-list --as carol ${tenant:+"$tenant"}
		[ "$status" -eq 1 ] || [ "$status" -eq 77 ]
		[ -n "$tenant" ] || run ! grep -w dev <<<"$output"
		run ! grep 'mean dev' <<<"$output"
	done
	coopr-member set -T qa -r user carol
	same '["qa"]' "$(for_user ann coopr-tenant list --as carol -T qa -o json | jq -cs 'map(.name)')"
	same '["qa"]' "$(for_user ann coopr-whoami --as carol -T qa -o json | jq -c '[.tenants[].name]')"
	same '["dev","qa"]' "$(coopr-whoami --as carol -T qa -o json | jq -c '[.tenants[].name]')"
}

@test "tokens of a user in other tenants are neither listed nor revoked by who is limited to one, or acts as the user" {
	coopr-member set -T qa -r admin ann
	for tenant in qa dev; do
		coopr-member set -T "$tenant" -r user carol
		coopr-token create --as carol -T "$tenant" "of $tenant" >/dev/null
	done
	same '["of qa"]' "$(for_user ann coopr-token list --as carol -T qa -o json | jq -cs 'map(.name)')"
	same '["of qa"]' "$(with token read-only carol coopr-token list -o json | jq -cs 'map(.name)')"
	same '["of qa"]' "$(with session admin carol coopr-token list --all -o json | jq -cs 'map(.name)')"
	run -1 for_user ann coopr-token delete --as carol -T qa 2
	run -1 with session admin carol coopr-token delete 2
	same '["of qa","of dev"]' "$(for_user carol coopr-token list -T qa -o json | jq -cs 'map(.name)')"
	for_user carol coopr-token delete -T qa 2
	with session admin carol coopr-token delete 1
	same 0 "$(coopr-token list --all -o json | wc -l)"
}

@test "an administrator of a tenant sets no password of a user by acting as them" {
	coopr-user add -T qa -r admin ann
	coopr-user add bob
	coopr-user add -T qa mary
	coopr-member set -T qa bob
	run -1 for_user ann coopr-user password --as bob -T qa <<<'ten characters'
	run -1 for_user ann coopr-user password -T qa bob <<<'ten characters'
	for_user ann coopr-user password -T qa mary <<<'ten characters'
	for_user bob coopr-user password -T qa <<<'ten characters'
}

@test "a token makes no user, no code and no password, and a session none for its own user" {
	coopr-user add -T qa -r admin ann
	coopr-user add -T qa mary
	coopr-member set -T qa -r admin ann
	for role in user admin; do
		run -77 with token "$role" ann coopr-user add -T qa new
		run -77 with token "$role" ann coopr-user code -T qa mary
		run -77 with token "$role" ann coopr-user code -T qa ann
		for user in mary ann ''; do
			run with token "$role" ann coopr-user password -T qa ${user:+"$user"} <<<'ten characters'
			[ "$status" -ne 0 ]
		done
	done
	run -77 env COOPR_ASKER=root COOPR_ASKER_LIMIT='token 1 superadmin ' coopr-user add -r superadmin new
	same '["ann","mary"]' "$(coopr-user list -o json | jq -cs 'map(.user)')"
	sqlite3 "$COOPR_STATE/store.sqlite3" "INSERT INTO token (id, sum, kind, user, login, tenant, role, name, made_ms, ends_ms)
		SELECT 1, 'x', 'session', 'ann', 'ann', id, 'admin', '', 0, 9000000000000000 FROM tenant WHERE name = 'qa'"
	run -77 with session admin ann coopr-user code -T qa ann
	run -77 with session admin ann coopr-user code -T qa --as mary ann
	run -77 with session admin ann coopr-user password -T qa ann <<<'ten characters'
	run -0 with session admin ann coopr-user code -T qa mary
	same 0 "$(sqlite3 "$COOPR_STATE/store.sqlite3" 'SELECT count(*) FROM login WHERE password IS NOT NULL')"
}

@test "what runs for a token or a session ends with it" {
	coopr-user add -r superadmin zoe >/dev/null
	coopr-member set -T qa -r admin ann
	coopr-create -q --detach --as ann -T qa -t lamp -n 4 -P dummy shop
	serve --listen 127.0.0.1:0
	address=$(sed -n 's|.*serving on http://||p' serve.log)
	coopr-token create --as ann -T qa mine >token
	mkdir own
	env -u COOPR_SPOOL -u COOPR_STATE HOME="$PWD/own" COOPR_SERVER="http://$address" COOPR_TOKEN="$(cat token)" \
		coopr-events -f shop >seen 2>&1 3>&- &
	follower=$!
	until [ -s seen ]; do
		kill -0 "$follower"
		sleep 0.05
	done
	coopr-token delete "$(coopr-token list --all -o json | jq -r .id)"
	code=0
	wait "$follower" || code=$?
	same 129 "$code"
}

# Sends requests of ann's of which the end is missing, has a shell do something, sends the rest, and prints the statuses:
# held COMMAND REQUEST..., each "METHOD PATH FILE"; of those with * before the method all is sent at once.
held() {
	timeout 60 python3 -B - "$SOCKET" "$(cat token)" "$@" <<-'END'
		import socket, subprocess, sys
		where, token, command, *requests = sys.argv[1:]
		rests = []
		for request in requests:
		    method, path, file = request.split()
		    body = open(file, "rb").read()
		    one = socket.socket(socket.AF_UNIX)
		    one.connect(where)
		    head = "%s %s HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n"
		    one.sendall((head % (method.strip("*"), path, token, len(body))).encode())
		    kept = len(body) if method[0] == "*" else 1
		    one.sendall(body[:kept])
		    rests.append((one, body[kept:]))
		subprocess.run(["bash", "-c", command], check=True)
		for one, rest in rests:
		    one.sendall(rest)
		print(*[one.recv(4096)[9:12].decode() for one, rest in rests])
	END
}

# Makes ann an admin of qa, with a session in the file token.
log_in_anew() {
	coopr-user delete ann || true
	coopr-user add -T qa -r admin ann >code
	answers 200 POST /v1/session -D head -d "{\"code\": \"$(grep -m 1 ^coopr_ code)\"}"
	grep -o 'coopr_[^;]*' head >token
}

@test "what somebody has begun to send, or what waits for its turn, is not done once the token, the login or the role is gone" {
	coopr-store get imagetype debian12 | jq -c '{imagetypes: [.name = "sent"]}' >catalogue
	echo '{}' >object
	resource=/v1/resources/automator/shell/files
	serve_slowly list
	ln -s "$COOPR_BIN/../libexec/coopr/session" bin/coopr-session
	exec 9<>gate
	# As many commands run, and what was sent behind them has come, too.
	run_now() { echo "until [ \$(pgrep -c -P $server) = $1 ]; do sleep 0.1; done; curl -s --unix-socket $SOCKET http://a/healthz >&2"; }
	waiting=()
	for i in 1 2 3 4; do waiting+=("*GET /v1/clusters?tenant=qa&limit=$i /dev/null"); done
	for lost in 'coopr-token delete "$(coopr-token list --all -o json | jq .id)"' 'coopr-member set -T qa -r user ann' 'coopr-user delete ann'; do
		log_in_anew
		same "403 403" "$(held "$(run_now 2); $lost" "POST /v1/import?tenant=qa catalogue" "PUT $resource/a?tenant=qa&stage&sync catalogue")"
		log_in_anew
		same "200 200 200 200 403" "$(held "$(run_now 4); $lost; printf '\n\n\n\n' >gate" "${waiting[@]}" \
			"*PUT /v1/members/eve?tenant=qa object")"
	done
	same 0 "$(coopr-resource list -T qa -o json | wc -l)"
	run -1 coopr-store get -T qa imagetype sent
	run ! grep -w eve <(coopr-member list -T qa)
}

# A server that is asked from its own machine takes the asker for the owner of the store.
@test "whatever words a user has a server run a command with, it asks no other server, nor itself, for them" {
	unset COOPR_SPOOL
	coopr-user add -T qa ann >code
	serve
	answers 200 POST /v1/session -D head -d "{\"code\": \"$(grep -m 1 ^coopr_ code)\"}"
	grep -o 'coopr_[^;]*' head >token
	for path in "$COOPR_BIN"/coopr-*; do
		[ -x "$path" ] || continue
		command=${path##*/coopr-}
		echo "$command"
		"$path" --complete-options 2>/dev/null | sed -n "s/^subcommand\t\([a-z-]*\).*/$command \1/p"
	done >commands
	python3 -B - "$SOCKET" "$(cat token)" "$PWD/bait" <<-'END'
		import http.client, json, socket, struct, sys, urllib.parse
		where, token, bait = sys.argv[1:]
		trap = socket.socket(socket.AF_UNIX)
		trap.bind(bait)
		trap.listen(100)
		trap.setblocking(False)
		def ask(method, path, body, headers={}):
		    one = http.client.HTTPConnection("a")
		    one.sock = socket.socket(socket.AF_UNIX)
		    one.sock.settimeout(60)
		    one.sock.connect(where)
		    one.request(method, path, body, headers)
		    answer = one.getresponse()
		    status, text = answer.status, answer.read()
		    one.close()
		    try:
		        trap.accept()
		    except BlockingIOError:
		        return status, text
		    raise AssertionError((method, path, body))
		def frame(kind, data):
		    return struct.pack(">BI", kind, len(data)) + data
		def run(*words):
		    call = {"version": "0.2", "argv": words}
		    return ask("POST", "/v1/run", frame(7, json.dumps(call).encode()), {"Authorization": "Bearer " + token})
		tried = 0
		for server in "unix:" + bait, "unix:" + where:
		    for line in open("commands"):
		        command = line.split()
		        for words in [["--server", server], ["--server=" + server], ["--serve=" + server], ["x", "--server", server],
		                      ["-m", "--server=" + server], ["-T", "--server", server], ["-Tqa", "x", "--server=" + server]]:
		            status, text = run(*command, *words)
		            assert status in (200, 422), (command, words, status, text)
		            assert b"superadmin" not in text or b"only a superadmin" in text, (command, words, text)
		            tried += 1
		coopr = {"Coopr-UserID": "ann", "Coopr-TenantID": "qa", "Coopr-ApiKey": token}
		word = "--server=unix:" + bait
		for path in "/v2/clusters", "/v2/tenants", "/v2/clusters/x/services", "/v2/services", "/v2/resolve":
		    body = {name: word for name in ["name", "clusterTemplate", "provider", "hardwaretype", "imagetype", "description", "dnsSuffix", "tenant"]}
		    ask("POST", path, json.dumps({**body, "numMachines": word, "services": [word, word], "initialLeaseDuration": word}), coopr)
		    ask("POST", path, json.dumps({"name": "x", "clusterTemplate": "lamp", "numMachines": 3, "services": [word]}), coopr)
		for name in "cluster", "user", "start", "end", "groupby", "clustertemplate", "tenant", "status":
		    ask("GET", "/v2/metrics/nodes/usage?%s=%s" % (name, urllib.parse.quote(word)), None, coopr)
		    ask("GET", "/v2/plugins/automatortypes/shell/files/x?%s=%s" % (name, urllib.parse.quote(word)), None, coopr)
		assert tried > 400, tried
	END
}

# What it does with what a user says is up to who has written it; the server's command for that user may ask none all the same.
@test "hooks and plugins are run for the installation: they may ask a server, and are told nothing of who asked ours" {
	unset COOPR_SPOOL
	coopr-member set -T qa -r user ann
	stubborn_service
	coopr-import -T qa -yq mine
	mkdir -p home/.config/coopr/hooks
	cat >home/.config/coopr/hooks/look <<-EOT
		#!/bin/sh
		env | grep -e COOPR_ASKER -e COOPR_SENT >>"$PWD/told-\$1"
		env -u COOPR_SPOOL coopr-whoami --server="unix:/tmp/coopr-serve.$$/socket" -o json >>"$PWD/told-\$1" 2>&1
		echo '{"kind":"result","status":0}'
	EOT
	chmod 755 home/.config/coopr/hooks/look
	sed "s/told-/task-/" home/.config/coopr/hooks/look >plugins/automator/stubborn
	serve
	coopr-token create --as ann -T qa mine >token
	env -u COOPR_STATE HOME="$PWD/run" COOPR_SERVER="unix:$SOCKET" COOPR_TOKEN="$(cat token)" coopr-create -q -t lamp -n 4 -P dummy \
		-s apache,mysql,haproxy,stubborn shop
	for event in told-start told-success task-start; do
		same superadmin "$(jq -r .role "$event" | uniq)"
	done
}

@test "a command that runs for a user ends when the user is taken a role, and goes on when one is given" {
	coopr-member set -T qa -r admin ann
	coopr-create -q --detach --as ann -T qa -t lamp -n 4 -P dummy shop
	coopr-token create --as ann -T qa mine >token
	serve --listen 127.0.0.1:0
	mkdir own
	env -u COOPR_SPOOL -u COOPR_STATE HOME="$PWD/own" COOPR_SERVER="$(sed -n 's|.*serving on \(http://.*\)|\1|p' serve.log)" \
		COOPR_TOKEN="$(cat token)" coopr-events -f shop >seen 2>&1 3>&- &
	follower=$!
	until [ -s seen ]; do
		kill -0 "$follower"
		sleep 0.05
	done
	coopr-member set -T dev ann
	kill -0 "$follower"
	coopr-member set -T qa -r user ann
	code=0
	wait "$follower" || code=$?
	same 129 "$code"
}

@test "what the server says of who asks is believed of nobody who comes by sudo" {
	coopr-member set -T qa -r admin ann
	SUDO_USER=ann SUDO_UID=1 COOPR_ASKER=root COOPR_ASKER_LIMIT='token 1 superadmin ' COOPR_ASKER_FROM='192.0.2.7 token 7' \
		coopr-member set -T qa eve
	COOPR_ASKER=ann COOPR_ASKER_FROM='nowhere token 8' coopr-member set -T qa eve -r read-only
	coopr-audit -T qa -o json >audit
	[ "$(grep -c '"ann"' audit)" -ge 2 ]
	run ! grep -E '192.0.2.7|nowhere|token 7' audit
}
