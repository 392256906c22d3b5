/* SPDX-License-Identifier: Apache-2.0
 *
 * The tables of the store, and how those of an older version become these.
 */
#ifndef STORE_SCHEMA_H
#define STORE_SCHEMA_H

#include <sqlite3.h>
#include <stdbool.h>

struct error;

/* Says whether the database has the newest tables. -1 (EX_DATAERR): it has those of a later version, or of something
 * else. */
int schema_look(sqlite3 *db, bool *newest, struct error *err);

/* Gives the database the newest tables, inside the caller's transaction. *made: it had none. */
int schema_migrate(sqlite3 *db, bool *made, struct error *err);

#endif
