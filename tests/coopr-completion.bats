#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Completion by the shells themselves: what they offer for a line that ends where the key is pressed.

load case
load examples

setup() {
	fresh
	need_program sqlite3
	unset COOPR_COLOR COOPR_JOBS COOPR_OUTPUT
	export COOPR_CATALOGUE=$COOPR_ROOT/share/coopr/catalogue
	mkdir -p state folder
	: >file.txt
}

in_bash() {
	coopr-completion bash >coopr.bash
	bash -c 'source coopr.bash
		read -ra COMP_WORDS <<<"${1//=/ = }"
		case $1 in *[=\ ]) [ "${COMP_WORDS[-1]}" = "=" ] || COMP_WORDS+=("") ;; esac
		COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
		_coopr
		printf "%s\n" "${COMPREPLY[@]}"' - "$1" | sort
}

# An interactive zsh on a terminal of its own; it leaves at the completion, and notes what it would offer.
in_zsh() {
	mkdir -p functions
	coopr-completion zsh >functions/_coopr
	cat >setup.zsh <<-'END'
		PROMPT= RPROMPT=
		fpath=($PWD/functions $fpath)
		autoload -Uz compinit
		compinit -u -d "$BATS_FILE_TMPDIR/zcompdump" # made once, of all functions of zsh
		compadd() {
			if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return; fi
			local -a hits
			builtin compadd -A hits "$@"
			print -rl -- $hits >>offered
		}
		comppostfuncs=(exit)
	END
	rm -f offered
	python3 - "$1" <<-'END'
		import os, pty, sys
		pid, fd = pty.fork()
		if pid == 0:
		    os.environ["TERM"] = "xterm"
		    os.execvp("zsh", ["zsh", "-f", "-i"])
		os.write(fd, b"source ./setup.zsh\n" + sys.argv[1].encode() + b"\t")
		try:
		    while os.read(fd, 4096):
		        pass
		except OSError:
		    pass
		os.waitpid(pid, 0)
	END
	sed '/^$/d' offered | sort
}

in_fish() {
	coopr-completion fish >coopr.fish
	fish -c "source coopr.fish; complete -C '$1'" | cut -f 1 | sed 's/^--[a-z-]*=//' | sort
}

# offers SHELL LINE WORD...: these words and no other.
offers() {
	local shell=$1 line=$2

	shift 2
	same "$line: $(printf '%s\n' "$@" | sort | tr '\n' ' ')" "$line: $("in_$shell" "$line" | tr '\n' ' ')"
}

all_of() {
	offers "$1" "coopr cre" create
	offers "$1" "coopr queue sh" show
	offers "$1" "coopr-queue sh" show
	offers "$1" "coopr create --te" --template --tenant
	offers "$1" "coopr create -t we" web
	offers "$1" "coopr create -t web -H la" large
	offers "$1" "coopr create --output=" json jsonpath= table yaml
	offers "$1" "coopr create --color a" always auto
	offers "$1" "coopr plan -a re" remove-services replace restart restore
	offers "$1" "coopr store get cl" clustertemplate
	offers "$1" "coopr help val" validate
	offers "$1" "coopr completion " bash fish zsh
}

@test "bash completes commands, options, words that can stand there, and names" {
	all_of bash
	offers bash "coopr create -s nginx,ng" nginx,nginx
	offers bash "coopr validate f" file.txt folder
	offers bash "coopr queue put --spool f" folder
	offers bash "coopr solve --allow-moves --node-l" --node-limit
	offers bash "coopr nothing " ""
}

@test "zsh completes the same" {
	need_program zsh python3
	all_of zsh
}

@test "fish completes the same" {
	need_program fish
	all_of fish
	offers fish "coopr create -s nginx,ng" nginx,nginx
}

@test "an action of coopr plan is one on clusters, of coopr log one of tasks" {
	run -0 coopr-completion --line -- coopr-plan -a ""
	contains "$output" "restart"
	[[ $output != *install* ]]
	run -0 coopr-completion --line -- coopr-log -a ""
	contains "$output" "install"
	[[ $output != *add-services* ]]
}

@test "names of clusters are known, and nothing is said where there are none" {
	same "" "$(coopr-completion --words CLUSTER)"
	coopr-store init
	sqlite3 state/store.sqlite3 "INSERT INTO cluster (id, tenant, name, owner, status, created_ms, changed_ms) VALUES
		(1, 2, 'kept', 'ann', 'active', 0, 0), (2, 2, 'gone', 'ann', 'terminated', 0, 0), (3, 1, 'other', 'ann', 'active', 0, 0)"
	same "kept" "$(coopr-completion --words CLUSTER)"
	rm -r state
	run -0 coopr-completion --words CLUSTER
	same "" "$output"
	run -0 coopr-completion --words NONSENSE
	same "" "$output"
}

# Every command and subcommand with what it says of itself: lines "LINE TAB OPTION...".
lines_of_all() {
	local program line sub

	for program in "$COOPR_BIN"/coopr-*; do
		case $program in *.c | *-packages) continue ;; esac
		line=${program##*/}
		printf '%s\n' "$line"
		"$program" --complete-options | awk -F '\t' -v line="$line" '$1 == "subcommand" {print line " " $2}'
	done
}

@test "every option of every command and subcommand is offered, with its help, and nothing else" {
	lines_of_all >lines
	while read -r line; do
		# shellcheck disable=SC2086 # a line has words
		$line --complete-options | awk -F '\t' '$1 == "option" {print "--" $3 "\t" $6; if ($2) print "-" $2 "\t" $6}' >expected
		# shellcheck disable=SC2086
		coopr-completion --line -- $line - | sed 1d | diff expected - || echo "$line"
		# shellcheck disable=SC2086
		same "$(coopr-completion --line -- $line -)" "$(coopr-completion --line -- coopr ${line#coopr-} -)"
	done <lines >wrong
	same "" "$(cat wrong)"
	[ "$(wc -l <lines)" -gt 70 ]
}

@test "shells offer what the command says of itself, also of a command that was added later" {
	mkdir more
	cat >more/coopr-extra <<-'END'
		#!/bin/sh
		[ "$1" = --complete-options ] || exit 64
		printf 'command\tcoopr-extra\tDo more.\n'
		printf 'option\tx\textreme\t\t\tdo it: all\noption\t\texactly\tred|green\t\thow\noption\t\tedition\tDIR\t\twhere\nsynopsis\t[OPTION]... FILE\n'
	END
	chmod +x more/coopr-extra
	PATH=$PWD/more:$PATH
	for shell in bash zsh fish; do
		[ -n "$(type -p $shell)" ] || continue
		offers $shell "coopr-extra --e" --edition --exactly --extreme
		offers $shell "coopr-extra --exactly g" green
		offers $shell "coopr-extra --exactly=r" red
		offers $shell "coopr extra -x fil" file.txt
		[ $shell != bash ] || offers $shell "coopr extra --edition fo" folder
		[ $shell != fish ] || offers $shell "coopr extra --edition fo" folder/
	done
}

@test "an option's argument is not taken for a word of the command, nor what stands behind --" {
	for line in "queue --spool put show --lay" "queue show --lay" "queue show -o json --lay" "queue show --output=json --lay" \
		"queue show --output = json --lay"; do
		# shellcheck disable=SC2086
		coopr-completion --line -- coopr $line | grep -q '^--layout'
	done
	coopr-completion --line -- coopr queue --spool put s | grep -q '^show'
	same "files" "$(coopr-completion --line -- coopr validate -- -x)"
	same "nothing" "$(coopr-completion --line -- coopr queue nonsense --)"
	same "nothing" "$(coopr-completion --line -- nonsense --)"
	same "nothing" "$(coopr-completion --line -- coopr)"
}

@test "what make install puts into place is what the command prints" {
	for pair in bash:coopr.bash zsh:_coopr fish:coopr.fish; do
		same "$(coopr-completion "${pair%:*}")" "$(cat "$COOPR_ROOT/share/coopr/completions/${pair#*:}")"
	done
}

@test "a shell that is not known is misuse" {
	run -64 coopr-completion csh
	contains "$output" "bash, zsh and fish"
	run -64 coopr-completion
	run -64 coopr-completion --words CLUSTER bash
	run -64 coopr-completion --line
	run -64 coopr-completion --line --words CLUSTER -- coopr
	run -74 bash -c 'coopr-completion bash >/dev/full'
}

@test "the examples of the page" {
	commands_of "$COOPR_ROOT/man/man1/coopr-completion.1" >examples
	[ -s examples ]
	bash -eu examples >printed
	contains "$(cat printed)" web
	contains "$(cat printed)" action
}
