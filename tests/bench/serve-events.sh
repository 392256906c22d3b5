#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# How old events are when a thousand followers see them, of a hundred changes a second: tasks that take 200 ms, ten at once, begin and end.
# PRIORITY (such as "chrt -r 1") is what server and followers begin with, where others use the machine as well.

set -eu
# shellcheck source=tests/bench/bench.bash
. "$(dirname "$0")/bench.bash"
followers=${FOLLOWERS:-1000} seconds=${SECONDS_EACH:-15}
echo "$(nproc) processors, $(cut -d' ' -f1 /proc/loadavg) busy"

ulimit -n "$(ulimit -Hn)"
store_clusters 1
# Nobody is told of clusters that the store does not know.
plan $((seconds * 50)) | sed 's/"fields":{}/"fields":{"delay_ms":200}/; s/00000042/00000100/g' | coopr-queue put >/dev/null
${PRIORITY-} coopr-serve --socket serve.socket 2>serve.log &
server=$!
worker=
trap 'kill $server $worker 2>/dev/null || :; wait' EXIT
until curl -sf --unix-socket serve.socket -o /dev/null http://coopr/healthz; do kill -0 "$server"; done
${PRIORITY-} python3 -B "$(dirname "$0")/followers.py" serve.socket "$followers" "$seconds" "$server" >figures &
follower=$!
sleep 3 # until all follow
${PRIORITY-} coopr-work -j 10 --drain >work.log 2>&1 &
worker=$!
wait "$follower"
jq -r '"\(.followers) followers, \(.events_each) events each, \(.cut) cut off, \(.different_lists) different lists, \(.doubled) doubled: median \(.age_ms.p50) ms"' figures
printf 'the 99th percentile %s; the oldest %s; the server %s\n' "$(against "$(jq .age_ms.p99 figures)" 200 ms)" \
	"$(against "$(jq .age_ms.max figures)" 200 ms)" "$(against "$(jq '.server_rss_kib / 1000' figures)" 100 MB)"
