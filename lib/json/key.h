/* SPDX-License-Identifier: Apache-2.0
 *
 * The names of an object's members, as the text has them: finds two that are the same once their
 * escapes are decoded. They are sorted and neighbours compared: n log n, whatever the input.
 */
#ifndef JSON_KEY_H
#define JSON_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct key {
	const char *text; /* between the quotes, escapes not decoded */
	uint32_t length;
	bool escaped;
};

/* Returns a key that equals another, the later of the two in the text; NULL if all differ. Sorts keys. */
const struct key *key_find_twice(struct key *keys, size_t count);

/* Returns the value of four hexadecimal digits, -1 if they are none. */
int key_hex4(const char *digits);

#endif
