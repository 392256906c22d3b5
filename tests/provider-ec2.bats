#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-clouds(7), on a fake of EC2's Query API that its own clients accept, and which verifies signatures.

load case
load provider
load cloud

CREATE='POST / Action=RunInstances' LIST='POST / Action=DescribeInstances' DELETE='POST / Action=TerminateInstances' IMAGE=ami-0123456789abcdef0 UNREACHABLE=yes

setup() {
	need_program python3
	fresh
	fake_start ec2
	provider '{}'
}

teardown() {
	cloud_end
}

provider() {
	PROVIDER=$(jq -cn --arg endpoint "$FAKE" --argjson more "$1" '{name: "aws", providertype: "ec2",
		provisioner: ({api_user: "AKIDEXAMPLE", api_password: "secret/key+EXAMPLE", endpoint: $endpoint, ssh_keypair: "ops",
		requests_per_second: 1000, consistency_s: 1, poll_s: 0.1} + $more)}')
}

# A parameter of the request that made the only machine.
sent() {
	curl -sS -f "$FAKE/_machines" | jq -r --arg name "$1" '.[0].form[$name] // empty'
}

@test "keeps the contract of providers, but for confirm, which needs a machine that answers" {
	keeps_the_contract
	same 0 "$(machines)"
}

@test "a machine is made once and forgotten never, whatever goes wrong with a request" {
	fake_set '{"active_ms":300}'
	CLOUD_SHAPE=query cloud_survives_faults
}

@test "a machine that appears late in the list is waited for, and a lost answer is asked for again by its token" {
	provider '{"consistency_s":20}'
	fake_set '{"visible_ms":2000}'
	fake_fault '{"match":"POST / Action=RunInstances","do":"lost"}'
	do_task create 1000
	same 0 "$(member .status)"
	same 1 "$(machines)"
	same 2 "$(requests "$CREATE")"
}

@test "a list that is answered with what is none of the cloud's is asked for again, as one whose answer was lost" {
	CLOUD_SHAPE=query cloud_asks_again
}

@test "killed at any request, create run again makes no second machine, and delete leaves none" {
	cloud_survives_kills 3
}

@test "what the cloud refuses is told in its words: 77 for credentials, 75 for capacity, 78 for limits and what nobody can make" {
	provider '{"api_password":"wrong"}'
	do_task create 1000
	fails_as 77 "SignatureDoesNotMatch: The request signature"
	provider '{"api_user":"AKIDOTHER"}'
	do_task create 1000
	fails_as 77 "AuthFailure: AWS was not able"
	provider '{"availability_zone":"moon-1a"}'
	do_task create 1000
	fails_as 78 "RunInstances: InvalidParameterValue: Invalid availability zone: [moon-1a]"
	provider '{}'
	fake_set '{"capacity":1}'
	do_task create 1000
	same 0 "$(member .status)"
	do_task create 1001
	fails_as 75 "InsufficientInstanceCapacity: We currently do not have"
	same 2 "$(requests "$CREATE" | awk '{print $1 - 1}')"
	fake_set '{"limit":1}'
	do_task create 1001
	fails_as 78 "VcpuLimitExceeded: You have requested"
	same 1 "$(machines)"
}

@test "test tries zones, flavors, images and what the fields name, and makes nothing; flavors are listed without prices" {
	provider '{"subnet_id":"subnet-1"}'
	ask test '{"zones":["us-east-1b"],"flavors":["m5.large"],"images":["ami-12345678"]}' >checks
	same 'ok credentials zone flavor image network' "$(jq -r .status checks | sort -u) $(jq -r .name checks | paste -sd ' ')"
	provider '{"subnet_id":"subnet-2"}'
	run -78 --separate-stderr ask test '{"zones":["moon"],"flavors":["m5.huge"]}'
	same "fault zone moon: DescribeAvailabilityZones: InvalidParameterValue: Invalid availability zone: [moon]
fault flavor m5.huge: DescribeInstanceTypes: InvalidInstanceType: The following supplied instance types do not exist: [m5.huge]
fault network DescribeSubnets: InvalidSubnetID.NotFound: The subnet ID 'subnet-2' does not exist" "$(jq -r 'select(.status == "fault") | "\(.status) \(.name) \(.text)"' <<<"$output")"
	same '{"capacity":{"cpu":2,"memory":8192},"flavor":"m5.large","kind":"flavor"}' "$(ask flavors | grep m5)"
	same 0 "$(requests 'RunInstances|Terminate')"
}

CHOICES='{"zone":"us-east-1a","choices":[{"zone":"us-east-1b"},{"flavor":"m5.large","hardwaretype":"bigger"}]}'

@test "where there is no room, the node's choices are tried in their order, each with a token of its own" {
	fake_set '{"full":[["us-east-1a","*"]]}'
	do_task create 1000 "$CHOICES"
	same '0 {"zone":"us-east-1b"} us-east-1b' "$(member .status) $(jq -c .result.chosen result.json) $(member .result.zone)"
	fake_set '{"full":[["*","large"]]}'
	do_task create 1001 "$CHOICES"
	same '0 {"flavor":"m5.large","hardwaretype":"bigger","zone":"us-east-1a"}' "$(member .status) $(jq -c .result.chosen result.json)"
	fake_set '{"full":[["*","*"]]}'
	do_task create 1002 "$CHOICES"
	same '75 capacity 2' "$(member .status) $(member .class) $(machines)"
}

@test "killed while it goes from choice to choice, create run again makes one machine" {
	cloud_survives_kills 4 "$CHOICES" '[["us-east-1a","*"],["us-east-1b","*"]]'
}

@test "requests that are too many are sent again, and signed by the cloud's clock where that differs" {
	fake_fault '{"match":"POST / Action=RunInstances","do":"status","status":503,"count":2,
		"body":"<Response><Errors><Error><Code>RequestLimitExceeded</Code><Message>Request limit exceeded.</Message></Error></Errors></Response>"}'
	do_task create 1000
	same 0 "$(member .status)"
	same 3 "$(requests "$CREATE")"
	same 1 "$(machines)"
	fake_set '{"skew_s":7200}'
	do_task create 1001
	same 0 "$(member .status)"
	same 2 "$(machines)"
}

@test "a machine that was terminated elsewhere is made again, though the token is known" {
	do_task create 1000
	curl -sS -f "$FAKE/_machines" | jq -r '.[0].id' >first
	fake_set "{\"terminate\":\"$(cat first)\"}"
	same 0 "$(machines)"
	do_task create 1000
	same 0 "$(member .status)"
	same 1 "$(machines)"
	[ "$(member .result.providerid)" != "$(cat first)" ]
}

@test "Coopr's own document works, by the name aws, with empty strings for what is absent" {
	need_shared data/coopr-templates
	PROVIDER=$(jq -c --arg endpoint "$FAKE" '.provisioner += {api_user: "AKIDEXAMPLE", api_password: "secret/key+EXAMPLE", ssh_keypair: "ops",
		security_groups: "web, ssh", aws_root_ebs_size: "20", aws_root_ebs_delete_on_term: "true", endpoint: $endpoint, poll_s: 0.1}' \
		"$SHARED/data/coopr-templates/providers/aws-us-east-1.json")
	do_task create 1000
	same 0 "$(member .status)"
	same 'ops web ssh /dev/xvda 20 true' "$(for name in KeyName SecurityGroup.1 SecurityGroup.2 BlockDeviceMapping.1.DeviceName \
		BlockDeviceMapping.1.Ebs.VolumeSize BlockDeviceMapping.1.Ebs.DeleteOnTermination; do sent "$name"; done | paste -sd ' ')"
	same 00000042-1000 "$(list)"
	do_task delete 1000
	same 0 "$(machines)"
}

@test "subnets, zones, groups, tenancy, profiles, volumes and spot are asked for" {
	provider '{"subnet_id":"subnet-1","security_group_ids":["sg-1","sg-2"],"associate_public_ip":"false","dedicated_instance":true,"placement_group":"near",
		"availability_zone":"us-east-1b","iam_instance_profile":"web","aws_ebs_size":100,"aws_ebs_type":"gp3","spot":"true","spot_price":"0.05"}'
	do_task create 1000
	same 0 "$(member .status)"
	same 'subnet-1 sg-2 false dedicated near us-east-1b web /dev/sdf 100 gp3 true spot 0.05 spot-instances-request' "$(for name in NetworkInterface.1.SubnetId \
		NetworkInterface.1.SecurityGroupId.2 NetworkInterface.1.AssociatePublicIpAddress Placement.Tenancy Placement.GroupName Placement.AvailabilityZone \
		IamInstanceProfile.Name BlockDeviceMapping.1.DeviceName BlockDeviceMapping.1.Ebs.VolumeSize BlockDeviceMapping.1.Ebs.VolumeType \
		BlockDeviceMapping.1.Ebs.DeleteOnTermination InstanceMarketOptions.MarketType InstanceMarketOptions.SpotOptions.MaxPrice TagSpecification.3.ResourceType; do sent "$name"; done | paste -sd ' ')"
	same us-east-1b "$(member .result.zone)"
	provider '{"subnet_id":"subnet-1","security_groups":"web"}'
	do_task create 1001
	fails_as 78 "use security_group_ids"
}

@test "a region is no other host" {
	provider '{"aws_region":"127.0.0.1:1/x"}'
	do_task create 1000
	fails_as 78 "/aws_region: not the name of a region"
	same 0 "$(requests .)"
}

@test "a session's token is sent with the requests" {
	fake_set '{"session":"session-token"}'
	do_task create 1000
	same 77 "$(member .status)"
	PLAIN='{"session_token":"session-token"}'
	provider "$PLAIN"
	do_task create 1000
	same 0 "$(member .status)"
	run ! grep -rF -e session-token -e secret/key result.json state
}

@test "the secret is in no log, no message and no argument" {
	cloud_tells_no secret/key
	run -1 grep -F secret/key fake.log
}

@test "list pages through thousands, and shows only what this installation owns" {
	cloud_lists_many 2450 '.tags["coopr-installation"]'
}

@test "a hundred creations share one process, the lists, and the limit of the cloud; a machine's life takes three requests at most, but for its console" {
	provider '{"poll_s":0.5}'
	IMAGE=golden cloud_makes_many 'POST / Action=DescribeImages'
	fake_set '{"host_keys":["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFVv9Gh6JyEuzPYqmLd0cXDPZFgUGrEuV9Jcsz0qBxJ1"]}'
	jq -c '.action = "confirm" | .timeout_s = 1' tasks | plugin stream >results
	same 100 "$(requests GetConsoleOutput)"
	jq -c '.action = "delete"' tasks | plugin stream >results
	same '{"0":100} 1' "$(jq -sc 'group_by(.status) | map({"\(.[0].status)": length}) | add' results) $(machines)"
	same 101 "$(requests "$DELETE" | awk '{print $1 + 1}')"
	[ $(($(requests .) - 100)) -le 300 ]
}

@test "volumes are made once, attached to one machine at a time, never taken from one that may write, copied and deleted" {
	fake_set '{"active_ms":200}'
	cloud_has_volumes
}

@test "whatever goes wrong with a request for a volume, there is one, and one machine has it" {
	cloud_volumes_survive 'POST / Action=CreateVolume' 'POST / Action=AttachVolume'
}

@test "an image is also the newest of a name: of an owner, and else of the account's own" {
	ask test '{"images":["golden","136693071363/debian-12-amd64-*","099720109477/ubuntu/images/hvm-ssd/jammy-*"]}' >checks
	same 'golden: ami-00000002
136693071363/debian-12-amd64-*: ami-0000000b
099720109477/ubuntu/images/hvm-ssd/jammy-*: ami-000000aa' "$(jq -r 'select(.name == "image") | .text' checks)"
	IMAGE='136693071363/debian-12-amd64-*' do_task create 1000
	same "0 ami-0000000b" "$(member .status) $(sent ImageId)"
	# Nobody else's image of that name is taken.
	IMAGE='debian-12-amd64-20260301-9' do_task create 1001
	fails_as 78 "the cloud has no image debian-12-amd64-20260301-9 of the account's own"
	IMAGE='nobody/jammy' do_task create 1001
	fails_as 78 "no image nobody/jammy of the account's own"
	same 1 "$(machines)"
}

@test "the role of the instance that coopr runs on signs, where the installation says so, and its keys are renewed; no tenant has it" {
	fake_set '{"session":"of-the-role","role":"coopr-role"}'
	PROVIDER=$(jq -c --arg fake "$FAKE" '.provisioner |= (del(.api_user, .api_password) + {credentials: "instance_profile", metadata_endpoint: $fake})' <<<"$PROVIDER")
	do_task create 1000
	same 0 "$(member .status)"
	same "1 1" "$(requests 'PUT /latest') $(requests 'GET .*coopr-role')"
	run ! grep -rF -e of-the-role -e secret/key result.json state fake.log
	# Keys that were taken back before their time are asked for anew, once.
	fake_set '{"active_ms":1500}'
	do_task create 1001 &
	until [ "$(requests "$CREATE")" = 2 ]; do sleep 0.05; done
	fake_set '{"session":"another"}'
	wait $!
	same 0 "$(member .status)"
	same 3 "$(requests 'GET .*coopr-role')"
	fake_set '{"role":""}'
	do_task create 1002
	fails_as 78 "this machine has no instance profile"
	before=$(requests .)
	PROVIDER=$(jq -c '.of = "tenant"' <<<"$PROVIDER")
	do_task create 1002
	fails_as 77 "/credentials: a tenant's document does not say that"
	plugin create <task.json >result.json || true
	fails_as 78 "/credentials: the role of this machine is the installation's"
	same "$before" "$(requests .)"
	fake_set '{"session":""}'
}

@test "a request that the cloud has heard with other parameters is asked after by its token" {
	killed_at "$CREATE" do_task create 1000
	same 1 "$(machines)"
	provider '{"aws_ebs_size":10}'
	fake_fault "{\"match\":\"$LIST\",\"do\":\"status\",\"status\":200,\"body\":\"<DescribeInstancesResponse><reservationSet/></DescribeInstancesResponse>\"}"
	do_task create 1000
	same 0 "$(member .status)"
	same "1 2" "$(machines) $(requests "$CREATE")"
	same "$(curl -sS "$FAKE/_machines" | jq -r '.[0].id')" "$(member .result.providerid)"
}

@test "host keys are those that the instance has printed on its console, of this moment or of its start" {
	do_task create 1000
	confirm_in_vain
	[ "$(requests GetConsoleOutput)" -ge 1 ]
	fake_set '{"latest":false,"host_keys":["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFVv9Gh6JyEuzPYqmLd0cXDPZFgUGrEuV9Jcsz0qBxJ1"]}'
	before=$(requests GetConsoleOutput)
	confirm_in_vain
	same $((before + 2)) "$(requests GetConsoleOutput)"
}

@test "a document of the provider is in the user data, and ours behind it" {
	cloud_gives_documents .user_data
}
