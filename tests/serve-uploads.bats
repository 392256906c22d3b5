#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Uploads to coopr-serve(1): what a command reads as it comes, and who sends it slowly, not at all, or too much at once.

load case
load serve

FILES=/v1/resources/automator/shell/files

setup() {
	serve_setup
	serve
}

teardown() {
	serve_end
}

# Has a python program, which is read from standard input, speak to the server: begin(BYTES, HEADERS) sends the head of an upload.
attacker() {
	timeout 60 python3 -B <(
		cat <<-'END'
			import socket, subprocess, sys
			def begin(length, headers=b""):
			    one = socket.socket(socket.AF_UNIX)
			    one.connect(sys.argv[1])
			    one.sendall(b"PUT %s/x HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n%s\r\n" % (sys.argv[2].encode(), length, headers))
			    return one
			def status(one):
			    said = one.recv(4096)
			    return said[9:12].decode() if said else "closed"
		END
		cat
	) "$SOCKET" "$FILES"
}

# Prints how many commands of uploads run.
uploads() {
	pgrep -c -P "$server" -f 'coopr-resource upload' || :
}

@test "an upload is of any size: its command reads it as it comes, and says when it is too large" {
	head -c 20000000 /dev/urandom >bytes
	answers 200 PUT "$FILES/noise?sync" -T bytes
	answers 200 GET "$FILES/noise"
	cmp bytes body
	rm bytes body
	answers 200 PUT "$FILES/parts" -T - -H 'Transfer-Encoding: chunked' <<<"one"
	answers 200 PUT "$FILES/empty"
	same 0 "$(jq '.items[0].bytes' body)"
	before=$(awk '/VmHWM/ {print $2}' "/proc/$server/status")
	truncate -s 300M zeros
	answers 413 PUT "$FILES/zeros" -T zeros
	contains "$(cat body)" "standard input: larger than 67108864 bytes"
	answers 413 PUT "$FILES/zeros" -T - -H 'Transfer-Encoding: chunked' <zeros
	after=$(awk '/VmHWM/ {print $2}' "/proc/$server/status")
	[[ $COOPR_BUILD == *san* ]] || [ $((after - before)) -lt 20000 ]
	answers 200 GET /v1/resources
	same '["empty","noise","parts"]' "$(jq -c '[.items[].name]' body)"
}

@test "an import is read as it comes" {
	answers 200 GET /v1/export
	jq -c '.items[]' body >records
	for i in $(seq 3000); do
		echo '{"kind":"hardwaretype","name":"h'"$i"'","description":"'"$(printf '%03000d' "$i")"'","providermap":{"dummy":{"flavor":"f"}}}'
	done >>records
	[ "$(stat -c %s records)" -gt 8388608 ]
	coopr-tenant create qa
	coopr-member set -T qa -r admin ann
	head -c 34000000 /dev/zero | tr '\0' ' ' >spaces
	answers 413 POST '/v1/import?dry-run&tenant=qa&as=ann' -T spaces
	contains "$(cat body)" "larger than 33554432 bytes"
	answers 200 POST '/v1/import?dry-run' -T records
	same 3000 "$(jq '[.items[] | select(.name | startswith("h"))] | length' body)"
}

@test "who asks is known before a body is read" {
	answers 401 PUT "$FILES/x" -H 'Authorization: Bearer nobody' -H 'Expect: 100-continue' -T - </dev/zero
	answers 422 PUT "$FILES/x?store=/tmp/x" -H 'Expect: 100-continue' -T - </dev/zero
	run ! timeout 60 curl -sS --unix-socket "$SOCKET" -X PUT -H 'Expect:' -H 'Authorization: Bearer nobody' -T - "http://coopr$FILES/x" </dev/zero
	[ "$status" -ne 124 ]
	same 0 "$(uploads)"
}

@test "an upload that does not come whole is none: its command ends with its sender" {
	attacker <<-'END'
		for end in 10, 900:
		    one = begin(1000)
		    one.sendall(b"x" * end)
		    one.close()
	END
	until [ "$(uploads)" = 0 ]; do kill -0 "$server"; sleep 0.05; done
	same '[]' "$(coopr-resource list -o json | jq -cs .)"
}

@test "four uploads of a user are on their way at a time; others are told when to try again, and other requests are served" {
	attacker <<-'END' >said
		held = [begin(1000) for _ in range(4)]
		for one in held:
		    one.sendall(b"half")
		fifth = begin(4)
		fifth.sendall(b"text")
		said = fifth.recv(4096).decode()
		print(said.split("\r\n")[0], "Retry-After" in said)
		fifth.close()
		print(subprocess.run(["curl", "-sf", "--unix-socket", sys.argv[1], "http://coopr/v1/clusters"], capture_output=True).stdout.decode().strip())
		held[0].sendall(b"x" * 996)
		print(status(held[0]))
		sixth = begin(4)
		sixth.sendall(b"text")
		print(status(sixth))
	END
	same $'HTTP/1.1 503 Service Unavailable True\n{"items":[]}\n200\n200' "$(cat said)"
	until [ "$(uploads)" = 0 ]; do kill -0 "$server"; sleep 0.05; done
}
