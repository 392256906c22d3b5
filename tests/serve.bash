# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# A server, coopr-serve(1), with a store of its own: load it after case, and end it in teardown.
#
#	serve ARGUMENT...       starts it, and waits until it answers; its socket is $SOCKET, which others may open
#	serve_setup             a store with the catalogue mine
#	serve_slowly NAME...    the same as serve; these commands write "began", and print the file that they read from the FIFO gate
#	failed_often [STATE]    those who have failed to log in five times wait for a minute
#	serve_end               ends it; it must say that all was well
#	ask METHOD PATH [CURL-ARGUMENT...]
#	                        $status, and the body in the file body
#	answers STATUS METHOD PATH [CURL-ARGUMENT...]
#	                        the same, with that status; else it prints what was answered, and fails
#	v2 STATUS METHOD PATH [CURL-ARGUMENT...]
#	                        the same as $user in $tenant, as clients of Cask's Coopr say it
#	body FILTER             a member of the answer

serve_setup() {
	fresh
	need_program curl
	own_catalogue
	coopr-store init
	coopr-import -yq mine
	unset COOPR_CATALOGUE
}

# Programs find each other beside themselves.
serve_slowly() {
	local command

	mkdir bin
	cp "$COOPR_BIN/coopr-serve" bin
	for command; do
		cat >"bin/coopr-$command" <<-EOT
			#!/bin/sh
			[ "\$1" = --complete-options ] && exec "$COOPR_BIN/coopr-$command" "\$@"
			echo \$\$ >"$PWD/began.new"
			mv "$PWD/began.new" "$PWD/began"
			read -r answer <"$PWD/gate"
			echo >"$PWD/$command.done"
			[ -z "\$answer" ] || cat "\$answer"
		EOT
		chmod +x "bin/coopr-$command"
	done
	mkfifo gate
	PATH=$PWD/bin:$PATH serve
}

serve() {
	held=/tmp/coopr-serve.$$
	mkdir -p "$held"
	chmod 755 "$held"
	SOCKET=$held/socket
	coopr-serve --socket "$SOCKET" "$@" 2>serve.log 3>&- &
	server=$!
	for _ in $(seq 2000); do
		[ ! -S "$SOCKET" ] || ! curl -s --unix-socket "$SOCKET" -o /dev/null http://coopr/healthz || return 0
		kill -0 "$server" || break
		sleep 0.03
	done
	cat serve.log
	return 1
}

serve_end() {
	[ -n "${server-}" ] || return 0
	kill "$server"
	wait "$server"
	server=
	rm -rf "${held-}"
}

# So many attempts to log in have failed, just now, that the next may follow in a minute: whatever a test takes until then.
failed_often() {
	sqlite3 "${1:-$COOPR_STATE}/store.sqlite3" "UPDATE login_attempt SET count = 12, last_ms = $(date +%s%3N) WHERE count >= 5"
}

ask() {
	local method=$1 path=$2

	shift 2
	: >body
	status=$(curl -sS --path-as-is --unix-socket "$SOCKET" -X "$method" -o body -w '%{http_code}' "$@" "http://coopr$path")
}

answers() {
	local expected=$1

	shift
	ask "$@"
	[ "$status" = "$expected" ] || {
		printf '%s: %s, and not %s\n' "$*" "$status" "$expected"
		cat body
		return 1
	}
}

v2() {
	answers "$1" "$2" "$3" -H "Coopr-UserID: $user" -H "Coopr-TenantID: $tenant" "${@:4}"
}

body() {
	jq -cr "$1" body
}
