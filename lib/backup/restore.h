/* SPDX-License-Identifier: Apache-2.0
 *
 * Restores a backup into an installation that is empty: without a store, without jobs, without workers.
 *
 * All files are first written beside their places: STATE/.restore, SPOOL/.restore, STORE.restore. When all of them are on disk,
 * STATE/.restore/ready says of which backup they are, and they are renamed: queue, state folder, key, and last the store. Whoever is killed
 * before "ready" has restored nothing; after it, the same command does what is left. Until the store has its name, no command finds
 * a cluster.
 */
#ifndef BACKUP_RESTORE_H
#define BACKUP_RESTORE_H

#include <stdbool.h>

#include "backup/manifest.h"
#include "backup/places.h"
#include "backup/unpack.h"
#include "store/key.h"

#define RESTORE_STORE "store.sqlite3" /* its path in a backup */

struct buffer;
struct error;

struct restore { /* zero-initialise; release it */
	const char *file;
	struct places places;
	struct manifest manifest;
	struct store_key key; /* bytes NULL: none is restored */
	bool has_key;         /* the right one is in its place already */
	bool begun;           /* an earlier restore of this backup was interrupted when all was ready */
	int fd;               /* of the file */
	char *staging, *ready, *store; /* STATE/.restore, "ready" in it, STORE.restore */
};

/* Reads and checks all of the backup, and whether it can be restored here, without changing anything; key_file may be NULL. EX_DATAERR
 * where the file is damaged; EX_CANTCREAT where the installation is not empty; EX_TEMPFAIL where a worker is alive. */
int restore_open(struct restore *restore, const char *file, const char *key_file, struct error *err);

/* Restores it: all or nothing. */
int restore_run(struct restore *restore, struct error *err);

/* Returns the reader of the archive. */
struct unpack restore_unpack(const struct restore *restore);

/* Appends the line that tells this backup from others, as it stands in STATE/.restore/ready. */
void restore_describe(const struct restore *restore, struct buffer *out);

void restore_release(struct restore *restore);

#endif
