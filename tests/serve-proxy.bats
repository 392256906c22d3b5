#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-serve(1) behind proxies: who is believed to say who asks, and from where.

load case
load serve

setup() {
	serve_setup
	coopr-tenant create qa
	coopr-user add -T qa -r admin -o json ann >ann
	coopr-member set -T qa -r admin bob
	coopr-token create --as bob -T qa ci >token
}

teardown() {
	[ -z "${front-}" ] || {
		kill "$front"
		wait "$front" || true
	}
	serve_end
}

# Serves at an address of TCP, which is $address.
serve_tcp() {
	serve --listen 127.0.0.1:0 "$@"
	address=$(sed -n 's|.*serving on http://||p' serve.log)
}

# Starts nginx at $proxied, which asks whom for a password and hands on to $address from 127.0.0.7: front UPSTREAM [LINE...]
front() {
	proxied=127.$((BASHPID % 250 + 1)).$((BASHPID / 250 % 250 + 1)).1:8080
	echo "ann:$(openssl passwd -apr1 basic)
root:$(openssl passwd -apr1 basic)" >htpasswd
	mkdir -p nginx
	cat >nginx.conf <<-END
		daemon off;
		master_process off;
		pid $PWD/nginx/pid;
		error_log $PWD/nginx/log;
		events {}
		http {
		access_log off;
		client_body_temp_path $PWD/nginx/body;
		proxy_temp_path $PWD/nginx/proxy;
		fastcgi_temp_path $PWD/nginx/fastcgi;
		uwsgi_temp_path $PWD/nginx/uwsgi;
		scgi_temp_path $PWD/nginx/scgi;
		server {
		listen $proxied;
		location / {
		proxy_pass $1;
		proxy_set_header Host \$http_host;
		proxy_set_header X-Forwarded-For \$proxy_add_x_forwarded_for;
		proxy_set_header X-Forwarded-Proto https;
		$(printf '%s\n' "${@:2}")
		}
		}
		}
	END
	nginx -c "$PWD/nginx.conf" -p "$PWD/nginx" 2>nginx/log 3>&- &
	front=$!
	until curl -s -o /dev/null "http://$proxied/healthz"; do
		kill -0 "$front"
		sleep 0.05
	done
}

# Asks: asks STATUS URL [CURL-ARGUMENT...]; the body is in the file body, the head in head.
asks() {
	status=$(curl -sS -D head -o body -w '%{http_code}' "${@:3}" "http://$2") || return 1
	[ "$status" = "$1" ] || {
		echo "$2: $status"
		cat body
		return 1
	}
}

@test "behind nginx, who has logged in there is who asks, and the address is the client's" {
	need_program nginx openssl
	serve_tcp --proxy 127.0.0.7 --proxy-header X-Remote-User
	front "http://$address" 'proxy_bind 127.0.0.7;' 'auth_basic coopr;' "auth_basic_user_file $PWD/htpasswd;" \
		'proxy_set_header X-Remote-User $remote_user;'
	asks 401 "$proxied/v1/session"
	contains "$(cat head)" "Basic"
	asks 200 "$proxied/v1/session" -u ann:basic
	same ann "$(jq -r .user body)"
	asks 200 "$proxied/v1/session" -u ann:basic -H 'X-Remote-User: bob'
	same ann "$(jq -r .user body)"
	asks 401 "$proxied/v1/session" -u root:basic
	asks 204 "$proxied/v1/members/eve?tenant=qa" -u ann:basic -X PUT -d '{}' --interface 127.0.0.21 -H 'X-Forwarded-For: 192.0.2.66'
	same "ann 127.0.0.21" "$(coopr-audit -T qa -o json | jq -r 'select(.object == "member eve") | "\(.user) \(.address)"')"
	asks 403 "$proxied/v1/members/eve?tenant=qa" -u ann:basic -X PUT -d '{}' -H 'Origin: http://evil.example'
	asks 200 "$address/v1/session" -H "Authorization: Bearer $(cat token)"
	same bob "$(jq -r .user body)"
}

@test "the headers are believed of no one else" {
	serve_tcp --proxy 127.0.0.7 --proxy 10.0.0.0/8 --proxy-header X-Remote-User
	asks 401 "$address/v1/session" -H 'X-Remote-User: bob'
	contains "$(jq -r .detail body)" "X-Remote-User: it is believed of the proxies alone that --proxy names, and 127.0.0.1 is none"
	asks 200 "$address/v1/session" -H "Authorization: Bearer $(cat token)" -H 'X-Remote-User: ann'
	same bob "$(jq -r .user body)"
	asks 204 "$address/v1/members/eve" -X PUT -d '{}' -H "Authorization: Bearer $(cat token)" -H 'X-Forwarded-For: 192.0.2.66'
	same 127.0.0.1 "$(coopr-audit -T qa -o json | jq -r 'select(.object == "member eve") | .address')"
	run -64 coopr-serve --proxy-header X-Remote-User
	for wrong in 10.0.0.1/8 10.0.0 nowhere unix:nobody-of-that-name ::1/129; do
		run -64 coopr-serve --proxy "$wrong"
		contains "$output" "--proxy: "
	done
}

@test "what a proxy says of who asks is a name of a user, once, and no owner of the store" {
	serve_tcp --proxy 127.0.0.7 --proxy-header X-Remote-User
	local proxy=(--interface 127.0.0.7)
	asks 200 "$address/v1/session" "${proxy[@]}" -H 'x-remote-user: bob'
	same '["bob","admin"]' "$(jq -c '[.user, .role]' body)"
	asks 400 "$address/v1/session" "${proxy[@]}" -H 'X-Remote-User: bob' -H 'X-Remote-User: ann'
	for name in root "$(id -un)" 'uid 0' 'a/b' '../x' "$(printf 'x%.0s' {1..300})"; do
		asks 401 "$address/v1/session" "${proxy[@]}" -H "X-Remote-User: $name"
	done
	asks 401 "$address/v1/session" "${proxy[@]}" -H 'X-Remote-User;'
	asks 200 "$address/v2/clustertemplates" "${proxy[@]}" -H 'X-Remote-User: bob' -H 'Coopr-UserID: bob' -H 'Coopr-TenantID: qa'
	asks 401 "$address/v2/clustertemplates" "${proxy[@]}" -H 'X-Remote-User: bob' -H 'Coopr-UserID: ann' -H 'Coopr-TenantID: qa'
	asks 401 "$address/v2/clustertemplates" "${proxy[@]}" -H 'Coopr-UserID: ann' -H 'Coopr-TenantID: qa'
}

@test "attempts to log in count for the client behind the proxy, whatever it says itself" {
	serve_tcp --proxy 127.0.0.7 --proxy 127.0.0.8
	fails() { # STATUS FORWARDED
		asks "$1" "$address/v1/session" --interface 127.0.0.7 -H "X-Forwarded-For: $2" -d '{"user": "nobody'"$RANDOM"'", "password": "x"}'
	}
	for i in 1 2 3 4 5; do
		fails 401 "192.0.2.$i, 198.51.100.1, 127.0.0.8"
	done
	failed_often
	fails 429 "192.0.2.9, 198.51.100.1"
	fails 429 "198.51.100.1:4711, 127.0.0.8"
	fails 401 "198.51.100.1, 198.51.100.2"
	fails 401 "198.51.100.1, [2001:db8::1]:99"
	same "address 127.0.0.7" "$(fails 401 "198.51.100.1, nonsense" && sqlite3 "$COOPR_STATE/store.sqlite3" "SELECT of FROM login_attempt WHERE of = 'address 127.0.0.7'")"
	same 1 "$(sqlite3 "$COOPR_STATE/store.sqlite3" "SELECT count(*) FROM login_attempt WHERE of LIKE 'address 2001:db8::'")"
	asks 200 "$address/v1/session" --interface 127.0.0.7 -H 'X-Forwarded-Proto: https' -d "$(jq -c '{code}' ann)"
	contains "$(cat head)" "; Secure"
}

@test "by the Unix socket a proxy is nobody itself, and attempts count for its user" {
	serve --proxy "unix:$(id -un)" --proxy-header X-Remote-User
	answers 401 GET /v1/session
	answers 200 GET /v1/session -H 'X-Remote-User: bob'
	same bob "$(jq -r .user body)"
	answers 401 GET /v1/session -H 'X-Remote-User: root'
	answers 204 PUT '/v1/members/eve?tenant=qa' -d '{}' -H 'X-Remote-User: bob' -H 'X-Forwarded-For: 192.0.2.7'
	same "192.0.2.7" "$(coopr-audit -T qa -o json | jq -r 'select(.object == "member eve") | .address')"
	serve_end
	serve
	for i in 1 2 3 4 5; do
		answers 401 POST /v1/session -d "{\"user\": \"nobody$i\", \"password\": \"x\"}" -H 'X-Forwarded-For: 192.0.2.8'
	done
	same "address uid:$(id -u)|5" "$(sqlite3 "$COOPR_STATE/store.sqlite3" "SELECT of, count FROM login_attempt WHERE of LIKE 'address %'")"
	failed_often
	answers 429 POST /v1/session -d '{"user": "nobody9", "password": "x"}'
	answers 200 GET /v1/session
}

# Starts haproxy at $proxied, which asks for ann's password, and hands on to $address from 127.0.0.7.
front_haproxy() {
	proxied=127.$((BASHPID % 250 + 1)).$((BASHPID / 250 % 250 + 1)).1:8080
	cat >haproxy.cfg <<-END
		global
		  maxconn 200
		defaults
		  mode http
		  timeout connect 10s
		  timeout client 60s
		  timeout server 60s
		  option forwardfor
		  http-reuse always
		userlist users
		  user ann insecure-password basic
		frontend front
		  bind $proxied
		  http-request auth unless { http_auth(users) }
		  http-request set-header X-Remote-User ann
		  http-request del-header Authorization
		  default_backend coopr
		backend coopr
		  server one $address source 127.0.0.7
	END
	haproxy -db -f haproxy.cfg >haproxy.log 2>&1 3>&- &
	front=$!
	until curl -s -o /dev/null "http://$proxied/healthz"; do
		kill -0 "$front"
		sleep 0.05
	done
}

@test "no request is hidden in another behind nginx, nor a header that says who asks" {
	need_program nginx openssl python3
	serve_tcp --proxy 127.0.0.7 --proxy-header X-Remote-User
	front "http://$address" 'proxy_bind 127.0.0.7;' 'auth_basic coopr;' "auth_basic_user_file $PWD/htpasswd;" \
		'proxy_set_header X-Remote-User $remote_user;' 'proxy_set_header Authorization "";' 'proxy_set_header Connection "";' 'proxy_http_version 1.1;' \
		'proxy_request_buffering off;'
	run -0 python3 -B "$BATS_TEST_DIRNAME/serve-smuggle.py" "${proxied%:*}" "${proxied#*:}" "Basic $(printf ann:basic | base64)"
	[ "$output" -gt 100 ]
}

@test "no request is hidden in another behind haproxy, nor a header that says who asks" {
	need_program haproxy python3
	serve_tcp --proxy 127.0.0.7 --proxy-header X-Remote-User
	front_haproxy
	run -0 python3 -B "$BATS_TEST_DIRNAME/serve-smuggle.py" "${proxied%:*}" "${proxied#*:}" "Basic $(printf ann:basic | base64)"
	[ "$output" -gt 100 ]
}
