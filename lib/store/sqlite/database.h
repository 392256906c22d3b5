/* SPDX-License-Identifier: Apache-2.0
 *
 * A SQLite database as the files of this folder know it, and its errors as ours.
 */
#ifndef STORE_SQLITE_DATABASE_H
#define STORE_SQLITE_DATABASE_H

#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "store/sql/engine.h"
#include "store/sqlite/log-sync.h"

enum { STATEMENTS_KEPT = 16 }; /* a request of the server needs about ten */

struct sqlite { /* what struct sql of this engine is */
	struct sql sql;
	sqlite3 *db;
	char *path;
	int lock;    /* descriptor of PATH.lock, -1 for who only reads */
	int version; /* of its tables */
	struct log_sync log;
	sqlite3_stmt *kept[STATEMENTS_KEPT]; /* that have ended, the newest first; NULL behind the last */
};

/* Fills err with what the database says, and with the exit code that it comes to: EX_TEMPFAIL where it is busy, EX_IOERR,
 * EX_NOPERM, EX_DATAERR where it is damaged or no database. Always returns -1. */
int sqlite_error(sqlite3 *db, struct error *err);

/* Runs statements that have no values and give no rows. */
int sqlite_run(sqlite3 *db, const char *text, struct error *err);

/* The functions of the engine table that concern statements. */
struct sql_rows *statement_query(struct sql *db, const char *text, const char *types, va_list values, struct error *err);
int statement_step(struct sql_rows *rows, struct error *err);
const char *statement_text(struct sql_rows *rows, int column);
const void *statement_bytes(struct sql_rows *rows, int column, size_t *length);
int64_t statement_integer(struct sql_rows *rows, int column);
double statement_real(struct sql_rows *rows, int column);
void statement_end(struct sql_rows *rows);

/* Forgets the statements that have ended: most are asked again soon, and are kept, since SQLite takes longer to understand such a text
 * than to find its rows. */
void statements_release(struct sqlite *db);

/* Reads the version of the tables: EX_DATAERR where they are of a program other than ours. */
int schema_version(sqlite3 *db, int *version, struct error *err);

/* Makes the tables of a version from those of the version before, inside a transaction. */
int schema_upgrade(sqlite3 *db, int version, struct error *err);

/* Returns what a database of that version consists of, as JSON: an array of [type, name, statement]. NULL with a reason; the caller
 * frees it. */
char *schema_expected(int version, struct error *err);

#endif
