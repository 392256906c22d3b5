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

# Google's client, with a token given by hand, as its address of tokens is fixed: compute list, run NAME REQUESTID, delete NAME ZONE.
compute() {
	cat >client.mjs <<-'END'
		import { createRequire } from "node:module";
		const require = createRequire(process.env.CLIENTS + "/x.js");
		const { InstancesClient, ZoneOperationsClient } = require("@google-cloud/compute");
		const { OAuth2Client } = require("google-auth-library");
		const [url, verb, name, more] = process.argv.slice(2), project = "my-project-42";
		const auth = new OAuth2Client();
		auth.setCredentials({ access_token: "by-hand" });
		const options = { apiEndpoint: "127.0.0.1", port: +new URL(url).port, protocol: "http", authClient: auth, projectId: project, fallback: "rest" };
		const instances = new InstancesClient(options), operations = new ZoneOperationsClient(options);
		async function done(response, zone) {
		  let operation = response.latestResponse;
		  while (operation.status !== "DONE") [operation] = await operations.wait({ operation: operation.name, project, zone });
		  if (operation.error?.errors?.length) throw new Error(operation.error.errors[0].code);
		}
		if (verb === "list") {
		  for await (const [zone, found] of instances.aggregatedListAsync({ project, filter: 'labels.coopr-cluster="00000042"', maxResults: 3 }))
		    for (const one of found.instances ?? []) if (one.status !== "STOPPING") console.log(one.labels["coopr-node"], one.name);
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
