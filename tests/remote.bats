#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-remote(7): the commands from another machine, which is this one with another home.

load case
load serve

setup() {
	serve_setup
	coopr-create -yq --detach -t lamp -n 4 -P dummy shop
	coopr-work --drain 2>log
	INSTALLATION=("HOME=$HOME" "COOPR_STATE=$COOPR_STATE" "COOPR_SPOOL=$COOPR_SPOOL")
}

teardown() {
	serve_end
}

# Goes to the other machine: nothing here says where the installation is.
elsewhere() {
	mkdir -p laptop/run
	chmod 700 laptop/run
	cd laptop || return 1
	export HOME=$PWD XDG_RUNTIME_DIR=$PWD/run COOPR_SERVER=unix:$SOCKET
	unset COOPR_STATE COOPR_SPOOL
}

# Runs a command at the installation: at_home COMMAND...
at_home() {
	env -u COOPR_SERVER "${INSTALLATION[@]}" "$@"
}

# Time goes on: what is said of it is left out.
timeless() {
	sed -E 's/[0-9.]+ (ms|s|m)( |$)/TIME\2/g; s/ +/ /g' "$1"
}

# What a command does here is what it does at home: alike COMMAND...
alike() {
	local code=0 found=0

	at_home "$@" >expected 2>expected.err </dev/null || code=$?
	"$@" >found 2>found.err </dev/null || found=$?
	same "$code" "$found"
	same "$(timeless expected)" "$(timeless found)"
	same "$(timeless expected.err)" "$(timeless found.err)"
}

@test "a command prints the same, and ends with the same exit code" {
	serve
	elsewhere
	while read -r command; do
		# shellcheck disable=SC2086 # words
		alike $command || {
			echo "$command"
			return 1
		}
	done <<-'END'
		coopr list -o name
		coopr-list -o json
		coopr list --no-such-option
		coopr list --search nothing
		coopr status -o json shop
		coopr status shpo
		coopr status
		coopr show shop
		coopr show -o json shop
		coopr history -o json shop
		coopr events -o json shop
		coopr report -o json shop
		coopr log shop
		coopr create --dry-run -t lamp -n 5 -P dummy other
		coopr create --dry-run -t nothing other
		coopr create
		coopr config shop
		coopr export
		coopr tenant list
		coopr tenant
		coopr tenant shwo
		coopr secret list
		coopr resource list
		coopr queue ls -o name
		coopr queue show 00000001-001
		coopr hook list
		coopr usage
		coopr solve nothing
		coopr --help
		coopr create --help
	END
}

@test "a cluster is created, changed and deleted, and the installation has it" {
	serve
	elsewhere
	run --separate-stderr -0 coopr create -y -t lamp -n 4 -P dummy mine
	contains "$output" "HOST"
	contains "$stderr" "complete: "
	same active "$(at_home coopr-status -o json mine | jq -r .status)"
	run -0 coopr expand -y -n 5 mine
	same 5 "$(at_home coopr-list -o json | jq -r 'select(.name == "mine").nodes')"
	run -1 coopr create -y -t lamp -n 3 -P dummy shop
	contains "$output" "shop"
	run -0 coopr delete -yq --discard-data mine
	same "" "$output"
	same shop "$(at_home coopr-list -o name)"
}

@test "files are those of this machine, and so is standard input" {
	serve
	elsewhere
	mkdir -p conf elsewhere/deep
	echo '{"color": "red"}' >conf/new.json
	echo '{"color": "blue"}' >"$BATS_TEST_TMPDIR/far.json"
	echo 'color: [' >bad.yaml
	run -0 coopr config -yq shop --config conf/new.json
	same '{"color":"red"}' "$(at_home coopr-config -o json shop | jq -c .)"
	run -0 coopr config -yq shop --config "$BATS_TEST_TMPDIR/far.json"
	same '{"color":"blue"}' "$(at_home coopr-config -o json shop | jq -c .)"
	coopr config -yq shop --config=- <conf/new.json
	same '{"color":"red"}' "$(at_home coopr-config -o json shop | jq -c .)"
	(cd elsewhere/deep && coopr config -yq shop --config ../../../far.json)
	same '{"color":"blue"}' "$(at_home coopr-config -o json shop | jq -c .)"
	coopr config -yq shop --config <(echo '{"color": "green"}')
	same '{"color":"green"}' "$(at_home coopr-config -o json shop | jq -c .)"
	alike coopr config -y shop --config bad.yaml
	alike coopr config -y shop --config ./nothing.json
	coopr export >all
	coopr import -yq - <all
	cp -R "$BATS_TEST_TMPDIR/mine" catalogue
	jq '.description = "changed"' catalogue/services/php.json >changed 2>/dev/null || jq '.description = "changed"' catalogue/services/mysql.json >changed
	cp changed "catalogue/services/$(jq -r .name changed).json"
	run -0 coopr import -y ./catalogue/
	contains "$output" "$(jq -r .name changed)"
	(cd catalogue && coopr import -yq .)
	echo 'to be or not' | coopr secret set -y word
	same word "$(at_home coopr-secret list -o name)"
	head -c 3000000 /dev/urandom >noise
	coopr resource upload -yq automatortypes/shell/files/noise noise
	at_home coopr-resource get automatortypes/shell/files/noise@1 | cmp - noise
	coopr resource get automatortypes/shell/files/noise@1 | cmp - noise
	head -c 9000000 /dev/zero >large
	run -65 coopr resource upload -y automatortypes/shell/files/large large
	contains "$output" "larger than"
	same "" "$(find "$BATS_TEST_TMPDIR/run" -name 'run-*')"
}

@test "clusters follow a folder of this machine, and no other" {
	serve
	elsewhere
	mkdir clusters
	echo '{"kind": "clusterspec", "name": "wiki", "template": "lamp"}' >clusters/wiki.json
	coopr apply -yq -f clusters
	run -0 coopr apply -y -f ./clusters/
	run -0 coopr apply -y -f "$PWD/clusters"
	run -0 coopr apply -y -f clusters/wiki.json
	same 1 "$(coopr history -o json wiki | jq -s length)"
	cp -R clusters moved
	run -1 coopr apply -y -f moved
	contains "$output" "it follows the files of $(uname -n):$PWD/clusters; --adopt lets it follow those of $(uname -n):$PWD/moved"
	rm clusters/wiki.json
	echo '{"kind": "clusterspec", "name": "blog", "template": "lamp"}' >clusters/blog.json
	run -0 coopr apply -yq --prune --discard-data -f clusters
	same "blog
shop" "$(at_home coopr-list -o name | sort)"
}

@test "a plan is saved here, and carried out from here" {
	serve
	elsewhere
	mkdir plans
	run -0 coopr expand -n 5 shop --save plans/five
	contains "$output" "plans/five: plan saved"
	[ "$(stat -c %a plans/five)" = 600 ]
	same savedplan "$(head -n 1 plans/five | jq -r .kind)"
	run -0 coopr run --dry-run plans/five
	contains "$output" "+ 1"
	run -0 coopr run -y plans/five
	same 5 "$(at_home coopr-list -o json | jq -r .nodes)"
	coopr shrink -n 4 shop --save - >smaller
	coopr run -yq - <smaller
	same 4 "$(at_home coopr-list -o json | jq -r .nodes)"
	echo mine >file
	run -73 coopr shrink -n 3 shop --save "$PWD/file"
	same mine "$(cat file)"
	ln -s plans/five link
	for target in link plans /dev/null; do
		run -73 coopr shrink -n 3 shop --save "$target"
		contains "$output" "coopr-shrink: $target: "
	done
	[ -L link ]
}

@test "of a folder nothing is sent that is not in it, and nothing is waited for" {
	serve
	elsewhere
	mkdir -p kit/inner
	echo here | tee kit/inner/script >secret
	ln -s inner/script kit/link
	resource=automator/shell/files/kit
	run -0 coopr resource upload "$resource" kit
	same here "$(coopr resource get "$resource" | tar -xO kit/link)"
	ln -s kit/inner to
	run -0 coopr resource upload "$resource" to # the word itself may be a link
	for target in "$PWD/secret" ../secret / /dev/zero; do
		ln -s "$target" kit/out
		run -65 coopr resource upload "$resource" kit
		same "coopr-resource: kit/out: it leads out of the folder, and is not sent" "$output"
		rm kit/out
	done
	mkfifo kit/pipe
	run -65 coopr resource upload "$resource" kit
	same "coopr-resource: kit/pipe: neither a file nor a folder" "$output"
}

@test "commands of the server's machine end with 64 and name it, filters run here" {
	serve
	elsewhere
	for command in "doctor" "serve" "work --once" "store list" "queue take" "queue done x" "queue fail" "queue fsck" "queue gc"; do
		# shellcheck disable=SC2086 # words
		run -64 coopr $command
		contains "$output" "unix:$SOCKET"
	done
	export COOPR_CATALOGUE=$BATS_TEST_TMPDIR/mine
	coopr request -t lamp -n 4 -P dummy --name x | coopr solve | tee layout | coopr plan >plan
	[ -s plan ]
	contains "$(coopr show ./layout)" lamp
	contains "$(coopr validate mine 2>&1 || true)" mine
}

@test "where things are is the server's to choose" {
	serve
	elsewhere
	for option in "--store x" "--store=x" "--spool ." "--sto x" "--sp=."; do
		# shellcheck disable=SC2086 # words
		run -64 coopr list $option
		contains "$output" "the server's to choose"
	done
	run -64 coopr create -t lamp x -C .
	COOPR_STORE=$PWD/x run -64 coopr list
	contains "$output" "COOPR_STORE is set"
	COOPR_SPOOL=$PWD/x run -64 coopr list
	contains "$output" "COOPR_SPOOL is set"
}

@test "--server is stronger than COOPR_SERVER, and an empty one is none" {
	serve
	elsewhere
	export COOPR_SERVER=unix:/nonexistent/socket
	run -69 coopr list
	contains "$output" "unix:/nonexistent/socket: "
	run -0 coopr list -o name --server "unix:$SOCKET"
	same shop "$output"
	run -0 coopr-list --server="unix:$SOCKET" -o name
	same shop "$output"
	run -0 coopr --server "unix:$SOCKET" list -o name
	same shop "$output"
	COOPR_SERVER='' run -0 env "${INSTALLATION[@]}" coopr list -o name
	same shop "$output"
	for address in nothing ftp://x http://example.net unix:here https://; do
		run -64 coopr list --server "$address"
		contains "$output" "$address"
	done
}

@test "a reader that leaves, and a disk that is full, are what they are at home" {
	serve
	elsewhere
	run -74 --separate-stderr bash -c 'coopr list >/dev/full'
	contains "$stderr" "coopr-list: standard output: No space left on device"
	coopr export | head -n 1 >first
	[ "$(wc -l <first)" -eq 1 ]
	run -0 bash -c 'set -o pipefail; coopr events -f shop | head -n 1'
	contains "$output" put
}

@test "on a terminal the command has one as wide, asks, and hears the answer" {
	need_program python3
	serve
	elsewhere
	export TERM=xterm
	run -1 "$BATS_TEST_DIRNAME/terminal" 'n\n' coopr delete shop
	contains "$output" "not deleted"
	run -130 "$BATS_TEST_DIRNAME/terminal" '\x03' coopr delete shop
	same active "$(at_home coopr-status -o json shop | jq -r .status)"
	run -0 "$BATS_TEST_DIRNAME/terminal" '' coopr create -t lamp -n 4 -P dummy wide
	contains "$output" "wide ["
	run -0 "$BATS_TEST_DIRNAME/terminal" 'y\n' coopr delete --discard-data shop
	same wide "$(at_home coopr-list -o name)"
}

@test "a context is a server with a name, and the one in use is asked" {
	serve
	elsewhere
	unset COOPR_SERVER
	run -1 coopr context list
	contains "$output" "no contexts"
	coopr context set -y work "unix:$SOCKET"
	same 600 "$(stat -c %a .config/coopr/contexts.json)"
	same shop "$(coopr list -o name)"
	coopr context set lab unix:/nonexistent
	same "lab,false
work,true" "$(coopr context list -o json | jq -r '"\(.name),\(.current)"' | sort)"
	run -69 coopr list --server lab
	contains "$output" "lab: "
	coopr context use lab
	run -69 coopr list
	COOPR_SERVER=work run -0 coopr list -o name
	same shop "$output"
	coopr context use --none
	same "" "$(COOPR_STATE=$PWD/none coopr list -o name)"
	coopr context use work
	same shop "$(coopr list -o name)"
	run -1 coopr context use nothing
	run -64 coopr context set x http://example.net
	run -64 coopr context set x/y "unix:$SOCKET"
	chmod 644 .config/coopr/contexts.json
	run -78 coopr list
	contains "$output" "others may read it"
	chmod 600 .config/coopr/contexts.json
	coopr context delete work lab
	[ ! -e .config/coopr/contexts.json ]
}

@test "by TCP the token says who asks, and the certificate who answers" {
	need_program openssl
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout k.pem -out c.pem -days 30 -subj /CN=one \
		-addext subjectAltName=DNS:localhost 2>/dev/null
	coopr-tenant create -y qa
	coopr-token create -y -T qa -r user mine >token
	chmod 600 token
	serve --listen 127.0.0.1:0 --cert c.pem --key k.pem
	port=$(sed -n 's|.*https://127.0.0.1:||p' serve.log)
	elsewhere
	unset COOPR_SERVER
	coopr context set tls "https://localhost:$port"
	run -69 coopr tenant list
	contains "$output" "tls: "
	coopr context set tls "https://localhost:$port" --ca ../c.pem
	run -77 coopr tenant list
	contains "$output" "COOPR_TOKEN"
	COOPR_TOKEN=wrong run -77 coopr tenant list
	COOPR_TOKEN=$(cat ../token) run -0 coopr tenant list -o name
	same qa "$output"
	coopr context set tls "https://localhost:$port" --token-file ../token
	same qa "$(coopr tenant list -o name)"
	run -77 coopr queue ls
	chmod 644 ../token
	run -78 coopr tenant list
	contains "$output" "others may read it"
}

@test "a secret that is typed is not shown" {
	need_program python3
	serve
	elsewhere
	python3 -B - >said <<-'END'
		import os, pty, sys, termios
		pid, terminal = pty.fork()
		if pid == 0:
		    os.execlp("coopr", "coopr", "secret", "set", "word")
		seen = b""
		while b"secret: " not in seen or termios.tcgetattr(terminal)[3] & termios.ECHO:
		    seen += os.read(terminal, 4096) if b"secret: " not in seen else b""
		os.write(terminal, b"to be or not\n")
		try:
		    while part := os.read(terminal, 4096):
		        seen += part
		except OSError:
		    pass
		print(seen.decode())
		sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
	END
	run ! grep "to be" said
	same word "$(at_home coopr-secret list -o name)"
}

# A cluster whose service waits, by a command that runs until then: held COMMAND...
hold() {
	"$@" >said 2>&1 3>&- &
	client=$!
	until [ -e "$BATS_TEST_TMPDIR/arrived" ]; do kill -0 "$client"; sleep 0.05; done
}

stubborn() {
	cd "$BATS_TEST_TMPDIR" || return 1
	COOPR_CATALOGUE=$PWD/mine stubborn_service
	coopr-import -yq mine
	touch wait
	mkfifo gate
	serve
	elsewhere
	unset COOPR_PLUGINS
}

@test "a signal is the command's: it waits for running tasks, and the same command resumes" {
	stubborn
	hold coopr create -y -j 1 -t lamp -n 4 -P dummy -s stubborn slow
	kill -TERM "$client"
	until grep -q "waiting for running tasks" said; do kill -0 "$client"; sleep 0.05; done
	rm "$BATS_TEST_TMPDIR/wait"
	echo >"$BATS_TEST_TMPDIR/gate"
	code=0
	wait "$client" || code=$?
	same 143 "$code"
	contains "$(cat said)" "slow: interrupted; the same command resumes job"
	run -0 coopr create -yq -t lamp -n 4 -P dummy -s stubborn slow
}

@test "where the client is killed the command hears that its terminal is closed, and the server goes on" {
	stubborn
	hold coopr create -y -j 1 -t lamp -n 4 -P dummy -s stubborn slow
	kill -KILL "$client"
	wait "$client" || true
	answers 200 GET /healthz
	rm "$BATS_TEST_TMPDIR/wait"
	echo >"$BATS_TEST_TMPDIR/gate"
	run coopr create --wait -yq -t lamp -n 4 -P dummy -s stubborn slow
	[ "$status" -eq 0 ] || contains "$output" "exists, active"
	same active "$(coopr status -o json slow | jq -r .status)"
}

@test "a server that is told to end has the commands end, as a signal does" {
	stubborn
	hold coopr create -y -j 1 -t lamp -n 4 -P dummy -s stubborn slow
	kill "$server"
	until grep -q "waiting for running tasks" said; do kill -0 "$client"; sleep 0.05; done
	rm "$BATS_TEST_TMPDIR/wait"
	echo >"$BATS_TEST_TMPDIR/gate"
	code=0
	wait "$client" || code=$?
	same 143 "$code"
	wait "$server"
	server=
	rm -rf "$held"
}

@test "where the server is killed the client says so, and the next server removes what was sent to it" {
	stubborn
	echo '{"color": "red"}' >conf.json
	hold coopr create -y -j 1 -t lamp -n 4 -P dummy -s stubborn --config conf.json slow
	sent() {
		find /dev/shm /run "$BATS_TEST_TMPDIR/run" -path "*/run-$killed-*" -name conf.json 2>/dev/null
	}
	killed=$server
	[ -n "$(sent)" ]
	kill -KILL "$server"
	wait "$server" || true
	code=0
	wait "$client" || code=$?
	same 69 "$code"
	contains "$(cat said)" "the connection was lost before the command had ended"
	cd "$BATS_TEST_TMPDIR"
	export COOPR_PLUGINS=$PWD/plugins "${INSTALLATION[@]}" XDG_RUNTIME_DIR=$PWD/run
	unset COOPR_SERVER
	serve
	same "" "$(sent)"
	rm wait
	echo >gate
	cd laptop
	run coopr-create --wait -yq -j 1 -t lamp -n 4 -P dummy -s stubborn --config conf.json slow
	[ "$status" -eq 0 ] || contains "$output" "exists, active"
}

@test "where the command is killed at the server the client says so" {
	stubborn
	hold coopr create -y -j 1 -t lamp -n 4 -P dummy -s stubborn slow
	kill -KILL "$(pgrep -P "$server" -x coopr-create)"
	code=0
	wait "$client" || code=$?
	same 137 "$code"
	contains "$(cat said)" "coopr-create: unix:$SOCKET: the command was killed there by signal 9; check what was done"
	rm "$BATS_TEST_TMPDIR/wait"
	echo 1<>"$BATS_TEST_TMPDIR/gate" # nobody reads it any more, where the task was killed, too
}

@test "where the server ends before it has answered the client says that the command may have been done" {
	need_program python3
	python3 -c '
import socket
one = socket.socket(socket.AF_UNIX)
one.bind("deaf")
one.listen()
while True:
    other = one.accept()[0]
    other.recv(65536)
    other.close()' 3>&- &
	server=$!
	until [ -S deaf ]; do kill -0 "$server"; sleep 0.02; done
	elsewhere
	run -69 coopr --server "unix:$BATS_TEST_TMPDIR/deaf" expand -y shop -n +1
	contains "$output" "the connection was lost before the command had ended"
	contains "$output" "check what was done (coopr list, coopr history) before you repeat the command"
	kill "$server"
	wait "$server" || true
	server=
}

# Calls with a JSON object and files, as a client that somebody else wrote: call JSON [FILE...]; prints the answer.
call() {
	python3 -B - "$SOCKET" "$@" <<-'END'
		import json, socket, struct, sys

		def frame(kind, text):
		    return struct.pack(">BI", kind, len(text)) + text

		body = frame(7, json.dumps({"version": "0.2", **json.loads(sys.argv[2])}).encode())
		for name in sys.argv[3:]:
		    body += frame(6, name.encode() + b"\0" + b'{"color": "sent"}')
		one = socket.socket(socket.AF_UNIX)
		one.connect(sys.argv[1])
		one.sendall(b"POST /v1/run HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
		while part := one.recv(65536):
		    sys.stdout.buffer.write(part)
	END
}

@test "no call names a file of the server, whoever asks and whatever the words are" {
	need_program python3
	serve
	echo '{"color": "secret"}' >file
	for words in '"config", "shop", "--config", "'"$PWD"'/file"' '"config", "shop", "--config=../file"' '"config", "shop", "--con=a/../../file"' \
		'"list", "--store", "x"' '"list", "--sto=x"' '"queue", "ls", "--spool", "."' '"queue", "--", "ls", "--spool", "."' \
		'"import", "'"$PWD"'/file"' '"export", "here"' '"secret", "set", "word", "/etc/hostname"' '"create", "x", "--secret", "w=/etc/hostname"' \
		'"create", "x", "-C."' '"run", "/etc/hostname"' '"doctor"' '"store", "list"' '"../bin/coopr-list"' '"coopr-list"' '"no such"'; do
		call "{\"argv\": [$words]}" >said
		grep -aq '^HTTP/1.1 422' said || {
			echo "$words"
			cat said
			return 1
		}
	done
	for words in '"backup", "here"' '"backup", "'"$PWD"'/here"' '"restore", "'"$PWD"'/file"' '"show", "'"$PWD"'/file"' '"config", "shop", "--config", "file"'; do
		call "{\"argv\": [$words]}" >said
		run ! grep -a -e secret -e 'CONFIG' said
		[ ! -e here ]
	done
	call '{"argv": ["config", "-yq", "shop", "--config", "a/b.json"]}' a/b.json >said
	same sent "$(coopr-config -o json shop | jq -r .color)"
	for name in ../x /x a/../x '' .; do
		call '{"argv": ["config", "-yq", "shop", "--config", "x"]}' "$name" >said
		grep -aq '^HTTP/1.1 422' said
	done
	for call in '[]' '{"argv": 7}' '{"argv": []}' '{"argv": [1]}' '{"version": "9.9", "argv": ["list"]}' '{"argv": ["list"], "terminals": [9]}'; do
		call "$call" >said || true
		run ! grep -a 'HTTP/1.1 [25]00' said
	done
	answers 404 POST /v1/run/0123
	answers 200 GET /healthz
}

# The words of every command and subcommand of which some may be a file, by the command's own table: lines COMMAND [SUBCOMMAND]|WORDS
calls_with_files() {
	local name command

	for name in $(coopr --complete-options | awk -F '\t' '$1 == "subcommand" && $2 != "packages" {print $2}'); do
		for command in "$name" $(coopr "$name" --complete-options | awk -F '\t' -v of="$name" '$1 == "subcommand" {print of "+" $2}'); do
			# shellcheck disable=SC2086 # the subcommand is a word
			coopr ${command/+/ } --complete-options | awk -F '\t' -v of="${command/+/ }" -v file="$1" '
				function call(words) { print of "|" words }
				$1 == "option" && $4 ~ /FILE|DIR|LAYOUT|PLAN|RESULTS/ {
					call("--" $3 "=" file); call("--" $3 " " file); if ($2) call("-" $2 file)
					call("--" substr($3, 1, length($3) - 1) "=" file); call("--" $3 "=x=" file); call("-- --" $3 "=" file)
					call("--" $3 "=a/../../bait"); call("--" $3 "=x=../bait")
				}
				$1 == "synopsis" && $2 ~ /FILE|DIR|PLAN/ { call(file); call("a " file); call("-- a " file); call("a a a " file); call("- " file); call("a ../bait") }'
		done
	done
}

@test "no option and no operand of any command opens a file of the server" {
	need_root
	need_program python3
	need_program strace
	serve
	echo '{"color": "secret"}' >"$BATS_TEST_TMPDIR/bait"
	calls_with_files "$BATS_TEST_TMPDIR/bait" >calls
	[ "$(wc -l <calls)" -gt 200 ]
	strace -f -qq -e trace=open,openat,openat2,execve,stat,newfstatat,access,faccessat,faccessat2,unlink,rename,renameat2 -e signal=none \
		-o trace -p "$server" 2>/dev/null 3>&- &
	tracer=$!
	until [ -e trace ] && grep -q "^TracerPid:.*[1-9]" "/proc/$server/status"; do kill -0 "$tracer"; sleep 0.05; done
	python3 -B - "$SOCKET" <<-'END'
		import json, socket, struct, sys
		for line in open("calls"):
		    command, words = line.rstrip("\n").split("|", 1)
		    call = {"version": "0.2", "argv": command.split() + words.split(" ")}
		    text = json.dumps(call).encode()
		    body = struct.pack(">BI", 7, len(text)) + text
		    one = socket.socket(socket.AF_UNIX)
		    one.connect(sys.argv[1])
		    one.settimeout(60)
		    one.sendall(b"POST /v1/run HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
		    answer = b""
		    while part := one.recv(65536):
		        answer += part
		    assert b" 200 " in answer[:20] or b" 422 " in answer[:20], (line, answer)
	END
	kill "$tracer"
	wait "$tracer" || true
	[ "$(grep -c openat trace)" -gt 1000 ]
	same "" "$(grep -v execve trace | grep -F -e "\"$BATS_TEST_TMPDIR/bait\"" -e /../ || true)"
	same '{"color": "secret"}' "$(cat bait)"
}

@test "a user is whom the server knows, with that user's rights" {
	need_root
	need_program setpriv
	coopr-tenant create -y qa
	coopr-member set -y -T qa nobody --role user
	serve
	elsewhere
	mkdir "$held/nobody"
	chown nobody "$held/nobody"
	cd "$held/nobody" || return 1
	as_nobody() {
		env HOME="$PWD" XDG_RUNTIME_DIR= setpriv --reuid nobody --clear-groups --regid nogroup "$@"
	}
	as_nobody true && as_nobody test -x "$COOPR_BIN/coopr" || skip "nobody cannot run the programs here"
	same qa "$(as_nobody coopr tenant list -o name)"
	run -77 as_nobody coopr queue ls
	contains "$output" "only a superadmin may do that"
	run -77 as_nobody coopr tenant create -y mine
	run -77 as_nobody coopr list --as root
	run -0 as_nobody env COOPR_TENANT=qa coopr list
	SUDO_USER=nobody run -77 coopr list
	contains "$output" "sudo"
}

@test "only programs that speak with servers have libcurl" {
	need_program ldd
	contains "$(ldd "$COOPR_BIN/../libexec/coopr/remote")" libcurl
	run ! bash -c "ldd '$COOPR_BIN/coopr-list' '$COOPR_BIN/coopr-create' '$COOPR_BIN/coopr' | grep libcurl"
}
