#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Keys and passwords for ssh that are secrets, and keys of clusters: coopr-secret(1), coopr-plugins(7), coopr-security(7).

load case
load examples

setup() {
	fresh
	need_root
	need_program ip ssh ssh-keygen sqlite3 jq
	own_network
	XDG_RUNTIME_DIR=$(mktemp -d /dev/shm/coopr-keys.XXXXXX)
	export COOPR_CATALOGUE=$PWD/mine XDG_RUNTIME_DIR
	printf '#!/bin/sh\nls /\n' | hello_template bare
}

teardown() {
	for cluster in metal one old; do
		coopr-delete -y "$cluster" || true
	done
	COOPR_TENANT=other coopr-delete -y two >/dev/null 2>&1 || true
	rm -rf "$XDG_RUNTIME_DIR"
}

sql() {
	sqlite3 -separator ' ' "$COOPR_STATE/store.sqlite3" "$1"
}

# Prints the keys that are in memory for tasks.
in_memory() {
	find "$XDG_RUNTIME_DIR" -path '*/keys.*' -type f
}

# Tries the private key in the file $1 on all machines of the clusters $2..., and prints the names of those that it opens.
opened_by() {
	local key=$1 address

	shift
	for address in $(addresses "$@"); do
		ssh -F none -n -i "$key" -o IdentitiesOnly=yes -o IdentityAgent=none -o BatchMode=yes -o StrictHostKeyChecking=no \
			-o UserKnownHostsFile=/dev/null -o LogLevel=ERROR "root@$address" hostname -s 2>/dev/null || true
	done | sort | paste -sd' '
}

addresses() {
	for cluster; do
		coopr-ssh-config "$cluster" | sed -n 's/^\tHostName //p'
	done
}

key_file() { # CLUSTER
	coopr-ssh-config "$1" | sed -n 's/^\tIdentityFile "\(.*\)"/\1/p' | sort -u
}

# Leaves in found/ every private key that root finds on the first machine of a cluster.
keys_found_on() { # CLUSTER
	mkdir -p found
	# shellcheck disable=SC2016 # it is for the machine
	coopr-ssh "$1" 'for file in $(grep -rlsI -e "PRIVATE KEY" /etc /root /home /var /run /tmp /srv /opt /dev/shm); do
		[ ! -f "$file" ] || { echo "=== $file"; cat "$file"; }; done' 2>/dev/null |
		awk -v at="found/$1." '/^=== / { name = at (++n); next } { print > name }'
	chmod 600 found/* 2>/dev/null || true
}

@test "each cluster has a key of its own, which opens no machine of another, nor does anything that is found on its machines" {
	coopr-tenant create other
	coopr-create one -t bare -n 2 >/dev/null 2>&1
	coopr-create two -t bare -n 1 -T other >/dev/null 2>&1
	COOPR_TENANT=other
	export COOPR_TENANT
	two=$(key_file two) other=$(addresses two)
	keys_found_on two
	unset COOPR_TENANT
	one=$(key_file one)
	keys_found_on one
	addresses() {
		coopr-ssh-config one | sed -n 's/^\tHostName //p'
		echo "$other"
	}
	same "one1-1000 one1-1001" "$(opened_by "$one")"
	same "two2-1000" "$(opened_by "$two")"
	[ -n "$(ls found)" ]
	for file in found/*; do
		same "" "$(opened_by "$file")"
	done
	[ ! -s "$COOPR_STATE/ssh/id_ed25519" ]
	same "1 1,2 1" "$(sql 'SELECT cluster, count(*) FROM cluster_login GROUP BY 1' | paste -sd,)"
	COOPR_TENANT=other coopr-delete -y two >/dev/null 2>&1
	same "1 1" "$(sql 'SELECT cluster, count(*) FROM cluster_login GROUP BY 1')"
}

@test "a cluster's key is in no file of a disk, is shown by no command, and is gone from memory after each of them" {
	coopr-create one -t bare -n 2 >/dev/null 2>&1
	same "" "$(in_memory)"
	same one1-1000 "$(coopr-ssh one/1000 hostname)"
	same 2 "$(coopr-exec one hostname | wc -l)"
	coopr-observe one >/dev/null 2>&1 || coopr-status one >/dev/null
	coopr-add one hello >/dev/null 2>&1 || true
	coopr-expand one -n 3 >/dev/null 2>&1
	same "" "$(in_memory)"
	same "" "$(coopr-secret list -o name)"
	same "" "$(coopr-secret list -o name --cluster one)"
	cp "$(key_file one)" secret
	secret=$(sed -n 3p secret)
	rm -f "$(key_file one)" secret
	[ -n "$secret" ]
	same "" "$(grep -rlF -e "$secret" -e 'OPENSSH PRIVATE' "$COOPR_STATE" "$COOPR_SPOOL" | grep -v /sandbox/machines/ || true)"
	for command in "coopr-show one -o json" "coopr-log one" "coopr-store export" "coopr-config one" "coopr-events one" "coopr-audit"; do
		run $command
		[[ $output != *"$secret"* && $output != *"PRIVATE KEY"* ]]
	done
}

@test "the key of a worker that is killed is swept from memory by the next" {
	printf '#!/bin/sh\necho it has begun\nexec sleep 600\n' >mine/scripts/hello.sh
	coopr-create one -t bare -n 1 >/dev/null 2>&1 3>&- &
	creator=$!
	until grep -rqs "it has begun" "$COOPR_SPOOL"; do
		kill -0 "$creator"
		sleep 0.05
	done
	kill -9 "$creator"
	wait "$creator" || true
	[ -n "$(in_memory)" ]
	coopr-abort one || true
	coopr-delete -y one
	same "" "$(in_memory)"
}

@test "machines that were made before keep the key of the installation; the cluster's key is for those that come" {
	mkdir -p before/provider
	cat >before/provider/sandbox <<-EOT
		#!/bin/sh
		[ "\$1" = describe ] || exec "$COOPR_BIN/../libexec/coopr/provider/sandbox" "\$@"
		"$COOPR_BIN/../libexec/coopr/provider/sandbox" describe | jq -c 'del(.cluster_key)'
	EOT
	chmod +x before/provider/sandbox
	mkdir -p "$HOME/.config/coopr"
	printf '[plugin sandbox]\nconfine = no\n' >>"$HOME/.config/coopr/config"
	COOPR_PLUGINS=$PWD/before coopr-create old -t bare -n 1 >/dev/null 2>&1
	same "$COOPR_STATE/ssh/id_ed25519" "$(key_file old)"
	coopr-expand old -n 2 >/dev/null 2>&1
	same 2 "$(key_file old | wc -l)"
	same old1-1000 "$(opened_by "$COOPR_STATE/ssh/id_ed25519" old)"
	same old1-1001 "$(opened_by "$(key_file old | grep -v id_ed25519)" old)"
	same 2 "$(coopr-exec old hostname | wc -l)"
	coopr-delete -y old >/dev/null 2>&1
}

# Makes a machine of its owner's, in the sandbox: with a password for the user ann. What sudo there does not do, services do as ann.
own_machine() { # NUMBER
	local address

	coopr-create one -t bare -n "${1:-1}" >/dev/null 2>&1
	coopr-exec one "useradd -m -s /bin/sh ann && echo 'ann:open sesame' | chpasswd && rm -rf ~ann/.ssh &&
		sed -i '/^AuthenticationMethods/d; s/^PasswordAuthentication no/PasswordAuthentication yes/' /etc/ssh/sshd_config &&
		mkdir -p /opt/bin && printf '#!/bin/sh\nshift 2\nexec \"\$@\"\n' >/opt/bin/sudo && chmod +x /opt/bin/sudo &&
		echo SetEnv PATH=/opt/bin:/usr/bin:/bin >>/etc/ssh/sshd_config && kill -HUP \$(cat /run/sshd.pid)" >&2
	address=$(coopr-ssh-config one | sed -n 's/^\tHostName //p')
	: >rack
	for address in $address; do
		echo "$address user=ann $LOGIN" >>rack
	done
	cat >mine/providers/rack.json <<-EOT
		{"name": "rack", "providertype": "static", "provisioner": {"machines": "$PWD/rack", "hosts": false}}
	EOT
	sed 's/"bare"/"metal"/; s/"sandbox"/"rack"/' mine/clustertemplates/bare.json >mine/clustertemplates/metal.json
	for file in mine/hardwaretypes/small.json mine/imagetypes/debian12.json; do
		jq '.providermap.rack = (.providermap.sandbox)' "$file" >new
		mv new "$file"
	done
}

# What ann's home has: files, owners, modes, contents.
home_of_ann() {
	coopr-ssh one/1000 'cd ~ann && find . -exec stat -c "%n %U %a" {} + | sort; cat .ssh/authorized_keys 2>/dev/null || true'
}

# Changes a secret of the installation.
secret() { # NAME, the value on standard input
	coopr-secret set "$1" >/dev/null
}

@test "a machine with a password is entered with it once, and then with the cluster's key, which leaves the machine with the cluster" {
	LOGIN=password=ann own_machine
	printf 'open sesame' | secret ann
	for state in 'rm -rf .ssh' 'mkdir -m 700 .ssh' 'printf "# mine" >.ssh/authorized_keys; chmod 640 .ssh/authorized_keys' \
		'printf "ssh-ed25519 AAAA mine\n\n# no end" >keys; ln -sf ../keys .ssh/authorized_keys'; do
		coopr-ssh one/1000 "cd ~ann && $state; chown -R ann: .; chown -h ann: .ssh/* 2>/dev/null || true"
		home_of_ann >before
		coopr-create metal -t metal -n 1 >/dev/null 2>&1
		contains "$(home_of_ann)" "# key of the cluster "
		same '["key","port","user"] first contact' "$(coopr-show metal -o json |
			jq -r 'select(.kind == "node").facts | "\(."ssh-auth" | keys | tojson) \(.ssh_host_keys_from)"')"
		contains "$(coopr-log metal)" "pinned the 1 host key that it shows"
		# The password is needed no more.
		printf 'another one' | secret ann
		same "metal | ann" "$(coopr-exec metal 'id -un' | sed 's/^metal[^ ]* /metal /')"
		coopr-config --set 'x=1' metal -y >/dev/null 2>&1
		same "" "$(in_memory)"
		printf 'open sesame' | secret ann
		coopr-delete -y metal >/dev/null 2>&1
		same "$(cat before)" "$(home_of_ann)"
	done
}

@test "what the owner changes in authorized_keys meanwhile stays; with authorized_keys false nothing is written there" {
	LOGIN=password=ann own_machine
	printf 'open sesame' | secret ann
	coopr-create metal -t metal -n 1 >/dev/null 2>&1
	coopr-ssh one/1000 'cd ~ann/.ssh && { echo "# above"; cat authorized_keys; printf "# below"; } >new && cat new >authorized_keys && rm new'
	coopr-delete -y metal >/dev/null 2>&1
	same $'# above\n# below' "$(coopr-ssh one/1000 "cat ~ann/.ssh/authorized_keys")"
	coopr-ssh one/1000 'rm -r ~ann/.ssh'

	jq '.provisioner.authorized_keys = false' mine/providers/rack.json >new
	mv new mine/providers/rack.json
	home_of_ann >before
	coopr-create metal -t metal -n 1 >/dev/null 2>&1
	same "$(cat before)" "$(home_of_ann)"
	same "ann" "$(coopr-ssh metal/1000 id -un)"
	same "" "$(in_memory)"
	coopr-delete -y metal >/dev/null 2>&1
	same "$(cat before)" "$(home_of_ann)"
}

@test "a password is in no argument, no environment, no file of a disk and no log; a wrong one is refused and named" {
	need_program strace
	LOGIN=password=ann own_machine
	printf 'open sesame' | secret ann
	ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 strace -f -qq -s 4096 -v -e trace=execve -o traced coopr-create metal -t metal -n 1 >said 2>&1
	[ "$(grep -c 'askpass' traced)" -gt 0 ]
	same "" "$(grep -rl "open sesame" "$COOPR_STATE/store.sqlite3" "$COOPR_STATE/clusters" "$COOPR_SPOOL" traced said || true)"
	coopr-delete -y metal >/dev/null 2>&1
	printf 'no' | secret ann
	run coopr-create metal -t metal -n 1
	[ "$status" -ne 0 ]
	contains "$output" "login as ann was refused"
	coopr-secret delete -y ann
	run coopr-retry metal
	[ "$status" -ne 0 ]
	contains "$output" 'there is no secret "ann"'
	coopr-delete -y metal >/dev/null 2>&1
}

@test "a private key may be a secret, with a passphrase that is another, of the tenant or, with a provider of the installation, of superadmin" {
	LOGIN="key=ann passphrase=phrase" own_machine
	ssh-keygen -q -t ed25519 -N 'long phrase' -C ann -f ann
	coopr-ssh one/1000 "mkdir -m 700 ~ann/.ssh; echo '$(cat ann.pub)' >~ann/.ssh/authorized_keys; chown -R ann: ~ann/.ssh"
	secret ann <ann
	printf 'long phrase' | secret phrase
	rm ann
	home_of_ann >before
	coopr-create metal -t metal -n 1 >/dev/null 2>&1
	same "ann" "$(coopr-ssh metal/1000 id -un)"
	coopr-config --set 'x=1' metal -y >/dev/null 2>&1
	same "" "$(in_memory)"
	coopr-delete -y metal >/dev/null 2>&1
	same "$(cat before)" "$(home_of_ann)"
	same "" "$(grep -rl -e 'long phrase' "$COOPR_STATE/store.sqlite3" "$COOPR_STATE/clusters" "$COOPR_SPOOL" || true)"
}

@test "a password is for a machine without a key, a passphrase for one with a key" {
	for words in "key=a identityfile=b" "key=a password=b" "identityfile=a password=b" "passphrase=a" "password="; do
		echo "192.0.2.1 $words" >rack
		run -0 --separate-stderr bash -c "coopr-exec <<<'$(jq -cn --arg rack "$PWD/rack" '{kind: "task", id: "t", action: "create",
			type: "static", cluster: {id: "00000042", name: "x", provider: {name: "rack", providertype: "static",
			provisioner: {machines: $rack}}}, machine: {id: "00000042-1000"}}')'"
		same 78 "$(jq .status <<<"$output")"
	done
}

# An automator that says which key it was given.
make_peek() {
	mkdir -p plugins/automator
	cat >plugins/automator/peek <<-'EOT'
		#!/bin/sh
		[ "$1" != describe ] || exec echo '{}'
		file=$(jq -r '.machine.facts["ssh-auth"].identityfile // "none"')
		jq -cn --arg said "$([ "$file" = none ] && echo none || { stat -c %a "$file" && ssh-keygen -y -f "$file" | cut -d" " -f2; })" \
			'{kind: "result", status: 1, message: $said}'
	EOT
	chmod +x plugins/automator/peek
	export COOPR_PLUGINS=$PWD/plugins
}

# Has it asked for a key, by a task of a cluster of the tenant $1, whose provider is of $2: peek TENANT ORIGIN KEY [ID]
peek() {
	jq -cn --arg tenant "$1" --arg of "$2" --argjson key "$3" --arg id "${4:-00000099}" '{kind: "task", id: "t", action: "configure",
		service: "x", type: "peek", fields: {}, cluster: {$id, name: "x", $tenant, config: {},
			provider: ({name: "p", providertype: "static", provisioner: {}} + if $of == "none" then {} else {$of} end)},
		machine: {id: "00000099-1000", facts: {"ssh-auth": {$key, user: "root"}}}}' | coopr-exec | jq -r '"\(.status) \(.message)"'
}

public_of() {
	cut -d' ' -f2 "$1.pub"
}

@test "a tenant's tasks get its own keys and, with a provider of the installation, superadmin's; nothing of another tenant or cluster" {
	make_peek
	for tenant in one other; do
		coopr-tenant create "$tenant"
	done
	for tenant in superadmin default one other; do
		ssh-keygen -q -t ed25519 -N '' -C "$tenant" -f "$tenant"
		coopr-secret set -T "$tenant" "only-$tenant" <"$tenant" >/dev/null
		coopr-secret set -T "$tenant" all <"$tenant" >/dev/null
	done
	for tenant in default one other; do
		for of in none tenant installation nonsense; do
			for owner in superadmin default one other; do
				expected='78 there is no secret "only-'$owner'"; coopr-secret set only-'$owner' makes it'
				if [ "$owner" = "$tenant" ] || [ "$owner $of" = "superadmin installation" ]; then
					expected=$'1 600\n'$(public_of "$owner")
				fi
				same "$expected" "$(peek "$tenant" "$of" "{\"secret\": \"only-$owner\"}")"
			done
			[ "$of" = installation ] && owner=superadmin || owner=$tenant
			same $'1 600\n'"$(public_of "$owner")" "$(peek "$tenant" "$of" '{"secret": "all"}')"
		done
	done
	for name in cluster/all operation/all ../all /all one/all 1/all "" . "all " ALL $'all\n' "ssh-ed25519 AAAA"; do
		contains "$(peek one installation "$(jq -cn --arg name "$name" '{secret: $name}')")" "78 "
	done
	for key in '{"generated_secret": "all"}' '[]' '{}' 7 true '{"secret": 7}' '{"secret": "all", "x": 1}'; do
		contains "$(peek one installation "$key")" "78 "
	done
	same "" "$(in_memory)"
}

@test "a cluster's key is for the tasks of that cluster of that tenant, and survives another key of the store" {
	make_peek
	coopr-tenant create other
	COOPR_PLUGINS='' coopr-create one -t bare -n 1 >/dev/null 2>&1
	key=$(jq '.[]' <<<"[$(coopr-show one -o json | jq 'select(.kind == "node").facts["ssh-auth"].key')]")
	same $'1 600\n'"$(jq -r . <<<"$key" | cut -d' ' -f2)" "$(peek default tenant "$key" 00000001)"
	for who in "other tenant 00000001" "other installation 00000001" "default tenant 00000002" "default installation 0" "superadmin installation 00000001"; do
		read -r tenant of id <<<"$who"
		contains "$(peek "$tenant" "$of" "$key" "$id")" "78 "
	done
	same "0 1" "$(sql 'SELECT count(*), (SELECT count(*) FROM cluster_login) FROM secret')"
	before=$(sql 'SELECT hex(sealed) FROM cluster_login')
	coopr-store rekey >/dev/null
	[ "$before" != "$(sql 'SELECT hex(sealed) FROM cluster_login')" ]
	same one1-1000 "$(coopr-ssh one/1000 hostname)"
	coopr-secret set one </dev/null 2>/dev/null || true
	for refer in "$key" "{\"secret\": $key}"; do
		run -0 --separate-stderr bash -c "coopr-config one --set x='$refer' -y 2>&1 | cat"
		lacks=$(grep -rl "PRIVATE KEY" "$COOPR_STATE/clusters" "$COOPR_SPOOL" || true)
		same "" "$lacks"
	done
}
