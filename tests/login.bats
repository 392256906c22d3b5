#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr ssh, exec and log on real machines, with a service of one small script: coopr-ssh(1), coopr-exec(1), coopr-log(1).

load case
load examples

setup() {
	fresh
	export COOPR_STATE="$COOPR_STATE with blanks" # in all that names a file of it
	need_root
	need_program ip ssh sshd sqlite3
	own_network
	export COOPR_CATALOGUE=$PWD/mine
	hello_template hello <<-'EOT'
		#!/bin/sh
		printf 'here is \033[31m%s\n' "$COOPR_NODENUM"
	EOT
	coopr-create hello -t hello -n 2 >/dev/null 2>&1
}

# Changes what the store says of the nodes.
forge() {
	jq -c "$1" "$COOPR_STATE/clusters/00000001/cluster.ndjson" >forged
	sqlite3 "$COOPR_STATE/store.sqlite3" "UPDATE cluster_document SET layout = CAST(readfile('forged') AS TEXT)"
}

teardown() {
	[ ! -e "$COOPR_STATE/store.sqlite3" ] || coopr-delete -y hello
}

@test "ssh logs in, and ends as the command does; a command on all nodes says which node said what" {
	same hello1-1001 "$(coopr-ssh hello/1001 hostname)"
	same hello1-1000 "$(coopr-ssh hello/hello1-1000 hostname)"
	run --separate-stderr -7 coopr-ssh hello/@hello 'exit $((3 + 4))'
	same "coopr-ssh: hello/1000, the first of 2" "$stderr"
	same "a  b|\$c" "$(coopr-ssh hello/00000001-1000 -- printf '%s' 'a  b|$c')"
	same "root hello1-1000" "$(echo hostname | coopr ssh hello/1000 'echo "$(id -un) $(sh)"')"
	run --separate-stderr -1 coopr-ssh hello/@nginx hostname
	same "coopr-ssh: hello: no node has the service nginx; there are hello" "$stderr"
	run --separate-stderr -64 coopr-ssh hello/1000/hello

	# Its ssh ends with it, however it ends: nothing holds what it printed to any more.
	mkfifo said
	for signal in TERM HUP KILL; do
		coopr-ssh hello/1000 'echo in; sleep 1000' </dev/null >said 2>/dev/null 3>&- &
		exec 4<said
		read -r line <&4
		kill -"$signal" "$!"
		same "in 0" "$line $(timeout 30 cat <&4 >/dev/null; echo $?)"
		exec 4<&-
	done

	run --separate-stderr -0 coopr-exec hello hostname
	same $'hello1-1000 | hello1-1000\nhello1-1001 | hello1-1001' "$(sort <<<"$output")"
	same "" "$stderr"
	run --separate-stderr -5 coopr-exec hello '[ "$(hostname)" = hello1-1000 ] || { echo no >&2; exit 5; }'
	same "" "$output"
	same $'hello1-1001 | no\ncoopr-exec: hello1-1001: exit code 5' "$stderr"
	same "hello1-1001 | a  b" "$(coopr-exec hello/1001 printf '%s' 'a  b')"
	run --separate-stderr -3 coopr exec -q hello 'echo much; exit 3'
	same "" "$output$stderr"
	same 1000 "$(coopr-exec -j 1 hello 'seq 500' | grep -c '^hello1-100[01] | [0-9]*$')"
	same "hello1-1001 | up" "$(coopr exec hello -N 1001 -- echo up)"
	same "hello1-1001 | up" "$(coopr exec -N 1001 hello echo up)"
	same 2 "$(coopr exec hello -s hello -N 1000 -N hello1-1001 echo -N | grep -c ' | -N$')"
	same hello1-1001 "$(coopr ssh hello -N 1001 -- hostname)"
	same hello1-1001 "$(coopr ssh hello -s hello -N 1001 hostname)"
	run --separate-stderr -1 coopr-exec hello -N hello1-101 hostname
	contains "$stderr" "there is no node hello1-101; did you mean hello1-1001?"
	same "$(coopr-log hello/1001)" "$(coopr-log hello -N 1001)"
	same "$(coopr-log hello/@hello)" "$(coopr-log hello -s hello)"
	run --separate-stderr -64 coopr-exec -N 1001 </dev/null
	contains "$stderr" "missing argument CLUSTER"
	run --separate-stderr -64 coopr-exec hello
	run --separate-stderr -64 coopr-exec -j 0 hello hostname

	# What a node says reaches a pipe as it is.
	same $'==> configure hello on hello1-1001, attempt 1: done <==\nhere is \e[31m1001' "$(coopr-log hello/1001/hello)"

	# The file heals; another machine at that address is not believed to be the node.
	known=$COOPR_STATE/clusters/00000001/known_hosts
	cp "$known" kept
	echo lost >"$known"
	same hello1-1001 "$(coopr-ssh hello/1001 hostname)"
	same "$(cat kept)" "$(cat "$known")"
	forge 'if .nodenum == 1001 then .facts.ssh_host_keys[] |= (.[:40] + ("A" * 20) + .[60:]) else . end'
	run --separate-stderr -255 coopr-ssh hello/1001 hostname
	contains "$stderr" "Host key verification failed"

	# A node that is not reached is told of; the others go on.
	forge 'if .nodenum == 1001 then .ipaddresses.access_v4 = "127.0.0.1" | .facts["ssh-auth"].port = 1 else . end'
	run --separate-stderr -255 coopr-exec hello hostname
	same "hello1-1000 | hello1-1000" "$output"
	contains "$stderr" "hello1-1001 | ssh: connect to host 127.0.0.1 port 1: Connection refused"
}

@test "coopr-ssh(1), coopr-exec(1), coopr-log(1): what a reader would type" {
	sed -i 's/"hello"/"nginx"/' mine/services/hello.json
	run -0 bash -euo pipefail -c "$(sed -n '/^\.Sh EXAMPLES/,$s/^\.Dl # //p' "$COOPR_ROOT/man/man1/coopr-exec.1" | grep -v nginx | sed 's/shop/hello/')"
	same 4 "$(grep -c 'load average' <<<"$output")"
	run -0 bash -euo pipefail -c "$(grep -h "^\.Dl # coopr ssh shop '" "$COOPR_ROOT/man/man1/coopr-ssh.1" | sed "s/^\.Dl # //; s/shop/hello/")"
	contains "$output" Filesystem
	run -0 bash -euo pipefail -c "$(sed -n '/^\.Sh EXAMPLES/,$s/^\.Dl \$ //p' "$COOPR_ROOT/man/man1/coopr-log.1" | grep -v nginx | sed 's/shop/hello/')"
	contains "$output" "here is"
}

@test "ssh-config and inventory tell other programs how to log in, and nothing that could be taken for another machine" {
	coopr-ssh-config hello >config
	for host in hello-1000 hello1-1000 "$(awk '/^Host hello-1000/ { print $3 }' config)"; do
		same hello1-1000 "$(ssh -F config "$host" hostname)"
	done
	same 2 "$(grep -c '^Host ' config)"
	same 1 "$(coopr ssh-config hello/1001 | grep -c '^Host ')"
	same "StrictHostKeyChecking yes" "$(grep -o 'StrictHostKeyChecking.*' config | sort -u)"
	coopr-inventory hello >all
	same "hello1-1000 hello1-1001" "$(jq -r '.hello.hosts | map(split(".")[0]) | join(" ")' all)"
	same "hello hello" "$(jq -r '[._meta.hostvars[].coopr_cluster] | join(" ")' all)"
	cmp all <(coopr inventory hello --list)
	same "{}" "$(coopr-inventory hello --host hello1-1000)"
	run -64 coopr-inventory hello --list --host x
	# What Ansible makes of the variables.
	run -0 python3 -c '
import json, os, shlex
of = json.load(open("all"))["_meta"]["hostvars"]["hello1-1001.local"]
os.execvp("ssh", ["ssh", "-o", "BatchMode=yes", "-i", of["ansible_ssh_private_key_file"], *shlex.split(of["ansible_ssh_common_args"]),
    "root@" + of["ansible_host"], "hostname"])'
	same hello1-1001 "$output"
	run -1 --separate-stderr coopr-ssh-config nothing
	same "" "$output"
	if command -v ansible >/dev/null; then
		printf '#!/bin/sh\nexec coopr-inventory hello "$@"\n' >hosts
		chmod +x hosts
		ANSIBLE_HOME=$PWD/ansible run -0 ansible -i hosts hello -m raw -a hostname
		contains "$output" hello1-1001
	fi
	# A node whose host key is not known cannot be told from another machine.
	forge 'if .nodenum == 1000 then del(.facts["ssh-host-keys"]) | .facts |= with_entries(select(.key | test("host") | not)) else . end'
	run -0 --separate-stderr coopr-ssh-config hello
	contains "$stderr" "coopr-ssh-config: hello: left out 1 of 2 nodes, which has no address or no host key"
	same 1 "$(grep -c '^Host ' <<<"$output")"
}

@test "coopr-ssh-config(1), coopr-inventory(1): what a reader would type" {
	mkdir -p .ssh/config.d
	touch site.tar
	for page in coopr-ssh-config coopr-inventory; do
		commands_of "$COOPR_ROOT/man/man1/$page.1"
	done | sed 's/shop/hello/g; s/nginx/hello/' >examples
	same 4 "$(wc -l <examples)"
	run -0 env HOME="$PWD" bash -euo pipefail examples
	same $'hello1-1000.local\nhello1-1001.local' "$output"
	same "$(coopr ssh-config hello)" "$(cat .ssh/config.d/hello)"
	coopr ssh hello/1000 test -e /tmp/site.tar
}
