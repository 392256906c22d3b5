/* SPDX-License-Identifier: Apache-2.0
 *
 * The table that a database engine fills, so that the store can stand on it. A second engine is a folder beside
 * store/sqlite/ with such a table, and a row in store/engines.c. Its databases and rows begin with the struct of that
 * name here, and are its own behind that.
 *
 * A transaction is durable when commit returns 0. When it returns -1 because the disk refused, the transaction may be there or
 * not; but no commit returns 0 after it before the disk has that one, too.
 */
#ifndef STORE_SQL_ENGINE_H
#define STORE_SQL_ENGINE_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct error;

enum sql_open {
	SQL_OPEN_READ,
	SQL_OPEN_WRITE,
	SQL_OPEN_CREATE, /* SQL_OPEN_WRITE, and makes an empty database where there is none */
};

struct sql {
	const struct sql_engine *engine;
};

struct sql_rows {
	const struct sql_engine *engine;
};

struct sql_engine {
	const char *name;

	/* Opens a database; NULL with EX_NOINPUT where there is none, EX_DATAERR where it is of something else. */
	struct sql *(*open)(const char *path, enum sql_open how, struct error *err);
	void (*close)(struct sql *db);
	/* Sets *owner to the user whom the database belongs to. */
	int (*owner)(struct sql *db, uid_t *owner, struct error *err);

	/* Returns the version of its tables, 0 for an empty database, or -1. */
	int (*version)(struct sql *db, struct error *err);
	/* Makes the tables of version from those of the version before, inside a transaction. */
	int (*upgrade)(struct sql *db, int version, struct error *err);

	/* Waits for its turn, then begins. A rollback may follow a commit that failed. */
	int (*begin)(struct sql *db, struct error *err);
	int (*commit)(struct sql *db, struct error *err);
	void (*rollback)(struct sql *db);

	/* Copies the database, as it is at one moment, to a new file; a statement (NULL: none) is run in the copy. */
	int (*backup)(struct sql *db, const char *path, const char *statement, struct error *err);
	/* Sets *number to one that is another whenever another connection has changed the database. */
	int (*changes)(struct sql *db, int64_t *number, struct error *err);
	/* Wipes what was deleted from wherever the engine still has it, as far as readers let it. */
	void (*wipe)(struct sql *db);
	/* Gives a row, a sentence, for every fault of the files and of references between rows. */
	struct sql_rows *(*check)(struct sql *db, struct error *err);

	/* See sql.h. */
	struct sql_rows *(*query)(struct sql *db, const char *text, const char *types, va_list values, struct error *err);
	int (*step)(struct sql_rows *rows, struct error *err);
	const char *(*text)(struct sql_rows *rows, int column);
	const void *(*bytes)(struct sql_rows *rows, int column, size_t *length);
	int64_t (*integer)(struct sql_rows *rows, int column);
	double (*real)(struct sql_rows *rows, int column);
	void (*end)(struct sql_rows *rows);
};

#endif
