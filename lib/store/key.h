/* SPDX-License-Identifier: Apache-2.0
 *
 * The key that secrets are encrypted with: 32 random bytes, in hexadecimal, in a file beside the store (or where
 * $COOPR_KEY says) that only its owner may read. The bytes stay in locked memory and are wiped.
 */
#ifndef STORE_KEY_H
#define STORE_KEY_H

#include <stddef.h>

struct error;
struct store;

struct store_key { /* release it */
	unsigned char *bytes; /* KEY_BYTES of them, locked */
};

enum {
	STORE_KEY_BYTES = 32,
	STORE_KEY_MARK_SIZE = 33, /* of a mark, with its NUL */
};

/* Reads the key of the store. EX_NOINPUT where there is none, EX_NOPERM where others might read it, EX_DATAERR where it
 * is none. */
int store_key_read(const struct store *store, struct store_key *key, struct error *err);

/* The same, and makes one where there is none. */
int store_key_need(const struct store *store, struct store_key *key, struct error *err);

/* Returns the path of the key of the store at that path (NULL: the usual one); the caller's to free. */
char *store_key_file(const char *store);

/* Reads a key from a file; fails as store_key_read does. */
int store_key_load(const char *path, struct store_key *key, struct error *err);

/* Writes the key to a file that only its owner may read, durably. EX_CANTCREAT where something else is there already. */
int store_key_save(const struct store_key *key, const char *path, struct error *err);

/* Writes what tells a key from others and does not give it away; returns mark. */
char *store_key_mark(const struct store_key *key, char mark[STORE_KEY_MARK_SIZE]);

void store_key_release(struct store_key *key);

#endif
