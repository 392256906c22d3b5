# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
#
# What the programs share that run a tool on a node, such as puppet.sh; each sources this first. The arguments say what the words of the
# fields name: "modules=nginx".

. ./lib.sh

PATH=$PATH:/opt/puppetlabs/bin:/opt/cinc/bin:/opt/chef/bin

# The folder of the tool for all that it writes beside its work; in memory if the configuration has secrets in it.
own=$COOPR_DIR/own
for file in config.json environment; do
	[ ! -L "$file" ] || own=$(dirname "$(readlink "$file")")/own
done

# tool_find REMEDY NAME [PROGRAM...]: sets $tool to the first of these programs that the node has; by default that of its name. A bootstrap ends
# here: it keeps the version as a fact, and says what is missing, which a service may still add.
tool_find()
{
	remedy=$1 name=$2 tool=
	shift 2
	[ $# -gt 0 ] || set -- "$name"
	for program; do
		[ -n "$tool" ] || tool=$(command -v "$program" || :)
	done
	if [ "$COOPR_ACTION" = bootstrap ]; then
		if [ -z "$tool" ]; then
			echo "there is no $name on this machine yet; $remedy"
		else
			version=$("$tool" --version </dev/null 2>/dev/null || "$tool" version </dev/null 2>/dev/null)
			coopr_result "$name" "$(echo "$version" | grep -o '[0-9][0-9.]*' | head -n 1)"
		fi
		exit 0
	fi
	[ -n "$tool" ] || coopr_fail "there is no $name on this machine; $remedy"
	mkdir -m 700 "$own" || exit 75
}

# tool_place FIELD WORD...: moves what the words of a field name into a folder that is called as the field; it may have come along.
tool_place()
{
	field=$1
	shift
	mkdir -p "$field" || exit 75
	for word; do
		case $word in
		"$field="*)
			word=${word#*=} word=${word%/}
			[ ! -e "$field/${word##*/}" ] || coopr_fail "$field: two of them are called ${word##*/}"
			case $word in
			/*) word=${word##*/} ;;
			esac
			mv "./$word" "$field/" || exit 75
			;;
		esac
	done
}

# tool_end STATUS CHANGED: ends with the status, and says whether anything has changed.
tool_end()
{
	coopr_result changed "$2"
	if [ "$1" -eq 0 ] && [ "$2" = false ]; then
		echo "nothing has changed"
	fi
	exit "$1"
}

# tool_status CHANGED: ends an action status: the service is as it should be if nothing would change.
tool_status()
{
	[ "$1" = true ] || exit 0
	echo "it is not as it was configured: a run would change it"
	exit 1
}
