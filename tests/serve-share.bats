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
	until [ "$(grep -c "503$" statuses)" -ge 6 ]; do kill -0 "$sender"; done
	same 4 "$(pgrep -cf "^/bin/sh $PWD/bin/coopr-solve")"
	answers 503 POST /v1/solve -d '{}' -D head
	contains "$(cat head)" "Retry-After: 1"
	answers 200 GET /v1/clusters -H "Authorization: Bearer $token"
	kill "$sender"
	wait "$sender" || true
	pkill -f "^/bin/sh $PWD/bin/coopr-solve"
}

@test "the command of a request has two gigabytes of memory, and two minutes of a processor" {
	[ -z "${COOPR_BUILD-}" ] || [[ $COOPR_BUILD != *san* ]] || skip "what sanitizers need is not bounded"
	serve_slowly list
	cat >>bin/coopr-list <<-'END'
		printf '{"memory": %s, "seconds": %s}\n' "$(ulimit -v)" "$(ulimit -t)"
	END
	curl -sS --unix-socket "$SOCKET" http://coopr/v1/clusters >answer 3>&- &
	sender=$!
	until [ -e began ]; do kill -0 "$sender"; done
	echo >gate
	wait "$sender"
	same '{"items":[{"memory": 2096128, "seconds": 120}]}' "$(cat answer)"
}
