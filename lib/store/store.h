/* SPDX-License-Identifier: Apache-2.0
 *
 * The store: the truth about tenants, catalogues, clusters, operations and their documents, claims on machines, messages to
 * hooks, and what was observed last. It is opaque: which database it is, only the engines below it know (sql/engine.h); the
 * functions of store/, account/, login/ and cluster/ are the ways to what it holds. A change is durable before the call that makes
 * it returns; between store_begin and store_commit all changes are one.
 *
 * An older store is brought up to date by whoever opens it first, after a copy of it was made (migration.h).
 */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "model/take/origin.h"

struct error;
struct sql;
struct store;

enum store_mode {
	STORE_READ,
	STORE_WRITE,
	STORE_CREATE,  /* STORE_WRITE, and makes a new one where there is none */
	STORE_MIGRATE, /* STORE_WRITE, and brings up to date one of any size */
};

/* Opens the store at path (NULL: the one of this command, which account_open has opened by --store, or else the usual one) for a
 * tenant (by its name; NULL: for none yet). *store is NULL where that fails: EX_NOINPUT where there is no store, EX_NO where there is no such tenant, EX_DATAERR where it is no store of ours, or one of a later
 * version, EX_CONFIG where it is older and so large that coopr-store migrate has to bring it up to date. The files of a
 * new store have the mode 0600 from the first moment. */
int store_open(struct store **store, const char *path, enum store_mode mode, const char *tenant, struct error *err);

/* Refuses the store at path with EX_DATAERR if it is of a later version, or none of ours; nothing of it is changed. */
int store_check_version(const char *path, struct error *err);

/* Closes the store; NULL is allowed. */
void store_release(struct store *store);

/* Returns the path it was opened with, borrowed. */
const char *store_path(const struct store *store);

/* Sets *owner to the user whom the store belongs to, who may do all with it. */
int store_owner(const struct store *store, uid_t *owner, struct error *err);

/* Returns true where this store_open has made it. */
bool store_is_new(const struct store *store);

/* Returns the number of the tenant whose rows are asked for and changed, 0: none yet; sets it. */
int64_t store_tenant(const struct store *store);
void store_set_tenant(struct store *store, int64_t tenant);

/* Sets *tenant to the number of the tenant of that name: 1, 0 where there is none, -1. */
int store_find_tenant(const struct store *store, const char *name, int64_t *tenant, struct error *err);

/* Says who makes changes (copied) and why (borrowed, or NULL where nothing is said); returns either. */
void store_set_by(struct store *store, const char *by);
void store_set_why(struct store *store, const char *why);
const char *store_by(const struct store *store);
const char *store_why(const struct store *store);

/* Says what the origin of entities is that are put, ORIGIN_TENANT at first; returns it. */
void store_set_origin(struct store *store, enum origin origin);
enum origin store_origin(const struct store *store);

/* Begins a transaction when it is our turn; commits it, and returns when all of it is on disk. store_rollback may follow a
 * commit that failed; where the disk refused it, the change may be there nevertheless. */
int store_begin(struct store *store, struct error *err);
int store_commit(struct store *store, struct error *err);
void store_rollback(struct store *store);

/* Ends a transaction: commits it where result is not negative, else, or where that fails, rolls it back. Returns result,
 * or -1. */
int store_finish(struct store *store, int result, struct error *err);

/* Sets *number to one that is another whenever somebody else has changed the store. */
int store_changes(const struct store *store, int64_t *number, struct error *err);

/* Wipes from the engine's files what was deleted; not where somebody goes on reading it for a second. */
void store_wipe(struct store *store);

/* Copies the store, as it is at one moment, to a new file (0600), which is marked as a copy (installation.h); nobody has to wait for it. EX_CANTCREAT where there
 * is something at path. */
int store_backup(struct store *store, const char *path, struct error *err);

/* Returns its database, for the folders of the store. */
struct sql *store_sql(const struct store *store);

#endif
