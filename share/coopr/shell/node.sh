# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
#
# What the shell automator runs on a node: any POSIX shell, mktemp, head, mkdir, rm, sleep, and setsid where there is
# one. It arrives on ssh's stdin with what fills the private directory in front, and is sourced by the few
# words of exec/payload.c that made that directory, $base. There are two streams back: stdout for facts, stderr for
# what the script says; each ends with a line that holds $nonce.

: "${base:?}" "${nonce:?}"
pid_file=
script=
watcher=

# When process $1 was started, in ticks since boot; nothing where there is none. With the number, it names a process
# for good: numbers come again.
started_at()
(
	read -r stat 2>/dev/null <"/proc/$1/stat" || exit 0
	set -f
	# shellcheck disable=SC2086
	set -- ${stat##*) }
	echo "${20}"
)

is_alive() # PID STARTED
{
	[ -n "$1" ] && kill -s 0 "$1" 2>/dev/null && [ "$(started_at "$1")" = "$2" ]
}

# Ends the process group $1, in 5 s at the latest.
end_group()
{
	kill -s TERM -- "-$1" 2>/dev/null || kill -s TERM "$1" 2>/dev/null || return 0
	tries=50
	while [ "$tries" -gt 0 ] && kill -s 0 -- "-$1" 2>/dev/null; do
		sleep 0.1 2>/dev/null || sleep 1
		tries=$((tries - 1))
	done
	kill -s KILL -- "-$1" 2>/dev/null || kill -s KILL "$1" 2>/dev/null
	return 0
}

# Ends the earlier attempt that $pid_file tells of: its copy of this program is asked to end its script and to go; where it is
# gone or does not go, the script is ended from here.
end_earlier()
{
	{
		read -r wrapper wrapper_started && read -r group group_started
	} 2>/dev/null <"$pid_file"
	tries=100
	while [ "$tries" -gt 0 ] && is_alive "$wrapper" "$wrapper_started"; do
		kill -s TERM "$wrapper" 2>/dev/null
		sleep 0.1 2>/dev/null || sleep 1
		tries=$((tries - 1))
	done
	if is_alive "$wrapper" "$wrapper_started"; then
		kill -s KILL "$wrapper" 2>/dev/null
	fi
	if is_alive "$group" "$group_started"; then
		end_group "$group"
	fi
	rm -f "$pid_file"
}

# Signs the task as being done by this process. There is no instant in which two have signed: the file
# is made by whoever comes first.
claim() # TASK
{
	run=/run/coopr
	[ -w /run ] || [ -w "$run" ] || run="/tmp/coopr-$(id -u)"
	[ -d "$run" ] || mkdir -m 700 "$run"
	if [ -L "$run" ] || ! [ -O "$run" ]; then
		echo "$run is not a directory of this user's own" >&2
		exit 77
	fi
	pid_file="$run/$1.pid"
	until (set -C; echo "$$ $(started_at $$)" >"$pid_file") 2>/dev/null; do
		if [ ! -e "$pid_file" ]; then
			echo "$pid_file cannot be written" >&2
			exit 75
		fi
		end_earlier
	done
}

# Leaves nothing: also where the client went away or a signal came.
clean()
{
	trap '' TERM HUP INT PIPE
	[ -z "$watcher" ] || kill -s KILL "$watcher" 2>/dev/null
	rm -rf "$base"
	[ -z "$pid_file" ] || rm -f "$pid_file"
	pid_file=
}

stop()
{
	trap '' TERM HUP INT PIPE
	[ -z "$script" ] || end_group "$script"
	exit 143
}

# The line that ends both streams, once nothing is left here.
report() # STATUS
{
	trap '' PIPE
	clean
	trap - EXIT
	printf 'coopr-end %s %d\n' "$nonce" "$1"
	printf 'coopr-end %s\n' "$nonce" >&2
	exit 0
}

# Runs the words as a group of their own, with nothing to read and all output on our stderr. A daemon may keep that open;
# nobody waits for it. The group's leader signs before it becomes the script, so that the script never runs unsigned.
perform() # WORD...
{
	leader=
	if command -v setsid >/dev/null; then
		leader=setsid
	fi
	# shellcheck disable=SC2016
	$leader /bin/sh -c '
		read -r stat <"/proc/$$/stat"
		echo "$$ $(set -f; set -- ${stat##*) }; echo "${20}")" >>"$0"
		exec "$@"' "$pid_file" "$@" 3<&- </dev/null >&2 &
	script=$!
	# Nothing is sent behind the payload: what read gets is that the client is gone.
	{
		read -r _
		kill -s TERM $$
	} <&3 >/dev/null 2>&1 &
	watcher=$!
	trap '' PIPE
	wait "$script" 2>/dev/null
}

node_run() # TASK WORD...
{
	exec 3<&0 </dev/null
	trap clean EXIT
	trap stop TERM HUP INT
	claim "$1"
	shift
	perform "$@"
	status=$?
	script=
	[ ! -s "$base/facts" ] || cat "$base/facts"
	report "$status"
}

# Only looks whether all is there that a script will need.
node_check()
{
	trap clean EXIT
	for program in cat head mkdir mktemp rm sleep; do
		if ! command -v "$program" >/dev/null; then
			echo "there is no $program on this machine" >&2
			report 78
		fi
	done
	report 0
}
