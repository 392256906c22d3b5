/* SPDX-License-Identifier: Apache-2.0
 *
 * The store: one sqlite database in which tenants keep their entities, with all versions of them. A change is durable
 * before the call that makes it returns; between store_begin and store_commit all changes are one. Writers take turns
 * at a lock of our own (PATH.lock), in which the kernel lets them wait, so that nobody is ever told that the database
 * is locked; readers wait for nobody.
 */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

struct error;

enum store_mode {
	STORE_READ,
	STORE_WRITE,
	STORE_CREATE, /* STORE_WRITE, and a new one where there is none */
};

struct store {
	sqlite3 *db;
	char *path;
	int lock;          /* descriptor of PATH.lock, -1 for who only reads */
	int64_t tenant;    /* all that is asked and changed is this one's; 0: no tenant yet */
	char *by;          /* who makes changes; its own */
	const char *why;   /* and why; NULL where nothing is said */
	bool made;         /* by this store_open: there was none before */
};

/* Opens the store at path for a tenant (by its name; NULL: for none yet). EX_NOINPUT where there is no store, EX_NO where there is no such
 * tenant, EX_DATAERR where it is no store of ours, or one of a later version. Files of a new store are 0600 from the
 * first moment. Release it in any case. */
int store_open(struct store *store, const char *path, enum store_mode mode, const char *tenant, struct error *err);
void store_release(struct store *store);

/* A transaction: begin waits for its turn; commit returns when all of it is on disk. Rollback may follow a commit that
 * failed. */
int store_begin(struct store *store, struct error *err);
int store_commit(struct store *store, struct error *err);
void store_rollback(struct store *store);

/* Drops from the log what is in the database, so that nothing is left of what was deleted; not where somebody goes on
 * reading it for a second. */
void store_forget(struct store *store);

/* Copies the store, as it is at one moment, to a new file (0600); nobody has to wait for it. EX_CANTCREAT where there
 * is something at path. */
int store_backup(struct store *store, const char *path, struct error *err);

#endif
