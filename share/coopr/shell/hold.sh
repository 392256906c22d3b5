# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
#
# hold.sh: holds the node for a task whose work comes in by connections of others, as that of automator/ansible-control: it says so, and does
# nothing but be ended. hold.sh PID: enters the process group of that process, which is such a connection's shell, among those that node.sh ends with
# the task. Exit code 75: the task has ended.

sessions=${0%/*}/../sessions

if [ $# -eq 0 ]; then
	mkdir -m 700 "$sessions" && echo held || exit 75
	while :; do
		sleep 3600
	done
fi

# Prints the process group of the process, and the time of its start.
group_and_start()
(
	read -r stat <"/proc/$1/stat" || exit
	set -f
	# shellcheck disable=SC2086
	set -- ${stat##*) }
	echo "$3 ${20}"
)

group=$(group_and_start "$1") group=${group% *}
group_and_start "${group:-none}" >"$sessions/$$" || exit 75
