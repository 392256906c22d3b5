#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-static(7): machines of a tenant's own, which its administrators list in a provider, and the addresses that a superadmin gives it.

load case
load walls
load sshd
load provider

setup() {
	fresh
	export COOPR_STORE=$PWD/store
	unset COOPR_USER SUDO_USER
	own_catalogue
	echo "# seed: ${SEED:-1}"
}

teardown() {
	sshd_stop
}

# What the administrator of the tenant is told of a provider with these machines: put MACHINES
put() {
	own_provider "$1" | COOPR_USER=ann COOPR_TENANT=qa coopr-store put -k provider - 2>&1
}

own_provider() {
	jq -c '{name: "own", providertype: "static", provisioner: {machines: ., user: "root", hosts: false, "ssh-auth": {key: {secret: "ann"}}}}' <<<"$1"
}

# The list of addresses as one of machines.
machines() {
	jq -cn '$ARGS.positional | map({address: .})' --args -- "$@"
}

stored() {
	coopr-store get -T qa provider own | jq -r '.provisioner.machines[].address'
}

# Does something where names stand for what the file hosts says.
with_hosts() {
	unshare -m --propagation private sh -c 'mount --bind hosts /etc/hosts && exec "$@"' sh "$@"
}

# The result of a task of that provider: own_task MACHINES ACTION NODENUM [FACTS]
own_task() {
	PROVIDER=$(own_provider "$1" | jq -c '.of = "tenant"')
	do_task "$2" "$3" "${4:-{\}}"
}

@test "a tenant has no machines of its own until a superadmin has given it addresses" {
	walls_tenant
	run -77 put "$(machines 10.4.0.7)"
	contains "$output" "/provisioner/machines/0/address: the tenant has no addresses for machines of its own"
	contains "$output" "coopr-tenant change --addresses"
	coopr-tenant change --addresses 10.4.0.0/16,2001:db8:4::/64 qa
	run -0 put "$(machines 10.4.0.7 2001:db8:4::7)"
	run -77 put "$(machines 10.4.0.7 10.5.0.7)"
	contains "$output" '/provisioner/machines/1/address: "10.5.0.7" is none of the addresses that the tenant'
	contains "$output" "10.4.0.0/16, 2001:db8:4::/64"
	run -77 put '[{"address":"10.4.0.7","bind":"10.5.0.7"}]'
	contains "$output" "/provisioner/machines/0/bind"
	same "10.4.0.7 2001:db8:4::7" "$(stored | paste -sd' ')"
	coopr-tenant change --addresses none qa
	run -77 put "$(machines 10.4.0.8)"
}

@test "a provider of a tenant has 2000 addresses at most" {
	walls_tenant
	coopr-tenant change --addresses 10.4.0.0/16 qa
	jq -nc '[range(2000) | {address: "10.4.\(. / 250 | floor).\(. % 250)"}]' >list
	run -0 put "$(cat list)"
	run -77 put "$(jq -c '. + [.[0]]' list)"
	contains "$output" "/provisioner/machines/2000/address: a tenant's provider has 2000 addresses at most"
	# Nor are more names looked up.
	run -77 put "$(jq -nc '[range(2001) | {address: "10.4"}]')"
	same 2000 "$(stored | sort -u | wc -l)"
}

@test "a list of a tenant's own machines names no file, no key of the host, and nothing that is not described" {
	walls_tenant
	coopr-tenant change --addresses 10.4.0.0/16 qa
	for machine in '{"address":"10.4.0.7","identityfile":"/root/.ssh/id_ed25519"}' '{"address":"10.4.0.7","identityfile":"key"}' \
		'{"address":"10.4.0.7","command":"id"}' '{"address":"10.4.0.7","passwordfile":"/etc/shadow"}' '"10.4.0.7"' '"/etc/hosts"' '["10.4.0.7"]' \
		'{"address":["10.4.0.7"]}' '{"address":null}' '{"address":7}' '{"address":""}' '{"address":"-oProxyCommand=id"}' '{"address":"10.4.0.7\n"}'; do
		run -77 put "[$machine]"
	done
	for machines in '"machines"' '"/etc/coopr/machines"' '{"address":"10.4.0.7"}'; do
		run -77 put "$machines"
	done
	run -1 coopr-store get -T qa provider own
}

@test "whatever the spelling of an address, it is kept in numbers where it is in a range, and refused where it is not" {
	local ranges=(10.4.0.0/16 192.168.77.64/27 203.0.113.9/32 2001:db8:4::/64 fd12:3456::/32) inside=0 outside=0

	need_program python3
	walls_tenant
	coopr-tenant change --addresses "$(IFS=,; echo "${ranges[*]}")" qa
	python3 -B "$BATS_TEST_DIRNAME/own-machines.py" "${CASES:-24}" "${ranges[@]}" >cases
	while read -r case; do
		jq -c '.spellings | map({address: ., port: 2222})' <<<"$case" >list
		if [ "$(jq .inside <<<"$case")" = true ]; then
			run -0 put "$(cat list)"
			same "$(jq -r .address <<<"$case")" "$(stored | sort -u)"
			inside=$((inside + 1))
		else
			run -77 put "$(cat list)"
			same 20 "$(grep -c 'is none of the addresses' <<<"$output")"
			outside=$((outside + 1))
		fi
	done <cases
	[ "$inside" -gt 5 ]
	[ "$outside" -gt 5 ]
}

@test "what leads to the host of coopr, or to whoever is near it, is in no range but its own" {
	local own

	walls_tenant
	coopr-tenant change --addresses 0.0.0.0/0,::/0 qa
	mapfile -t own < <(ip -o addr | awk '{ sub("/.*", "", $4); print $4 }')
	for address in 127.0.0.1 127.1 2130706433 0x7f.1 127.8.9.10 localhost 0 0.0.0.0 :: ::1 ::ffff:127.0.0.1 ::127.0.0.1 169.254.169.254 \
		::ffff:a9fe:a9fe fe80::1 fe80::1%1 ff02::1 224.0.0.1 255.255.255.255 "${own[@]}"; do
		run -77 put "$(machines "$address")"
	done
	run -0 put "$(machines 203.0.113.9)"
	coopr-tenant change --addresses 0.0.0.0/0,127.0.0.1/32 qa
	run -0 put "$(machines 127.1 ::ffff:127.0.0.1)"
	same 127.0.0.1 "$(stored | sort -u)"
	run -77 put "$(machines 127.0.0.2)"
}

@test "a name is looked up once, when it is written; all that it stands for has to be in a range" {
	need_root
	walls_tenant
	coopr-tenant change --addresses 10.4.0.0/16 qa
	export COOPR_USER=ann COOPR_TENANT=qa
	own_provider "$(machines db.example.net)" >document
	for hosts in "10.5.0.7 db.example.net" "127.0.0.1 db.example.net" $'10.4.0.7 db.example.net\n10.5.0.7 db.example.net' \
		$'10.4.0.7 db.example.net\n::1 db.example.net' "10.4.0.7 other.example.net"; do
		echo "$hosts" >hosts
		run -77 with_hosts coopr-store put -k provider document
		contains "$output" '"db.example.net" is none of the addresses'
	done
	echo "10.4.0.7 db.example.net" >hosts
	with_hosts coopr-store put -q -k provider document
	same 10.4.0.7 "$(stored)"
	# Later it stands for this host, which is of no account.
	echo "127.0.0.1 db.example.net" >hosts
	same 10.4.0.7 "$(with_hosts coopr-store get provider own | jq -r '.provisioner.machines[].address')"
	run -77 with_hosts coopr-store put -k provider document
	same 10.4.0.7 "$(stored)"
}

@test "a machine is compared with the ranges when it is claimed and when it is handed out, whatever is stored" {
	need_root
	coopr-store init
	coopr-tenant change --addresses 10.4.0.0/16 default
	for address in 10.5.0.7 127.0.0.1 0x7f.1 ::ffff:10.5.0.7 localhost; do
		own_task "$(machines "$address")" create 1000
		same 77 "$(member .status)"
		contains "$(member .message)" "is none of the addresses that the tenant's own machines may have"
	done
	same "" "$(coopr-store claims -o name)"
	own_task '[{"address":"10.4.0.7","bind":"10.5.0.7"}]' create 1000
	same 77 "$(member .status)"
	contains "$(member .message)" "its address 10.5.0.7 is none of those"
	own_task '[]' delete 1000
	# A name with two addresses, one of which is outside; and one that stands for another as soon as it is claimed.
	printf '10.4.0.7 db.example.net\n127.0.0.1 db.example.net\n' >hosts
	own_task "$(machines db.example.net)" create 1000 || true
	with_hosts coopr-exec -q <task.json >result.json
	same 77 "$(member .status)"
	same "" "$(coopr-store claims -o name)"
	# The installation's own list is not compared.
	PROVIDER=$(own_provider "$(machines 10.5.0.7)") do_task create 1000
	same "0 10.5.0.7" "$(member '"\(.status) \(.ipaddresses.access_v4)"')"
	do_task delete 1000
	own_task "$(machines 10.5.0.7 10.4.0.7)" create 1000
	same "0 10.4.0.7" "$(member '"\(.status) \(.ipaddresses.access_v4)"')"
}

@test "a name that stands for another address once it was claimed is refused" {
	need_root
	coopr-store init
	coopr-tenant change --addresses 10.4.0.0/16 default
	mkdir -p plugins/provider
	# As a provider would answer that is asked between two changes of a name.
	cat >plugins/provider/static <<-'EOT'
		#!/bin/sh
		[ "$1" != describe ] || exec echo '{}'
		jq -c --slurpfile addresses "$ADDRESSES" 'if has("claim") then {kind: "result", status: 0, ipaddresses: $addresses[0]} else {kind: "result",
			status: 75, claim: [.cluster.provider.provisioner.machines[0].address + ":22"]} end'
	EOT
	chmod +x plugins/provider/static
	export COOPR_PLUGINS=$PWD/plugins ADDRESSES=$PWD/addresses
	for addresses in '{"access_v4":"127.0.0.1"}' '{"access_v4":"10.4.0.8"}' '{"access_v4":"10.4.0.7","access_v6":"::1"}' \
		'{"access_v4":"10.4.0.7","bind_v4":"127.0.0.1"}' '{"access_v4":"10.4.0.7","other":"10.5.0.1"}' '{"access_v4":"10.4.0.7","bind_v4":"db.example.net"}'; do
		echo "$addresses" >addresses
		own_task "$(machines 10.4.0.7)" create 1000
		[ "$(member .status)" = 77 ] || same "78 node 00000042-1000: the provider hands out" "$(member '"\(.status) \(.message[0:42])"')"
	done
	echo '{"access_v4":"10.4.0.7","bind_v4":"10.4.9.9"}' >addresses
	own_task "$(machines 10.4.0.7)" create 1000
	same 0 "$(member .status)"
}

@test "a tenant's own machine is claimed as all are, over all tenants" {
	coopr-store init
	coopr-tenant change --addresses 10.4.0.0/16 default
	PROVIDER=$(own_provider "$(machines 10.4.0.7)") do_task create 1000
	same 0 "$(member .status)"
	for spelling in 10.4.0.7 10.4.7 0xa040007 ::ffff:10.4.0.7; do
		own_task "$(machines "$spelling")" create 1001
		same '75 no free machine in provider "own": 1 of 1 in use' "$(member '"\(.status) \(.message)"')"
	done
}

@test "a machine in a document is entered with secrets alone" {
	coopr-store init
	for login in '{}' '{"ssh-auth":{}}' '{"identityfile":"key"}' '{"ssh-auth":{"key":"key"}}' '{"key":{"secret":"a"}}' \
		'{"ssh-auth":{"key":{"secret":"a"},"password":{"secret":"b"}}}'; do
		PROVIDER=$(own_provider '[]' | jq -c --argjson login "$login" '.provisioner |= (del(."ssh-auth") | .machines = [{address: "10.4.0.7"} + $login])')
		do_task create 1000
		same 78 "$(member .status)"
	done
	own_task '[{"address":"10.4.0.7","user":"-oProxyCommand=id"}]' create 1000
	[ "$(member .status)" -ne 0 ]
	PROVIDER=$(own_provider '[{"address":"10.4.0.7","user":"ann","port":2222,"ssh-auth":{"password":{"secret":"b"}}}]')
	do_task create 1000
	same '0 {"password":{"secret":"b"},"port":2222,"user":"ann"}' "$(member '"\(.status) \(.result."ssh-auth" | del(.key))"')"
}

# A host key of the kind that has not been made by sshd_start.
other_key() {
	ssh-keygen -q -t ecdsa -N '' -C "$1" -f "$1"
	cut -d' ' -f1,2 "$1.pub"
}

@test "a host key counts once the machine has proven it: who lists or shows another's keeps nobody from it" {
	local theirs

	need_root
	coopr-store init
	coopr-tenant change --addresses 127.0.0.1/32,127.0.0.2/32 default
	sshd_start
	theirs=$(other_key theirs)
	coopr-secret set ann <sshd/user
	coopr-secret set other <sshd/user
	own_task "$(jq -cn --argjson port "$SSHD_PORT" --arg own "$(cut -d' ' -f1,2 sshd/host.pub)" --arg theirs "$theirs" \
		'[{address: "127.0.0.1", $port, hostkey: [$theirs, $own]}]')" create 1000
	same 0 "$(member .status)"
	PROVIDER=$(own_provider "$(jq -cn --arg theirs "$theirs" '[{address: "192.0.2.11", hostkey: $theirs}]')") do_task create 1001
	same 0 "$(member .status)"
	do_task delete 1001
	own_task "$(jq -c '.cluster.provider.provisioner.machines' task.json)" delete 1000
	# The same by who shows it, where the list gives none.
	mkdir -p shown
	printf '%s\n' '#!/bin/sh' "echo 'x $theirs'" "exec $(command -v ssh-keyscan) \"\$@\"" >shown/ssh-keyscan
	chmod +x shown/ssh-keyscan
	for hostkey in null "$(jq -cn --arg own "$(cut -d' ' -f1,2 sshd/host.pub)" --arg theirs "$theirs" '[$theirs, $own]')"; do
		list=$(jq -cn --argjson port "$SSHD_PORT" --argjson hostkey "$hostkey" '[{address: "127.0.0.1", $port, $hostkey} | del(.. | nulls)]')
		own_task "$list" create 1000
		PATH=$PWD/shown:$PATH own_task "$list" confirm 1000 "$(facts)"
		same "0 [\"ed25519\"]" "$(member '"\(.status) \(.result.ssh_host_keys | keys)"')"
		PROVIDER=$(own_provider "$(jq -cn --arg theirs "$theirs" '[{address: "192.0.2.11", hostkey: $theirs}]')") do_task create 1001
		same 0 "$(member .status)"
		do_task delete 1001
		# Its own is taken, whoever says so.
		PROVIDER=$(own_provider "$(jq -cn --arg own "$(cut -d' ' -f1,2 sshd/host.pub)" '[{address: "192.0.2.12", hostkey: $own}]')") do_task create 1002
		same 78 "$(member .status)"
		do_task delete 1002
		own_task "$list" delete 1000
	done
}

# The tenant qa has a template hello, one of whose machines, sshd_start's, is its own; its service waits while there is a file "wait": own_cluster [PUT]
own_cluster() {
	sshd_start
	mkdir -p mine/scripts
	echo '{"name": "hello", "provisioner": {"actions": {"configure": {"type": "shell", "fields": {"script": "hello.sh"}, "retries": 0},
		"start": {"type": "shell", "fields": {"script": "hello.sh"}, "retries": 0},
		"stop": {"type": "shell", "fields": {"script": "hello.sh"}, "retries": 0}}}}' >mine/services/hello.json
	echo '{"name": "hello", "defaults": {"services": ["hello"], "provider": "own", "hardwaretype": "small", "imagetype": "debian12",
		"config": {}}}' >mine/clustertemplates/hello.json
	echo '{"name": "own", "providertype": "static", "provisioner": {"machines": "none"}}' >mine/providers/own.json
	for file in mine/hardwaretypes/small.json mine/imagetypes/debian12.json; do
		jq '.providermap.own = .providermap.static' "$file" >changed
		mv changed "$file"
	done
	printf '%s\n' '#!/bin/sh' "echo \"\$COOPR_ACTION \$COOPR_NODENUM\" >>$PWD/did" "[ ! -e $PWD/wait ] || { echo here >$PWD/arrived; read -r _ <$PWD/gate; }" \
		>mine/scripts/hello.sh
	walls_tenant
	coopr-tenant change --addresses 127.0.0.1/32,127.0.0.2/32 qa
	coopr-secret set -T qa ann <sshd/user
	rm sshd/user
	jq -cn --argjson port "$SSHD_PORT" --arg key "$(cut -d' ' -f1,2 sshd/host.pub)" '[{address: "localhost.", $port, hostkey: $key}, {address: "127.0.0.2", $port}]' >list
	jq -c 'map(if .address == "localhost." then .address = "127.1" else . end)' list >numbers
	"${1:-put}" "$(cat numbers)"
	export COOPR_TENANT=qa COOPR_USER=ann
}

@test "a cluster on machines of the tenant's own lives from create to delete" {
	need_root
	own_cluster
	coopr-create one -t hello -n 1 >/dev/null
	same "127.0.0.1" "$(coopr-show one -o json | jq -r 'select(.kind == "node") | .ipaddresses.access_v4')"
	contains "$(coopr-exec one echo up)" up
	coopr-config one --set x=1 -y >/dev/null
	coopr-delete one -y >/dev/null
	same "" "$(COOPR_USER='' COOPR_TENANT='' coopr-store claims -o name)"
}

@test "once its addresses are taken away a cluster is still observed, stopped and deleted; what else is asked of it is refused with the remedy" {
	need_root
	own_cluster
	coopr-create one -t hello -n 1 >/dev/null
	: >did
	(unset COOPR_USER COOPR_TENANT; coopr-tenant change --addresses 10.4.0.0/16 qa)
	for command in "config one --set x=1" "restart one" "start one" "expand one -n 2"; do
		# shellcheck disable=SC2086 # words
		run coopr $command -y
		same 77 "$status"
		contains "$output" "coopr-tenant change --addresses"
	done
	run -77 coopr-create two -t hello -n 1
	same "" "$(cat did)"
	coopr-status one >/dev/null
	coopr-stop one -y >/dev/null
	[ -s did ]
	coopr-delete one -y >/dev/null
	same "" "$(COOPR_USER='' COOPR_TENANT='' coopr-store claims -o name)"
}

# A provider that is none of coopr's, which says that its fields have addresses in several ways.
rack_plugin() {
	mkdir -p plugins/provider
	cat >plugins/provider/rack <<-'EOT'
		#!/bin/sh
		case $1 in
		describe)
			exec echo '{"properties": {"gateway": {"of": "address"}, "proxies": {"type": "array", "items": {"of": "address"}},
				"boot": {"properties": {"from": {"of": "address"}, "tls": {"properties":
				{"key": {"of": "path"}, "keys": {"type": "array", "items": {"properties": {"key": {"of": "installation"}}}}}}}},
				"rows": {"type": "array", "items": {"properties": {"hosts": {"type": "array", "items": {"properties":
				{"ip": {"of": "address"}, "port": {}, "hostkey": {}}}}}}}}}'
			;;
		create)
			exec jq -c '.cluster.provider.provisioner.rows[0].hosts[0] as $host | {kind: "result"} + if has("claim") then
				{status: 0, ipaddresses: {access_v4: $host.ip, bind_v4: $host.ip}, result: {"ssh-auth": {user: "root", port: $host.port,
				key: {secret: "ann"}}, ssh_host_keys: {"ed25519": $host.hostkey}}} else {status: 75, claim: ["row 1, place 1"]} end'
			;;
		delete) exec echo '{"kind": "result", "status": 0, "claim": null}' ;;
		*) exec echo '{"kind": "result", "status": 0}' ;;
		esac
	EOT
	chmod +x plugins/provider/rack
	export COOPR_PLUGINS=$PWD/plugins
}

put_rack() {
	jq -c '{name: "own", providertype: "rack", provisioner: .}' <<<"$1" | COOPR_USER=ann COOPR_TENANT=qa coopr-store put -k provider - 2>&1
}

put_rack_of() {
	put_rack "$(jq -c '{rows: [{hosts: [.[0] | {ip: .address, port, hostkey}]}]}' <<<"$1")"
}

@test "whichever plugin describes a field, and wherever in the fields it stands, what it says of it holds for a tenant" {
	walls_tenant
	rack_plugin
	coopr-tenant change --addresses 10.4.0.0/16 qa
	for form in '{gateway: .}' '{proxies: ["10.4.0.1", .]}' '{proxies: [.]}' '{boot: {from: .}}' '{rows: [{}, {hosts: [{ip: .}]}]}' \
		'{rows: [{hosts: [{ip: "10.4.0.1"}, {ip: ., port: 7}]}]}'; do
		for address in 10.5.0.7 127.0.0.1 localhost 0x7f.1 ::ffff:10.5.0.7 ''; do
			run -77 put_rack "$(jq -n --arg address "$address" "\$address | $form")"
			contains "$output" "is none of the addresses that the tenant's own machines may have"
		done
		for value in '{"a": "10.5.0.7"}' '[["10.5.0.7"]]' null 7 '[{}]'; do
			run -77 put_rack "$(jq "$form" <<<"$value")"
		done
		run -0 put_rack "$(jq -n "\"10.4.7\" | $form")"
		same "$(jq -nc "\"10.4.0.7\" | $form")" "$(coopr-store get -T qa provider own | jq -c .provisioner)"
	done
	for fields in '{"boot": {"tls": {"key": "/etc/shadow"}}}' '{"boot": {"tls": {"key": "../key"}}}' '{"boot": {"tls": {"keys": [{}, {"key": "a"}]}}}'; do
		run -77 put_rack "$fields"
		contains "$output" "/provisioner/boot/tls/key"
	done
	run -0 put_rack '{"boot": {"tls": {"key": "key", "keys": [{"other": "/etc/shadow"}]}}, "other": {"ip": "127.0.0.1"}}'
}

# A cluster whose machine's address is taken away during its first task: cut_short PUT
cut_short() {
	own_cluster "$1"
	mkfifo gate arrived
	touch wait
	coopr-create one -t hello -n 1 >said 2>&1 3>&- 8<&- &
	creator=$!
	read -r _ <arrived
	(unset COOPR_USER COOPR_TENANT; coopr-tenant change --addresses none qa)
	rm wait
	echo go >gate
	code=0
	wait "$creator" || code=$?
	same 1 "$code"
	contains "$(cat said)" "its address 127.0.0.1 is none of those that the tenant's own machines may have"
	same "configure 1000" "$(cat did)"
	run -77 coopr-retry one
	contains "$output" "coopr-tenant change --addresses"
	coopr-delete one -y >/dev/null
}

@test "a task that comes after its addresses were taken away does not enter the machine" {
	need_root
	cut_short put
}

@test "nor does it enter one of a provider that is none of coopr's and calls its machines by names" {
	need_root
	rack_plugin
	cut_short put_rack_of
}
