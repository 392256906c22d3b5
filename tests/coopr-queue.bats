#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-queue(1): what it says of putting, taking, finishing and looking.

load case
load queue

@test "put prints the id of the job, the next number of its cluster" {
	two_nodes >plan
	same 00000042-001 "$(coopr-queue put plan)"
	same 00000042-002 "$(coopr-queue put <plan)"
	two_nodes 00000043 >other
	same 00000043-001 "$(coopr-queue put other)"
	run -1 coopr-queue take --job 00000042-009
	contains "$output" "job 00000042-009: there is none"
}

@test "put gives the id of --job, else the plan's own, and refuses one that is there" {
	two_nodes | jq -c 'if .kind == "job" then .id = "mine" else . end' >plan
	same yours "$(coopr-queue put --job yours plan)"
	same mine "$(coopr-queue put plan)"
	run -73 coopr-queue put plan
	contains "$output" "job mine: it is there already"
	same 00000042-007 "$(coopr-queue put --job 00000042-007 plan)"
	two_nodes | coopr-queue put >id
	same 00000042-008 "$(cat id)"
}

@test "put refuses an id that is no file name" {
	two_nodes >plan
	for id in ../x .hidden a/b "" "$(printf 'x%.0s' {1..128})"; do
		run -64 coopr-queue put --job "$id" plan
	done
	for id in '../x' '.hidden' 'a/b'; do
		jq -c --arg id "$id" 'if .id == "t1" then .id = $id else . end' plan >bad
		run -65 coopr-queue put bad
		jq -c --arg id "$id" 'if .kind == "job" then .id = $id else . end' plan >bad
		run -65 coopr-queue put bad
	done
	[ -z "$(ls spool/jobs)" ]
	run -1 coopr-queue show ../jobs
	run -1 coopr-queue show ..
}

@test "put lists all that is wrong with a plan, and puts nothing" {
	plan <<-'END' >plan
		t1 a create - {"retries":-1}
		t2 b create t9
		t2 b confirm t1,t8 {"undo":["dance"]}
	END
	run -65 coopr-queue put plan
	contains "$output" "/4/retries"
	contains "$output" '/5/after/0: there is no step "t9"'
	contains "$output" '/6/id: "t2" is the id of record 5 already'
	contains "$output" '/6/after/1: there is no step "t8"'
	contains "$output" '/6/undo/0: "dance" is not an action'
	[ -z "$(find spool/jobs spool/tmp -mindepth 1)" ]
}

@test "put names the steps of a cycle" {
	plan <<-'END' >plan
		t0 a create -
		t1 a install:zk t0,t3
		t2 a configure:zk t1
		t3 a start:zk t2
		t4 a stop:zk t3
	END
	run -65 coopr-queue put plan
	contains "$output" "steps wait for each other: "
	contains "$output" "t1 after t3 after t2"
	[[ $output != *t4* ]]
}

@test "put refuses what is no plan, or not all of it" {
	run -65 coopr-queue put </dev/null
	contains "$output" "there is no job record"
	two_nodes >plan
	head -n 8 plan >cut
	run -65 coopr-queue put cut
	contains "$output" "speaks of 6 tasks, and"
	head -c 900 plan >torn
	run -65 coopr-queue put torn
	echo 'nonsense' >bad
	run -65 coopr-queue put bad
	run -66 coopr-queue put nowhere
	jq -c 'select(.kind != "node")' plan >bad
	run -65 coopr-queue put bad
	contains "$output" 'no node "a" stands before the task'
}

@test "put --dry-run checks the plan and leaves no spool behind" {
	two_nodes | coopr-queue put --dry-run
	[ ! -e spool ]
	run -65 coopr-queue put --dry-run </dev/null
}

@test "take prints the ready task of highest rank with all that coopr-exec needs" {
	two_nodes 00000042 '{"a":{"b":"%num.service.zk% at %host.service.zk%","c":"%host.self%"}}' | coopr-queue put
	coopr-queue take >task
	same '["t1","create","a",1,"00000042-001","00000042-001:t1"]' "$(jq -c '[.id, .action, .node, .attempt, .job, .token]' task)"
	same "$PWD/spool/jobs/00000042-001/log/t1.1" "$(jq -r .log task)"
	same '["a","b"]' "$(jq -c --slurp 'map(.id)' "$(jq -r .nodes task)")"
	same '"a.example.net"' "$(jq -c .machine.hostname task)"
	same '{"b":"2 at a.example.net,b.example.net","c":"a.example.net"}' "$(jq -c .cluster.config.a task)"
	same '["00000042","kv","qa","dummy",[]]' \
		"$(jq -c '.cluster | [.id, .name, .tenant, .provider.providertype, .unexpanded]' task)"
	same "$(jq -cS . task)" "$(cat task)"
	same t2 "$(coopr-queue take | jq -r .id)"
}

@test "take --count takes up to so many, one of a node at a time; 1 when nothing is ready" {
	plan <<-'END' | coopr-queue put
		t1 a create - {"rank":1}
		t2 a bootstrap - {"rank":3}
		t3 b create - {"rank":2}
	END
	same "t2 t3" "$(coopr-queue take --count 10 | tee taken | jq -r .id | paste -sd' ')"
	run -1 coopr-queue take
	contains "$output" "nothing is ready"
	head -n 1 taken | result_of | coopr-queue done
	same t1 "$(coopr-queue take | jq -r .id)"
}

@test "a task is ready as soon as all it waits for is done, through milestones" {
	two_nodes | coopr-queue put
	finish '{}'
	same "t1=done t2=ready t3=ready t4=blocked t5=blocked t6=blocked" "$(states 00000042-001)"
	finish '{}'
	finish '{}'
	same "t1=done t2=done t3=done t4=ready t5=blocked t6=blocked" "$(states 00000042-001)"
	finish '{}'
	same "t1=done t2=done t3=done t4=done t5=ready t6=ready" "$(states 00000042-001)"
	do_all
	same complete "$(status_of 00000042-001 .status)"
	[ -d spool/done/00000042-001 ]
	coopr-queue fsck
}

@test "an empty plan is a complete job" {
	plan </dev/null | coopr-queue put
	same complete "$(status_of 00000042-001 .status)"
	coopr-queue wait 00000042-001
	run -1 coopr-queue take
}

@test "what a result brings is a fact of its node from then on" {
	two_nodes | coopr-queue put
	finish '{"ipaddresses":{"access_v4":"192.0.2.7"},"result":{"providerid":"i-1","x":1},"hostname":"host-a"}'
	finish '{"result":{"providerid":"i-2"}}'
	finish '{"ipaddresses":{"bind_v4":"10.0.0.7"},"result":{"x":2}}'
	same '["host-a",{"access_v4":"192.0.2.7","bind_v4":"10.0.0.7"},{"providerid":"i-1","x":2}]' \
		"$(coopr-queue show --layout 00000042-001 | jq -c 'select(.id == "a") | [.hostname, .ipaddresses, .facts]')"
	same '["b",{"providerid":"i-2"}]' "$(coopr-queue take | jq -c '[.machine.id, .machine.facts]')"
	same 4 "$(coopr-queue show --events 00000042-001 | jq -s '[.[] | select(.event == "take")] | length')"
}

@test "macros of addresses are expanded once the addresses are known, and are listed until then" {
	plan 00000042 '{"up":"%ip.service.zk%","own":"%ip.self%","n":"%instance.self.service.zk%","no":"%ip.service.nope%"}' <<-'END' | coopr-queue put
		t1 a create -
		t2 b create -
		t3 b install:zk t2
		t4 a configure:zk t1,t2
	END
	coopr-queue take --count 2 >taken
	same '["%ip.service.zk%","%ip.self%","1"]' "$(jq -c 'select(.node == "a").cluster.config | [.up, .own, .n]' taken)"
	same '/no /own /up' "$(jq -r 'select(.node == "a").cluster.unexpanded[].pointer' taken | sort | paste -sd' ')"
	jq -c 'select(.node == "b")' taken | result_of '{"ipaddresses":{"bind_v4":"10.0.0.2"}}' | coopr-queue done
	coopr-queue take >third
	same '["%ip.service.zk%","10.0.0.2","2"]' "$(jq -c '.cluster.config | [.up, .own, .n]' third)"
	jq -c 'select(.node == "a")' taken | result_of '{"ipaddresses":{"bind_v4":"10.0.0.1"}}' | coopr-queue done
	coopr-queue take >fourth
	same '["10.0.0.1,10.0.0.2","10.0.0.1","1","%ip.service.nope%"]' "$(jq -c '.cluster.config | [.up, .own, .n, .no]' fourth)"
	same '[{"pointer":"/no","text":"%ip.service.nope%: no node has the service nope"}]' "$(jq -c .cluster.unexpanded fourth)"
}

@test "what macros stand for takes 16 MiB of a task at most: what is more stays, and is listed" {
	# Megabytes that stand for a thousand times as much; strings of a node's own, below names of megabytes; problems without end.
	python3 - >config <<-'END'
		import json
		print(json.dumps({"a": {"map": "%map(host.service.zk,'" + "$-" * 2000000 + "')%", "next": "%host.service.zk%"},
		    "b": {"n" * 1000000: ["%host.self%"] * 100000}, "c": ["%ip.service.nope%"] * 100000}))
	END
	plan 00000042 '{}' <<-'END' | jq -c --slurpfile config config 'if .kind == "cluster" then .config = $config[0] else . end' | coopr-queue put
		t1 a create -
	END
	(ulimit -v 2000000 && coopr-queue take) >task
	same '%map %host.service.zk% %host.self% %ip.service.nope%' \
		"$(jq -r '.cluster.config | [.a.map[:4], .a.next, .b[][99999], .c[0]] | join(" ")' task)"
	same 'macros of one configuration stand for more than 16 MiB' \
		"$(jq -r '.cluster.unexpanded[] | select(.pointer == "/a/next").text' task | sed 's/^.*%: //')"
	# The last is of all those that are not listed.
	same '["",true]' "$(jq -c '.cluster.unexpanded | [.[-1].pointer, length <= 101]' task)"
	(($(stat -c %s task) < 30000000))
}

@test "what a task leaves out is not expanded in its configuration; other tasks know it" {
	plan 00000042 '{"up":"%host.service.zk%","n":"%num.service.zk%"}' <<-'END' | coopr-queue put
		t1 a install:zk - {"rank":5,"without":{"zk":["b"]}}
		t2 b install:zk - {"rank":4,"without":{}}
		t3 b configure:zk t2 {"rank":3}
	END
	same '["a.example.net","1"]' "$(coopr-queue take | jq -c '.cluster.config | [.up, .n]')"
	coopr-queue take >second
	same '["a.example.net,b.example.net","2"]' "$(jq -c '.cluster.config | [.up, .n]' second)"
	result_of <second | coopr-queue done
	same '[["a.example.net,b.example.net","2"],["zk"],true]' "$(coopr-queue take | jq -c '.cluster | [[.config.up, .config.n], .asked, .strict]')"
}

@test "a failed task is tried again as often as retries says; then the job goes on without it, and fails" {
	two_nodes | coopr-queue put --backoff-ms 0
	for attempt in 1 2 3; do
		same "t1 $attempt" "$(coopr-queue take | tee task | jq -r '"\(.id) \(.attempt)"')"
		echo "line of attempt $attempt" >"$(jq -r .log task)"
		result_of '{"status":1,"message":"no disk"}' <task | coopr-queue done
	done
	same "t1=failed t2=ready t3=blocked t4=blocked t5=blocked t6=blocked" "$(states 00000042-001)"
	do_all
	same "t1=failed t2=done t3=blocked t4=done t5=blocked t6=blocked" "$(states 00000042-001)"
	same failed "$(status_of 00000042-001 .status)"
	run -1 coopr-queue wait 00000042-001
	contains "$output" "2 of 6 tasks done, 1 failed"
	run -0 coopr-queue show -o table 00000042-001
	contains "$output" "failed t1: create on a, attempt 3, exit code 1: no disk"
	contains "$output" "$PWD/spool/done/00000042-001/log/t1.3"
	contains "$output" "  | line of attempt 3"
	contains "$output" "coopr-queue retry 00000042-001"
}

@test "retry makes failed tasks ready again with fresh attempts, and the job goes on" {
	two_nodes | coopr-queue put --backoff-ms 0
	for _ in 1 2 3; do finish '{"status":1}'; done
	do_all
	same failed "$(status_of 00000042-001 .status)"
	coopr-queue retry 00000042-001
	[ -d spool/jobs/00000042-001 ]
	same running "$(status_of 00000042-001 .status)"
	finish '{"status":1}'
	finish '{"status":1}'
	same "t1 6" "$(coopr-queue take | tee task | jq -r '"\(.id) \(.attempt)"')"
	result_of <task | coopr-queue done
	do_all
	same complete "$(status_of 00000042-001 .status)"
	run -1 coopr-queue retry 00000042-001
	contains "$output" "no task of it has failed"
	coopr-queue fsck
}

@test "retry of one task leaves the others" {
	plan <<-'END' | coopr-queue put --backoff-ms 0
		t1 a create - {"retries":0}
		t2 b create - {"retries":0}
	END
	finish '{"status":1}'
	finish '{"status":1}'
	coopr-queue retry 00000042-001 t2
	same "t1=failed t2=ready" "$(states 00000042-001)"
	run -1 coopr-queue retry 00000042-001 t2
	contains "$output" "t2 has not failed: it is ready"
	run -1 coopr-queue retry 00000042-001 t9
	contains "$output" "it has no task t9"
}

@test "65, 77 and 78 are permanent; 75 is temporary and does not spend the retries" {
	plan <<-'END' | coopr-queue put --backoff-ms 0
		t1 a create - {"rank":9}
		t2 b create - {"rank":8}
		t3 c create - {"rank":7}
		t4 d create - {"rank":6,"retries":0}
	END
	for status in 65 77 78; do finish "{\"status\":$status}"; done
	for _ in {1..30}; do finish '{"status":75}'; done
	same "t1=failed t2=failed t3=failed t4=ready" "$(states 00000042-001)"
	finish '{"status":1}'
	same "t1=failed t2=failed t3=failed t4=failed" "$(states 00000042-001)"
}

@test "a task that fails temporarily has failed once its patience is over, however often it was tried" {
	plan <<-'END' | coopr-queue put --backoff-ms 0
		t1 a create - {"rank":9,"retries":9,"patience_s":0}
		t2 b create - {"rank":8,"retries":9,"patience_s":1}
	END
	finish '{"status":75}'
	same "t1=failed t2=ready" "$(states 00000042-001)"
	while [ "$(states 00000042-001)" = "t1=failed t2=ready" ]; do finish '{"status":75,"message":"nobody answers"}'; done
	same "t1=failed t2=failed" "$(states 00000042-001)"
	same true "$(jq -s 'map(select(.task == "t2" and .event == "fail")) | length > 1 and
		(map(.since_boottime_ms // 0) | unique | length) == 2 and last.next == "failed"' "$COOPR_SPOOL"/*/00000042-001/events.ndjson)"
	coopr-queue retry 00000042-001 t2
	finish '{"status":75}'
	same "t1=failed t2=ready" "$(states 00000042-001)"
}

@test "a check asks for the status of its service, and whatever says that it is not healthy is temporary" {
	plan <<-'END' | coopr-queue put --backoff-ms 0
		t1 a start:web - {"retries":0}
		t2 a check:web t1 {"retries":0}
	END
	finish '{"status":0}'
	for status in 1 3 65 75 78 255; do
		coopr-queue take >task
		same '["t2","status","web"]' "$(jq -c '[.id, .action, .service]' task)"
		result_of "{\"status\":$status}" <task | coopr-queue done
	done
	same "t1=done t2=ready" "$(states 00000042-001)"
	finish '{"status":0}'
	same "t1=done t2=done" "$(states 00000042-001)"
}

@test "a check takes as long as it takes until the service is healthy" {
	plan <<-'END' | coopr-queue put --backoff-ms 300
		t1 a start:web -
		t2 a check:web t1
	END
	finish '{"status":0}'
	finish '{"status":1}'
	until coopr-queue take >task 2>/dev/null; do sleep 0.05; done
	result_of <task | coopr-queue done
	jq -es '.[0].expect_s >= 0.2' <(coopr-queue stats --expect | jq -c 'select(.action == "check")')
}

@test "a failed confirm means: delete, create, confirm again" {
	plan <<-'END' | coopr-queue put --backoff-ms 0
		t1 a create - {"fields":{"size":"big"}}
		t2 a confirm t1 {"undo":["delete","create"],"retries":1}
		t3 a install:zk t2
	END
	finish '{"result":{"providerid":"i-1"},"ipaddresses":{"access_v4":"192.0.2.1"}}'
	finish '{"status":1}'
	coopr-queue take >task
	same '["t2","delete",2,"00000042-001:t2:1","i-1"]' "$(jq -c '[.id, .action, .attempt, .token, .machine.facts.providerid]' task)"
	result_of <task | coopr-queue done
	coopr-queue take >task
	same '["t2","create",3,{"size":"big"},null,null]' \
		"$(jq -c '[.id, .action, .attempt, .fields, .machine.facts, .machine.ipaddresses]' task)"
	result_of '{"result":{"providerid":"i-2"}}' <task | coopr-queue done
	coopr-queue take >task
	same '["t2","confirm",4,"00000042-001:t2","i-2"]' "$(jq -c '[.id, .action, .attempt, .token, .machine.facts.providerid]' task)"
	result_of '{"status":1}' <task | coopr-queue done
	same "t1=done t2=failed t3=blocked" "$(states 00000042-001)"
	coopr-queue fsck
}

@test "a retry waits: take says when, and nobody sleeps" {
	plan <<<'t1 a create -' | coopr-queue put --backoff-ms 3600000
	finish '{"status":1}'
	run -1 coopr-queue take
	contains "$output" "nothing is ready; look again in"
	same delayed "$(states 00000042-001 | sed 's/.*=//')"
	due=$(status_of 00000042-001 '.attention[0].due_in_ms')
	[ "$due" -gt 2600000 ] && [ "$due" -le 4500000 ]
	coopr-queue retry 00000042-001 t1
	same "2" "$(coopr-queue take | jq .attempt)"
}

@test "a stale attempt is refused, and told so" {
	plan <<<'t1 a create -' | coopr-queue put
	coopr-queue take --lease 0 >first
	coopr-queue take >second
	same 2 "$(jq .attempt second)"
	result_of <first >result
	run -1 coopr-queue done result
	contains "$output" "00000042-001:t1: attempt 1 does not run: the task is running, its last attempt is 2"
	result_of <second | coopr-queue done
	run -1 coopr-queue done result
	same complete "$(status_of 00000042-001 .status)"
}

@test "a result that differs from the one recorded is refused; the same one again is fine" {
	local differs

	plan <<<'t1 a create -' | coopr-queue put
	coopr-queue take >task
	result_of '{"ipaddresses":{"bind_v4":"10.0.0.1"}}' <task >result
	coopr-queue done result
	coopr-queue done result
	for differs in '{"status":1}' '{"ipaddresses":{"bind_v4":"10.0.0.2"}}' '{"message":"another"}' '{}'; do
		result_of "$differs" <task >other
		run -1 coopr-queue done other
		contains "$output" "00000042-001:t1: attempt 1: another result is recorded (status 0; the task is done); this one is refused"
	done
	same 10.0.0.1 "$(coopr-queue show 00000042-001 --layout | jq -r 'select(.kind == "node").ipaddresses.bind_v4')"
}

@test "a job may be named with any number: fsck finds nothing, and the next job gets a free one" {
	local id

	for id in 00000042-99999999999999999999999 00000042-4294967295 00000042-18446744073709551616 00000042-1000000000 \
		00000042-0000000000000000000007 00000042- 00000042-7x other-99 00000043-99; do
		plan <<<'t1 a create -' | coopr-queue put --job "$id"
		coopr-queue fsck
	done
	plan 00000043 <<<'t1 a create -' | coopr-queue put
	coopr-queue fsck
	same 00000042-008 "$(plan <<<'t1 a create -' | coopr-queue put)"
}

@test "an empty name of the spool is refused, and nothing is made" {
	local command

	mkdir here
	cd here
	for command in "coopr-queue ls --spool=" "coopr-queue put --spool= /dev/null" "coopr-queue --spool= take" "coopr-work -S ''" \
		"coopr-queue fsck --spool="; do
		run -64 bash -c "$command"
		contains "$output" "is empty"
	done
	same "" "$(ls -A)"
}

@test "a lease that ran out is told to the one who comes late" {
	plan <<<'t1 a create -' | coopr-queue put
	coopr-queue take --lease 0 >first
	run -1 coopr-queue take --job 00000042-001 --lease 0 --count 0
	coopr-queue show --events 00000042-001 >events
	same lost "$(jq -r .event events | tail -n 1)"
	result_of <first >result
	run -1 coopr-queue done result
	contains "$output" "attempt 1 was cancelled (its lease ran out); its result is refused"
}

@test "done says the same twice and means it once" {
	two_nodes | coopr-queue put --backoff-ms 0
	coopr-queue take | result_of >good
	coopr-queue done good
	coopr-queue done good
	coopr-queue take | result_of '{"status":1}' >bad
	coopr-queue done bad
	coopr-queue done bad
	same 2 "$(coopr-queue show --events 00000042-001 | jq -s '[.[] | select(.event == "done" or .event == "fail")] | length')"
	jq -c '.status = 1' good >other
	run -1 coopr-queue done other
	contains "$output" "the task is done"
}

@test "done records what it can, tells what it cannot, and gives the worst as exit code" {
	two_nodes | coopr-queue put
	coopr-queue take --count 2 | result_of >results
	{
		head -n 1 results
		jq -cn '{kind: "result", job: "00000042-001", task: "t99", attempt: 1, status: 0}'
		jq -cn '{kind: "result", job: "nope", task: "t1", attempt: 1, status: 0}'
		jq -cn '{kind: "result", job: "00000042-001", task: "m1", attempt: 1, status: 0}'
		jq -cn '{kind: "result", job: "00000042-001", task: "t2", status: 0}'
		tail -n 1 results
	} >mixed
	run -65 coopr-queue done mixed
	contains "$output" "00000042-001: it has no task t99"
	contains "$output" "job nope: there is none"
	contains "$output" "00000042-001: it has no task m1"
	contains "$output" "/4/attempt: is missing"
	same "t1=done t2=done t3=ready t4=ready t5=blocked t6=blocked" "$(states 00000042-001)"
	run -1 coopr-queue done </dev/null
	contains "$output" "no result record"
}

@test "done records results as they come, not when the stream ends" {
	two_nodes | coopr-queue put
	coopr-queue take --count 2 | result_of >results
	mkfifo in
	coopr-queue done in &
	exec 9>in
	head -n 1 results >&9
	coopr-queue wait 00000042-001 --timeout 0 2>/dev/null || true
	until [ "$(status_of 00000042-001 .tasks.done)" = 1 ]; do sleep 0.05; done
	tail -n 1 results >&9
	exec 9>&-
	wait $!
	same 2 "$(status_of 00000042-001 .tasks.done)"
}

@test "fail records a failure whatever the status says" {
	plan <<<'t1 a create - {"retries":0}' | coopr-queue put
	coopr-queue take | jq -c '{kind: "result", job, task: .id, attempt, message: "I say so"}' | coopr-queue fail
	same '["failed",1,"I say so"]' "$(status_of 00000042-001 '[.status, .attention[0].code, .attention[0].message] | @json')"
}

@test "two who take at once never get the same task" {
	for i in {1..40}; do echo "t$i n$i create -"; done | plan | coopr-queue put
	for i in {1..8}; do
		while coopr-queue take >>"got.$i" 2>/dev/null; do :; done &
	done
	wait
	cat got.* | jq -r .id | sort >ids
	same 40 "$(wc -l <ids)"
	same 40 "$(uniq ids | wc -l)"
	coopr-queue fsck
}

@test "many who take and finish at once lose nothing and run nothing twice" {
	for i in {1..20}; do echo "c$i n$i create -"; echo "i$i n$i install:zk c$i"; done | plan | coopr-queue put
	for i in {1..6}; do
		(
			until [ -d spool/done/00000042-001 ]; do
				coopr-queue take --count 3 >"taken.$i" 2>/dev/null || continue
				cat "taken.$i" >>"all.$i"
				result_of <"taken.$i" | coopr-queue done
			done
		) &
	done
	wait
	same complete "$(status_of 00000042-001 .status)"
	same 40 "$(cat all.* | jq -r '"\(.id).\(.attempt)"' | sort -u | wc -l)"
	same 40 "$(cat all.* | wc -l)"
	coopr-queue fsck
}

@test "jobs of one cluster run one after the other; others side by side" {
	plan 00000042 <<<'t1 a create -' | coopr-queue put
	plan 00000042 <<<'t1 a delete -' | coopr-queue put
	plan 00000043 <<<'t1 a create -' | coopr-queue put
	same "00000042-001 00000043-001" "$(coopr-queue take --count 9 | tee taken | jq -r .job | paste -sd' ')"
	same waiting "$(status_of 00000042-002 .status)"
	run -1 coopr-queue take --job 00000042-002
	contains "$output" "nothing is ready: it is waiting"
	result_of <taken | coopr-queue done
	same 00000042-002 "$(coopr-queue take | jq -r .job)"
}

@test "a paused job gives nothing until it is resumed" {
	two_nodes | coopr-queue put --paused
	run -1 coopr-queue take --job 00000042-001
	contains "$output" "it is paused"
	coopr-queue resume 00000042-001
	coopr-queue take >task
	coopr-queue pause 00000042-001
	coopr-queue pause 00000042-001
	run -1 coopr-queue take
	result_of <task | coopr-queue done
	same paused "$(status_of 00000042-001 .status)"
	coopr-queue resume 00000042-001
	do_all
	same complete "$(status_of 00000042-001 .status)"
	run -1 coopr-queue pause 00000042-001
	contains "$output" "it is finished (complete)"
}

@test "a cancelled job ends with what runs; retry takes it up again" {
	two_nodes | coopr-queue put
	coopr-queue take >task
	coopr-queue cancel 00000042-001
	same cancelling "$(status_of 00000042-001 .status)"
	run -1 coopr-queue take
	result_of <task | coopr-queue done
	same cancelled "$(status_of 00000042-001 .status)"
	run -1 coopr-queue wait 00000042-001
	coopr-queue retry 00000042-001
	do_all
	same complete "$(status_of 00000042-001 .status)"
	two_nodes | coopr-queue put
	coopr-queue cancel 00000042-002
	same cancelled "$(status_of 00000042-002 .status)"
}

@test "show --layout is what the next plan starts from" {
	plan <<-'END' | coopr-queue put
		t1 a create -
		t2 a install:zk t1
		t3 b create -
		t4 b install:zk t3 {"retries":0}
		t5 c create -
	END
	coopr-queue show --layout 00000042-001 >before
	same '["cluster",null,null,null]' "$(jq -cs '[.[0].kind, .[1:][].was]' before)"
	for task in t1 t3; do
		coopr-queue take | result_of | coopr-queue done
	done
	coopr-queue take --count 9 | result_of >rest
	jq -c 'if .task == "t4" then .status = 1 else . end | select(.task != "t5")' rest | coopr-queue done || true
	same '[["zk"],[],[]]' "$(coopr-queue show --layout 00000042-001 | jq -cs '[.[1:][].was]')"
	plan <<-'END' | sed 's/"was":null/"was":["zk"]/' >delete
		t1 a delete -
		t2 b delete -
	END
	coopr-queue cancel 00000042-001
	jq -c 'select(.task == "t5")' rest | coopr-queue done
	coopr-queue put delete
	finish '{}' --job 00000042-002
	same '["b"]' "$(coopr-queue show --layout 00000042-002 | jq -cs '[.[1:][].id]')"
}

@test "show --plan is the plan that was put, with the job's id" {
	two_nodes >plan
	coopr-queue put plan
	coopr-queue show --plan 00000042-001 >shown
	same "$(jq -cS 'if .kind == "job" then .id = "00000042-001" else . end' plan)" "$(jq -cS . shown)"
	coopr-queue show --plan 00000042-001 | coopr-queue put --job again
}

@test "ls lists all jobs, -a those that are not finished" {
	same "" "$(coopr-queue put --dry-run < <(two_nodes) && echo)"
	two_nodes | coopr-queue put
	plan 00000043 </dev/null | coopr-queue put
	same "00000042-001 00000043-001" "$(coopr-queue ls -o name | paste -sd' ')"
	same "00000042-001" "$(coopr-queue ls -a -o name)"
	same '["running","complete"]' "$(coopr-queue ls -o json | jq -cs 'map(.status)')"
	run -0 coopr-queue ls -o table
	contains "$output" "JOB"
	contains "$output" "0/6"
	run -64 coopr-queue ls -o xml
}

@test "wait returns when the job is finished, and gives up after --timeout" {
	two_nodes | coopr-queue put
	run -75 coopr-queue wait --timeout 0 00000042-001
	contains "$output" "not finished after 0 s: 0 of 6 tasks done"
	coopr-queue wait -q 00000042-001 &
	do_all
	wait $!
	run -1 coopr-queue wait nope
}

@test "wait shows on a terminal the tasks in hand, and what has failed and why; elsewhere nothing" {
	two_nodes | coopr-queue put --backoff-ms 1000000
	coopr-queue take --count 1 | result_of '{"status":1,"message":"no room"}' | coopr-queue done || true
	coopr-queue take --count 1 >held
	mkdir -p "$COOPR_SPOOL/jobs/00000042-001/log"
	printf 'first\nUnpacking nginx\n' >"$COOPR_SPOOL/jobs/00000042-001/log/$(jq -r '.id + "." + (.attempt | tostring)' held)"
	run -75 script -qec "stty cols 200; TERM=xterm coopr-queue wait --timeout 1 00000042-001" /dev/null </dev/null
	contains "$output" "0/6  1 running, 1 to be retried"
	contains "$output" "waiting for: $(jq -r '"\(.action) on \(.node)"' held)"
	[[ $output != *left* ]]
	contains "$output" ": Unpacking nginx"
	contains "$output" ": no room"
	run -75 --separate-stderr coopr-queue wait --timeout 0 00000042-001
	same 1 "$(wc -l <<<"$stderr")"
}

@test "wait shows what the end of the job depends on, and what remains, if that was measured" {
	printf '%s\n' 't1 a create - {"expect_s":500,"rank":500,"p90_s":900,"runs":3}' 't2 b create - {"expect_s":100,"rank":1100,"p90_s":100,"runs":7}' \
		't3 b confirm t2 {"expect_s":1000,"rank":1000,"p90_s":1000,"runs":7}' | plan | jq -c 'if .kind == "job" then . + {runs: 3, expected_s: 1100,
			expected_p90_s: 1200} else . end' | coopr-queue put
	coopr-queue take --count 2 >held
	run -75 script -qec "stty cols 200; TERM=xterm coopr-queue wait --timeout 1 00000042-001" /dev/null </dev/null
	contains "$output" "0/3  2 running, "
	[[ $output =~ ,\ about\ 1[78]\ m\ [0-9]+\ s\ left ]]
	[[ $output =~ 'waiting for: create on b, '[^,]+'of about 1 m 40 s' ]]
	[[ $output =~ '  create on a, '[^,]+'of about 8 m 20 s' ]]
}

@test "kill -9 of a program that holds a task by lease: the lease decides" {
	plan <<<'t1 a create -' | coopr-queue put
	coopr-queue take --lease 3600 >task
	run -1 coopr-queue take
	result_of <task | coopr-queue done
	same complete "$(status_of 00000042-001 .status)"
}

@test "a torn last line is cut off, and what is before it stands" {
	two_nodes | coopr-queue put
	finish '{}'
	printf '{"at":"2026-01-01T00:00:00.000Z","attempt":1,"ev' >>spool/jobs/00000042-001/events.ndjson
	same "t1=done t2=ready t3=ready t4=blocked t5=blocked t6=blocked" "$(states 00000042-001)"
	same t2 "$(coopr-queue take | jq -r .id)"
	coopr-queue fsck
	coopr-queue show --events 00000042-001 | jq -s 'map(.seq) == [1, 2, 3, 4]' | grep -q true
}

@test "the index is a cache: gone, garbage or of another boot, it is made again" {
	two_nodes | coopr-queue put
	finish '{}'
	state=spool/jobs/00000042-001/state
	size=$(stat -c %s $state)
	for damage in "rm $state" "truncate -s 0 $state" "truncate -s 100 $state" \
		"dd if=/dev/urandom of=$state bs=$size count=1 conv=notrunc status=none" \
		"printf 0000 | dd of=$state bs=1 seek=24 conv=notrunc status=none" "rm spool/board" "truncate -s 10 spool/board"; do
		eval "$damage"
		same "t1=done t2=ready t3=ready t4=blocked t5=blocked t6=blocked" "$(states 00000042-001 | sed 's/running/ready/')"
		coopr-queue take --lease 0 >/dev/null
		coopr-queue fsck
	done
	for at in $(seq 700 211 "$size"); do
		printf '\377\377\377\377\377\377\377\377' | dd of=$state bs=1 seek="$at" conv=notrunc status=none
		run coopr-queue take --lease 0
		[ "$status" -le 1 ] || [ "$status" -eq 74 ]
		coopr-queue fsck >/dev/null || coopr-queue fsck --repair >/dev/null || [ $? -eq 1 ]
		coopr-queue fsck
	done
	do_all
	same complete "$(status_of 00000042-001 .status)"
}

@test "another boot loses what ran, and lets what waited go on" {
	plan <<-'END' | coopr-queue put --backoff-ms 3600000
		t1 a create - {"rank":3}
		t2 b create - {"rank":2}
	END
	finish '{"status":1}'
	coopr-queue take >task
	sed -i 's/"boot":"[^"]*"/"boot":"0000"/' spool/jobs/00000042-001/events.ndjson
	rm spool/jobs/00000042-001/state spool/board
	same "t1 2 t2 2" "$(coopr-queue take --count 9 | jq -r '"\(.id) \(.attempt)"' | paste -sd' ')"
	same "boot lost" "$(coopr-queue show --events 00000042-001 | jq -r 'select(.seq == 5 or .seq == 6).event' | paste -sd' ')"
	result_of <task >late
	run -1 coopr-queue done late
	coopr-queue fsck
}

@test "damage to what was safely written is told, and is not cut off" {
	two_nodes | coopr-queue put
	finish '{}'
	finish '{}'
	events=spool/jobs/00000042-001/events.ndjson
	sed -i '3s/"event":/"exxnt":/' $events
	rm spool/jobs/00000042-001/state
	run -65 coopr-queue take --job 00000042-001
	contains "$output" "what was safely written is damaged (see coopr-queue fsck 00000042-001)"
	run -1 coopr-queue fsck
	contains "$output" "00000042-001"
	run -1 coopr-queue fsck --repair
	contains "$output" "(repaired)"
	coopr-queue fsck
	[ -s spool/jobs/00000042-001/events.damaged ]
	do_all
}

@test "gc makes room on a file system that is full, and loses nothing that was to be learned" {
	need_root
	mkdir full
	for id in 41 42; do two_nodes "000000$id" '{}' >"plan.$id"; done
	unshare --mount bash -euo pipefail -c '
		mount -t tmpfs -o size=1m tmpfs full
		export COOPR_SPOOL=$PWD/full/spool
		for id in 41 42; do coopr-queue put "plan.$id"; done
		coopr-work --drain
		coopr-queue stats --expect >before
		cat /dev/zero >full/fill || true
		coopr-queue gc --keep 0 | sort
		coopr-queue stats --expect >after' >out 2>errors || { cat out errors && false; }
	same '00000041-001 00000042-001 00000041-001 00000042-001' "$(paste -sd' ' out)"
	[ -s before ]
	same "$(cat before)" "$(cat after)"
}

@test "fsck names what is not legal, and --repair repairs it" {
	two_nodes | coopr-queue put
	finish '{}'
	coopr-queue fsck
	mv spool/jobs/00000042-001 spool/done/
	run -1 coopr-queue fsck
	contains "$output" "00000042-001: in done/, but not finished"
	run -1 coopr-queue fsck --repair
	coopr-queue fsck
	printf '%020d\n' 0 >spool/numbers/00000042
	run -1 coopr-queue fsck
	contains "$output" "numbers/00000042: is 0, but job 00000042-001 exists"
	run -1 coopr-queue fsck --repair
	coopr-queue fsck
	touch spool/jobs/.x
	run -1 coopr-queue fsck
	contains "$output" "jobs/.x: unexpected file"
}

@test "gc removes finished jobs after a time, and nothing else" {
	two_nodes | coopr-queue put
	plan 00000043 </dev/null | coopr-queue put
	same "" "$(coopr-queue gc)"
	same "00000043-001" "$(coopr-queue gc --keep 0 --dry-run)"
	[ -d spool/done/00000043-001 ]
	same "00000043-001" "$(coopr-queue gc --keep 0)"
	same "00000042-001" "$(coopr-queue ls -o name)"
	plan 00000043 </dev/null | coopr-queue put >id
	same 00000043-002 "$(cat id)"
	mkdir spool/tmp/put.1.0
	touch -d '2 days ago' spool/tmp/put.1.0
	same tmp/put.1.0 "$(coopr-queue gc)"
	[ -z "$(ls spool/tmp)" ]
}

@test "a spool that cannot be read or written is an error that names it" {
	run -66 coopr-queue ls
	contains "$output" "$PWD/spool"
	touch file
	run coopr-queue --spool file/x ls
	[ "$status" -eq 66 ]
	run coopr-queue --spool file/x put < <(two_nodes)
	[ "$status" -eq 73 ]
}

@test "a spool that may only be read can be looked at" {
	[ "$(id -u)" -eq 0 ] && need_program setpriv
	two_nodes | coopr-queue put
	finish '{}'
	other=()
	if [ "$(id -u)" -eq 0 ]; then
		other=(setpriv --reuid=65534 --regid=65534 --clear-groups)
		chmod -R a+rX spool
		for ((dir = 0, up = 0; up < 6; up++)); do
			[ "$(stat -c %a "$PWD/$(printf '../%.0s' $(seq 1 $up))")" = 1777 ] && break
			chmod a+x "$PWD/$(printf '../%.0s' $(seq 1 $up))"
		done
		"${other[@]}" coopr-queue --version || skip "the checkout is private"
	fi
	chmod -R a-w spool
	same running "$("${other[@]}" coopr-queue ls -o json | jq -r .status)"
	contains "$("${other[@]}" coopr-queue show -o table 00000042-001)" "6: 1 done"
	"${other[@]}" coopr-queue show --layout 00000042-001 >layout
	mv spool/jobs/00000042-001/state . 2>/dev/null || true
	contains "$("${other[@]}" coopr-queue show -o table 00000042-001)" "6: 1 done"
	run "${other[@]}" coopr-queue take
	[ "$status" -ge 66 ]
	chmod -R u+w spool
}

@test "a write to standard output that fails is an error; the task is ready again" {
	two_nodes | coopr-queue put
	for verb in "take --lease 60" "ls" "show 00000042-001" "show --plan 00000042-001"; do
		# shellcheck disable=SC2086
		run -74 sh -c 'coopr-queue "$@" >/dev/full' sh $verb
	done
	same t1 "$(coopr-queue take | jq -r .id)"
}

@test "a job whose id cannot be printed is there, and its id is told on standard error: 74" {
	two_nodes >plan.ndjson
	run --separate-stderr -74 sh -c 'coopr-queue put plan.ndjson >/dev/full'
	same "coopr-queue put: standard output: No space left on device; make room on its file system
coopr-queue put: job 00000042-001 was put, although its id could not be printed; do not put the plan again" "$stderr"
	mkfifo pipe
	exec 8<>pipe 9>pipe 8>&-
	run --separate-stderr -74 sh -c 'coopr-queue put plan.ndjson >&9 9>&-'
	exec 9>&-
	contains "$stderr" "standard output: Broken pipe"
	contains "$stderr" "job 00000042-002 was put, although"
	run --separate-stderr -74 sh -c 'coopr-queue put plan.ndjson >&-'
	contains "$stderr" "job 00000042-003 was put, although"
	same $'00000042-001\n00000042-002\n00000042-003' "$(coopr-queue ls -o name)"
	same "" "$(coopr-queue fsck)"
}

@test "no space on the disk: nothing is acknowledged, nothing is lost" {
	need_root
	mkdir small
	mount -t tmpfs -o size=600k none small || skip "cannot mount"
	export COOPR_SPOOL=$PWD/small/spool
	two_nodes | coopr-queue put
	finish '{}'
	head -c 1000000 /dev/zero >small/fill || true
	coopr-queue take --lease 0 >task 2>error && coopr-queue take --lease 0 >task 2>error && full=0 || full=$?
	rm small/fill
	same "t1=done t2=ready t3=ready t4=blocked t5=blocked t6=blocked" "$(coopr-queue fsck && states 00000042-001 | sed 's/t2=running/t2=ready/')"
	do_all
	same complete "$(status_of 00000042-001 .status)"
	umount small
}

@test "unknown commands and options are misuse" {
	run -64 coopr-queue
	run -64 coopr-queue tkae
	contains "$output" "did you mean 'take'?"
	run -64 coopr-queue take extra
	run -64 coopr-queue show
	run -64 coopr-queue take --worker w --lease 3
	run -1 coopr-queue take --worker nobody
	contains "$output" "worker nobody: none of that name has joined"
}

@test "gc --logs removes the logs of the jobs that finished first, and nothing else of them" {
	for i in 1 2 3; do
		plan "0000000$i" <<<"t1 a create -" | coopr-queue put
		do_all
		truncate -s 1M "spool/done/0000000$i-001/log/t1.1"
	done
	run -0 coopr-queue gc --logs 2 --dry-run
	same "00000001-001/log" "$output"
	[ -e spool/done/00000001-001/log/t1.1 ]
	run -0 coopr-queue gc --logs 2
	same "00000001-001/log" "$output"
	[ ! -e spool/done/00000001-001/log/t1.1 ]
	[ -e spool/done/00000002-001/log/t1.1 ]
	same complete "$(status_of 00000001-001 .status)"
	coopr-queue fsck
	run -0 coopr-queue gc --logs 2
	same "" "$output"
}

@test "a task that failed more than once shows why it failed first, in show, in its record and in the cluster's last words" {
	job=$(plan <<<'t1 a install:zk - {"retries":1}' | coopr-queue put --backoff-ms 0)
	finish '{"status": 1, "message": "no route to the mirror"}'
	coopr-queue take >task
	printf 'E: dpkg was interrupted\nE: run dpkg --configure\n\n  \n\n' >"$(jq -r .log task)"
	result_of '{"status": 100, "message": "dpkg is locked"}' <task | coopr-queue "done"
	run -0 coopr-queue show "$job"
	contains "$output" "attempt 2, exit code 100: dpkg is locked"
	contains "$output" "  first, attempt 1: no route to the mirror"
	contains "$output" $'  | E: dpkg was interrupted\n  | E: run dpkg --configure'
	same "no route to the mirror" "$(coopr-queue show -o json "$job" | jq -r '.attention[0].first_message')"
}

@test "a task that failed twice in the same way says it once" {
	job=$(plan <<<'t1 a install:zk - {"retries":1}' | coopr-queue put --backoff-ms 0)
	finish '{"status": 1, "message": "no route to the mirror"}'
	finish '{"status": 1, "message": "no route to the mirror"}'
	run -0 coopr-queue show "$job"
	same 1 "$(grep -c "no route" <<<"$output")"
}
