/* SPDX-License-Identifier: Apache-2.0
 *
 * The key that secrets are encrypted with: 32 random bytes, in hexadecimal, in a file beside the store that only its owner may read,
 * or where $COOPR_KEY says: another file, "fd:N", "credential:NAME" of systemd, or "exec:FILE", which prints it. The lines below it
 * are earlier keys (rekey.h): what was encrypted with them can be read, and values are derived from the oldest. The bytes stay in
 * locked memory and are wiped.
 */
#ifndef STORE_KEY_H
#define STORE_KEY_H

#include <stdbool.h>
#include <stddef.h>

struct error;
struct store;

struct store_key { /* release it */
	unsigned char *bytes; /* STORE_KEY_BYTES of the present key, those of the earlier ones behind them, locked */
	size_t count;         /* of keys */
};

enum {
	STORE_KEY_BYTES = 32,
	STORE_KEY_COUNT = 16, /* at most */
	STORE_KEY_MARK_SIZE = 33, /* of a mark, with its NUL */
};

/* Reads the key of the store. EX_NOINPUT where there is none, EX_NOPERM where others might read it, EX_DATAERR where it
 * is none. */
int store_key_read(const struct store *store, struct store_key *key, struct error *err);

/* The same, and makes one where there is none. */
int store_key_need(const struct store *store, struct store_key *key, struct error *err);

/* Returns one of the keys alone, 0 is the present one; borrowed. */
struct store_key store_key_at(const struct store_key *key, size_t number);

/* Puts a new present key before those of the store, durably, and into key. EX_CONFIG if the keys are not in a file, or are too many. */
int store_key_add(const struct store *store, struct store_key *key, struct error *err);

/* Returns whether the keys of a store are in a file, which coopr may write. */
bool store_key_is_file(void);

/* Returns the path of the key of the store at that path (NULL: the usual one); the caller's to free. */
char *store_key_file(const char *store);

/* Reads a key from a file; fails as store_key_read does. */
int store_key_load(const char *path, struct store_key *key, struct error *err);

/* Writes the key to a file that only its owner may read, durably. EX_CANTCREAT where something else is there already. */
int store_key_save(const struct store_key *key, const char *path, struct error *err);

/* Writes what tells a key from others and does not give it away; returns mark. */
char *store_key_mark(const struct store_key *key, char mark[STORE_KEY_MARK_SIZE]);

/* Returns whether one of the keys has the mark. */
bool store_key_has_mark(const struct store_key *key, const char *mark);

void store_key_release(struct store_key *key);

#endif
