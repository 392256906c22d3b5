#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Requests that are sent again, with an Idempotency-Key: see coopr-api(7).

load case
load serve

setup() {
	serve_setup
}

teardown() {
	serve_end
}

# Sends a request with a key: with KEY STATUS METHOD PATH [CURL-ARGUMENT...]; the head of the answer is in head.
with() {
	answers "${@:2:3}" -D head -H "Idempotency-Key: $1" "${@:5}"
}

replayed() {
	grep -qi '^Idempotency-Replayed: true' head
}

# How many changes the audit log has.
changes() {
	coopr-audit --all-tenants -o json | wc -l
}

SHOP='{"name": "shop", "template": "lamp", "machines": 4, "provider": "dummy"}'

@test "what is sent again with the same key is done once, and is answered the same" {
	serve
	with k1 202 POST /v1/clusters -d "$SHOP"
	run ! replayed
	cp body first
	grep -i ^Location head >where
	with k1 202 POST /v1/clusters -d "$SHOP"
	replayed
	cmp first body
	grep -i ^Location head | diff where -
	coopr-work --drain
	with k1 202 POST /v1/clusters -d "$SHOP"
	same 1 "$(coopr-list -o name | wc -l)"

	with k2 202 POST /v1/clusters/shop/expand -d '{"machines": 5}'
	coopr-work --drain
	with k2 202 POST /v1/clusters/shop/expand -d '{"machines": 5}'
	replayed
	same 2 "$(coopr-history shop -o json | wc -l)"

	# Requests that would be refused the second time, or would change something again.
	with k3 204 POST /v1/tenants -d '{"name": "qa"}'
	with k3 204 POST /v1/tenants -d '{"name": "qa"}'
	answers 409 POST /v1/tenants -d '{"name": "qa"}'
	echo '{"kind": "hardwaretype", "name": "huge", "providermap": {"dummy": {"flavor": "huge"}}}' >huge.json
	with k4 200 POST /v1/entities --data-binary @huge.json
	cp body first
	with k4 200 POST /v1/entities --data-binary @huge.json
	cmp first body
	same 1 "$(coopr-store history -o json hardwaretype huge | wc -l)"
	with k5 202 DELETE /v1/clusters/shop -H 'If-Match: *' -d '{"discard-data": true}'
	coopr-work --drain
	with k5 202 DELETE /v1/clusters/shop -H 'If-Match: *' -d '{"discard-data": true}'
	replayed

	# No machine of it is there yet: there is no job.
	answers 202 POST /v1/clusters -d "$SHOP"
	with k6 204 DELETE /v1/clusters/shop -H 'If-Match: *'
	with k6 204 DELETE /v1/clusters/shop -H 'If-Match: *'
	replayed
	answers 412 DELETE /v1/clusters/shop -H 'If-Match: *'
}

@test "another request with the same key is refused; another user, tenant, method or path has keys of its own" {
	serve
	coopr-tenant create qa
	coopr-tenant create dev
	with k 204 PUT /v1/members/ann -d '{"tenant": "qa", "role": "user"}'
	with k 422 PUT /v1/members/ann -d '{"tenant": "qa", "role": "admin"}'
	contains "$(jq -r .detail body)" "another request was sent with this Idempotency-Key"
	with k 204 PUT /v1/members/ann -d '{"tenant": "dev", "role": "admin"}'
	with k 204 PUT /v1/members/bob -d '{"tenant": "qa", "role": "admin"}'
	with k 204 DELETE '/v1/members/bob?tenant=qa'
	same '["ann"]' "$(coopr-member list -T qa -o json | jq -cs '[.[].user]')"
	# The same words in another order are the same request.
	with k 204 PUT /v1/members/ann -d '{"role": "user", "tenant": "qa"}'
	replayed

	token=$(coopr-token create -o json mine | jq -r .token)
	with k 204 PUT /v1/members/ann -H "Authorization: Bearer $token" -d '{"tenant": "qa", "role": "user"}'
	answers 400 PUT /v1/members/ann -H 'Idempotency-Key;' -d '{"tenant": "qa", "role": "user"}'
	answers 400 PUT /v1/members/ann -H "Idempotency-Key: $(printf '%0256d' 0)" -d '{"tenant": "qa", "role": "user"}'
}

@test "the values of secrets are not compared, and what is kept of a request tells nobody what was sent" {
	serve
	with k1 204 PUT /v1/secrets/word --data-binary tulip
	with k1 204 PUT /v1/secrets/word --data-binary rose
	replayed
	with k2 204 PUT /v1/secrets/word --data-binary rose
	for key in p1:tulip p2:rose p3:tulip; do
		with "$key" 200 PUT /v2/providers/dummy -H "Coopr-UserID: $(id -un)" -H 'Coopr-TenantID: superadmin' \
			-d "{\"name\": \"dummy\", \"providertype\": \"dummy\", \"provisioner\": {\"api_password\": \"${key#*:}\"}}"
	done
	same '5|5' "$(sqlite3 "$COOPR_STATE/store.sqlite3" "SELECT count(DISTINCT substr(request, 1, 64)), count(DISTINCT substr(request, 66, 64))
		FROM audit WHERE request <> ''")"
}

@test "a client of Coopr has keys of its own in each tenant that it names, and as each user" {
	serve
	coopr-tenant create qa
	coopr-tenant create dev
	coopr-member set ann -r admin -T qa
	coopr-member set ann -r admin -T dev
	coopr-member set bob -r admin -T qa
	for who in ann:qa ann:dev bob:qa; do
		with k 200 POST /v2/providers -H "Coopr-UserID: ${who%:*}" -H "Coopr-TenantID: ${who#*:}" \
			-d "{\"name\": \"mine-${who%:*}\", \"providertype\": \"dummy\"}"
		run ! replayed
	done
	same 'providers/mine-ann providers/mine-bob' "$(coopr-store list -T qa provider -o name | grep mine | paste -sd ' ')"
	same providers/mine-ann "$(coopr-store list -T dev provider -o name | grep mine)"
	with k 200 POST /v2/providers -H 'Coopr-UserID: ann' -H 'Coopr-TenantID: dev' -d '{"name": "mine-ann", "providertype": "dummy"}'
	replayed
}

@test "what is done in the name of another, and what only the queue knows, is done once, too" {
	serve
	coopr-tenant create qa
	coopr-member set ann -r admin -T superadmin
	with k 204 'POST' '/v1/tenants?as=ann' -d '{"name": "dev"}'
	with k 204 'POST' '/v1/tenants?as=ann' -d '{"name": "dev"}'
	replayed
	answers 202 POST /v1/clusters -d "$SHOP"
	for verb in pause resume abort; do
		with "$verb" 204 POST "/v1/clusters/shop/$verb" -d '{}'
		with "$verb" 204 POST "/v1/clusters/shop/$verb" -d '{}'
		replayed
	done
}

@test "what has changed nothing is done anew" {
	serve
	with k 404 POST /v1/clusters/shop/expand -d '{"machines": 5}'
	answers 202 POST /v1/clusters -d "$SHOP"
	coopr-work --drain
	with k 202 POST /v1/clusters/shop/expand -d '{"machines": 5}'
	run ! replayed
	coopr-work --drain
	with p 200 POST /v1/clusters/shop/expand -d '{"machines": 6, "dry-run": true}'
	with p 200 POST /v1/clusters/shop/expand -d '{"machines": 6, "dry-run": true}'
	run ! replayed
	with p 202 POST /v1/clusters/shop/expand -d '{"machines": 6}'
}

@test "while the first is being done, the second waits for the same answer" {
	serve_slowly create
	for i in 1 2; do
		: >"sent.$i"
		curl -sS --unix-socket "$SOCKET" -H 'Idempotency-Key: k' -d "$SHOP" -o "answer.$i" -w '%{http_code}' --trace-ascii "sent.$i" \
			http://coopr/v1/clusters >"status.$i" 3>&- &
		senders+=($!)
		until [ -e began ] && grep -q '=> Send data' "sent.$i"; do kill -0 $!; sleep 0.05; done
	done
	with k 422 POST /v1/clusters -d "${SHOP/4/5}"
	echo '{"kind":"begun","job":"00000009-001"}' >answer
	echo answer >gate
	wait "${senders[@]}"
	cmp answer.1 answer.2
	same 202202 "$(cat status.1 status.2)"
}

@test "a server that was killed has done it, or has not: sent again it is done once" {
	serve
	with k1 202 POST /v1/clusters -d "$SHOP"
	with k2 204 POST /v1/tenants -d '{"name": "qa"}'
	with k3 200 POST /v1/tokens -d '{"name": "laptop"}'
	kill -KILL "$server"
	wait "$server" || true
	serve
	with k1 202 POST /v1/clusters -d "$SHOP"
	replayed
	contains "$(cat head)" "Location: /v1/clusters/00000001"
	same 00000001 "$(jq -r .cluster body)"
	with k1 422 POST /v1/clusters -d "${SHOP/4/5}"
	with k2 204 POST /v1/tenants -d '{"name": "qa"}'
	replayed
	with k3 409 POST /v1/tokens -d '{"name": "laptop"}'
	contains "$(jq -r .detail body)" "was carried out at"
	same 1 "$(coopr-token list -o json | wc -l)"
	with k4 204 POST /v1/tenants -d '{"name": "dev"}'
	run ! replayed
}

@test "what the command of a killed server does meanwhile is the answer, and not that it is done already" {
	mkdir bin
	cp "$COOPR_BIN/coopr-serve" bin
	cat >bin/coopr-create <<-EOT
		#!/bin/sh
		[ "\$1" = --complete-options ] && exec "$COOPR_BIN/coopr-create" "\$@"
		gate=$PWD/gate.\$((\$(wc -l <"$PWD/began") + 1)) # before the next one is begun
		echo >>"$PWD/began"
		read -r _ <"\$gate"
		"$COOPR_BIN/coopr-create" "\$@"
		code=\$?
		echo >>"$PWD/ended"
		exit \$code
	EOT
	chmod +x bin/coopr-create
	mkfifo gate.1 gate.2
	: >began >ended
	for i in 1 2; do
		PATH=$PWD/bin:$PATH serve
		curl -sS --unix-socket "$SOCKET" -H 'Idempotency-Key: k' -d "$SHOP" -o body -D head http://coopr/v1/clusters 3>&- &
		sender=$!
		until [ "$(wc -l <began)" -eq "$i" ]; do kill -0 "$sender"; sleep 0.05; done
		[ "$i" -eq 2 ] || kill -KILL "$server"
	done
	echo >gate.1
	until [ -s ended ]; do kill -0 "$sender"; sleep 0.05; done
	echo >gate.2
	wait "$sender"
	contains "$(head -n 1 head)" 202
	replayed
	same '"00000001-001"' "$(jq -c .job body)"
	same 1 "$(coopr-list -o name | wc -l)"
}

@test "a token is shown once, also to who asks for it again" {
	serve
	with k 200 POST /v1/tokens -d '{"name": "laptop"}'
	with k 409 POST /v1/tokens -d '{"name": "laptop"}'
	run ! grep -q coopr_ body
	same 1 "$(coopr-token list -o json | wc -l)"
}

@test "two servers of one store do a request once" {
	COOPR_ASKER=$(id -un)
	export COOPR_ASKER
	COOPR_ASKER_REQUEST="key body 1" coopr-tenant create -y qa
	COOPR_ASKER_REQUEST="key body 1" coopr-tenant change -y --clusters 3 qa
	COOPR_ASKER_REQUEST="key body 2" run --separate-stderr -73 coopr-tenant create -y dev
	contains "$stderr" "a request with this Idempotency-Key was carried out before"
	COOPR_ASKER_REQUEST="ke body 2" coopr-tenant create -y dev
	same "default dev qa superadmin" "$(coopr-tenant list -o name | xargs)"
	coopr-audit --verify
	# The chain has it.
	sqlite3 "$COOPR_STATE/store.sqlite3" "DROP TRIGGER IF EXISTS audit_unaltered; UPDATE audit SET request = 'key body 3' WHERE request = 'key body 1'"
	run -1 coopr-audit --verify
}
