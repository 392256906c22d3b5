# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Sandbox machines in the network $NETWORK. Those of users who are not root need a function as, `as USER COMMAND...`, the folder $HELD that
# all users may enter, and $PROVIDER.

sandbox() {
	"$COOPR_BIN/../libexec/coopr/provider/sandbox" "$@"
}

# Kills a machine, as if its power had failed: kill_machine ID, or the end of it
kill_machine() {
	local pid

	pid=$(sandbox list </dev/null | jq --arg id "$1" 'select(.id | endswith($id)).pid')
	kill -KILL "$pid"
	while kill -0 "$pid" 2>/dev/null; do sleep 0.1; done
}

# A take record: record NODENUM [JQ-FILTER]
record() {
	paste -sd ' ' <<-END | if [ -n "${2-}" ]; then jq -c "$2"; else cat; fi
		{"kind": "task", "id": "t$1", "token": "00000042-001:t$1", "timeout_s": 60,
		"cluster": {"id": "00000042", "name": "shop",
		"provider": {"name": "here", "providertype": "sandbox", "provisioner": {"network": "$NETWORK"}}},
		"machine": {"kind": "node", "id": "00000042-$1", "nodenum": $1, "services": [], "was": null,
		"flavor": "small", "hostname": "shop42-$1.dev.example.net", "image": "host"}}
	END
}

# Makes a machine and waits until it answers: up_as USER NODENUM
up_as() {
	record "$2" | as "$1" "$PROVIDER" create >"$1.$2.json"
	record "$2" | as "$1" "$PROVIDER" confirm >"$1.$2.confirmed"
	same "$(cat "$1.$2.json")" "$(cat "$1.$2.confirmed")"
}

# Runs a command in a machine: on_as USER NODENUM COMMAND
on_as() {
	local address port identity key

	read -r address port identity key < <(jq -r '"\(.ipaddresses.access_v4) \(.result | "\(."ssh-auth" | "\(.port // 22) \(.identityfile)") \(.ssh_host_keys.ed25519)")"' \
		"$1.$2.json")
	{ [ "$port" -eq 22 ] && echo "$address $key" || echo "[$address]:$port $key"; } >"$HELD/known"
	as "$1" ssh -F none -p "$port" -o ConnectTimeout=5 -o BatchMode=yes -o UserKnownHostsFile="$HELD/known" -o LogLevel=ERROR \
		-i "$identity" "root@$address" "$3"
}

listed_as() { # USER MEMBER
	as "$1" "$PROVIDER" list </dev/null | jq -r ".$2"
}

# Adds a template hello, of a service of one small script, to the catalogue mine, and has all users use it.
hello_catalogue() {
	printf '#!/bin/sh\necho "here is $COOPR_NODENUM"\n' | hello_template hello
	cp -R mine "$HELD/mine"
	export COOPR_CATALOGUE=$HELD/mine
}

# The folder tree: what sshd, sh and a few programs need.
make_tree() {
	local program file

	mkdir -p tree/usr/{bin,sbin,lib,lib64} tree/{etc,root,home,tmp,run/sshd,dev,proc,sys} tree/var/{tmp,old}
	ln -s usr/bin usr/sbin usr/lib usr/lib64 tree/
	for program in /usr/sbin/sshd $(ls /usr/lib/openssh/sshd-session /usr/lib/openssh/sshd-auth 2>/dev/null) \
		/bin/sh /bin/cat /bin/ls /usr/bin/stat /usr/bin/touch; do
		for file in "$program" $(ldd "$program" | grep -o '/[^ )]*'); do
			mkdir -p "tree/$(dirname "$file")"
			cp -L "$file" "tree/$file"
		done
	done
	printf '%s\n' 'root:x:0:0:root:/root:/bin/sh' 'sshd:x:100:65534::/run/sshd:/usr/sbin/nologin' 'somebody:x:1000:1000::/home:/bin/sh' \
		>tree/etc/passwd
	printf '%s\n' 'root:x:0:' 'somebody:x:1000:' >tree/etc/group
	echo "root:secret:19700::::::" >tree/etc/shadow
	echo first >tree/etc/motd && echo old >tree/var/old/file && echo gone >tree/etc/gone
	chown 1000:1000 tree/var/old
}
