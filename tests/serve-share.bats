#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# What a request of coopr-serve(1) may take, and what a user may.

load case
load serve

setup() {
	serve_setup
}

teardown() {
	serve_end
}

@test "a user has half of the commands that run at once, and a quarter of the requests that wait" {
	coopr-member set -r user ann
	token=$(coopr-token create -o json --role user mine | jq -r .token)
	sqlite3 "$COOPR_STATE/store.sqlite3" "UPDATE token SET user = 'ann'"
	serve_slowly solve
	for _ in $(seq 260); do
		echo "next"
		echo 'url = "http://coopr/v1/solve"'
		printf 'unix-socket = "%s"\ndata = "{}"\noutput = "/dev/null"\nwrite-out = "%%{stderr}%%{http_code}\\n"\n' "$SOCKET"
	done | sed 1d >many
	curl -sS -Z --parallel-immediate --parallel-max 300 -K many 2>statuses 3>&- &
	sender=$!
	# Those who are refused say that the rest has come.
	until [ "$(grep -c "503$" statuses)" -ge 6 ]; do kill -0 "$sender"; sleep 0.05; done
	same 4 "$(pgrep -cf "^/bin/sh $PWD/bin/coopr-solve")"
	answers 503 POST /v1/solve -d '{}' -D head
	contains "$(cat head)" "Retry-After: 1"
	answers 200 GET /v1/clusters -H "Authorization: Bearer $token"
	kill "$sender"
	wait "$sender" || true
	pkill -f "^/bin/sh $PWD/bin/coopr-solve"
}

# Asks to log in as somebody who comes from there: from ADDRESS NUMBER.
logins() {
	for _ in $(seq "$2"); do
		echo "next"
		printf 'url = "http://%s/v1/session"\nheader = "X-Forwarded-For: %s"\n' "$address" "$1"
		printf 'data = "{}"\noutput = "/dev/null"\nwrite-out = "%%{stderr}%%{http_code}\\n"\n'
	done | sed 1d
}

# Sends requests that curl reads, of one place: two of its commands run, and 62 wait. Those who are refused say that the rest has come.
flood() {
	curl -sS -Z --parallel-immediate --parallel-max 300 -K - <<<"$1" 2>statuses 3>&- &
	senders+=($!)
	for _ in $(seq 300); do
		[ "$(grep -c "503$" statuses)" -lt 16 ] || return 0
		sleep 0.1
	done
	cat statuses
	return 1
}

# Asks once, and prints the status: login_from ADDRESS.
login_from() {
	curl -sS -m 60 -o answer -w '%{http_code}' -H "X-Forwarded-For: $1" -d '{}' "http://$address/v1/session"
}

@test "who asks to log in all the time keeps only those from logging in who come from the same address" {
	coopr-user add -r superadmin zoe
	mkdir bin
	cp "$COOPR_BIN/coopr-serve" bin
	mkfifo gate
	exec 9<>gate
	cat >bin/coopr-session <<-EOT
		#!/bin/sh
		[ "\$2" = --complete-options ] && exec "$COOPR_BIN/../libexec/coopr/session" "\$@"
		case \$COOPR_ASKER_FROM in
			192.0.2.*) echo '{"session":"coopr_x","user":"ann"}' ;;
			*) echo \$\$ >>"$PWD/begun" && read -r line <"$PWD/gate" ;;
		esac
	EOT
	chmod +x bin/coopr-session
	PATH=$PWD/bin:$PATH serve --listen 127.0.0.1:0 --proxy 127.0.0.1
	address=$(sed -n 's|.*serving on http://||p' serve.log)
	flood "$(logins 203.0.113.1 80)"
	same 200 "$(login_from 192.0.2.7)"
	# A network of IPv6 is one place.
	flood "$(for i in $(seq 80); do echo "next"; logins "2001:db8::$i" 1; done | sed 1d)"
	same 4 "$(wc -l <begun)"
	kill "${senders[@]}"
	wait "${senders[@]}" || true
	# Also for those that begin before the server sees that nobody waits for them.
	yes "" | head -n 300 >&9
}

@test "the command of a request has two gigabytes of memory, and two minutes of a processor" {
	[ -z "${COOPR_BUILD-}" ] || [[ $COOPR_BUILD != *san* ]] || skip "what sanitizers need is not bounded"
	serve_slowly list
	cat >>bin/coopr-list <<-'END'
		printf '{"memory": %s, "seconds": %s}\n' "$(ulimit -v)" "$(ulimit -t)"
	END
	curl -sS --unix-socket "$SOCKET" http://coopr/v1/clusters >answer 3>&- &
	sender=$!
	until [ -e began ]; do kill -0 "$sender"; sleep 0.05; done
	echo >gate
	wait "$sender"
	same '{"items":[{"memory": 2096128, "seconds": 120}]}' "$(cat answer)"
}

# Has the server's command of that name print what a shell says.
prints() {
	mkdir bin
	cp "$COOPR_BIN/coopr-serve" bin
	cat >"bin/coopr-$1" <<-EOT
		#!/bin/sh
		[ "\$1" = --complete-options ] && exec "$COOPR_BIN/coopr-$1" "\$@"
		$2
	EOT
	chmod +x "bin/coopr-$1"
	PATH=$PWD/bin:$PATH serve
}

# Documents of a template whose best layout is not found for minutes.
hard_template() {
	jq -nc '[range(60) | "s\(.)"] as $all | ($all[] as $name | ($name[1:] | tonumber) as $n | {kind: "service", name: $name, consumes: {cpu: (1 + $n % 3),
		memory: (100 + $n * 997 % 2900)}, provisioner: {actions: {start: {type: "dummy", fields: {}}}}}),
		(range(8) | {kind: "hardwaretype", name: "h\(.)", providermap: {dummy: {flavor: "f\(.)", cost: (. * 379 % 1000 / 331), capacity: {cpu: (4 + . * 7 % 17),
			memory: (2000 + . * 7919 % 28000)}}}}),
		{kind: "clustertemplate", name: "hard", defaults: {services: $all, provider: "dummy", imagetype: "debian12"}, objective: ["cost", "machines"],
			compatibility: {services: $all, hardwaretypes: [range(8) | "h\(.)"], imagetypes: ["debian12"]}, constraints: {size: {min: 1, max: 400},
			layout: {cantcoexist: [range(60) | ["s\(.)", "s\((. * 17 + 23) % 60)"] | select(.[0] != .[1])]},
			services: ([$all[] | {key: ., value: {quantities: {min: (1 + (.[1:] | tonumber) % 4), max: 50}}}] | from_entries)}}'
}

# The solver that runs for this test, whoever has started it.
solver() {
	local pid

	for pid in $(pgrep -x coopr-solve); do
		! tr '\0' '\n' <"/proc/$pid/environ" 2>/dev/null | grep -qxF "COOPR_STATE=$COOPR_STATE" || echo "$pid"
	done
}

@test "so has what an operation solves that another machine has begun; it ends when that leaves" {
	[ -z "${COOPR_BUILD-}" ] || [[ $COOPR_BUILD != *san* ]] || skip "what sanitizers need is not bounded"
	hard_template | coopr-import -yq -
	serve
	(unset COOPR_STATE COOPR_SPOOL && exec coopr-create --server "unix:$SOCKET" --dry-run -t hard shop >said 2>&1 3>&-) &
	client=$!
	until [ -n "$(solver)" ]; do kill -0 "$client" || break; sleep 0.05; done
	found=$(solver)
	[ -n "$found" ] || { cat said; return 1; }
	until grep -qE "^Max cpu time +120 +120 " "/proc/$found/limits"; do sleep 0.1; done
	grep -E "^Max address space +2146435072 +2146435072 " "/proc/$found/limits"
	kill "$client"
	while [ -n "$(solver)" ]; do sleep 0.1; done
}

@test "who asks what somebody has asked who left is answered by another command than the one that is being ended" {
	prints list "
		mkdir '$PWD/first' 2>/dev/null || { echo '{\"name\": \"second\"}'; exit; }
		trap 'echo >\"$PWD/told\"' TERM
		echo >'$PWD/began'
		# A signal that comes while the shell starts one long sleep is heard by neither in time.
		until [ -e '$PWD/gate' ]; do sleep 0.1; done
		exit 143"
	curl -sS --unix-socket "$SOCKET" -o /dev/null http://coopr/v1/clusters 3>&- &
	sender=$!
	until [ -e began ]; do kill -0 "$sender"; sleep 0.05; done
	kill "$sender"
	until [ -e told ]; do kill -0 "$server"; sleep 0.05; done
	answers 200 GET /v1/clusters
	same second "$(body '.items[0].name')"
	touch gate
}

@test "a large answer is kept on the disk until it is read, and takes no memory, however slowly that is" {
	prints log "seq -f %063.0f 100000"
	before=$(awk '/VmHWM/ {print $2}' "/proc/$server/status")
	answers 200 GET /v1/clusters/x/log -D head
	same "$(seq -f %063.0f 100000 | sha256sum)" "$(sha256sum <body)"
	tag=$(sed -n 's/\r//; s/^ETag: //p' head)
	answers 304 GET /v1/clusters/x/log -H "If-None-Match: $tag"
	answers 206 GET /v1/clusters/x/log -H "Range: bytes=-64" -D head
	same "$(printf %063d 100000)" "$(cat body)"
	contains "$(cat head)" "Content-Range: bytes 6399936-6399999/6400000"
	answers 416 GET /v1/clusters/x/log -H "Range: bytes=6400000-"
	curl -sI --unix-socket "$SOCKET" http://coopr/v1/clusters/x/log | tr -d '\r' >head
	contains "$(cat head)" $'Content-Length: 6400000'
	contains "$(cat head)" "ETag: $tag"
	for i in 1 2 3 4; do
		mkfifo "read.$i"
		curl -sN --unix-socket "$SOCKET" http://coopr/v1/clusters/x/log >"read.$i" 3>&- &
		exec {fd}<"read.$i"
		read -r line <&"$fd"
		same "$(printf %063d 1)" "$line"
	done
	after=$(awk '/VmHWM/ {print $2}' "/proc/$server/status")
	[[ ${COOPR_BUILD-} == *san* ]] || [ $((after - before)) -lt 10000 ]
	answers 200 GET /healthz
}

@test "a large list is a list" {
	prints list 'seq -f "{\"n\":%.0f}" 100000'
	answers 200 GET /v1/clusters
	seq -f '{"n":%.0f}' 100000 >lines
	jq -c '.items[]' body | cmp - lines
	jq -cs '{items: .}' lines | cmp - body
}

@test "a user reads 32 large answers at a time" {
	prints log "seq -f %063.0f 30000"
	python3 -B - "$SOCKET" <<-'END' >statuses
		import socket, sys
		held = []
		for _ in range(40):
		    one = socket.socket(socket.AF_UNIX)
		    one.connect(sys.argv[1])
		    one.sendall(b"GET /v1/clusters/x/log HTTP/1.1\r\nHost: a\r\n\r\n")
		    held.append(one)
		    print(one.recv(12).decode()[9:])
	END
	same "$(printf '200\n%.0s' {1..32}; printf '503\n%.0s' {1..8})" "$(cat statuses)"
	answers 200 GET /v1/clusters/x/log
}

# Has a python program, which is read from standard input, speak to the server: connect() opens a connection.
speak() {
	timeout 60 python3 -B <(
		cat <<-'END'
			import socket, sys
			HEALTH = b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"
			def connect():
			    one = socket.socket(socket.AF_UNIX)
			    one.connect(sys.argv[1])
			    one.settimeout(30)
			    return one
			def answers(one, count=-1):
			    said = b""
			    while count < 0 or said.count(b"HTTP/1.1 200") < count:
			        part = one.recv(65536)
			        if not part:
			            break
			        said += part
			    return said.count(b"HTTP/1.1 200")
		END
		cat
	) "$SOCKET"
}

@test "who sends many requests at once is answered all of them, in turns with others" {
	serve
	speak <<-'END' >said
		held = [connect() for _ in range(100)]
		for one in held:
		    one.sendall(HEALTH * 400)
		other = connect()
		other.sendall(HEALTH)
		print(answers(other, 1))
		print(sum(answers(one, 400) for one in held))
	END
	same $'1\n40000' "$(cat said)"
}

@test "who has sent all there will be is answered, and is not waited for" {
	serve
	speak <<-'END' >said
		for sent in HEALTH * 400, HEALTH[:20], b"", b"POST /v1/validate HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhalf":
		    one = connect()
		    one.sendall(sent)
		    one.shutdown(socket.SHUT_WR)
		    print(answers(one))
	END
	same $'400\n0\n0\n0' "$(cat said)"
}

@test "a large body is taken only of who is known" {
	serve
	answers 401 POST /v1/validate -H 'Authorization: Bearer nobody' -H 'Expect: 100-continue' --data-binary @<(head -c 8000000 /dev/zero)
	answers 413 POST /v1/session -H 'Expect: 100-continue' --data-binary @<(head -c 8000000 /dev/zero)
	answers 413 GET /healthz -H 'Expect: 100-continue' --data-binary @<(head -c 8000000 /dev/zero)
	before=$(awk '/VmHWM/ {print $2}' "/proc/$server/status")
	speak <<-'END'
		held = [connect() for _ in range(20)]
		for one in held:
		    one.sendall(b"POST /v1/validate HTTP/1.1\r\nHost: a\r\nContent-Length: 4000001\r\nAuthorization: Bearer nobody\r\n\r\n" + b"x" * 4000000)
	END
	after=$(awk '/VmHWM/ {print $2}' "/proc/$server/status")
	[[ ${COOPR_BUILD-} == *san* ]] || [ $((after - before)) -lt 10000 ]
}

@test "a command that does not read is sent no more than it has room for" {
	serve_slowly list
	speak <<-'END' >said
		import json, struct
		def frame(kind, text):
		    return bytes([kind]) + struct.pack(">I", len(text)) + text
		def post(path, body):
		    one = connect()
		    one.sendall(b"POST %s HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n" % (path, len(body)) + body)
		    return one
		one = connect()
		one.sendall(b"GET /v1/version HTTP/1.1\r\nHost: a\r\n\r\n")
		version = json.loads(one.recv(65536).split(b"\r\n\r\n")[1])["version"]
		run = post(b"/v1/run", frame(7, json.dumps({"argv": ["list"], "version": version, "input_follows": True}).encode()))
		said = b""
		while said.find(b"\4\0\0\0\x20") < 0 or len(said) < said.find(b"\4\0\0\0\x20") + 37:
		    said += run.recv(4096)
		at = said.find(b"\4\0\0\0\x20") + 5
		name = said[at:at + 32]
		statuses = [post(b"/v1/run/" + name, frame(8, b" " * 700000)).recv(12).decode()[9:] for _ in range(6)]
		print(" ".join(statuses))
		open("gate", "w").write("/dev/null\n")
	END
	same "204 204 503 503 503 503" "$(cat said)"
}

@test "answers that nobody reads are on the disk, where they would take too much memory" {
	serve
	before=$(awk '/VmHWM/ {print $2}' "/proc/$server/status")
	speak <<-'END' >said
		import resource
		resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
		held = [connect() for _ in range(1000)]
		for one in held:
		    one.sendall(b"GET /v1/openapi.json HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
		for one in held:
		    one.recv(1)
		lengths = set()
		for one in held[::100]:
		    length = 1
		    while part := one.recv(1 << 20):
		        length += len(part)
		    lengths.add(length)
		print(len(lengths), lengths.pop() > 200000)
	END
	same "1 True" "$(cat said)"
	after=$(awk '/VmHWM/ {print $2}' "/proc/$server/status")
	[[ ${COOPR_BUILD-} == *san* ]] || [ $((after - before)) -lt 150000 ]
}
