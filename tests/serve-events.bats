#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# Events as they happen, coopr-api(7).

load case
load serve

setup() {
	serve_setup
}

teardown() {
	serve_end
}

# Follows into a file until it is ended: follow FILE PATH [CURL-ARGUMENT...]; waits for the first cursor.
follow() {
	curl -sN --unix-socket "$SOCKET" -H 'Accept: text/event-stream' "${@:3}" "http://coopr$2" >"$1" 3>&- &
	follower=$!
	until grep -q '^id: ' "$1"; do kill -0 "$follower"; sleep 0.05; done
}

# Prints the last id of a file.
last_id() {
	sed -n 's/^id: //p' "$1" | tail -n 1
}

unfollow() {
	kill "$follower"
	wait "$follower" || true
}

# Waits until the file has a finish.
until_finished() {
	until grep -q '^event: finish' "$1"; do kill -0 "$server"; sleep 0.05; done
}

# Prints the events of a file, as records
events() {
	sed -n 's/^data: //p' "$1"
}

@test "who follows hears of each event of the tenant's clusters once, in the order of the jobs" {
	serve
	answers 406 GET /v1/events
	follow all /v1/events
	coopr-create -yq --detach -t lamp -n 4 -P dummy one
	coopr-work --drain
	until_finished all
	unfollow
	events all | jq -cS 'del(.job)' >have
	coopr-events -o json one | jq -cS 'del(.job)' | diff - have
}

@test "a follower goes on behind its last event, also after the server was killed; what it missed comes then" {
	serve
	follow first /v1/events
	coopr-create -yq --detach -t lamp -n 4 -P dummy one
	until grep -q '^event: put' first; do kill -0 "$server"; sleep 0.05; done
	unfollow
	last=$(last_id first)
	kill -KILL "$server"
	wait "$server" || true
	coopr-work --drain
	serve
	follow second /v1/events -H "Last-Event-ID: $last"
	until_finished second
	unfollow
	cat first second | sed -n 's/^data: //p' | jq -cS 'del(.job)' >have
	coopr-events -o json one | jq -cS 'del(.job)' | diff - have
	same "" "$(cat first second | sed -n '/^id: /{N;/\n./p}' | grep '^id: ' | sort | uniq -d)"
	follow third /v1/clusters/one/events -H "Last-Event-ID: $last"
	until_finished third
	unfollow
	diff <(events second) <(events third)
}

# Prints the ids of the events of a file.
ids_of_events() {
	sed -n '/^id: /{N;/\nevent/s/^id: \([^\n]*\).*/\1/p}' "$1"
}

@test "an id tells nothing of how many events there were, and counts in its tenant alone; an event has the same for all who follow" {
	coopr-tenant create -y qa
	serve
	follow first /v1/events
	unfollow
	follow second /v1/events
	[ "$(last_id first)" != "$(last_id second)" ] # though nothing has happened between them
	unfollow
	for file in first second; do
		follow $file /v1/events -H "Last-Event-ID: $(last_id $file)"
		followers+=("$follower")
	done
	coopr-create -yq --detach -t lamp -n 4 -P dummy one
	coopr-work --drain
	until_finished first
	until_finished second
	kill "${followers[@]}"
	wait "${followers[@]}" || true
	ids_of_events first >ids
	ids_of_events second | diff ids -
	same "$(events first | wc -l) 64" "$(sort -u ids | wc -l) $(awk '{print length}' ids | sort -u)"
	last=$(tail -n 1 ids)
	answers 410 GET '/v1/events?tenant=qa' -H 'Accept: text/event-stream' -H "Last-Event-ID: $last"
	answers 410 GET /v1/events -H 'Accept: text/event-stream' -H "Last-Event-ID: ${last%?}"
}

@test "where an earlier release told the events, a new order is begun, and its cursors are answered with 410" {
	serve
	follow first /v1/events
	unfollow
	serve_end
	sed -i '1s/ [0-9a-f]* / 0123456789abcdef /' "$COOPR_STATE/feed"
	serve
	for cursor in 0123456789abcdef-0 "$(last_id first)"; do
		answers 410 GET /v1/events -H 'Accept: text/event-stream' -H "Last-Event-ID: $cursor"
	done
	follow second /v1/events
	coopr-create -yq --detach -t lamp -n 4 -P dummy one
	coopr-work --drain
	until_finished second
	unfollow
}

@test "a cursor that is not kept is answered with 410" {
	serve
	for cursor in nonsense 0123456789abcdef-1 -1; do
		answers 410 GET /v1/events -H 'Accept: text/event-stream' -H "Last-Event-ID: $cursor"
	done
	answers 404 GET '/v1/events?tenant=none' -H 'Accept: text/event-stream'
	answers 404 GET /v1/clusters/none/events -H 'Accept: text/event-stream'
}

@test "a user hears of the clusters that the user sees, and of nothing once the user is no member any more" {
	need_root
	need_program setpriv
	coopr-tenant create -y qa
	coopr-member set -y -T qa nobody --role user
	serve
	setpriv --reuid nobody --clear-groups --regid nogroup curl -sN --unix-socket "$SOCKET" -H 'Accept: text/event-stream' \
		'http://coopr/v1/events?tenant=qa' >theirs 3>&- &
	theirs=$!
	until grep -q '^id: ' theirs; do kill -0 "$theirs"; sleep 0.05; done
	follow all /v1/events
	coopr-create -yq --detach -t lamp -n 4 -P dummy one
	coopr-work --drain
	until_finished all
	coopr-member delete -y -T qa nobody
	wait "$theirs" # the answer ends, and is whole
	same "" "$(events theirs)"
	unfollow
}

@test "a log is followed: what a task says is sent as it says it, until the operation is over" {
	mkfifo gate
	stubborn_service
	cat >plugins/automator/stubborn <<-'END'
		#!/bin/sh
		cat >/dev/null
		if [ "$1" = start ]; then
			echo "first words" >&2
			: <"$WHERE/gate" # all wait until somebody writes there
			echo "last words" >&2
		fi
		echo '{"kind":"result","status":0}'
	END
	coopr-store put -yq --kind service <mine/services/stubborn.json
	coopr-store put -yq --kind clustertemplate <mine/clustertemplates/lamp.json
	serve
	coopr-create -yq --detach -t lamp -n 4 -P dummy -s haproxy,apache,mod-php,mysql,memcached,stubborn one
	coopr-work --drain 2>work.log 3>&- &
	worker=$!
	curl -sN --unix-socket "$SOCKET" 'http://coopr/v1/clusters/one/log?follow=true' >said 3>&- &
	follower=$!
	until grep -q 'first words' said; do kill -0 "$follower"; sleep 0.05; done
	run ! grep 'last words' said
	curl -sN --unix-socket "$SOCKET" 'http://coopr/v1/clusters/one/log?follow=true' >another 3>&- &
	another=$!
	until grep -q 'first words' another; do kill -0 "$another"; sleep 0.05; done
	same 2 "$(pgrep -c -P "$server" -f coopr-log)"
	kill "$another"
	until [ "$(pgrep -c -P "$server" -f coopr-log)" = 1 ]; do kill -0 "$server"; sleep 0.05; done # who has gone follows no more
	exec {gate}>gate
	wait "$follower"
	contains "$(cat said)" 'last words'
	wait "$worker"
	exec {gate}>&-
	answers 200 GET '/v1/clusters/one/log?follow=true' -D head
	contains "$(cat head)" 'Content-Type: text/plain'
	coopr-log --follow one | cmp - body
	answers 404 GET '/v1/clusters/nothing/log?follow=true'
	contains "$(body .detail)" 'no cluster named "nothing"'
	answers 422 GET '/v1/clusters/one/log?follow=perhaps'
	answers 422 GET '/v1/clusters/one/log?follow=true&nothing=1'
	answers 422 GET '/v1/clusters/one/lease?follow=true'
}
