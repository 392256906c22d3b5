# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# A fake of a cloud for the provider of a test file, and what every provider of a cloud keeps to. Needs case and provider.
#
#	fake_start CLOUD          starts tests/cloud/fake.py; its URL is in $FAKE
#	fake_set JSON             tells it how it is
#	fake_fault JSON           tells it what to do wrong next
#	machines                  how many it has
#	requests REGEX            how many such requests it got
#	node_with PACKAGE...      skips where node cannot have those packages of npm; $CLIENTS is the folder where they are
#
# The conformance suite; CREATE, LIST and DELETE are regular expressions of the requests for that, and IMAGE is an image that there is:
#
#	cloud_survives_faults     each request goes wrong in each way, and there is one machine, and then none
#	cloud_survives_kills N [MACHINE FULL]
#	                          the same, killed at each of the first N requests; with more members of the machine, such as choices, on a cloud that
#	                          is full as FULL says until then
#	cloud_makes_many          a hundred creations share one process
#   cloud_has_volumes         volumes are made once, attached to one machine at a time, never taken from one that may write, copied, deleted
#   cloud_volumes_survive     each of the requests given goes wrong in each way, or is the last before a kill: one volume, at one machine
#
# Nobody answers at the addresses of the fake's machines: UNREACHABLE.

fake_start() {
	mkfifo fake.alive
	python3 "$COOPR_ROOT/tests/cloud/fake.py" "$1" fake.port fake.log <fake.alive 3>&- 9>&- &
	exec 9<>fake.alive
	until [ -s fake.port ]; do kill -0 $! && sleep 0.02; done
	FAKE=http://127.0.0.1:$(cat fake.port)
}

fake_end() {
	exec 9>&-
	wait
}

fake_set() {
	curl -sS -f -d "$1" "$FAKE/_set" >/dev/null
}

fake_fault() {
	curl -sS -f -d "$1" "$FAKE/_fault" >/dev/null
}

machines() {
	curl -sS -f "$FAKE/_machines" | jq length
}

requests() {
	curl -sS -f "$FAKE/_requests" | jq --arg regex "$1" '[to_entries[] | select(.key | test($regex)) | .value] | add // 0'
}

# They stay in build/clients for the next run.
node_with() {
	local name

	need_program node npm
	CLIENTS=$COOPR_ROOT/build/clients
	mkdir -p "$CLIENTS"
	for name; do
		[ -d "$CLIENTS/node_modules/$name" ] ||
			npm install --prefix "$CLIENTS" --silent --no-audit --no-fund --ignore-scripts "$name" >/dev/null 2>&1 3>&- || skip "npm cannot install $name"
	done
}

# A machine is made although something goes wrong once: create_through FAULT [NODENUM].
create_through() {
	fake_fault "$1"
	do_task create "${2:-1000}"
	for _ in 1 2 3; do
		[ "$(member .status)" = 75 ] || break
		do_task create "${2:-1000}"
	done
}

# One machine is there, the one that the result names, whatever happened: and it goes.
exactly_one_and_none() {
	same 0 "$(member .status)"
	same 1 "$(machines)"
	same "$(curl -sS "$FAKE/_machines" | jq -r '.[0].id')" "$(member .result.providerid)"
	same 00000042-1000 "$(list)"
	do_task delete 1000
	same 0 "$(member .status)"
	same 0 "$(machines)"
	same "" "$(list)"
	same "" "$(find state -path '*00000042-1000*')"
}

# All requests meet some of the faults, and creations all of them; with CLOUD_ALL=1 all meet all.
cloud_survives_faults() {
	local fault number=0

	for fault in '"do":"drop"' '"do":"lost"' '"do":"truncate"' '"do":"rubbish"' '"do":"status","status":500' '"do":"status","status":503' \
		'"do":"status","status":429' '"do":"status","status":429,"headers":{"Retry-After":"1"}' '"do":"status","status":503,"headers":{"Retry-After":"0"}' \
		'"do":"lost","count":2' '"do":"drop","count":3'; do
		echo "# create: $fault"
		create_through "{\"match\":\"$CREATE\",$fault}"
		exactly_one_and_none
		number=$((number + 1))
		[ -n "${CLOUD_ALL-}" ] || [ $((number % 3)) = 1 ] || continue
		echo "# list: $fault"
		create_through "{\"match\":\"$LIST\",$fault}"
		exactly_one_and_none
		echo "# delete: $fault"
		do_task create 1000
		same 1 "$(machines)"
		fake_fault "{\"match\":\"$DELETE\",$fault}"
		do_task delete 1000
		for _ in 1 2 3; do
			[ "$(member .status)" != 0 ] || break
			do_task delete 1000
		done
		same 0 "$(member .status)"
		same 0 "$(machines)"
	done
}

cloud_survives_kills() {
	local skip before

	for ((skip = 0; skip < $1; skip++)); do
		fake_set "{\"full\":${3:-[]}}"
		fake_fault "{\"match\":\".\",\"skip\":$skip,\"do\":\"slow\",\"seconds\":3}"
		before=$(requests .)
		do_task create 1000 "${2-}" &
		until [ "$(requests .)" -gt $((before + skip)) ] || ! kill -0 $! 2>/dev/null; do sleep 0.05; done
		pkill -KILL -P "$!" || true
		kill -KILL $! 2>/dev/null || true
		wait $! 2>/dev/null || true
		fake_set '{"full":[]}'
		do_task create 1000 "${2-}"
		same 0 "$(member .status)"
		same 1 "$(machines)"
		do_task delete 1000
		same 0 "$(machines)"
	done
}

cloud_makes_many() {
	local number

	fake_set '{"latency_ms":50,"active_ms":1000}'
	do_task create 999
	for number in $(seq 1000 1099); do
		jq -c --arg n "$number" '.id = "t\($n)" | .token = "\(.job):t\($n)" | .machine.id = "00000042-\($n)" | .machine.hostname = "n\($n).x" | .action = "create"' task.json
	done >tasks
	"$COOPR_BIN/../libexec/coopr/provider/$(jq -r .providertype <<<"$PROVIDER")" stream <tasks >results
	same 100 "$(jq -s 'map(select(.status == 0)) | length' results)"
	same 101 "$(machines)"
	same 101 "$(requests "$CREATE")"
	# One list before, and one each tenth of a second while they start: not one each machine.
	[ "$(requests "$LIST")" -lt 80 ]
}

volumes_there() { # FILTER
	curl -sS -f "$FAKE/_volumes" | jq -c "$1"
}

# Has the plugin itself do a task with volumes, as coopr-exec would: volume_task ACTION NODENUM [JQ-FILTER]
volume_task() {
	jq -cn --arg action "$1" --argjson num "$2" --argjson provider "$PROVIDER" '{kind: "task", id: "t\($num)", job: "00000042-001",
		token: "00000042-001:t\($num)", attempt: 1, action: $action, service: null, type: $provider.providertype, fields: {}, timeout_s: 30,
		cluster: {id: "00000042", name: "shop", config: {}, provider: $provider},
		machine: {id: "00000042-\($num)", nodenum: $num, hostname: "shop42-\($num).example.net"}} | '"${3:-.}" >task.json
	"$COOPR_BIN/../libexec/coopr/provider/$(jq -r .providertype <<<"$PROVIDER")" "$1" <task.json >result.json 2>log || true
}

DATA='.volumes = [{id: "v-1", path: "/srv/data", size_gb: 5, keep: true}, {id: "v-2", path: "/srv/tmp", size_gb: 1, keep: false}]'

cloud_has_volumes() {
	local one two

	do_task create 1000
	one=$(member .result.providerid)
	do_task create 1001
	two=$(member .result.providerid)
	volume_task attach 1000 "$DATA"
	same "0 v-1 v-2" "$(member '"\(.status) \(.result.volumes[0].id) \(.result.volumes[1].id)"')"
	contains "$(member '.result.volumes[0].device')" /dev/
	volume_task attach 1000 "$DATA"
	same 0 "$(member .status)"
	same "[[\"v-1\",\"$one\"],[\"v-2\",\"$one\"]]" "$(volumes_there 'map([.name, .machine])')"
	same "00000042-1000 00000042-1000" "$("$COOPR_BIN/../libexec/coopr/provider/$(jq -r .providertype <<<"$PROVIDER")" volumes <<<"$PROVIDER" | jq -r .node | xargs)"

	# A machine that may write keeps what it has; one that is off, or gone, gives it up.
	volume_task fence 1000
	same 1 "$(member .status)"
	volume_task attach 1001 '.volumes = [{id: "v-1", path: "/srv/data", size_gb: 5, keep: true}]'
	same 75 "$(member .status)"
	volume_task discard 1000 'del(.machine) | .volume = {id: "v-1"}'
	same 75 "$(member .status)"
	same "$one" "$(volumes_there 'map(select(.name == "v-1").machine)[0]' | jq -r .)"
	fake_set "{\"stop\":\"$one\"}"
	volume_task fence 1000
	same 0 "$(member .status)"
	volume_task attach 1001 '.volumes = [{id: "v-1", path: "/srv/data", size_gb: 5, keep: true}]'
	same 0 "$(member .status)"
	same "$two false" "$(volumes_there 'map(select(.name == "v-1") | "\(.machine) \(.forced)")[0]' | jq -r .)"

	# With its machine goes what is not kept.
	volume_task delete 1000 '.volumes = [{id: "v-2", keep: false}]'
	same 0 "$(member .status)"
	volume_task fence 1000
	same 0 "$(member .status)"
	same '["v-1"]' "$(volumes_there 'map(.name)')"

	volume_task snapshot 1001 'del(.machine) | .volume = {id: "s-1", of: "v-1", size_gb: 5, snapshot: true}'
	same 0 "$(member .status)"
	volume_task snapshot 1001 'del(.machine) | .volume = {id: "s-1", of: "v-1", size_gb: 5, snapshot: true}'
	same '["v-1","s-1"]' "$(volumes_there 'map(.name)')"
	volume_task attach 1001 '.volumes = [{id: "v-3", path: "/srv/copy", size_gb: 5, keep: true, of: "s-1"}]'
	same 0 "$(member .status)"
	volume_task discard 1001 'del(.machine) | .volume = {id: "s-1", snapshot: true}'
	same 0 "$(member .status)"
	volume_task delete 1001 '.volumes = [{id: "v-1", keep: true}, {id: "v-3", keep: true}]'
	for name in v-1 v-3 v-4; do
		volume_task discard 1001 "del(.machine) | .volume = {id: \"$name\"}"
		same 0 "$(member .status)"
	done
	same "[]" "$(volumes_there .)"
}

# cloud_volumes_survive REGEX...: requests that make or attach
cloud_volumes_survive() {
	local fault request skip=0 before

	do_task create 1000
	for request; do
		for fault in '"do":"drop"' '"do":"lost"' '"do":"truncate"' '"do":"status","status":500' '"do":"status","status":503'; do
			echo "# $request: $fault"
			fake_fault "{\"match\":\"$request\",$fault}"
			for _ in 1 2 3; do
				volume_task attach 1000 "$DATA"
				[ "$(member .status)" = 75 ] || break
			done
			same 0 "$(member .status)"
			same "2 2" "$(volumes_there '"\(length) \(map(select(.machine)) | length)"' | jq -r .)"
			do_task delete 1000
			for name in v-1 v-2; do
				volume_task discard 1000 "del(.machine) | .volume = {id: \"$name\"}"
			done
			same "[]" "$(volumes_there .)"
			do_task create 1000
		done
	done
	while [ "$skip" -lt 6 ]; do
		fake_fault "{\"match\":\".\",\"skip\":$skip,\"do\":\"slow\",\"seconds\":3}"
		before=$(requests .)
		volume_task attach 1000 "$DATA" &
		until [ "$(requests .)" -gt $((before + skip)) ] || ! kill -0 $! 2>/dev/null; do sleep 0.05; done
		pkill -KILL -P "$!" || true
		wait $! 2>/dev/null || true
		volume_task attach 1000 "$DATA"
		same 0 "$(member .status)"
		same "2 2" "$(volumes_there '"\(length) \(map(select(.machine)) | length)"' | jq -r .)"
		skip=$((skip + 1))
	done
}
