#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# What a node may answer that keeps to nothing: an ssh in its place says it.

load case

setup() {
	fresh
	need_program jq
	mkdir bin
	PATH=$PWD/bin:$PATH
}

# An ssh, a shell script read from stdin. $nonce is the task's.
ssh_says() {
	{
		printf '%s\n' '#!/bin/sh' 'for last; do :; done' 'nonce=${last##* }'
		cat
	} >bin/ssh
	chmod +x bin/ssh
}

# Has a node looked at; keeps the result.
look() {
	jq -cn '{kind: "task", id: "t1", job: "00000042-001", token: "00000042-001:t1", attempt: 1, action: "bootstrap",
		type: "shell", fields: {}, timeout_s: 60, cluster: {id: "00000042", name: "shop"},
		machine: {id: "00000042-1000", nodenum: 1000, hostname: "a.example.net", ipaddresses: {access_v4: "127.0.0.1"},
			facts: {"ssh-auth": {user: "root"}, ssh_host_keys: {ed25519: "ssh-ed25519 AAAA"}}}}' |
		coopr-exec -q >result.json
}

@test "a node that ends before it has begun has told nothing" {
	ssh_says <<-'END'
		printf 'coopr-end %s 0\n' "$nonce"
		printf 'coopr-begin %s\n' "$nonce" | tee /dev/stderr
	END
	look
	same 75 "$(jq .status result.json)"
	contains "$(jq -r .message result.json)" "node 00000042-1000"
}

@test "what stands behind the end of a node's answer is none of it" {
	ssh_says <<-'END'
		printf 'coopr-begin %s\na=1\000coopr-end %s 0\nb=2\000' "$nonce" "$nonce"
		printf 'coopr-begin %s\ncoopr-end %s\n' "$nonce" "$nonce" >&2
		exec cat >/dev/null
	END
	look
	same '{"a":"1"}' "$(jq -c .result result.json)"
}

@test "an ssh that gives no reason behind its last colon is quoted whole" {
	ssh_says <<<"echo 'ssh: x:' >&2; exit 255"
	look
	same 75 "$(jq .status result.json)"
	contains "$(jq -r .message result.json)" "cannot be reached: ssh: x:"
}
