#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Random sequences of operations, some of which fail or are cancelled half way; whenever the cluster is called active, the services
# that were really set up are compared with those it is said to have. COOPR_SEED repeats one.

load case

setup() {
	fresh
	own_catalogue
	export COOPR_PLUGINS=$PWD/plugins TRUTH=$PWD/truth
	mkdir -p plugins/automator truth
	# It keeps a file for each service on each node, with how far it is; and fails where the list of failures says so.
	cat >plugins/automator/truth <<-'EOT'
		#!/bin/sh
		record=$(cat)
		first() { # MEMBER RECORD: the value of the first member of that name, or 0; jq would take longer than all else
			case $2 in *"\"$1\":"*) printf %s "${2#*"\"$1\":"}" | sed 's/^"//; s/[",}].*//' ;; *) printf 0 ;; esac
		}
		set -- "$1" "$(first id "${record#*'"machine":'}")" "$(first service "$record")" "$(first mark "$record")"
		at=$TRUTH/$2.$3
		if [ "$(printf %s "$SEED $*" | cksum | cut -c3)" -lt "${FAILURES:-0}" ]; then
			[ "$1" = start ] || [ "$1" = remove ] || [ ! -e "$at" ] || echo half >"$at"
			echo '{"kind":"result","status":65,"message":"drawn"}'
			exit
		fi
		case $1 in
		install) echo installed >"$at" ;;
		configure) echo "configured $4" >"$at" ;;
		start) echo "started $4" >"$at" ;;
		stop) [ ! -e "$at" ] || echo stopped >"$at" ;;
		remove) rm -f "$at" ;;
		esac
		echo '{"kind":"result","status":0}'
	EOT
	chmod 755 plugins/automator/truth
	for file in mine/services/{apache,haproxy,memcached,mod-php,mysql}.json; do
		jq '.provisioner.actions = ({install: 0, configure: 0, start: 0, stop: 0, remove: 0} | map_values({type: "truth", fields: {}}))' \
			"$file" >service
		mv service "$file"
	done
}

# What is there on the nodes that the cluster has, and what is said to be.
compare() {
	local mark

	mark=$(coopr config blog | jq -r '.mark // 0')
	coopr show -o json blog | jq -r --arg mark "$mark" 'select(.kind == "node") | .id as $node | .services[] | "\($node).\(.) started \($mark)"' |
		sort >said
	coopr show -o json blog | jq -r 'select(.kind == "node").id' | while read -r node; do
		(cd truth && grep -H . "$node".* | sed 's/:/ /')
	done | sort >found
	diff -u said found
}

# One operation at random, with failures at random; sometimes it is given up.
operate() {
	local words

	RANDOM_STATE=$(((RANDOM_STATE * 1103515245 + 12345) % 2147483648))
	case $((RANDOM_STATE / 65536 % 8)) in
	0 | 1) words="expand blog -y" ;;
	2) words="shrink -y blog" ;;
	3 | 4) words="config -y --set mark=$RANDOM_STATE blog" ;;
	5) words="rollback -y blog" ;;
	6) words="retry -y blog" ;;
	7) words="restart -y blog" ;;
	esac
	export SEED=$RANDOM_STATE FAILURES=$((RANDOM_STATE / 524288 % 4))
	echo "$words (failures $FAILURES)"
	# shellcheck disable=SC2086 # words
	coopr $words >records 2>log || :
	echo "  $(recorded): $(head -n 1 log)"
	[ "$(recorded)" != active ] || compare
}

recorded() {
	sqlite3 "$COOPR_STATE/store.sqlite3" "SELECT status FROM cluster WHERE name = 'blog'"
}

@test "what is called active is what was set up, after any sequence of operations that fail" {
	RANDOM_STATE=${COOPR_SEED:-7}
	echo "COOPR_SEED=$RANDOM_STATE"
	coopr create -o json blog -t lamp -n 4 >records 2>log
	compare
	for _ in {1..25}; do
		operate
	done
	# Without failures there is always a way back.
	export FAILURES=0
	[ "$(recorded)" = active ] || coopr rollback -o json -y blog >records 2>log
	same active "$(recorded)"
	compare
}
