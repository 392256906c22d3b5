#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What it costs to put a task, take it and have it done, each acknowledged only when it is on the disk: ours beside
# beanstalkd, PostgreSQL, SQLite, nq and task-spooler, all on one disk. Then ours at the size of a large site.
# Environment: BENCH_DIR, a directory on the disk to measure (/var/tmp); BENCH_ROUNDS (3): medians of so many, in turns.
#
# In three ways, as each would be used: by commands from a shell; by one client, one task at a time; in batches and by many
# clients. beanstalkd syncs after each write (-f 0), and so does PostgreSQL at each commit, three for a task. nq and
# task-spooler sync nothing and are one command for all three, which runs the task; ours runs the dummy automator. "synced"
# is nq with sync(1) after the put and after the end, so that it promises what the others do.

set -eu
# shellcheck disable=SC1091 # checked by itself
. "$COOPR_ROOT/tests/bench/bench.bash"

rounds=${BENCH_ROUNDS:-3}
dir=$(mktemp -d "${BENCH_DIR:-/var/tmp}/coopr-bench.XXXXXX")
chmod 755 "$dir"
cd "$dir"
export COOPR_SPOOL=$dir/spool TS_SOCKET=$dir/tsp NQDIR=$dir/nq PGHOST=$dir/pg PGUSER=postgres PGDATABASE=postgres
beanstalkd_pid=
as=()
[ "$(id -u)" -ne 0 ] || as=(setpriv --reuid=postgres --regid=postgres --clear-groups)

stop_all() {
	[ -z "$beanstalkd_pid" ] || kill "$beanstalkd_pid"
	[ ! -e "$TS_SOCKET" ] || tsp -K
	[ ! -e "$PGHOST/data/postmaster.pid" ] || "${as[@]}" "$postgres/pg_ctl" -D "$PGHOST/data" -m immediate stop >/dev/null
	rm -rf --one-file-system "$dir"
}
trap stop_all EXIT

# --- the peers' servers ---

start_beanstalkd() {
	mkdir "$dir/binlog"
	beanstalkd -l "unix:$dir/beanstalk" -b "$dir/binlog" -f 0 &
	beanstalkd_pid=$!
	until [ -S "$dir/beanstalk" ]; do sleep 0.1; done
}

start_postgres() {
	install -d -m 700 "$PGHOST"
	[ "$(id -u)" -ne 0 ] || chown postgres: "$PGHOST"
	"${as[@]}" "$postgres/initdb" -D "$PGHOST/data" -U postgres -A trust >/dev/null
	"${as[@]}" "$postgres/pg_ctl" -D "$PGHOST/data" -l "$PGHOST/log" -w -o "-c listen_addresses= -k $PGHOST" start >/dev/null
	psql -qc "create table task (id bigserial primary key, state text not null default 'ready', record text);
		create index on task (id) where state = 'ready'"
	# Where others hold all that is ready, the id is 0, and the task is left to a later turn.
	echo "insert into task (record) values (repeat('x', 100));
		with t as (update task set state = 'taken' where id = (select id from task where state = 'ready'
		order by id for update skip locked limit 1) returning id) select coalesce(max(id), 0) as id from t \\gset
		delete from task where id = :id;" >each.sql
	echo "insert into task (record) select repeat('x', 100) from generate_series(1, 100);
		with t as (update task set state = 'taken' where id in (select id from task where state = 'ready'
		order by id for update skip locked limit 100) returning id) select min(id) as a, max(id) as b from t \\gset
		delete from task where state = 'taken' and id between :a and :b;" >batch.sql
}

# --- one way each: tasks it did, in a shell of its own ---

ours_by_commands() {
	local i

	coopr-queue put <"$dir/fifty" >/dev/null
	for ((i = 0; i < 50; i++)); do coopr-queue take | coopr-exec -q | coopr-queue "done"; done
}
ours_a_job_each() {
	local i

	for ((i = 0; i < 50; i++)); do
		coopr-queue put <"$dir/one" >/dev/null
		coopr-queue take | coopr-exec -q | coopr-queue "done"
	done
}
nq_by_commands() {
	local i

	for ((i = 0; i < 50; i++)); do nq true >/dev/null; done
	nq -w >/dev/null 2>&1
}
nq_synced() {
	local i job

	for ((i = 0; i < 50; i++)); do
		job=$(nq true)
		sync "$NQDIR/$job" "$NQDIR"
		nq -w "$job" >/dev/null 2>&1
		sync "$NQDIR/$job" "$NQDIR"
	done
}
tsp_by_commands() {
	local i

	for ((i = 0; i < 50; i++)); do tsp -n true >/dev/null; done
	tsp -w
}
postgres_by_commands() {
	local i id

	for ((i = 0; i < 50; i++)); do
		psql -qc "insert into task (record) values (repeat('x', 100))"
		id=$(psql -qAtc "update task set state = 'taken' where id = (select id from task where state = 'ready'
			order by id for update skip locked limit 1) returning id")
		psql -qc "delete from task where id = $id"
	done
}
ours_one_client() { coopr-queue put <"$dir/thousand" >/dev/null && coopr-work -j 1 --drain; }
beanstalkd_one_client() { "$COOPR_ROOT/tests/bench/beanstalk.py" "$dir/beanstalk" 1000 1; }
postgres_one_client() { pgbench -n -M prepared -c 1 -t 1000 -f each.sql >/dev/null 2>&1; }
ours_many() { coopr-queue put <"$dir/ten_thousand" >/dev/null && coopr-work --drain; }
ours_batches() {
	coopr-queue put <"$dir/ten_thousand" >/dev/null
	while coopr-queue take --count 100; do :; done 2>/dev/null |
		jq -c '{kind: "result", job, task: .id, attempt, status: 0}' | coopr-queue "done"
}
beanstalkd_batches() { "$COOPR_ROOT/tests/bench/beanstalk.py" "$dir/beanstalk" 10000 100; }
sqlite_batches() { rm -f "$dir"/sqlite*; sqlite-queue -n 10000 -b 100 "$dir/sqlite" >/dev/null; }
postgres_many() { pgbench -n -M prepared -c 20 -j 2 -t 500 -f each.sql >/dev/null 2>&1; }
postgres_batches() { pgbench -n -M prepared -c 1 -t 100 -f batch.sql >/dev/null 2>&1; }

# Tasks a second of each way, in turns: rates TITLE TASKS OURS PEER...
rates() {
	local title=$1 tasks=$2 way round start

	shift 2
	for ((round = 0; round < rounds; round++)); do
		for way; do
			start=$(date +%s%N)
			"$way" || echo "$way: failed" >&2
			awk -v ns=$(($(date +%s%N) - start)) -v n="$tasks" 'BEGIN {print n * 1e9 / ns}' >>"rate.$way"
		done
	done
	echo "$title"
	for way; do
		awk -v way="$way" -v rate="$(median <"rate.$way")" -v ours="$(median <"rate.$1")" 'BEGIN {
			printf "    %-22s %9.0f tasks/s", way, rate
			if (way !~ /^ours/)
				printf "   ours %.2f times (to reach: more than 1%s)", ours / rate, (ours > rate ? "" : ", MISSED")
			print ""}'
	done
}

plan 1 >"$dir/one"
plan 50 >"$dir/fifty"
plan 1000 >"$dir/thousand"
plan 10000 >"$dir/ten_thousand"
commands=(ours_by_commands ours_a_job_each) one=(ours_one_client) many=(ours_many ours_batches sqlite_batches)
postgres=$(find /usr/lib/postgresql/*/bin -name initdb -printf '%h\n' 2>/dev/null | sort -V | tail -n 1)
if has beanstalkd beanstalkd; then
	start_beanstalkd
	one+=(beanstalkd_one_client) many+=(beanstalkd_batches)
fi
! has nq nq || commands+=(nq_by_commands nq_synced)
! has tsp task-spooler || commands+=(tsp_by_commands)
if [ -n "$postgres" ]; then
	PATH=$PATH:$postgres
	start_postgres
	commands+=(postgres_by_commands) one+=(postgres_one_client) many+=(postgres_many postgres_batches)
else
	echo "skipped: no PostgreSQL here: apt-get install postgresql"
fi
versions beanstalkd nq task-spooler postgresql
echo "on $(df --output=fstype "$dir" | tail -n 1), $(nproc) processors"

rates "50 tasks, a command for each step" 50 "${commands[@]}"
rates "1,000 tasks, one client, one at a time" 1000 "${one[@]}"
rates "10,000 tasks, in batches or by 20 at a time" 10000 "${many[@]}"
rm -r "$COOPR_SPOOL"

# --- the size of a large site ---

# One take and one done from the shell, in a spool of its own with a job of so many tasks: turn TASKS
turn() {
	export COOPR_SPOOL=$dir/spool.$1
	repeat -b -n 1 -o taken coopr-queue take | cut -d ' ' -f 1 >>"take.$1"
	jq -c '{kind: "result", job, task: .id, attempt, status: 0}' taken >result
	repeat -b -n 1 -i result coopr-queue "done" | cut -d ' ' -f 1 >>"done.$1"
}
for tasks in 1000 1000000; do
	plan "$tasks" | coopr-queue put --spool "$dir/spool.$tasks" >/dev/null
done
for ((i = 0; i < 41; i++)); do
	repeat -b -n 1 dd if=/dev/zero of=synced bs=200 count=1 oflag=dsync status=none | cut -d ' ' -f 1 >>floor_ms
	turn 1000
	turn 1000000
done
echo "floor: dd writes and syncs 200 bytes in $(median <floor_ms) ms"
for what in take "done"; do
	few=$(median <"$what.1000")
	lots=$(median <"$what.1000000")
	echo "one $what with 1,000 tasks $(against "$few" 5 ms), with 1,000,000 $(against "$lots" 5 ms)," \
		"$(against "$(awk -v a="$lots" -v b="$few" 'BEGIN {print a / b}')" 1.1 times) as long"
done
rm -r "$dir"/spool.*
export COOPR_SPOOL=$dir/spool

"$COOPR_ROOT/tests/plan/hadoop.py" 10000 | coopr-plan >large
read -r ms cpu kb end <<<"$(repeat -b -n 1 -i large coopr-queue put)"
echo "put a plan of $(jq -s length <(grep '"kind":"task"' large)) tasks, durably: $(against_cpu "$ms" "$cpu" 2000), $((kb / 1024)) MB; exit code $end"
read -r ms cpu kb end <<<"$(repeat -b -n 1 coopr-work --drain)"
rate=$(awk -v n="$(grep -c '"kind":"task"' large)" -v ms="$ms" 'BEGIN {print n * 1000 / ms}')
echo "drain it with the dummy automator: $(at_least "$rate" 20000 tasks/s), $cpu ms of CPU, $((kb / 1024)) MB; exit code $end"
