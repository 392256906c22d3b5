/* SPDX-License-Identifier: Apache-2.0
 *
 * SQL statements over sqlite3, with our errors. A statement is made with its values in one call and is finalised by
 * the caller; what it gives is borrowed until the next row.
 *
 *	sqlite3_stmt *rows = sql_query(db, err, "SELECT name FROM tenant WHERE id > ?", "i", (int64_t)7);
 *	while ((got = sql_row(rows, err)) > 0)
 *		puts(sql_text(rows, 0));
 *	sqlite3_finalize(rows);
 */
#ifndef STORE_SQL_H
#define STORE_SQL_H

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

struct error;

/* Fills err with what the database says, and with the exit code that it comes to: EX_TEMPFAIL where it is busy,
 * EX_IOERR, EX_NOPERM, EX_DATAERR where it is damaged or no database. Always returns -1. */
int sql_error(sqlite3 *db, struct error *err);

/* A statement with values for its question marks: types has a letter for each, 't' for a text (NULL: null), 'i' for an
 * int64_t, 'd' for a double, 'b' for bytes (const void * and size_t). NULL with the reason in err. */
sqlite3_stmt *sql_query(sqlite3 *db, struct error *err, const char *text, const char *types, ...);

/* Steps to the next row of rows (NULL: it could not be made, err says why): 1, 0 at the end, -1. */
int sql_row(sqlite3_stmt *rows, struct error *err);

/* A column of the row: the text (NULL where it is null), the bytes, the number. */
const char *sql_text(sqlite3_stmt *rows, int column);
const void *sql_bytes(sqlite3_stmt *rows, int column, size_t *length);
int64_t sql_integer(sqlite3_stmt *rows, int column);
double sql_real(sqlite3_stmt *rows, int column);

/* Runs statements that have no values and give no rows. */
int sql_run(sqlite3 *db, struct error *err, const char *text);

/* Runs a statement that gives no rows, with values as in sql_query. */
int sql_change(sqlite3 *db, struct error *err, const char *text, const char *types, ...);

/* The number in the first column of the only row: 1, 0 where there is none, -1. */
int sql_number(sqlite3 *db, int64_t *number, struct error *err, const char *text, const char *types, ...);

#endif
