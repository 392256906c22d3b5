#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-plugins(7): tasks with secrets for a provider that streams. One process has those of one provider entity of one tenant.

# shellcheck disable=SC2154 # $work is set by work.bash

load case
load work
load cloud

setup() {
	fresh
	need_program jq
	work_setup
	mkdir -p plugins/provider
	coopr-store init
	canary=canary-$$-$RANDOM
	printf %s "$canary" | coopr-secret set token
} >/dev/null

teardown() {
	work_teardown
}

# A provider that answers with what it was told, and notes which process did it: provider NAME DESCRIPTION.
provider() {
	cat >"plugins/provider/$1" <<-END
		#!/bin/sh
		[ "\$1" != describe ] || { echo '$2'; exit; }
		echo "\$\$ \$1" >>started
		tr '\\0' '\\n' </proc/\$\$/environ >>around
		tr '\\0' ' ' </proc/\$\$/cmdline >>around
		jq -c --unbuffered --arg pid "\$\$" '{kind: "result", job, task: .id, attempt, status: 0, result: {pid: \$pid, said: "\\(.cluster.provider.provisioner.token | length) \\(.secrets)",
			providerid: "i-\\(.id)"}}'
	END
	chmod +x "plugins/provider/$1"
}

# A job of creations: job TYPE CHAINS CLUSTER [TENANT [ENTITY]].
creations() {
	plan "$1" "$2" 1 "$3" '{"action":"create","service":null}' "$(jq -cn --arg type "$1" --arg tenant "${4:-default}" --arg name "${5:-one}" \
		'{tenant: $tenant, provider: {name: $name, providertype: $type, provisioner: {token: {secret: "token"}}}}')" |
		jq -c 'if .kind == "job" then .action = "cluster_create" else . end' | coopr-queue put --backoff-ms 0
}

said() {
	coopr-queue show "$1" --layout | jq -r 'select(.kind == "node") | .facts | "\(.pid) \(.said)"' | sort -u
}

@test "tasks with secrets share the process of their provider and tenant, and get the values in their message alone" {
	provider vault '{"stream":true,"stream_secrets":true}'
	one=$(creations vault 8 00000042)
	two=$(creations vault 8 00000043)
	run -0 coopr-work -j 8 --drain
	same 1 "$(grep -c stream started)"
	same 1 "$(wc -l <started)"
	same "$(said "$one")" "$(said "$two")"
	same "${#canary} [\"/cluster/provider/provisioner/token\"]" "$(said "$one" | cut -d ' ' -f 2-)"
	run ! grep -rF "$canary" around spool state/work* "$XDG_RUNTIME_DIR"
}

@test "a provider's tasks without secrets share a process, too, beside a store" {
	provider open '{"stream":true}'
	plan open 6 1 00000042 '{"action":"create","service":null}' '{"provider":{"name":"one","providertype":"open","provisioner":{"token":"plain"}}}' |
		jq -c 'if .kind == "job" then .action = "cluster_create" else . end' | coopr-queue put
	run -0 coopr-work -j 6 --drain
	same stream "$(cut -d ' ' -f 2 started)"
}

@test "tenants never share a process, nor do entities" {
	provider vault '{"stream":true,"stream_secrets":true}'
	for tenant in qa dev; do
		coopr-tenant create "$tenant"
		printf %s "$tenant$canary" | coopr-secret set -T "$tenant" token
	done
	creations vault 3 00000042 qa
	creations vault 3 00000043 dev
	creations vault 3 00000044 qa two
	creations vault 3 00000045 qa
	run -0 coopr-work -j 12 --drain
	same 3 "$(sort -u started | wc -l)"
	same 3 "$(for job in 00000042-001 00000043-001 00000044-001 00000045-001; do said "$job"; done | cut -d ' ' -f 1 | sort -u | wc -l)"
	same "$(said 00000042-001)" "$(said 00000045-001)"
}

@test "a plugin that streams, but does not say that it takes secrets so, has a process for each such task" {
	provider plain '{"stream":true}'
	job=$(creations plain 3 00000042)
	run -0 coopr-work -j 3 --drain
	same 'create create create' "$(cut -d ' ' -f 2 started | paste -sd ' ')"
	same "${#canary} [\"/cluster/provider/provisioner/token\"]" "$(said "$job" | cut -d ' ' -f 2- | sort -u)"
}

@test "a secret that is not there fails the task, and says which" {
	provider vault '{"stream":true,"stream_secrets":true}'
	coopr-secret delete -y token
	creations vault 1 00000042
	run -1 coopr-work --drain -v
	contains "$output" "failed with 78"
	contains "$output" 'token'
	run ! grep create started
}

# Whether the memory of a process has the canary.
remembers() {
	python3 - "$1" "$canary" <<-'END'
		import re, sys
		canary, found = sys.argv[2].encode(), False
		with open("/proc/%s/maps" % sys.argv[1]) as maps, open("/proc/%s/mem" % sys.argv[1], "rb", 0) as memory:
		    for line in maps:
		        match = re.match("([0-9a-f]+)-([0-9a-f]+) r", line)
		        if match and "[v" not in line:
		            memory.seek(int(match.group(1), 16))
		            try:
		                found |= canary in memory.read(int(match.group(2), 16) - int(match.group(1), 16))
		            except OSError:
		                pass
		sys.exit(0 if found else 1)
	END
}

@test "the worker keeps none of what it has handed over, and the process ends when there was nothing for it for a while" {
	need_root
	need_program python3
	provider vault '{"stream":true,"stream_secrets":true}'
	start_work -j 4
	job=$(creations vault 20 00000042)
	coopr-queue wait "$job"
	plugin=$(cut -d ' ' -f 1 started)
	kill -0 "$plugin"
	remembers $$
	run ! remembers "$work"
	run ! grep -q '^Max core file size  *[1-9u]' "/proc/$plugin/limits"
	while kill -0 "$plugin" 2>/dev/null; do sleep 0.2; done
	kill -0 "$work"
	job=$(creations vault 1 00000043)
	coopr-queue wait "$job"
	same 2 "$(wc -l <started)"
}

@test "a plugin that comes with coopr replaces a secret that its cloud repeats, in log and result" {
	need_program python3 curl
	fake_start digitalocean
	fake_set "{\"token\":\"$canary\"}"
	fake_fault "{\"match\":\"GET\",\"do\":\"status\",\"status\":400,\"body\":\"{\\\"message\\\":\\\"the token $canary is odd\\\"}\"}"
	plan digitalocean 1 1 00000042 '{"action":"delete","service":null}' "$(jq -cn --arg endpoint "$FAKE" '{provider: {name: "ocean", providertype: "digitalocean",
		provisioner: {api_token: {secret: "token"}, endpoint: $endpoint}}}')" | jq -c 'if .kind == "job" then .action = "cluster_delete" else . end' | coopr-queue put
	run -1 coopr-work --drain -v
	fake_end
	contains "$(coopr-queue show 00000042-001 -o json)" 'GET /v2/droplets: 400 the token [secret api_token] is odd'
	run ! grep -rF "$canary" spool state/digitalocean
}
