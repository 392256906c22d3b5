/* SPDX-License-Identifier: Apache-2.0
 *
 * sqlite-queue [-n COUNT] [-b BATCH] FILE
 *
 * The least that could be put in the place of the spool: a table of tasks in SQLite (WAL, synchronous=FULL), from which BATCH
 * tasks (default 100) are taken in one transaction and finished in the next, until COUNT (default 20,000) are done. No plan, no
 * dependencies, no events, no readers: the price of the promise that what is acknowledged is on disk.
 */
#include <stdio.h>
#include <stdlib.h>

#include <sqlite3.h>

#include "base/clock.h"
#include "base/option.h"

static long count = 20000, batch = 100;

static const struct option_spec options[] = {
	OPTION_NUMBER('n', "count", &count, "COUNT", "so many tasks"),
	OPTION_NUMBER('b', "batch", &batch, "BATCH", "so many at a time"),
	OPTION_END
};

static const struct command command = {"sqlite-queue", "[OPTION]... FILE", "Drain a table.", options, ""};

static void
run(sqlite3 *db, const char *sql)
{
	char *why;

	if (sqlite3_exec(db, sql, NULL, NULL, &why) != SQLITE_OK) {
		fprintf(stderr, "sqlite-queue: %s: %s\n", sql, why);
		exit(1);
	}
}

static sqlite3_stmt *
prepare(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *statement;

	if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK) {
		fprintf(stderr, "sqlite-queue: %s: %s\n", sql, sqlite3_errmsg(db));
		exit(1);
	}
	return statement;
}

static long
turn(sqlite3 *db, sqlite3_stmt *take, sqlite3_stmt *done, sqlite3_int64 *ids)
{
	long taken = 0;

	run(db, "begin immediate");
	sqlite3_bind_int64(take, 1, batch);
	while (sqlite3_step(take) == SQLITE_ROW)
		ids[taken++] = sqlite3_column_int64(take, 0);
	sqlite3_reset(take);
	run(db, "commit; begin immediate");
	for (long i = 0; i < taken; i++) {
		sqlite3_bind_int64(done, 1, ids[i]);
		sqlite3_step(done);
		sqlite3_reset(done);
	}
	run(db, "commit");
	return taken;
}

int
main(int argc, char **argv)
{
	sqlite3_int64 *ids;
	sqlite3_stmt *take, *done;
	long finished = 0, taken;
	int64_t began;
	char fill[200];
	sqlite3 *db;

	argv += option_parse(&command, argc, argv);
	if (!argv[0] || count == 0 || batch == 0 || sqlite3_open(argv[0], &db) != SQLITE_OK)
		return option_misuse(&command, "which file, and how many tasks?");
	run(db, "pragma journal_mode=wal; pragma synchronous=full; create table task (id integer primary key, state integer not null"
	    " default 0, attempt integer not null default 0, record text); create index ready on task (id) where state = 0; begin");
	snprintf(fill, sizeof fill, "with recursive n(i) as (select 1 union all select i + 1 from n where i < %ld) insert into task (record)"
	    " select hex(zeroblob(100)) from n; commit", count);
	run(db, fill);
	take = prepare(db, "update task set state = 1, attempt = attempt + 1 where id in"
	    " (select id from task where state = 0 order by id limit ?) returning id, attempt, record");
	done = prepare(db, "update task set state = 2 where id = ? and state = 1");
	ids = calloc((size_t)batch, sizeof *ids);
	began = clock_monotonic_ms();
	while (ids && (taken = turn(db, take, done, ids)) > 0)
		finished += taken;
	printf("sqlite, %4ld at a time   %8.3f s, %ld tasks, %.0f tasks/s\n", batch, (double)(clock_monotonic_ms() - began) / 1e3,
	    finished, (double)finished * 1e3 / (double)(clock_monotonic_ms() - began + 1));
	sqlite3_finalize(take);
	sqlite3_finalize(done);
	sqlite3_close(db);
	free(ids);
	return finished == count ? 0 : 1;
}
