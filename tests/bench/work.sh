#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What a task costs beside its own work: its plugin alone, coopr-exec around it, coopr-work and the spool around that. The
# promise is that coopr-work adds less than 10 ms. Then a script over a warm ssh connection, beside ssh itself.

set -eu
# shellcheck disable=SC1091 # checked by itself
. "$COOPR_ROOT/tests/bench/bench.bash"

# Milliseconds a task for COUNT tasks, N at the same time: drain COUNT N
drain() {
	local start end

	plan "$1" | coopr-queue put >/dev/null
	start=$(date +%s%N)
	coopr-work -j "$2" --drain
	end=$(date +%s%N)
	awk -v ns=$((end - start)) -v n="$1" -v j="$2" \
		'BEGIN {printf "coopr-work -j %-3d %d tasks: %.2f ms a task, %.0f tasks/s\n", j, n, ns / n / 1e6, n * 1e9 / ns}'
}

plan 1 | coopr-queue put >/dev/null
coopr-queue take | tee taken | coopr-exec -q | coopr-queue "done"
jq -c 'del(.log)' <taken >task.json
libexec=$(dirname "$(command -v coopr-exec)")/../libexec/coopr
repeat -n 200 -i task.json -l "automator/dummy alone" "$libexec/automator/dummy" configure
repeat -n 200 -i task.json -l "coopr-exec with it" coopr-exec -q
drain 1000 1
drain 1000 2
drain 1000 20

if ! command -v sshd >/dev/null || [ "$(id -u)" -ne 0 ]; then
	echo "over ssh: needs sshd and root"
	exit 0
fi
load() { :; }
need_program() { :; }
# shellcheck disable=SC1091 # checked by itself
. "$COOPR_ROOT/tests/sshd.bash"
sshd_start
trap 'ssh -F none -S "$(echo sockets/*)" -O exit none 2>/dev/null; sshd_stop' EXIT
mkdir sockets
script true.sh </dev/null
task configure '{"script": "true.sh"}' | jq -c 'del(.log)' >task.json
export COOPR_SSH_SOCKETS=$PWD/sockets
coopr-exec -q <task.json >/dev/null
repeat -n 50 -l "peer: ssh NODE true, warm" ssh -F none -S sockets/* none true
repeat -n 50 -i task.json -l "automator/shell, warm" coopr-exec -q
