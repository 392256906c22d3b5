# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
#
# What the scripts of this catalogue share; each sources this first. A script says what is to be on the node with put and act, which change
# only what is otherwise; the action status does the same, and changes nothing: it fails where something would change.

# shellcheck source=/dev/null # comes with the task
. ./lib.sh

export DEBIAN_FRONTEND=noninteractive

# note TEXT: something is not as it is to be. Fails if it is not to be changed now. That it changes is kept in a file: put may run in a pipe.
note()
{
	if [ "$COOPR_ACTION" = status ]; then
		echo "not as configured: $1" >&2
		exit 1
	fi
	echo "$1"
	: >"$COOPR_DIR/changed"
}

# put FILE [MODE [OWNER:GROUP]]: makes the file what is read, whole and with this mode and owner from its first byte.
put()
{
	if [ "$COOPR_ACTION" = status ]; then
		new=$COOPR_DIR/put
	else
		mkdir -p "$(dirname "$1")"
		new=$1.coopr-new
	fi
	(umask 077 && cat >"$new")
	chown "${3:-root:root}" "$new"
	chmod "${2:-644}" "$new"
	if cmp -s "$new" "$1" && [ "$(stat -c %a:%U:%G "$new")" = "$(stat -c %a:%U:%G "$1")" ]; then
		rm "$new"
	else
		note "$1"
		mv -f "$new" "$1"
	fi
}

# say TEXT: prints it as it is, with all of its backslashes.
say()
{
	printf '%s\n' "$*"
}

# act TEXT COMMAND...: changes something else, which the text names; in the action status it fails instead.
act()
{
	note "$1"
	shift
	"$@"
}

# each PATH MEMBER FUNCTION: calls the function with PATH/0, PATH/1, ..., the elements of a list of objects, which all have the member.
each()
{
	number=0
	while [ -n "$(coopr_config "$1/$number/$2" '')" ]; do
		"$3" "$1/$number"
		number=$((number + 1))
	done
}

# wait_for SECONDS COMMAND...: until it succeeds.
wait_for()
{
	turns=$(($1 * 5))
	shift
	while ! "$@" >/dev/null 2>&1; do
		[ $turns -gt 0 ] || return 1
		turns=$((turns - 1))
		sleep 0.2
	done
}

# later TEXT: fails for now; the task is tried again.
later()
{
	echo "$1" >&2
	exit 75
}

# fail TEXT: it has failed, or is not well, and a person may have to look.
fail()
{
	echo "$1" >&2
	exit 1
}

# service_runs NAME: whether it runs.
service_runs()
{
	service "$1" status >/dev/null 2>&1
}

# start_service NAME: starts it, unless it runs.
start_service()
{
	service_runs "$1" || service "$1" start
}

has_ended()
{
	! "$@"
}

# stop_service NAME [COMMAND...]: stops it, and waits until it has ended, as the command says; what the system has for that may return before.
stop_service()
{
	service "$1" stop
	service=$1
	shift
	[ $# -gt 0 ] || set -- service_runs "$service"
	wait_for 60 has_ended "$@" || fail "$service does not end"
}

# answers URL: whether somebody does, and well.
answers()
{
	curl -s -f -m 5 -o /dev/null "$1"
}

# in_quotes TEXT: as a string of YAML and of most SQL.
in_quotes()
{
	printf "'%s'" "$(printf '%s' "$1" | sed "s/'/''/g")"
}

# in_escaped_quotes TEXT: as a string of PHP and of MariaDB.
in_escaped_quotes()
{
	printf "'%s'" "$(printf '%s' "$1" | sed "s/[\\\\']/\\\\&/g")"
}

# place_of ADDRESS LIST: which one it is of the list, commas between, from 1.
place_of()
{
	echo "$2" | tr ',' '\n' | grep -nx "$1" | cut -d : -f 1
}

# all_but ADDRESS LIST: the others, one a line.
all_but()
{
	echo "$2" | tr ',' '\n' | grep -vx "$1" || :
}

# is_among ADDRESS LIST: whether it is one of the list's, commas between.
is_among()
{
	case ,$2, in
	*",$1,"*) ;;
	*) return 1 ;;
	esac
}

# has_changed: whether this run has changed anything.
has_changed()
{
	[ -e "$COOPR_DIR/changed" ]
}

# own FOLDER USER: gives it to the user with all that is in it, also where it is a volume that another machine had, or a blank one.
own()
{
	[ "$(stat -c %U "$1")" = "$2" ] || act "$1 is $2's" chown -R "$2:$2" "$1"
}

# finish: the end of a script that has done its work.
finish()
{
	if has_changed; then
		coopr_result changed true
	else
		coopr_result changed false
		[ "$COOPR_ACTION" = status ] || echo "nothing has changed"
	fi
}
