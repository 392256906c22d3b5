#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Clients of clouds that others wrote see in our fakes what coopr says is there; so the fakes are like the clouds, and coopr is honest.

load ../case
load ../provider
load ../cloud

setup() {
	need_program python3
	fresh
}

teardown() {
	fake_end
}

# What the client sees alive, by id.
boto() {
	AWS_ACCESS_KEY_ID=AKIDEXAMPLE AWS_SECRET_ACCESS_KEY=secret/key+EXAMPLE AWS_EC2_METADATA_DISABLED=true HOME=$PWD "$PYTHON" - "$FAKE" "$@" <<-'END'
		import sys
		import boto3
		ec2 = boto3.client("ec2", region_name="us-east-1", endpoint_url=sys.argv[1])
		if sys.argv[2] == "list":
		    for page in ec2.get_paginator("describe_instances").paginate(PaginationConfig={"PageSize": 5}):
		        for reservation in page["Reservations"]:
		            for one in reservation["Instances"]:
		                tags = {tag["Key"]: tag["Value"] for tag in one["Tags"]}
		                if one["State"]["Name"] != "terminated" and "coopr-node" in tags:
		                    print(tags["coopr-node"], one["InstanceId"])
		elif sys.argv[2] == "run":
		    made = {ec2.run_instances(ImageId="ami-0123456789abcdef0", InstanceType="t3.micro", MinCount=1, MaxCount=1, ClientToken="same", UserData="a\n",
		                              TagSpecifications=[{"ResourceType": "instance", "Tags": [{"Key": "Name", "Value": "t\u00f6 <&"}]}])["Instances"][0]["InstanceId"]
		            for _ in range(2)}
		    ec2.get_waiter("instance_running").wait(InstanceIds=list(made), WaiterConfig={"Delay": 1})
		    print(*made)
		elif sys.argv[2] == "images":
		    images = ec2.describe_images(Owners=[sys.argv[3]], Filters=[{"Name": "name", "Values": [sys.argv[4]]}, {"Name": "state", "Values": ["available"]}])["Images"]
		    print(max(images, key=lambda image: image["CreationDate"])["ImageId"])
		else:
		    ec2.terminate_instances(InstanceIds=sys.argv[3:])
	END
}

@test "boto3 makes, sees and terminates instances in the fake of EC2, and sees exactly what provider ec2 lists" {
	local number theirs

	python_with boto3 python3-boto3 || skip "needs python3-boto3"
	fake_start ec2
	PROVIDER=$(jq -cn --arg endpoint "$FAKE" '{name: "aws", providertype: "ec2", provisioner: {api_user: "AKIDEXAMPLE", api_password: "secret/key+EXAMPLE",
		endpoint: $endpoint, ssh_keypair: "ops", requests_per_second: 1000, consistency_s: 1, poll_s: 0.1}}')
	IMAGE=ami-0123456789abcdef0
	theirs=$(boto run)
	same 1 "$(wc -w <<<"$theirs")"
	for number in 1000 1001 1002 1003 1004 1005; do do_task create "$number"; done
	both_see 6 boto list
	do_task delete 1003
	both_see 5 boto list
	boto terminate "$(id_of 1001)"
	both_see 4 boto list
	boto terminate "$theirs"
	same 4 "$(machines)"
	same "$(boto images 136693071363 'debian-12-amd64-*')" "$(ask test '{"images":["136693071363/debian-12-amd64-*"]}' | jq -r 'select(.name == "image").text' | sed 's/.* //')"
}
