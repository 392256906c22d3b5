/* SPDX-License-Identifier: Apache-2.0
 *
 * Cursors: places in an order, as texts that say nothing to who has them, not even which of two is the later one. Only who has the key
 * reads the number of the place; a cursor counts for the one for whom it was written.
 */
#ifndef CONTENT_CURSOR_H
#define CONTENT_CURSOR_H

#include <stdbool.h>
#include <stdint.h>

enum {
	CURSOR_KEY_BYTES = 32,
	CURSOR_KEY_SIZE = 2 * CURSOR_KEY_BYTES + 1, /* as text */
	CURSOR_SIZE = 65,
};

struct cursor_key {
	unsigned char bytes[CURSOR_KEY_BYTES];
};

void cursor_make_key(struct cursor_key *key);

/* Writes a key as text; returns text. Reads it; returns false where it is none. */
const char *cursor_print_key(const struct cursor_key *key, char text[static CURSOR_KEY_SIZE]);
bool cursor_parse_key(struct cursor_key *key, const char *text);

/* Writes the cursor of a place for somebody: the same text whenever it is written. Returns text. */
const char *cursor_write(const struct cursor_key *key, const char *whom, uint64_t number, char text[static CURSOR_SIZE]);

/* Does the same with a text that is another one whenever it is written: so it does not tell whether the place is another one. */
const char *cursor_write_anew(const struct cursor_key *key, const char *whom, uint64_t number, char text[static CURSOR_SIZE]);

/* Reads the number of a cursor that was written with this key for whom. Returns false where it was not. */
bool cursor_read(const struct cursor_key *key, const char *whom, const char *text, uint64_t *number);

#endif
