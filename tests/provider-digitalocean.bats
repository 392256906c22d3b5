#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-clouds(7), on a fake of DigitalOcean's API that its own clients accept.

load case
load provider
load cloud

CREATE='POST /v2/droplets' LIST='GET /v2/droplets' DELETE='DELETE /v2/droplets' IMAGE=debian-12-x64 UNREACHABLE=yes

setup() {
	need_program python3
	fresh
	fake_start digitalocean
	provider '{}'
}

teardown() {
	cloud_end
}

provider() {
	PROVIDER=$(jq -cn --arg endpoint "$FAKE" --argjson more "$1" '{name: "do", providertype: "digitalocean",
		provisioner: ({api_token: "secret-token", endpoint: $endpoint, ssh_keypair: "512189", requests_per_second: 1000, consistency_s: 1, poll_s: 0.1} + $more)}')
}

@test "keeps the contract of providers, but for confirm, which needs a machine that answers" {
	keeps_the_contract
	same 0 "$(machines)"
}

@test "a machine is made once and forgotten never, whatever goes wrong with a request" {
	fake_set '{"active_ms":300}'
	CLOUD_SHAPE=JSON cloud_survives_faults
}

@test "a machine that appears late in the list is waited for, and not made twice" {
	cloud_waits_for_the_late
}

@test "a machine that runs at once, and is not listed yet, is found by confirm and deleted by delete" {
	provider '{"consistency_s":20}'
	fake_set '{"visible_ms":2000}'
	do_task create 1000
	same 0 "$(member .status)"
	facts >known
	do_task delete 1000 "$(cat known)"
	same '0 0' "$(member .status) $(machines)"
}

@test "a list that is answered with what is none of the cloud's is asked for again, as one whose answer was lost" {
	CLOUD_SHAPE=JSON cloud_asks_again
}

@test "killed at any request, create run again makes no second machine, and delete leaves none" {
	cloud_survives_kills 4
}

@test "what the cloud refuses is told in its words: 77 for credentials, 78 for what nobody can make" {
	provider '{"api_token":"wrong"}'
	do_task create 1000
	fails_as 77 "401 Unable to authenticate you"
	provider '{"digitalocean_region":"moon1"}'
	do_task create 1000
	fails_as 78 "422 You specified an invalid region for Droplet creation."
	provider '{}'
	fake_set '{"capacity":1}'
	do_task create 1000
	same 0 "$(member .status)"
	do_task create 1001
	fails_as 78 "will exceed your droplet limit"
	same 1 "$(machines)"
}

@test "a droplet that is still being worked on is deleted later" {
	do_task create 1000
	fake_fault '{"match":"DELETE /v2/droplets/","do":"status","status":422,"body":"{\"id\":\"unprocessable_entity\",\"message\":\"Droplet already has a pending event.\"}"}'
	do_task delete 1000
	fails_as 75 "422 Droplet already has a pending event."
	same 1 "$(machines)"
	do_task delete 1000
	same 0 "$(member .status)"
	same 0 "$(machines)"
}

@test "test tries credentials, quota, zones, flavors, images and what the fields name, and makes nothing" {
	provider '{"vpc_uuid":"5a4981aa-9653-4bd1-bef5-d6bff52042e4"}'
	ask test '{"zones":["nyc3","ams3"],"flavors":["s-1vcpu-1gb"],"images":["debian-12-x64"]}' >checks
	same 'ok credentials sammy@example.com
ok quota 0 of 25 droplets
ok zone nyc3: available
ok zone ams3: available
ok flavor s-1vcpu-1gb: 0.00893 USD an hour
ok image debian-12-x64: available
ok network network 5a4981aa-9653-4bd1-bef5-d6bff52042e4, key 512189' "$(jq -r '"\(.status) \(.name) \(.text)"' checks)"
	same 0 "$(requests '^(POST|PUT|DELETE)')"
}

@test "test names each thing that is not well, and ends as a task would" {
	provider '{"ssh_keypair":"7","digitalocean_region":"moon1"}'
	run -78 --separate-stderr ask test '{"flavors":["huge"],"images":["debian-1"]}'
	same 'ok credentials sammy@example.com
ok quota 0 of 25 droplets
fault zone DigitalOcean has no region moon1
fault flavor huge: DigitalOcean has no such size
fault image debian-1: GET /v2/images/debian-1: 404 The resource you were accessing could not be found.
fault network GET /v2/account/keys/7: 404 The resource you were accessing could not be found.' "$(jq -r '"\(.status) \(.name) \(.text)"' <<<"$output")"
	provider '{"api_token":"wrong"}'
	run -77 --separate-stderr ask test '{}'
	same 'fault credentials GET /v2/account: 401 Unable to authenticate you' "$(jq -r '"\(.status) \(.name) \(.text)"' <<<"$output")"
	provider '{}'
	do_task create 1000
	fake_set '{"capacity":1}'
	run -78 --separate-stderr ask test '{}'
	contains "$output" '"quota","remedy":null,"status":"fault","text":"1 of 1 droplets, which is all"'
}

@test "flavors are listed with what they have and cost" {
	ask flavors '{}' >flavors
	same '{"capacity":{"cpu":1,"disk":25,"memory":1024},"cost":0.00893,"flavor":"s-1vcpu-1gb","kind":"flavor"}' "$(grep 1gb flavors)"
	same 3 "$(wc -l <flavors)"
	provider '{"digitalocean_region":"moon1"}'
	same "" "$(ask flavors '{}')"
}

@test "a failure says its class: permanent, quota, capacity or temporary" {
	fake_set '{"full":[["nyc3","large"]]}'
	do_task create 1000
	same '75 capacity' "$(member .status) $(member .class)"
	fake_set '{"full":[],"capacity":1}'
	do_task create 1000
	do_task create 1001
	same '78 quota' "$(member .status) $(member .class)"
	provider '{"api_token":"wrong"}'
	do_task create 1001
	same '77 permanent' "$(member .status) $(member .class)"
	provider '{}'
	fake_fault '{"match":"GET","do":"status","status":409}'
	do_task create 1001
	same '75 temporary' "$(member .status) $(member .class)"
}

CHOICES='{"choices":[{"zone":"ams3"},{"flavor":"s-2vcpu-4gb","hardwaretype":"bigger"},{"flavor":"s-2vcpu-4gb","hardwaretype":"bigger","zone":"fra1"}]}'

@test "where there is no room, the node's choices are tried in their order, and what was made is told" {
	fake_set '{"full":[["nyc3","*"]]}'
	do_task create 1000 "$CHOICES"
	same '0 {"zone":"ams3"} ams3' "$(member .status) $(jq -c .result.chosen result.json) $(member .result.zone)"
	fake_set '{"full":[["nyc3","*"],["ams3","*"]]}'
	do_task create 1001 "$CHOICES"
	same '0 {"flavor":"s-2vcpu-4gb","hardwaretype":"bigger","zone":"fra1"}' "$(member .status) $(jq -c .result.chosen result.json)"
	# Another attempt finds it, and tells the same.
	do_task create 1001 "$CHOICES"
	same '0 fra1 2' "$(member .status) $(member .result.chosen.zone) $(machines)"
	fake_set '{"full":[["*","*"]]}'
	do_task create 1002 "$CHOICES"
	same '75 capacity' "$(member .status) $(member .class)"
	same "" "$(find state -path '*00000042-1002*')"
	fake_set '{"full":[]}'
	do_task create 1002 "$CHOICES"
	same '0 null' "$(member .status) $(member .result.chosen)"
	do_task create 1003
	fake_set '{"full":[["nyc3","*"]]}'
	do_task create 1004
	same '75 capacity 4' "$(member .status) $(member .class) $(machines)"
}

@test "killed while it goes from choice to choice, create run again makes one machine" {
	cloud_survives_kills 4 "$CHOICES" '[["nyc3","*"],["ams3","*"]]'
}

@test "a machine that the cloud does not list for this installation is not deleted, and delete says so" {
	do_task create 1000
	curl -sS -f -X DELETE "$FAKE/_machines" >/dev/null
	facts >known
	do_task delete 1000 "$(cat known)"
	coopr-exec <task.json >result.json 2>log
	contains "$(cat log)" "is not among those of this installation in do"
	same 0 "$(member .status)"
	same 0 "$(requests 'DELETE /v2/droplets')"
}

@test "the word that is of one machine alone goes from the account with it, by one request, and no failure of that keeps the machine" {
	tags() {
		curl -sS -f -H 'Authorization: Bearer secret-token' "$FAKE/v2/tags" | jq -r '.tags[].name'
	}
	do_task create 1000
	do_task create 1001
	do_task create 1002
	same 5 "$(tags | wc -l)"
	do_task delete 1001
	same 1 "$(requests 'DELETE /v2/tags')"
	same $'coopr-machine:00000042-1000\ncoopr-machine:00000042-1002' "$(tags | grep machine | cut -d : -f 1,2)"
	fake_fault '{"match":"DELETE /v2/tags","do":"status","status":403}'
	for number in 1000 1002; do
		do_task delete "$number"
		same 0 "$(member .status)"
	done
	same '0 3' "$(machines) $(requests 'DELETE /v2/tags')"
	same '1 2' "$(tags | grep -c machine) $(tags | grep -c -e '^coopr-installation:' -e '^coopr-provider:')"
}

@test "credentials of version 1 of the API get a message how to move" {
	PROVIDER='{"name":"do","providertype":"digitalocean","provisioner":{"api_user":"id","api_password":"key","digitalocean_region":"nyc2","ssh_keypair":"","ssh_key_resource":""}}'
	do_task create 1000
	fails_as 78 "make a personal access token"
}

@test "credentials that would be headers of their own are sent to nobody" {
	provider '{"api_token":"secret-token\r\nX-Other: 1"}'
	do_task create 1000
	fails_as 78 "the header Authorization has the end of a line in it"
	same 0 "$(requests .)"
}

@test "the token is in no log, no message and no argument" {
	cloud_tells_no secret-token
	run -1 grep -F secret-token fake.log
}

@test "list pages through thousands, and shows only what this installation owns" {
	cloud_lists_many 5000 '.tags[] | select(startswith("coopr-installation:")) | split(":")[1]'
}

@test "a machine has an address of IPv6 where the provider's ipv6 says so" {
	do_task create 1000
	same '0 null' "$(member '"\(.status) \(.ipaddresses.access_v6)"')"
	provider '{"ipv6":true}'
	do_task create 1001
	same '0 true 2604:a880::30:491d' "$(member '"\(.status) \(.ipaddresses | has("access_v4")) \(.ipaddresses.access_v6)"')"
}

@test "of machines that were made twice, because an answer was lost, the oldest stays, and the others go before it is handed out" {
	cloud_drops_twins
}

@test "a hundred creations share one process, the lists, and the limit of the cloud" {
	cloud_makes_many
}

# What cloud-init makes of the user data in a file.
merged() {
	/usr/bin/python3 - "$1" "$PWD/paths" <<-'END'
		import os, sys
		from cloudinit import helpers, user_data, util
		from cloudinit.handlers.cloud_config import CloudConfigPartHandler
		paths = helpers.Paths({"cloud_dir": sys.argv[2], "run_dir": sys.argv[2]})
		paths.datasource = type("Source", (), {"get_instance_id": lambda self: "i-1"})()
		os.makedirs(sys.argv[2] + "/instances/i-1")
		handler, kind = CloudConfigPartHandler(paths), "text/cloud-config"
		handler.handle_part(None, "__begin__", None, None, None, None)
		for part in user_data.UserDataProcessor(paths).process(open(sys.argv[1]).read()).walk():
		    if part.get_content_type() == kind:
		        handler.handle_part(None, kind, part.get_filename(), util.decode_binary(part.get_payload(decode=True)), "once-per-instance", dict(part.items()))
		handler.handle_part(None, "__end__", None, None, None, None)
		print(util.json_dumps(util.load_yaml(open(paths.get_ipath("cloud_config")).read())))
	END
}

@test "a document of the provider is done by cloud-init, and what it says of who may enter does not hold" {
	cloud_gives_documents .user_data
	/usr/bin/python3 -c 'import cloudinit' 2>/dev/null || "$COOPR_ROOT/tests/install-packages" cloud-init >installed 2>&1 ||
		skip "needs cloud-init, which cannot be installed: $(tail -n 1 installed)"
	same '{"disable_root":false,"packages":["nginx"],"ssh":{"emit_keys_to_console":true},"ssh_authorized_keys":["ssh-ed25519 AAAA theirs","ssh-ed25519 AAAA ours"]}' \
		"$(merged user_data | jq -cS .)"
}
