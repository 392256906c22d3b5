#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-login(1), coopr-logout(1): from another machine, which is this one with another home.

load case
load serve

setup() {
	serve_setup
	coopr-tenant create qa
	coopr-tenant create dev
	coopr-user add -T qa -r admin -o json ann | jq -r .code >ann.code
	coopr-user add -r superadmin -o json zoe | jq -r .code >zoe.code
	INSTALLATION=("HOME=$HOME" "COOPR_STATE=$COOPR_STATE" "COOPR_SPOOL=$COOPR_SPOOL")
}

teardown() {
	serve_end
}

# Serves at an address of TCP, which is $address, and goes to the other machine.
elsewhere() {
	serve --listen 127.0.0.1:0 "$@"
	address=$(sed -n 's|.*serving on \(https\?://.*\)|\1|p' serve.log)
	mkdir -p laptop
	cd laptop || return 1
	export HOME=$PWD
	unset COOPR_STATE COOPR_SPOOL COOPR_SERVER
}

at_home() {
	env -u COOPR_SERVER "${INSTALLATION[@]}" "$@"
}

kept() {
	jq -r ".contexts[\"$1\"].$2" .config/coopr/contexts.json
}

# Logs in with a code for the first time, and chooses a password: first USER
first() {
	coopr login -q "$address" --name "$1" --code "../$1.code" --new-password - <<<"PASSWORD of $1"
}

@test "the password is shown once, and the session that it gives is kept in a context, which is in use" {
	elsewhere
	run -0 coopr login "$address" --code ../ann.code --new-password - <<<'PASSWORD of ann'
	contains "$output" "logged in to 127.0.0.1 ($address) as ann, until 20"
	same 600 "$(stat -c %a .config/coopr/contexts.json)"
	same ann "$(coopr whoami -o json | jq -r .user)"
	same ann "$(coopr context list -o json | jq -r .user)"
	contains "$(coopr context list)" "$(kept 127.0.0.1 expires | cut -c 1-10)"
	run ! grep -rF -e 'PASSWORD of ann' -e "$(cat ../ann.code)" .config ../serve.log
	same "session
coopr login on $(uname -n)" "$(coopr token list -o json | jq -r '.of, .name')"
	echo 'PASSWORD of ann' | coopr login -q 127.0.0.1 --user ann --lifetime 1h
	same 1 "$(coopr token list -o json | wc -l)"
	contains "$(kept 127.0.0.1 expires)" "$(date -u -d '+1 hour' +%Y-%m-%dT%H)"
	token=$(kept 127.0.0.1 token)
	coopr logout
	same null "$(kept 127.0.0.1 token)"
	run -77 coopr list
	contains "$output" 'use "coopr login"'
	same 401 "$(curl -s -o /dev/null -w '%{http_code}' -H "Authorization: Bearer $token" "$address/v1/session")"
	run -1 coopr logout
}

@test "it is for all tenants of the user, with the rights that the user has in each" {
	at_home coopr-member set -T dev -r read-only zed
	at_home coopr-member set -T qa zed
	at_home coopr-user add -o json zed | jq -r .code >zed.code
	at_home coopr-user add -T qa -r read-only -o json eve | jq -r .code >eve.code
	elsewhere
	first zed
	same '[["default","user"],["dev","read-only"],["qa","user"]]' "$(coopr whoami -o json | jq -c '[.tenants[] | [.name, .role]]')"
	run -77 coopr member set -T qa -r admin zed
	first ann
	same '[["qa","admin"]]' "$(coopr whoami -o json | jq -c '[.tenants[] | [.name, .role]]')"
	run -1 coopr list -T dev
	first zoe
	same superadmin "$(coopr whoami -o json | jq -r .role)"
	echo 'PASSWORD of zoe' | coopr login -q zoe --user zoe -r read-only
	run -77 coopr tenant create x
	echo 'PASSWORD of ann' | coopr login -q ann --user ann -r user
	run -77 coopr member set -T qa zed
	first eve
	same '[["qa","read-only"]]' "$(coopr whoami -o json | jq -c '[.tenants[] | [.name, .role]]')"
	token=$(kept eve token)
	coopr logout
	same 401 "$(curl -s -o /dev/null -w '%{http_code}' -H "Authorization: Bearer $token" "$address/v1/session")"
}

@test "who has logged in does all there that they may do, also for users and tokens; a token does not" {
	elsewhere
	first zoe
	coopr user add -T qa -o json bob | jq -er .code >/dev/null
	coopr user code -o json bob | jq -er .code >bob.code
	coopr token create -o json -r admin mine | jq -r .token >mine
	coopr user delete bob
	coopr login -q "$address" --name mine --token mine
	run -77 coopr user add -T default bob
	contains "$output" "coopr login"
	run -77 coopr token create another
	contains "$output" "coopr login"
}

@test "a token for all tenants is no way out of the one that a login or an administrator is limited to" {
	at_home coopr-member set -T qa -r admin bob
	at_home coopr-member set -T dev -r admin carol
	at_home coopr-member set -T qa carol
	token=$(COOPR_ASKER=bob coopr-token create --all-tenants --as carol -T qa x 2>&1 || true)
	[[ $token != coopr_* ]] || same 1 "$(sqlite3 "$COOPR_STATE/store.sqlite3" "SELECT count(*) FROM token WHERE tenant IS NOT NULL")"
	token=$(COOPR_USER=carol COOPR_TENANT=qa COOPR_ASKER=bob coopr-token create --all-tenants x 2>&1 || true)
	token=$(COOPR_ASKER=carol COOPR_ASKER_LIMIT='session 1 admin qa' coopr-token create --all-tenants x 2>&1 || true)
	same 0 "$(sqlite3 "$COOPR_STATE/store.sqlite3" "SELECT count(*) FROM token WHERE tenant IS NULL")"
	run -77 env COOPR_ASKER=carol COOPR_ASKER_LIMIT='token 1 admin ' coopr-token create --all-tenants x
	run -77 env COOPR_ASKER=carol coopr-token create --all-tenants -r superadmin x
	COOPR_ASKER=carol coopr-token create --all-tenants x
	same 1 "$(sqlite3 "$COOPR_STATE/store.sqlite3" "SELECT count(*) FROM token WHERE tenant IS NULL AND role = 'admin'")"
}

@test "what is wrong is said, and nothing is kept: 77, 75, 65, 69, 64" {
	elsewhere
	first ann
	cp .config/coopr/contexts.json before
	run -77 coopr login ann --user ann <<<'wrong'
	contains "$output" "ann: the user or the password is wrong"
	run -77 coopr login ann --code ../ann.code
	contains "$output" "was used already"
	run -77 coopr login ann --token - <<<'coopr_no'
	run -65 coopr login ann --user ann --password <(echo 'PASSWORD of ann') --new-password - <<<'short'
	run -65 coopr login ann --user ann </dev/null
	run -64 coopr login ann <<<'PASSWORD of ann'
	contains "$output" "--user is required"
	run -64 coopr login ann --code - --user ann <<<x
	run -64 coopr login http://coopr.example.net
	run -64 coopr login https://other.example.net --name ann --user ann <<<x
	contains "$output" "of another server"
	run -69 coopr login http://localhost:1 --user ann <<<'PASSWORD of ann'
	run -73 env HOME=/proc/self COOPR_SERVER= coopr-login "$address" --code ../zoe.code
	same 0 "$(at_home coopr-token list --all -o json | jq 'select(.user == "zoe")' | wc -l)"
	for _ in 1 2 3 4 5; do
		run coopr login ann --user ann <<<'wrong'
	done
	failed_often ../state
	run -75 coopr login ann --user ann <<<'wrong'
	contains "$output" "try again in"
	cmp before .config/coopr/contexts.json
	same ann "$(coopr whoami -o json | jq -r .user)"
}

@test "a token that was made elsewhere is kept, and logging out ends it" {
	at_home coopr-token create -T qa -r read-only mine >token
	elsewhere
	coopr login -q "$address" --name work --token ../token
	same "$(cat ../token)" "$(kept work token)"
	same read-only "$(coopr whoami -o json | jq -r .role)"
	coopr login -q work --token - <../token
	same read-only "$(coopr whoami -o json | jq -r .role)"
	kill "$server"
	wait "$server"
	server=
	run -69 coopr logout
	contains "$output" "the token is forgotten here"
	same null "$(kept work token)"
}

@test "where the certificate is not trusted, nothing is sent, and the message says whose it is" {
	need_program openssl
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout k.pem -out c.pem -days 30 -subj /CN=one \
		-addext subjectAltName=IP:127.0.0.1 2>/dev/null
	elsewhere --cert c.pem --key k.pem
	run -69 coopr login "$address" --code ../ann.code
	contains "$output" "CN = one, signed by CN = one, until "
	contains "$output" "--ca FILE"
	run -69 coopr list --server "$address"
	contains "$output" "CN = one"
	coopr login -q "$address" --name tls --ca ../c.pem --code ../ann.code
	same "$BATS_TEST_TMPDIR/c.pem" "$(kept tls ca)"
	same ann "$(coopr whoami -o json | jq -r .user)"
	run -69 coopr login "${address/127.0.0.1/localhost}" --ca ../c.pem --code ../zoe.code
	run ! grep 'CN = one' <<<"$output"
}

@test "a person is asked on the terminal, which does not show what is secret" {
	need_program python3
	elsewhere
	first ann
	timeout 60 python3 -B - >said <<-'END'
		import os, pty, sys, termios
		pid, terminal = pty.fork()
		if pid == 0:
		    os.execlp("coopr", "coopr", "login")
		seen = b""
		def wait(prompt, shown):
		    global seen
		    while prompt not in seen or bool(termios.tcgetattr(terminal)[3] & termios.ECHO) != shown:
		        seen += os.read(terminal, 4096) if prompt not in seen else b""
		wait(b"user: ", True)
		os.write(terminal, b"ann\n")
		wait(b"password: ", False)
		os.write(terminal, b"PASSWORD of ann\n")
		try:
		    while part := os.read(terminal, 4096):
		        seen += part
		except OSError:
		    pass
		print(seen.decode())
		sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
	END
	contains "$(cat said)" "logged in to ann"
	run ! grep 'PASSWORD of' said
}
