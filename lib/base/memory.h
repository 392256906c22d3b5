/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory that is there or the program is not: when it runs out, the process says
 * so and exits with EX_OSERR. Two kinds: blocks of one's own (memory_*, freed
 * with free) and arenas, where all parts of one document live and die together.
 */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stdarg.h>
#include <stddef.h>

/* Works like reallocarray(3): count * size bytes, the product checked. count may be 0. */
void *memory_resize(void *block, size_t count, size_t size);

/* Returns a zeroed block of count * size bytes. */
void *memory_zeroed(size_t count, size_t size);

/* Does the same for one thing that wants an alignment no type of C has. */
void *memory_aligned(size_t alignment, size_t size);

/* Return a copy of text, or of its first length bytes, with a NUL behind. */
char *memory_string(const char *text);
char *memory_substring(const char *text, size_t length);

/* Returns a new string as printf(3) makes it. */
char *memory_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *memory_vprintf(const char *format, va_list ap) __attribute__((format(printf, 1, 0)));

/* Makes room for one more element in the growable array (list, count, capacity). */
#define ARRAY_ROOM(list, count, capacity) \
	do { \
		if ((count) == (capacity)) { \
			(capacity) = (capacity) ? 2 * (capacity) : 8; \
			(list) = memory_resize((list), (capacity), sizeof *(list)); \
		} \
	} while (0)

/* An arena: zero-initialise it, take from it, release it whole. */
struct arena {
	struct arena_block *newest;
};

void *arena_alloc(struct arena *arena, size_t count, size_t size); /* zeroed; aligned for any type */
char *arena_string(struct arena *arena, const char *text);
char *arena_substring(struct arena *arena, const char *text, size_t length);
char *arena_printf(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void arena_release(struct arena *arena); /* frees all of it; the arena may be used anew */
void arena_clear(struct arena *arena); /* does the same, but keeps a block for what is taken next */

#endif
