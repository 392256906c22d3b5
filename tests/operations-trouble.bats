#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# What is done to clusters by people who are mistaken, in each other's way, interrupted, or short of room: coopr-clusters(7).

load case

setup() {
	fresh
	own_catalogue
}

kept() {
	find "$COOPR_STATE/clusters" -mindepth 1 -maxdepth 2 -name '*[.0-9]*-*' -o -mindepth 1 -maxdepth 1 | sort | sed 's|.*/||'
}

@test "what cannot be leaves nothing behind, and nothing of it gets into the next operation" {
	coopr create -o json blog -t lamp -n 4 >records 2>log
	kept >before
	for words in "add blog nginx" "add blog nginx --dry-run" "add blog nonsuch" "create shop -t lamp -n 400" \
		"create shop -t lamp -n 400 --dry-run" "create shop -t nonsuch" "create shop -t nonsuch --dry-run"; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr -1 coopr $words
		kept >after
		cmp before after
	done
	mkdir "$COOPR_STATE/clusters/00000001/00000001-002" # as one that was killed has it
	echo '{"kind":"request"}' >"$COOPR_STATE/clusters/00000001/00000001-002/request.json"
	coopr restart -o json blog >records 2>log
	[ ! -e "$COOPR_STATE/clusters/00000001/00000001-002/request.json" ]
	coopr expand -o json blog >records 2>log
	same 5 "$(grep -c '"kind":"node"' records)"
}

@test "a name is no option, no hidden file, no id, and nothing odd" {
	coopr create -o json blog -t lamp -n 4 >records 2>log
	kept >before
	for name in -x .x 00000001 00000099 'a b' $'a\nb' ../x $'\xff' ä; do
		run --separate-stderr -64 coopr create -t lamp -n 4 -- "$name"
		contains "$stderr" "invalid cluster name "
		run --separate-stderr -64 coopr rename blog -- "$name"
		contains "$stderr" "invalid cluster name "
		run --separate-stderr -64 coopr clone blog -- "$name"
		contains "$stderr" "invalid cluster name "
	done
	long=$(printf 'x%.0s' {1..256})
	for name in 'a b' $'a\nb' ../x $'\xff' $'a\u202eb' $'\e[31m' "$long"; do
		for option in owner group; do
			run --separate-stderr -64 coopr create -t lamp -n 4 "--$option=$name" shop
			contains "$stderr" "invalid $option "
			run --separate-stderr -64 coopr clone "--$option=$name" blog shop
			contains "$stderr" "invalid $option "
		done
		case $name in
		'a b' | ../x) ;; # a token may be called so
		*) run -64 coopr-token create "$name" ;;
		esac
	done
	run -64 coopr create -t lamp -n 4 --owner=-x shop
	kept >after
	cmp before after
}

@test "a number of tasks in parallel that no worker accepts, and a time that is none, are refused before anything is done" {
	coopr create -o json blog -t lamp -n 4 >records 2>log
	kept >before
	for jobs in 0 100001 2147483647; do
		run --separate-stderr -64 coopr create -j "$jobs" shop -t lamp -n 4
		contains "$stderr" "--jobs: expected a number from 1 to 100000, found $jobs"
		run --separate-stderr -64 coopr restart -j "$jobs" blog
	done
	run --separate-stderr -64 coopr create --lease 1y shop -t lamp -n 4
	contains "$stderr" "--lease: expected a duration as 30s, 15m, 12h or 2d, or 0, found '1y'"
	run --separate-stderr -64 coopr create -n 0 shop -t lamp
	same "coopr-create: --machines: expected a number from 1 on, or MIN:MAX, found '0'" "$stderr"
	run --separate-stderr -64 coopr lease blog 1y
	contains "$stderr" "TIME: expected a duration"
	kept >after
	cmp before after
	run -0 coopr status blog
}

@test "an operation that nobody sees through is told of, with the ways out: wait, abort, or coopr retry, which sees it through" {
	coopr create -o json blog -t lamp -n 4 >records 2>log
	coopr expand --detach blog >job 2>log
	run --separate-stderr -75 coopr restart blog
	contains "$stderr" "blog: job 00000001-002 (expand), started by $(id -un), has been in progress since "
	contains "$stderr" "no command on this host follows it; --wait waits for it, coopr retry blog follows it, coopr abort blog cancels it"
	coopr retry -o json blog >records 2>log
	same 5 "$(grep -c '"kind":"node"' records)"
	run --separate-stderr -1 coopr retry blog
	contains "$stderr" "blog: its last operation has not failed"
	coopr restart -o json blog >records 2>log
}

@test "a dry run works while an operation is in progress, from what there is by then, and cancels nothing; its plan is not saved" {
	coopr create -o json blog -t lamp -n 4 >records 2>log
	kept >before
	coopr expand --detach blog >job 2>log
	run --separate-stderr -0 flock "$COOPR_STATE/clusters/00000001" coopr delete --dry-run -o table blog
	contains "$stderr" "blog: job 00000001-002 (expand) is in progress; the plan starts from what there is now"
	contains "$output" "4 to be removed"
	for words in "expand -n 8" "restart" "config --set a=1" "replace 1000" "shrink -n 3"; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr -0 coopr ${words%% *} --dry-run -o table blog ${words#"${words%% *}"}
		[ -n "$output" ]
	done
	run --separate-stderr -75 coopr delete --save plan blog
	[ ! -e plan ]
	kept | grep -v -- -002 | cmp before -
	same running "$(coopr-queue show -o json 00000001-002 | jq -r .status)"
	coopr delete -o json -y blog >gone 2>log
	same cancelled "$(coopr-queue show -o json 00000001-002 | jq -r .status)"
}

@test "of a cluster that is gone its id says so, and no folder is made for it" {
	coopr create -o json blog -t lamp -n 4 >records 2>log
	coopr delete -y blog 2>log
	for words in "expand 00000001" "retry 00000001" "delete -y 00000001"; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr -1 coopr $words
		contains "$stderr" "blog (00000001): the cluster is terminated"
	done
	same "" "$(kept)"
}

@test "--detach of what was begun already says its job again" {
	coopr create -o json blog -t lamp -n 4 >records 2>log
	same "00000001-002 00000001-002" "$(coopr expand --detach blog) $(coopr expand --detach blog)"
	same 00000001-002 "$(coopr retry --detach blog)"
}

@test "while a command has a cluster, another is refused and told the job, where there is one already" {
	coopr create -o json blog -t lamp -n 4 >records 2>log
	run --separate-stderr -75 flock "$COOPR_STATE/clusters/00000001" coopr restart blog
	[[ $stderr == *"blog: flock, process "+([0-9])" of $(id -un) on "*", has been working on it since 20"*"; --wait waits until it has ended" ]]
	coopr expand --detach blog >job 2>log
	run --separate-stderr -75 flock "$COOPR_STATE/clusters/00000001" coopr restart blog
	[[ $stderr == *"blog: job 00000001-002 (expand), started by $(id -un), has been in progress since 20"*" (flock, process "+([0-9])" of "* ]]
	contains "$stderr" "; --wait waits for it, coopr abort blog cancels it"
}

@test "--wait waits for its turn, and tells for what; --timeout ends that" {
	coopr create -o json blog -t lamp -n 4 >records 2>log
	run --separate-stderr -64 coopr restart --timeout 1s blog
	same "coopr-restart: --timeout: has no effect without --wait; see: coopr-restart --help" "$stderr"
	for words in "restart blog" "rename blog store" "delete -y blog"; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr -75 flock "$COOPR_STATE/clusters/00000001" coopr ${words%% *} --wait --timeout 1s ${words#* }
		contains "$stderr" "; waiting for it"
		contains "$stderr" "--timeout: waited for 1.0 s"
	done
	coopr expand --detach blog >job 2>log
	: >waiting
	coopr restart -o json --wait blog >records 2>waiting 3>&- &
	waiter=$!
	grep -q -m 1 "00000001-002 (expand).*; waiting for it" <(tail -f -n +1 --pid="$waiter" waiting)
	coopr-work --drain
	wait "$waiter"
	same "complete complete complete" "$(coopr-queue ls -o json | jq -r .status | paste -sd ' ')"
	coopr rename --wait blog store
}

# An operation on blog that was begun by nobody in particular: its first task is done, and then it is given up.
give_up() {
	coopr "$@" --detach blog >job 2>log
	coopr-queue take --count 1 | jq -c '{kind: "result", job, task: .id, attempt, status: 0}' | coopr-queue done
	coopr abort blog 2>log
}

@test "after a failure that others followed, which did not fail, the cluster is put right by retry" {
	coopr create -o json blog -t lamp -n 4 >records 2>log
	give_up stop
	coopr start -o json -y blog >records 2>log
	run -1 coopr status blog
	run --separate-stderr -0 coopr retry blog
	contains "$stderr" "configured and restarted"
	run -0 coopr status blog
	same "repair complete" "$(coopr history -o json -l 1 blog | jq -r '"\(.action) \(.status)"')"
	run --separate-stderr -1 coopr retry blog
	contains "$stderr" "nothing to retry"
}

@test "a change that is complete after one that failed finishes what that has left in part, and the cluster is whole" {
	stubborn_service
	coopr create blog -t lamp -n 3 -s apache,haproxy,mod-php,mysql,stubborn >records 2>log
	touch broken
	run -1 coopr config -y blog --set stubborn.a=1
	rm broken
	coopr config -o json -y blog --set php.b=2 >records 2>log
	same "active null 2" "$(coopr list -o json | jq -r .status) $(coopr config blog | jq -r '"\(.stubborn) \(.php.b)"')"
	coopr-queue show --plan 00000001-003 | jq -se 'any(.service == "stubborn" and .action == "start")'
}

@test "that the worker of a job was killed is told as such, and is temporary; coopr retry resumes the job" {
	stubborn_service
	mkfifo arrived gate
	touch wait
	coopr create blog -t lamp -n 3 -s apache,haproxy,mod-php,mysql,stubborn >records 2>log &
	read -r _ <arrived
	rm wait
	pkill -KILL -P $! coopr-work
	code=0
	wait $! || code=$?
	same 75 "$code"
	contains "$(cat log)" "coopr-create: blog: the worker of job 00000001-001 was killed by signal 9; coopr retry blog resumes it"
	run --separate-stderr -0 coopr retry -y blog
	same active "$(coopr list -o json | jq -r .status)"
}

@test "who changes a cluster that stays inconsistent is told so, since when, and what makes it whole" {
	stubborn_service
	coopr create blog -t lamp -n 3 -s apache,haproxy,mod-php,mysql,stubborn >records 2>log
	touch broken
	run -1 coopr config -y blog --set stubborn.a=1
	rm broken
	run --separate-stderr -0 coopr restart -y blog
	contains "$stderr" "blog: the cluster is still inconsistent, since config failed before (job 00000001-002); coopr retry blog configures"
	contains "$stderr" "what the failed change was to set is not in the configuration: make it again"
	same null "$(coopr config blog | jq .stubborn)"
	run --separate-stderr -0 coopr retry -y blog
	same "" "$(grep "still inconsistent" <<<"$stderr" || true)"
	same active "$(coopr list -o json | jq -r .status)"
}

@test "machines that were made only in part are no matter of services: retry and replace name them, and the rollback that deletes them" {
	mkdir -p plugins/automator
	cat >plugins/automator/door <<-'EOT'
		#!/bin/sh
		cat >/dev/null
		[ "$1" != bootstrap ] || [ ! -e "$WHERE/shut" ] || { echo '{"kind":"result","status":77,"message":"the login was refused"}' && exit 77; }
		echo '{"kind":"result","status":0}'
	EOT
	chmod 755 plugins/automator/door
	export COOPR_PLUGINS=$PWD/plugins WHERE=$PWD
	echo '{"name": "door", "provisioner": {"actions": {"start": {"type": "door", "fields": {}}}}}' >mine/services/door.json
	jq -n '{name: "doors", defaults: {services: ["door"], provider: "dummy", hardwaretype: "small", imagetype: "debian12"}}' >mine/clustertemplates/doors.json
	coopr create -q blog -t doors -n 2
	touch shut
	run -1 coopr expand -y blog -n 4
	rm shut
	run --separate-stderr -0 coopr restart -y blog
	contains "$stderr" "blog: the cluster is still inconsistent, since expand failed before (job 00000001-002); 1002 and 1003 were made only in part; coopr rollback blog deletes them"
	[[ $stderr != *"coopr retry"* ]]
	for words in "retry -y blog" "replace -y blog 1003"; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr -1 coopr $words
		contains "$stderr" "were made only in part; coopr rollback blog deletes them"
	done
	same 3 "$(coopr history blog -o json | wc -l)"
	run --separate-stderr -0 coopr rollback -y blog
	same "active 2" "$(coopr list -o jsonpath='{.status} {.nodes}')"
}

@test "where the folders of clusters have no room, the message says which one, and so on which file system" {
	need_root
	mkdir -p "$COOPR_STATE/clusters"
	for size in 4k 8k 16k 20k; do
		run unshare --mount bash -c "mount -t tmpfs -o size=$size none '$COOPR_STATE/clusters' && exec coopr create blog -t lamp -n 4"
		[ "$status" -ne 0 ]
		contains "$output" "No space left on device"
		contains "$(grep "No space left" <<<"$output")" "$COOPR_STATE/clusters/0000000"
	done
}

@test "a cluster is called by its name, also after coopr rename, in errors, layouts and reports" {
	coopr create blog -t lamp -n 4 >records 2>log
	run --separate-stderr -1 coopr restart -y -s nosuch blog
	same "coopr-restart: blog: there is no service nosuch; there are apache, haproxy, memcached, mod-php, mysql" "$stderr"
	coopr rename blog shop
	run --separate-stderr -1 coopr restart -y -s nosuch shop
	same "coopr-restart: shop: there is no service nosuch; there are apache, haproxy, memcached, mod-php, mysql" "$stderr"
	same shop "$(head -n 1 "$COOPR_STATE/clusters/00000001/cluster.ndjson" | jq -r .name)"
	same shop "$(sqlite3 "$COOPR_STATE/store.sqlite3" "SELECT json_extract(wish, '$.cluster.name') FROM cluster_document")"
	coopr-store fsck
	coopr expand -y shop >records 2>log
	same shop "$(head -n 1 "$COOPR_STATE/clusters/00000001/cluster.ndjson" | jq -r .name)"
	contains "$(coopr report shop)" "cluster        shop,"
}

@test "a preview says that what a restarted service needs is started only if it is down" {
	coopr create blog -t lamp -n 4 >records 2>log
	coopr restart --max-unavailable 100% --dry-run blog/@apache >shown
	grep -qx '! memcached is started on 2 machines, if it is down' shown
	grep -qx '! apache restarts on 2 machines' shown
}

@test "an operation that is given up before anything was done leaves all as it was" {
	coopr create -o json blog -t lamp -n 4 >records 2>log
	coopr expand --detach blog >job 2>log
	coopr abort blog 2>log
	run -0 coopr status blog
	same "4 cancelled" "$(coopr show -o json blog | jq -r 'select(.kind == "node").id' | wc -l) $(coopr history -o json -l 1 blog | jq -r .status)"
	coopr shrink -o json -y blog 2>log >records
	run -0 coopr status blog
}

@test "a cluster of which no machine was made yet is deleted without a job, which is told and is no failure" {
	begun() { coopr create --detach blog -t lamp -n 4 >job 2>log; }
	gone() {
		run --separate-stderr -0 "$@" blog
		same "" "$output"
		same "coopr-delete: blog: job $(cat job) (create) is cancelled, and has made no machine; the cluster is deleted" "$stderr"
		run --separate-stderr -1 "$@" blog
		contains "$stderr" 'no cluster named "blog"'
		same "" "$(kept)"
	}
	begun
	gone coopr delete -y
	same "create,delete" "$(coopr-audit -c 00000001 -o json | jq -r .action | paste -sd,)"
	begun
	gone coopr delete -y --detach -o json
	begun
	coopr pause blog 2>log
	gone coopr delete -y -o json
	begun
	coopr-queue cancel "$(cat job)"
	gone coopr delete -y --detach

	begun
	run -0 coopr abort -y blog
	same "coopr-abort: blog: job $(cat job) is cancelled; no machine of it is there, and the cluster is deleted" "$output"
	begun
	coopr-work --drain
	coopr delete -y --detach blog >job 2>log
	coopr-work --drain --job "$(cat job)"
	run --separate-stderr -0 coopr delete -y --detach blog
	same "coopr-delete: blog: job $(cat job) (delete) has ended, and has left no machine; the cluster is deleted" "$stderr"
}

@test "rollback only deletes a machine that was never made whole: nothing waits for it to answer" {
	coopr create -o json blog -t lamp -n 4 >records 2>log
	coopr expand --detach blog -n +2 >job 2>log
	coopr-queue take --count 9 | jq -c '{kind: "result", job, task: .id, attempt, status: 0}' | coopr-queue done
	coopr abort blog 2>log
	run -1 coopr status blog
	coopr rollback -o json -y blog >records 2>log
	same delete "$(coopr-queue show 00000001-003 --tasks -o json | jq -r 'select(.node > "00000001-1003").action' | sort -u)"
	run -0 coopr status blog
}

@test "--detach of what is tried again prints the same job" {
	coopr create -o json blog -t lamp -n 4 >records 2>log
	give_up expand
	job=$(cat job)
	run --separate-stderr -0 coopr expand --detach blog
	same "$job" "$output"
}

@test "an operation that is given up while nobody works on it is tried again or taken back" {
	coopr create -o json blog -t lamp -n 4 >records 2>log
	give_up expand
	run --separate-stderr -1 coopr shrink -y -n -1 blog
	contains "$stderr" "rollback"
	coopr rollback -o json -y blog >records 2>log
	same 4 "$(grep -c '"kind":"node"' records)"
	give_up expand
	coopr retry -o json blog >records 2>log
	same 5 "$(grep -c '"kind":"node"' records)"
}

@test "a spool that has jobs of another store is refused, before anything begins: 73" {
	coopr create -o json blog -t lamp -n 4 >records 2>log
	mv "$COOPR_STATE" other
	run --separate-stderr -73 coopr create blog -t lamp -n 4
	contains "$stderr" "spool $COOPR_SPOOL: its job 00000001-001 belongs to another store"
	contains "$stderr" "COOPR_SPOOL"
	same "" "$(coopr list -o json)"
	coopr create -o json --spool "$PWD/own" blog -t lamp -n 5 >records 2>log

	coopr expand --detach --spool "$PWD/own" blog >job 2>log
	COOPR_STATE=$PWD/other coopr create -o json wiki -t lamp -n 4 >records 2>log
	COOPR_STATE=$PWD/other coopr expand -o json wiki >records 2>log
	for command in restart retry; do
		run --separate-stderr -73 coopr $command blog
		contains "$stderr" "its job 00000002-002 belongs to another store"
	done
	run --separate-stderr -0 coopr retry -o json --spool "$PWD/own" blog
	same 6 "$(grep -c '"kind":"node"' <<<"$output")"
}

@test "the job of an operation is in one spool: who names another is told the right one, while it has the job" {
	coopr create blog -t lamp -n 4 --detach --spool own >job 2>log
	for words in "retry blog" "restart blog" reconcile; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr -73 coopr $words
		contains "$stderr" "blog: its job 00000001-001 is in the spool $PWD/own"
	done
	[ ! -e "$COOPR_SPOOL/jobs/00000001-001" ]
	run --separate-stderr -0 coopr retry --spool "$PWD/own" blog
	coopr expand --detach --spool own blog >job 2>log
	rm -r own
	run --separate-stderr -0 coopr retry -o json blog
	same 5 "$(grep -c '"kind":"node"' <<<"$output")"
	same 00000001-002 "$(coopr-queue ls -o name)"
}

@test "an operation whose job cannot be put has begun: that is said, and the same command resumes it" {
	export HOME=$PWD/home
	mkdir -p home/.config/coopr/hooks
	printf '#!/bin/sh\n[ -e "%s" ] || : >"%s"\n' "$COOPR_SPOOL" "$COOPR_SPOOL" >home/.config/coopr/hooks/late
	chmod 755 home/.config/coopr/hooks/late
	run --separate-stderr ! coopr create blog -t lamp -n 4
	contains "$stderr" "job 00000001-001 has begun, and the same command resumes it"
	same pending "$(coopr list -o json | jq -r .status)"
	rm "$COOPR_SPOOL"
	run --separate-stderr -0 coopr create -o json blog -t lamp -n 4
	same 4 "$(grep -c '"kind":"node"' <<<"$output")"
	same 00000001-001 "$(coopr-queue ls -o name)"
}

@test "without COOPR_SPOOL the spool is in COOPR_STATE" {
	COOPR_SPOOL='' coopr create -o json blog -t lamp -n 4 >records 2>log
	[ -d "$COOPR_STATE/spool/done/00000001-001" ]
	[ ! -e "$COOPR_SPOOL" ]
}

@test "a lease may be extended by exactly the step, and to exactly its end, though time passes while one asks" {
	jq '.administration.leaseduration = {initial: "2h", max: "6h", step: "3h"}' mine/clustertemplates/lamp.json >lamp
	mv lamp mine/clustertemplates/lamp.json
	coopr create -o json blog -t lamp -n 4 >records 2>log
	coopr lease blog 5h
	coopr lease blog 6h
	run --separate-stderr -1 coopr lease blog 7h
	contains "$stderr" "its lease can last at most 6 h 0 m from its creation, until 2"
	[[ $stderr =~ "; "(coopr lease blog [0-9]+[hm])" is the longest"$ ]]
	${BASH_REMATCH[1]}
}
