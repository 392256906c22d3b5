#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-clouds(7): how a cloud is reached. tests/cloud/front.py stands before the fakes, with TLS, as a proxy, or elsewhere.

load case
load provider
load cloud

LIST='GET /v2/droplets'

setup() {
	need_program python3 openssl
	fresh
	unset all_proxy no_proxy ALL_PROXY HTTPS_PROXY NO_PROXY
}

teardown() {
	fake_end
}

# A certificate of nobody but itself, NAME.crt with NAME.key: certificate NAME SUBJECT-ALTERNATIVE-NAMES
certificate() {
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$1.key" -out "$1.crt" -days 2 -subj "/CN=$1" \
		-addext "subjectAltName=$2" 2>/dev/null
}

# Starts one before the fake; what it is asked is in NAME.log, and its port in $PORT: front NAME [ARGUMENT...]
front() {
	: >"$1.log"
	python3 "$COOPR_ROOT/tests/cloud/front.py" "$1.port" "$1.log" --before "${FAKE##*:}" "${@:2}" <fake.alive 3>&- 9>&- &
	until [ -s "$1.port" ]; do kill -0 $!; sleep 0.02; done
	PORT=$(cat "$1.port")
}

# A cloud at a URL, with more fields.
digitalocean() {
	PROVIDER=$(jq -cn --arg endpoint "$1" --argjson more "${2:-{\}}" '{name: "do", providertype: "digitalocean",
		provisioner: ({api_token: "secret-token", endpoint: $endpoint, ssh_keypair: "512189", requests_per_second: 1000, consistency_s: 1, poll_s: 0.1} + $more)}')
}

# A daemon at a URL, of containers or of LXD: daemon TYPE URL [FIELDS]
daemon() {
	PROVIDER=$(jq -cn --arg type "$1" --arg endpoint "$2" --arg folder "$PWD" --argjson more "${3:-{\}}" '{name: "lab", providertype: $type,
		provisioner: ({endpoint: $endpoint, ca_file: "\($folder)/cloud.crt", public_key: "ssh-ed25519 AAAA test", poll_s: 0.1, consistency_s: 1} + $more)}')
}

# The list, with these variables in its environment: list_by [NAME=VALUE...]
list_by() (
	[ $# -eq 0 ] || export "$@"
	ask list
)

# The list is what the cloud has, which is nothing, and it was asked: is_listed [NAME=VALUE...]
is_listed() {
	local before

	before=$(requests GET)
	run -0 list_by "$@"
	same "" "$output"
	[ "$(requests GET)" -gt "$before" ]
}

# Nothing was listed, the message has these words, and the cloud was asked nothing: is_refused STATUS WORDS
is_refused() {
	local before

	before=$(requests GET)
	run "-$1" ask list
	contains "$output" "$2"
	same "$before" "$(requests GET)"
}

@test "a private authority is trusted where ca_file names it, and only there; tls_unverified takes TLS from whoever answers" {
	fake_start digitalocean
	certificate cloud IP:127.0.0.1
	certificate other IP:127.0.0.1
	front tls --certificate cloud.crt --key cloud.key
	digitalocean "https://127.0.0.1:$PORT"
	is_refused 69 "self-signed certificate"
	digitalocean "https://127.0.0.1:$PORT" "{\"ca_file\":\"$PWD/other.crt\"}"
	is_refused 69 "self-signed certificate"
	digitalocean "https://127.0.0.1:$PORT" "{\"ca_file\":\"$PWD/none.crt\"}"
	is_refused 69 none.crt
	same 0 "$(wc -l <tls.log)"
	digitalocean "https://127.0.0.1:$PORT" "{\"ca_file\":\"$PWD/cloud.crt\"}"
	is_listed
	digitalocean "https://127.0.0.1:$PORT" '{"tls_unverified":true}'
	is_listed
	same 2 "$(grep -c "^$LIST.* secret-token -$" tls.log)"
}

@test "a server whose certificate has another name gets no credentials, whoever has signed it" {
	fake_start digitalocean
	certificate cloud DNS:elsewhere.example
	front tls --certificate cloud.crt --key cloud.key
	digitalocean "https://127.0.0.1:$PORT" "{\"ca_file\":\"$PWD/cloud.crt\"}"
	is_refused 69 "https://127.0.0.1:$PORT/v2/droplets"
	contains "$output" "no alternative certificate subject name matches"
	same 0 "$(wc -l <tls.log)"
	digitalocean "https://127.0.0.1:$PORT" '{"tls_unverified":true}'
	is_listed
}

@test "a redirection is not followed, neither with credentials nor without, and is told" {
	fake_start digitalocean
	front elsewhere
	URL=http://127.0.0.1:$PORT
	front get --to "$URL" --of GET
	digitalocean "http://127.0.0.1:$PORT"
	is_refused 78 "GET /v2/droplets: 307"
	front post --to "$URL" --of POST
	digitalocean "http://127.0.0.1:$PORT"
	IMAGE=debian-12-x64 do_task create 1000
	fails_as '78 permanent' "POST /v2/droplets: 307"
	same 0 "$(wc -l <elsewhere.log)"
	same 0 "$(machines)"
}

@test "a proxy carries what is sent: the field's, or the environment's, but for hosts in no_proxy" {
	fake_start digitalocean
	front proxy
	digitalocean "$FAKE" "{\"proxy\":\"http://127.0.0.1:$PORT\"}"
	is_listed
	same 1 "$(grep -c "^GET $FAKE/v2/droplets" proxy.log)"
	is_listed no_proxy=127.0.0.1
	digitalocean "$FAKE"
	is_listed
	is_listed "http_proxy=http://127.0.0.1:$PORT" no_proxy=127.0.0.1
	same 1 "$(wc -l <proxy.log)"
	is_listed "http_proxy=http://127.0.0.1:$PORT"
	same 2 "$(grep -c "^GET $FAKE/v2/droplets" proxy.log)"
	# The field goes before the environment, where nobody listens.
	digitalocean "$FAKE" "{\"proxy\":\"http://127.0.0.1:$PORT\"}"
	is_listed http_proxy=http://127.0.0.1:1
	same 3 "$(wc -l <proxy.log)"
}

@test "through a proxy, TLS is with the cloud: the proxy hears no credentials, and a wrong name is refused" {
	fake_start digitalocean
	certificate cloud IP:127.0.0.1
	certificate wrong DNS:elsewhere.example
	front proxy
	PROXY=http://127.0.0.1:$PORT
	front tls --certificate cloud.crt --key cloud.key
	digitalocean "https://127.0.0.1:$PORT" "{\"proxy\":\"$PROXY\",\"ca_file\":\"$PWD/cloud.crt\"}"
	is_listed
	same "CONNECT 127.0.0.1:$PORT - -" "$(cat proxy.log)"
	same 1 "$(grep -c "^$LIST.* secret-token -$" tls.log)"
	front wrong --certificate wrong.crt --key wrong.key
	digitalocean "https://127.0.0.1:$PORT" "{\"proxy\":\"$PROXY\",\"ca_file\":\"$PWD/wrong.crt\"}"
	is_refused 69 "no alternative certificate subject name matches"
	same "2 0" "$(wc -l <proxy.log) $(wc -l <wrong.log)"
}

@test "a cloud at an address of IPv6 is reached, also by TLS, which knows it by that address" {
	python3 -c 'import socket; socket.create_server(("::1", 0), family=socket.AF_INET6)' 2>/dev/null || skip "there is no address ::1"
	fake_start digitalocean
	certificate cloud IP:::1
	front plain --at ::1
	digitalocean "http://[::1]:$PORT"
	is_listed
	front tls --at ::1 --certificate cloud.crt --key cloud.key
	digitalocean "https://[::1]:$PORT" "{\"ca_file\":\"$PWD/cloud.crt\"}"
	is_listed
	same "1 1" "$(grep -c secret-token plain.log) $(grep -c secret-token tls.log)"
}

@test "a daemon of containers, and one of LXD, knows us by client_certificate and client_key" {
	local type

	certificate cloud IP:127.0.0.1
	certificate ours DNS:ours
	for type in podman lxd; do
		fake_start "$type"
		front "$type" --certificate cloud.crt --key cloud.key --clients ours.crt
		run ! curl -sS --cacert cloud.crt "https://127.0.0.1:$PORT"
		daemon "$type" "https://127.0.0.1:$PORT" "{\"client_certificate\":\"$PWD/ours.crt\",\"client_key\":\"$PWD/ours.key\"}"
		is_listed
		contains "$(cat "$type.log")" " ours"
		run -1 grep -v " ours$" "$type.log"
		fake_end
		rm fake.alive fake.port
	done
}
