/* SPDX-License-Identifier: Apache-2.0
 *
 * Brings a store of an older version up to date: in one transaction, after a copy of it was made beside it, so that it
 * may be killed anywhere, and be run any number of times. migration.c lists the versions.
 */
#ifndef STORE_MIGRATION_H
#define STORE_MIGRATION_H

#include <stdbool.h>

struct error;
struct sql;

/* Returns 1 where the database at path is older than this program, 0 where it is up to date, -1 with EX_DATAERR where it
 * is newer. */
int migration_needed(struct sql *db, const char *path, struct error *err);

/* Brings the database up to date; it may be so already. *made: it was empty. An old one with many operations is left alone with
 * EX_CONFIG, unless any_size is true. */
int migration_run(struct sql *db, const char *path, bool any_size, bool *made, struct error *err);

#endif
