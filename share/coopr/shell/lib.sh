# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
#
# What a service script may call, coopr-shell(7). Lies beside the script: . ./lib.sh
# Behind this text stand the tables it looks things up in, made for the task: coopr_lookup, and coopr_each_node.

# Says what is wrong, keeps it as the reason that the task's result gives (a fact without a name), and ends the script as wrongly configured.
coopr_fail()
{
	printf '%s: %s\n' "${0##*/}" "$1" >&2
	printf '=%s\000' "$1" >>"$COOPR_DIR/../facts"
	exit 78
}

# coopr_config PATH [DEFAULT]: prints what the cluster's configuration has at nginx/port; of a list each element, one a line.
coopr_config()
{
	coopr_value=
	coopr_problem=
	if ! coopr_lookup "${1#/}"; then
		[ $# -ge 2 ] || coopr_fail "configuration: /${1#/}: there is no such member"
		printf '%s\n' "$2"
	elif [ -n "$coopr_problem" ]; then
		coopr_fail "configuration: /${1#/}: $coopr_problem"
	else
		printf '%s' "$coopr_value"
	fi
}

# coopr_nodes SERVICE [host|ip|access_ip]: the nodes that hold the service, one a line, by nodenum.
coopr_nodes()
{
	coopr_service=$1
	coopr_form=${2:-host}
	case $coopr_form in
	host | ip | access_ip) coopr_each_node ;;
	*) coopr_fail "coopr_nodes: $coopr_form: expected host, ip or access_ip" ;;
	esac
}

# One call for each node of the cluster: ID HOSTNAME BIND_ADDRESS ACCESS_ADDRESS ' SERVICE SERVICE '
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
	[ -n "$coopr_value" ] || coopr_fail "coopr_nodes $coopr_service $coopr_form: not known yet of node $1"
	printf '%s\n' "$coopr_value"
}

# coopr_result KEY VALUE: keeps a fact of this node.
coopr_result()
{
	case $1 in
	'' | *[!A-Za-z0-9_.-]*) coopr_fail "coopr_result: \"$1\": expected a name of A-Z a-z 0-9 _ . -" ;;
	providerid | ssh-auth | ssh_host_keys) coopr_fail "coopr_result: $1 is the provider's to tell" ;;
	esac
	printf '%s=%s\000' "$1" "$2" >>"$COOPR_DIR/../facts"
}
