/* SPDX-License-Identifier: Apache-2.0
 *
 * SQL statements, whatever engine runs them, with our errors. Only the folders of the store (store/, account/, login/, cluster/)
 * include this. A statement is made with its values in one call and is ended by the caller; what it gives is borrowed
 * until the next row.
 *
 *	struct sql_rows *rows = sql_query(store_sql(store), err, "SELECT name FROM tenant WHERE id > ?", "i", (int64_t)7);
 *	while ((got = sql_row(rows, err)) > 0)
 *		puts(sql_text(rows, 0));
 *	sql_end(rows);
 *
 * The statements are standard SQL with what SQLite and PostgreSQL have in common (ON CONFLICT, RETURNING, partial
 * indexes), except for these, which an engine has to provide under the same names or to translate: ? and ?N for values,
 * json_each, json_extract, json_object and json_group_object, group_concat, instr, and max and min of several values.
 */
#ifndef STORE_SQL_SQL_H
#define STORE_SQL_SQL_H

#include <stddef.h>
#include <stdint.h>

struct arena;
struct error;
struct sql;
struct sql_rows;

/* Begins a statement with values for its question marks: types has a letter for each, 't' for a text (NULL: null), 'i'
 * for an int64_t, 'd' for a double, 'b' for bytes (const void * and size_t). NULL with the reason in err. */
struct sql_rows *sql_query(struct sql *db, struct error *err, const char *text, const char *types, ...);

/* Steps to the next row of rows (NULL: the statement failed, err says why): 1, 0 at the end, -1 with EX_TEMPFAIL where the
 * database is busy, EX_IOERR, EX_NOPERM, EX_DATAERR where it is damaged or no database. */
int sql_row(struct sql_rows *rows, struct error *err);

/* Returns a column of the row: the text (NULL where it is null), the bytes, the number. */
const char *sql_text(struct sql_rows *rows, int column);
const void *sql_bytes(struct sql_rows *rows, int column, size_t *length);
int64_t sql_integer(struct sql_rows *rows, int column);
double sql_real(struct sql_rows *rows, int column);

/* Copies a text column, which the caller frees; NULL where it is null. */
char *sql_copy(struct sql_rows *rows, int column);

/* Copies a text column to an arena; NULL where it is null. */
const char *sql_keep(struct sql_rows *rows, int column, struct arena *arena);

/* Ends the statement; NULL is allowed. */
void sql_end(struct sql_rows *rows);

/* Runs a statement that gives no rows, with values as in sql_query. */
int sql_change(struct sql *db, struct error *err, const char *text, const char *types, ...);

/* Does the same as a transaction of its own: the change is durable when it returns. */
int sql_change_alone(struct sql *db, struct error *err, const char *text, const char *types, ...);

/* Sets *number to the first column of the first row: 1, 0 where there is none, -1. */
int sql_number(struct sql *db, int64_t *number, struct error *err, const char *text, const char *types, ...);

#endif
