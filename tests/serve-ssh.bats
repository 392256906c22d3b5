#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Logging in to nodes through a server, on real machines: coopr-ssh(1), coopr-ssh-config(1), coopr-ssh-certificate(1), coopr-api(7).

load case
load serve
load examples
load browser

# The installation, with a cluster of two machines, is one for all tests; what else a test makes there it names after itself.
setup_file() {
	[ "$(id -u)" -eq 0 ] && command -v ip sshd >/dev/null || return 0
	BATS_TEST_TMPDIR=$BATS_FILE_TMPDIR fresh
	own_network
	export COOPR_CATALOGUE=$PWD/mine
	printf '#!/bin/sh\necho here\n' | hello_template hello
	coopr-create hello -t hello -n 2 >/dev/null 2>&1
	coopr-tenant create qa
}

teardown_file() {
	[ ! -e "$BATS_FILE_TMPDIR/state" ] || at_home coopr-delete -y hello >/dev/null 2>&1
}

setup() {
	fresh
	need_root
	need_program curl ip jq ssh ssh-keygen sshd sqlite3
	export COOPR_STATE=$BATS_FILE_TMPDIR/state COOPR_SPOOL=$BATS_FILE_TMPDIR/spool COOPR_CATALOGUE=$BATS_FILE_TMPDIR/mine
	TUNNEL=$COOPR_BIN/../libexec/coopr/ssh-tunnel
}

teardown() {
	[ -z "${front-}" ] || kill "$front"
	serve_end
	at_home coopr-delete -y other >/dev/null 2>&1 || true
}

# Runs a command at the installation: at_home COMMAND...
at_home() {
	env -u COOPR_SERVER "HOME=$BATS_FILE_TMPDIR/home" "COOPR_STATE=$BATS_FILE_TMPDIR/state" "COOPR_SPOOL=$BATS_FILE_TMPDIR/spool" \
		"COOPR_CATALOGUE=$BATS_FILE_TMPDIR/mine" "$@"
}

# Goes to the other machine: nothing here says where the installation is.
elsewhere() {
	mkdir -p laptop/run
	chmod 700 laptop/run
	cd laptop || return 1
	export HOME=$PWD XDG_RUNTIME_DIR=$PWD/run COOPR_SERVER=unix:$SOCKET
	unset COOPR_STATE COOPR_SPOOL COOPR_CATALOGUE
}

# Runs a command as if nothing here said where the installation is: away COMMAND...
away() {
	env -u COOPR_STATE -u COOPR_SPOOL -u COOPR_CATALOGUE "$@"
}

# Waits until the command succeeds: eventually COMMAND...
eventually() {
	for _ in $(seq 200); do
		! "$@" || return 0
		sleep 0.1
	done
	return 1
}

# Logs in with a key and a certificate, and nothing else: with_certificate KEY NODE COMMAND
with_certificate() {
	ssh -F config -o IdentitiesOnly=yes -o IdentityAgent=none -o BatchMode=yes -o LogLevel=ERROR -i "$1" "${@:2}"
}

@test "through a server ssh logs in as it does at home, and leaves no key behind" {
	serve
	elsewhere
	same hello1-1001 "$(coopr-ssh hello/1001 hostname)"
	same hello1-1000 "$(coopr ssh hello -N hello1-1000 -- hostname)"
	run --separate-stderr -7 coopr-ssh hello/@hello 'exit $((3 + 4))'
	same "coopr-ssh: hello/1000, the first of 2" "$stderr"
	same "a  b|\$c" "$(coopr-ssh hello/00000001-1000 -- printf '%s' 'a  b|$c')"
	same "root hello1-1000" "$(echo hostname | coopr ssh hello/1000 'echo "$(id -un) $(sh)"')"
	run --separate-stderr -1 coopr-ssh nothing hostname
	same 'coopr-ssh: no cluster named "nothing"; coopr list shows the clusters' "$stderr"
	run --separate-stderr -1 coopr-ssh hello/@nginx hostname
	same "coopr-ssh: hello: no node has the service nginx; there are hello" "$stderr"
	for option in "--store x" "--spool ."; do
		# shellcheck disable=SC2086 # words
		run -64 coopr ssh hello $option
		contains "$output" "the server's to choose"
	done
	same "" "$(find "$HOME" -type f)"
	same "certify 00000001,enter 00000001" "$(at_home coopr-audit -o json | jq -r 'select(.object == "node 00000001-1001") |
		"\(.action) \(.cluster)"' | sort -u | paste -sd,)"
}

@test "ssh-config has scp, rsync and all that runs ssh go through the server" {
	serve
	elsewhere
	coopr ssh-config hello >config
	for host in hello-1000 hello1-1000 hello1-1000.local; do
		same hello1-1000 "$(ssh -F config "$host" hostname)"
	done
	head -c 3000000 /dev/urandom >big
	scp -q -F config big hello-1001:/tmp/big
	ssh -F config hello1-1001 cat /tmp/big | cmp - big
	same 1 "$(coopr ssh-config hello/1001 | grep -c '^Host ')"
	coopr inventory hello >inventory
	same "hello1-1000.local hello-1000 hello" "$(jq -r '._meta.hostvars | to_entries[0] | "\(.key) \(.value.ansible_host) \(.value.coopr_cluster)"' inventory)"
	run ! grep -F "$BATS_FILE_TMPDIR/state" inventory
	for host in 0 1; do
		jq -r "._meta.hostvars | to_entries[$host].value | \"ssh \\(.ansible_ssh_common_args) -o Port=\\(.ansible_port) -o User=\\(.ansible_user) -i \\(.ansible_ssh_private_key_file) \\(.ansible_host) hostname\"" inventory >call
		same "hello1-100$host" "$(bash call)"
	done
	# What is on this machine does not open a node: the server has to be asked.
	run -255 ssh -F config -o ProxyCommand="$TUNNEL unix:$SOCKET.gone hello 1000 '' ''" hello-1000 hostname
	contains "$output" "coopr-ssh: unix:$SOCKET.gone: "
}

@test "a certificate is for the nodes of one cluster, for five minutes and for a terminal, and the node has its key in a block" {
	coopr-create other -t hello -n 1 >/dev/null 2>&1
	coopr-ssh-config hello >config
	coopr-ssh-config other >>config
	authority=$(sed -n 's/^\tIdentityFile "\(.*\)"/\1/p' config | head -1)
	ssh-keygen -q -t ed25519 -N '' -f key
	coopr-ssh-certificate hello/1000 key.pub >key-cert.pub
	sed -i '/Identit/d' config
	same hello1-1000 "$(with_certificate key hello-1000 hostname)"
	run -255 with_certificate key other-1000 hostname
	contains "$output" "Permission denied"
	ssh-keygen -L -f key-cert.pub >shown
	same "root permit-pty" "$(sed -n '/Principals/,$p' shown | grep -o 'root\|permit.*' | paste -sd' ')"
	same 360 "$(sed -n 's/.*from \(.*\) to \(.*\)/\1 \2/p' shown | (read -r from to; echo $(($(date -d "$to" +%s) - $(date -d "$from" +%s)))))"

	ssh-keygen -q -s "$authority" -I late -n root -V -10m:-5m key.pub
	run -255 with_certificate key hello-1000 hostname
	contains "$output" "Permission denied"
	ssh-keygen -q -s "$authority" -I wrong -n somebody -V -1m:+5m key.pub
	run -255 with_certificate key hello-1000 hostname
	contains "$output" "Permission denied"

	# A node that was made before, or has lost the block, is given it.
	coopr-ssh hello/1000 'cat .ssh/authorized_keys' >admitted
	same 1 "$(grep -c '^cert-authority ssh-ed25519 ' admitted)"
	coopr-ssh hello/1000 "sed -i '/^#/d; /cert-authority/d' .ssh/authorized_keys; echo '# mine' >>.ssh/authorized_keys"
	coopr-ssh-certificate hello/1000 - <key.pub >key-cert.pub
	same hello1-1000 "$(with_certificate key hello-1000 hostname)"
	coopr-ssh hello/1000 'cat .ssh/authorized_keys' >again
	coopr-ssh-certificate hello/1000 - <key.pub >key-cert.pub
	same "$(cat again)" "$(coopr-ssh hello/1000 'cat .ssh/authorized_keys')"
	same "# mine" "$(tail -1 again)"
	for wrong in '' nothing "$(cat key)"; do
		run -65 coopr-ssh-certificate hello - <<<"$wrong"
		contains "$output" "expected a public key of ssh"
	done
}

# Serves by TCP, too, and writes tokens of users into files TOKEN.
serve_tokens() {
	coopr-member set -y -r user reader
	coopr-member set -y -r admin admin
	coopr-member set -y -T qa -r admin stranger
	for who in reader admin stranger; do
		coopr-token create -y --as "$who" -T "$([ "$who" = stranger ] && echo qa || echo default)" "of $who, test $BATS_TEST_NUMBER" >"$who.token"
	done
	coopr-member set -y -r read-only reader
	coopr-token create -y -T default -r user "mine $BATS_TEST_NUMBER" >mine.token
	serve --listen 127.0.0.1:0
	url=http://$(grep -o '127.0.0.1:[0-9]*' serve.log)
	coopr-ssh-config hello >config
}

# A shell on a node through the server, which is there until its input ends: holds WHO
holds() {
	mkfifo "gate.$1"
	COOPR_TOKEN=$(cat "$1.token") ssh -F config -o ProxyCommand="$TUNNEL $url hello 1000 '' ''" hello-1000 'echo there; exec cat' \
		<>"gate.$1" >"said.$1" 2>&1 3>&- &
	echo $! >"pid.$1"
	eventually grep -q there "said.$1"
}

# The shell ends, and not because its input has: ends WHO
ends() {
	local code=0

	wait "$(cat "pid.$1")" || code=$?
	same 255 "$code"
}

@test "who may only read, and who is of another tenant, comes to no node" {
	serve_tokens
	ssh-keygen -q -t ed25519 -N '' -f key
	for who in "reader 403 77" "stranger 404 1"; do
		read -r who expected code <<<"$who"
		token="Authorization: Bearer $(cat "$who.token")"
		same "$expected" "$(curl -sS -o body -w '%{http_code}' "$url/v1/clusters/hello/ssh-certificate" -H "$token" --data-binary @key.pub)"
		same "$expected" "$(curl -sS -o body -w '%{http_code}' "$url/v1/clusters/hello/nodes/1000/ssh" -H "$token" \
			-H 'Connection: Upgrade' -H 'Upgrade: ssh')"
		COOPR_TOKEN=$(cat "$who.token") run "-$code" away coopr-ssh --server "$url" hello/1000 hostname
	done
	same 0 "$(coopr-audit -o json | jq -s 'map(select(.action == "enter" and (.user | IN("reader", "stranger")))) | length')"
	for command in ssh ssh-config exec inventory ssh-certificate; do
		# shellcheck disable=SC2046 # a word or none
		run -77 "coopr-$command" --as reader hello $([ "$command" = ssh-certificate ] && echo key.pub; [ "$command" = exec ] && echo true)
	done
}

@test "a connection to a node ends with its token, with the right to it, and with the server" {
	serve_tokens
	holds mine
	holds admin
	coopr-token delete -y "$(coopr-token list --all -o json | jq -r --arg name "mine $BATS_TEST_NUMBER" 'select(.name == $name) | .id')"
	ends mine
	coopr-member set -y -r read-only admin
	ends admin
	coopr-member set -y -r admin admin
	rm gate.admin
	holds admin
	serve_end
	ends admin
	same "" "$(pgrep -f "coopr-ssh .*--raw" || true)"
}

@test "the connection is made by an upgrade, by TLS and behind nginx as well, and their number is bounded" {
	need_program openssl
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost \
		-keyout k.pem -out c.pem 2>/dev/null
	coopr-token create -y -T default -r user "mine $BATS_TEST_NUMBER" >token
	serve --listen 127.0.0.1:0 --cert c.pem --key k.pem
	port=$(grep -o '127.0.0.1:[0-9]*' serve.log | cut -d: -f2)
	answers 426 GET /v1/clusters/hello/nodes/1000/ssh
	answers 426 GET /v1/clusters/hello/nodes/1000/ssh -H 'Connection: Upgrade' -H 'Upgrade: websocket'
	answers 404 GET /v1/clusters/hello/nodes/77/ssh -H 'Connection: Upgrade' -H 'Upgrade: ssh'
	answers 422 GET '/v1/clusters/hello/nodes/1000/ssh?dry-run=true' -H 'Connection: Upgrade' -H 'Upgrade: ssh'

	COOPR_TOKEN=$(cat token)
	export COOPR_TOKEN
	coopr-context set -yq work "https://localhost:$port" --ca "$PWD/c.pem"
	coopr-context use -yq --none
	same hello1-1000 "$(away coopr-ssh --server work hello/1000 hostname)"
	head -c 5000000 /dev/urandom >big
	away coopr-ssh --server work hello/1000 'cat >big; cat big' <big | cmp - big

	if command -v nginx >/dev/null; then
		mkdir -p front
		cat >front/nginx.conf <<-EOT
			daemon off; pid $PWD/front/pid; error_log $PWD/front/error.log;
			events {}
			http {
				access_log off;
				server {
					listen unix:$PWD/front/socket;
					location / {
						proxy_pass http://unix:$SOCKET:;
						proxy_http_version 1.1;
						proxy_set_header Host \$host;
						proxy_set_header Upgrade \$http_upgrade;
						proxy_set_header Connection \$http_connection;
					}
				}
			}
		EOT
		nginx -p "$PWD/front" -c "$PWD/front/nginx.conf" 3>&- &
		front=$!
		eventually test -S front/socket
		same hello1-1001 "$(away coopr-ssh --server "unix:$PWD/front/socket" hello/1001 hostname)"
		kill "$front"
		wait "$front"
		front=
	fi

	coopr-ssh-config hello >config
	unset COOPR_TOKEN
	python3 - "$SOCKET" <<-'EOT'
		import socket, sys
		def ask():
		    s = socket.socket(socket.AF_UNIX)
		    s.connect(sys.argv[1])
		    s.sendall(b"GET /v1/clusters/hello/nodes/1000/ssh HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: ssh\r\n\r\n")
		    text = b""
		    while b"\r\n\r\n" not in text:
		        text += s.recv(4096)
		    return s, text
		held = []
		for i in range(40):
		    s, text = ask()
		    if b" 101 " not in text.split(b"\r\n")[0]:
		        break
		    held.append((s, text))
		assert 16 < len(held) <= 32 and b" 503 " in text.split(b"\r\n")[0], (len(held), text)
		s, text = held[0]
		while b"SSH-2.0-OpenSSH" not in text:
		    more = s.recv(4096)
		    assert more
		    text += more
		for s, text in held:
		    s.close()
	EOT
	eventually answers 200 GET /healthz
	same hello1-1000 "$(away coopr-ssh --server "unix:$SOCKET" hello/1000 hostname)"
}

# Prints a call of a command on a node as a browser sends it.
call_ssh() {
	answers 200 GET /v1/version
	python3 -c 'import json, struct, sys
call = {"version": json.load(open("body"))["version"], "argv": ["ssh", "hello/1000", "hostname"], "whole": True, "terminals": [0, 1, 2]}
text = json.dumps(call).encode()
sys.stdout.buffer.write(b"\7" + struct.pack(">I", len(text)) + text)'
}

@test "a browser has a terminal to a node, on a page of its own, unless the server is told otherwise" {
	need_browser
	serve
	answers 200 GET /terminal -D head
	contains "$(cat head)" "style-src 'self' 'unsafe-inline';"
	answers 200 GET /terminal/xterm.js -D head
	contains "$(cat head)" "style-src 'self';"
	entered=$(coopr-audit -o json | jq -s 'map(select(.action == "enter")) | length')
	node "$COOPR_ROOT/tests/page.cjs" "$SOCKET" terminal
	same $((entered + 2)) "$(coopr-audit -o json | jq -s 'map(select(.action == "enter")) | length')"
	call_ssh >call
	answers 200 POST /v1/run --data-binary @call
	contains "$(tr -d '\0' <body)" hello1-1000
	serve_end
	code=$(coopr-user add -y -T default -r admin -o json bob | jq -r .code)
	serve --listen 127.0.0.1:0
	node "$COOPR_ROOT/tests/page.cjs" "$(sed -n 's|.*serving on http://||p' serve.log)" terminalSession "$code"
	serve_end
	serve --no-terminal
	answers 404 GET /terminal
	answers 422 POST /v1/run --data-binary @call
	contains "$(cat body)" "a server does not do this"
}
