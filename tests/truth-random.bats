#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Random sequences of operations on two clusters, some of which fail, are aborted or whose commands are killed half way, while machines
# vanish and services stop; after each, what list and show say is compared with what the provider lists and what was really set up.
# COOPR_SEED repeats one; TRUTH_SEEDS and TRUTH_STEPS say how many there are, and how long.

load case

setup() {
	fresh
	own_catalogue
	export COOPR_PLUGINS=$PWD/plugins TRUTH=$PWD/truth MACHINES=$PWD/machines FAILURES=0 STOP_AT='' FAIL_AT='' WHERE=$PWD
	mkdir -p plugins/automator plugins/provider truth machines
	mkfifo never
	echo nothing >broken
	make_plugins
	# They abort and kill commands, from within.
	mkdir -p "$HOME/.config/coopr"
	printf '[plugin truth]\nconfine = no\n' >"$HOME/.config/coopr/config"
	for file in mine/services/{apache,haproxy,memcached,mod-php,mysql}.json; do
		jq '.provisioner.actions = ({install: 0, configure: 0, start: 0, stop: 0, remove: 0, status: 0} |
			map_values({type: "truth", retries: 0, fields: {}})) | .ready_timeout_s = 1' "$file" >service
		mv service "$file"
	done
	jq '.providertype = "truth"' mine/providers/dummy.json >provider
	mv provider mine/providers/dummy.json
}

# Both fail where that is drawn, half done at times. The task with the number STOP_AT of a command stops what is in progress: it is
# aborted by somebody else, or the command is killed. The provider keeps a file for each machine, the automator one for each service
# on each node, with how far it is.
make_plugins() {
	cat >plugins/common <<-'EOT'
		record=$(cat)
		machine=${record#*'"machine":'}
		first() { # MEMBER RECORD: the value of the first member of that name, or 0; jq would take longer than all else
			case $2 in *"\"$1\":"*) printf %s "${2#*"\"$1\":"}" | sed 's/^"//; s/[",}].*//' ;; *) printf 0 ;; esac
		}
		answer() { # STATUS MESSAGE
			printf '{"kind":"result","status":%s,"message":"%s"}\n' "$1" "$2"
			exit 0
		}
		stop_at() {
			[ -n "$STOP_AT" ] || return 0
			echo >>"$WHERE/tasks"
			[ "$(wc -l <"$WHERE/tasks")" -eq "$STOP_AT" ] || return 0
			case $STOP_HOW in
			abort) exec 9>"$WHERE/aborting"; flock 9; setsid coopr abort -q -y "$CLUSTER" >/dev/null 2>>"$WHERE/aborts" & ;;
			kill) kill -KILL "$(cat "$WHERE/command")" ;;
			esac
			read -r _ <>"$WHERE/never"
		}
		drawn() { # WORD...: 0 if it is to fail
			[ "$(printf %s "$SEED $*" | cksum | cut -c3)" -lt "$FAILURES" ]
		}
	EOT
	cat >plugins/automator/truth <<-'EOT'
		#!/bin/sh
		action=$1
		case $action in describe) echo '{"type":"object","properties":{},"status":true}'; exit ;; esac
		. "$COOPR_PLUGINS/common"
		set -- "$(first id "$machine")" "$(first service "$record")" "$(first mark "$record")"
		at=$TRUTH/$1.$2
		[ -e "$MACHINES/$1" ] || answer "$([ "$action" = status ] && echo 75 || echo 69)" "node $1: it does not answer"
		if [ "$action" = status ]; then
			[ "$2" = null ] || grep -q '^started' "$at" 2>/dev/null || answer 1 "$2 does not run on $1"
			answer 0 ""
		fi
		stop_at
		[ "$action.$2.$1" != "$FAIL_AT" ] || answer 65 broken
		if drawn "$action" "$@"; then
			[ "$action" = start ] || [ "$action" = remove ] || [ ! -e "$at" ] || echo half >"$at"
			answer 65 drawn
		fi
		case $action in
		install) echo installed >"$at" ;;
		configure) echo "configured $3" >"$at" ;;
		start) echo "started $3" >"$at" ;;
		stop) [ ! -e "$at" ] || echo stopped >"$at" ;;
		remove) rm -f "$at" ;;
		esac
		answer 0 ""
	EOT
	cat >plugins/provider/truth <<-'EOT'
		#!/bin/sh
		action=$1
		case $action in
		describe) echo '{"type":"object","properties":{"delay_ms":{}}}'; exit ;;
		list)
			cat >/dev/null
			cd "$MACHINES" && for id in *; do
				[ ! -e "$id" ] || printf '{"kind":"node","id":"%s","facts":{"providerid":"p-%s"}}\n' "$id" "$id"
			done
			exit 0 ;;
		esac
		. "$COOPR_PLUGINS/common"
		id=$(first id "$machine")
		stop_at
		[ "$action.$id" != "$FAIL_AT" ] || answer "${FAIL_WITH-65}" broken
		if drawn "$action" "$id"; then
			# Half of these are done, and nobody hears of it.
			[ "$action" != create ] || ! drawn after "$id" || : >"$MACHINES/$id"
			answer 69 drawn
		fi
		case $action in
		create)
			: >"$MACHINES/$id"
			printf '{"kind":"result","status":0,"ipaddresses":{"access_v4":"198.18.0.9","bind_v4":"10.0.0.9"},"result":{"providerid":"p-%s"}}\n' "$id"
			exit ;;
		delete) rm -f "$MACHINES/$id" "$TRUTH/$id".* ;;
		esac
		answer 0 ""
	EOT
	chmod 755 plugins/automator/truth plugins/provider/truth
}

# A number from 0 to below N, from the seed.
draw() { # N
	RANDOM_STATE=$(((RANDOM_STATE * 1103515245 + 12345) % 2147483648))
	DRAWN=$((RANDOM_STATE / 65536 % $1))
}

recorded() { # CLUSTER
	sqlite3 "$COOPR_STATE/store.sqlite3" "SELECT status FROM cluster WHERE name = '$1' AND status <> 'terminated'"
}

living() {
	sqlite3 "$COOPR_STATE/store.sqlite3" "SELECT name FROM cluster WHERE status <> 'terminated' ORDER BY name"
}

# Runs a coopr command as a user does, which may be aborted or killed half way; then what it left is finished.
one_command() { # WORD...
	: >tasks
	export SEED=$RANDOM_STATE
	echo "coopr $* (failures $FAILURES${STOP_AT:+, $STOP_HOW at $STOP_AT})"
	bash -c 'echo $$ >command; exec coopr "$@"' coopr "$@" >records 2>log </dev/null || :
	flock aborting true # whoever aborts is done
	STOP_AT='' coopr reconcile -q --work 2>/dev/null || :
	readable
	echo "  $(living | while read -r name; do printf '%s %s; ' "$name" "$(recorded "$name")"; done) $(tail -n 1 log)"
}

# A message names who says it, and is a sentence; nothing internal gets into it.
readable() {
	! grep -nE '\(null\)|%[sdzl]|assert|Segmentation|jv_|SQL' log
}

# What the cluster is said to have; what is there on its nodes. What was broken since somebody looked is left out of both.
compare_cluster() { # CLUSTER
	local mark

	mark=$(coopr config "$1" | jq -r '.mark // 0')
	coopr show -o json "$1" | jq -r --arg mark "$mark" 'select(.kind == "node") | .id as $node | .services[] | "\($node).\(.) started \($mark)"' |
		grep -vFf broken | sort >said
	coopr show -o json "$1" | jq -r 'select(.kind == "node").id' | while read -r node; do
		(cd truth && grep -sH . "$node".* | sed 's/:/ /')
	done | grep -vFf broken | sort >found
	diff -u said found
}

# No machine is without a cluster; one that a cluster has and the provider has not was broken; active means set up.
compare() {
	local name

	living | while read -r name; do
		coopr show -o json "$name" | jq -r 'select(.kind == "node").id'
	done | sort >recorded
	find machines -type f -printf '%f\n' | sort >listed
	same "" "$(comm -13 recorded listed | sed 's/^/no cluster has the machine /')"
	for name in $(living); do
		if [ "$(recorded "$name")" = active ]; then
			compare_cluster "$name"
			coopr show -o json "$name" | jq -r 'select(.kind == "node").id' | grep -vxFf listed | grep -vFf broken >missing || true
			same "" "$(cat missing)"
		fi
	done
}

# A machine is gone, or a service has stopped.
break_something() {
	local what

	if draw 2 && [ "$DRAWN" = 0 ]; then
		what=$(find machines -type f -printf '%f\n' | sort | sed -n "$((RANDOM_STATE / 65536 % 6 + 1))p")
		[ -n "$what" ] || return 0
		rm -f "machines/$what" "truth/$what".*
	else
		what=$(cd truth && grep -ls '^started' -- * | sort | sed -n "$((RANDOM_STATE / 65536 % 12 + 1))p")
		[ -n "$what" ] || return 0
		echo stopped >"truth/$what"
	fi
	echo "broken: $what"
	echo "$what" >>broken
}

operate() {
	local name words

	draw 2
	name=$([ "$DRAWN" = 0 ] && echo blog || echo shop)
	export CLUSTER=$name STOP_AT=
	draw 4
	FAILURES=$((DRAWN > 2 ? 0 : DRAWN))
	if draw 4 && [ "$DRAWN" = 0 ]; then
		draw 25
		STOP_AT=$((DRAWN + 1))
		draw 2
		STOP_HOW=$([ "$DRAWN" = 0 ] && echo abort || echo kill)
		export STOP_HOW
	fi
	draw 16
	case $DRAWN in
	0 | 1) words="expand $name -y" ;;
	2) words="shrink -y $name" ;;
	3) words="scale -y $name apache=$((RANDOM_STATE / 524288 % 3 + 1))" ;;
	4 | 5) words="config -y --set mark=$RANDOM_STATE $name" ;;
	6) words="rollback -y $name" ;;
	7) words="retry -y $name" ;;
	8) words="restart -y $name" ;;
	9) words="delete -y $name" ;;
	10) words="replace -y --dead $name $((RANDOM_STATE / 524288 % 8 + 1000))" ;;
	11 | 12) break_something; return ;;
	*) words="reconcile --probe --repair --work" ;;
	esac
	if [ -z "$(recorded "$name")" ]; then
		words="create $name -t lamp -n 4"
		draw 3
		[ "$DRAWN" = 0 ] || FAILURES=0 STOP_AT=
	fi
	# shellcheck disable=SC2086 # words
	one_command $words
	[ "${words%% *}" != reconcile ] || mended
	compare
}

# Once a reconciliation has found no fault, nothing is broken any more.
mended() {
	if STOP_AT='' coopr reconcile --probe 2>/dev/null >/dev/null; then
		echo nothing >broken
		same "" "$(coopr list -o json | jq -r 'select(.condition != "healthy" or .status != "active") | "\(.name) \(.status) \(.condition)"')"
	fi
}

# One sequence; at its end what the page says brings all back, and a deletion leaves nothing.
sequence() { # SEED
	local name

	RANDOM_STATE=$1
	echo "COOPR_SEED=$1"
	echo nothing >broken
	coopr list >records
	for _ in $(seq "${TRUTH_STEPS:-15}"); do
		operate
	done
	export FAILURES=0 STOP_AT=
	for name in $(living); do
		[ "$(recorded "$name")" = active ] || one_command retry -y "$name"
	done
	for _ in 1 2 3 4 5 6; do
		one_command reconcile --probe --repair --work --max-gone 100%
		! coopr reconcile --probe -o json >left 2>&1 || break
	done
	same "" "$(cat left)"
	echo nothing >broken
	compare
	for name in $(living); do
		one_command delete -y "$name"
	done
	same "" "$(living)$(ls machines)"
}

@test "what is said of clusters is what is there, after any sequence of operations that fail, are aborted or killed, and of what breaks" {
	local seed

	for seed in $(seq "${COOPR_SEED:-1}" $((${COOPR_SEED:-1} + ${TRUTH_SEEDS:-1} - 1))); do
		sequence "$seed"
		rm -rf "$COOPR_STATE" "$COOPR_SPOOL" truth machines
		mkdir truth machines
	done
}

@test "what a failed rollback left half done does not keep a machine that died from being replaced" {
	local dead

	coopr create blog -t lamp -n 4 >records 2>log
	dead=$(coopr show -o json blog | jq -r 'select(.kind == "node" and (.services | index("mysql"))).id')
	run -1 env FAIL_AT=configure.haproxy.00000001-1003 coopr expand blog -n 5
	run -1 env FAIL_AT=stop.apache.00000001-1004 coopr rollback -y blog
	coopr start -y blog >records 2>log
	same "inconsistent apache" "$(recorded blog) $(coopr show -o json blog | jq -r 'select(.kind == "node" and .id == "00000001-1004").services | join(" ")')"
	rm "machines/$dead" "truth/$dead".*
	coopr reconcile --probe --repair --work >records 2>log || true # what else is left is told
	contains "$(cat log)" "$dead: its machine is gone; repaired by job"
	same "active healthy" "$(coopr list -o json | jq -r '"\(.status) \(.condition)"')"
	echo nothing >broken
	compare
}

@test "what was stopped because it was to leave its node runs again when a later operation keeps it there" {
	coopr create -q blog -t lamp -n 4
	coopr expand -q blog -n 5
	run -1 env FAIL_AT=remove.mod-php.00000001-1004 coopr shrink -y -N 1004 blog
	same "stopped" "$(cat truth/00000001-1004.apache)"
	coopr rollback -q -y blog
	same active "$(recorded blog)"
	compare
}

# A creation fails at a task; the machine of the node is gone.
half_made() { # TASK NODE
	run -1 env FAIL_AT="$1" coopr create blog -t lamp -n 4
	same incomplete "$(recorded blog)"
	rm -f "machines/$2" truth/"$2".*
}

@test "where a machine of a creation that failed is gone, another one takes its place, and what was left to do is done" {
	half_made install.mysql.00000001-1000 00000001-1001
	coopr show -o json blog | jq -c 'select(.kind == "node") | .services' | sort >wanted
	run --separate-stderr -1 coopr retry blog
	run --separate-stderr -1 coopr reconcile
	contains "$stderr" "00000001-1001: its machine is gone; --repair repairs it"
	contains "$(coopr show -o table blog)" "its provider does not list it; coopr replace --dead blog 00000001-1001 replaces it"
	coopr reconcile --probe --repair --work >records 2>log || true # what else it found is told
	contains "$(cat log)" "00000001-1001: its machine is gone; repaired by job 00000001-002"
	same "active healthy" "$(coopr list -o json | jq -r '"\(.status) \(.condition)"')"
	coopr show -o json blog | jq -c 'select(.kind == "node") | .services' | sort | diff wanted -
	same "00000001-1000 00000001-1002 00000001-1003 00000001-1004" "$(ls machines | paste -sd ' ')"
	run --separate-stderr -0 coopr reconcile --probe
	compare
	# It is the first revision: there is none to go back to.
	run --separate-stderr -1 coopr rollback -y blog
	contains "$stderr" "there is no other revision to go back to"
	coopr expand -q blog -n 5
	coopr rollback -q -y blog
	same "active 4" "$(coopr list -o json | jq -r '"\(.status) \(.nodes)"')"
	coopr delete -q -y blog
	same "" "$(living)$(ls machines)"
}

@test "a person replaces it as well, also after a creation that was cancelled; what fails again is tried again" {
	half_made install.mysql.00000001-1000 00000001-1000
	run -1 env FAIL_AT=start.mysql.00000001-1004 coopr replace -y --dead blog 1000
	contains "$output" "after fixing the cause"
	same incomplete "$(recorded blog)"
	contains "$(coopr show -o table blog)" "To remove it: coopr delete blog"
	rm machines/00000001-1001 truth/00000001-1001.*
	coopr replace -q -y --dead blog 1001
	same "active" "$(recorded blog)"
	run --separate-stderr -0 coopr reconcile --probe
	compare
}

@test "a machine that was never made, or only in part, comes with the one that is replaced" {
	run -1 env FAIL_AT=create.00000001-1003 coopr create blog -t lamp -n 4
	same incomplete "$(recorded blog)"
	rm machines/00000001-1000
	coopr replace -q -y --dead blog 1000
	same "active 4" "$(coopr list -o json | jq -r '"\(.status) \(.nodes)"')"
	run --separate-stderr -0 coopr reconcile --probe
	same 4 "$(ls machines | wc -l)"
	compare
}

@test "of a cluster that has no machine any more, but was to get one, all that is recommended works" {
	jq '.name = "one" | .defaults.services = ["apache"] | .compatibility.services = ["apache"] | .constraints = {}' mine/clustertemplates/lamp.json \
		>mine/clustertemplates/one.json
	run -1 env FAIL_AT=install.apache.00000001-1000 coopr create blog -t one -n 1
	rm machines/*
	# The provider does not even try.
	run -1 env FAIL_AT=create.00000001-1001 FAIL_WITH=78 coopr replace -y --dead blog 1000
	same "incomplete 0" "$(coopr list -o json | jq -r '"\(.status) \(.nodes)"')"
	for words in "delete -y blog" "retry blog" "replace -y --dead blog 1001"; do
		rm -rf copy
		mkdir copy
		cp -a "$COOPR_STATE" "$COOPR_SPOOL" copy
		# shellcheck disable=SC2086 # words
		COOPR_STATE=$PWD/copy/state COOPR_SPOOL=$PWD/copy/spool coopr $words
		[ "$words" = "delete -y blog" ] || COOPR_STATE=$PWD/copy/state COOPR_SPOOL=$PWD/copy/spool coopr delete -y blog
		same "" "$(ls machines)"
	done
}

@test "nothing is replaced in a deletion that failed, or in a creation that somebody has cancelled, by reconcile alone" {
	coopr create -q blog -t lamp -n 4
	run -1 env FAIL_AT=delete.00000001-1003 coopr delete -y blog
	same incomplete "$(recorded blog)"
	rm machines/*
	run --separate-stderr -1 coopr replace -y --dead blog 1003
	same "coopr-replace: blog: its deletion (job 00000001-002) is not complete; coopr retry blog continues it" "$stderr"
	run --separate-stderr -1 coopr reconcile --probe --repair --work
	contains "$stderr" "its machine is gone; not repaired: blog: its deletion (job 00000001-002) is not complete; coopr retry blog continues it"
	same "" "$(ls machines)"
	coopr retry -q -y blog
	same "" "$(living)"
}
