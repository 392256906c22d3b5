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

# jq takes as long to start as a task to be done, so it is left out where bash does as well.
plugin() {
	"$COOPR_BIN/../libexec/coopr/provider/$(provider_type)" "$@"
}

provider_type() {
	local type=${PROVIDER#*\"providertype\":}

	type=${type#*\"}
	echo "${type%%\"*}"
}

# A task as coopr-exec gets it: provider_task ACTION NODENUM [FACTS]
provider_task() {
	local job=${JOB:-00000042-001} image=

	[ -z "${IMAGE-}" ] || image=", \"image\": \"$IMAGE\""
	paste -sd ' ' <<-END | with_facts "${3-}"
		{"kind": "task", "id": "t$2", "job": "$job", "token": "$job:t$2", "attempt": 1, "action": "$1", "service": null,
		"type": "$(provider_type)", "fields": {}, "timeout_s": 60,
		"cluster": {"id": "00000042", "name": "shop", "config": {}, "provider": $PROVIDER},
		"machine": {"id": "00000042-$2", "nodenum": $2, "hostname": "shop42-$2.example.net", "sshuser": "root", "flavor": "large"$image}}
	END
}

with_facts() {
	if [ -n "$1" ]; then jq -c --argjson facts "$1" '.machine += $facts'; else cat; fi
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
	local found

	found=$(member '"\(.status) \(.class) \(.message)"')
	[[ $found = "$1 "* ]] || same "$1" "$found" || return
	contains "${found#* * }" "$2"
}

ask() {
	if [ -n "${2-}" ]; then jq -c --argjson more "$2" '. + $more' <<<"$PROVIDER"; else echo "$PROVIDER"; fi | plugin "$1"
}

list() {
	local claims=

	[ ! -e "${COOPR_STORE:-$COOPR_STATE/store.sqlite3}" ] || claims=$(coopr-store claims -o json "$(jq -r .name <<<"$PROVIDER")" | paste -sd ,)
	ask list "${claims:+{\"claims\": [$claims]\}}" | jq -r .id
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
