/* SPDX-License-Identifier: Apache-2.0
 *
 * The contents of scripts, with the files that they need, by their SHA-256: what a definition names by its digest is kept as a
 * content (content/content.h), so that a change back to it finds it again. Earlier versions kept it in STATE/scripts/DIGEST, where it is
 * still found.
 */
#ifndef SSH_SCRIPT_STORE_H
#define SSH_SCRIPT_STORE_H

#include <stdbool.h>

#include "content/content.h"

struct buffer;
struct bundle;
struct error;

/* Finds the digest of what is in the bundle: names, contents, and what can be executed. */
void script_store_digest(const struct bundle *bundle, char digest[static CONTENT_DIGEST_SIZE]);

/* Keeps the bundle under its digest. */
int script_store_keep(const struct bundle *bundle, struct error *err);

/* Returns whether there is something under that digest. */
bool script_store_has(const char *digest);

/* Adds to an empty bundle what was kept; EX_CONFIG where it is not there, or is something else. */
int script_store_read(const char *digest, struct bundle *bundle, struct error *err);

/* Appends the bytes that were kept, of a bundle or of any other content; EX_CONFIG as above. */
int script_store_read_bytes(const char *digest, struct buffer *out, struct error *err);

/* Returns the path of the folder of earlier versions, which the caller frees. */
char *script_store_path(void);

#endif
