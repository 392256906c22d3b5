# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# A fake of a cloud for the provider of a test file, and what every provider of a cloud keeps to. Needs case and provider.
#
#	fake_start CLOUD          starts tests/cloud/fake.py; its URL is in $FAKE. It is at $FAKE_ADDRESS, by default of this machine, and started by the
#	                          words $FAKE_BY, by default none
#	fake_end                  ends it
#	cloud_end                 the same, where what it has is what the provider lists that provider '{}' makes, or provider "$PLAIN"
#	fake_set JSON             tells it how it is
#	fake_fault JSON           tells it what to do wrong next
#	machines                  how many it has
#	requests REGEX            how many such requests it got
#	python_with MODULE PACKAGE    $PYTHON is a python that has the module: the one in PATH, or Debian's, which gets the package; 1 if there is none
#	node_has PACKAGE...       $CLIENTS is a folder where node has those packages of npm; 1 where it cannot have them
#	node_with PACKAGE...      the same, but skips
#	both_see NUMBER CLIENT... a client that others wrote prints exactly what the provider lists, as many lines
#	id_of NODENUM             the id that the cloud has given its machine
#	killed_at NUMBER COMMAND...   a command is killed, with what it has started, at its request of that number, from 0, or at the first that REGEX
#	killed_at REGEX COMMAND...    matches
#	end_job PID               ends it, with what it has started
#	confirm_in_vain           the last machine is asked for two seconds to confirm, at whose address nobody answers
#	first_start PROGRAM SCRIPT    the machine's script runs as at its first start, in root/ and etc/ here; what PROGRAM is given is in put
#
# The conformance suite; CREATE, LIST and DELETE are regular expressions of the requests for that, and IMAGE is an image that there is:
#
#	cloud_survives_faults     each request goes wrong, and there is one machine, and then none
#	cloud_asks_again          a list is asked for again where the answer is none of the cloud's; with CLOUD_SHAPE, up to a bound
#	cloud_survives_kills N [MACHINE FULL]
#	                          the same, killed at each of the first N requests of create, and at each of delete; with more members of the machine, such
#	                          as choices, on a cloud that is full as FULL says until then, and of create alone
#	cloud_finds_room FIRST SECOND N
#	                          a machine for which the zone FIRST has no room is made in SECOND by the same task, also if that is killed at each of the
#	                          first N requests; if there is room in neither, nothing is left
#	cloud_waits_for_the_late  a machine that appears late in the list is not made twice
#	cloud_drops_twins         of machines that were made twice, because an answer was lost, the oldest is handed out, once the others are gone
#	cloud_makes_many [REGEX]  a hundred creations share one process, which looks names up as often, by requests that REGEX matches, as one creation does
#	cloud_lists_many NUMBER FILTER
#	                          of two times so many machines of others and of this installation, whose id the filter finds in one of the fake's
#	cloud_tells_no WORD...    what is secret is in no log, message and file
#	cloud_gives_documents FILTER
#	                          a provider's document of cloud-init is in the user data, which the filter finds in one of the fake's machines, and behind
#	                          it what keeps the machine ours
#	cloud_has_volumes         volumes are made once, attached to one machine at a time, never taken from one that may write, copied, deleted
#	cloud_volumes_survive     each of the requests given goes wrong, or is the last before a kill: one volume, at one machine
#
# Nobody answers at the addresses of the fake's machines: UNREACHABLE.

# No proxy of this machine stands before it.
fake_start() {
	unset http_proxy https_proxy
	mkfifo fake.alive
	# shellcheck disable=SC2086 # words
	${FAKE_BY-} python3 "$COOPR_ROOT/tests/cloud/fake.py" "$1" fake.port fake.log <fake.alive 3>&- 9>&- &
	exec 9<>fake.alive
	until [ -s fake.port ]; do kill -0 $!; sleep 0.02; done
	FAKE=http://${FAKE_ADDRESS-127.0.0.1}:$(cat fake.port)
}

# Also where none was started.
fake_end() {
	[ -n "${FAKE-}" ] || return 0
	exec 9>&-
	wait
}

# Where the test was well, what the cloud has now is what the provider lists, whatever has gone wrong before; but where LEAVES says what else there is.
# What fake.py has of other installations is marked "theirs".
cloud_end() {
	local status=0

	[ -z "${FAKE-}" ] || [ -z "${BATS_TEST_COMPLETED-}" ] || [ -n "${LEAVES-}" ] || nothing_leaked || status=$?
	fake_end
	return "$status"
}

nothing_leaked() {
	curl -sS -f -X DELETE "$FAKE/_fault" >/dev/null
	fake_set '{"latency_ms":0,"visible_ms":0,"per_second":0}'
	provider "${PLAIN:-{\}}"
	same "$(curl -sS -f "$FAKE/_machines" | jq -r '.[] | select(tojson | test("coopr.installation[^a-z]+theirs"; "i") | not).id' | sort)" \
		"$(ask list | jq -r .facts.providerid | sort)"
}

fake_set() {
	curl -sS -f -d "$1" "$FAKE/_set" >/dev/null
}

fake_fault() {
	curl -sS -f -d "$1" "$FAKE/_fault" >/dev/null
}

machines() {
	curl -sS -f "$FAKE/_count"
}

requests() {
	curl -sS -f -G --data-urlencode "=$1" "$FAKE/_requests"
}

python_with() {
	local python

	for python in python3 /usr/bin/python3; do
		! "$python" -c "import $1" 2>/dev/null || { PYTHON=$python && return; }
	done
	"$COOPR_ROOT/tests/install-packages" "$2" >/dev/null 2>&1 3>&- && PYTHON=/usr/bin/python3
}

# They stay in build/clients for the next run.
node_has() {
	local name

	command -v npm >/dev/null || return 1
	CLIENTS=$COOPR_ROOT/build/clients
	mkdir -p "$CLIENTS"
	for name; do
		[ -d "$CLIENTS/node_modules/$name" ] ||
			"$COOPR_ROOT/tests/outside" npm install --prefix "$CLIENTS" --silent --no-audit --no-fund --ignore-scripts "$name" >/dev/null 2>&1 3>&- || return 1
	done
}

node_with() {
	need_program node npm
	node_has "$@" || skip "npm cannot install $*"
}

both_see() {
	same "$1" "$(listed | wc -l)"
	same "$(listed)" "$("${@:2}" | sort)"
}

id_of() {
	listed | sed -n "s/^00000042-$1 //p"
}

end_job() {
	pkill -KILL -P "$1" || true
	kill -KILL "$1" 2>/dev/null || true
	wait "$1" 2>/dev/null || true
}

killed_at() {
	local match=. skip=$1 before

	[[ $1 = [0-9]* ]] || match=$1 skip=0
	fake_fault "{\"match\":\"$match\",\"skip\":$skip,\"do\":\"slow\",\"seconds\":3}"
	before=$(requests "$match")
	"${@:2}" &
	until [ "$(requests "$match")" -gt $((before + skip)) ] || ! kill -0 $! 2>/dev/null; do sleep 0.05; done
	end_job $!
}

confirm_in_vain() {
	jq -c '.action = "confirm" | .timeout_s = 2' task.json | coopr-exec -q >result.json
	[ "$(member .status)" != 0 ]
}

first_start() {
	sh -n "$2"
	mkdir -p root etc bin
	printf '#!/bin/sh\nprintf "%%s\\n" "$@" >%s/put\n' "$PWD" >"bin/$1"
	chmod +x "bin/$1"
	echo 'ssh-ed25519 AAAB root@host' >etc/ssh_host_ed25519_key.pub
	sed -e "s,/root/,$PWD/root/,g; s,/etc/ssh/,$PWD/etc/,g" "$2" >here
	PATH=$PWD/bin:$PATH sh here
	until [ -s put ]; do sleep 0.05; done
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
	same "0 $(curl -sS "$FAKE/_machines" | jq -r '"\(length) \(.[0].id)"')" "$(member '"\(.status) 1 \(.result.providerid)"')"
	same 00000042-1000 "$(list)"
	do_task delete 1000
	same 0 "$(member .status)"
	same 0 "$(machines)"
	same "" "$(list)"
	same "" "$(find state -path '*00000042-1000*')"
}

# Creations meet these faults, and lists and deletions as many of them as told by the number of all: 3, or with CLOUD_ALL=1 all. What goes wrong in the
# same way for all clouds, as they share the client, is told once for each shape of an API, where CLOUD_SHAPE is set: JSON and a query with XML.
cloud_survives_faults() {
	local fault number=0 faults=('"do":"lost"' '"do":"truncate"' '"do":"noise"' '"do":"status","status":503' '"do":"status","status":429')

	[ -z "${CLOUD_ALL-}${CLOUD_SHAPE-}" ] || faults+=('"do":"rubbish"' '"do":"drop"' '"do":"status","status":500' '"do":"lost","count":2'
		'"do":"status","status":429,"headers":{"Retry-After":"1"}' '"do":"status","status":503,"headers":{"Retry-After":"0"}' '"do":"drop","count":3')
	for fault in "${faults[@]}"; do
		echo "# create: $fault"
		create_through "{\"match\":\"$CREATE\",$fault}"
		exactly_one_and_none
		number=$((number + 1))
		[ -n "${CLOUD_ALL-}" ] || [ $((number % 3)) = 1 ] || continue
		echo "# list and delete: $fault"
		create_through "{\"match\":\"$LIST\",$fault}"
		same 0 "$(member .status)"
		same 1 "$(machines)"
		fake_fault "{\"match\":\"$DELETE\",$fault}"
		do_task delete 1000
		for _ in 1 2 3; do
			[ "$(member .status)" != 0 ] || break
			do_task delete 1000
		done
		same 0 "$(member .status)"
		same 0 "$(machines)"
		same "" "$(list)"
	done
}

cloud_asks_again() {
	local what before

	do_task create 1000
	for what in rubbish cut other; do
		echo "# list: $what"
		fake_fault "{\"match\":\"$LIST\",\"do\":\"$what\",\"count\":2}"
		same 00000042-1000 "$(list)"
	done
	[ -n "${CLOUD_SHAPE-}" ] || return 0
	before=$(requests "$LIST")
	fake_fault "{\"match\":\"$LIST\",\"do\":\"other\",\"count\":1000}"
	run -75 ask list
	same 6 $(($(requests "$LIST") - before))
	curl -sS -f -X DELETE "$FAKE/_fault" >/dev/null
}

cloud_survives_kills() {
	local skip before

	for ((skip = 0; skip < $1; skip++)); do
		fake_set "{\"full\":${3:-[]}}"
		killed_at "$skip" do_task create 1000 "${2-}"
		fake_set '{"full":[]}'
		do_task create 1000 "${2-}"
		same 0 "$(member .status)"
		same 1 "$(machines)"
		do_task delete 1000
		same 0 "$(machines)"
	done
	# With choices, the end of a machine is the same.
	[ -z "${2-}" ] || return 0
	for ((skip = 0; ; skip++)); do
		do_task create 1000
		same 0 "$(member .status)"
		before=$(requests .)
		killed_at "$skip" do_task delete 1000
		[ "$(requests .)" -gt $((before + skip)) ] || break
		do_task delete 1000
		same "0 0 [] " "$(member .status) $(machines) $(curl -sS -f "$FAKE/_addresses") $(find state -path '*00000042-1000*')"
	done
	echo "# delete: killed at $skip requests"
	[ "$skip" -gt 0 ]
	curl -sS -f -X DELETE "$FAKE/_fault" >/dev/null
	same 0 "$(machines)"
}

cloud_finds_room() {
	local choices="{\"zone\":\"$1\",\"choices\":[{\"zone\":\"$2\"}]}" deletions

	fake_set "{\"full\":[[\"$1\",\"*\"]]}"
	# Another attempt finds it, and tells the same.
	for _ in 1 2; do
		do_task create 1000 "$choices"
		same "0 $2 $2 1" "$(member '"\(.status) \(.result.chosen.zone) \(.result.zone)"') $(machines)"
	done
	fake_set '{"full":[["*","*"]]}'
	do_task create 1001 "$choices"
	same '75 capacity 1' "$(member '"\(.status) \(.class)"') $(machines)"
	same "" "$(find state -path '*00000042-1001*')"
	do_task delete 1000
	same '0 0' "$(member .status) $(machines)"
	# One that could not be deleted before the kill is deleted after it.
	fake_set "{\"full\":[[\"$1\",\"*\"]]}"
	fake_fault "{\"match\":\"$DELETE\",\"do\":\"drop\",\"count\":1000}"
	deletions=$(requests "$DELETE")
	do_task create 1000 "$choices" &
	until [ "$(requests "$DELETE")" -gt "$deletions" ]; do kill -0 $!; sleep 0.05; done
	end_job $!
	curl -sS -f -X DELETE "$FAKE/_fault" >/dev/null
	do_task create 1000 "$choices"
	same "0 $2 1" "$(member '"\(.status) \(.result.zone)"') $(machines)"
	do_task delete 1000
	cloud_survives_kills "$3" "$choices" "[[\"$1\",\"*\"]]"
}

cloud_waits_for_the_late() {
	provider '{"consistency_s":20}'
	fake_set '{"visible_ms":1500}'
	create_through "{\"match\":\"$CREATE\",\"do\":\"lost\"}"
	same 0 "$(member .status)"
	same 1 "$(machines)"
	same 1 "$(requests "$CREATE")"
	# The wall clock of this host may jump, as it is set right or a virtual machine is resumed.
	make_shim
	do_task delete 1000
	ASAN_OPTIONS=${ASAN_OPTIONS:-}:verify_asan_link_order=0 LD_PRELOAD=$PWD/shim.so CRASH_CLOCK=1000 create_through "{\"match\":\"$CREATE\",\"do\":\"lost\"}"
	same 0 "$(member .status)"
	same 1 "$(machines)"
	same 2 "$(requests "$CREATE")"
	# The time begins when the answer was lost: the cloud may have taken all of it until then.
	do_task delete 1000
	provider '{"consistency_s":2}'
	create_through "{\"match\":\"$CREATE\",\"do\":\"lost\",\"late_s\":2.5}"
	same 0 "$(member .status)"
	same 1 "$(machines)"
	same 3 "$(requests "$CREATE")"
}

cloud_drops_twins() {
	local oldest

	# None is listed until there are two.
	provider '{"consistency_s":1}'
	fake_set '{"visible_ms":600000,"active_ms":600000}'
	create_through "{\"match\":\"$CREATE\",\"do\":\"lost\"}" &
	until [ "$(machines)" -gt 1 ]; do kill -0 $!; sleep 0.05; done
	oldest=$(curl -sS -f "$FAKE/_machines" | jq -r '.[0].id')
	fake_set '{"visible_ms":0,"active_ms":0}'
	wait $!
	same "0 $oldest 1" "$(member '"\(.status) \(.result.providerid)"') $(machines)"
}

cloud_makes_many() {
	local looked_up

	fake_set '{"latency_ms":50,"active_ms":1000}'
	do_task create 999
	looked_up=$(requests "${1-^$}")
	tasks_for 1000 1099 >tasks
	plugin stream <tasks >results
	same 100 "$(jq -s 'map(select(.status == 0)) | length' results)"
	same 101 "$(machines)"
	same 101 "$(requests "$CREATE")"
	same $((2 * looked_up)) "$(requests "${1-^$}")"
	# One list before, and one each tenth of a second while they start: not one each machine.
	[ "$(requests "$LIST")" -lt 80 ]
}

cloud_lists_many() {
	fake_set "{\"many\":$1,\"of\":\"theirs\"}"
	do_task create 1000
	fake_set "{\"many\":$1,\"of\":\"$(curl -sS -f "$FAKE/_machines" | jq -r ".[-1] | $2")\"}"
	list >ids
	same $(($1 + 1)) "$(sort -u ids | wc -l)"
	same $(($1 + 1)) "$(wc -l <ids)"
}

cloud_tells_no() {
	fake_fault "{\"match\":\"$CREATE\",\"do\":\"status\",\"status\":500}"
	do_task create 1000 2>log
	run -1 grep -rF "${@/#/--regexp=}" log result.json state
}

cloud_gives_documents() {
	provider '{"cloud_config":"#cloud-config\npackages: [nginx]\nssh_authorized_keys: [\"ssh-ed25519 AAAA theirs\"]\ndisable_root: true\n"}'
	provider_task create 1000 | jq -c '.cluster.key = "ssh-ed25519 AAAA ours"' >task.json
	coopr-exec -q <task.json >result.json
	same 0 "$(member .status)"
	curl -sS -f "$FAKE/_machines" | jq -r ".[0] | $1" >user_data
	same '#cloud-config-archive' "$(head -n 1 user_data)"
	same '[3,true,true,true]' "$(tail -n +2 user_data | jq -c 'map(.content) | [length, (.[0] | contains("nginx")), (.[1] | contains("disable_root: false")),
		(.[2] | contains("AAAA ours"))]')"
	provider '{"cloud_config":"packages: [nginx]"}'
	do_task create 1001
	fails_as 78 "/cloud_config: a document begins with the line #cloud-config"
	provider '{}'
}

volumes_there() { # FILTER
	curl -sS -f "$FAKE/_volumes" | jq -c "$1"
}

# Has the plugin itself do a task with volumes, as coopr-exec would: volume_task ACTION NODENUM [JQ-FILTER]
volume_task() {
	provider_task "$1" "$2" | jq -c ".timeout_s = 30 | ${3:-.}" >task.json
	plugin "$1" <task.json >result.json 2>log || true
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
	same "00000042-1000 00000042-1000" "$(ask volumes | jq -r .node | xargs)"

	# A machine that may write keeps what it has; one that is off, or gone, gives it up.
	volume_task fence 1000
	same 1 "$(member .status)"
	volume_task attach 1001 '.volumes = [{id: "v-1", path: "/srv/data", size_gb: 5, keep: true}]'
	same 75 "$(member .status)"
	volume_task discard 1000 'del(.machine) | .volume = {id: "v-1"}'
	same 75 "$(member .status)"
	same "\"$one\"" "$(volumes_there 'map(select(.name == "v-1").machine)[0]')"
	fake_set "{\"stop\":\"$one\"}"
	volume_task fence 1000
	same 0 "$(member .status)"
	volume_task attach 1001 '.volumes = [{id: "v-1", path: "/srv/data", size_gb: 5, keep: true}]'
	same 0 "$(member .status)"
	same "\"$two false\"" "$(volumes_there 'map(select(.name == "v-1") | "\(.machine) \(.forced)")[0]')"

	# With its machine goes what is not kept.
	volume_task delete 1000 '.volumes = [{id: "v-2", keep: false}]'
	same 0 "$(member .status)"
	volume_task fence 1000
	same 0 "$(member .status)"
	same '["v-1"]' "$(volumes_there 'map(.name)')"

	# A volume is made from a snapshot once that is complete.
	fake_set '{"snapshot_ms":60000}'
	volume_task snapshot 1001 'del(.machine) | .volume = {id: "s-1", of: "v-1", size_gb: 5, snapshot: true}'
	same 0 "$(member .status)"
	volume_task snapshot 1001 'del(.machine) | .volume = {id: "s-1", of: "v-1", size_gb: 5, snapshot: true}'
	same '["v-1","s-1"]' "$(volumes_there 'map(.name)')"
	volume_task attach 1001 '.volumes = [{id: "v-3", path: "/srv/copy", size_gb: 5, keep: true, of: "s-1"}]' &
	until grep "has made snapshot s-1" log; do kill -0 $! || break; sleep 0.05; done
	fake_set '{"snapshot_ms":0}'
	wait $!
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

# The volumes are there and at their machine, and then all is gone, and a machine there.
exactly_two_and_none() {
	local name

	same 0 "$(member .status)"
	same '"2 2"' "$(volumes_there '"\(length) \(map(select(.machine)) | length)"')"
	do_task delete 1000
	for name in v-1 v-2; do
		volume_task discard 1000 "del(.machine) | .volume = {id: \"$name\"}"
	done
	same "[]" "$(volumes_there .)"
	do_task create 1000
}

# cloud_volumes_survive REGEX...: requests that change something, each of which is lost, or with CLOUD_ALL=1 meets all faults, and is the last before a
# kill; with CLOUD_ALL=1 it is killed at each of the first $KILLS requests (12), too. At the end the volumes are there.
cloud_volumes_survive() {
	local fault request skip faults=('"do":"lost"')

	[ -z "${CLOUD_ALL-}" ] || faults+=('"do":"drop"' '"do":"truncate"' '"do":"status","status":500' '"do":"status","status":503')
	do_task create 1000
	for request; do
		for fault in "${faults[@]}"; do
			echo "# $request: $fault"
			fake_fault "{\"match\":\"$request\",$fault}"
			for _ in 1 2 3; do
				volume_task attach 1000 "$DATA"
				[ "$(member .status)" = 75 ] || break
			done
			exactly_two_and_none
		done
		echo "# $request: killed"
		killed_at "$request" volume_task attach 1000 "$DATA"
		volume_task attach 1000 "$DATA"
		exactly_two_and_none
	done
	[ -n "${CLOUD_ALL-}" ] || KILLS=0
	for ((skip = 0; skip < ${KILLS:-12}; skip++)); do
		killed_at "$skip" volume_task attach 1000 "$DATA"
		volume_task attach 1000 "$DATA"
		exactly_two_and_none
	done
	volume_task attach 1000 "$DATA"
	same 0 "$(member .status)"
}
