/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the parts of an installation are, and what of the state folder belongs into a backup: all but what has a part of its own
 * (the store, its key, the queue), what is made anew (caches, what is being written), archives of services, which have a place of their
 * own, and sandbox machines, which are of this host.
 */
#ifndef BACKUP_PLACES_H
#define BACKUP_PLACES_H

#include <stdbool.h>
#include <stdint.h>

struct places { /* release it; absolute paths, without links as far as they exist */
	char *state, *spool, *store, *key;
};

void places_find(struct places *places);
void places_release(struct places *places);

/* Returns whether the file or folder (a slash at its end does not matter) of that path below the state folder is copied with it. */
bool places_keeps(const struct places *places, const char *path);

/* Returns whether a folder is the state folder or the spool, or below one of them. */
bool places_hold(const struct places *places, const char *folder);

/* Returns the bytes that are left where the parts are, the least of them. */
int64_t places_room(const struct places *places);

#endif
