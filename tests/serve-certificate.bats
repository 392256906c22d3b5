#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Who shows a certificate to coopr-serve(1).

load case
load serve

setup() {
	serve_setup
	need_program openssl
	coopr-tenant create qa
	coopr-tenant create dev
	coopr-user add -T qa -r admin ann >/dev/null
	coopr-member set -T dev -r admin ann
	coopr-user add -r superadmin zoe >/dev/null
	authority ours
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout key -out cert -days 30 -subj /CN=localhost \
		-addext subjectAltName=IP:127.0.0.1 2>/dev/null
}

teardown() {
	serve_end
}

# Makes an authority, in a folder of its own: authority NAME
authority() {
	mkdir "$1"
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$1/key" -out "$1/ca" -days 30 -subj "/CN=$1" 2>/dev/null
	: >"$1/index"
	echo 01 >"$1/serial"
	cat >"$1/conf" <<-END
		[ca]
		default_ca = own
		[own]
		database = $1/index
		serial = $1/serial
		new_certs_dir = $1
		certificate = $1/ca
		private_key = $1/key
		default_md = sha256
		default_days = 7
		default_crl_days = 7
		policy = any
		copy_extensions = copy
		unique_subject = no
		[any]
		commonName = optional
		organizationName = optional
	END
}

# Has it sign a certificate, FILE.crt with FILE.key: signs AUTHORITY FILE SUBJECT [ARGUMENT-OF-CA...]
signs() {
	openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$2.key" -out "$2.csr" -subj "$3" ${PURPOSE:+-addext "extendedKeyUsage=$PURPOSE"} 2>/dev/null
	openssl ca -batch -config "$1/conf" -in "$2.csr" -out "$2.crt" -notext "${@:4}" 2>/dev/null
}

# Serves with TLS at $address.
serve_tls() {
	serve --listen 127.0.0.1:0 --cert cert --key key --client-ca ours/ca "$@"
	address=$(sed -n 's|.*serving on https://||p' serve.log)
}

# Asks with a certificate: shows STATUS FILE PATH [CURL-ARGUMENT...]; "": without one
shows() {
	status=$(curl -sS --cacert cert -o body -w '%{http_code}' ${2:+--cert "$2.crt" --key "$2.key"} "${@:4}" "https://$address$3") || return 1
	[ "$status" = "$1" ] || {
		echo "$2 $3: $status"
		cat body
		return 1
	}
}

@test "a certificate is that of the user whom its common name names, who is limited as a login is, and makes nothing that lets somebody in" {
	signs ours ann /O=x/CN=ann
	signs ours zoe /CN=zoe
	serve_tls
	shows 200 ann /v1/session
	same '["ann","qa",[{"name":"qa","role":"admin"}]]' "$(jq -c '[.user, .tenant, .tenants]' body)"
	shows 404 ann '/v1/members?tenant=dev'
	shows 204 ann /v1/members/eve -X PUT -d '{}'
	coopr-audit -T qa -o json | jq -r 'select(.object == "member eve") | "\(.user) \(.address) \(.via)"' >found
	contains "$(cat found)" "ann 127.0.0.1 certificate"
	shows 403 ann /v1/members/eve -X PUT -d '{}' -H 'Origin: https://evil.example'
	shows 403 ann /v1/tokens -d '{"name": "x"}'
	shows 403 ann /v1/users -d '{"name": "x"}'
	shows 200 zoe /v1/session
	same superadmin "$(jq -r .role body)"
	shows 403 zoe /v1/users -d '{"name": "x", "role": "superadmin"}'
	shows 401 '' /v1/session
	coopr-token create -T dev --as zoe mine >token
	shows 200 ann /v1/session -H "Authorization: Bearer $(cat token)"
	same zoe "$(jq -r .user body)"
	shows 200 ann /v2/clustertemplates -H 'Coopr-UserID: ann' -H 'Coopr-TenantID: qa'
	shows 401 ann /v2/clustertemplates -H 'Coopr-UserID: zoe' -H 'Coopr-TenantID: qa'
}

@test "a certificate of another authority, that has expired, is for servers, or has no name or another, is not believed" {
	authority theirs
	signs theirs other /CN=ann
	signs ours old /CN=ann -startdate 20200101000000Z -enddate 20200102000000Z
	signs ours later /CN=ann -startdate "$(date -u -d '+2 days' +%Y%m%d%H%M%SZ)"
	PURPOSE=serverAuth signs ours server /CN=ann
	PURPOSE=clientAuth signs ours client /CN=ann
	signs ours nobody /CN=eve
	signs ours nameless /O=ann
	signs ours two /CN=ann/CN=zoe
	signs ours owner "/CN=$(id -un)"
	signs ours path '/CN=..\/ann'
	serve_tls
	shows 200 client /v1/session
	for name in other old later server nobody nameless two owner path; do
		shows 401 "$name" /v1/session
	done
	shows 401 old /v1/session
	contains "$(jq -r .detail body)" "expired"
	shows 401 nobody /v1/session
	contains "$(jq -r .detail body)" "coopr user add"
	run -64 coopr-serve --client-ca ours/ca
	run -65 coopr-serve --cert cert --key key --client-ca key
	run -65 coopr-serve --cert cert --key key --client-ca ours/ca --client-crl cert
	run -66 coopr-serve --cert cert --key key --client-ca nothing
}

# Follows what happens, in the background, with the certificate of FILE, as server-sent events and as a command; until both have begun:
# follows FILE
follows() {
	local shown=(-sSN --cacert cert --cert "$1.crt" --key "$1.key")

	curl "${shown[@]}" -H 'Accept: text/event-stream' "https://$address/v1/events" >events 3>&- &
	follower=$!
	jq -cjn '{version: "0.2", argv: ["events", "-f"]}' >call
	{
		printf '\7\0\0\0%b' "\\x$(printf %x "$(stat -c %s call)")"
		cat call
	} >frames
	curl "${shown[@]}" --data-binary @frames "https://$address/v1/run" >ran 3>&- &
	runner=$!
	until grep -q '^id:' events && [ -s ran ]; do
		kill -0 "$follower"
		kill -0 "$runner"
		sleep 0.05
	done
}

@test "who is revoked, or whose user is deleted, is not let in any more, nor goes on to follow" {
	signs ours ann /CN=ann
	signs ours zoe /CN=zoe
	openssl ca -config ours/conf -gencrl -out crl 2>/dev/null
	serve_tls --client-crl crl
	shows 200 ann /v1/session
	shows 200 zoe /v1/session
	follows zoe
	coopr-user delete zoe
	wait "$follower"
	wait "$runner"
	shows 401 zoe /v1/session
	follows ann
	openssl ca -config ours/conf -revoke ann.crt 2>/dev/null
	openssl ca -config ours/conf -gencrl -out crl 2>/dev/null
	kill -HUP "$server"
	until [ "$(curl -sS --cacert cert -o body -w '%{http_code}' --cert ann.crt --key ann.key "https://$address/v1/session")" = 401 ]; do
		kill -0 "$server"
		sleep 0.05
	done
	contains "$(jq -r .detail body)" "revoked"
	wait "$follower"
	wait "$runner"
	cp key crl
	kill -HUP "$server"
	until grep -q "what was read before is kept" serve.log; do
		kill -0 "$server"
		sleep 0.05
	done
	shows 401 ann /v1/session
}

# What an answer to who asks for that host says of TLS: tls_only HOST [CURL-ARGUMENT...]
tls_only() {
	curl -sS --cacert ours/ca -o body -D - "${@:2}" --resolve "$1:${address##*:}:127.0.0.1" "https://$1:${address##*:}/" | sed -n 's/^Strict-Transport-Security: \(.*\)\r$/\1/p'
}

@test "browsers are told to come by TLS alone, unless that would lock somebody out" {
	PURPOSE=serverAuth signs ours site /CN=coopr.example.net -extensions names -extfile <(printf '[names]\nsubjectAltName=DNS:coopr.example.net,DNS:localhost,DNS:a.localhost,IP:127.0.0.1\n')
	serve --listen 127.0.0.1:0 --cert site.crt --key site.key
	address=$(sed -n 's|.*serving on https://||p' serve.log)
	same max-age=31536000 "$(tls_only coopr.example.net)"
	for host in localhost a.localhost 127.0.0.1; do
		same "" "$(tls_only $host)"
	done
	cp cert site.crt
	cp key site.key
	kill -HUP "$server"
	until [ -z "$(tls_only coopr.example.net -k)" ]; do kill -0 "$server"; sleep 0.05; done # it has signed itself
	serve_end
	signs ours site /CN=coopr.example.net -extensions names -extfile <(printf '[names]\nsubjectAltName=DNS:coopr.example.net\n')
	serve --listen 127.0.0.1:0 --cert site.crt --key site.key --hsts 0
	address=$(sed -n 's|.*serving on https://||p' serve.log)
	same max-age=0 "$(tls_only coopr.example.net)"
	same "" "$(curl -sS -o body -D - --unix-socket "$SOCKET" http://coopr.example.net/ | grep -i strict-transport || true)"
	for wrong in -1 1 1y ''; do
		run -64 coopr-serve --hsts "$wrong"
	done
}
