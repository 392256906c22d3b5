# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
#
# Functions for service scripts, coopr-shell(7). The file is put beside the script, which reads it: . ./lib.sh
# The tables of the task are functions too, and follow at the end: coopr_lookup, and coopr_each_node.

# coopr_fail REASON: prints the reason, keeps it for the result of the task (a fact without a name), and exits with 78.
coopr_fail()
{
	printf '%s: %s\n' "${0##*/}" "$1" >&2
	printf '=%s\000' "$1" >>"$COOPR_DIR/../facts"
	exit 78
}

# What the action declares, set at the end of this file: the services that it may look up, the members of the configuration that it
# may read, and whether anything else is an error.
coopr_asked=all
coopr_reads=all
coopr_strict=

# coopr_config PATH [DEFAULT]: prints the value at PATH, such as nginx/port, of the cluster's configuration; of a list each element,
# one a line.
coopr_config()
{
	coopr_value=
	coopr_problem=
	coopr_member=${1#/}
	coopr_member=${coopr_member%%/*}
	case $coopr_reads in
	all | *" $coopr_member "*) ;;
	*) coopr_fail "coopr_config $1: the field \"config\" of the action does not name $coopr_member; write \"config\": [\"$coopr_member\", ...]" ;;
	esac
	if ! coopr_lookup "${1#/}"; then
		[ $# -ge 2 ] || coopr_fail "configuration: /${1#/}: there is no such member"
		printf '%s\n' "$2"
	elif [ -n "$coopr_problem" ]; then
		coopr_fail "configuration: /${1#/}: $coopr_problem"
	else
		printf '%s' "$coopr_value"
	fi
}

# coopr_undeclared PROBLEM: a script that is new is refused; one that has worked in a cluster so far goes on.
coopr_undeclared()
{
	[ -z "$coopr_strict" ] || coopr_fail "$1"
	printf '%s: warning: %s\n' "${0##*/}" "$1" >&2
}

# coopr_nodes SERVICE [host|ip|access_ip]: prints the nodes that have the service, one a line, by nodenum.
coopr_nodes()
{
	coopr_service=$1
	case $coopr_asked in
	all | *" $1 "*) ;;
	*) coopr_undeclared "coopr_nodes $1: plans neither wait for it nor configure this service again when it changes; write \"nodes\": [\"$1\"] into the fields of the action" ;;
	esac
	coopr_form=${2:-host}
	case $coopr_form in
	host | ip | access_ip) coopr_each_node ;;
	*) coopr_fail "coopr_nodes: $coopr_form: expected host, ip or access_ip" ;;
	esac
}

# coopr_node ID HOSTNAME BIND_ADDRESS ACCESS_ADDRESS ' SERVICE SERVICE ': prints the node if it has the service that coopr_nodes
# looks for. coopr_each_node calls it for each node of the cluster.
coopr_node()
{
	case $5 in
	*" $coopr_service "*) ;;
	*) return 0 ;;
	esac
	case $coopr_form in
	host) coopr_value=$2 ;;
	ip) coopr_value=$3 ;;
	access_ip) coopr_value=$4 ;;
	esac
	[ -n "$coopr_value" ] || coopr_fail "coopr_nodes $coopr_service $coopr_form: not known yet for node $1"
	printf '%s\n' "$coopr_value"
}

# coopr_result KEY VALUE: keeps a fact of this node.
coopr_result()
{
	case $1 in
	'' | *[!A-Za-z0-9_.-]*) coopr_fail "coopr_result: \"$1\": expected a name of A-Z a-z 0-9 _ . -" ;;
	providerid | ssh-auth | ssh_host_keys) coopr_fail "coopr_result: $1 is set by the provider" ;;
	esac
	printf '%s=%s\000' "$1" "$2" >>"$COOPR_DIR/../facts"
}
