#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# What asks before it changes a cluster, and how: coopr-clusters(7), Confirmation. Each command is tried in each way: on a
# terminal with each answer, without a terminal, and with -y. What is expected follows from the command's plan.

load case

setup() {
	need_program python3 jq
	fresh
	unset CI
	own_catalogue
	stubborn_service
	coopr create blog -t lamp -n 4 >records 2>log
}

# The commands: what has happened to the cluster before; the words; and for those that have no --dry-run what they are:
# asks, or also insists (on -y, without a terminal), or nothing.
table() {
	cat <<-'EOT'
		up|expand blog|
		up|expand -n 400 blog|fails
		up|shrink blog|
		up|shrink --node 1001 blog|
		up|remove blog memcached|
		up|config --set php.memory=64M blog|
		up|config --set php.memory=64M --no-restart blog|
		up|stop blog mysql|
		up|restart blog|
		up|replace blog 1001|
		up|upgrade blog|
		up|backup blog|fails
		up|restore blog|fails
		up|scale blog apache=+1|
		up|scale blog apache=1|
		up|delete blog|
		up|delete --graceful blog|
		up|create shop -t lamp -n 3|
		up|clone blog copy|
		up|rename blog store|nothing
		up|lease blog 9d|asks
		leased|lease blog 1h|asks
		leased|lease blog 9d|nothing
		leased|lease blog 0|nothing
		up|run shrink.plan|insists
		up|run create.plan|asks
		up|apply -f clusters|insists
		stopped|start blog|
		removed|add blog memcached|
		running|abort blog|asks
		running|pause blog|nothing
		paused|resume blog|nothing
		running|retry blog|nothing
		running|delete blog|insists
		failed|retry blog|nothing
		failed|rollback blog|
	EOT
}

# Brings the cluster of the setup to a state, and prepares the files that the commands name.
bring_to() {
	case $1 in
	up)
		coopr shrink --save shrink.plan blog
		coopr create shop -t lamp -n 3 --save create.plan
		mkdir -p clusters
		echo '{"kind": "clusterspec", "name": "blog", "template": "lamp", "numMachines": 3}' >clusters/blog.json
		;;
	leased) coopr lease blog 2d ;;
	stopped) coopr stop -y blog ;;
	removed) coopr remove -y blog memcached ;;
	running) coopr expand --detach -n 6 blog ;;
	paused) bring_to running && coopr pause blog ;;
	failed) : >broken && ! coopr add blog stubborn && rm broken ;;
	esac
}

# Keeps the state under a name, and brings it back.
keep() {
	mkdir "kept-$1"
	cp -a "$COOPR_STATE" "kept-$1/state"
	[ ! -e "$COOPR_SPOOL" ] || cp -a "$COOPR_SPOOL" "kept-$1/spool"
	everything >"kept-$1/everything"
}

back() {
	rm -rf "$COOPR_STATE" "$COOPR_SPOOL"
	cp -a "kept-$1/state" "$COOPR_STATE"
	[ ! -e "kept-$1/spool" ] || cp -a "kept-$1/spool" "$COOPR_SPOOL"
}

# What a command that does nothing leaves as it is.
everything() {
	sqlite3 "$COOPR_STATE/store.sqlite3" 'SELECT * FROM cluster; SELECT * FROM operation'
	(cd "$COOPR_STATE/clusters" && find . | sort)
	coopr-queue ls -o json
}

# What a command is, by its plan: insists where it deletes machines, asks where it stops or removes a service.
judged() { # WORDS
	# shellcheck disable=SC2086 # words
	coopr $1 --dry-run -o json 2>log | jq -rs '[.[].action] |
		if index("delete") then "insists" elif index("stop") or index("remove") then "asks" else "nothing" end'
}

# Runs the words in one way, on the state that was kept as $before.
try() { # EXPECTED-CODE QUESTIONS CHANGES WAY KEYS WORDS...
	local code=$1 questions=$2 changes=$3 way=$4 keys=$5 found=0

	shift 5
	back "$before"
	case $way in
	terminal) "$BATS_TEST_DIRNAME/terminal" "$keys" coopr "$@" >said 2>&1 || found=$? ;;
	ci) CI=true "$BATS_TEST_DIRNAME/terminal" "$keys" coopr "$@" >said 2>&1 || found=$? ;;
	none) coopr "$@" </dev/null >said 2>&1 || found=$? ;;
	esac
	everything >after
	same "coopr $* ($way, $keys): $code, $questions questions" \
		"coopr $* ($way, $keys): $found, $(grep -c '\[y/N\]' said || true) questions" || { cat said && return 1; }
	if [ "$changes" = changes ]; then
		run ! cmp "kept-$before/everything" after
	else
		cmp "kept-$before/everything" after
	fi
}

# Tries a row of the table in all ways.
try_all() { # WORDS CLASS
	local words class=$2 asked=0 insisted=0

	read -ra words <<<"$1"
	class=${class:-$(judged "$1")}
	[ "$class" = nothing ] || asked=1
	[ "$class" != insists ] || insisted=64
	if [ "$class" = fails ]; then
		try 1 0 same terminal 'y\n' "${words[@]}"
		return
	fi
	try 0 "$asked" changes terminal 'y\n' "${words[@]}"
	try 0 0 changes terminal '' "${words[@]}" -y
	if [ "$asked" -eq 1 ]; then
		try 1 1 same terminal 'yesterday\n' "${words[@]}"
		try 1 1 same terminal '\x04' "${words[@]}"
		try 130 1 same terminal '\x03' "${words[@]}"
	fi
	if [ "$insisted" -eq 64 ]; then
		try 64 0 same ci '' "${words[@]}"
		try 64 0 same none '' "${words[@]}"
		contains "$(cat said)" "use -y to confirm"
		try 0 0 changes none '' "${words[@]}" -y
	else
		try 0 0 changes none '' "${words[@]}"
	fi
}

try_rows() { # FIRST STEP: every STEP-th row of the table
	local before words class

	keep created
	while IFS='|' read -r before words class <&4; do
		[ -x "$COOPR_BIN/coopr-${words%% *}" ] || continue
		if [ ! -d "kept-$before" ]; then
			back created
			bring_to "$before" >prepared 2>&1
			keep "$before"
		fi
		back "$before"
		try_all "$words" "$class"
	done 4< <(table | awk -v first="$1" -v step="$2" 'NR % step == first')
}

@test "what restarts, stops or removes asks on a terminal, whatever way it is called: a quarter of the commands" {
	try_rows 0 4
}

@test "what restarts, stops or removes asks on a terminal: the second quarter" {
	try_rows 1 4
}

@test "what restarts, stops or removes asks on a terminal: the third quarter" {
	try_rows 2 4
}

@test "what restarts, stops or removes asks on a terminal: the last quarter" {
	try_rows 3 4
}

asked() { # KEYS AT_QUESTION COMMAND...
	AT_QUESTION=$2 "$BATS_TEST_DIRNAME/terminal" "$1" "${@:3}"
}

@test "while a question waits for its answer, others work on the cluster; then it is planned and shown again, and asked again" {
	run -0 asked 'y\ny\n' 'coopr expand -y blog' coopr restart blog
	contains "$(cat at-question)" "Done in"
	contains "$output" "blog: expand by $(id -un) (complete) has changed it since this was shown; it is planned again"
	contains "$output" "4 machines,"
	contains "$output" "5 machines,"
	same 2 "$(grep -c 'Do this to blog?' <<<"$output")"
	run -1 asked 'y\nn\n' 'coopr rename blog store && coopr rename store blog' coopr restart blog
	contains "$output" "rename by $(id -un) (complete) has changed it since this was shown; it is planned again"
	run -75 asked 'y\nn\n' 'coopr expand --detach -y blog' coopr restart blog
	contains "$output" "(expand), started by"
	coopr abort -y blog
	run -1 asked 'y\nn\n' 'coopr delete -y blog' coopr restart blog
	contains "$output" "no cluster named"
	same "" "$(ls -A "$COOPR_STATE/clusters")"
}

@test "what was shown is done, whatever others only try, or say no to, while the question waits for its answer" {
	run -0 asked 'y\n' 'coopr stop --dry-run blog && coopr stop blog nosuch' coopr restart blog mysql
	contains "$output" "complete: 3 tasks"
	run -1 asked 'n\n' 'coopr stop blog nosuch; coopr expand -y blog' coopr restart blog
	same 'complete complete complete' "$(coopr history -o json blog | jq -r .status | paste -sd ' ')"
	same 00000001 "$(ls -A "$COOPR_STATE/clusters")"
	coopr restart -y blog >records 2>log
}

@test "abort cancels the operation that it asked about, never one that has begun since" {
	coopr expand --detach -n 6 blog 2>log
	run -1 asked 'y\n' 'coopr abort -y blog && coopr expand --detach -n 5 blog' coopr abort blog
	contains "$output" "Cancel job 00000001-002 of blog?"
	contains "$output" "blog: job 00000001-002 has ended, and job 00000001-003 is running now, which was left alone"
	same 1 "$(coopr-queue ls -o json | jq -s 'map(select(.job == "00000001-003" and .status != "cancelled")) | length')"
	run -0 asked 'y\n' true coopr abort blog
	contains "$output" "job 00000001-003 is cancelled"
}

quota() { # NODES
	coopr tenant change --nodes "$1" default
}

@test "what a quota forbids is refused before anybody is asked, and in a dry run, too" {
	quota 4
	run -1 asked 'y\n' '' coopr scale blog memcached=+0 mysql=1 apache=3
	same 0 "$(grep -c 'y/N' <<<"$output")"
	run --separate-stderr -1 coopr expand -n 6 blog --dry-run
	contains "$stderr" "quota"
	run --separate-stderr -1 coopr create shop -t lamp -n 3 --dry-run
	contains "$stderr" "quota"
	quota 10
	coopr create shop -t lamp -n 7 --save shop.plan >records # which is refused when it is carried out, unless more is allowed by then
	run --separate-stderr -1 coopr run shop.plan
	contains "$stderr" "quota"
	coopr create shop -t lamp -n 3 --dry-run >records
}

@test "a secret is deleted for good only by who has said yes; in CI nobody is asked" {
	echo one | coopr secret set one
	echo two | coopr secret set two
	run -1 "$BATS_TEST_DIRNAME/terminal" 'n\n' coopr secret delete one two
	contains "$output" "Delete one and the others for good? [y/N] n"
	run -0 "$BATS_TEST_DIRNAME/terminal" 'y\n' coopr secret delete one
	CI=1 run -0 "$BATS_TEST_DIRNAME/terminal" '' coopr secret delete two
	same "" "$(coopr secret list -o name)"
}

@test "the table has every command that changes a cluster" {
	for command in "$COOPR_BIN"/coopr-*; do
		name=${command##*/coopr-}
		[ -x "$command" ] && [[ $name != *.c ]] || continue
		"$command" --help 2>/dev/null | grep -q -- '-m, --message' || continue
		"$command" --help | grep -q -- '-y, --yes' || echo "$name lacks -y"
		table | grep -q "|$name " || [ "$name" = reconcile ] || echo "$name is not in the table"
	done >wrong
	same "" "$(grep -v "^import is not" wrong)"
}
