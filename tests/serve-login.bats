#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Who comes to coopr-serve(1) by TCP: coopr-user(1), coopr-token(1), coopr-whoami(1), and sessions of coopr-api(7).

load case
load serve

setup() {
	serve_setup
	coopr-tenant create qa
	coopr-tenant create dev
	coopr-user add -r superadmin -o json zoe >zoe
	coopr-user add -T qa -r admin -o json ann >ann
}

teardown() {
	serve_end
}

# Serves at an address of TCP, which is $address.
serve_tcp() {
	serve --listen 127.0.0.1:0 "$@"
	address=$(sed -n 's|.*serving on http://||p' serve.log)
}

# Asks by TCP: asks STATUS METHOD PATH [CURL-ARGUMENT...]; the body is in the file body, the head in head.
asks() {
	status=$(curl -sS -D head -o body -w '%{http_code}' -X "$2" "${@:4}" "http://$address$3") || return 1
	[ "$status" = "$1" ] || {
		echo "$2 $3: $status"
		cat body
		return 1
	}
}

# Logs a user in with the code that is in a file of that name, and chooses the password "PASSWORD of USER": login USER.
login() {
	asks 200 POST /v1/session -c "jar-$1" -d "$(jq -c --arg password "PASSWORD of $1" '{code, new_password: $password}' "$1")"
	jq -r .csrf body >"csrf-$1"
}

# Asks as a user who has logged in: as USER STATUS METHOD PATH [CURL-ARGUMENT...]
as() {
	asks "${@:2:3}" -b "jar-$1" -H "X-CSRF-Token: $(cat "csrf-$1")" "${@:5}"
}

# Makes a token, and asks with it: bearing TOKEN STATUS METHOD PATH [CURL-ARGUMENT...]
bearing() {
	asks "${@:2:3}" -H "Authorization: Bearer $1" "${@:5}"
}

@test "a user logs in once with a code, chooses a password, and then logs in with that" {
	serve_tcp
	asks 401 GET /v1/session
	login ann
	as ann 200 GET /v1/session
	same '["ann","qa","admin",[{"name":"qa","role":"admin"}]]' "$(jq -c '[.user, .tenant, .role, .tenants]' body)"
	contains "$(cat jar-ann)" "#HttpOnly_127.0.0.1"
	asks 401 POST /v1/session -d "$(jq -c '{code}' ann)"
	contains "$(cat body)" "was used already"
	asks 200 POST /v1/session -c again -d '{"user": "ann", "password": "PASSWORD of ann"}'
	contains "$(cat head)" "SameSite=Strict"
	asks 200 GET /v1/session -b again
	as ann 204 DELETE /v1/session
	asks 401 GET /v1/session -b jar-ann
	asks 200 GET /v1/session -b again
	coopr-audit -T qa -o json | jq -r 'select(.address == "127.0.0.1") | "\(.user) \(.action) \(.object)"' >found
	same 2 "$(grep -c '^ann login user ann$' found)"
	same 1 "$(grep -c '^ann logout user ann$' found)"
}

@test "a session lasts as long, and is limited to the role, that is asked for where it is begun" {
	serve_tcp
	login ann
	begun='{"user": "ann", "password": "PASSWORD of ann", "name": "laptop", "role": "read-only", "lifetime": "30d"}'
	asks 200 POST /v1/session -c jar -d "$begun"
	contains "$(jq -r .expires body)" "$(date -u -d '+30 days' +%Y-%m-%dT)"
	read -r -a fields < <(tail -1 jar)
	bearing "${fields[6]}" 200 GET /v1/tokens
	same '["laptop","session","read-only"]' "$(jq -c '.items[] | select(.name == "laptop") | [.name, .of, .role]' body)"
	bearing "${fields[6]}" 403 PUT /v1/members/bob -d '{"role": "user"}'
	as ann 204 PUT /v1/members/bob -d '{"role": "user"}'
	for wrong in '"lifetime": "0s"' '"lifetime": "long"' '"lifetime": 5' '"lifetime": "9999y"' '"role": "root"' '"role": ["admin"]' '"name": {}'; do
		asks 422 POST /v1/session -d "{\"user\": \"ann\", \"password\": \"PASSWORD of ann\", $wrong}"
		contains "$(jq -r .detail body)" "${wrong:1:4}"
	done
}

@test "who chooses another password ends what was begun with the one before" {
	serve_tcp
	login ann
	as ann 200 POST /v1/tokens -d '{"name": "made by the session"}'
	token=$(jq -r .token body)
	coopr-token create --as ann -T qa 'made in a shell' >shell
	asks 422 POST /v1/session -d '{"user": "ann", "password": "PASSWORD of ann", "new_password": "short"}'
	asks 200 POST /v1/session -c new -d '{"user": "ann", "password": "PASSWORD of ann", "new_password": "something else"}'
	asks 401 GET /v1/session -b jar-ann
	bearing "$token" 401 GET /v1/session
	bearing "$(cat shell)" 200 GET /v1/session
	asks 200 GET /v1/session -b new
	asks 401 POST /v1/session -d '{"user": "ann", "password": "PASSWORD of ann"}'
	coopr-user password ann <<<'from a shell'
	asks 401 GET /v1/session -b new
	asks 200 POST /v1/session -d '{"user": "ann", "password": "from a shell"}'
	coopr-user delete ann
	asks 401 POST /v1/session -d '{"user": "ann", "password": "from a shell"}'
}

@test "by TLS no other host of the domain sets the cookie" {
	need_program openssl
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1 -keyout k.pem -out c.pem \
		-days 2 2>/dev/null
	serve --listen 127.0.0.1:0 --cert c.pem --key k.pem
	url=$(sed -n 's|.*serving on \(https://.*\)|\1|p' serve.log)
	echo "PASSWORD of ann" | coopr-user password -q ann
	curl -sS --cacert c.pem -D head -o body "$url/v1/session" -d '{"user": "ann", "password": "PASSWORD of ann"}'
	session=$(sed -n 's/^Set-Cookie: __Host-coopr=\(coopr_[^;]*\); Path=\/; HttpOnly; SameSite=Strict; Max-Age=[0-9]*; Secure\r$/\1/p' head)
	same 200 "$(curl -sS --cacert c.pem -o body -w '%{http_code}' -b "__Host-coopr=$session" "$url/v1/clusters")"
	same 401 "$(curl -sS --cacert c.pem -o body -w '%{http_code}' -b "coopr=$session" "$url/v1/clusters")"
	echo "PASSWORD of ann" | coopr-login -q --ca c.pem --user ann "$url"
}

@test "guessing is slowed down, for a user and for an address, also by many at once" {
	serve_tcp
	login ann
	for i in $(seq 20); do
		printf 'next\nurl = "http://%s/v1/session"\ndata = "{\\"user\\": \\"%s\\", \\"password\\": \\"guess %s\\"}"\noutput = /dev/null\nwrite-out = "%%{http_code}\\\\n"\n' \
			"$address" "$([ "$i" -gt 10 ] && echo "nobody$i" || echo ann)" "$i"
	done | sed 1d >guesses
	curl -s --parallel --parallel-max 20 -K guesses >statuses
	same 20 "$(grep -c '^4[0-9][0-9]$' statuses)"
	[ "$(grep -c 401 statuses)" -le 7 ] || {
		sort statuses | uniq -c
		false
	}
	[ "$(sqlite3 "$COOPR_STATE/store.sqlite3" "SELECT count FROM login_attempt WHERE of = 'address 127.0.0.1'")" -ge 5 ]
	failed_often
	asks 429 POST /v1/session -d '{"user": "ann", "password": "PASSWORD of ann"}'
	grep -q '^Retry-After: [1-9]' head
	as ann 200 GET /v1/session
	sqlite3 "$COOPR_STATE/store.sqlite3" 'UPDATE login_attempt SET last_ms = last_ms - 61000'
	asks 200 POST /v1/session -d '{"user": "ann", "password": "PASSWORD of ann"}'
}

@test "who guesses keeps nobody away from where they have logged in before; there guessing is slowed down, too" {
	serve_tcp
	echo 'PASSWORD of ann' | coopr-user password ann
	right='{"user": "ann", "password": "PASSWORD of ann"}'
	asks 200 POST /v1/session -d "$right"
	for _ in 1 2 3 4 5; do
		asks 401 POST /v1/session --interface 127.0.0.7 -d '{"user": "ann", "password": "a guess"}'
	done
	failed_often
	asks 429 POST /v1/session --interface 127.0.0.7 -d "$right"
	asks 429 POST /v1/session --interface 127.0.0.8 -d "$right"
	asks 200 POST /v1/session -d "$right"
	asks 429 POST /v1/session --interface 127.0.0.8 -d "$right"
	# Others behind the same address have guessed.
	for i in 1 2 3 4 5; do
		asks 401 POST /v1/session -d "{\"user\": \"nobody$i\", \"password\": \"a guess\"}"
	done
	failed_often
	asks 429 POST /v1/session -d '{"user": "zoe", "password": "a guess"}'
	asks 200 POST /v1/session -d "$right"
	for _ in 1 2 3 4 5; do
		asks 401 POST /v1/session -d '{"user": "ann", "password": "a guess"}'
	done
	failed_often
	asks 429 POST /v1/session -d "$right"
	sqlite3 "$COOPR_STATE/store.sqlite3" "UPDATE login_attempt SET last_ms = last_ms - 90 * 86400000 WHERE of LIKE 'from %'"
	asks 429 POST /v1/session --interface 127.0.0.8 -d "$right"
	same 0 "$(sqlite3 "$COOPR_STATE/store.sqlite3" "SELECT count(*) FROM login_attempt WHERE of LIKE 'from %'")"
}

@test "a session that somebody else has chosen, or has begun, is not the one of who logs in" {
	serve_tcp
	login zoe
	theirs=$(awk '$6 == "coopr" { print $7 }' jar-zoe)
	chosen=coopr_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
	for before in "$theirs" "$chosen"; do
		echo 'PASSWORD of ann' | coopr-user password ann
		asks 200 POST /v1/session -c jar -H "Cookie: coopr=$before" -d '{"user": "ann", "password": "PASSWORD of ann"}'
		[ "$(awk '$6 == "coopr" { print $7 }' jar)" != "$before" ]
	done
	asks 401 GET /v1/session -H "Cookie: coopr=$chosen"
	as zoe 200 GET /v1/session
	same zoe "$(jq -r .user body)"
}

@test "a change by a session needs what only a page of the same site knows" {
	serve_tcp
	login ann
	asks 403 PUT /v1/members/bob -b jar-ann -d '{}'
	asks 403 PUT /v1/members/bob -b jar-ann -H "X-CSRF-Token: $(tr 0-9a-f 1-9a-f0 <csrf-ann)" -d '{}'
	as ann 403 PUT /v1/members/bob -H 'Origin: http://evil.example' -d '{}'
	as ann 403 PUT /v1/members/bob -H 'Origin: null' -d '{}'
	as ann 403 PUT /v1/members/bob -H 'Sec-Fetch-Site: cross-site' -d '{}'
	asks 403 POST /v1/session -H 'Origin: http://evil.example' -d "$(jq -c '{code}' zoe)"
	same '["ann"]' "$(coopr-member list -T qa -o json | jq -cs 'map(.user)')"
	as ann 204 PUT /v1/members/bob -H "Origin: http://$address" -H 'Sec-Fetch-Site: same-origin' -d '{}'
}

@test "no route that changes something takes a session alone for its user" {
	serve_tcp
	login ann
	sed -nE 's/^\t\{"(POST|PUT|PATCH|DELETE)", "([^"]*)".*/\1 \2/p' "$COOPR_ROOT/lib/web/routes.c" | sed 's/{[a-z]*}/1/g' >changing
	[ "$(wc -l <changing)" -gt 50 ]
	while read -r method path; do
		[ "$path" != /v1/session/provider ] || continue
		asks 403 "$method" "$path" -b jar-ann -H 'Content-Type: text/plain' -H 'If-Match: *' -d '{}' -H 'Origin: http://evil.example'
		[ "$path" = /v1/session ] || asks 403 "$method" "$path" -b jar-ann -H 'Content-Type: text/plain' -H 'If-Match: *' -d '{}'
	done <changing
	as ann 200 GET /v1/session
}

@test "a token has at most its role and its tenant, makes no token and sets no password" {
	coopr-member set -T dev -r admin ann
	serve_tcp
	for role in read-only user admin; do
		token=$(coopr-token create --as ann -T qa -r "$role" "$role")
		bearing "$token" 200 GET /v1/session
		same "$role qa" "$(jq -r '"\(.role) \(.tenant)"' body)"
		bearing "$token" 404 GET '/v1/members?tenant=dev'
		bearing "$token" 403 POST /v1/tokens -d '{"name": "another"}'
		bearing "$token" 403 GET '/v1/session?as=root'
	done
	run -77 coopr-token create --as ann -T qa -r superadmin top
	bearing "$token" 200 GET /v1/members
	coopr-user password ann <<<'ten characters'
	token=$(coopr-token create -T qa -r read-only 'of a superadmin')
	bearing "$token" 200 GET /v1/members
	bearing "$token" 403 PUT /v1/members/bob -d '{}'
	bearing "$token" 403 GET /v1/queue
	bearing "$token" 404 GET '/v1/clusters?tenant=dev'
	bearing "$token" 403 POST /v1/users -d '{"name": "eve"}'
	bearing "${token}x" 401 GET /v1/members
	bearing "$(sqlite3 "$COOPR_STATE/store.sqlite3" 'SELECT sum FROM token LIMIT 1')" 401 GET /v1/members
	id=$(coopr-token list --all -o json | jq -r 'select(.name == "of a superadmin") | .id')
	coopr-token delete "$id"
	bearing "$token" 401 GET /v1/members
	token=$(coopr-token create --as ann -T dev later)
	bearing "$token" 200 GET /v1/members
	coopr-member delete -T dev ann
	bearing "$token" 404 GET /v1/members
}

@test "the list of tokens says what its user is with each today, and what it is limited to" {
	listed() {
		coopr-token list --all -o json | jq -r '"\(.name // .of) \(.role // "-") \(.limit)"'
	}
	coopr-member set -T qa -r admin ann
	coopr-member set -T dev -r user ann
	coopr-token create --as ann -T qa -r user small >/dev/null
	coopr-token create --as ann -T dev dev >/dev/null
	COOPR_ASKER=ann coopr-token create --all-tenants all >/dev/null
	coopr-token create -T qa -r admin top >/dev/null
	coopr-token create --provisioner qa rack >/dev/null
	serve
	answers 200 POST /v1/session -d "{\"code\": \"$(coopr-user add -T qa bob | grep -m 1 ^coopr_)\"}"
	same 'small user user
dev user user
all admin admin
top admin admin
rack - read-only
session user admin' "$(listed)"
	coopr-member set -T qa -r read-only ann
	coopr-member delete -T dev ann
	same 'small read-only user
dev - user
all read-only admin' "$(listed | head -n 3)"
	contains "$(coopr-token list --all -o wide)" 'AT MOST'
}

@test "who only reads sees all clusters of the tenant, and changes nothing" {
	coopr-member set -T qa -r read-only eve
	coopr-create -q --detach --as ann -T qa -t lamp -n 4 -P dummy shop
	same shop "$(coopr-list --as eve -T qa -o name)"
	for words in "create -t lamp -n 4 -P dummy more" "expand -n 5 shop" "delete -y shop" "rename shop other" "pause shop" "abort -y shop" \
		"lease shop 2d" "store put -k provider mine/providers/dummy.json" "secret list --cluster shop" "token create x" "config shop --set a=1" "ssh shop" "ssh-config shop" "inventory shop" "ssh-certificate shop -" "exec --as eve -T qa shop true"; do
		# shellcheck disable=SC2086 # words
		run -77 coopr $words --as eve -T qa </dev/null
	done
	same '["pending"]' "$(coopr-list -T qa -o json | jq -cs 'map(.status)')"
}

@test "a login that a tenant's administrator makes asks for that tenant alone, whatever its name" {
	serve_tcp
	login ann
	coopr-member set -T dev -r admin carol
	as ann 200 POST /v1/users -d '{"name": "carol", "role": "user"}'
	cp body carol
	login carol
	as carol 200 GET /v1/session
	same '[{"name":"qa","role":"user"}]' "$(jq -c .tenants body)"
	as carol 404 GET '/v1/clusters?tenant=dev'
	as carol 403 GET /v1/users
	as carol 200 POST /v1/tokens -d '{"name": "mine"}'
	bearing "$(jq -r .token body)" 404 GET '/v1/clusters?tenant=dev'
	for name in root zoe "$(id -un)"; do
		as ann 403 POST /v1/users -d "{\"name\": \"$name\"}"
	done
	as ann 422 POST /v1/users -d '{"name": "1000"}'
	as ann 409 POST /v1/users -d '{"name": "carol"}'
	as ann 404 POST /v1/users/zoe/code -d '{}'
	as ann 404 DELETE /v1/users/zoe
	as ann 200 GET /v1/users
	same '["ann","carol"]' "$(jq -c '[.items[].user]' body)"
	coopr-tenant delete -y qa
	asks 401 GET /v1/session -b jar-carol
	asks 401 POST /v1/session -d '{"user": "carol", "password": "PASSWORD of carol"}'
}

@test "who is a member already and becomes a user keeps the groups, and the role unless another is given" {
	coopr-member set -T qa -r read-only -g web bob
	coopr-user add -T qa bob >/dev/null
	same '["bob","read-only",["web"]]' "$(coopr-member list -T qa -o json | jq -c 'select(.user == "bob") | [.user, .role, .groups]')"
	coopr-user delete -q bob
	coopr-user add -T qa -r admin bob >/dev/null
	same '["bob","admin",["web"]]' "$(coopr-member list -T qa -o json | jq -c 'select(.user == "bob") | [.user, .role, .groups]')"
}

@test "who logs in for one tenant hears of no other, also where a name is nearly right" {
	serve_tcp
	login ann
	for tenant in default defaul nowhere; do
		as ann 404 GET "/v1/clusters?tenant=$tenant"
		same "no tenant named \"$tenant\"; coopr tenant list shows the tenants" "$(jq -r .detail body)"
	done
	as ann 403 GET /v1/hooks
	run ! grep owner body
}

@test "a superadmin who logs in may do everything but name files of the server" {
	serve_tcp
	login zoe
	as zoe 200 GET /v1/tenants
	same 4 "$(jq '.items | length' body)"
	as zoe 204 POST /v1/tenants -d '{"name": "new"}'
	as zoe 403 GET '/v1/clusters?store=/etc/passwd' || as zoe 422 GET '/v1/clusters?store=/etc/passwd'
	as zoe 200 POST /v1/tokens -d '{"name": "of all", "role": "superadmin"}'
	bearing "$(jq -r .token body)" 200 GET /v1/audit?all-tenants=true
}

@test "no text that lets somebody in is in the store" {
	serve_tcp
	login ann
	session=$(sed -n 's/.*coopr\t\(coopr_.*\)/\1/p' jar-ann)
	as ann 200 POST /v1/tokens -d '{"name": "ci"}'
	for text in "$session" "$(jq -r .token body)" "$(jq -r .code zoe)" "PASSWORD of ann"; do
		[ "${#text}" -gt 9 ]
		run ! grep -rlF -e "$text" "$COOPR_STATE" serve.log
	done
	same 1 "$(sqlite3 "$COOPR_STATE/store.sqlite3" "SELECT count(*) FROM login WHERE password LIKE '\$argon2id\$%'")"
}

@test "a follower is cut off when the session ends" {
	serve_tcp
	login ann
	curl -sN -b jar-ann -H 'Accept: text/event-stream' "http://$address/v1/events" >events 3>&- &
	follower=$!
	until grep -q '^id:' events; do
		kill -0 "$follower"
		sleep 0.05
	done
	as ann 204 DELETE /v1/session
	wait "$follower"
}

@test "--setup prints a link by which the first superadmin logs in, once, where nobody can yet" {
	coopr-user delete ann zoe
	run -77 coopr-serve --listen 127.0.0.1:0 --socket ./own
	contains "$output" "--setup prints a link"
	run -64 coopr-serve --setup
	serve_tcp --setup >link
	same "http://$address/#login=" "$(sed 's/coopr_.*/ /; s/ $//' link)"
	asks 200 POST /v1/session -c jar -d "{\"code\": \"$(sed 's/.*=//' link)\", \"new_password\": \"ten characters\"}"
	asks 200 GET /v1/session -b jar
	same '["admin","superadmin"]' "$(jq -c '[.user, .role]' body)"
	asks 401 POST /v1/session -d "{\"code\": \"$(sed 's/.*=//' link)\"}"
	run ! grep -F "$(sed 's/.*=//' link)" serve.log
	serve_end
	serve_tcp --setup >link
	same "" "$(cat link)"
	contains "$(cat serve.log)" "somebody can log in already"
}

@test "the link of --setup is one that a browser opens, also where all addresses of the machine are listened on" {
	coopr-user delete ann zoe
	serve --listen '*:0' --insecure --setup >link
	contains "$(cat serve.log)" "http://0.0.0.0:"
	curl -sSf --noproxy '*' -o page "$(sed 's/#.*//' link)"
	contains "$(cat page)" "<html"
}
