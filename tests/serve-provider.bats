#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Who logs in to coopr-serve(1) at an OpenID provider: coopr-security(7). The provider is a small one that lies as it is told, or
# the package oidc-provider of npm, which NODE_PATH has.

load case
load serve

setup() {
	serve_setup
	need_program node
	coopr-tenant create qa
	coopr-user add -T qa -r admin ann >/dev/null
	coopr-user add -r superadmin zoe >/dev/null
}

teardown() {
	[ -z "${provider-}" ] || {
		kill "$provider"
		wait "$provider" || true
	}
	serve_end
}

# Starts the provider, which is $issuer: provider [ARGUMENT...]
provider() {
	node "$BATS_TEST_DIRNAME/oidc-provider.cjs" "$@" >issuer 2>provider.log 3>&- &
	provider=$!
	until [ -s issuer ]; do
		kill -0 "$provider" || {
			cat provider.log
			return 1
		}
	done
	issuer=$(cat issuer)
}

# Writes the settings, with more members: settings [JSON]
settings() {
	jq -n --arg issuer "$issuer" '{issuer: $issuer, client_id: "coopr", client_secret: "se/cret", redirect: "https://coopr.example.net/"}' >settings.new
	jq -s add settings.new <(echo "${1:-{\}}") >settings
	chmod 600 settings
}

# Nobody waits because others have failed.
patient() {
	sqlite3 "$COOPR_STATE/store.sqlite3" 'DELETE FROM login_attempt'
}

# Begins: the record is in the file begun.
begins() {
	answers 200 POST /v1/session/provider -d '{}'
	cp body begun
}

# Makes the code of a case: code CASE [CLAIMS]
code() {
	jq -cj --arg how "$1" --argjson claims "${2:-{\}}" \
		'{as: $how, nonce, claims: $claims, challenge: (.address | capture("code_challenge=(?<c>[^&]*)").c)}' begun |
		basenc --base64url -w 0 | tr -d =
}

# Comes back with a code: comes STATUS CODE
comes() {
	answers "$1" POST /v1/session -D head -d "$(jq -c --arg code "$2" '{provider_code: $code, verifier, nonce}' begun)"
}

@test "the page is sent to the provider with state, nonce and the challenge of a verifier, each time others" {
	provider
	settings
	serve --oidc settings
	answers 200 GET /v1/version
	same true "$(jq .provider body)"
	begins
	address=$(jq -r .address body)
	contains "$address" "$issuer/auth?hint=1&response_type=code&client_id=coopr&redirect_uri=https%3A%2F%2Fcoopr.example.net%2F&scope=openid%20profile%20email&state=$(jq -r .state begun)&nonce=$(jq -r .nonce begun)&code_challenge="
	contains "$address" "&code_challenge_method=S256"
	challenge=${address#*code_challenge=}
	same "$(jq -j .verifier begun | openssl dgst -sha256 -binary | basenc --base64url | tr -d =)" "${challenge%%&*}"
	cp begun before
	begins
	for member in state nonce verifier; do
		[ "$(jq -r ".$member" begun)" != "$(jq -r ".$member" before)" ]
	done
	answers 403 POST /v1/session/provider -d '{}' -H 'Origin: https://evil.example'
	run ! grep -F 'se/cret' body serve.log
}

@test "who comes back with a code of the provider has a session, as limited as the login is, until the user is deleted" {
	provider
	settings
	serve --oidc settings
	for as in good es256 'no kid'; do
		begins
		comes 200 "$(code "$as")"
		same ann "$(jq -r .user body)"
	done
	contains "$(cat head)" "SameSite=Strict"
	sed -n 's/^Set-Cookie: \(coopr=[^;]*\).*/\1/p' head >cookie
	answers 200 GET /v1/session -H "Cookie: $(cat cookie)"
	same '["ann","qa",[{"name":"qa","role":"admin"}]]' "$(jq -c '[.user, .tenant, .tenants]' body)"
	comes 200 "$(code good '{"aud": ["coopr"]}')"
	comes 200 "$(code good '{"aud": ["other", "coopr"], "azp": "coopr"}')"
	comes 200 "$(code good '{"sub": "zoe"}')"
	same zoe "$(jq -r .user body)"
	curl -sS "$issuer/rotate" >/dev/null
	comes 401 "$(code good)"
	comes 200 "$(code fresh)"
	coopr-audit --all-tenants -o json | jq -r 'select(.action == "login") | .user' >found
	[ "$(grep -c zoe found)" -ge 1 ]
	coopr-user delete ann
	answers 401 GET /v1/session -H "Cookie: $(cat cookie)"
	comes 401 "$(code fresh)"
	contains "$(jq -r .detail body)" "ann does not log in here"
}

@test "an ID token that is not signed by the provider, or not for this login here and now, lets nobody in" {
	provider
	settings
	serve --oidc settings
	begins
	while read -r as; do
		patient
		comes 401 "$(code "$as")" || {
			echo "$as"
			return 1
		}
	done <<-'END'
		none
		none signed
		hs256 of the public key
		hs256 of the secret
		rs256 by a symmetric key
		stranger
		stranger with a jwk
		stranger with a jku
		small
		key for encryption
		algorithm of another key
		critical
		other claims
		two parts
		four parts
		padded
		not JSON
		a list
		nothing
	END
	while read -r claims; do
		patient
		comes 401 "$(code good "$claims")" || {
			echo "$claims"
			return 1
		}
	done <<-'END'
		{"iss": "https://evil.example"}
		{"iss": null}
		{"aud": "other"}
		{"aud": ["coopr", "other"]}
		{"aud": ["coopr"], "azp": "other"}
		{"aud": []}
		{"aud": null}
		{"exp": 1}
		{"exp": null}
		{"exp": "tomorrow"}
		{"iat": 99999999999}
		{"nbf": 99999999999}
		{"nonce": "another"}
		{"nonce": null}
		{"sub": ""}
		{"sub": null}
		{"sub": "eve"}
		{"sub": "../ann"}
		{"sub": 7}
	END
	patient
	jq '.verifier = "another"' begun >other && comes 200 "$(code good)"
	mv other begun
	comes 401 "$(code good)"
	same 1 "$(coopr-token list --all -o json | jq -s 'map(select(.of == "session")) | length')"
	same 0 "$(coopr-audit --all-tenants -o json | jq -r 'select(.action == "login" and .user != "ann")' | wc -l)"
}

@test "a user may be named by another claim, or by a list; an address of e-mail counts where it is verified" {
	provider
	settings '{"claim": "email", "users": {"ann@example.net": "ann", "eve@example.net": "../zoe"}}'
	serve --oidc settings
	begins
	comes 200 "$(code good '{"sub": "8271", "email": "ann@example.net", "email_verified": true}')"
	for claims in '{"email": "ann@example.net"}' '{"email": "ann@example.net", "email_verified": false}' '{"email": "ann@example.net", "email_verified": "true"}' \
		'{"email": "eve@example.net", "email_verified": true}' '{"email": "zoe", "email_verified": true}' '{}'; do
		patient
		comes 401 "$(code good "$claims")"
	done
}

@test "groups of the user give roles in the tenants that the settings name, as of each login; a user who logs in there needs no code" {
	provider
	coopr-tenant create prod
	coopr-tenant create own
	same 'bob logs in at the OpenID provider' "$(coopr-user add --oidc bob)"
	same '{"kind":"user","user":"eve"}' "$(coopr-user add -T qa --oidc -o json eve)"
	same false "$(coopr-user list -o json | jq 'select(.user == "bob") | .has_password')"
	coopr-member set -T own bob
	coopr-member set -T qa -g dev bob
	settings '{"roles": {"staff": {"qa": "user", "none": "user"}, "ops": {"qa": "admin", "prod": "admin"}, "root": {"superadmin": "admin"}}}'
	serve --oidc settings
	begins
	while read -r groups expected; do
		comes 200 "$(code good "{\"sub\": \"bob\", \"groups\": $groups}")"
		same "$expected" "$(sqlite3 "$COOPR_STATE/store.sqlite3" 'SELECT name || ":" || role || ":" || groups FROM member JOIN tenant ON tenant.id = tenant WHERE user = "bob" ORDER BY name' | tr '\n' ' ' | sed 's/ $//')"
	done <<-'END'
		["staff"] own:user:[] qa:user:["dev"]
		["staff","ops","other"] own:user:[] prod:admin:[] qa:admin:["dev"]
		["ops","staff"] own:user:[] prod:admin:[] qa:admin:["dev"]
		"staff" own:user:[] qa:user:["dev"]
		["root"] own:user:[] superadmin:admin:[]
		[7,{"staff":1}] own:user:[]
		null own:user:[]
	END
	same "put bob the groups of the OpenID provider
delete bob the groups of the OpenID provider" "$(coopr-audit -T prod -o json | jq -r 'select(.object | test("member")) | "\(.action) \(.user) \(.reason)"')"
	# A user of one tenant has nothing in others, whatever groups the provider tells.
	comes 200 "$(code good '{"sub": "eve", "groups": ["ops", "root"]}')"
	same 'qa:admin' "$(sqlite3 "$COOPR_STATE/store.sqlite3" 'SELECT name || ":" || role FROM member JOIN tenant ON tenant.id = tenant WHERE user = "eve"')"
	settings '{"groups": "teams", "roles": {"staff": {"qa": "user"}}}'
	comes 200 "$(code good '{"sub": "eve", "groups": ["ops"], "teams": ["staff"]}')"
	same user "$(sqlite3 "$COOPR_STATE/store.sqlite3" 'SELECT role FROM member WHERE user = "eve"')"
}

# Makes a browser, whose user logs in at once, and which then does this with $back, $state and $code: browser COMMAND
browser() {
	cat >browser <<-EOT
		#!/bin/bash
		value() { printf '%b' "\$(grep -o "[?&]\$1=[^&]*" <<<"\$address" | cut -d = -f 2 | sed 's/%/\\\\x/g')"; }
		address=\$1
		back=\$(value redirect_uri) state=\$(value state)
		code=\$(jq -cjn --arg nonce "\$(value nonce)" --arg challenge "\$(value code_challenge)" '{as: "good", \$nonce, \$challenge, claims: {}}' |
			basenc --base64url -w 0)
		$1
	EOT
	chmod +x browser
}

# Logs in from a machine that has nothing but the address of the server: laptop ARGUMENT...
laptop() {
	mkdir -p laptop
	env -u COOPR_STATE -u COOPR_STORE -u COOPR_SPOOL HOME="$PWD/laptop" XDG_CONFIG_HOME="$PWD/laptop" BROWSER="$PWD/browser" coopr "$@"
}

@test "coopr login --oidc shows the address of the provider to a browser, which comes back to this machine alone" {
	provider
	settings
	serve --oidc settings
	browser 'curl -s "$back?code=stranger&state=another" >>said
		curl -s "${back}other?code=$code&state=$state" >>said
		curl -s "$back?code=$code&state=$state" >>said'
	run -0 laptop login --oidc "unix:$SOCKET" --name work --lifetime 2h </dev/null
	contains "$output" "log in with a browser at $issuer/auth?hint=1&"
	contains "$output" "as ann, until $(date -u -d '+2 hours' +%Y-%m-%dT)"
	same "This is no login that waits here.
This is no login that waits here.
Go back to the terminal; this page can be closed." "$(cat said)"
	same 'ann coopr login on '"$(uname -n)" "$(laptop token list -o json | jq -r '"\(.user) \(.name)"')"
	browser 'curl -s "$back?error=access_denied&error_description=not%20you&state=$state" >/dev/null'
	run -77 laptop login --oidc work </dev/null
	contains "$output" "the provider: not you"
	for redirect in https://evil.example/ http://127.0.0.1:80@evil.example/ http://127.0.0.1:1/x http://127.0.0.1:/ http://127.0.0.1:123456/ http://localhost:1/; do
		answers 422 POST /v1/session/provider -d "{\"redirect\": \"$redirect\"}"
		answers 422 POST /v1/session -d "{\"provider_code\": \"x\", \"verifier\": \"x\", \"nonce\": \"x\", \"redirect\": \"$redirect\"}"
	done
	for option in '--code=x' '--user=x' '--password=x' '--token=x' '--new-password=x'; do
		run -64 laptop login --oidc "$option" work
	done
}

@test "where the browser is on another machine, the address that it cannot open is pasted" {
	provider
	settings
	serve --oidc settings
	mkfifo pasted
	browser 'printf "%s\n" "what is this" "$back?code=x&state=y" "$back?scope=openid&code=$code&state=$state#_" >pasted'
	exec 5<>pasted
	laptop login -q --oidc "unix:$SOCKET" --name work <pasted 5>&-
	exec 5>&-
	same ann "$(laptop whoami -o json | jq -r .user)"
}

@test "where the provider answers wrongly, or not, one can log in otherwise; and who asks all the time has to wait" {
	provider
	for path in /other /large /away /nothing; do
		settings "{\"issuer\": \"$issuer$path\"}"
		serve --oidc settings
		answers 503 POST /v1/session/provider -d '{}'
		contains "$(jq -r .detail body)" "the provider: "
		serve_end
	done
	settings '{"issuer": "http://127.0.0.1:1"}'
	patient
	serve --oidc settings
	for _ in 1 2 3 4; do
		answers 503 POST /v1/session/provider -d '{}'
	done
	settings
	begins
	failed_often
	answers 429 POST /v1/session/provider -d '{}'
	patient
	echo 'ten characters' | coopr-user password ann
	answers 200 POST /v1/session -d '{"user": "ann", "password": "ten characters"}'
	answers 422 POST /v1/session -d '{"provider_code": "x"}'
	serve_end
	serve
	answers 422 POST /v1/session/provider -d '{}'
	answers 422 POST /v1/session -d '{"provider_code": "x", "verifier": "x", "nonce": "x"}'
	answers 200 GET /v1/version
	same false "$(jq .provider body)"
}

@test "settings that are malformed, or that others may read, are refused: 78" {
	issuer=https://id.example.net
	for wrong in '{"issuer": 7}' '{"issuer": "http://id.example.net"}' '{"client_id": null}' '{"redirect": "ftp://x"}' '{"users": []}' '{"roles": {"a": "admin"}}' '{"roles": {"a": {"qa": "superadmin"}}}' '{"ca": "nothing"}'; do
		settings "$wrong"
		run coopr-serve --oidc settings
		[ "$status" -eq 78 ] || [ "$status" -eq 66 ]
	done
	settings
	chmod 644 settings
	run -78 coopr-serve --oidc settings
	contains "$output" "others may read it"
}

@test "a provider that others have written lets in who has logged in there" {
	NODE_PATH=${NODE_PATH:-} node -e 'require.resolve("oidc-provider")' 2>/dev/null || skip "the package oidc-provider is not in NODE_PATH"
	provider real https://coopr.example.net/
	settings
	serve --oidc settings
	begins
	# Follows the provider's forms, log in as ann, then consent: to the address that is none of the provider's.
	cat >browser <<-'EOT'
		#!/bin/bash
		issuer=${1%/auth?*}
		go() {
			curl -sS -b jar -c jar -D head -o page "$@"
			next=$(sed -n 's/^[Ll]ocation: \([^\r]*\)\r*/\1/p' head)
			[[ $next != /* ]] || next=$issuer$next
		}
		go "$1"
		go "$next"
		for form in 'prompt=login&login=ann&password=x' 'prompt=consent'; do
			action=$(grep -o 'action="[^"]*"' page | head -n 1 | cut -d '"' -f 2)
			[[ $action != /* ]] || action=$issuer$action
			go -d "$form" "$action"
			while [[ $next == "$issuer"* ]]; do
				go "$next"
			done
		done
		echo "$next"
		[[ $next != http://127.0.0.1:* ]] || curl -sS "$next"
	EOT
	chmod +x browser
	next=$(./browser "$(jq -r .address begun)")
	contains "$next" "state=$(jq -r .state begun)"
	given=${next#*[?&]code=}
	comes 200 "${given%%&*}"
	same ann "$(jq -r .user body)"
	comes 401 "${given%%&*}"
	rm jar
	laptop login --oidc -q "unix:$SOCKET" --name work </dev/null
	same ann "$(laptop whoami -o json | jq -r .user)"
}
