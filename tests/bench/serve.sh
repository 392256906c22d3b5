#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# How fast coopr-serve answers what is looked at again and again, by TLS with 64 connections that stay, beside nginx, which serves a file
# of the same bytes with the same certificate; also while the store changes. In turns: five seconds each, three times.

set -eu
# shellcheck source=tests/bench/bench.bash
. "$(dirname "$0")/bench.bash"

has nginx nginx-light || exit 0
has wrk wrk || exit 0
rounds=${ROUNDS:-3} seconds=${SECONDS_EACH:-5} clusters=${CLUSTERS:-10000}
echo "$(versions nginx-light wrk libmicrohttpd12 libgnutls30), $(nproc) processors"

openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout key.pem -out cert.pem -subj /CN=localhost -days 2 2>/dev/null
store_clusters "$clusters"
token=$(coopr-token create -r superadmin bench)
coopr-serve --socket serve.socket --listen 127.0.0.1:0 --cert cert.pem --key key.pem 2>serve.log &
server=$!
peer=
trap 'kill $server $peer 2>/dev/null || :' EXIT
until grep -q 'serving on https' serve.log; do kill -0 "$server"; done
ours=$(sed -n 's|.*serving on https://127.0.0.1:|https://localhost:|p' serve.log)

# Another program may listen on a port that was written here, and would be measured as nginx.
port=${PORT:-$(python3 -c 'import socket; one = socket.create_server(("127.0.0.1", 0)); print(one.getsockname()[1])')}
mkdir -p www logs
cat >nginx.conf <<-END
	user $(id -un);
	worker_processes 1;
	daemon off;
	pid $PWD/nginx.pid;
	error_log $PWD/logs/error warn;
	events { worker_connections 2048; }
	http {
		access_log off;
		client_body_temp_path $PWD/logs; proxy_temp_path $PWD/logs; fastcgi_temp_path $PWD/logs; uwsgi_temp_path $PWD/logs; scgi_temp_path $PWD/logs;
		keepalive_requests 100000000;
		server {
			listen 127.0.0.1:$port ssl;
			ssl_certificate $PWD/cert.pem;
			ssl_certificate_key $PWD/key.pem;
			root $PWD/www;
		}
	}
END
nginx -p "$PWD" -c "$PWD/nginx.conf" 2>logs/start &
peer=$!
theirs=https://localhost:$port
until curl -sk "$theirs/" -o /dev/null; do kill -0 "$peer"; done

# Prints requests a second, and the 99th percentile in milliseconds: load ADDRESS
load() {
	wrk -t1 -c64 -d"${seconds}s" --latency -H "Authorization: Bearer $token" "$1" >wrk.log
	awk '/Requests\/sec/ {rate = $2} / 99%/ {x = $2; ms = x + 0; if (x ~ /us$/) ms /= 1000; else if (x !~ /ms$/) ms *= 1000}
		/Non-2xx/ {bad = $0} END {print rate, ms; if (bad) {print bad > "/dev/stderr"; exit 1}}' wrk.log
}

# compare LABEL PATH SHARE
compare() {

	curl -sSk --fail-with-body -H "Authorization: Bearer $token" "$ours$2" -o www/file || { cat www/file serve.log; return 1; }
	curl -sSk --fail "$theirs/file" | cmp - www/file
	: >figures
	for _ in $(seq "$rounds"); do
		one=$(load "$ours$2") other=$(load "$theirs/file")
		echo "$one $other" >>figures
	done
	printf '%s, %d bytes: %.0f requests/s, nginx %.0f: %s; p99 %.1f ms, nginx %.1f: %s\n' "$1" "$(stat -c %s www/file)" \
		"$(awk '{print $1}' figures | median)" "$(awk '{print $3}' figures | median)" \
		"$(at_least "$(awk '{print $1 / $3}' figures | median)" "$3" " of it")" \
		"$(awk '{print $2}' figures | median)" "$(awk '{print $4}' figures | median)" \
		"$(against "$(awk '{print $2 / $4}' figures | median)" 5 " times")"
}

compare "one cluster" /v1/clusters/shop 0.25
compare "100 of $clusters clusters" '/v1/clusters?limit=100' 0.1

# The same while the store changes again and again (members, of which there is no end), so that no answer is kept for long.
changes=0
: >changes
while coopr-member set -q -r user "user$((changes++ % 9))" >/dev/null; do
	echo >>changes
	sleep "${CHANGE_S:-0.1}"
done &
changing=$!
trap 'kill $server $peer $changing 2>/dev/null || :' EXIT

began=$(date +%s%N)
compare "one cluster while the store changes" /v1/clusters/shop 0.25
compare "100 of $clusters clusters while the store changes" '/v1/clusters?limit=100' 0.1
awk -v us=$((($(date +%s%N) - began) / 1000)) 'END {printf "%.1f changes/s\n", NR * 1e6 / us}' changes
