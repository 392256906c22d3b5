/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes a backup of an installation while its workers and commands go on:
 *
 *	coopr-backup/store.sqlite3     the store, as it was at one moment
 *	coopr-backup/state/...         other files of the state folder, places.h
 *	coopr-backup/spool/...         the queue, copied after the store: what it knows of a job is newer, and the next command on
 *	                               the cluster brings the store up to date
 *	coopr-backup/manifest.ndjson   manifest.h
 *
 * The queue is copied with the jobs that were there before the store was copied, and those of operations that the store has under
 * way: a job that the store does not know would make machines that nobody knows. The key of the secrets is never in it.
 */
#ifndef BACKUP_BACKUP_H
#define BACKUP_BACKUP_H

#include <stdbool.h>

#include "backup/manifest.h"

struct error;
struct store;

struct backup_options {
	const char *file;
	const char *key_file; /* where the key goes; NULL: nowhere */
	bool replace;         /* the file may exist */
	void (*tell)(const char *text); /* what was left out */
};

/* Makes it; the manifest says what is in it. The file is there as a whole or not at all. EX_CANTCREAT where it exists, or cannot be
 * there. */
int backup_make(struct store *store, const struct backup_options *options, struct manifest *manifest, struct error *err);

#endif
