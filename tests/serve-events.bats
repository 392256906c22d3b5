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
	until grep -q '^id: ' "$1"; do kill -0 "$follower"; done
}

unfollow() {
	kill "$follower"
	wait "$follower" || true
}

# Waits until the file has a finish.
until_finished() {
	until grep -q '^event: finish' "$1"; do kill -0 "$server"; done
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
	until grep -q '^event: put' first; do kill -0 "$server"; done
	unfollow
	last=$(sed -n 's/^id: //p' first | tail -n 1)
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
	until grep -q '^id: ' theirs; do kill -0 "$theirs"; done
	follow all /v1/events
	coopr-create -yq --detach -t lamp -n 4 -P dummy one
	coopr-work --drain
	until_finished all
	coopr-member delete -y -T qa nobody
	wait "$theirs" # the answer ends, and is whole
	same "" "$(events theirs)"
	unfollow
}
