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
