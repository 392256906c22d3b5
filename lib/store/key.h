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

enum { STORE_KEY_BYTES = 32 };

/* Reads the key of the store. EX_NOINPUT where there is none, EX_NOPERM where others might read it, EX_DATAERR where it
 * is none. */
int store_key_read(const struct store *store, struct store_key *key, struct error *err);

/* The same, and makes one where there is none. */
int store_key_need(const struct store *store, struct store_key *key, struct error *err);

void store_key_release(struct store_key *key);

#endif
