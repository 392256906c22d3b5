#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What coopr-serve bears: as many clusters created by requests as by commands, in turns, four at once, as many as the server runs for one
# user; and ten thousand connections that do nothing good.

set -eu
# shellcheck source=tests/bench/bench.bash
. "$(dirname "$0")/bench.bash"
rounds=${ROUNDS:-3} count=${COUNT:-40} at_once=4

coopr-store init
coopr-import -yq "$COOPR_ROOT/share/coopr/catalogue"
coopr-user add -q -r superadmin zoe >/dev/null
token=$(coopr-token create bench)
coopr-serve --socket serve.socket --listen 127.0.0.1:0 2>serve.log &
server=$!
trap 'kill $server 2>/dev/null || :' EXIT
until grep -q 'serving on http' serve.log; do kill -0 "$server"; done
address=$(sed -n 's|.*serving on http://||p' serve.log)

# Prints how many a second: each COMMAND...
each() {
	local begin end

	begin=$(date +%s.%N)
	seq "$count" | xargs -P "$at_once" -I{} "$@"
	end=$(date +%s.%N)
	awk -v n="$count" -v begin="$begin" -v end="$end" 'BEGIN {print n / (end - begin)}'
}

# Prints the milliseconds of the processor that a process and its children that have ended used: cpu_ms PID
cpu_ms() {
	awk '{print 10 * ($14 + $15 + $16 + $17)}' "/proc/$1/stat"
}

for round in $(seq "$rounds"); do
	before=$(cpu_ms $$)
	each coopr-create -q -y --detach -t web -n 4 "command-$round-{}" >>commands
	echo $((($(cpu_ms $$) - before) / count)) >>commands-cpu
	before=$(cpu_ms "$server")
	each curl -sSf --unix-socket serve.socket -o /dev/null http://coopr/v1/clusters \
		-d '{"name": "request-'"$round"'-{}", "template": "web", "machines": 4}' >>requests
	echo $((($(cpu_ms "$server") - before) / count)) >>requests-cpu
done
[ "$(coopr-list -o name | wc -l)" -eq $((2 * rounds * count)) ]
printf 'clusters created, %d at once: %.1f a second by requests, %.1f by commands: %s; %.0f ms of CPU each, %.0f by commands\n' "$at_once" \
	"$(median <requests)" "$(median <commands)" "$(at_least "$(paste requests commands | awk '{print $1 / $2}' | median)" 0.9 " of it")" \
	"$(median <requests-cpu)" "$(median <commands-cpu)"
python3 -B "$(dirname "$0")/serve-herd.py" "$address" "${CONNECTIONS:-10000}" "$server" "$token"
