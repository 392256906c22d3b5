#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-clouds(7), on a fake of OpenNebula's API, which reads and writes XML-RPC by Python's library. There is no client of others to compare it with.

load case
load provider
load cloud

CREATE='POST /RPC2 Action=one.(template.instantiate|vm.allocate)' LIST='POST /RPC2 Action=one.vmpool' DELETE='POST /RPC2 Action=one.vm.action' IMAGE=debian-12 UNREACHABLE=yes

setup() {
	need_program python3
	fresh
	fake_start opennebula
	provider '{}'
}

teardown() {
	cloud_end
}

provider() {
	PROVIDER=$(jq -cn --arg url "$FAKE/RPC2" --argjson more "$1" '{name: "one", providertype: "opennebula",
		provisioner: ({api_user: "oneadmin", api_password: "secret-password", endpoint: $url, requests_per_second: 1000, consistency_s: 1, poll_s: 0.1} + $more)}')
}

# What the only machine has at a path of its template.
sent() {
	curl -sS -f "$FAKE/_machines" | jq -r '.[0].xml' | python3 -c 'import sys, xml.etree.ElementTree as tree
print(*(one.text for one in tree.parse(sys.stdin).getroot().findall(sys.argv[1])))' "$1"
}

@test "keeps the contract of providers, but for confirm, which needs a machine that answers" {
	keeps_the_contract
	same 0 "$(machines)"
}

@test "a machine is made once and forgotten never, whatever goes wrong with a request" {
	fake_set '{"active_ms":50}'
	cloud_survives_faults
}

@test "a machine that appears late in the list is waited for, and not made twice, also where the cloud says that it failed within" {
	cloud_waits_for_the_late
	do_task delete 1000
	fake_set '{"crash":1}'
	do_task create 1000
	same 0 "$(member .status)"
	same 1 "$(machines)"
}

@test "a list that is answered with what is none of the cloud's is asked for again, as one whose answer was lost" {
	cloud_asks_again
}

@test "killed at any request, create run again makes no second machine, and delete leaves none" {
	cloud_survives_kills 5
}

@test "what the cloud refuses is told in its words and classes" {
	fake_set '{"limit":1}'
	do_task create 1000
	do_task create 1001
	fails_as '78 quota' "one.template.instantiate: [one.template.instantiate] User [2] : limit of 1 reached for VMS quota in VM."
	IMAGE=plan9 do_task create 1001
	fails_as '78 permanent' "OpenNebula has no image called plan9"
	do_task create 1001 '{"flavor":"99"}'
	fails_as '78 permanent' "Error getting template [99]."
	do_task delete 1000
	provider '{"api_password":"wrong"}'
	do_task create 1001
	fails_as '77 permanent' "User couldn't be authenticated"
	provider '{}'
	fake_set '{"limit":0,"failing":true}'
	do_task create 1001
	fails_as '75 temporary' "Error executing deploy: could not create domain; it was deleted"
	same 0 "$(machines)"
	same "" "$(list)"
}

@test "a machine that no host has room for is waited for as long as the fields say, and then deleted" {
	provider '{"pending_s":0}'
	fake_set '{"full":[["rack2","*"]]}'
	do_task create 1000 '{"zone":"rack2"}'
	fails_as '75 capacity' "No hosts with enough capacity available"
	same 0 "$(machines)"
	do_task create 1000 '{"zone":"default"}'
	same '0 default' "$(member .status) $(member .result.zone)"
}

@test "for how long a machine has waited for a host is told by the cloud's clock, also where the clock here is an hour fast" {
	provider '{"pending_s":1800}'
	fake_set '{"full":[["rack2","*"]],"skew_s":-3600}'
	do_task create 1000 '{"zone":"rack2"}' &
	until [ "$(requests "$LIST")" -ge 5 ] || ! kill -0 $!; do sleep 0.1; done
	same 1 "$(machines)"
	fake_set '{"full":[]}'
	wait $!
	same 0 "$(member .status)"
}

@test "templates, sizes, images, networks, disks and context are asked for, whatever is in a name" {
	PROVIDER=$(jq -c '.name = "<One> & \"two\" $USER[NAME]"' <<<"$PROVIDER")
	provider '{"networks":"private, 1","disk_size_gb":"20","disk_target":"vda","context_target":"hdb","os_arch":"x86_64","security_groups":["0","5"],
		"public_key":"ssh-ed25519 AAAA <ops> & co"}'
	do_task create 1000 '{"flavor":"0.5x768"}'
	same 0 "$(member .status)"
	same '0.5 768 7 20480 vda 2 1 x86_64 hdb' "$(for path in CPU MEMORY DISK/IMAGE_ID DISK/SIZE DISK/TARGET NIC/NETWORK_ID OS/ARCH CONTEXT/TARGET; do sent "$path"; done | paste -sd ' ')"
	same '0,5 0,5' "$(sent NIC/SECURITY_GROUPS)"
	same 'ssh-ed25519 AAAA <ops> & co' "$(sent CONTEXT/SSH_PUBLIC_KEY)"
	same '00000042-1000 00000042-1000' "$(sent COOPR_NODE) $(sent CONTEXT/COOPR_NODE)"
	sent CONTEXT/START_SCRIPT_BASE64 | base64 -d >script
	first_start onegate script
	same "vm update --data COOPR_HOST_KEYS=$(base64 <etc/ssh_host_ed25519_key.pub)" "$(paste -sd ' ' put)"
}

@test "a name that XML does not have as it is comes back as it is" {
	PROVIDER=$(jq -c '.name = "<One> & \"two\""' <<<"$PROVIDER")
	do_task create 1000
	same 0 "$(member .status)"
	same 00000042-1000 "$(list)"
	do_task delete 1000
	same 0 "$(machines)"
}

@test "an old cloud is asked as it understands, and answers that are no XML-RPC are none" {
	fake_set '{"old":true}'
	do_task create 1000
	same 0 "$(member .status)"
	same 00000042-1000 "$(list)"
	fake_fault "{\"match\":\"$LIST\",\"count\":12,\"do\":\"status\",\"status\":200,\"body\":\"<methodResponse><params/></methodResponse>\"}"
	do_task create 1001
	fails_as '75 temporary' "the answer is none of XML-RPC"
	same 1 "$(machines)"
}

@test "host keys are those that the machine has reported by OneGate" {
	do_task create 1000
	fake_set "{\"host_keys\":\"$(echo 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFVv9Gh6JyEuzPYqmLd0cXDPZFgUGrEuV9Jcsz0qBxJ1 root@x' | base64 -w 0)\"}"
	confirm_in_vain
	same 1 "$(requests 'POST /RPC2 Action=one.vm.info')"
}

@test "test tries credentials, quota, clusters, templates, images and networks, and flavors lists templates" {
	provider '{"networks":["public"]}'
	fake_set '{"limit":5}'
	ask test '{"zones":["rack2"],"flavors":["large","2x4096"],"images":["debian-12"]}' >checks
	same 'ok credentials oneadmin
ok quota 0 of 5 machines
ok zone rack2: cluster 100
ok flavor large: template 3
ok flavor 2x4096: available
ok image debian-12: image 7
ok network network 1' "$(jq -r '"\(.status) \(.name) \(.text)"' checks)"
	same 0 "$(requests "$CREATE")"
	run -78 --separate-stderr ask test '{"flavors":["huge"],"zones":["z1"]}'
	same 2 "$(grep -c '"fault"' <<<"$output")"
	same '{"capacity":{"cpu":0.5,"memory":512},"flavor":"small","kind":"flavor"}' "$(ask flavors '{}' | grep small)"
}

@test "the password is in no log, no message and no file" {
	cloud_tells_no secret-password
}

@test "list pages through thousands, and shows only what this installation owns" {
	cloud_lists_many 1450 '.xml | capture("<COOPR_INSTALLATION>(?<id>[^<]*)<").id'
}

@test "where there is no room, which the scheduler tells, the node's choices are tried in their order by one task" {
	provider '{"pending_s":0}'
	cloud_finds_room default rack2 10
}

@test "of machines that were made twice, because an answer was lost, the oldest stays, and the others go before it is handed out" {
	cloud_drops_twins
}

@test "a hundred creations share one process, the lists, and the limit of the cloud" {
	cloud_makes_many 'POST /RPC2 Action=one.(template|image|vn|cluster)pool'
}
