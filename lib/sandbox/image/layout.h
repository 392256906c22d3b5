/* SPDX-License-Identifier: Apache-2.0
 *
 * The OCI image layout: a folder with "oci-layout", "index.json" and blobs by their digest, as skopeo(1) and umoci(1) make it. What is
 * read of it is what the digests say, or nothing is.
 */
#ifndef SANDBOX_IMAGE_LAYOUT_H
#define SANDBOX_IMAGE_LAYOUT_H

#include <stdbool.h>

#include "json/place.h"

struct arena;
struct error;

enum { LAYOUT_DIGEST_SIZE = 65 }; /* in hexadecimal, with a NUL */

/* Returns whether the folder is such a layout. */
bool layout_is_one(int folder);

/* Finds the manifest of the image that is called tag (NULL: of the only one), for this host's processor. */
int layout_find(int folder, const char *tag, char digest[static LAYOUT_DIGEST_SIZE], struct error *err);

/* Reads the digests of an image's layers, the lowest one first. */
int layout_read_layers(int folder, const char *manifest, struct arena *arena, struct string_list *layers, struct error *err);

/* Opens a blob, which is compared with its digest. */
int layout_open_blob(int folder, const char *digest, struct error *err);

/* Finds the digest of a file. */
int layout_digest(int fd, const char *name, char digest[static LAYOUT_DIGEST_SIZE], struct error *err);

#endif
