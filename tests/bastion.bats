#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Machines that are reached through a bastion: coopr-clouds(7), coopr-static(7), coopr-security(7). There are three networks: of coopr, whose
# host reaches the bastion alone; of the bastion, which has two addresses; and of the machine, which only the bastion reaches.

load case
load provider
load cloud

INNER=10.198.7.2 BASTION=198.51.100.1

setup() {
	fresh
	need_root
	need_program ip ssh ssh-keygen sshd jq unshare nsenter curl
	mkdir -p /run/sshd keys
	for name in bastion-host bastion-user machine-host machine-user other; do
		ssh-keygen -q -t ed25519 -N '' -C "$name" -f "keys/$name"
	done
	network home
	network bastion
	network machine
	ip_of home link add out type veth peer name in netns "$bastion"
	ip_of bastion link add out type veth peer name in netns "$machine"
	for at in "home out 198.51.100.2" "bastion in $BASTION" "bastion out 10.198.7.1" "machine in $INNER"; do
		# shellcheck disable=SC2086 # words
		up $at
	done
	daemon bastion keys/bastion-host keys/bastion-user.pub
	daemon machine keys/machine-host keys/machine-user.pub
	cp -R "$COOPR_ROOT/share/coopr/catalogue" mine
	printf '#!/bin/sh\nip -o -4 addr show | grep -o "10\\.198\\.[0-9.]*" >&2\necho "$SSH_CONNECTION" >&2\n' | hello_template inner
	jq '.defaults.provider = "inner"' mine/clustertemplates/inner.json >inner.json
	mv inner.json mine/clustertemplates/inner.json
	jq '.providermap.inner = {"flavor": "f"}' mine/hardwaretypes/small.json >small.json
	mv small.json mine/hardwaretypes/small.json
	jq '.providermap.inner = {"image": "i", "sshuser": "root"}' mine/imagetypes/debian12.json >debian12.json
	mv debian12.json mine/imagetypes/debian12.json
	provider bastion-host >mine/providers/inner.json
	export COOPR_CATALOGUE=$PWD/mine
	at_home coopr-store init -q
	at_home coopr-secret set jump <keys/bastion-user
	at_home coopr-secret set machine <keys/machine-user
}

teardown() {
	exec 9>&-
	for pid in ${pids-}; do
		kill -KILL "$pid" 2>/dev/null || true
	done
	wait
}

# A network of its own, whose process id is in the variable of that name: network NAME.
network() {
	unshare -n sleep 600 3>&- 9>&- &
	pids="${pids-} $!"
	declare -g "$1=$!"
	until [ "$(readlink "/proc/$!/ns/net")" != "$(readlink /proc/$$/ns/net)" ]; do sleep 0.02; done
}

# Runs a command in one: at NAME COMMAND...
at() {
	nsenter -t "${!1}" -n "${@:2}"
}

at_home() {
	at home "$COOPR_BIN/$1" "${@:2}"
}

ip_of() {
	at "$1" ip "${@:2}"
}

up() {
	ip_of "$1" link set lo up
	ip_of "$1" addr add "$3/24" dev "$2"
	ip_of "$1" link set "$2" up
}

# An sshd there: daemon NAME HOST_KEY AUTHORIZED_KEYS.
daemon() {
	printf '%s\n' "HostKey $PWD/$2" "AuthorizedKeysFile $PWD/$3" 'StrictModes no' 'UsePAM no' 'PasswordAuthentication no' 'PidFile none' \
		'KbdInteractiveAuthentication no' 'LogLevel VERBOSE' >"$1.conf"
	nsenter -t "${!1}" -n "$(command -v sshd)" -D -E "$PWD/$1.log" -f "$1.conf" 3>&- 9>&- &
	pids="$pids $!"
	until grep -q 'listening on 0.0.0.0' "$1.log" 2>/dev/null; do sleep 0.02; done
}

# The provider, whose bastion is to show that host key.
provider() {
	jq -n --arg address "$INNER" --arg host "$BASTION" --arg key "$(cut -d ' ' -f 1,2 "keys/$1.pub")" '{name: "inner", providertype: "static",
		provisioner: {machines: [{$address}], user: "root", hosts: false, "ssh-auth": {key: {secret: "machine"},
			bastion: {$host, hostkey: $key, user: "root", key: {secret: "jump"}}}}}'
}

# How often the bastion was logged in to.
logins() {
	grep -c 'Accepted publickey' bastion.log || true
}

@test "a cluster is made, entered, asked and left through the bastion, from where alone its machine is reached" {
	run ! at home timeout 2 bash -c "exec 4<>/dev/tcp/$INNER/22"
	at_home coopr-create web -t inner -n 1 >out 2>&1 || { cat out && false; }
	contains "$(at_home coopr-log web)" "$INNER"
	contains "$(at_home coopr-log web)" "10.198.7.1 "
	same "$(cut -d ' ' -f 1,2 keys/machine-host.pub)" "$(at_home coopr-show web -o json | jq -r 'select(.kind == "node").facts.ssh_host_keys.ed25519')"
	same "machine $INNER" "$(at_home coopr-ssh web -- 'echo machine $(echo $SSH_CONNECTION | cut -d " " -f 3)')"
	contains "$(at_home coopr-exec web -- 'echo $SSH_CONNECTION')" "10.198.7.1"
	at_home coopr-ssh-config web >config
	same "$INNER" "$(at home ssh -F config -o BatchMode=yes web-1000 'echo $SSH_CONNECTION' | cut -d ' ' -f 3)"
	at_home coopr-inventory web >inventory
	same "$INNER" "$(jq -r '._meta.hostvars[].ansible_ssh_common_args' inventory >arguments && at home sh -c \
		"eval ssh -F none \$(cat arguments) -i \$(jq -r '._meta.hostvars[].ansible_ssh_private_key_file' inventory) root@$INNER 'echo \\\$SSH_CONNECTION'" | cut -d ' ' -f 3)"
	contains "$(at_home coopr-status web)" healthy
	# An ssh that is elsewhere gets the same way.
	at_home coopr-ssh web --dry-run >words
	same "$INNER" "$(at home ssh -F none -i keys/machine-user -o StrictHostKeyChecking=yes -o UserKnownHostsFile="$(sed -n 's/^UserKnownHostsFile="\(.*\)"/\1/p' words)" \
		-o BatchMode=yes -o ProxyCommand="$COOPR_BIN/coopr-ssh --raw web" "root@$INNER" 'echo $SSH_CONNECTION' | cut -d ' ' -f 3)"
	at_home coopr-delete -y web >/dev/null 2>&1
	[ "$(logins)" -gt 3 ]
	# No other key than its own is ever shown to the bastion, and the machine sees nobody but the bastion.
	same "$(ssh-keygen -lf keys/bastion-user.pub | cut -d ' ' -f 2)" "$(grep -o 'SHA256:[A-Za-z0-9+/]*' bastion.log | sort -u)"
	same 10.198.7.1 "$(sed -n 's/^Connection from \([0-9.]*\) .*/\1/p' machine.log | sort -u)"
	run ! grep -r "PRIVATE KEY" "$COOPR_STATE" "$COOPR_SPOOL" out
}

# What coopr-create says: fails_with WORDS
fails_with() {
	run at_home coopr-create web -t inner -n 1
	[ "$status" != 0 ]
	contains "$output" "$1"
	at_home coopr-delete -y web >/dev/null 2>&1
}

@test "a bastion that shows another host key, refuses the key, or is down is told as such, and the machine is not entered" {
	provider other >mine/providers/inner.json
	fails_with "the host key of its bastion $BASTION is not the one that the provider has"
	same 0 "$(logins)"
	provider bastion-host >mine/providers/inner.json
	at_home coopr-secret set jump <keys/other
	fails_with "its bastion $BASTION has refused the login as root"
	at_home coopr-secret set jump <keys/bastion-user
	# The machine is down: that is what the bastion says.
	jq -c '{kind: "task", id: "t1", job: "00000042-001", token: "x", attempt: 1, action: "configure", service: "hello", type: "shell", timeout_s: 60,
		fields: {script: "hello.sh"}, cluster: {id: "00000042", name: "shop", catalogue: env.COOPR_CATALOGUE, config: {}},
		machine: {id: "00000042-1000", nodenum: 1000, hostname: "a.example.net", ipaddresses: {access_v4: "10.198.7.9"}, facts: {
			ssh_host_keys: {ed25519: "ssh-ed25519 AAAA"},
			"ssh-auth": {user: "root", bastion: (.provisioner."ssh-auth".bastion | .identityfile = "\(env.PWD)/keys/bastion-user" | del(.key))}}}}' \
		mine/providers/inner.json >task.json
	ip_of bastion route add unreachable 10.198.7.9
	at_home coopr-exec -q <task.json >result.json || true
	same 75 "$(member .status)"
	contains "$(member .message)" "cannot be reached from its bastion $BASTION"
	# Without its key, no other one is tried.
	jq -c 'del(.machine.facts["ssh-auth"].bastion.identityfile)' task.json | at_home coopr-exec -q >result.json || true
	contains "$(member .message)" "the key of its bastion $BASTION is not there"
	jq -c '.machine.facts["ssh-auth"].bastion.host = "198.51.100.9"' task.json >down.json
	ip_of home route add unreachable 198.51.100.9
	at_home coopr-exec -q <down.json >result.json || true
	same 75 "$(member .status)"
	contains "$(member .message)" "its bastion 198.51.100.9 cannot be reached: No route to host"
	run ! grep -q Accepted machine.log
}

@test "a tenant's bastion is an address of the public network, and what is behind it is entered from there alone" {
	PROVIDER=$(jq -c '{name: "ocean", providertype: "digitalocean", of: "tenant",
		provisioner: ({api_token: "x", "ssh-auth": {bastion: .provisioner."ssh-auth".bastion}})}' mine/providers/inner.json)
	for host in 10.198.7.1 127.0.0.1 169.254.169.254 localhost bastion.example.net ::1; do
		PROVIDER=$(jq -c --arg host "$host" '.provisioner."ssh-auth".bastion.host = $host' <<<"$PROVIDER")
		run ask list
		same 78 "$status"
		contains "$output" "/ssh-auth/bastion/host: expected an address of the public network, in numbers"
	done
	for wrong in '{"key": {"generated_secret": "a"}}' '{"key": "PRIVATE"}' '{"host": "-oProxyCommand=x"}' '{"user": "-x"}' '{"port": 0}' '{"hostkey": null}'; do
		run ask list "$(jq -c --argjson wrong "$wrong" '.provisioner."ssh-auth".bastion += ({host: "192.0.2.1"} + $wrong) | {provisioner}' <<<"$PROVIDER")"
		same 78 "$status"
		contains "$output" "/ssh-auth/bastion/"
	done
	# Whoever has handed it out, none but such a one is entered.
	jq -cn '{kind: "task", id: "t1", job: "00000042-001", token: "x", attempt: 1, action: "configure", service: "hello", type: "shell", timeout_s: 60,
		fields: {script: "hello.sh"}, cluster: {id: "00000042", name: "shop", provider: {name: "own", of: "tenant", providertype: "rack"}, config: {}},
		machine: {id: "00000042-1000", nodenum: 1000, hostname: "a.example.net", ipaddresses: {access_v4: "10.198.7.2"}, facts: {
			ssh_host_keys: {ed25519: "ssh-ed25519 AAAA"},
			"ssh-auth": {user: "root", bastion: {host: "10.198.7.1", hostkey: "ssh-ed25519 AAAA", key: {secret: "jump"}}}}}}' >task.json
	at_home coopr-exec -q <task.json >result.json || true
	same 77 "$(member .status)"
	contains "$(member .message)" "its bastion 10.198.7.1 is none of the public network"
	same 0 "$(logins)"
}

# The fake is where the bastion is, and is asked from home. cloud_home COMMAND...
at_cloud() {
	nsenter -t "$home" -n bash -c '. "$COOPR_ROOT/tests/provider.bash"; . "$COOPR_ROOT/tests/cloud.bash"; "$@"' bash "$@"
}

@test "a machine of a tenant's cloud that has no public address is made, and confirmed through its bastion" {
	need_program python3
	export FAKE_BY="nsenter -t $bastion -n" FAKE_ADDRESS=$BASTION IMAGE=debian-12
	fake_start opennebula
	export FAKE PROVIDER
	at_cloud fake_set "$(jq -n --arg address "$INNER" --arg keys "$(base64 -w 0 keys/machine-host.pub)" '{$address, active_ms: 0, host_keys: $keys}')"
	PROVIDER=$(jq -c --arg url "$FAKE/RPC2" '{name: "one", of: "tenant", providertype: "opennebula", provisioner: {api_user: "oneadmin",
		api_password: "secret-password", endpoint: $url, consistency_s: 0.1, requests_per_second: 1000, poll_s: 0.1, public_key: "ssh-ed25519 AAAA",
		"ssh-auth": (.provisioner."ssh-auth" | del(.key))}}' mine/providers/inner.json)
	at_cloud do_task create 1000
	same 0 "$(member .status)"
	facts >known
	at_cloud do_task confirm 1000 "$(cat known)"
	same "0 $INNER" "$(member '"\(.status) \(.ipaddresses.access_v4)"')"
	same "$(cut -d ' ' -f 1,2 keys/machine-host.pub)" "$(member .result.ssh_host_keys.ed25519)"
	same 10.198.7.1 "$(sed -n 's/^Connection from \([0-9.]*\) .*/\1/p' machine.log | sort -u)"
	# The same in a process that does many tasks; the machine of the test does not admit the key of the cluster, so that it is entered in vain.
	jq --argjson provisioner "$(jq .provisioner <<<"$PROVIDER")" '.providertype = "opennebula" | .provisioner = $provisioner' mine/providers/inner.json >one.json
	jq '.providermap.inner.flavor = "1x512"' mine/hardwaretypes/small.json >small.json
	jq --arg image "$IMAGE" '.providermap.inner.image = $image' mine/imagetypes/debian12.json >image.json
	mv one.json mine/providers/inner.json
	mv small.json mine/hardwaretypes/small.json
	mv image.json mine/imagetypes/debian12.json
	run at_home coopr-create web -t inner -n 1
	contains "$output" "bootstrap on 00000001-1000"
	contains "$output" "($INNER:22): login as root was refused"
	at_home coopr-delete -y web >/dev/null 2>&1
	# What its cloud calls an address is no word of a shell, and no option.
	for address in "x'; touch $PWD/hurt; '" '-oProxyCommand=touch hurt'; do
		at_cloud fake_set "$(jq -n --arg address "$address" '{$address}')"
		jq -c '.action = "confirm" | .timeout_s = 1' task.json | at_cloud coopr-exec -q >result.json || true
		[ "$(member .status)" != 0 ]
		[ ! -e hurt ]
	done
	at_cloud fake_set "$(jq -n --arg address "$INNER" '{$address}')"
	# A bastion that shows another key is no matter of time.
	at_cloud do_task confirm 1000 "$(jq -c --arg key "$(cut -d ' ' -f 1,2 keys/other.pub)" '.facts."ssh-auth".bastion.hostkey = $key' known)"
	same 77 "$(member .status)"
	contains "$(member .message)" "the host key of its bastion $BASTION is not the one"
	# It shows another key than it has reported.
	at_cloud fake_set "$(jq -n --arg keys "$(base64 -w 0 keys/other.pub)" '{host_keys: $keys}')"
	at_cloud do_task confirm 1000 "$(cat known)"
	same 77 "$(member .status)"
	# Without the bastion such a machine is refused, also where the provider has got one since.
	at_cloud do_task confirm 1000 "$(jq -c 'del(.facts."ssh-auth".bastion)' known)"
	same 77 "$(member .status)"
	contains "$(member .message)" "its address $INNER is none of the public network"
	PROVIDER=$(jq -c 'del(.provisioner."ssh-auth")' <<<"$PROVIDER")
	at_cloud do_task confirm 1000 "$(jq -c 'del(.facts."ssh-auth".bastion)' known)"
	same 77 "$(member .status)"
	contains "$(member .message)" "its address $INNER is none of the public network"
}
