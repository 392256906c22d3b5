/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the archive of a backup, which is not trusted: it holds files and folders and nothing else, under names that stay inside,
 * each once, in the order of the manifest, with the sizes and sums that this says. Hides libarchive.
 *
 * It is read twice: unpack_check reads all of it and writes nothing; unpack_all writes the same files.
 */
#ifndef BACKUP_UNPACK_H
#define BACKUP_UNPACK_H

#include <stdbool.h>
#include <stdint.h>

#include "backup/manifest.h"

struct error;

struct unpack {
	int fd;           /* of the archive, a file; borrowed */
	const char *name; /* for messages */
	/* Returns whether a path may be in a backup. */
	bool (*allows)(const void *context, const char *path);
	const void *context;
	int64_t room; /* bytes that there is room for: a larger backup is refused as soon as that is known */
};

/* Reads the archive and fills the manifest. EX_DATAERR where it is damaged, cut off or no backup; EX_CANTCREAT where there is no
 * room for it. */
int unpack_check(const struct unpack *unpack, struct manifest *manifest, struct error *err);

/* Returns the folder (a descriptor) where a path is to be written, and sets *name to its path below that; name and path live as
 * long as the context and the manifest. */
typedef int unpack_place(void *context, const char *path, const char **name);

/* Writes the files of the manifest, each with the mode 0600 below the folder that place names, made where it is missing; the
 * caller brings them to disk. EX_DATAERR where the archive is not the one that was checked. */
int unpack_all(const struct unpack *unpack, const struct manifest *manifest, unpack_place *place, void *context,
    struct error *err);

#endif
