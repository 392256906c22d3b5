#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-static(7), with a real sshd as its machines.

load case
load sshd
load provider

setup() {
	fresh
	PROVIDER=$(jq -cn --arg file "$PWD/machines" '{name: "rack", providertype: "static", provisioner: {machines: $file}}')
}

teardown() {
	sshd_stop
}

@test "keeps the contract of providers" {
	need_root
	sshd_start
	cat >machines <<-END
		127.0.0.1 port=$SSHD_PORT identityfile=sshd/user
		127.0.0.2 port=$SSHD_PORT identityfile=sshd/user bind=127.0.0.1
	END
	keeps_the_contract
	same "" "$(coopr-store claims)"
}

@test "tells what the file says of a machine" {
	cat >machines <<-'END'
		192.0.2.11 hostname=web1.example.net user=admin port=2222 bind=10.0.0.11 identityfile=keys/web hostkey="ssh-ed25519 AAAA one" hostkey='ssh-rsa BBBB'
	END
	do_task create 1000
	same 0 "$(member .status)"
	same "{\"hostname\":\"web1.example.net\",\"ipaddresses\":{\"access_v4\":\"192.0.2.11\",\"bind_v4\":\"10.0.0.11\"},\"result\":{\"names\":\"hosts\",\"providerid\":\"192.0.2.11:2222\",\"ssh-auth\":{\"identityfile\":\"$PWD/keys/web\",\"port\":2222,\"user\":\"admin\"},\"ssh_host_keys\":{\"ed25519\":\"ssh-ed25519 AAAA one\",\"rsa\":\"ssh-rsa BBBB\"}}}" \
		"$(jq -cS '{hostname, ipaddresses, result}' result.json)"
}

@test "the file may be JSON: an array, or objects" {
	echo '[{"address":"192.0.2.11","port":"2222"},{"address":"192.0.2.12","hostkey":["ssh-rsa B"]}]' >machines
	do_task create 1000
	same 192.0.2.11:2222 "$(member .result.providerid)"
	printf '{"address":"192.0.2.11","port":2222}\n{"address":"192.0.2.12"}\n' >machines
	do_task create 1001
	same 192.0.2.12:22 "$(member .result.providerid)"
}

@test "when all machines are in use, it says so and it is temporary" {
	printf '192.0.2.1\n192.0.2.2\n192.0.2.3\n' >machines
	for num in 1000 1001 1002; do
		do_task create $num
		same 0 "$(member .status)"
	done
	do_task create 1003
	same "75 no free machine in $PWD/machines: 3 of 3 in use" "$(member '"\(.status) \(.message)"')"
	do_task delete 1001
	do_task create 1003
	same 192.0.2.2:22 "$(member .result.providerid)"
}

@test "no machine is handed out twice, however many ask at once" {
	for i in $(seq 1 20); do echo "192.0.2.$i"; done >machines
	for num in $(seq 1000 1019); do
		mkdir "$num"
		(cd "$num" && do_task create "$num") 3>&- &
	done
	wait
	same 20 "$(cat 10*/result.json | jq -r .result.providerid | sort -u | wc -l)"
}

@test "a machine is in use under every spelling of its address, and under its name" {
	echo "127.0.0.1 port=2222" >machines
	do_task create 1000
	same 0 "$(member .status)"
	for spelling in 127.0.0.1 127.1 127.0.1 2130706433 0x7f000001 0x7F.1 017700000001 0177.0.0.01 127.0x0.0.1 127.0.0.0x1 0x7f.0.0.1 \
		::ffff:127.0.0.1%1 ::ffff:127.0.0.1 ::FFFF:7f00:1 0:0:0:0:0:ffff:127.0.0.1 0000:0000:0000:0000:0000:ffff:7f00:0001 ::ffff:7f00:0001 \
		0 0.0.0.0 :: ::ffff:0.0.0.0 localhost LocalHost; do
		jq -n --arg address "$spelling" '{$address, port: 2222}' >machines
		for provider in rack other; do
			PROVIDER=$(jq -c --arg name "$provider" '.name = $name' <<<"$PROVIDER")
			do_task create 1001
			same "75 no free machine in $PWD/machines: 1 of 1 in use" "$(member '"\(.status) \(.message)"')"
		done
	done
	# Another port, or another address, is another machine, as far as anybody can tell before it shows its host key.
	echo "127.1 port=2223" >machines
	do_task create 1001
	same 0 "$(member .status)"
	# Which interface it is reached by counts for link-local addresses alone.
	echo '{"address":"2001:db8::1%1"}' >machines
	do_task create 1003
	same "0 2001:db8::1%1:22" "$(member '"\(.status) \(.result.providerid)"')"
	echo '{"address":"2001:db8::1"}' >machines
	do_task create 1004
	same 75 "$(member .status)"
	# Given back, it is free under every spelling.
	do_task delete 1000
	echo "2130706433 port=2222" >machines
	do_task create 1002
	same "0 127.0.0.1" "$(member '"\(.status) \(.ipaddresses.access_v4)"')"
}

@test "a machine whose name does not resolve is passed over, and said where there is no other" {
	printf 'nowhere.invalid\n192.0.2.1\n' >machines
	do_task create 1000
	same "0 192.0.2.1:22" "$(member '"\(.status) \(.result.providerid)"')"
	do_task create 1001
	same 75 "$(member .status)"
	contains "$(member .message)" "nowhere.invalid: "
}

@test "two machines with one host key are refused, unless the provider says that this is intended" {
	need_root
	sshd_start
	echo "127.0.0.1 port=$SSHD_PORT identityfile=sshd/user" >machines
	do_task create 1000
	do_task confirm 1000 "$(facts)"
	same 0 "$(member .status)"
	# As another tenant would who knows another address of the machine.
	echo "192.0.2.11 hostkey='$(cut -d' ' -f1,2 sshd/host.pub) a comment'" >machines
	do_task create 1001
	same 78 "$(member .status)"
	contains "$(member .message)" "192.0.2.11:22 shows the host key of 127.0.0.1:$SSHD_PORT, which another node has"
	contains "$(member .message)" "ssh-keygen -A"
	PROVIDER=$(jq -c '.provisioner.shared_host_keys = true' <<<"$PROVIDER")
	do_task create 1001
	same 0 "$(member .status)"
	# A machine that was given back may be given to somebody else.
	do_task delete 1001
	do_task delete 1000
	PROVIDER=$(jq -c 'del(.provisioner.shared_host_keys)' <<<"$PROVIDER")
	do_task create 1002
	same 0 "$(member .status)"
}

@test "a machine of a flavor or zone is for nodes of it only" {
	printf '192.0.2.1 flavor=small\n192.0.2.2 flavor=large zone=b\n192.0.2.3\n' >machines
	do_task create 1000
	same 192.0.2.2:22 "$(member .result.providerid)"
	do_task create 1001
	same 192.0.2.3:22 "$(member .result.providerid)"
	echo '192.0.2.1 flavor=small' >machines
	do_task create 1002
	same 78 "$(member .status)"
	contains "$(member .message)" "none of the 1 is of its flavor and zone"
}

@test "what is wrong in the file is named with its line" {
	printf '# fine\n192.0.2.1\n192.0.2.1 port=22\n' >machines
	do_task create 1000
	same "78 $PWD/machines: line 3: the machine 192.0.2.1:22 stands there twice" "$(member '"\(.status) \(.message)"')"
	echo '192.0.2.1 colour=red' >machines
	do_task create 1000
	contains "$(member .message)" 'line 1: "colour=red": expected bind='
	echo '192.0.2.1 port=abc' >machines
	do_task create 1000
	contains "$(member .message)" 'line 1: /port'
	echo '192.0.2.1 "' >machines
	do_task create 1000
	contains "$(member .message)" 'left open'
	echo '-oProxyCommand=x' >machines
	do_task create 1000
	same 78 "$(member .status)"
	echo '../../x' >machines
	do_task create 1000
	same 78 "$(member .status)"
	echo '[{"address":1}]' >machines
	do_task create 1000
	contains "$(member .message)" 'machine 1: /address'
	: >machines
	do_task create 1000
	contains "$(member .message)" "there are no machines in it"
	rm machines
	do_task create 1000
	same 78 "$(member .status)"
	contains "$(member .message)" "$PWD/machines: No such file"
	PROVIDER='{"name":"rack","providertype":"static"}'
	do_task create 1000
	same 78 "$(member .status)"
	contains "$(member .message)" "/machines: expected string"
}

@test "confirm pins the keys that a machine shows, and says so, where the file gives none" {
	need_root
	sshd_start
	echo "127.0.0.1 port=$SSHD_PORT identityfile=sshd/user" >machines
	do_task create 1000
	known=$(facts)
	do_task confirm 1000 "$known"
	same 0 "$(member .status)"
	same "$(cut -d' ' -f1,2 sshd/host.pub)" "$(member .result.ssh_host_keys.ed25519)"
	contains "$(member .stderr)" "the list of machines gives none to compare with"
}

@test "confirm refuses a machine that does not have the key that the file gives" {
	need_root
	sshd_start
	echo "127.0.0.1 port=$SSHD_PORT identityfile=sshd/user hostkey='$(cut -d' ' -f1,2 sshd/user.pub)'" >machines
	do_task create 1000
	do_task confirm 1000 "$(facts)"
	same 77 "$(member .status)"
	contains "$(member .message)" "its host key is not the one that was pinned"
}

# The hosts file of the machine, with the names of two clusters' nodes.
names_of() { # CLUSTER
	printf '127.0.0.1 localhost\n# names of the cluster, kept by coopr\n'
	printf '192.0.2.10 %s-1000.example.net %s-1000\n192.0.2.11 %s-1001.example.net %s-1001\n' "$1" "$1" "$1" "$1"
	printf '# end of the names kept by coopr\n'
}

@test "delete takes the names of the cluster out of the machine's hosts file, and those of another cluster not; what was cached goes" {
	need_root
	sshd_start
	echo "127.0.0.1 port=$SSHD_PORT identityfile=sshd/user" >machines
	do_task create 1000
	known=$(facts)
	do_task confirm 1000 "$known"
	known=$(jq -c --argjson keys "$(member .result.ssh_host_keys)" '.facts.ssh_host_keys = $keys' <<<"$known")
	names_of other >sshd/hosts
	do_task delete 1000 "$known"
	same 0 "$(member .status)"
	names_of other | diff - sshd/hosts
	names_of shop42 >sshd/hosts
	mkdir sshd/cache
	do_task create 1000
	do_task delete 1000 "$known"
	same "127.0.0.1 localhost" "$(cat sshd/hosts)"
	[ ! -e sshd/cache ]
	echo "127.0.0.1 localhost" >sshd/hosts
	sshd_stop
	do_task create 1000
	do_task delete 1000 "$known"
	same 0 "$(member .status)"
	contains "$(member .stderr)" "may still be in the machine's /etc/hosts and /var/cache/coopr"
	same "" "$(list)"
}

@test "with hosts false the machine is told no names" {
	echo "192.0.2.11" >machines
	PROVIDER=$(jq -c '.provisioner.hosts = false' <<<"$PROVIDER")
	do_task create 1000
	same 0 "$(member .status)"
	same null "$(member .result.names)"
}

@test "a machine that cannot be reached is a temporary failure of confirm" {
	echo "127.0.0.1 port=1" >machines
	do_task create 1000
	do_task confirm 1000 "$(facts)"
	same 75 "$(member .status)"
	contains "$(member .message)" "node 00000042-1000 (127.0.0.1:1): cannot be reached"
}

@test "list shows the machines of the provider that is asked about" {
	printf '192.0.2.1\n192.0.2.2\n' >machines
	do_task create 1000
	PROVIDER=$(jq -c '.name = "other"' <<<"$PROVIDER")
	do_task create 1001
	same 00000042-1001 "$(list)"
	same "192.0.2.1:22 00000042-1000 rack,192.0.2.2:22 00000042-1001 other" \
		"$(coopr-store claims -o json | jq -r '"\(.machine) \(.node) \(.provider)"' | paste -sd,)"
	same 192.0.2.1:22 "$(coopr-store claims -o name rack)"
}

@test "a plugin without a claim asks for one, and is refused where all are in use; by hand it can be given one" {
	static=$COOPR_BIN/../libexec/coopr/provider/static
	printf '192.0.2.1\n192.0.2.2 flavor=small\n192.0.2.3\n' >machines
	do_task create 1000
	run -75 "$static" create <task.json
	same '["192.0.2.1:22","192.0.2.3:22"]' "$(jq -c .claim <<<"${lines[0]}")"
	run -0 "$static" create < <(jq '.claim = "192.0.2.3:22"' task.json)
	same 192.0.2.3:22 "$(jq -r .result.providerid <<<"$output")"
	run -75 "$static" create < <(jq '.claim = null' task.json)
	contains "$output" "no free machine in $PWD/machines: 2 of 2 in use"
	same null "$("$static" delete <task.json | jq -c '.claim | if . == null then . else error end')"
}

@test "what a plugin claims is no part of its result; one that asks again is told so" {
	mkdir -p plugins/provider
	printf '%s\n' '#!/bin/sh' "echo '{\"kind\":\"result\",\"status\":75,\"claim\":[\"m\"]}'" 'exit 75' >plugins/provider/greedy
	chmod +x plugins/provider/greedy
	PROVIDER=$(jq -c '.providertype = "greedy"' <<<"$PROVIDER")
	COOPR_PLUGINS=$PWD/plugins do_task create 1000
	same "70 greedy asks for a machine again, which it was given or refused" "$(member '"\(.status) \(.message)"')"
	same false "$(member 'has("claim")')"
	same m "$(coopr-store claims -o name)"
}

@test "who is stopped while machines are handed out to it is named, and how to let it go on" {
	echo 192.0.2.11 >machines
	do_task create 1000
	flock -F state/store.sqlite3.lock sh -c 'kill -STOP $$' 3>&- &
	holder=$!
	until grep -q '^State:.*T' "/proc/$holder/status"; do sleep 0.05; done
	jq '.action = "delete"' task.json | coopr-exec >result.json 2>said 3>&- &
	remover=$!
	until grep -q "store.sqlite3.lock is locked by process $holder (sh), which is stopped; kill -CONT $holder resumes it" said; do
		kill -0 "$remover"
		sleep 0.05
	done
	kill -CONT "$holder"
	wait "$holder"
	wait "$remover"
	same 0 "$(member .status)"
}
