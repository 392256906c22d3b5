# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Completion for bash: source this file, or link it as coopr into a folder of bash-completion's. The words are
# those that the commands themselves show, so that it is right for commands that were added.

# What --help of a command lists: its options.
_coopr_options() {
	"$1" --help 2>/dev/null | grep -oE '^ +(-[a-zA-Z], )?--[a-z-]+' | grep -oE -- '--[a-z-]+'
}

_coopr() {
	local word=${COMP_WORDS[COMP_CWORD]} program=${COMP_WORDS[0]}

	if [ "${program##*/}" = coopr ] && [ "$COMP_CWORD" -gt 1 ] && [ "${COMP_WORDS[1]}" != help ]; then
		program=coopr-${COMP_WORDS[1]}
	fi
	COMPREPLY=()
	case $word in
	-*) mapfile -t COMPREPLY < <(compgen -W "$(_coopr_options "$program")" -- "$word") ;;
	*)
		[ "${program##*/}" != coopr ] ||
			mapfile -t COMPREPLY < <(compgen -W "help $(coopr | sed -n 's/^  \([a-z-]*\) .*/\1/p')" -- "$word")
		;;
	esac
}

complete -o default -F _coopr coopr
for _coopr_name in $(coopr 2>/dev/null | sed -n 's/^  \([a-z-]*\) .*/\1/p'); do
	complete -o default -F _coopr "coopr-$_coopr_name"
done
unset _coopr_name
