#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What a task costs beside its own work: its plugin alone, coopr-exec around it, coopr-work and the spool around that. The
# promise is that coopr-work adds less than 10 ms. Then a script over a warm ssh connection, beside ssh itself.
#
# Where the processor's time of "-j 20" goes, all processes together, in microseconds a task (November 2026, perf; a plan as
# coopr-plan prints it, on tmpfs):
#
#	                                   before   now
#	the plugin: reads a task, answers      34    20   half of it libjq's objects; 280,000 and 169,000 instructions
#	the worker and the queue in it         46    18   kernel 5, libjq 3; the queue's turn is 80,000 instructions, of them
#	                                                  the take record 31,000, check sums 14,000, the heap of nodes 10,000
#
# Most of it went into libjq's parser and printer and into names of members that were hashed anew each time; json/build.h and
# json/dump.h do the same, byte for byte. By the clock, -j 20 waits for the disk once for 20 tasks (strace -c: 201 fdatasync for
# 4,000): where one takes 2 ms, 10,000 a second are all there is; -j 100 gets more. Check sums cost less than 3 in 100 of the
# whole, and are what tests/unit/queue-rot.c rests on: a sum of the whole file would cost time with the number of tasks.

set -eu
# shellcheck disable=SC1091 # checked by itself
. "$COOPR_ROOT/tests/bench/bench.bash"

# Milliseconds a task for COUNT tasks, N at the same time, by the clock and of the processor: drain COUNT N
drain() {
	local ms cpu _

	plan "$1" | coopr-queue put >/dev/null
	read -r ms cpu _ <<<"$(repeat -b -n 1 coopr-work -j "$2" --drain)"
	awk -v ms="$ms" -v cpu="$cpu" -v n="$1" -v j="$2" 'BEGIN {
		printf "coopr-work -j %-3d %d tasks: %.2f ms a task, %.0f tasks/s; %.1f us of CPU a task", j, n, ms / n, n * 1000 / ms,
			cpu * 1000 / n
		print (j == 20 && n >= 20000 ? " (to reach: 50" (cpu * 1000 / n > 50 ? ", MISSED)" : ")") : "")}'
}

plan 1 | coopr-queue put >/dev/null
coopr-queue take | tee taken | coopr-exec -q | coopr-queue "done"
jq -c 'del(.log)' <taken >task.json
libexec=$(dirname "$(command -v coopr-exec)")/../libexec/coopr
repeat -n 200 -i task.json -l "automator/dummy alone" "$libexec/automator/dummy" configure
repeat -n 200 -i task.json -l "coopr-exec with it" coopr-exec -q
drain 1000 1
drain 1000 2
drain 20000 20

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
