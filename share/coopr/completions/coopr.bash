# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Completion for bash, printed by coopr completion bash. What can stand at the cursor is said by coopr-completion --line, which
# asks the command itself.

_coopr() {
	local word=${COMP_WORDS[COMP_CWORD]} what='' candidates=() IFS=$' \t\n'

	{
		read -r what
		mapfile -t candidates
	} < <(coopr-completion --line -- "${COMP_WORDS[@]:0:COMP_CWORD+1}" 2>/dev/null)
	# bash takes "--output=json" for three words, and completes the last one.
	[ "$word" != = ] || word=
	COMPREPLY=()
	case $what in
	files) mapfile -t COMPREPLY < <(compgen -f -- "$word") && compopt -o filenames 2>/dev/null ;;
	folders) mapfile -t COMPREPLY < <(compgen -d -- "$word") && compopt -o filenames 2>/dev/null ;;
	*)
		candidates=("${candidates[@]%%$'\t'*}")
		mapfile -t COMPREPLY < <(compgen -W "${candidates[*]}" -- "$word")
		[[ ${#COMPREPLY[@]} -ne 1 || ${COMPREPLY[0]} != *= ]] || compopt -o nospace 2>/dev/null
		;;
	esac
}

mapfile -t _coopr_names < <(compgen -c coopr-)
complete -F _coopr coopr "${_coopr_names[@]}"
unset _coopr_names
