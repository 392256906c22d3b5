#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-clouds(7), on a fake of Triton's CloudAPI that its own client accepts, and which verifies signatures.

load case
load provider
load cloud

CREATE='POST /jill/machines' LIST='GET /jill/machines' DELETE='DELETE /jill/machines' IMAGE=debian-12 UNREACHABLE=yes

setup_file() {
	openssl genrsa -traditional -out "$BATS_FILE_TMPDIR/rsa" 2048 2>/dev/null
	openssl ecparam -genkey -name prime256v1 -noout -out "$BATS_FILE_TMPDIR/ecdsa" 2>/dev/null
	chmod 600 "$BATS_FILE_TMPDIR"/{rsa,ecdsa}
	# ssh says what the fingerprints are.
	for type in rsa ecdsa; do
		jq -n --rawfile pem <(openssl pkey -in "$BATS_FILE_TMPDIR/$type" -pubout) --arg name "$type" \
			--arg print "$(ssh-keygen -l -E md5 -f <(ssh-keygen -y -f "$BATS_FILE_TMPDIR/$type") | cut -d ' ' -f 2 | sed 's/^MD5://')" '{($print): $pem, ($name): $pem}'
	done | jq -cs '{keys: add}' >"$BATS_FILE_TMPDIR/keys"
}

setup() {
	need_program python3
	need_program openssl
	fresh
	fake_start joyent
	fake_set "$(cat "$BATS_FILE_TMPDIR/keys")"
	provider '{}'
}

teardown() {
	cloud_end
}

provider() {
	PROVIDER=$(jq -cn --arg url "$FAKE/" --rawfile key "$BATS_FILE_TMPDIR/rsa" --argjson more "$1" '{name: "triton", providertype: "joyent",
		provisioner: ({api_user: "jill", api_key: $key, joyent_api_url: $url, requests_per_second: 1000, consistency_s: 1, poll_s: 0.1} + $more)}')
}

# What the request had that made the only machine.
sent() {
	curl -sS -f "$FAKE/_machines" | jq -rc ".[0].body$1"
}

@test "keeps the contract of providers, but for confirm, which needs a machine that answers" {
	keeps_the_contract
	same 0 "$(machines)"
}

@test "a machine is made once and forgotten never, whatever goes wrong with a request" {
	fake_set '{"active_ms":50}'
	cloud_survives_faults
}

@test "a list that is answered with what is none of the cloud's is asked for again, as one whose answer was lost" {
	cloud_asks_again
}

@test "a machine that appears late in the list is waited for, and not made twice" {
	cloud_waits_for_the_late
	do_task delete 1000
	# Asked for again too early, the cloud refuses the name a second time.
	provider '{"consistency_s":0}'
	fake_set '{"visible_ms":1000}'
	create_through "{\"match\":\"$CREATE\",\"do\":\"lost\"}" 1001
	same 1 "$(machines)"
}

@test "killed at any request, create run again makes no second machine, and delete leaves none" {
	cloud_survives_kills 5
}

@test "what the cloud refuses is told in its words and classes" {
	fake_set '{"limit":1}'
	do_task create 1000
	do_task create 1001
	fails_as '78 quota' "QuotaExceeded: POST /jill/machines: 403 To enable provisioning"
	fake_set '{"limit":0,"capacity":1}'
	do_task create 1001
	fails_as '75 capacity' "InsufficientServers"
	IMAGE=plan9 do_task create 1001
	fails_as '78 permanent' "Triton has no image called plan9"
	do_task create 1001 '{"zone":"us-west-1"}'
	fails_as 78 "a provider of Triton is one data center"
	do_task delete 1000
	fake_set '{"capacity":0,"failing":true}'
	do_task create 1001
	fails_as '75 temporary' "Triton could not provision it; it was deleted"
	same 0 "$(machines)"
}

@test "a machine that is half made is deleted once it can be" {
	fake_set '{"active_ms":1500}'
	do_task create 1000 &
	until [ "$(machines)" = 1 ]; do sleep 0.05; done
	end_job $!
	do_task delete 1000
	same 0 "$(member .status)"
	same 0 "$(machines)"
	[ "$(requests "$DELETE")" -gt 1 ]
}

@test "keys are RSA or ECDSA, known by fingerprint or name; what is none is told, and how to convert one of OpenSSH" {
	provider "$(jq -n --rawfile key "$BATS_FILE_TMPDIR/ecdsa" '{api_key: $key}')"
	do_task create 1000
	same 0 "$(member .status)"
	provider "$(jq -n --rawfile key "$BATS_FILE_TMPDIR/ecdsa" '{api_key: $key, ssh_keypair: "ecdsa"}')"
	do_task create 1001
	same 0 "$(member .status)"
	provider '{"ssh_keypair":"ecdsa"}'
	do_task create 1002
	fails_as '77 permanent' "InvalidCredentials"
	ssh-keygen -q -t rsa -b 2048 -N '' -f new
	provider "$(jq -n --rawfile key new '{api_key: $key}')"
	do_task create 1002
	fails_as 78 "ssh-keygen -p -m PEM"
	ssh-keygen -q -p -m PEM -N '' -f new
	provider "$(jq -n --rawfile key new '{api_key: $key}')"
	do_task create 1002
	same 77 "$(member .status)"
	provider '{"api_key":null,"api_password":"old"}'
	do_task create 1002
	fails_as 78 "CloudAPI takes no passwords"
	same 2 "$(machines)"
}

@test "Coopr's own document works, with its image and flavor; a resource's name is told how to become a secret" {
	need_shared data/coopr-templates
	PROVIDER=$(jq -c --arg url "$FAKE" --rawfile key "$BATS_FILE_TMPDIR/rsa" '.provisioner += {api_user: "jill", ssh_keypair: "rsa", ssh_key_resource: $key,
		joyent_api_url: $url, poll_s: 0.1}' "$SHARED/data/coopr-templates/providers/joyent.json")
	IMAGE=ubuntu-14.04 do_task create 1000
	same 0 "$(member .status)"
	same 00000042-1000 "$(list)"
	do_task delete 1000
	same 0 "$(machines)"
	PROVIDER=$(jq -c '.provisioner.ssh_key_resource = "triton-key"' <<<"$PROVIDER")
	do_task create 1000
	fails_as 78 "coopr secret set triton-key"
}

@test "packages, images and networks are named, the newest image of a name is taken, and the script admits the key" {
	provider '{"networks":"My-Fabric-Network, Joyent-SDC-Public","public_key":"ssh-ed25519 AAAA it'"'"'s"}'
	IMAGE=debian-12@20250101 do_task create 1000
	same 0 "$(member .status)"
	same 2 "$(sent '.networks | length')"
	sent '["metadata.user-script"]' >script
	first_start mdata-put script
	first_start mdata-put script
	same "ssh-ed25519 AAAA it's" "$(cat root/.ssh/authorized_keys)"
	same "coopr-host-keys ssh-ed25519 AAAB root@host" "$(paste -sd ' ' put)"
	first=$(sent .image)
	do_task delete 1000
	do_task create 1000
	[ "$(sent .image)" != "$first" ]
	matches='^10\.'
	[[ $(member .ipaddresses.bind_v4) =~ $matches ]]
	[[ ! $(member .ipaddresses.access_v4) =~ $matches ]]
}

@test "host keys are those that the machine has put into its metadata" {
	do_task create 1000
	fake_set '{"host_keys":["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFVv9Gh6JyEuzPYqmLd0cXDPZFgUGrEuV9Jcsz0qBxJ1"]}'
	confirm_in_vain
	same 1 "$(requests 'GET /jill/machines/.*/metadata')"
}

@test "a clock that is wrong is corrected by the cloud's" {
	fake_set '{"skew_s":7200}'
	do_task create 1000
	same 0 "$(member .status)"
	same 1 "$(machines)"
}

@test "test tries credentials, flavors, images and networks, and flavors lists packages" {
	provider '{"networks":["My-Fabric-Network"]}'
	ask test '{"flavors":["large"],"images":["debian-12"]}' >checks
	same 'ok credentials jill@example.com
ok flavor large: UUID
ok image debian-12: UUID
ok network My-Fabric-Network' "$(jq -r '"\(.status) \(.name) \(.text)"' checks | sed 's/[0-9a-f-]\{36\}/UUID/')"
	same 0 "$(requests "$CREATE")"
	run -78 --separate-stderr ask test '{"flavors":["huge"],"zones":["z1"]}'
	same 2 "$(grep -c '"fault"' <<<"$output")"
	same '{"capacity":{"cpu":1,"disk":25,"memory":1024},"flavor":"g4-highcpu-1G","kind":"flavor"}' "$(ask flavors '{}' | grep 1G)"
}

@test "the key is in no log, no message and no file" {
	cloud_tells_no "$(sed -n 5p "$BATS_FILE_TMPDIR/rsa")"
	run -1 grep -F "$(sed -n 5p "$BATS_FILE_TMPDIR/rsa")" fake.log
}

@test "list pages through thousands, and shows only what this installation owns" {
	cloud_lists_many 2450 '.body["tag.coopr-installation"]'
}

@test "a hundred creations share one process, the lists, and the limit of the cloud" {
	cloud_makes_many 'GET /jill/(images|packages|networks)'
}
