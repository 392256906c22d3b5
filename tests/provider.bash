# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# What coopr-plugins(7) asks of every provider. A test file sets PROVIDER to an entity and loads this:
#
#	load case
#	load provider
#
#	do_task ACTION NODENUM [FACTS]   has the provider do it; the result is in result.json. The node has the image $IMAGE, if that is set
#	tasks_for FIRST LAST             creations like the last task, for each of the nodes of these numbers
#	fails_as 'STATUS [CLASS]' WORDS  the last task has failed so, and its message says that
#	plugin VERB                      runs the provider's program
#	ask VERB [MEMBERS]               runs it with the entity, with more members
#	list                             the ids of what the provider says is there
#	listed                           the same, each with the id that its cloud has given it
#	keeps_the_contract               two machines are made, found, made again, confirmed unless $UNREACHABLE is set, removed, and nothing is left

plugin() {
	"$COOPR_BIN/../libexec/coopr/provider/$(jq -r .providertype <<<"$PROVIDER")" "$@"
}

# A task as coopr-exec gets it: provider_task ACTION NODENUM [FACTS]
provider_task() {
	jq -cn --arg action "$1" --argjson num "$2" --argjson facts "${3:-{\}}" --argjson provider "$PROVIDER" \
		--arg job "${JOB:-00000042-001}" --arg image "${IMAGE-}" '{
		kind: "task", id: "t\($num)", job: $job, token: "\($job):t\($num)", attempt: 1, action: $action, service: null,
		type: $provider.providertype, fields: {}, timeout_s: 60,
		cluster: {id: "00000042", name: "shop", config: {}, provider: $provider},
		machine: ({id: "00000042-\($num)", nodenum: $num, hostname: "shop42-\($num).example.net", sshuser: "root",
			flavor: "large"} + (if $image == "" then {} else {image: $image} end) + $facts)}'
}

do_task() {
	provider_task "$@" >task.json
	coopr-exec -q <task.json >result.json
}

tasks_for() {
	jq -c --argjson first "$1" --argjson last "$2" '. as $task | range($first; $last + 1) as $n | $task | .id = "t\($n)" | .token = "\(.job):t\($n)" |
		.machine.id = "00000042-\($n)" | .machine.hostname = "n\($n).x" | .action = "create"' task.json
}

fails_as() {
	case $1 in
	*' '*) same "$1" "$(member '"\(.status) \(.class)"')" || return ;;
	*) same "$1" "$(member .status)" || return ;;
	esac
	contains "$(member .message)" "$2"
}

ask() {
	jq -c --argjson more "${2:-{\}}" '. + $more' <<<"$PROVIDER" | plugin "$1"
}

list() {
	local claims='[]'

	[ ! -e "${COOPR_STORE:-$COOPR_STATE/store.sqlite3}" ] || claims=$(coopr-store claims -o json "$(jq -r .name <<<"$PROVIDER")" | jq -cs .)
	ask list "$(jq -c '{claims: .}' <<<"$claims")" | jq -r .id
}

listed() {
	ask list | jq -r '"\(.id) \(.facts.providerid)"' | sort
}

# What the result of create tells of the node, as later tasks get it.
facts() {
	jq -c '{ipaddresses, facts: .result}' result.json
}

keeps_the_contract() {
	local one two

	same "" "$(list)"
	do_task create 1000
	same 0 "$(member .status)"
	one=$(facts)
	[ -n "$(member '.result.providerid // empty')" ]
	[ -n "$(member '.ipaddresses.access_v4 // empty')" ]
	[ -n "$(member '.ipaddresses.bind_v4 // empty')" ]
	do_task create 1001
	two=$(facts)
	[ "$(jq .facts.providerid <<<"$one")" != "$(jq .facts.providerid <<<"$two")" ]
	# Again, by another attempt or another job.
	do_task create 1000
	same "$one" "$(facts)"
	JOB=00000042-002 do_task create 1000
	same "$one" "$(facts)"
	same "00000042-1000
00000042-1001" "$(list)"
	if [ -z "${UNREACHABLE-}" ]; then
		do_task confirm 1000 "$one"
		same 0 "$(member .status)"
	fi
	do_task delete 1000 "$one"
	same 0 "$(member .status)"
	do_task delete 1000 "$one"
	same 0 "$(member .status)"
	same 00000042-1001 "$(list)"
	# A node of which nothing is known but its id: its create was cut off.
	do_task delete 1001
	same 0 "$(member .status)"
	same "" "$(list)"
	do_task delete 1002
	same 0 "$(member .status)"
}
