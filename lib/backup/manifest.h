/* SPDX-License-Identifier: Apache-2.0
 *
 * What is in a backup: when and where it was made, and each file with its size and SHA-256. It is the last file of the archive: an archive
 * that was cut off has none.
 */
#ifndef BACKUP_MANIFEST_H
#define BACKUP_MANIFEST_H

#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"

struct buffer;
struct error;

enum { MANIFEST_HASH_SIZE = 65 }; /* of a SHA-256 in hexadecimal, with its NUL */

struct manifest_file {
	const char *path; /* in the archive; a folder ends with a slash */
	int64_t size;
	char hash[MANIFEST_HASH_SIZE]; /* "" of a folder */
};

struct manifest { /* zero-initialise; release it. Strings live in the arena */
	struct arena arena;
	int64_t at_ms;        /* wall clock */
	const char *host;
	const char *version;  /* of coopr */
	const char *state;    /* the folder that was backed up */
	const char *key_mark; /* store_key_mark; NULL: the store had no key */
	int64_t clusters, jobs;
	struct manifest_file *files;
	size_t count, capacity;
};

/* Adds a file, whose path is copied; returns it. */
struct manifest_file *manifest_add(struct manifest *manifest, const char *path);

/* Returns the sum of the sizes. */
int64_t manifest_bytes(const struct manifest *manifest);

/* Appends it as records: one of the kind "backup", one of the kind "file" for each file. */
void manifest_print(const struct manifest *manifest, struct buffer *out);

/* Reads that again. EX_DATAERR where it is malformed, or of a later version. */
int manifest_parse(const char *text, size_t length, struct manifest *manifest, struct error *err);

void manifest_release(struct manifest *manifest);

#endif
