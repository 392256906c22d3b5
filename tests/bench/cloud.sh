#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# A thousand machines on a fake cloud that takes 200 ms for each request and no more than 100 a second: at best they take 10 s.

set -eu
# shellcheck disable=SC1091 # checked by itself
. "$COOPR_ROOT/tests/bench/bench.bash"
# shellcheck disable=SC1091 # checked by itself
. "$COOPR_ROOT/tests/cloud.bash"

export COOPR_STATE=$PWD/state COOPR_SPOOL=$PWD/spool
COUNT=${COUNT:-1000}
plugins=$(dirname "$(command -v coopr)")/../libexec/coopr/provider

# The creations as take records: records PROVIDER.
records() {
	jq -cn --argjson provider "$1" --argjson count "$COUNT" 'range(1000; 1000 + $count) | {kind: "task", id: "t\(.)", job: "00000042-001",
		token: "00000042-001:t\(.)", attempt: 1, action: "create", service: null, type: $provider.providertype, fields: {}, timeout_s: 600,
		cluster: {id: "00000042", name: "shop", config: {}, provider: $provider, key: "ssh-ed25519 AAAA"},
		machine: {id: "00000042-\(.)", nodenum: ., hostname: "n\(.).example.net", sshuser: "root", flavor: "large", image: $provider.image}}'
}

# Has the plugin do it, and says how long it took and how much memory: creations NAME PROVIDER.
creations() {
	local start ms

	records "$2" >tasks
	start=$(date +%s%N)
	/usr/bin/time -f '%M %U %S' -o usage "$plugins/$1" stream <tasks >results
	ms=$((($(date +%s%N) - start) / 1000000))
	[ "$(jq -s 'map(select(.status == 0)) | length' results)" = "$COUNT" ]
	[ "$(machines)" = "$COUNT" ]
	read -r memory user system <usage
	echo "$1, $COUNT machines by one process: $(against "$(awk -v ms=$ms 'BEGIN {print ms / 1000}')" "$(awk -v n="$COUNT" 'BEGIN {print n / 100 * 1.1}')" s)," \
		"$(against "$memory" 61440 KB), $(awk -v a="$user" -v b="$system" 'BEGIN {print a + b}') s of a processor," \
		"$(against "$(awk -v r="$(requests .)" -v n="$COUNT" 'BEGIN {print r / n}')" 3 "requests a machine")"
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
