#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# The EXAMPLES of the manual pages that no file of their own runs, and those of --help: what a reader would type, run as it
# stands, in the situation that it speaks of.

load case
load examples
load queue

# The catalogue without its machines: its providers and automators do no work. And the files that the examples name.
setup() {
	fresh
	ln -s "$COOPR_ROOT/share" share
	cp -r share/coopr/catalogue rehearsal
	sed -i 's/"providertype": *"[a-z]*"/"providertype": "dummy"/' rehearsal/providers/*.json
	sed -i 's/"type": *"shell"/"type": "dummy"/; s/"fields": *{[^}]*}/"fields": {}/' rehearsal/services/*.json
	export COOPR_CATALOGUE=$PWD/rehearsal
	coopr-request -t web -n 4 --name shop --id 00000042 >request.json
	coopr-solve request.json >layout.ndjson
}

# A job of a rehearsal, as the examples call it.
put_rehearsal() {
	coopr-request -t hadoop-distributed -n 8 --name shop --id 00000042 | coopr-solve | coopr-plan >plan.ndjson
	same 00000042-001 "$(coopr-queue put plan.ndjson)"
}

# Runs each line of a file, all of its pipelines whole.
run_each() {
	[ -s "$1" ]
	while read -r line <&4; do
		bash -euo pipefail -c "$line" >output 2>errors </dev/null || {
			echo "$line"
			cat output errors
			return 1
		}
	done 4<"$1"
}

# The examples of a command, in its page and in its help.
examples_of() {
	commands_of "$COOPR_ROOT/man/man1/$1.1"
	help_of "$1"
}

@test "coopr-request(1): --help" {
	run -0 coopr-solve request.json
	put_rehearsal
	help_of coopr-request >examples
	run_each examples
}

@test "coopr-solve(1)" {
	examples_of coopr-solve | grep -v -e '--explain' >examples
	run_each examples
	run -0 coopr-solve --explain 1002 nginx --check layout.ndjson request.json
	contains "$output" "nginx does not stand on 00000042-1002"
}

@test "coopr-plan(1)" {
	put_rehearsal
	cp layout.ndjson old.ndjson
	cp layout.ndjson new.ndjson
	examples_of coopr-plan | sed 's/-s zk/-s zookeeper/' >examples
	run_each examples
	same cluster_delete "$(coopr-queue show -o json 00000042-002 | jq -r .action)"
}

# A cluster of that name, which was made, in the store.
make_shop() {
	coopr-create shop -t web -n 4 >/dev/null 2>&1
}

@test "coopr-show(1)" {
	need_program dot
	make_shop
	examples_of coopr-show >examples
	run_each examples
	grep -q '<svg' plan.svg
}

@test "coopr-exec(1)" {
	make_shop
	put_rehearsal
	examples_of coopr-exec | grep -v '^coopr[- ]exec shop' >examples # those are of machines: login.bats
	run_each examples
	same 2 "$(coopr-queue show -o json 00000042-001 | jq .tasks.done)"
}

@test "coopr-report(1)" {
	make_shop
	examples_of coopr-report >examples
	run_each examples
	grep -q '<html' report.html
}

@test "coopr-work(1)" {
	put_rehearsal
	examples_of coopr-work | grep -v -e '^coopr-work -j [0-9]*$' >all
	grep -e --once all >examples
	grep -v -e --once all >>examples
	sed -i 's/^coopr-work -j [0-9]* --tenant .*/& --drain/' examples
	run_each examples
	same complete "$(coopr-queue show -o json 00000042-001 | jq -r .status)"
}

@test "coopr-work(1): serving, until it is told to end" {
	put_rehearsal
	job=00000042-001
	for options in $(examples_of coopr-work | sed -n 's/^coopr-work -j \([0-9]*\)$/\1/p'); do
		coopr-work -j "$options" 2>errors 3>&- &
		coopr-queue wait "$job"
		kill "$!"
		wait "$!"
		job=$(coopr-queue put plan.ndjson)
	done
}

# What an example speaks of has to be so first.
bring_about() {
	case $1 in
	"coopr-queue put"*) rm -rf "$COOPR_SPOOL" ;;
	*"coopr-queue retry"*) finish '{"status":65,"message":"no"}' ;;
	"coopr-queue watch"*) coopr-work --drain -j 50 ;;
	*"coopr-queue skip"* | *"coopr-queue take >"*)
		rm -rf "$COOPR_SPOOL"
		coopr-queue put plan.ndjson
		;;
	esac >job
}

@test "coopr-queue(1)" {
	put_rehearsal
	commands_of "$COOPR_ROOT/man/man1/coopr-queue.1" >examples
	[ "$(wc -l <examples)" -gt 10 ]
	# Of all jobs it would go on for ever.
	sed -i 's/coopr-queue watch/& --since start 00000042-001/' examples
	while read -r example <&5; do
		bring_about "$example"
		echo "$example" >one
		run_each one
	done 5<examples
	same "t17 mounted by hand" "$(coopr-queue show --events 00000042-001 | jq -r 'select(.event=="skip") | "\(.task) \(.reason)"')"
}

@test "coopr-queue(1): --help" {
	put_rehearsal
	coopr-queue take --count 1000 | result_of | coopr-queue done
	coopr-work --drain -j 50
	help_of coopr-queue >examples
	run_each examples
}

@test "coopr-validate(1): --help" {
	cp -r share/coopr/catalogue/services .
	help_of coopr-validate >examples
	run_each examples
}

@test "coopr-create(1), coopr-delete(1), coopr(1)" {
	sed -n '/^\.Sh EXAMPLES/,/^\.Sh SEE/s/^# //p' "$COOPR_ROOT/man/man1/coopr-create.1" | plain | sed 's/|$/\\/' >typed
	sed -n '/^\.Sh EXAMPLES/,/^\.Sh SEE/s/^    jq/jq/p' "$COOPR_ROOT/man/man1/coopr-create.1" | plain >filter
	same 3 "$(wc -l <typed)"
	head -n 2 typed >examples
	run_each examples
	printf '%s | %s\n' "$(sed -n '3s/ \\$//p' typed)" "$(cat filter)" >examples
	run_each examples
	grep -qx '[0-9.]*' output
	sed -n '/^\.Sh EXAMPLES/,$s/^\.Dl # \(.*\)/\1 -y --discard-data/p' "$COOPR_ROOT/man/man1/coopr-delete.1" >examples # nobody is there to be asked
	run_each examples
	commands_of "$COOPR_ROOT/man/man1/coopr.1" >examples
	run_each examples
}

# What it asks answers as long as the test lives.
@test "coopr-plugins(7): the automator that asks a web service" {
	need_program curl
	page=$COOPR_ROOT/man/man7/coopr-plugins.7
	mkdir -p plugins/automator
	sed -n '/^\.Sh EXAMPLES/,$p' "$page" | sed -n '/^#!\/bin\/sh/,/^\.Ed/p' | grep -v '^\.Ed' | plain >plugins/automator/ask
	chmod +x plugins/automator/ask
	same '{"type":"object","properties":{"url":{"type":"string"}}}' "$(plugins/automator/ask describe)"
	mkfifo port
	python3 - >port 3>&- <<-'END' &
		import http.server
		class Handler(http.server.BaseHTTPRequestHandler):
		    def do_POST(self):
		        host = self.rfile.read(int(self.headers['Content-Length'])).decode()
		        self.send_response(200)
		        self.end_headers()
		        self.wfile.write(('welcome ' + host).encode())
		    def log_message(self, *_): pass
		server = http.server.HTTPServer(('127.0.0.1', 0), Handler)
		print(server.server_port, flush=True)
		server.handle_request()
		server.server_close()
	END
	read -r port <port
	jq -cn --arg url "http://127.0.0.1:$port/" '{kind: "task", id: "t1", job: "00000042-001", attempt: 1, action: "install",
		service: "web", type: "ask", fields: {$url}, machine: {id: "n", nodenum: 1000, hostname: "a.example.net"}}' >task.json
	echo 'COOPR_PLUGINS=plugins coopr-exec <task.json' >examples
	commands_of "$page" | grep -F "$(sed 's/=plugins/=~\/plugins/' examples)"
	run_each examples
	same "welcome a.example.net" "$(jq -r .result.answer output)"
	wait "$!"
	run_each examples
	same 75 "$(jq .status output)"
}

# Nodes 1000 and 1001 as the page has them; the second one asks.
@test "coopr-macros(7): the table of examples" {
	sed -n '/^\.Sh EXAMPLES/,/^\.El/s/^\.It Li \(.*\) Ta Li \(.*\)$/\1\t\2/p' "$COOPR_ROOT/man/man7/coopr-macros.7" >table
	[ "$(wc -l <table)" -ge 10 ]
	config=$(jq -cRn '[inputs | split("\t")[0]] | to_entries | map({key: "\(.key)", value}) | from_entries' <table)
	echo 't1 n1 configure:zk -' | plan 00000042 "$config" | jq -c 'if .kind == "node" then
		(. + {id: "n0", nodenum: 1000, hostname: "h1", services: ["zk"], ipaddresses: {access_v4: "203.0.113.1", bind_v4: "10.0.0.1"}}),
		(. + {id: "n1", nodenum: 1001, hostname: "h2", services: ["db", "zk"],
			ipaddresses: {access_v4: "203.0.113.2", bind_v4: "10.0.0.2"}})
		else . end' | coopr-queue put
	coopr-queue take | jq -r '.cluster.config | to_entries | sort_by(.key | tonumber)[].value' >expanded
	same "$(cut -f 2 table)" "$(cat expanded)"
}

@test "coopr-import(1), coopr-export(1)" {
	commands_of "$COOPR_ROOT/man/man1/coopr-import.1" >examples
	commands_of "$COOPR_ROOT/man/man1/coopr-export.1" >>examples
	run_each examples
	diff <(cd catalogue && find . -name '*.json' | sort) <(cd share/coopr/catalogue/ && find . -name '*.json' | sort)
	coopr export | coopr import --dry-run -o name - >name 2>log
	same "coopr-import: 0 would be changed, $(wc -l <all.ndjson) as before" "$(cat log)"
}

@test "coopr-context(1)" {
	export HOME=$PWD
	examples_of coopr-context >examples
	run_each examples
	[ -s .config/coopr/contexts.json ]
}

@test "coopr-user(1), coopr-token(1), coopr-whoami(1)" {
	coopr-store init
	coopr-tenant create qa
	echo 'ten characters' >password
	for command in coopr-user coopr-token coopr-whoami; do
		examples_of "$command"
	done | awk '!seen[$0]++' >examples
	sed -i 's/^\(coopr.user password\)$/\1 zoe <password/' examples
	run_each examples
}

@test "coopr-static(7): the provider, and what it has handed out" {
	sed -n '/^\.Sh EXAMPLES/,/^\.Ed/p' "$COOPR_ROOT/man/man7/coopr-static.7" | sed -n '/^{/,/}$/p' >rack.json
	coopr-validate -k provider rack.json
	sed -i "s|/etc/coopr/machines|$PWD/machines|" rack.json
	echo 192.0.2.1 >machines
	coopr-store init
	same "" "$(coopr-store claims rack)"
}

@test "coopr-shell(7): the script is a script" {
	sed -n '/^\.Sh EXAMPLES/,$p' "$COOPR_ROOT/man/man7/coopr-shell.7" | sed -n '/^#!\/bin\/sh/,/^\.Ed/p' | grep -v '^\.Ed' | plain >script
	[ "$(wc -l <script)" -gt 10 ]
	sh -n script
}

@test "every page whose EXAMPLES are commands has them run" {
	for page in "$COOPR_ROOT"/man/man*/*; do
		sed -n '/^\.Sh EXAMPLES/,/^\.Sh S/p' "$page" | grep -qE '^\.Dl|^[$#] ' || continue
		name=$(basename "$page")
		grep -qE "${name//./\\.}|${name%.*}\(${name##*.}\)|examples_of ${name%.1}( |$)" "$COOPR_ROOT"/tests/*.bats || echo "$name"
	done >missing
	same "" "$(cat missing)"
}

# Where it is one line, it is one of the EXAMPLES, and those are run.
@test "the page of every command opens with what one would do, in one example" {
	for page in "$COOPR_ROOT"/man/man1/*; do
		name=$(basename "$page" .1)
		opening=$(opening_of "$page")
		grep -qE "(^|[(|] *)(coopr ${name#coopr-}|$name)( |\$)" <<<"$opening" || echo "$name: opens with \"$opening\""
		! grep -A 5 '^\.Sh DESCRIPTION' "$page" | grep -q '^\.Dl' ||
			sed -n '/^\.Sh EXAMPLES/,/^\.Sh S/p' "$page" | plain | grep -qF "$opening" || echo "$name: \"$opening\" is no example"
	done >wrong
	same "" "$(cat wrong)"
}

@test "what a page shows as JSON is JSON" {
	need_program python3 mandoc
	python3 "$COOPR_ROOT/tests/shown-json.py" "$COOPR_ROOT"/man/man*/* >wrong
	same "" "$(cat wrong)"
}

@test "coopr-serve(1)" {
	need_program curl
	coopr-store init
	examples_of coopr-serve >examples
	grep -v '^coopr-serve\( --socket .*\| --listen .*\| --provisioners .*\)\?$' examples >rest
	run_each rest
	for options in $(sed -n 's/^coopr-serve\( --socket .*\)\?$/x\1/p' examples | grep -c x | xargs seq); do
		coopr-serve --socket "$PWD/socket.$options" 2>errors 3>&- &
		for _ in $(seq 600); do
			! curl -s --unix-socket "socket.$options" -o /dev/null http://coopr/healthz || break
			sleep 0.1
		done
		kill "$!"
		wait "$!"
	done
}
