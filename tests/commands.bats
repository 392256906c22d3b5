#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# What coopr-commands(7) says of every command, asked of every command there is.

load case

# The names of all commands that are programs here, one a line.
commands() {
	local path

	for path in "$COOPR_BIN"/coopr "$COOPR_BIN"/coopr-*; do
		case $path in
		*.c) ;;
		*) echo "${path##*/}" ;;
		esac
	done
}

# Fails the test with a sentence, at once for all commands.
complain() {
	echo "$*"
	wrong=1
}

setup() {
	fresh
	wrong=0
}

@test "--help shows usage, options and examples, and ends with 0" {
	for name in $(commands); do
		for option in --help -h; do
			run --separate-stderr "$name" "$option"
			[ "$status" -eq 0 ] || complain "$name $option: exit code $status"
			[ -z "${stderr:-}" ] || complain "$name $option: says on stderr: $stderr"
			for part in "usage: $name" "Options:" "--version" "Examples:" "  $name"; do
				contains "$output" "$part" || complain "$name $option: lacks '$part'"
			done
		done
	done
	[ "$wrong" -eq 0 ]
}

@test "no line of a help is wider than a terminal" {
	for name in $(commands); do
		"$name" --help | awk -v name="$name" 'length > 100 {print name ": " $0; wide = 1} END {exit wide}' || wrong=1
	done
	[ "$wrong" -eq 0 ]
}

@test "--version shows name and version" {
	for name in $(commands); do
		run -0 "$name" --version
		[[ $output =~ ^$name\ [0-9]+\.[0-9]+$ ]] || complain "$name: $output"
	done
	[ "$wrong" -eq 0 ]
}

@test "an option that does not exist is misuse: 64, one line on stderr, nothing on stdout" {
	for name in $(commands); do
		run --separate-stderr "$name" --no-such-option </dev/null
		[ "$status" -eq 64 ] || complain "$name: exit code $status"
		[ -z "$output" ] || complain "$name: prints $output"
		[ "${#stderr_lines[@]}" -eq 1 ] || complain "$name: says $stderr"
		contains "$stderr" "$name" || complain "$name: does not name itself: $stderr"
	done
	[ "$wrong" -eq 0 ]
}

@test "a help that cannot be written is an error: 74" {
	for name in $(commands); do
		run bash -c "$name --help >/dev/full"
		[ "$status" -eq 74 ] || complain "$name: exit code $status"
	done
	[ "$wrong" -eq 0 ]
}

@test "every command has a man page with its name, exit status and examples" {
	for name in $(commands); do
		page=$COOPR_ROOT/man/man1/$name.1
		if [ ! -f "$page" ]; then
			complain "$name has no man page"
			continue
		fi
		for part in "^\.Nm $name\$" "^\.Nd ." "^\.Sh EXIT STATUS" "^\.Sh EXAMPLES"; do
			grep -q "$part" "$page" || complain "$page lacks $part"
		done
	done
	[ "$wrong" -eq 0 ]
}

@test "every option of a command's own is in its man page" {
	for name in $(commands); do
		page=$COOPR_ROOT/man/man1/$name.1
		[ -f "$page" ] || continue
		for option in $("$name" --help | grep -oE '^ +(-[a-zA-Z], )?--[a-z-]+' | grep -oE -- '--[a-z-]+' |
			grep -vx -e --help -e --server -e --version); do
			grep -qE -- "Fl -?(-)?${option#--}( |\$|[^a-z-])|Fl .*${option#-}" "$page" ||
				complain "$page does not tell of $option"
		done
	done
	[ "$wrong" -eq 0 ]
}

@test "every man page is clean mdoc and refers to pages that exist" {
	need_program mandoc
	mandoc -Tlint -W warning "$COOPR_ROOT"/man/man*/*
	grep -ohE '^\.Xr coopr[a-z-]* [0-9]' "$COOPR_ROOT"/man/man*/* | sort -u | while read -r _ page section; do
		[ -f "$COOPR_ROOT/man/man$section/$page.$section" ] || echo "$page($section) does not exist"
	done | tee missing
	[ ! -s missing ]
}

# mdoc takes the quotes off a word that begins with one, and what follows the second is glued to it: such a quote is \(dq.
@test "no example in a man page loses its quotation marks" {
	run grep -nE '^\.[A-Z].* "[^"]*"[^ ]' "$COOPR_ROOT"/man/man*/*
	[ "$status" -eq 1 ]
}

@test "every schema is JSON" {
	for schema in "$COOPR_ROOT"/share/coopr/schema/*.json; do
		[ -e "$schema" ] || skip "there is no schema"
		jq -e '."$schema"' "$schema" >/dev/null || complain "$schema is no JSON Schema"
	done
	[ "$wrong" -eq 0 ]
}

@test "a program with several names does what the name says that it is called by; by another name it is misuse" {
	ln "$COOPR_BIN/coopr-start" coopr-begin 2>/dev/null || cp "$COOPR_BIN/coopr-start" coopr-begin
	run -64 ./coopr-begin shop
	same 'coopr-start: called as "coopr-begin"; the name selects the command, as "coopr-start" does' "$output"
	for name in start stop restart add remove pause resume abort; do
		run -0 "$COOPR_BIN/coopr-$name" --help
		contains "$output" "usage: coopr-$name "
	done
}

# The tables of all commands and subcommands, as --complete-options prints them, each line after the words of the command.
tables() {
	local name verb

	for name in $(commands); do
		[ "$name" != coopr-packages ] || continue
		"$name" --complete-options </dev/null | sed "s/^/$name\t/"
		[ "$name" != coopr ] || continue
		for verb in $("$name" --complete-options </dev/null | awk -F '\t' '$1 == "subcommand" {print $2}'); do
			"$name" "$verb" --complete-options </dev/null | sed "s/^/$name $verb\t/"
		done
	done
}

@test "a letter means the same in all commands" {
	cat >meanings <<-'END'
		A all-tenants
		C catalogue
		H hardwaretype
		I imagetype
		J job
		N node
		P provider
		S spool
		T tenant
		f file follow
		h help
		j jobs
		l limit long
		m message
		n machines
		o output
		p pretty
		q quiet
		s service services
		t template
		v verbose
		w watch
		y yes
	END
	tables | awk -F '\t' '$2 == "option" && $3 {print $3, $4, $1}' >letters
	[ "$(wc -l <letters)" -gt 100 ]
	awk 'NR == FNR {for (i = 2; i <= NF; i++) means[$1, $i]; table[$1]; next}
		$1 in table && !(($1, $2) in means) {print $3 ": -" $1 " is --" $2; wrong = 1} END {exit wrong}' meanings letters
}

@test "a retired letter is misuse and names its successor, which exists" {
	tables >all
	awk -F '\t' '$2 == "retired"' all >retired
	[ "$(wc -l <retired)" -gt 30 ]
	while IFS=$'\t' read -r command _ letter rest; do
		successor=${rest##*$'\t'}
		read -ra words <<<"$command"
		run --separate-stderr -64 "${words[@]}" "-$letter" </dev/null
		contains "$stderr" "option -$letter is retired; use $successor" || complain "$command -$letter: $stderr"
		awk -F '\t' -v command="$command" -v new="$successor" \
			'$1 == command && $2 == "option" && ("--" $4 == new || "-" $3 == new) {found = 1} END {exit !found}' all ||
			complain "$command has no $successor"
		awk -F '\t' -v command="$command" -v letter="$letter" \
			'$1 == command && $2 == "option" && $3 == letter {exit 1}' all || complain "$command has -$letter still"
	done <retired
	[ "$wrong" -eq 0 ]
}

@test "an option or an argument without a character is misuse, as a script's unset variable would be" {
	for command in "coopr-list --store=" "coopr-list -T ''" "coopr-create x -t lamp --owner=" "coopr-status ''" "coopr-queue show ''" \
		"coopr-replace x ''" "coopr-store get service ''"; do
		run -64 --separate-stderr bash -c "$command"
		contains "$stderr" "empty"
	done
}

@test "no umask takes a command's rights to what it has made" {
	umask 777
	coopr-create n -t hadoop-distributed -n 8 >/dev/null 2>&1 || false
	umask 022
	same "" "$(find state spool ! -perm -u=rw)"
	coopr-delete -y n >/dev/null
}

@test "a store or a spool that no engine serves is refused before anything is made" {
	run -69 --separate-stderr coopr-list --store foo://x
	same "coopr-list: foo://x: no engine serves such a store; name a file" "$stderr"
	run -69 --separate-stderr coopr-queue ls --spool foo://x
	same "coopr-queue ls: foo://x: no engine serves such a spool; name a folder" "$stderr"
	[ ! -e foo: ]
}

@test "an option that would have no effect is misuse, and the message names it" {
	coopr-request -t web -n 4 --name x | coopr-solve >layout
	coopr-plan layout >plan
	while read -r option command; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr -64 $command </dev/null
		contains "$stderr" "--$option: " || complain "$command: $stderr"
		same "" "$output"
	done <<-'END'
		node coopr-plan --check -N nonode plan
		verbose coopr-plan --check -v plan
		graceful coopr-plan -a start --graceful layout
		max-unavailable coopr-plan -a restart --max-unavailable 101% layout
		max-unavailable coopr-plan -a restart --max-unavailable 0 layout
		max-unavailable coopr-plan -a restart --max-unavailable 0% layout
		once coopr-work --simulate 1 --once plan
		config coopr-work --simulate 1 --config /nonexistent plan
		drain coopr-work --simulate 1 --drain plan
		jobs coopr-exec -j 3
		tenant coopr-exec -T qa
		jobs coopr-status -j 3 shop
		by coopr-usage --queue --by month
		start coopr-usage --queue --start 2025
		default-services coopr-request -t web --name x --default-services
		timeout coopr-expand --timeout 3s shop
	END
	[ "$wrong" -eq 0 ]
	coopr-plan -a restart --max-unavailable 100% layout >/dev/null
	coopr-plan -a delete --graceful layout >/dev/null
}

# The commands that only read, and the filters, whose records are what other commands read. All others change something.
only_reads() {
	cat <<-'END'
		coopr
		coopr-audit
		coopr-completion
		coopr-context list
		coopr-doctor
		coopr-events
		coopr-export
		coopr-history
		coopr-hook list
		coopr-inventory
		coopr-list
		coopr-log
		coopr-member history
		coopr-member list
		coopr-plan
		coopr-provider describe
		coopr-provider list
		coopr-provider test
		coopr-queue done
		coopr-queue fail
		coopr-queue ls
		coopr-queue report
		coopr-queue show
		coopr-queue stats
		coopr-queue take
		coopr-queue wait
		coopr-queue watch
		coopr-quota
		coopr-report
		coopr-request
		coopr-resource diff
		coopr-resource get
		coopr-resource list
		coopr-secret list
		coopr-show
		coopr-solve
		coopr-ssh
		coopr-ssh-certificate
		coopr-ssh-config
		coopr-serve
		coopr-status
		coopr-test
		coopr-store claims
		coopr-token list
		coopr-user list
		coopr-whoami
		coopr-store diff
		coopr-store export
		coopr-store fsck
		coopr-store get
		coopr-store history
		coopr-store list
		coopr-tenant export
		coopr-tenant list
		coopr-tenant show
		coopr-usage
		coopr-validate
		coopr-volume list
		coopr-work
	END
}

@test "no command that only reads makes a store or a spool, in whose way a restore would be; nor does reconcile" {
	{ only_reads | grep -vx -e coopr -e coopr-work -e 'coopr-queue .*'; echo coopr-reconcile; } >reading
	[ "$(wc -l <reading)" -gt 30 ]
	while read -r command; do
		for operand in '' x; do
			# shellcheck disable=SC2086 # words
			run timeout 60 $command $operand </dev/null
			for file in state/store.sqlite3 spool; do
				[ ! -e "$file" ] || complain "$command $operand makes $file"
			done
			rm -rf state spool
		done
	done <reading
	[ "$wrong" -eq 0 ]
}

@test "every command that changes something takes -y and -q" {
	tables >all
	# A command whose subcommands do the work has no options of its own.
	awk -F '\t' '$2 == "subcommand" {print $1}' all | sort -u >groups
	awk -F '\t' '{print $1}' all | sort -u | grep -vxF -f groups | grep -vxF -f <(only_reads) >changing
	[ "$(wc -l <changing)" -gt 45 ]
	only_reads | grep -vx coopr | while read -r command; do
		grep -q "^$command	" all || echo "$command does not exist"
	done | tee missing
	[ ! -s missing ]
	while read -r command; do
		for option in "y yes" "q quiet"; do
			awk -F '\t' -v command="$command" -v letter="${option% *}" -v name="${option#* }" '$1 != command {next}
				$2 == "retired" && $3 == letter {was = 1}
				$2 == "option" && $4 == name {has = $3 == letter ? 2 : 1}
				END {exit has == 2 || (has == 1 && was) ? 0 : 1}' all || complain "$command has no -${option% *}, --${option#* }"
			# shellcheck disable=SC2086 # words
			run --separate-stderr $command --${option#* } --no-such-option </dev/null
			contains "$stderr" "no-such-option" || complain "$command --${option#* }: $stderr"
		done
	done <changing
	[ "$wrong" -eq 0 ]
}

@test "an option that has no effect with the others is misuse: 64, and says with which" {
	while read -r command; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr $command </dev/null
		[ "$status" -eq 64 ] || complain "$command: exit code $status: $stderr"
		contains "$stderr" "has no effect" || complain "$command: $stderr"
		[ -z "$output" ] || complain "$command: prints $output"
	done <<-'END'
		coopr-reconcile --timeout 3
		coopr-reconcile --max-gone 1
		coopr-reconcile --quiet --output json
		coopr-plan --slots 4
		coopr-plan --check -N node
		coopr-solve --explain 1000 --check layout --node-limit 3 nginx
		coopr-solve --explain 1000 --check layout --time-limit 3 nginx
		coopr-list -A -T default
		coopr-usage -A -T default
		coopr-usage --queue --by day
		coopr-status -q -o json shop
		coopr-create shop -t lamp -q -o yaml
		coopr-restart shop --timeout 3m
		coopr-config shop --no-restart
		coopr-config shop --dry-run
		coopr-config shop -m reason
		coopr-config shop --save file
		coopr-history shop -d 1 -l 1
		coopr-queue limit -q
		coopr-hook try start -m reason
		coopr-work --simulate=1 --once
		coopr-exec -j 3
	END
	[ "$wrong" -eq 0 ]
}
