/* SPDX-License-Identifier: Apache-2.0
 *
 * lib/store/sql/engine.h: what the store relies on, of every engine in a table. A second engine is a row here.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store-engines.h"
#include "store/engines.h"
#include "store/sql/engine.h"
#include "store/sql/sql.h"

enum { WRITERS = 4, EACH = 25 };

static struct sql *
open_or_bail(const struct sql_engine *engine, const char *path, enum sql_open how)
{
	struct sql *db = engine->open(path, how, &err);

	if (!db)
		suite_bail();
	return db;
}

static int64_t
count(struct sql *db)
{
	int64_t number = -1;

	sql_number(db, &number, &err, "SELECT count(*) FROM last_time", "");
	return number;
}

static void
test_opening(const struct sql_engine *engine)
{
	struct sql *db = engine->open("none", SQL_OPEN_WRITE, &err);
	struct stat status;
	int version;

	tap_ok(!db && err.code == EX_NOINPUT, "%s: a database that is not there is not opened", engine->name);
	db = open_or_bail(engine, suite->store, SQL_OPEN_CREATE);
	tap_ok(stat(suite->store, &status) < 0 || (status.st_mode & 077) == 0, "%s: a new one is its owner's alone", engine->name);
	version = engine->version(db, &err);
	tap_is_number(version, 0, "%s: a new one has version 0", engine->name);
	tap_ok(engine->begin(db, &err) == 0 && engine->upgrade(db, 1, &err) == 0, "%s: its tables are made", engine->name);
	engine->rollback(db);
	tap_is_number(engine->version(db, &err), 0, "%s: tables that are rolled back are not there", engine->name);
	if (engine->begin(db, &err) < 0)
		tap_ok(false, "%s: a transaction begins", engine->name);
	for (version = 0; version < 6 && engine->upgrade(db, version + 1, &err) == 0; version++)
		;
	tap_ok(version == 6 && engine->commit(db, &err) == 0, "%s: all versions are made, one after the other", engine->name);
	tap_is_number(engine->version(db, &err), 6, "%s: and it says so", engine->name);
	engine->close(db);
}

static void
test_statements(const struct sql_engine *engine)
{
	struct sql *db = open_or_bail(engine, suite->store, SQL_OPEN_WRITE);
	static const char bytes[] = {'a', '\0', 'b'};
	int64_t number = 0, large = INT64_C(1) << 60;
	struct sql_rows *rows;
	size_t length;

	if (engine->begin(db, &err) < 0)
		tap_ok(false, "%s: a transaction begins", engine->name);
	rows = sql_query(db, &err, "SELECT ?, ?, ?, ?, ?", "tidbt", "\xc3\xa9'", large, 0.25, (const void *)bytes, sizeof bytes, NULL);
	tap_is_number(sql_row(rows, &err), 1, "%s: a statement gives a row", engine->name);
	tap_is_text(sql_text(rows, 0), "\xc3\xa9'", "%s: a text comes back", engine->name);
	tap_ok(sql_integer(rows, 1) == large, "%s: a number of 61 bits comes back", engine->name);
	tap_ok(sql_real(rows, 2) == 0.25, "%s: a fraction comes back", engine->name);
	tap_ok(memcmp(sql_bytes(rows, 3, &length), bytes, sizeof bytes) == 0 && length == sizeof bytes,
	    "%s: bytes come back, a NUL among them", engine->name);
	tap_ok(!sql_text(rows, 4), "%s: null is no text", engine->name);
	tap_is_number(sql_row(rows, &err), 0, "%s: and then it is over", engine->name);
	sql_end(rows);
	tap_is_number(sql_number(db, &number, &err, "SELECT 1 FROM tenant WHERE name = 'nobody'", ""), 0,
	    "%s: no row is no error", engine->name);
	tap_ok(!sql_query(db, &err, "SELECT nothing FROM nowhere", "") && err.code == EX_SOFTWARE,
	    "%s: a statement that is wrong is refused", engine->name);
	tap_ok(sql_number(db, &number, &err, "INSERT INTO last_time VALUES (?, ?) ON CONFLICT DO NOTHING RETURNING at_ms", "ti", "x",
	    (int64_t)7) == 1 && number == 7, "%s: what is added is returned", engine->name);
	tap_is_number(sql_number(db, &number, &err, "INSERT INTO last_time VALUES (?, ?) ON CONFLICT DO NOTHING RETURNING at_ms", "ti",
	    "x", (int64_t)8), 0, "%s: what is there already is not added", engine->name);
	tap_ok(sql_change(db, &err, "INSERT INTO operation_file VALUES (1, 1, 'x', x'00')", "") < 0,
	    "%s: a reference to what is not there is refused", engine->name);
	engine->rollback(db);
	tap_is_number(count(db), 0, "%s: what is rolled back is not there", engine->name);
	engine->close(db);
}

/* Each writer adds rows of its own, a transaction each; one more is killed with one open. */
static void
test_writers(const struct sql_engine *engine)
{
	int status, failed = 0;
	struct sql *db;

	fflush(stdout);
	for (int writer = 0; writer <= WRITERS; writer++)
		if (fork() == 0) {
			db = open_or_bail(engine, suite->store, SQL_OPEN_WRITE);
			for (int i = 0; i < EACH; i++) {
				char row[32];

				snprintf(row, sizeof row, "%d-%d", writer, i);
				if (engine->begin(db, &err) < 0 || sql_change(db, &err, "INSERT INTO last_time VALUES (?, 1)", "t", row) < 0)
					_exit(1);
				if (writer == WRITERS)
					abort();
				if (engine->commit(db, &err) < 0)
					_exit(1);
			}
			_exit(0);
		}
	while (wait(&status) > 0)
		failed += WIFEXITED(status) && WEXITSTATUS(status) != 0;
	db = open_or_bail(engine, suite->store, SQL_OPEN_READ);
	tap_is_number(failed, 0, "%s: writers wait for their turns, also where one dies in its own", engine->name);
	tap_is_number(count(db), WRITERS * EACH, "%s: all that was committed is there, and nothing else", engine->name);
	engine->close(db);
}

static void
test_whole(const struct sql_engine *engine)
{
	struct sql *db = open_or_bail(engine, suite->store, SQL_OPEN_WRITE), *copy;
	struct sql_rows *rows;

	tap_is_number(engine->backup(db, "copy", NULL, &err), 0, "%s: a database is copied", engine->name);
	tap_ok(engine->backup(db, "copy", NULL, &err) < 0 && err.code == EX_CANTCREAT, "%s: but over nothing", engine->name);
	copy = open_or_bail(engine, "copy", SQL_OPEN_WRITE);
	tap_is_number(count(copy), WRITERS * EACH, "%s: the copy has all", engine->name);
	rows = engine->check(copy, &err);
	tap_is_number(sql_row(rows, &err), 0, "%s: nothing is wrong with it", engine->name);
	sql_end(rows);
	engine->close(copy);
	engine->wipe(db);
	tap_is_number(count(db), WRITERS * EACH, "%s: what was not deleted is not wiped", engine->name);
	engine->close(db);
}

static void
test_all(void)
{
	const struct sql_engine *engine = store_engine_of(suite->store, &err);

	test_opening(engine);
	test_statements(engine);
	test_writers(engine);
	test_whole(engine);
}

int
main(void)
{
	return suite_run(test_all);
}
