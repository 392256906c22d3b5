/* SPDX-License-Identifier: Apache-2.0
 *
 * Statements, and what SQLite says of them in our words.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "store/sqlite/database.h"

struct statement {
	struct sql_rows rows;
	struct sqlite *db;
	sqlite3_stmt *sqlite;
};

static int
statement_exit_code(int result)
{
	switch (result & 0xff) {
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return EX_TEMPFAIL;
	case SQLITE_FULL:
	case SQLITE_IOERR:
		return EX_IOERR;
	case SQLITE_CANTOPEN:
		return EX_NOINPUT;
	case SQLITE_READONLY:
	case SQLITE_PERM:
	case SQLITE_AUTH:
		return EX_NOPERM;
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
		return EX_DATAERR;
	case SQLITE_NOMEM:
		return EX_OSERR;
	default:
		return EX_SOFTWARE;
	}
}

int
sqlite_error(sqlite3 *db, struct error *err)
{
	const char *path = sqlite3_db_filename(db, "main");

	if (!path || !*path)
		path = "the store";
	if (sqlite3_errcode(db) == SQLITE_FULL) {
		errno = ENOSPC;
		return error_errno(err, EX_IOERR, "%s", path);
	}
	return error_set(err, statement_exit_code(sqlite3_extended_errcode(db)), "%s: %s", path, sqlite3_errmsg(db));
}

int
sqlite_run(sqlite3 *db, const char *text, struct error *err)
{
	return sqlite3_exec(db, text, NULL, NULL, NULL) == SQLITE_OK ? 0 : sqlite_error(db, err);
}

static int
statement_bind(sqlite3_stmt *rows, const char *types, va_list values)
{
	int result = SQLITE_OK;

	for (int i = 0; types[i] && result == SQLITE_OK; i++)
		if (types[i] == 't') {
			result = sqlite3_bind_text(rows, i + 1, va_arg(values, const char *), -1, SQLITE_TRANSIENT);
		} else if (types[i] == 'b') {
			const void *bytes = va_arg(values, const void *);

			result = sqlite3_bind_blob64(rows, i + 1, bytes, va_arg(values, size_t), SQLITE_TRANSIENT);
		} else if (types[i] == 'd') {
			result = sqlite3_bind_double(rows, i + 1, va_arg(values, double));
		} else {
			result = sqlite3_bind_int64(rows, i + 1, va_arg(values, int64_t));
		}
	return result;
}

/* Returns the statement of a text: one that is kept, or a new one; NULL where SQLite does not understand it. */
static sqlite3_stmt *
statement_prepare(struct sqlite *db, const char *text)
{
	sqlite3_stmt *rows = NULL;

	for (size_t i = 0; i < STATEMENTS_KEPT && db->kept[i]; i++)
		if (strcmp(sqlite3_sql(db->kept[i]), text) == 0) {
			rows = db->kept[i];
			memmove(&db->kept[i], &db->kept[i + 1], (STATEMENTS_KEPT - 1 - i) * sizeof db->kept[0]);
			db->kept[STATEMENTS_KEPT - 1] = NULL;
			return rows;
		}
	sqlite3_prepare_v2(db->db, text, -1, &rows, NULL);
	return rows;
}

struct sql_rows *
statement_query(struct sql *sql, const char *text, const char *types, va_list values, struct error *err)
{
	struct sqlite *db = (struct sqlite *)sql;
	sqlite3_stmt *rows = statement_prepare(db, text);
	struct statement *statement;

	if (!rows || statement_bind(rows, types, values) != SQLITE_OK) {
		sqlite_error(db->db, err);
		sqlite3_finalize(rows);
		return NULL;
	}
	statement = memory_zeroed(1, sizeof *statement);
	*statement = (struct statement){{sql->engine}, db, rows};
	return &statement->rows;
}

static sqlite3_stmt *
statement_of(struct sql_rows *rows)
{
	return ((struct statement *)rows)->sqlite;
}

int
statement_step(struct sql_rows *rows, struct error *err)
{
	switch (sqlite3_step(statement_of(rows))) {
	case SQLITE_ROW:
		return 1;
	case SQLITE_DONE:
		return 0;
	default:
		return sqlite_error(sqlite3_db_handle(statement_of(rows)), err);
	}
}

const char *
statement_text(struct sql_rows *rows, int column)
{
	return (const char *)sqlite3_column_text(statement_of(rows), column);
}

const void *
statement_bytes(struct sql_rows *rows, int column, size_t *length)
{
	const void *bytes = sqlite3_column_blob(statement_of(rows), column);

	*length = (size_t)sqlite3_column_bytes(statement_of(rows), column);
	return bytes;
}

int64_t
statement_integer(struct sql_rows *rows, int column)
{
	return sqlite3_column_int64(statement_of(rows), column);
}

double
statement_real(struct sql_rows *rows, int column)
{
	return sqlite3_column_double(statement_of(rows), column);
}

void
statement_end(struct sql_rows *rows)
{
	struct statement *statement = (struct statement *)rows;
	struct sqlite *db = statement->db;

	sqlite3_reset(statement->sqlite);
	sqlite3_clear_bindings(statement->sqlite);
	sqlite3_finalize(db->kept[STATEMENTS_KEPT - 1]);
	memmove(&db->kept[1], &db->kept[0], (STATEMENTS_KEPT - 1) * sizeof db->kept[0]);
	db->kept[0] = statement->sqlite;
	free(statement);
}

void
statements_release(struct sqlite *db)
{
	for (size_t i = 0; i < STATEMENTS_KEPT; i++)
		sqlite3_finalize(db->kept[i]);
	memset(db->kept, 0, sizeof db->kept);
}
