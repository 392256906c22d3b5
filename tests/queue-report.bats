#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# coopr-queue(1): report.

load case
load queue

# Plan and events with times as given: course EVENT... as "SECONDS take TASK [BY]", "SECONDS done|fail|lost TASK [NEXT [MESSAGE]]".
# The plan is in the file plan; fails have status 1. Attempts count by themselves.
course() {
	cat plan
	printf '%s\n' "$@" | jq -cnR '
		def at(s): (1795258800 + (s | floor) | todate | sub("Z$"; "")) + "." + ("00\((s * 1000 | round) % 1000)" | .[-3:]) + "Z";
		foreach ([[0, "put"]] + [inputs | split(" ") | [(.[0] | tonumber)] + .[1:]] | to_entries[]) as {key: $seq, value: $e}
			({}; if $e[1] == "take" then .[$e[2]] += 1 else . end;
			{kind: "event", seq: ($seq + 1), at: at($e[0]), event: $e[1]} +
			if $e[1] == "put" then {job: "job", cluster: "00000042", tenant: "qa"}
			elif $e[1] == "finish" then {reason: $e[2]}
			else {task: $e[2], attempt: .[$e[2]]} +
				if $e[1] == "take" then {by: ($e[3] // "worker")}
				elif $e[1] == "done" then {result: {status: 0}}
				elif $e[1] == "fail" then {next: $e[3], result: {status: 1, message: ($e[4:] | join(" "))}}
				else {next: $e[3], reason: ($e[4:] | join(" "))} end
			end)'
}

# A member of the report of a course: reported FILTER EVENT...
reported() {
	course "${@:2}" | coopr-queue report -o json - | jq -rc "select(.kind == \"report\") | $1"
}

path='.critical_path | map("\(.task).\(.attempt) \(.waited_for) \(.held_s) \(.waited_s)") | join(", ")'

@test "report tells makespan, work, how much ran at once, attempts and failures" {
	two_nodes >plan
	same '10 13 2 {"done":1,"failed":1,"lost":1,"retried":1,"running":0,"total":3,"undone":0,"waited":0} failed 6' "$(
		reported '"\(.makespan_s) \(.work_s) \(.peak) \(.attempts) \(.status) \(.tasks)"' '0 take t1' '1 take t2' \
			'4 fail t1 retry no' '5 take t1' '8 done t2' '7 lost t1 failed gone' '10 finish failed')"
}

@test "the critical path is what each attempt waited for, from the one that ended last back to the first" {
	plan <<-'END' >plan
		t1 a create -
		t2 b create -
		m1 t1,t2
		t3 c install:zk m1
	END
	same 't2.1 null 0 1, t3.1 dependency 0 0' "$(reported "$path" '0 take t1' '1 take t2' '5 done t1' '9 done t2' '9 take t3' '12 done t3' '12 finish complete')"
}

@test "what waits for its node, for a slot, or to be tried again is told apart" {
	plan <<-'END' >plan
		t1 a create -
		t2 a confirm -
		t3 b create -
	END
	same 't1.1 null 0 0, t2.1 node 10 0' "$(reported "$path" '0 take t1' '10 done t1' '10 take t2' '20 done t2')"
	same 't1.1 null 0 0, t3.1 slot 10 0' "$(reported "$path" '0 take t1' '10 done t1' '10 take t3' '20 done t3')"
	same 't1.1 null 0 0, t1.2 retry 0 2' "$(reported "$path" '0 take t1' '10 fail t1 retry no' '12 take t1' '20 done t1')"
	same '10 0' "$(reported '"\(.node_wait_s) \(.slot_wait_s)"' '0 take t1' '10 done t1' '10 take t2' '20 done t2')"
	same '0 10' "$(reported '"\(.node_wait_s) \(.slot_wait_s)"' '0 take t1' '10 done t1' '10 take t3' '20 done t3')"
}

# Judges reports with rules of its own: the plan, the attempts and the path are on stdin. Each link of the path is what it says
# it is, and together they account for all the time.
judge_path() {
	python3 -c '
import json, sys
steps, attempts, report = {}, {}, None
for record in map(json.loads, sys.stdin):
    if record["kind"] in ("task", "milestone"):
        steps[record["id"]] = record
    elif record["kind"] == "attempt":
        attempts[record["task"], record["attempt"]] = record
    elif record["kind"] == "report":
        report = record
def tasks_before(step):
    return {t for a in steps[step]["after"] for t in ([a] if steps[a]["kind"] == "task" else tasks_before(a))}
path = report["critical_path"]
for before, link in zip(path, path[1:]):
    why, task = link["waited_for"], link["task"]
    if why == "dependency":
        assert before["task"] in tasks_before(task), link
    elif why == "node":
        assert steps[before["task"]]["node"] == steps[task]["node"], link
    elif why == "retry":
        assert before["task"] == task and before["attempt"] == link["attempt"] - 1, link
    else:
        assert why == "slot", link
assert path[0]["waited_for"] is None
assert all(attempts[l["task"], l["attempt"]]["critical"] for l in path)
assert sum(a["critical"] for a in attempts.values()) == len(path)
assert abs(sum(report["critical_path_parts"].values()) - report["makespan_s"]) < 0.001, report["critical_path_parts"]
assert abs(sum(a["took_s"] for a in attempts.values()) - report["work_s"]) < 0.001
'
}

@test "each link of the critical path is what it says it is, and all of them make up the makespan" {
	for seed in {1..6}; do
		for i in {1..60}; do
			after=-
			[ "$i" -le 8 ] || after=$(((seed * 7919 + i * 104729) % (i - 1) + 1))
			[ "$after" = - ] || after=t$after,m$((i % 3))
			printf 't%d n%d create %s {"expect_s":%d}\n' "$i" $(((seed + i * i) % 9)) "$after" $(((seed * i * 31) % 50 + 1))
		done | { cat; printf 'm0 t1,t2\nm1 t3\nm2 t4,m1\n'; } | plan >unordered
		# Milestones last: the order of the records is not that of the work.
		jq -c 'if .kind == "task" then .rank = .expect_s else . end' unordered >plan
		coopr-work --simulate "$seed" -j $((seed % 5 + 2)) --failures 10% --events plan >all || true
		coopr-queue report -o json - <all >report
		cat plan report | judge_path
	done
}

@test "report of a job in the spool has the message and the end of the log of what failed" {
	echo 't1 a install:zk - {"retries":1}' | plan | coopr-queue put --job mine --backoff-ms 0
	coopr-queue take --by joe >taken
	printf 'first\nlast words\n' >"$(jq -r .log taken)"
	result_of '{"status":3,"message":"disk full"}' <taken | coopr-queue done
	coopr-queue report -o text mine >text
	contains "$(cat text)" 'job mine: running'
	contains "$(cat text)" 'install zk on a.example.net: failed with exit code 3, retried'
	contains "$(cat text)" '| last words'
	do_all
	for format in text json html; do
		coopr-queue report -o "$format" mine >"$format"
		contains "$(cat "$format")" "disk full"
		contains "$(cat "$format")" "last words"
		contains "$(cat "$format")" complete
	done
	same 'failed retry joe' "$(jq -r 'select(.kind == "attempt" and .attempt == 1) | "\(.status) \(.next) \(.by)"' json)"
	jq -e 'select(.kind == "attempt" and .attempt == 2).critical' json
}

@test "report says what failed first for good, with its whole log, and calls cluster, nodes and services by their names" {
	printf 't1 a create - {"retries":0}\nt2 b create - {"retries":1}\nt3 b install:zk t2 {"retries":0}\n' | plan 00000042 | coopr-queue put --job mine --backoff-ms 0
	for task in t1 t2 t2 t3; do
		coopr-queue take --count 1 >taken || true
		jq -r .id taken >>order
		(echo "line 1 of $task" && seq 1 400 && printf 'a \0 \377 \033[2J </pre><img src=x>\nthe last of it') >"$(jq -r .log taken)"
		case $(jq -r '"\(.id).\(.attempt)"' taken) in
		t2.1 | t3.1) result_of '{"status":3,"message":"no <b>space"}' <taken | coopr-queue done ;;
		t1.1) result_of '{}' <taken | coopr-queue done ;;
		*) result_of '{}' <taken | coopr-queue done ;;
		esac
	done
	coopr-queue report -o html mine >page
	check_page page
	for part in 'First cause of the failure</h2>' '<b>install zk on b.example.net</b>: failed with exit code 3' 'no &#60;b&#62;space' \
		'<a href="#log">The whole log</a>' 'line 1 of t3' '&#60;/pre&#62;' 'All failures</h2>' '<h1>kv: create' 'expected: unknown'; do
		contains "$(cat page)" "$part"
	done
	for id in 00000042 '>t3 ' 'on b<'; do
		run ! grep -F "$id" page
	done
	coopr-queue report mine >text
	contains "$(cat text)" 'First cause of the failure'
	contains "$(cat text)" 'the whole log: coopr log -a install kv/b.example.net/zk'
	contains "$(cat text)" 'cluster        kv, of tenant qa'
	same '{"attempt":1,"task":"t3"} kv 00000042' "$(coopr-queue report -o json mine | jq -r 'select(.kind == "report") | "\(.first_cause) \(.cluster_name) \(.cluster)"')"
	same 'b b.example.net' "$(coopr-queue report -o json mine | jq -r 'select(.task == "t3") | "\(.node) \(.hostname)"')"
	coopr-queue skip --reason done mine t3
	run ! grep -q 'First cause' <(coopr-queue report mine)
}

@test "report tells what was skipped, and why" {
	printf 't1 a create -\nt2 b confirm t1\n' | plan | coopr-queue put --job mine
	coopr-queue skip --reason 'it <b>stands' mine t1
	do_all
	coopr-queue report -o text mine >text
	grep -A1 "create on a.example.net by $(id -un)" text | grep -q 'it <b>stands'
	same '["t1"]' "$(coopr-queue report -o json mine | jq -c 'select(.kind == "report").skipped')"
	coopr-queue report -o html mine >page
	contains "$(cat page)" 'it &#60;b&#62;stands'
	contains "$(coopr-queue watch --since start -o text mine)" ' skip t1: it <b>stands by'
}

# Fails where a page has an element or attribute that no report has, or would load or run anything.
check_page() {
	python3 - "$1" <<-'END'
		import base64, hashlib, html.parser, re, sys
		page = open(sys.argv[1], encoding="utf-8").read()
		known = set("html head meta title style body header h1 h2 span p main dl div dt dd small svg rect path button table "
		    "caption thead tbody tr th td details summary b br pre script section a".split())
		void, stack, scripts, links, ids = {"meta", "br", "rect", "path"}, [], [], [], []
		class Judge(html.parser.HTMLParser):
		    def handle_starttag(self, tag, attributes):
		        assert tag in known, f"an element {tag}"
		        for name, value in attributes:
		            if name == "href" and value.startswith("#"):
		                links.append(value[1:])
		                continue
		            ids.append(value) if name == "id" else None
		            assert not name.startswith("on") and name not in ("src", "href"), f"{tag} {name}"
		        if tag not in void:
		            stack.append(tag)
		    def handle_endtag(self, tag):
		        if tag not in void:
		            assert stack.pop() == tag, f"a stray end of {tag}"
		    def handle_data(self, data):
		        if stack and stack[-1] == "script":
		            scripts.append(data)
		Judge().feed(page)
		assert not stack and len(scripts) == 1 and set(links) <= set(ids)
		digest = base64.b64encode(hashlib.sha256(scripts[0].encode()).digest()).decode()
		assert f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'" in page
		assert "http:" not in page and "https:" not in page and "url(" not in page and "@import" not in page
	END
}

@test "the page stands alone: it loads nothing and runs nothing but the script in it" {
	two_nodes >plan
	course '0 take t1' '1 take t2' '4 fail t1 retry no' '5 take t1' '8 done t2' '9 lost t1 failed gone' '10 finish failed' >all
	coopr-queue report -o html - <all >page
	check_page page
	for part in '<h1>kv: create' 'badge failed' Timeline 'All failures' 'Critical path</h2>' '<svg' 'aria-label=' '[class^=a]{fill:'; do
		contains "$(cat page)" "$part"
	done
}

@test "whatever comes from outside is text in the page" {
	evil='</script><img src=x onerror=alert(1)>"'"'"'&<!--'
	echo 't1 a install:zk - {"retries":0}' | plan | coopr-queue put --job mine
	coopr-queue take --by "$evil" >taken
	printf '%s\n\033[2J\377\n' "$evil" >"$(jq -r .log taken)"
	jq -cn --arg m "$evil" '{status:1,message:$m}' >result
	result_of "$(cat result)" <taken | coopr-queue done
	coopr-queue report -o html mine >page
	check_page page
	run ! grep -q '<img' page
	grep -q '&#60;/script&#62;&#60;img src=x onerror=alert(1)&#62;&#34;&#39;&#38;&#60;!--' page
	run ! grep -q $'\033' page
	python3 -c 'open("page", encoding="utf-8").read()'
	run -0 coopr-queue report -o text mine
	[[ $output != *$'\e'* ]]
}

@test "a service cannot even have such a name" {
	two_nodes | jq -c 'if .id == "t5" then .service = "</script><img src=x>" else . end' >plan
	run -65 coopr-queue report -o html - <plan
	contains "$output" /service
}

@test "the report draws a rehearsal" {
	two_nodes >plan
	coopr-work --simulate 7 --events plan | coopr-queue report -o html - >page
	check_page page
	contains "$(cat page)" '<title>install zk on a.example.net: done'
	same "$(coopr-work --simulate 7 -o json plan | jq .makespan_s)" \
		"$(coopr-work --simulate 7 -e plan | coopr-queue report -o json - | jq 'select(.kind == "report").makespan_s')"
}

@test "the page of a job of 10,000 tasks is no larger than a megabyte" {
	seq 1 10000 | jq -cn '[inputs] | {kind:"job",id:null,cluster:"c",tenant:"qa",action:"cluster_create",tasks:10000,critical_path_s:1},
		{kind:"cluster",id:"c",name:"c",tenant:"qa",services:[],config:{},definitions:[],provider:{name:"d",providertype:"dummy"}},
		(range(1000) | {kind:"node",id:"n\(.)",nodenum:.,hostname:"n\(.)",services:[],was:null}),
		(.[] | {kind:"task",id:"t\(.)",node:"n\(. % 1000)",action:(if . % 2 == 1 then "create" else "confirm" end),type:"dummy",after:[],expect_s:5})' >plan
	coopr-work --simulate 7 -j 50 --failures 5% --events plan | coopr-queue report -o html - >page || true
	check_page page
	[ "$(stat -c %s page)" -lt 1048576 ]
	contains "$(cat page)" "Each lane stands for 10 nodes"
}

@test "a report of what has not begun, and of an empty plan" {
	two_nodes | coopr-queue put --job new
	plan </dev/null | coopr-queue put --job empty
	for job in new empty; do
		coopr-queue report -o html "$job" >page
		check_page page
		contains "$(cat page)" "Nothing has begun"
		coopr-queue report -o text "$job"
	done
	contains "$(coopr-queue report -o text empty)" "complete"
}

@test "a clock that was set spoils nothing but the figures" {
	two_nodes >plan
	for jump in -100000000 100000000; do
		course '0 take t1' "$jump take t2" '1 done t1' "$((jump + 1)) take t3" '2 fail t3 retry no' '3 take t3' '2 done t2' >all
		for format in text json html; do
			coopr-queue report -o "$format" - <all >"$format"
		done
		check_page html
	done
}

@test "events that do not fit the plan, and misuse" {
	two_nodes >plan
	run -65 coopr-queue report - < <(course '0 take t9')
	contains "$output" "t9: the plan has no such task"
	run -65 coopr-queue report - < <(course '0 done t1')
	run -65 coopr-queue report - </dev/null
	run -64 coopr-queue report
	run -64 coopr-queue report -o pdf x
	run -66 coopr-queue report none
	coopr-queue gc
	run -1 coopr-queue report none
}

@test "a clock that is set while the job runs, forward or back, changes no duration" {
	need_program "${CC:-cc}"
	cat >shift.c <<-'END'
		#define _GNU_SOURCE
		#include <stdlib.h>
		#include <sys/syscall.h>
		#include <time.h>
		#include <unistd.h>
		int clock_gettime(clockid_t id, struct timespec *now)
		{
			int result = (int)syscall(SYS_clock_gettime, id, now);
			if (id == CLOCK_REALTIME && getenv("CLOCK_SHIFT"))
				now->tv_sec += atol(getenv("CLOCK_SHIFT"));
			return result;
		}
	END
	"${CC:-cc}" -shared -fPIC -o shift.so shift.c
	shifted() {
		ASAN_OPTIONS=${ASAN_OPTIONS:-}:verify_asan_link_order=0 LD_PRELOAD=$PWD/shift.so CLOCK_SHIFT=$1 "${@:2}"
	}
	for shift in 34560000 -34560000; do
		job=$(plan <<<"t1 a create -" | coopr-queue put)
		coopr-queue take >task
		result_of <task >result
		shifted "$shift" coopr-queue "done" result
		grep -q '"clock_set_ms":-\?3[0-9]*,' "spool/done/$job/events.ndjson"
		same true "$(coopr-queue report -o json "$job" | jq -s 'all(.[] | .makespan_s // 0; . < 3600)')"
		shifted "$shift" coopr-queue show "$job" >shown
		! grep -E 'took [0-9.]+ (h|d)' shown
		coopr-queue fsck
	done
}
