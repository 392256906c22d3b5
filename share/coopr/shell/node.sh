# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
#
# What the shell automator runs on a node. It needs a POSIX shell, cat, head, mkdir, rm, sleep, and uses setsid if there is
# one. It arrives on ssh's stdin, before the commands that fill the private directory, and is sourced by the few
# words of ssh/payload.c that made that directory, $base, and, for a task with secrets, $memory, which is on no disk. There are two streams back: stdout for the archive of a backup, which a
# line with $nonce ends, and for facts; stderr for what the script says; each ends with a line that holds $nonce.

: "${base:?}" "${nonce:?}" "${memory?}"
pid_file=
script=
watcher=

# Prints when process $1 was started, in ticks since boot; nothing if there is no such process. With the number, that names a
# process for ever: numbers are used again.
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

# Stops all processes that descend from $1 and are not in its group, until there are no more: what is stopped starts none. Prints each
# with its start.
stop_strays()
{
	kill -s STOP -- "-$1"
	kin=" $1 " strays=' ' before=
	while [ "$kin$strays" != "$before" ]; do
		before=$kin$strays
		for process in $kin; do
			for child in $(cat /proc/"$process"/task/*/children); do
				case $kin in *" $child "*) continue ;; esac
				kin="$kin$child "
				read -r stat <"/proc/$child/stat" || continue
				# shellcheck disable=SC2086
				if [ "$(set -f; set -- ${stat##*) }; echo "$3")" != "$1" ]; then
					kill -s STOP "$child"
					strays="$strays$child:$(started_at "$child") "
				fi
			done
		done
	done
	echo "$strays"
} 2>/dev/null

# Sends a signal to those of $2... that are still the same processes.
signal_strays() # SIGNAL PID:STARTED...
{
	signal=$1
	shift
	for stray; do
		! is_alive "${stray%:*}" "${stray#*:}" || kill -s "$signal" "${stray%:*}" 2>/dev/null
	done
}

# Ends the process group $1, in 4 s at the latest: whoever asked for it waits a bit longer than that. Where the task says so, what has left
# the group and still descends from it, which is no daemon, ends with it.
end_group()
{
	strays=
	if [ -n "${ends_descendants:-}" ]; then
		strays=$(stop_strays "$1")
		# shellcheck disable=SC2086
		signal_strays TERM $strays
	fi
	end_one_group "$1"
	# shellcheck disable=SC2086
	signal_strays KILL $strays
}

end_one_group()
{
	if ! kill -s TERM -- "-$1" 2>/dev/null && ! kill -s TERM "$1" 2>/dev/null; then
		return 0
	fi
	if [ -n "${ends_descendants:-}" ]; then
		kill -s CONT -- "-$1" 2>/dev/null
		# shellcheck disable=SC2086
		signal_strays CONT $strays
	fi
	tries=40
	while [ "$tries" -gt 0 ] && kill -s 0 -- "-$1" 2>/dev/null; do
		sleep 0.1 2>/dev/null || sleep 1
		tries=$((tries - 1))
	done
	kill -s KILL -- "-$1" 2>/dev/null || kill -s KILL "$1" 2>/dev/null
	return 0
}

# Ends the earlier attempt that the file $1 names: asks its copy of this program to end its script and itself, and ends the script
# from here if that copy is gone or does not end.
end_earlier()
{
	{
		read -r wrapper wrapper_started && read -r directory && read -r group group_started
	} 2>/dev/null <"$1"
	tries=100
	while [ "$tries" -gt 0 ] && is_alive "$wrapper" "$wrapper_started"; do
		kill -s TERM "$wrapper" 2>/dev/null
		sleep 0.1 2>/dev/null || sleep 1
		tries=$((tries - 1))
	done
	if is_alive "$wrapper" "$wrapper_started"; then
		kill -s KILL "$wrapper" 2>/dev/null
	fi
	# A number is not given to another while a group has it: without a leader the group is still the script's.
	if is_alive "$group" "$group_started" || { [ -n "$group" ] && [ -z "$(started_at "$group")" ]; }; then
		end_group "$group"
	fi
	remove_base "$directory"
	for up in /run /dev/shm; do
		remove_memory "$up/${directory##*/}"
	done
	rm -f "$1"
}

# Removes a directory of secrets, and nothing else. Whoever owns it may have put a link in its place: what is in it is removed from
# within.
remove_memory() # DIRECTORY
(
	nonce_of=${1##*/coopr.}
	case $nonce_of in
	*[!0-9a-f]*) exit 0 ;;
	esac
	[ ${#nonce_of} -eq 32 ] && [ -d "$1" ] && [ ! -L "$1" ] && cd "$1" && [ "$(pwd -P)" = "$1" ] || exit 0
	rm -rf ./* ./.[!.]* ./..?*
	cd / && rmdir "$1"
) 2>/dev/null

# Removes what a task has left in memory that was killed together with all that watched it: the processes whose first words have its
# name.
sweep_memory()
{
	for left in /run/coopr.* /dev/shm/coopr.*; do
		[ -d "$left" ] && [ "$left" != "$memory" ] || continue
		for process in /proc/[0-9]*/cmdline; do
			IFS= read -r words <"$process" || :
			case $words in
			*"${left##*/coopr.}"*) continue 2 ;;
			esac
		done 2>/dev/null
		remove_memory "$left"
	done
}

# Removes the private directory of an attempt that could not do so itself; nothing else, whatever the file says.
remove_base()
{
	case ${1##*/coopr.} in
	*[!A-Za-z0-9]*) return 0 ;;
	esac
	case $1 in
	*/../*) ;;
	/*/coopr.??????????*)
		# Of a script with a user, it is that user's.
		if [ -d "$1" ] && [ ! -L "$1" ] && { [ -O "$1" ] || [ "$(id -u)" -eq 0 ]; }; then
			rm -rf "$1"
		fi
		;;
	esac
}

# Signs the task as being done by this process. There is no instant in which two have signed: the file
# is made by whoever comes first.
claim() # TASK
{
	if [ -w /run ]; then
		[ -d /run/coopr ] || mkdir -m 700 /run/coopr 2>/dev/null
		sign="/run/coopr/$1.pid"
	else
		sign="/tmp/coopr-$(id -u)-$1.pid"
	fi
	failures=0
	until (set -C; printf '%s %s\n%s\n' "$$" "$(started_at $$)" "$base" >"$sign") 2>/dev/null; do
		if [ -f "$sign" ] && [ -O "$sign" ]; then
			end_earlier "$sign"
		elif [ $((failures += 1)) -gt 3 ]; then
			echo "$sign cannot be written" >&2
			exit 75
		fi
	done
	pid_file=$sign
}

# Removes all that the task has put here, also if the client went away or a signal came.
clean()
{
	trap '' TERM HUP INT PIPE
	[ -z "$watcher" ] || kill -s KILL "$watcher" 2>/dev/null
	rm -rf "$base" "$memory" ${pid_file:+"$pid_file"}
	pid_file=
}

stop()
{
	trap '' TERM HUP INT PIPE
	if [ -n "$script" ]; then
		end_group "$script"
		wait "$script" 2>/dev/null
	fi
	exit 143
}

# Ends both streams with their last line, once nothing is left here.
report() # STATUS
{
	trap '' PIPE
	clean
	trap - EXIT
	printf 'coopr-end %s %d\n' "$nonce" "$1"
	printf 'coopr-end %s\n' "$nonce" >&2
	exit 0
}

# Runs the file "start" as a group of its own, as the user that is given. The group's leader signs before it becomes the
# script, so that the script never runs unsigned.
lead() # USER
{
	leader=
	if command -v setsid >/dev/null; then
		leader=setsid
	fi
	COOPR_DIR=$base/work
	export COOPR_DIR
	# shellcheck disable=SC2016
	exec $leader /bin/sh -c '
		read -r stat <"/proc/$$/stat"
		echo "$$ $(set -f; set -- ${stat##*) }; echo "${20}")" >>"$0"
		[ -z "$2" ] || exec su -s /bin/sh -- "$2" "$1"
		. "$1"' "$pid_file" "$base/start" "$1" 3<&-
}

# Hands the script its archive, which comes behind the payload in pieces: a line with the length, and so many bytes; the length 0
# is its end. What breaks off before that has no end for the script either: it is ended first.
hand_archive()
{
	exec 5>"$base/archive"
	while read -r length; do
		case $length in
		0)
			exec 5>&-
			read -r _
			break
			;;
		'' | *[!0-9]*) break ;;
		esac
		# Nobody reads it any more: how the script ends is for itself to say.
		if ! head -c "$length" >&5; then
			cat >/dev/null
			break
		fi
	done
	while kill -s TERM $$; do
		sleep 1
	done
}

# Runs the script. It has nothing to read, or the archive that it is to restore; all its output is on our stderr, but the archive
# that a backup prints. A daemon may keep that open; nobody waits for it.
perform() # USER [backup|restore]
{
	case ${2:-} in
	backup) lead "$1" </dev/null & ;;
	restore)
		mkfifo "$base/archive" || return 75
		lead "$1" <"$base/archive" >&2 &
		;;
	*) lead "$1" </dev/null >&2 & ;;
	esac
	script=$!
	# Nothing else is sent behind the payload: what read gets is that the client is gone, or that we are.
	{
		if [ "${2:-}" = restore ]; then
			hand_archive
		fi
		read -r _
		if ! kill -s TERM $$; then
			end_group "$script"
			watcher=
			clean
		fi
	} <&3 >/dev/null 2>&1 &
	watcher=$!
	trap '' PIPE
	wait "$script" 2>/dev/null
}

newline='
'

is_name_of() # ADDRESS NAME
{
	for known in $(getent ahosts "$2" 2>/dev/null | while read -r address _; do echo "$address"; done); do
		if [ "$known" = "$1" ]; then
			return 0
		fi
	done
	return 1
}

# Adds a line to the new block of names. A line of the old block stays; a name that means the address already, by DNS or by
# hand, needs none. After three names that do not, no more are asked for: a name server that is dead makes each wait.
add_name() # ADDRESS NAME
{
	case $newline$old_names in
	*"$newline$1 $2 ${2%%.*}$newline"*) ;;
	*)
		if [ "$unknown" -lt 3 ] && is_name_of "$1" "$2"; then
			return 0
		fi
		unknown=$((unknown + 1))
		;;
	esac
	new_names="$new_names$1 $2 ${2%%.*}$newline"
}

# Replaces the block of names in $hosts. What cannot be renamed, as a file that is mounted there, is written in place.
write_names() # TEXT
{
	if cp -p "$hosts" "$hosts.$nonce" && printf '%s' "$1" >"$hosts.$nonce"; then
		mv -f "$hosts.$nonce" "$hosts" 2>/dev/null || cat "$hosts.$nonce" >"$hosts"
	fi
	rm -f "$hosts.$nonce"
}

# Keeps a block of /etc/hosts with the names of the cluster's nodes, which each_name lists. Whoever cannot write the file leaves it.
node_names()
{
	hosts=${COOPR_HOSTS:-/etc/hosts} first='# names of the cluster, kept by coopr' last='# end of the names kept by coopr'
	old_names='' new_names='' others='' inside='' unknown=0
	[ -f "$hosts" ] && [ -w "$hosts" ] || return 0
	while IFS= read -r line || [ -n "$line" ]; do
		case $inside$line in
		"$first") inside=yes ;;
		"yes$last") inside= ;;
		yes*) old_names=$old_names$line$newline ;;
		*) others=$others$line$newline ;;
		esac
	done <"$hosts"
	if [ -n "$inside" ]; then
		echo "$hosts: a line '$last' is missing; the names of the cluster are not written" >&2
		return 0
	fi
	each_name
	if [ "$new_names" = "$old_names" ]; then
		return 0
	fi
	write_names "$others${new_names:+$first$newline$new_names$last$newline}" ||
		echo "$hosts: the names of the cluster are not written" >&2
	return 0
}

# Finds the file of the keys that the user admits, behind a link too, what the block of a cluster begins and ends with, and what is in it:
# a note, and the lines that are admitted.
keys_of() # CLUSTER
{
	keys=$HOME/.ssh/authorized_keys
	if [ -L "$keys" ]; then
		keys=$(readlink -f "$keys") || return 1
	fi
	first="# key of the cluster $1, kept by coopr" last="# end of the key of the cluster $1"
	made_file='# the file was made by coopr' made_all='# the file and its folder were made by coopr'
	block= note= admitted=
	if [ -f "$keys" ]; then
		while IFS= read -r line; do
			case $block$line in
			"$first") block=begun ;;
			"begun$last") block=whole ;;
			"begun$made_file" | "begun$made_all") note=$line$newline ;;
			begun*) admitted=$admitted$line$newline ;;
			esac
		done <"$keys"
	fi
}

# Replaces the file by what is on standard input, with its owner and mode.
replace_keys()
{
	if [ -e "$keys" ]; then
		cp -p "$keys" "$keys.$nonce"
	fi && cat >"$keys.$nonce" && mv -f "$keys.$nonce" "$keys" && return 0
	rm -f "$keys.$nonce"
	return 1
}

# Prints the file without the block, which is whole. What stands behind it is copied byte by byte.
without_block()
{
	while IFS= read -r line && [ "$line" != "$first" ]; do
		printf '%s\n' "$line"
	done
	while IFS= read -r line && [ "$line" != "$last" ]; do
		:
	done
	cat
}

# Has the user who logs in admit the key, and whoever shows a certificate that it has signed, in a block at the head of the file, whose
# other bytes stay as they are.
node_admit() # CLUSTER KEY
{
	keys_of "$1" || report 78
	wanted="$2 coopr $1${newline}cert-authority $2 coopr $1$newline"
	if [ "$block" = whole ]; then
		[ "$admitted" != "$wanted" ] || return 0
		without_block <"$keys" >"$base/others" || report 78
	elif [ -e "$keys" ]; then
		cat "$keys" >"$base/others" || report 78
	else
		: >"$base/others"
		note=$made_file$newline
	fi
	if [ ! -d "$HOME/.ssh" ]; then
		mkdir -m 700 "$HOME/.ssh" || report 78
		note=$made_all$newline
	fi
	{
		printf '%s\n' "$first" && printf '%s%s' "$note" "$wanted" && printf '%s\n' "$last" && cat "$base/others"
	} >"$base/keys" && replace_keys <"$base/keys" || {
		echo "$keys: the key of the cluster is not written" >&2
		report 78
	}
}

# Takes the block away, and what was made for it.
node_dismiss() # CLUSTER
{
	keys_of "$1" || report 78
	[ "$block" = whole ] || return 0
	without_block <"$keys" >"$base/keys" || report 78
	case $note in
	"$made_file$newline" | "$made_all$newline")
		if [ ! -s "$base/keys" ]; then
			rm -f "$keys"
			[ "$note" != "$made_all$newline" ] || rmdir "$HOME/.ssh" 2>/dev/null || :
			return 0
		fi
		;;
	esac
	replace_keys <"$base/keys" || report 78
}

# Finds the folder of what this node keeps from one task to the next.
find_cache()
{
	cache=/var/cache/coopr/files
	[ "$(id -u)" -eq 0 ] || cache=$HOME/.cache/coopr/files
	cache=${COOPR_CACHE:-$cache}
}

is_cached() # SHA256
{
	[ -O "$cache" ] && [ "$(sha256sum <"$cache/$1")" = "$1  -" ]
} 2>/dev/null

# Keeps what was sent, and of what was kept before what the last tasks have used.
keep_cached() # SHA256
(
	umask 022
	mkdir -p "${cache%/*}" && { [ -d "$cache" ] || mkdir -m 700 "$cache"; } || exit 0
	if ! mv -f "$base/cached" "$cache/$nonce" || ! mv -f "$cache/$nonce" "$cache/$1" || ! is_cached "$1"; then
		rm -f "$cache/$nonce" "$cache/$1"
	fi
	# shellcheck disable=SC2012 # all are named by us
	ls -t "$cache" | tail -n +17 | while read -r old; do
		rm -f "$cache/$old"
	done
) 2>/dev/null

# Makes the files that are the same for many tasks, by the program for that which is in the cache, or by what is sent when asked for.
node_cached() # SHA256 LENGTH
{
	find_cache
	cached=
	if is_cached "$1"; then
		touch "$cache/$1" 2>/dev/null || :
		# shellcheck source=/dev/null
		. "$cache/$1"
	else
		printf 'coopr-want %s\n' "$nonce"
		head -c "$2" >"$base/cached"
		# shellcheck source=/dev/null
		. "$base/cached"
		keep_cached "$1" || :
	fi
	# What breaks off half way has no last line.
	[ -n "$cached" ] || exit 75
}

node_forget()
{
	find_cache
	rm -rf "$cache"
	rmdir "${cache%/*}" 2>/dev/null || :
}

node_run() # TASK [USER [backup|restore]]
{
	exec 3<&0 </dev/null
	trap clean EXIT
	trap stop TERM HUP INT
	# This program has been read to its end: what the user makes of its file does not matter any more.
	if [ -n "${2:-}" ]; then
		chown -R "$2" "$base" ${memory:+"$memory"} || exit
	fi
	sweep_memory
	claim "$1"
	perform "${2:-}" "${3:-}"
	status=$?
	script=
	[ "${3:-}" != backup ] || printf 'coopr-archive %s\n' "$nonce"
	[ ! -s "$base/facts" ] || cat "$base/facts"
	report "$status"
}

# Checks whether all programs are there that a script needs.
node_check()
{
	trap clean EXIT
	sweep_memory
	for program in cat head mkdir rm sleep; do
		if ! command -v "$program" >/dev/null; then
			echo "there is no $program on this machine" >&2
			report 78
		fi
	done
	report 0
}
