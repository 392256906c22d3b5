#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Google's own client sees in our fake what coopr says is there; so the fake is like the cloud, and coopr is honest.

load ../case
load ../provider
load ../cloud

setup() {
	need_program python3 openssl
	node_with @google-cloud/compute
	fresh
	fake_start google
	openssl genrsa -out key.pem 2048 2>/dev/null
	fake_set "{\"modulus\":\"$(openssl rsa -in key.pem -noout -modulus | sed 's/.*=//')\"}"
	jq -n --rawfile key key.pem --arg fake "$FAKE" '{type: "service_account", project_id: "my-project-42", private_key_id: "d34db33f", private_key: $key,
		client_email: "robot@my-project-42.iam.gserviceaccount.com", client_id: "1", token_uri: "\($fake)/token"}' >key.json
	PROVIDER=$(jq -cn --arg endpoint "$FAKE" --rawfile key key.json '{name: "gce", providertype: "google", provisioner: {api_key: $key, endpoint: $endpoint,
		public_key: "ssh-ed25519 AAAA ops", requests_per_second: 1000, consistency_s: 1, poll_s: 0.1}}')
	IMAGE=debian-12
}

teardown() {
	fake_end
}

# Google's client, with a token given by hand, as its address of tokens is fixed: compute list, run NAME REQUESTID, delete NAME ZONE; disks, disk NAME
# REQUESTID, attach NAME INSTANCE, detach NAME INSTANCE, undisk NAME, snapshot NAME DISK.
compute() {
	cat >client.mjs <<-'END'
		import { createRequire } from "node:module";
		const require = createRequire(process.env.CLIENTS + "/x.js");
		const { InstancesClient, DisksClient, SnapshotsClient, ZoneOperationsClient, GlobalOperationsClient } = require("@google-cloud/compute");
		const { OAuth2Client } = require("google-auth-library");
		const [url, verb, name, more] = process.argv.slice(2), project = "my-project-42";
		const auth = new OAuth2Client();
		auth.setCredentials({ access_token: "by-hand" });
		const options = { apiEndpoint: "127.0.0.1", port: +new URL(url).port, protocol: "http", authClient: auth, projectId: project, fallback: "rest" };
		const instances = new InstancesClient(options), operations = new ZoneOperationsClient(options);
		const disks = new DisksClient(options), snapshots = new SnapshotsClient(options), global = new GlobalOperationsClient(options);
		async function done(response, zone) {
		  let operation = response.latestResponse;
		  while (operation.status !== "DONE")
		    [operation] = await (zone ? operations.wait({ operation: operation.name, project, zone }) : global.wait({ operation: operation.name, project }));
		  if (operation.error?.errors?.length) throw new Error(operation.error.errors[0].code);
		}
		if (verb === "list") {
		  for await (const [zone, found] of instances.aggregatedListAsync({ project, filter: 'labels.coopr-cluster="00000042"', maxResults: 3 }))
		    for (const one of found.instances ?? []) if (one.status !== "STOPPING") console.log(one.labels["coopr-node"], one.name);
		} else if (verb === "disks") {
		  for await (const [zone, found] of disks.aggregatedListAsync({ project, filter: '(labels.coopr-cluster="00000042") (labels.coopr-volume:*)', maxResults: 3 }))
		    for (const one of found.disks ?? []) console.log("disk", one.labels["coopr-volume"], one.status, one.sizeGb, one.users?.length ?? 0);
		  for await (const one of snapshots.listAsync({ project, filter: 'labels.coopr-cluster="00000042"' }))
		    console.log("snapshot", one.labels["coopr-volume"], one.status, one.diskSizeGb);
		} else if (verb === "disk") {
		  const zone = "us-central1-b";
		  await done((await disks.insert({ project, zone, requestId: more, diskResource: { name, sizeGb: "10", type: `projects/${project}/zones/${zone}/diskTypes/pd-ssd` } }))[0], zone);
		  const [one] = await disks.get({ project, zone, disk: name });
		  console.log(one.name, one.status, one.sizeGb);
		} else if (verb === "attach") {
		  const zone = "us-central1-b", source = `projects/${project}/zones/${zone}/disks/${name}`;
		  await done((await instances.attachDisk({ project, zone, instance: more, attachedDiskResource: { source, deviceName: "theirs", mode: "READ_WRITE" } }))[0], zone);
		  console.log((await disks.get({ project, zone, disk: name }))[0].users[0].split("/").pop());
		} else if (verb === "detach") {
		  await done((await instances.detachDisk({ project, zone: "us-central1-b", instance: more, deviceName: "theirs" }))[0], "us-central1-b");
		} else if (verb === "snapshot") {
		  await done((await disks.createSnapshot({ project, zone: "us-central1-b", disk: more, snapshotResource: { name } }))[0], "us-central1-b");
		  console.log((await snapshots.get({ project, snapshot: name }))[0].status);
		  await done((await snapshots.delete({ project, snapshot: name }))[0], null);
		} else if (verb === "undisk") {
		  await done((await disks.delete({ project, zone: "us-central1-b", disk: name }))[0], "us-central1-b");
		} else if (verb === "run") {
		  const zone = "us-central1-b";
		  const [response] = await instances.insert({ project, zone, requestId: more, instanceResource: { name, machineType: `zones/${zone}/machineTypes/e2-micro`,
		    disks: [{ boot: true, autoDelete: true, initializeParams: { sourceImage: "projects/debian-cloud/global/images/debian-12-bookworm-v20260101" } }],
		    networkInterfaces: [{ network: "global/networks/default" }] } });
		  await done(response, zone);
		  const [one] = await instances.get({ project, zone, instance: name });
		  console.log(one.name, one.status, one.networkInterfaces[0].networkIP);
		} else {
		  const [response] = await instances.delete({ project, zone: more, instance: name });
		  await done(response, more);
		}
	END
	CLIENTS=$CLIENTS node client.mjs "$FAKE" "$@"
}

@test "Google's client makes, sees and deletes instances in the fake, and sees exactly what provider google lists" {
	local number name

	fake_set '{"active_ms":500}'
	fake_set '{"grant":"by-hand"}'
	contains "$(compute run theirs 11111111-2222-4333-8444-555555555555)" "theirs RUNNING 10."
	compute run theirs 11111111-2222-4333-8444-555555555555
	same 1 "$(machines)"
	for number in 1000 1001 1002 1003 1004 1005 1006; do do_task create "$number"; done
	both_see 7 compute list
	do_task delete 1003
	both_see 6 compute list
	name=$(id_of 1001)
	compute delete "$name" us-central1-a
	both_see 5 compute list
	compute delete theirs us-central1-b
	same 5 "$(machines)"
}

@test "Google's client makes, attaches, copies and deletes disks in the fake, and sees the volumes and snapshots that provider google has made" {
	fake_set '{"active_ms":300}'
	fake_set '{"grant":"by-hand"}'
	compute run theirs 11111111-2222-4333-8444-555555555555
	same "their-disk READY 10" "$(compute disk their-disk 11111111-2222-4333-8444-666666666666)"
	compute disk their-disk 11111111-2222-4333-8444-666666666666
	same theirs "$(compute attach their-disk theirs)"
	run ! compute attach their-disk theirs
	run ! compute undisk their-disk
	same READY "$(compute snapshot their-snapshot their-disk)"
	compute detach their-disk theirs
	compute undisk their-disk
	same "[]" "$(volumes_there .)"

	do_task create 1000
	volume_task attach 1000 "$DATA"
	same 0 "$(member .status)"
	volume_task snapshot 1000 'del(.machine) | .volume = {id: "s-1", of: "v-1", size_gb: 5, snapshot: true}'
	same 0 "$(member .status)"
	until [[ $(compute disks) = *"snapshot s-1 READY"* ]]; do sleep 0.1; done
	same "disk v-1 READY 5 1
disk v-2 READY 1 1
snapshot s-1 READY 5" "$(compute disks | sort)"
	do_task delete 1000
	volume_task discard 1000 'del(.machine) | .volume = {id: "v-1"}'
	volume_task discard 1000 'del(.machine) | .volume = {id: "v-2"}'
	volume_task discard 1000 'del(.machine) | .volume = {id: "s-1", snapshot: true}'
	same "" "$(compute disks)"
}
