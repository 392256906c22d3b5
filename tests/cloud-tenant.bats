#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# A provider that a tenant has written reaches addresses of the public network alone, coopr-clouds(7): of the cloud, and of the machines that the
# cloud says it has made. Its fake is beyond a cable, at an address of the public network.

load case
load provider

setup() {
	need_root
	need_program unshare nsenter ip python3 curl
	fresh
}

# Does the words where the fake answers at 198.51.100.1, and this machine is 198.51.100.2.
beside_a_cloud() { # CLOUD
	cat >words.sh
	cat >beside.sh <<-'END'
		set -eu
		mkfifo beyond.alive
		unshare -n sh -c 'echo $$ >beyond.pid; read -r _ <beyond.alive' 3>&- &
		exec 8<>beyond.alive
		trap 'exec 8>&- 9>&-; wait' EXIT
		until [ -s beyond.pid ]; do sleep 0.02; done
		ip link set lo up
		ip link add cable type veth peer name cable netns "$(cat beyond.pid)"
		ip addr add 198.51.100.2/24 dev cable
		ip link set cable up
		export FAKE_BY="nsenter -t $(cat beyond.pid) -n" FAKE_ADDRESS=198.51.100.1
		$FAKE_BY ip addr add $FAKE_ADDRESS/24 dev cable
		$FAKE_BY ip link set cable up
		. "$COOPR_ROOT/tests/provider.bash"
		. "$COOPR_ROOT/tests/cloud.bash"
		fake_start "$1"
		. ./words.sh
	END
	export -f same contains member
	unshare -n bash beside.sh "$1"
}

@test "a machine that a tenant's cloud says to be in no public network is not entered; the installation's may be" {
	IMAGE=debian-12 beside_a_cloud opennebula <<-'END'
		one() {
			PROVIDER=$(jq -cn --arg of "$1" --arg url "$FAKE/RPC2" '{name: "one", of: $of, providertype: "opennebula", provisioner: {api_user: "oneadmin",
				api_password: "secret-password", endpoint: $url, consistency_s: 0.1, requests_per_second: 1000, poll_s: 0.1}}')
		}
		inside() { # ADDRESS...
			for address; do
				fake_set "$(jq -n --arg address "$address" '{address: $address, active_ms: 0}')"
				one tenant
				do_task create 1000 || exit 1
				same 77 "$(member .status)"
				contains "$(member .message)" "its address $address is none of the public network"
				same null "$(member .ipaddresses)"
				do_task confirm 1000 || exit 1
				same 77 "$(member .status)"
				contains "$(member .message)" "its address $address is none of the public network"
				do_task delete 1000
				same 0 "$(member .status)"
				same 0 "$(machines)"
				one installation
				do_task create 1000
				same "0 $address" "$(member '"\(.status) \(.ipaddresses.access_v4)"')"
				do_task delete 1000
			done
		}
		inside 127.0.0.1 10.0.0.7 169.254.169.254 198.51.100.2 metadata.example.net
		fake_set '{"address": "198.51.100.77"}'
		one tenant
		do_task create 1000
		same "0 198.51.100.77" "$(member '"\(.status) \(.ipaddresses.access_v4)"')"
	END
}

@test "nor is a cloud that is in none asked, under whatever name, and by no proxy" {
	IMAGE=debian-12 beside_a_cloud opennebula <<-'END'
		PORT=${FAKE##*:}
		asked() { # URL
			PROVIDER=$(jq -cn --arg url "$1/RPC2" '{name: "one", of: "tenant", providertype: "opennebula", provisioner: {api_user: "oneadmin",
				api_password: "secret-password", endpoint: $url, consistency_s: 0.1, requests_per_second: 1000, poll_s: 0.1}}')
			do_task create 1000
		}
		asked "$FAKE"
		contains "$(member .message)" "none of the public network" # that of the machine
		requests . >before
		for host in 127.0.0.1 localhost 2130706433 0x7f000001 0177.1 127.1 0 '[::1]' '[::ffff:127.0.0.1]' '[::127.0.0.1]' 198.51.100.2 169.254.169.254 192.0.0.192 \
			'[64:ff9b::7f00:1]' '[2002:7f00:1::]' '[fe80::1]' '[fd00:ec2::254]' a@127.0.0.1 198.51.100.1@127.0.0.1; do
			asked "http://$host:$PORT"
			contains "$(member .message)" "none of the public network; a superadmin may write a provider with such an address"
		done
		for scheme in file gopher ftp dict telnet ldap scp; do
			asked "$scheme://198.51.100.1:$PORT"
			contains "$(member .message)" "$scheme://198.51.100.1"
		done
		# What a proxy reaches is not known here.
		export http_proxy=$FAKE https_proxy=$FAKE all_proxy=$FAKE
		asked http://127.0.0.1:1
		contains "$(member .message)" "none of the public network"
		unset http_proxy https_proxy all_proxy
		requests . | diff before -
	END
}
