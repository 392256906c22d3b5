#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-clouds(7), on a fake of Google's Compute API that its own client accepts, and which verifies the signatures of service accounts.

load case
load provider
load cloud

CREATE='POST /compute/v1/projects/[^/]*/zones/[^/]*/instances' LIST='GET /compute/v1/projects/[^/]*/aggregated/instances'
DELETE='DELETE /compute/v1/projects/[^/]*/zones/[^/]*/instances' IMAGE=debian-12 UNREACHABLE=yes

setup_file() {
	openssl genrsa -out "$BATS_FILE_TMPDIR/key.pem" 2048 2>/dev/null
}

setup() {
	need_program python3
	need_program openssl
	fresh
	fake_start google
	fake_set "{\"modulus\":\"$(openssl rsa -in "$BATS_FILE_TMPDIR/key.pem" -noout -modulus | sed 's/.*=//')\"}"
	provider '{}'
}

teardown() {
	cloud_end
}

# The file that Google gives for a service account.
key() {
	jq -n --rawfile key "$BATS_FILE_TMPDIR/key.pem" --arg fake "$FAKE" '{type: "service_account", project_id: "my-project-42", private_key_id: "d34db33f",
		private_key: $key, client_email: "robot@my-project-42.iam.gserviceaccount.com", client_id: "1", token_uri: "\($fake)/token"}'
}

provider() {
	PROVIDER=$(jq -cn --arg endpoint "$FAKE" --arg key "$(key)" --argjson more "$1" '{name: "gce", providertype: "google",
		provisioner: ({api_key: $key, endpoint: $endpoint, public_key: "ssh-ed25519 AAAA ops", requests_per_second: 1000, consistency_s: 1, poll_s: 0.1} + $more)}')
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

@test "a machine that appears late in the list is waited for, and a lost answer is asked for again by its request id" {
	provider '{"consistency_s":20}'
	fake_set '{"visible_ms":1500}'
	fake_fault "{\"match\":\"$CREATE\",\"do\":\"lost\"}"
	do_task create 1000
	same 0 "$(member .status)"
	same 1 "$(machines)"
	same 2 "$(requests "$CREATE")"
	# A cloud that has forgotten the request has the name.
	fake_set '{"forget":true}'
	fake_fault "{\"match\":\"$LIST\",\"do\":\"status\",\"status\":200,\"body\":\"{\\\"kind\\\":\\\"k\\\",\\\"items\\\":{}}\"}"
	do_task create 1000
	same 0 "$(member .status)"
	same 1 "$(machines)"
	same 3 "$(requests "$CREATE")"
}

@test "killed at any request, create run again makes no second machine, and delete leaves none" {
	cloud_survives_kills 5
}

@test "no room, quotas and wrong words are told as the cloud tells them, at once or by an operation, and leave nothing behind" {
	fake_set '{"full":[["us-central1-a","*"]],"active_ms":300}'
	do_task create 1000
	fails_as '75 capacity' "ZONE_RESOURCE_POOL_EXHAUSTED: The zone 'projects/my-project-42/zones/us-central1-a' does not have enough"
	same "" "$(list)"
	same "" "$(find state -path '*00000042-1000*')"
	# What a process began that was killed, the next one learns by the same request.
	fake_set '{"active_ms":1500}'
	do_task create 1000 &
	until [ "$(machines)" = 1 ]; do sleep 0.05; done
	end_job $!
	until [ "$(machines)" = 0 ]; do sleep 0.05; done
	do_task create 1000
	same '75 capacity' "$(member .status) $(member .class)"
	same "" "$(find state -path '*00000042-1000*')"
	fake_set '{"full":[],"active_ms":100}'
	do_task create 1000
	same 0 "$(member .status)"
	fake_set '{"limit":1}'
	do_task create 1001
	fails_as '78 quota' "Quota 'INSTANCES' exceeded.  Limit: 1.0"
	fake_set '{"limit":0,"late_quota":true}'
	do_task create 1001
	fails_as '78 quota' "QUOTA_EXCEEDED: Quota 'SSD_TOTAL_GB'"
	provider '{"zone_name":"moon1-a"}'
	do_task create 1001
	same '78 permanent' "$(member .status) $(member .class)"
	provider '{}'
	IMAGE=plan9 do_task create 1001
	fails_as 78 "Google has no image or family plan9 in the project my-project-42"
	IMAGE=debian-99 do_task create 1001
	fails_as 78 "Google has no image or family debian-99 in the project debian-cloud or my-project-42"
	same 1 "$(machines)"
	same 00000042-1000 "$(list)"
}

@test "where there is no room, which the operation tells, the node's choices are tried in their order by one task" {
	cloud_finds_room us-central1-a us-central1-b 10
}

@test "a deletion that fails later is an error, and one that is under way is waited for" {
	do_task create 1000
	fake_set '{"stuck":true,"active_ms":100}'
	do_task delete 1000
	fails_as 75 "RESOURCE_IN_USE_BY_ANOTHER_RESOURCE: It is in use."
	fake_set '{"stuck":false,"active_ms":500}'
	do_task delete 1000
	same 0 "$(member .status)"
	same 0 "$(machines)"
	same 2 "$(requests "$DELETE")"
	do_task create 1001
	fake_set "{\"protected\":\"$(member .result.providerid)\"}"
	do_task delete 1001
	fails_as 78 "protected against deletion"
	same 1 "$(machines)"
}

@test "a machine that was deleted elsewhere is made again, though the request id is known" {
	do_task create 1000
	member .result.providerid >first
	fake_set "{\"terminate\":\"$(cat first)\"}"
	do_task create 1000
	same 0 "$(member .status)"
	same 1 "$(machines)"
	[ "$(member .result.providerid)" != "$(cat first)" ]
}

@test "credentials that are refused are told: another key, another account, a token taken back is asked for anew" {
	openssl genrsa -traditional -out other.pem 2048 2>/dev/null
	provider "$(jq -n --rawfile key other.pem --arg fake "$FAKE" '{api_key: ({private_key: $key, client_email: "robot@my-project-42.iam.gserviceaccount.com",
		project_id: "my-project-42", token_uri: "\($fake)/token"} | tojson)}')"
	do_task create 1000
	fails_as '77 permanent' "Invalid JWT Signature."
	provider '{"google_client_email":"other@example.com"}'
	do_task create 1000
	fails_as 77 "account not found"
	provider '{"api_key":"no key at all"}'
	do_task create 1000
	fails_as 78 "/api_key: the private key is neither PEM nor PKCS#12 in base64"
	provider '{}'
	fake_set '{"active_ms":1500}'
	do_task create 1000 &
	until [ "$(requests "$LIST")" -ge 2 ]; do sleep 0.05; done
	fake_set '{"revoke":true}'
	wait $!
	same 0 "$(member .status)"
}

@test "a key is also PEM alone, or PKCS#12 as Coopr had it, in base64" {
	provider "$(jq -n --rawfile key "$BATS_FILE_TMPDIR/key.pem" --arg fake "$FAKE" '{api_key: $key, google_project: "my-project-42",
		google_client_email: "robot@my-project-42.iam.gserviceaccount.com", token_endpoint: "\($fake)/token"}')"
	do_task create 1000
	same 0 "$(member .status)"
	openssl req -x509 -key "$BATS_FILE_TMPDIR/key.pem" -subj /CN=robot -out cert.pem 2>/dev/null
	openssl pkcs12 -export -inkey "$BATS_FILE_TMPDIR/key.pem" -in cert.pem -keypbe PBE-SHA1-3DES -certpbe PBE-SHA1-3DES -macalg sha1 -name privatekey \
		-passout pass:notasecret | base64 >key.p12
	provider "$(jq -n --rawfile key key.p12 --arg fake "$FAKE" '{api_key: null, api_key_resource: $key, google_project: "my-project-42",
		google_client_email: "robot@my-project-42.iam.gserviceaccount.com", token_endpoint: "\($fake)/token"}')"
	do_task create 1000
	same 0 "$(member .status)"
}

@test "Coopr's own document works, with empty strings for what is absent; a resource's name is told how to become a secret" {
	need_shared data/coopr-templates
	PROVIDER=$(jq -c --arg endpoint "$FAKE" --arg key "$(key)" '.provisioner += {google_project: "my-project-42", api_key_resource: $key, ssh_user: "hadoop",
		google_client_email: "robot@my-project-42.iam.gserviceaccount.com", google_data_disk_size_gb: "200,0,50", google_data_disk_type: "ssd",
		public_key: "ssh-ed25519 AAAA", endpoint: $endpoint, poll_s: 0.1}' "$SHARED/data/coopr-templates/providers/google.json")
	IMAGE=centos-7-v20170227 do_task create 1000
	same 0 "$(member .status)"
	same '["10",null]' "$(sent ' | [.disks[0].initializeParams.sourceImage | test("projects/centos-cloud/global/images/centos-7-v20170227")] |
		if .[0] then ["10",null] else . end')"
	same '["200","50"]' "$(sent ' | [.disks[1:][] | .initializeParams.diskSizeGb]')"
	same zones/us-central1-a/diskTypes/pd-ssd "$(sent '.disks[1].initializeParams.diskType')"
	same 'hadoop:ssh-ed25519 AAAA' "$(sent '.metadata.items[] | select(.key == "ssh-keys") | .value')"
	same hadoop "$(member '.result["ssh-auth"].user')"
	do_task delete 1000
	same 0 "$(machines)"
	PROVIDER=$(jq -c '.provisioner.api_key_resource = "google-key"' <<<"$PROVIDER")
	do_task create 1000
	fails_as 78 "coopr secret set google-key"
}

@test "networks, addresses, disks, tags, accounts and spot are asked for" {
	provider '{"subnetwork":"near","external_ip":"false","network_tags":"web, ssh","google_root_disk_size_gb":"30","google_root_disk_type":"pd-balanced",
		"spot":true,"service_account":"default","scopes":["devstorage.read_only"],"zone_name":"europe-west1-b"}'
	do_task create 1000
	same 0 "$(member .status)"
	same '["regions/europe-west1/subnetworks/near",null,["web","ssh"],"30","zones/europe-west1-b/diskTypes/pd-balanced","SPOT",false,
		["https://www.googleapis.com/auth/devstorage.read_only"],true]' "$(sent ' | [.networkInterfaces[0].subnetwork, .networkInterfaces[0].accessConfigs, .tags.items,
		.disks[0].initializeParams.diskSizeGb, .disks[0].initializeParams.diskType, .scheduling.provisioningModel, .scheduling.automaticRestart,
		.serviceAccounts[0].scopes, .disks[0].autoDelete]' | sed 's/false,\[/false,\n\t\t[/')"
	same europe-west1-b "$(member .result.zone)"
	same "$(member .ipaddresses.bind_v4)" "$(member .ipaddresses.access_v4)"
	[[ $(member .ipaddresses.access_v4) = 10.* ]]
	provider '{"zone_name":"../../other"}'
	do_task create 1001
	fails_as 78 "/zone_name: not a name"
}

@test "labels keep to Google's grammar, and names that do not fit them are told apart" {
	PROVIDER=$(jq -c '.name = "Über Google_1"' <<<"$PROVIDER")
	do_task create 1000
	same 0 "$(member .status)"
	same '_c3_9cber_20_47oogle_5f1' "$(sent '.labels["coopr-provider"]')"
	same 00000042-1000 "$(list)"
	for end in a b; do
		PROVIDER=$(jq -c --arg name "$(printf 'x%.0s' {1..80})$end" '.name = $name' <<<"$PROVIDER")
		do_task create 1001
		same 0 "$(member .status)"
	done
	same 00000042-1001 "$(list)"
	do_task delete 1001
	same "" "$(list)"
	same 2 "$(machines)"
	LEAVES="those of providers that have other names"
}

@test "host keys are those that the machine has reported by guest attributes, or on its console" {
	local key='ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFVv9Gh6JyEuzPYqmLd0cXDPZFgUGrEuV9Jcsz0qBxJ1'

	do_task create 1000
	fake_set "{\"host_keys\":[\"$key\"]}"
	confirm_in_vain
	same 1 "$(requests getGuestAttributes)"
	same 0 "$(requests serialPort)"
	fake_set "{\"host_keys\":[],\"console_keys\":[\"$key\"]}"
	confirm_in_vain
	same 1 "$(requests serialPort)"
}

@test "a list that lacks a zone which cannot be asked is none" {
	do_task create 1000
	fake_set '{"unreachable":["us-central1-b"]}'
	run -75 --separate-stderr ask list
	contains "$stderr" "cannot list the instances of zones/us-central1-b: UNREACHABLE"
	fake_set '{"unreachable":[]}'
}

@test "requests that are too many wait, and a clock that is wrong is corrected by the cloud's" {
	fake_fault "{\"match\":\"$CREATE\",\"do\":\"status\",\"status\":403,\"count\":2,
		\"body\":\"{\\\"error\\\":{\\\"code\\\":403,\\\"message\\\":\\\"Rate Limit Exceeded\\\",\\\"errors\\\":[{\\\"reason\\\":\\\"rateLimitExceeded\\\"}]}}\"}"
	do_task create 1000
	same 0 "$(member .status)"
	same 3 "$(requests "$CREATE")"
	fake_set '{"skew_s":7200}'
	do_task create 1001
	same 0 "$(member .status)"
	same 2 "$(machines)"
}

@test "test tries credentials, quotas, zones, flavors, images and the network, and flavors lists those of the zone" {
	ask test '{"zones":["us-central1-b"],"flavors":["g1-small"],"images":["debian-12"]}' >checks
	same 'ok credentials robot@my-project-42.iam.gserviceaccount.com in project my-project-42
ok quota 0 of 24 CPUS, 0 of 25 INSTANCES
ok zone us-central1-b: available
ok flavor g1-small: 1 CPUs, 1740 MB
ok image debian-12: projects/debian-cloud/global/images/debian-12-bookworm-v20260101
ok network network default' "$(jq -r '"\(.status) \(.name) \(.text)"' checks)"
	same 0 "$(requests "$CREATE")"
	provider '{"subnetwork":"far","zone_name":"moon1-a"}'
	run -78 --separate-stderr ask test '{"flavors":["huge"]}'
	same 3 "$(grep -c '"fault"' <<<"$output")"
	provider '{}'
	same '{"capacity":{"cpu":2,"memory":1024},"flavor":"e2-micro","kind":"flavor"}' "$(ask flavors '{}' | grep micro)"
}

@test "the key and the token are in no log, no message and no file" {
	cloud_tells_no ya29 "$(sed -n 5p "$BATS_FILE_TMPDIR/key.pem")"
}

@test "list pages through thousands, and shows only what this installation owns" {
	cloud_lists_many 2450 '.labels["coopr-installation"]'
}

@test "a hundred creations share one process, the lists, and the limit of the cloud" {
	cloud_makes_many 'GET .*/global/images/'
	# One token for all.
	same 2 "$(requests 'POST /token')"
	[ "$(requests 'GET .*/operations')" -lt 80 ]
}

@test "volumes are made once, attached to one machine at a time, never taken from one that may write, copied and deleted" {
	fake_set '{"active_ms":200}'
	cloud_has_volumes
}

@test "whatever goes wrong with a request for a volume, there is one, and one machine has it" {
	fake_set '{"active_ms":50}'
	KILLS=16 cloud_volumes_survive 'POST /compute/v1/projects/[^/]*/zones/[^/]*/disks' 'POST /compute/v1/projects/[^/]*/zones/[^/]*/instances/[^/]*/attachDisk'
}

@test "volumes are where their machine is, of the type for data, with labels; what Google fails to make is told, and made anew" {
	provider '{"google_data_disk_type":"ssd","zone_name":"europe-west1-b"}'
	PROVIDER=$(jq -c --arg name "$(printf 'x%.0s' {1..80})" '.name = $name' <<<"$PROVIDER")
	do_task create 1000
	fake_set '{"late_quota":true}'
	volume_task attach 1000 "$DATA"
	fails_as '78 quota' "v-1: QUOTA_EXCEEDED: Quota 'SSD_TOTAL_GB' exceeded"
	fake_set '{"late_quota":false}'
	volume_task attach 1000 "$DATA"
	same 0 "$(member .status)"
	same 'europe-west1-b 5 pd-ssd' "$(jq -r 'select(.method == "POST" and (.path | test("/disks.requestId"))) | .body | fromjson |
		select(.labels["coopr-volume"] == "v-1" and .sizeGb == "5") | .type | split("/") | "\(.[3]) 5 \(.[5])"' fake.log | tail -1)"
	same "$(jq -r .name <<<"$PROVIDER")" "$(ask volumes | jq -r .provider | sort -u)"
	same 'europe-west1-b' "$(ask volumes | jq -r .zone | sort -u)"

	# One that has failed is none that is being made.
	fake_set "{\"fail\":\"$(volumes_there 'map(select(.name == "v-2").id)[0]' | jq -r .)\"}"
	do_task delete 1000
	do_task create 1000
	volume_task attach 1000 "$DATA"
	same 75 "$(member .status)"
	fails_as 75 "v-2: Google has failed to make it"
	volume_task attach 1000 "$DATA"
	same 0 "$(member .status)"
	same 2 "$(volumes_there 'map(select(.machine)) | length')"
	LEAVES="that of a provider that has another name"
}

@test "a document of the provider is in the user data, and ours behind it" {
	cloud_gives_documents '.body.metadata.items[] | select(.key == "user-data").value'
}
