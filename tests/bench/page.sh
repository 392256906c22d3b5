#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# How long a browser takes until its screen has the list of clusters, of many, beside an empty page of the same bytes: in turns, on a first
# visit and on later ones. PRIORITY (such as "chrt -r 1") is what server and browser begin with, where others use the machine as well.

set -eu
# shellcheck source=tests/bench/bench.bash
. "$(dirname "$0")/bench.bash"

has chromium chromium || exit 0
has node nodejs || exit 0
NODE_PATH=${NODE_PATH-$(npm root -g 2>/dev/null)}
export NODE_PATH
node -e 'require.resolve("playwright-core")' 2>/dev/null || { echo "skipped: playwright-core is not where NODE_PATH says: npm install playwright-core" && exit 0; }
rounds=${ROUNDS:-15} clusters=${CLUSTERS:-10000}
echo "$(versions chromium nodejs), $(nproc) processors, $(cut -d' ' -f1 /proc/loadavg) busy"

store_clusters "$clusters"
code=$(coopr-user add -y -r superadmin -o json bench | jq -r .code)
${PRIORITY-} coopr-serve --socket serve.socket --listen 127.0.0.1:0 2>serve.log &
server=$!
trap 'kill $server' EXIT
until grep -q 'serving on http' serve.log; do kill -0 "$server"; done
${PRIORITY-} node "${0%.sh}.cjs" "$(sed -n 's|.*serving on http:|http:|p' serve.log)/" "$code" "$rounds" |
	while read -r visit ours all empty requests bytes; do
		printf 'the list of %d clusters, %s visit, %d requests, %d bytes: %s, all rows %.0f ms; %.1f times an empty page of these bytes (%.0f ms)\n' \
			"$clusters" "$visit" "$requests" "$bytes" "$(against "$ours" 100 ms)" "$all" "$(awk -v a="$ours" -v b="$empty" 'BEGIN {print a / b}')" "$empty"
	done
