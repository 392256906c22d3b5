#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# A thousand machines on a fake cloud that takes 200 ms for each request and no more than 100 a second: by the plugin, and by a worker, with the
# credentials as a secret. At best they take 1,000 requests / 100 a second, 10 s, one request and the start of the last machine.

set -eu
# shellcheck disable=SC1091 # checked by itself
. "$COOPR_ROOT/tests/bench/bench.bash"
# shellcheck disable=SC1091 # checked by itself
. "$COOPR_ROOT/tests/cloud.bash"

export COOPR_STATE=$PWD/state COOPR_SPOOL=$PWD/spool
COUNT=${COUNT:-1000}

# The creations as take records: records PROVIDER.
records() {
	jq -cn --argjson provider "$1" --argjson count "$COUNT" 'range(1000; 1000 + $count) | {kind: "task", id: "t\(.)", job: "00000042-001",
		token: "00000042-001:t\(.)", attempt: 1, action: "create", service: null, type: $provider.providertype, fields: {}, timeout_s: 600,
		cluster: {id: "00000042", name: "shop", config: {}, provider: $provider, key: "ssh-ed25519 AAAA"},
		machine: {id: "00000042-\(.)", nodenum: ., hostname: "n\(.).example.net", sshuser: "root", flavor: "large", image: $provider.image}}'
}

# Has the plugin do it, and says how long it took and how much memory: creations NAME PROVIDER.
creations() {
	local start end

	records "$2" >tasks
	start=$(date +%s%N)
	/usr/bin/time -f '%M %U %S' -o usage "$COOPR_BIN/../libexec/coopr/provider/$1" stream <tasks >results
	end=$(date +%s%N)
	[ "$(jq -s 'map(select(.status == 0)) | length' results)" = "$COUNT" ]
	[ "$(machines)" = "$COUNT" ]
	awk -v name="$1" -v ms=$(((end - start) / 1000000)) -v count="$COUNT" -v requests="$(requests .)" '{
		printf "%s: %d creations in %.1f s (to reach: %.1f), %d KB (61,440), %.1f s of a processor, %.2f requests a machine\n",
			name, count, ms / 1000, count / 100 * 1.1, $1, $2 + $3, requests / count}' usage
}

for cloud in digitalocean ec2; do
	rm -rf state
	fake_start "$cloud"
	fake_set '{"latency_ms":200,"per_second":100,"active_ms":0}'
	case $cloud in
	digitalocean) provider='{"api_token":"secret-token"}' image=debian-12-x64 ;;
	ec2) provider='{"api_user":"AKIDEXAMPLE","api_password":"secret/key+EXAMPLE"}' image=ami-0123456789abcdef0 ;;
	esac
	creations "$cloud" "$(jq -cn --arg type "$cloud" --arg endpoint "$FAKE" --arg image "$image" --argjson fields "$provider" \
		'{name: "it", providertype: $type, image: $image, provisioner: ($fields + {endpoint: $endpoint, requests_per_second: 100, poll_s: 0.5})}')"
	fake_end
	rm -f fake.port fake.alive
done
