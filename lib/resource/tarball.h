/* SPDX-License-Identifier: Apache-2.0
 *
 * Resources that are archives: tar (also gzip, xz) or zip as somebody has uploaded them, who is not trusted: files and folders under names
 * that stay inside, no more and no larger than one script may have. libexec/coopr/unarchive reads them, which is confined; what it says is
 * not trusted either.
 */
#ifndef RESOURCE_TARBALL_H
#define RESOURCE_TARBALL_H

#include <stdbool.h>
#include <stddef.h>

#include "ssh/bundle.h"

struct buffer;
struct error;

enum {
	TARBALL_BYTES = BUNDLE_BYTES,
	TARBALL_ENTRIES = BUNDLE_FILES,
	TARBALL_NAME = 4096,                  /* a longer one is refused before anybody reads it */
	TARBALL_MEMORY = 512 * 1024 * 1024,   /* of the program that reads it; dictionaries of compressions are large */
	TARBALL_SECONDS = 30,                 /* of a processor, for the same: what is in no entry is decompressed as well */
};

/* Adds what is in the archive to the bundle, below the folder name. A single folder of that name at the top of the archive is that folder.
 * EX_DATAERR where it is damaged, hostile, or too large. */
int tarball_read(const void *bytes, size_t length, const char *name, struct bundle *bundle, struct error *err);

/* Finds whether tarball_read would take the archive, a file that is open at its beginning. */
int tarball_check(int file, const char *name, struct error *err);

/* Appends a tar of what the bundle has below the folder name, with gzip or as it is; the same bundle makes the same bytes. */
int tarball_write(const struct bundle *bundle, const char *name, bool gzip, struct buffer *out, struct error *err);

#endif
