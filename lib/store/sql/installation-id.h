/* SPDX-License-Identifier: Apache-2.0
 *
 * How ids of installations (store/installation.h) are made and marked as those of a copy, below the store.
 */
#ifndef STORE_SQL_INSTALLATION_ID_H
#define STORE_SQL_INSTALLATION_ID_H

struct error;
struct sql;

enum { INSTALLATION_ID_SIZE = 33 }; /* 32 of 0-9 and a-f, and a NUL: safe as the value of a tag or a label in any cloud */

/* Marks a copy of a store, which a backup is. It is run in the copy. */
#define INSTALLATION_MARK_COPY "UPDATE installation SET is_copy = 1"

/* Makes a random id. */
int installation_id_make(char id[INSTALLATION_ID_SIZE], struct error *err);

/* Gives the store its first id; path is not used. For the migration. */
int installation_id_bring(struct sql *db, const char *path, struct error *err);

#endif
