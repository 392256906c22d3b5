/* SPDX-License-Identifier: Apache-2.0 */
#include "store/sql.h"

#include <stdarg.h>
#include <stddef.h>

#include "base/error.h"

static int
sql_exit_code(int result)
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
sql_error(sqlite3 *db, struct error *err)
{
	const char *path = sqlite3_db_filename(db, "main");

	return error_set(err, sql_exit_code(sqlite3_extended_errcode(db)), "%s: %s", path && *path ? path : "the store",
	    sqlite3_errmsg(db));
}

static int
sql_bind(sqlite3_stmt *rows, const char *types, va_list ap)
{
	int result = SQLITE_OK;

	for (int i = 0; types[i] && result == SQLITE_OK; i++)
		if (types[i] == 't') {
			result = sqlite3_bind_text(rows, i + 1, va_arg(ap, const char *), -1, SQLITE_TRANSIENT);
		} else if (types[i] == 'b') {
			const void *bytes = va_arg(ap, const void *);

			result = sqlite3_bind_blob64(rows, i + 1, bytes, va_arg(ap, size_t), SQLITE_TRANSIENT);
		} else if (types[i] == 'd') {
			result = sqlite3_bind_double(rows, i + 1, va_arg(ap, double));
		} else {
			result = sqlite3_bind_int64(rows, i + 1, va_arg(ap, int64_t));
		}
	return result;
}

static sqlite3_stmt *
store_sql_query(sqlite3 *db, struct error *err, const char *text, const char *types, va_list ap)
{
	sqlite3_stmt *rows;

	if (sqlite3_prepare_v2(db, text, -1, &rows, NULL) != SQLITE_OK || sql_bind(rows, types, ap) != SQLITE_OK) {
		sql_error(db, err);
		sqlite3_finalize(rows);
		return NULL;
	}
	return rows;
}

sqlite3_stmt *
sql_query(sqlite3 *db, struct error *err, const char *text, const char *types, ...)
{
	sqlite3_stmt *rows;
	va_list ap;

	va_start(ap, types);
	rows = store_sql_query(db, err, text, types, ap);
	va_end(ap);
	return rows;
}

int
sql_row(sqlite3_stmt *rows, struct error *err)
{
	if (!rows)
		return -1;
	switch (sqlite3_step(rows)) {
	case SQLITE_ROW:
		return 1;
	case SQLITE_DONE:
		return 0;
	default:
		return sql_error(sqlite3_db_handle(rows), err);
	}
}

const char *
sql_text(sqlite3_stmt *rows, int column)
{
	return (const char *)sqlite3_column_text(rows, column);
}

const void *
sql_bytes(sqlite3_stmt *rows, int column, size_t *length)
{
	const void *bytes = sqlite3_column_blob(rows, column);

	*length = (size_t)sqlite3_column_bytes(rows, column);
	return bytes;
}

int64_t
sql_integer(sqlite3_stmt *rows, int column)
{
	return sqlite3_column_int64(rows, column);
}

double
sql_real(sqlite3_stmt *rows, int column)
{
	return sqlite3_column_double(rows, column);
}

int
sql_run(sqlite3 *db, struct error *err, const char *text)
{
	return sqlite3_exec(db, text, NULL, NULL, NULL) == SQLITE_OK ? 0 : sql_error(db, err);
}

int
sql_change(sqlite3 *db, struct error *err, const char *text, const char *types, ...)
{
	sqlite3_stmt *rows;
	va_list ap;
	int got;

	va_start(ap, types);
	rows = store_sql_query(db, err, text, types, ap);
	va_end(ap);
	got = sql_row(rows, err);
	sqlite3_finalize(rows);
	return got < 0 ? -1 : 0;
}

int
sql_number(sqlite3 *db, int64_t *number, struct error *err, const char *text, const char *types, ...)
{
	sqlite3_stmt *rows;
	va_list ap;
	int got;

	va_start(ap, types);
	rows = store_sql_query(db, err, text, types, ap);
	va_end(ap);
	got = sql_row(rows, err);
	if (got > 0)
		*number = sql_integer(rows, 0);
	sqlite3_finalize(rows);
	return got;
}
