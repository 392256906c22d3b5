#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-hooks(7): executables and URLs that are told of operations, and may veto them.

load case
load examples

setup() {
	fresh
	need_program jq openssl python3
	hooks=$PWD/home/.config/coopr/hooks
	config=$PWD/home/.config/coopr/config
	mkdir -p "$hooks"
	server=
}

teardown() {
	[ -z "$server" ] || kill "$server"
}

# An executable hook that says what it was told in the file told-NAME, and then runs the lines on standard input.
program() {
	{
		printf '#!/bin/sh\n{ echo "$@"; cat; } >>%s/told-%s\n' "$PWD" "$1"
		cat
	} >"$hooks/$1"
	chmod 755 "$hooks/$1"
}

# An HTTP server on the loopback: answers with what the file answer says (STATUS TEXT), and adds each request to the
# file requests: its path, headers and body as JSON. $port is where it listens.
serve() {
	mkfifo ready
	python3 - <<-'END' &
		import http.server, json
		class Handler(http.server.BaseHTTPRequestHandler):
		    def do_POST(self):
		        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
		        with open("requests", "a") as file:
		            file.write(json.dumps({"path": self.path, "headers": dict(self.headers), "body": body}) + "\n")
		        status, _, text = open("answer").read().strip().partition(" ")
		        self.send_response(int(status))
		        self.end_headers()
		        self.wfile.write(text.encode())
		    def log_message(self, *ignored):
		        pass
		server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
		open("ready", "w").write(str(server.server_port) + "\n")
		server.serve_forever()
	END
	server=$!
	hear ready port
	echo "${1:-200}" >answer
	: >requests
}

stop_serving() {
	kill "$server"
	wait "$server" 2>/dev/null || true
	server=
}

url() { # NAME [LINE]...
	{
		printf '[hook %s]\nurl = http://127.0.0.1:%s/%s\n' "$1" "$port" "$1"
		shift
		[ $# -eq 0 ] || printf '%s\n' "$@"
	} >>"$config"
}

# The messages that wait for hooks.
queued() {
	[ ! -e "$COOPR_STATE/store.sqlite3" ] || outbox "SELECT id || ',' || hook FROM hook_message ORDER BY 1"
}

outbox() { # SQL
	sqlite3 -separator ' ' "$COOPR_STATE/store.sqlite3" "$1"
}

@test "an executable is told event and operation as arguments, and the rest as JSON on its standard input" {
	program log </dev/null
	echo '{"kind":"node","id":"00000000-1000","hostname":"a","services":["x"],"facts":{"ssh-auth":{"password":"hush"}},
		"ipaddresses":{"access_v4":"192.0.2.1"}}' | jq -c . >layout
	run -0 coopr-hook try success expand -T qa --cluster shop --job 00000007-002 --layout layout
	same "1 delivered, 0 waiting, 0 cancelled" "$output"
	same "success expand" "$(head -n 1 told-log)"
	tail -n 1 told-log >body
	same '["hook","00000007-002.success","success","expand","shop","qa","00000007-002"]' \
		"$(jq -c '[.kind, .id, .event, .operation, .cluster.name, .cluster.tenant, .job]' body)"
	same '[{"hostname":"a","id":"00000000-1000","ipaddresses":{"access_v4":"192.0.2.1"},"services":["x"]}]' "$(jq -c .nodes body)"
	[[ $(cat body) != *hush* ]]
	same "" "$(queued)"
}

@test "an executable that ends with another code than 0 vetoes the start; the last line it says is the reason" {
	program gate <<<'echo thinking; echo "not on a Friday" >&2; exit 3'
	run -1 coopr-hook try start create
	same "coopr-hook try: hook gate: not on a Friday" "$output"
	program gate <<<'exit 3'
	run -1 coopr-hook try start create
	same "coopr-hook try: hook gate: exit code 3" "$output"
	program gate <<<'exit 0'
	run -0 coopr-hook try start create
	same "" "$(queued)"
}

@test "who hangs does not object, and is told later; what it has started is ended" {
	program slow <<<'echo $$ >pid; sleep 1000'
	printf '[hook slow]\ntimeout_s = 1\n' >"$config"
	run -0 coopr-hook try start create --job 00000007-001
	same "coopr-hook try: hook slow: it has not ended in time; it is told later" "$output"
	same "00000007-001.start,slow" "$(queued)"
	[ ! -e "/proc/$(cat pid)" ]
	program slow <<<'exit 75'
	run -0 coopr-hook try start create --job 00000007-001
	same "coopr-hook try: hook slow: exit code 75; it is told later" "$output"
}

@test "what a hook leaves behind that has left its group, and has its output, holds nothing up" {
	program daemon <<-'END'
		setsid sh -c 'echo $$ >left; exec sleep 1000' &
		until [ -s left ]; do sleep 0.1; done
		echo not today
		exit 1
	END
	run -1 timeout 100 coopr-hook try start
	contains "$output" "hook daemon: not today"
	kill "$(cat left)"
}

@test "a URL gets a POST with the message, its event and id as headers" {
	serve
	url chat
	run -0 coopr-hook try success create --job 00000007-001
	same "1 delivered, 0 waiting, 0 cancelled" "$output"
	same '/chat success 00000007-001.success application/json' \
		"$(jq -r '"\(.path) \(.headers["Coopr-Event"]) \(.headers["Coopr-Delivery"]) \(.headers["Content-Type"])"' requests)"
	same "example" "$(jq -r '.body | fromjson | .cluster.name' requests)"
	same null "$(jq '.headers["Coopr-Signature"]' requests)"
}

@test "the message is signed with HMAC-SHA256 where there is a secret: in a file, or in the tenant's store" {
	serve
	(umask 077 && echo swordfish >key)
	url filed "secretfile = $PWD/key"
	coopr-store init
	printf swordfish | coopr-secret set hook-key
	url stored "secret = hook-key"
	run -0 coopr-hook try success create
	same 2 "$(wc -l <requests)"
	while read -r line; do
		jq -j .body <<<"$line" >body
		same "sha256=$(openssl dgst -sha256 -hmac swordfish -r body | cut -d ' ' -f 1)" "$(jq -r '.headers["Coopr-Signature"]' <<<"$line")"
	done <requests
	chmod 644 key
	run -1 coopr-hook try success create
	contains "$output" "hook filed: $PWD/key: others may read this secret"
	same 0 "$(outbox "SELECT count(*) FROM hook_message WHERE body LIKE '%swordfish%'")"
}

@test "an answer 4xx vetoes the start, with its text; 5xx, another and no connection do not" {
	serve "403 the budget is spent"
	url gate
	run -1 coopr-hook try start create
	same "coopr-hook try: hook gate: 403: the budget is spent" "$output"
	for code in 500 302 429; do
		echo "$code no" >answer
		run -0 coopr-hook try start create
		contains "$output" "hook gate: $code: no; it is told later"
	done
	stop_serving
	run -0 coopr-hook try start create
	contains "$output" "it is told later"
	same 4 "$(queued | wc -l)"
}

@test "a required hook that cannot be asked lets nothing start: 75" {
	serve "503 later"
	url gate "required = true"
	run -75 coopr-hook try start create
	same "coopr-hook try: hook gate: 503: later" "$output"
	same "" "$(queued)"
}

@test "what could not be told waits in the queue until it is delivered, once under the same id" {
	serve "500"
	url chat "backoff_s = 0"
	run -1 coopr-hook try failure expand --job 00000007-002 --message "no room"
	same "0 delivered, 1 waiting, 0 cancelled" "${lines[-1]}"
	same "00000007-002.failure,chat" "$(queued)"
	run -1 coopr-hook try failure expand --job 00000007-002 --message "no room"
	same "00000007-002.failure,chat" "$(queued)"
	same "1 chat" "$(coopr-hook list -o json | jq -r '"\(.waiting) \(.name)"')"
	echo 200 >answer
	run -0 coopr-hook deliver
	same "1 delivered, 0 waiting, 0 cancelled" "$output"
	same "no room" "$(tail -n 1 requests | jq -r '.body | fromjson | .message')"
	same 1 "$(jq -r '.body' requests | sort -u | wc -l)"
	run -0 coopr-hook deliver
	same "0 delivered, 0 waiting, 0 cancelled" "$output"
	same 600 "$(stat -c %a "$COOPR_STATE/store.sqlite3")"
}

@test "it is tried again no sooner than its back-off says, twice as long each time" {
	serve 500
	url chat "backoff_s = 100"
	coopr-hook try success create --job 00000007-001 || true
	next() { outbox "SELECT attempts, seconds >= 100 AND seconds < 130, seconds >= 200 AND seconds < 260 FROM (SELECT attempts,
		(next_ms - told_ms) / 1000 AS seconds FROM hook_message)"; }
	same "1 1 0" "$(next)"
	run -1 coopr-hook deliver
	same 1 "$(wc -l <requests)"
	outbox "UPDATE hook_message SET next_ms = told_ms"
	run -1 coopr-hook deliver
	same 2 "$(wc -l <requests)"
	same "2 0 1" "$(next)"
}

@test "what a hook refuses, or cannot be told for its patience, is cancelled, and that is said" {
	serve "410 gone"
	url chat
	run -1 coopr-hook try success create
	contains "$output" "hook chat: 410: gone; it is not told again"
	same "" "$(queued)"
	echo 500 >answer
	echo "patience_s = 0" >>"$config"
	run -1 coopr-hook try success create
	contains "$output" "hook chat: 500; it is not told again"
	same "" "$(queued)"
	coopr-hook try success create --queue
	: >"$config"
	run -1 coopr-hook deliver
	contains "$output" "the hook does not exist any more"
	same "" "$(queued)"
}

@test "killed at any moment, it loses nothing: what it has put is delivered by the next" {
	need_program strace
	export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 # not under strace
	serve
	url chat
	strace -f -o trace coopr-hook try success create --job 00000007-001 --queue
	rm -r state
	calls=$(grep -cE ' (openat|write|fsync|renameat2?|rename)\(' trace)
	lost=0 kept=0
	for ((i = 1; i <= calls; i += 3)); do
		rm -rf state
		strace -qq -f -o /dev/null -e trace=openat,write,fsync,rename,renameat,renameat2 \
			-e inject=openat,write,fsync,rename,renameat,renameat2:signal=KILL:when="$i" \
			coopr-hook try success create --job 00000007-001 --queue >/dev/null 2>&1 && continue
		: >requests
		run coopr-hook try success create --job 00000007-001
		same "00000007-001.success" "$(jq -r '.headers["Coopr-Delivery"]' requests)"
		same "" "$(queued)"
		kept=$((kept + 1))
	done
	[ "$kept" -gt 3 ]
}

@test "a message that a killed delivery has taken is delivered by another after its time; a clock that was set back holds nothing up" {
	serve
	url chat
	coopr-hook try success create --job 00000007-001 --queue
	outbox "UPDATE hook_message SET taken_ms = (unixepoch() + 30) * 1000"
	run -0 coopr-hook deliver
	same "0 delivered, 0 waiting, 0 cancelled" "$output"
	same 0 "$(wc -l <requests)"
	outbox "UPDATE hook_message SET taken_ms = (unixepoch() - 1) * 1000"
	run -0 coopr-hook deliver
	same "1 delivered, 0 waiting, 0 cancelled" "$output"
	for column in taken_ms next_ms; do
		coopr-hook try success create --job 00000007-002 --queue
		outbox "UPDATE hook_message SET $column = (unixepoch() + 7 * 86400) * 1000"
		run -0 coopr-hook deliver
		same "1 delivered, 0 waiting, 0 cancelled" "$output"
	done
}

@test "many that deliver at once deliver each message once" {
	serve
	url chat
	for i in $(seq 1 12); do
		coopr-hook try success create --job "00000007-0$((10 + i))" --queue
	done
	for i in 1 2 3 4; do
		coopr-hook deliver >"out$i" &
		pids[i]=$!
	done
	for i in 1 2 3 4; do wait "${pids[i]}" || true; done
	coopr-hook deliver >out5 || true
	same 12 "$(wc -l <requests)"
	same 12 "$(cat out? | awk '{sum += $1} END {print sum}')"
	same "" "$(queued)"
}

@test "events and operations choose what a hook is told" {
	serve
	url some "events = success failure" "operations = create delete"
	run -0 coopr-hook try start create
	run -0 coopr-hook try success expand
	run -0 coopr-hook try failure delete
	same "failure" "$(jq -r '.headers["Coopr-Event"]' requests)"
}

@test "a tenant's document has hooks of its own, for its clusters alone, signed with its own secret" {
	serve
	coopr-store init
	documents_of "$COOPR_ROOT/man/man7/coopr-hooks.7"
	sed "s|https://board.example.net/coopr|http://127.0.0.1:$port/ours|" 3.hooks >hooks.json
	coopr-tenant create qa --hooks hooks.json
	printf swordfish | coopr-secret set -T qa board-key
	run -0 coopr-hook try success create -T qa
	run -0 coopr-hook try success create
	same "/ours" "$(jq -r .path requests)"
	jq -j .body requests >body
	same "sha256=$(openssl dgst -sha256 -hmac swordfish -r body | cut -d ' ' -f 1)" "$(jq -r '.headers["Coopr-Signature"]' requests)"
	same "tenant qa" "$(coopr-hook list -T qa -o json | jq -r .from)"
	echo '[]' >hooks.json
	coopr-tenant change qa --hooks hooks.json
	same "" "$(coopr-hook list -T qa -o json)"
}

@test "--store names the store of all that the command does: its catalogue, hooks and secrets" {
	serve
	mkdir -p mine/{providers,hardwaretypes,imagetypes}
	cp "$COOPR_ROOT"/share/coopr/catalogue/hardwaretypes/small.json mine/hardwaretypes
	cp "$COOPR_ROOT"/share/coopr/catalogue/imagetypes/debian12.json mine/imagetypes
	jq '.provisioner = {token: {secret: "token"}}' "$COOPR_ROOT/share/coopr/catalogue/providers/dummy.json" \
		>mine/providers/dummy.json
	for kind in service partialtemplate clustertemplate; do mkdir mine/${kind}s; done
	echo '{"name": "plain", "provisioner": {"actions": {"start": {"type": "dummy", "fields": {}}}}}' >mine/services/plain.json
	echo '{"name": "here", "defaults": {"services": ["plain"], "provider": "dummy", "hardwaretype": "small",
		"imagetype": "debian12"}}' >mine/clustertemplates/here.json
	coopr-store init
	coopr-store init --store other
	coopr-import --store other mine
	echo '[{"name": "board", "url": "http://127.0.0.1:'"$port"'/ours", "secret": "board-key", "events": ["success"]}]' >hooks.json
	coopr-tenant change default --store other --hooks hooks.json
	printf swordfish | coopr-secret set --store other board-key
	printf hush | coopr-secret set --store other token
	run -0 coopr-create --store other -t here -n 1 shop
	same "/ours" "$(jq -r .path requests)"
	jq -j .body requests >body
	same "sha256=$(openssl dgst -sha256 -hmac swordfish -r body | cut -d ' ' -f 1)" "$(jq -r '.headers["Coopr-Signature"]' requests)"
	same "" "$(coopr-list)"
}

@test "a tenant's hook that cannot be is refused when it is written: 65" {
	coopr-store init
	while IFS='|' read -r hooks reason; do
		echo "$hooks" >hooks.json
		run -65 coopr-tenant create qa --hooks hooks.json
		contains "$output" "$reason"
	done <<-'END'
		{}|/hooks: expected array
		[1]|/hooks/0: expected object
		[{"name":"x"}]|/hooks/0/url
		[{"name":"x","url":"file:///etc/shadow"}]|/hooks/0/url: expected http:// or https://
		[{"name":"x","url":"http://x/","secretfile":"/etc/shadow"}]|/hooks/0/secretfile: a hook has no such member
		[{"name":"x","url":"http://x/","events":["end"]}]|/hooks/0/events/0: expected start, success, failure or reminder
		[{"name":"x","url":"http://x/","timeout_s":0}]|/hooks/0/timeout_s
		[{"name":"x","url":"http://x/"},{"name":"x","url":"http://x/"}]|/hooks/1: there is a hook of this name already
	END
}

@test "a hook that others could have written is refused, and so is what cannot be understood: 78" {
	program bad </dev/null
	chmod 777 "$hooks/bad"
	run -78 coopr-hook list
	contains "$output" "$hooks/bad: others may change this hook"
	rm "$hooks/bad"
	while IFS='|' read -r line reason; do
		printf '[hook x]\nurl = http://127.0.0.1:9/\n%s\n' "$line" >"$config"
		run -78 coopr-hook list
		same "coopr-hook list: $config:3: $reason" "$output"
	done <<-'END'
		url = ftp://x/|url: expected http:// or https://
		events = end|events: expected start, success, failure or reminder
		timeout_s = soon|timeout_s: expected a number of seconds that is allowed: see coopr-hooks(7)
		required = yes|required: expected true or false
		colour = red|colour: a hook has no such member: see coopr-hooks(7)
	END
	echo '[hook x]' >"$config"
	run -78 coopr-hook list
	contains "$output" "hook x: it has no url, and there is no executable of this name"
	program x </dev/null
	echo 'url = http://127.0.0.1:9/' >>"$config"
	run -78 coopr-hook list
	contains "$output" "hook x: there is one of this name already"
}

@test "a hook that is not what it has to be lets nothing start, and keeps nobody else from being told" {
	program bad </dev/null
	chmod 777 "$hooks/bad"
	program good </dev/null
	run -78 coopr-hook try start create
	contains "$output" "$hooks/bad: others may change this hook"
	[ ! -e told-good ]
	run -0 coopr-hook try success create
	contains "$output" "it is not told; what has been done stays"
	same "success create" "$(head -n 1 told-good)"
}

@test "list shows no more of a URL than where it goes" {
	printf '[hook chat]\nurl = https://user:pass@chat.example.net/services/T0/hush?x=1\n' >"$config"
	run -0 coopr-hook list -o table
	contains "$output" "https://chat.example.net/..."
	[[ $output != *hush* && $output != *pass* ]]
	same chat "$(coopr-hook list -o name)"
}

@test "wrong usage is 64" {
	run -64 coopr-hook
	run -64 coopr-hook try
	run -64 coopr-hook try end
	run -64 coopr-hook list x
	run -64 coopr-hook list -o xml
	run -64 coopr-hook deliver x
}

@test "the examples of the pages" {
	serve
	documents_of "$COOPR_ROOT/man/man7/coopr-hooks.7"
	sed "s|https://chat.example.net/hooks/coopr|http://127.0.0.1:$port/|; s|/etc/coopr/hook.key|$PWD/key|" 1.config >"$config"
	(umask 077 && echo swordfish >key)
	sed "s|/etc/coopr/frozen|$PWD/frozen|" 2.program >"$hooks/freeze"
	chmod 755 "$hooks/freeze"
	run -0 coopr-hook try start create
	echo "moving house until Monday" >frozen
	run -1 coopr-hook try start create
	contains "$output" "hook freeze: moving house until Monday"
	rm frozen
	commands_of "$COOPR_ROOT/man/man1/coopr-hook.1" >examples
	[ -s examples ]
	bash -eu examples
	[ -s requests ]
}

@test "a request that no layout satisfies is a failure of the operation, and is told" {
	own_catalogue
	program watch </dev/null
	run -1 coopr create shop -t lamp -n 400
	same "failure create" "$(head -n 1 told-watch)"
	contains "$(sed 1d told-watch | jq -r .message)" "shop: no layout satisfies the request"
	run -1 coopr create --dry-run shop -t lamp -n 400
	same 1 "$(grep -c '^failure' told-watch)"
}
