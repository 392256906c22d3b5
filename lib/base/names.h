/* SPDX-License-Identifier: Apache-2.0
 *
 * Names as small numbers: each different string gets 0, 1, 2, ... in the order it was
 * first seen, so that an engine can use arrays. The hash is seeded by the process, so a
 * document cannot be made to collide; no order anywhere depends on it.
 */
#ifndef BASE_NAMES_H
#define BASE_NAMES_H

#include <stddef.h>
#include <stdint.h>

enum { NAMES_NONE = -1 };

struct names {
	const char **list; /* list[number] is the name; the strings are borrowed */
	size_t count, capacity;
	uint32_t *slots; /* open addressing: number + 1, or 0 */
	size_t slot_count;
};

/* Returns the number of name; NAMES_NONE if it has none. */
int names_find(const struct names *names, const char *name);

/* Returns the number of name, a new one if it had none. name is kept, not copied. */
int names_intern(struct names *names, const char *name);

void names_release(struct names *names);

#endif
