/* SPDX-License-Identifier: Apache-2.0
 *
 * Contents by their SHA-256: what documents, resources and tasks name by a digest. One is kept in STATE/resources/ab/DIGEST, whole and on
 * disk before it is said to be there, and is compared with its digest each time that it is read. Where the setting "resources" names an
 * executable (content/keeper.h), that keeps it as well, and the folder is a cache.
 */
#ifndef CONTENT_CONTENT_H
#define CONTENT_CONTENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arguments;
struct buffer;
struct error;

enum {
	CONTENT_DIGEST_SIZE = 65,           /* in hexadecimal, with a NUL */
	CONTENT_BYTES = 128 * 1024 * 1024,  /* of one content, at most */
	CONTENT_NEW_S = 86400,              /* so long it stays, though nothing names it: who puts it names it later */
};

/* Finds the digest of length bytes. */
void content_digest(const void *bytes, size_t length, char digest[static CONTENT_DIGEST_SIZE]);

/* Tells whether text can be a digest. */
bool content_is_digest(const char *text);

/* Keeps the bytes, durably. What is there already is new again, for content_list_old, and is replaced where it is damaged. */
int content_put(const void *bytes, size_t length, char digest[static CONTENT_DIGEST_SIZE], struct error *err);

/* Returns whether there is something under that digest. */
bool content_has(const char *digest);

/* Appends what was kept. EX_CONFIG where it is not there, or is something else: no byte of that is given out. */
int content_read(const char *digest, struct buffer *out, struct error *err);

/* Removes it; nothing is there is fine. */
int content_remove(const char *digest, struct error *err);

/* Adds the digests of all that was put more than age_s seconds ago, and removes what writers who were killed have left that long ago:
 * of everything, or of one folder, which need not be there. CONTENT_ANY_AGE: of all, whatever the clock says, and removes nothing. */
enum { CONTENT_ANY_AGE = -1 };
int content_list_old(int64_t age_s, struct arguments *digests, struct error *err);
int content_list_folder(const char *path, int64_t age_s, struct arguments *digests, struct error *err);

/* Returns the path of one, which the caller frees. */
char *content_path(const char *digest);

#endif
