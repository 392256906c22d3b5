#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Changes that a loss of the whole server interrupts at any of their writes, and that are sent again with the same Idempotency-Key:
# coopr-api(7). KILLED_STEP=1 tries every write, and not only some.

load case
load serve

setup() {
	serve_setup
	need_program sqlite3
	make_shim
	mkdir bin
	cp "$COOPR_BIN/coopr-serve" bin
	# A command is killed at its n-th write, where n is in the file at.
	for command in abort add clone config create delete expand import lease member pause queue remove rename replace resource restart resume retry rollback scale \
		secret shrink start stop store tenant token upgrade user; do
		cat >"bin/coopr-$command" <<-EOT
			#!/bin/sh
			case "\$*" in
			*--complete-options*) ;;
			*) [ ! -s "$PWD/at" ] || export LD_PRELOAD="$PWD/shim.so" CRASH_NO_SYNC=1 CRASH_AT="\$(cat "$PWD/at")" \
				ASAN_OPTIONS="\${ASAN_OPTIONS-}:verify_asan_link_order=0" ;;
			esac
			exec "$COOPR_BIN/coopr-$command" "\$@"
		EOT
		chmod +x "bin/coopr-$command"
	done
	coopr-tenant create qa
	coopr-member set ann
	coopr-create -yq --detach -t lamp -n 4 -P dummy shop
	coopr-work --drain >work.log 2>&1
	coopr-status shop >status.log
	cp -a "$COOPR_STATE" state.base
	cp -a "$COOPR_SPOOL" spool.base
}

teardown() {
	serve_end
}

start_again() {
	[ -z "${server-}" ] || {
		kill -KILL "$server"
		wait "$server" || true
	}
	PATH=$PWD/bin:$PATH serve
}

# Prints all that a change may have done, and how often. What was interrupted between the store and the queue is resumed by
# coopr-reconcile(1).
effects() {
	coopr-reconcile >reconcile.log 2>&1 || true
	sqlite3 "$COOPR_STATE/store.sqlite3" "SELECT c.name, o.number, o.action FROM operation o JOIN cluster c ON c.id = o.cluster
			WHERE c.status <> 'terminated' ORDER BY 1, 2;
		SELECT name, status, expires_ms > 0 FROM cluster WHERE status <> 'terminated' ORDER BY 1;
		SELECT kind, name, version FROM entity ORDER BY 1, 2; SELECT * FROM member ORDER BY 2; SELECT name, document FROM tenant ORDER BY 1;
		SELECT plugin, name, version, bytes FROM resource ORDER BY 1, 2, 3; SELECT name, version FROM secret ORDER BY 1, 2;
		SELECT user, name FROM token ORDER BY 1, 2; SELECT user FROM login ORDER BY 1"
	coopr-queue limit -o json
	coopr-queue ls -o json | jq -r .action | sort
}

# Begins anew, and has a change sent, whose command ends at its n-th write, or nothing where that is never reached; and then, to a server
# that knows nothing of it, once more: once N METHOD PATH [CURL-ARGUMENT...]
once() {
	rm -rf "$COOPR_STATE" "$COOPR_SPOOL"
	cp -a state.base "$COOPR_STATE"
	cp -a spool.base "$COOPR_SPOOL"
	echo "$1" >at
	start_again
	ask "${@:2}" -H 'Idempotency-Key: once'
	first=$status
	: >at
	start_again
	ask "${@:2}" -H 'Idempotency-Key: once'
	case $status in
	2?? | 409) ;;
	*)
		echo "$*: $first, then $status"
		cat body
		return 1
		;;
	esac
	effects >found
}

# Tries a change at its writes: METHOD PATH [CURL-ARGUMENT...]
at_every_write() {
	local at=$((1 + ${SEED:-$RANDOM} % ${KILLED_STEP:=29}))

	once 1000000 "$@"
	[[ $first = 2?? ]]
	cp found expected
	while once "$at" "$@" && [[ $first != 2?? ]]; do
		diff expected found || {
			echo "killed at $at: $*: $first, then $status"
			cat body
			return 1
		}
		at=$((at + KILLED_STEP))
	done
	[[ $status = 2?? || $status = 409 ]]
	echo "$* has fewer than $at writes"
}

@test "a change that was interrupted at any of its writes and is sent again is done once" {
	at_every_write POST /v1/clusters -d '{"name": "new", "template": "lamp", "machines": 4, "provider": "dummy"}'
	at_every_write POST /v1/clusters/shop/expand -d '{"machines": 5}'
	at_every_write POST /v1/clusters/shop/rename -d '{"name": "store"}'
	echo '{"kind": "hardwaretype", "name": "huge", "providermap": {"dummy": {"flavor": "huge"}}}' >huge.json
	at_every_write POST /v1/entities --data-binary @huge.json
	at_every_write POST /v1/tenants -d '{"name": "dev"}'
	[ -z "${KILLED_ALL-}" ] || {
		at_every_write POST /v1/clusters/shop/clone -d '{"name": "twin"}'
		at_every_write POST /v1/clusters/shop/stop -d '{}'
		at_every_write POST /v1/clusters/shop/lease -d '{"time": "2d"}'
		at_every_write POST /v1/import --data-binary @huge.json
		at_every_write DELETE /v1/clusters/shop -H 'If-Match: *' -d '{"discard-data": true}'
		at_every_write PUT /v1/members/bob -d '{"role": "admin"}'
		at_every_write PUT /v1/secrets/word --data-binary word
		at_every_write PUT '/v1/resources/automator/shell/files/noise?sync' --data-binary @huge.json
		at_every_write POST /v1/clusters/shop/config -d '{"set": "php.x=1"}'
		at_every_write POST /v1/clusters/shop/scale -d '{"services": "apache=2"}'
		at_every_write POST /v1/clusters/shop/restart -d '{"services": "apache"}'
		at_every_write POST /v1/clusters/shop/replace -d '{"nodes": "1000", "discard-data": true}'
		at_every_write POST /v1/tokens -d '{"name": "new"}'
		at_every_write POST /v1/users -d '{"name": "new"}'
		at_every_write PATCH /v1/limits -d '{"total": 7}'
		at_every_write PATCH /v1/tenants/qa -H 'If-Match: *' -d '{"clusters": 7}'
		at_every_write DELETE /v1/tenants/qa -H 'If-Match: *' -d '{}'
	}
}
