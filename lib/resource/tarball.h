/* SPDX-License-Identifier: Apache-2.0
 *
 * Resources that are archives: tar (also gzip, xz) or zip as somebody has uploaded them, who is not trusted: files and folders under names
 * that stay inside, no more and no larger than one script may have. Hides libarchive.
 */
#ifndef RESOURCE_TARBALL_H
#define RESOURCE_TARBALL_H

#include <stddef.h>

struct buffer;
struct bundle;
struct error;

/* Adds what is in the archive to the bundle, below the folder name. A single folder of that name at the top of the archive is that folder.
 * EX_DATAERR where it is damaged, hostile, or too large. */
int tarball_read(const void *bytes, size_t length, const char *name, struct bundle *bundle, struct error *err);

/* Appends a tar of what the bundle has below the folder name; the same bundle makes the same bytes. */
int tarball_write(const struct bundle *bundle, const char *name, struct buffer *out, struct error *err);

#endif
