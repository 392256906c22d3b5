#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0

load case
load queue

setup() {
	fresh
}

# COUNT independent tasks on nodes of their own, of a cluster and a tenant: many COUNT CLUSTER TENANT [PROVIDER]
many() {
	seq 1 "$1" | sed 's/.*/t& n& create -/' | plan "$2" |
		sed 's/"tenant":"qa"/"tenant":"'"$3"'"/; s/"name":"d",/"name":"'"${4:-d}"'",/'
}

running() {
	coopr-queue limit -o json | jq -r 'select(.running > 0) | "\(.limit) \(.name // "") \(.running)/\(.max // "none")"' | sed 's/  */ /g' |
		paste -sd,
}

@test "no more tasks run at once than the total says" {
	many 5 00000001 qa | coopr-queue put
	coopr-queue limit --total 3
	same 3 "$(coopr-queue take --count 9 | tee taken | wc -l)"
	run -1 coopr-queue take
	contains "$output" "what is ready is held back by limits (see coopr-queue limit)"
	run -1 coopr-queue take --job 00000001-001
	contains "$output" "held back by limits"
	head -n 1 taken | result_of | coopr-queue "done"
	same 1 "$(coopr-queue take --count 9 | wc -l)"
	same "total 3/3,provider d 3/none,tenant qa 3/none" "$(running)"
}

@test "a tenant and a provider have limits of their own, over all their jobs" {
	coopr-queue limit --tenant qa=2 --provider cloud-b=1
	many 3 00000001 qa cloud-a | coopr-queue put
	many 3 00000002 qa cloud-b | coopr-queue put
	many 3 00000003 dev cloud-b | coopr-queue put
	coopr-queue take --count 9 | jq -r .job | sort | uniq -c | sed 's/^ *//' >taken
	same "tenant qa 2/2" "$(running | tr , '\n' | grep 'tenant qa')"
	same "provider cloud-b 1/1" "$(running | tr , '\n' | grep cloud-b)"
	coopr-queue fsck
}

@test "the limit '*' is that of each tenant that has none of its own" {
	coopr-queue limit --tenant '*=1' --tenant dev=2
	many 3 00000001 qa | coopr-queue put
	many 3 00000002 dev | coopr-queue put
	many 3 00000003 ops | coopr-queue put
	coopr-queue take --count 9 >taken
	same "dev 2,ops 1,qa 1" "$(coopr-queue limit -o json | jq -r 'select(.limit == "tenant" and .running > 0) | "\(.name) \(.running)"' | paste -sd,)"
}

@test "a limit that is taken away or raised holds no longer, and what runs goes on below one that is lowered" {
	many 4 00000001 qa | coopr-queue put
	coopr-queue limit --tenant qa=1
	same 1 "$(coopr-queue take --count 9 | wc -l)"
	coopr-queue limit --tenant qa=2
	same 1 "$(coopr-queue take --count 9 | wc -l)"
	coopr-queue limit --tenant qa=0
	run -1 coopr-queue take
	same "tenant qa 2/0" "$(running | tr , '\n' | grep qa)"
	coopr-queue limit --tenant qa=none
	same 2 "$(coopr-queue take --count 9 | wc -l)"
	same '{"kind":"limits"}' "$(cat spool/limits.json)"
}

@test "limits hold over workers and hands together, and count what runs when the board is made anew" {
	many 5 00000001 qa | coopr-queue put
	coopr-queue limit --total 2
	coopr-queue take >taken
	rm spool/board
	same 1 "$(coopr-queue take --count 9 | wc -l)"
	rm spool/board
	run -1 coopr-queue take
}

@test "what was lost, or failed, makes room again" {
	many 3 00000001 qa | coopr-queue put --backoff-ms 0
	coopr-queue limit --total 1
	coopr-queue take --lease 0 >taken
	same 1 "$(coopr-queue take | result_of '{"status":1}' | tee result | wc -l)"
	coopr-queue "done" result
	same 1 "$(coopr-queue take --count 9 | wc -l)"
}

@test "without options limit prints what is limited and what runs" {
	coopr-queue limit --total 7 --provider d=3
	many 2 00000001 qa | coopr-queue put
	coopr-queue take >taken
	coopr-queue limit -o json | jq -e -s '. == [
		{kind: "limit", limit: "total", name: null, max: 7, running: 1},
		{kind: "limit", limit: "provider", name: "d", max: 3, running: 1},
		{kind: "limit", limit: "tenant", name: "qa", max: null, running: 1}]'
	contains "$(coopr-queue limit -o table)" "RUNNING"
}

@test "limits.json may be written by hand; one that cannot be read holds everything, and is told" {
	many 2 00000001 qa | coopr-queue put
	echo '{"kind": "limits", "tenants": {"qa": 1}}' >spool/limits.json
	same 1 "$(coopr-queue take --count 9 | wc -l)"
	echo '{"kind": "limits", "tenants": {"qa": "x"}}' >spool/limits.json
	run -65 coopr-queue take
	contains "$output" "limits.json: /tenants/qa"
	rm spool/limits.json
	coopr-queue take
}

@test "limit: what is no limit is misuse" {
	run -64 coopr-queue limit --tenant qa
	run -64 coopr-queue limit --tenant =3
	run -64 coopr-queue limit --total many
	run -64 coopr-queue limit --total -1
	run -64 coopr-queue limit qa=3
}

@test "a take stopped at any call leaves the limits whole" {
	make_shim
	many 4 00000001 qa >plan
	for at in 1 2 3 4 5 6 7 8; do
		rm -rf spool
		coopr-queue put plan
		coopr-queue limit --total 2
		LD_PRELOAD=$PWD/shim.so CRASH_AT=$at ASAN_OPTIONS=verify_asan_link_order=0 coopr-queue take --count 9 --lease 600 >taken || true
		coopr-queue take --count 9 >more || true
		same 2 "$(coopr-queue show -o json 00000001-001 | jq .tasks.running)"
		coopr-queue fsck
	done
}
