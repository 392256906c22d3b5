/* SPDX-License-Identifier: Apache-2.0
 *
 * Sets of small numbers as words of bits. All sets that meet have the same number of words.
 */
#ifndef SOLVE_PROGRAM_BITS_H
#define SOLVE_PROGRAM_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"

/* Goes through the members of a set, in order. */
#define BITS_EACH(member, set, words) \
	for (size_t member = bits_next((set), (words), 0); (member) != SIZE_MAX; \
	     (member) = bits_next((set), (words), (member) + 1))

static inline size_t
bits_words(size_t members)
{
	return members / 64 + 1;
}

static inline bool
bits_has(const uint64_t *set, size_t member)
{
	return set[member / 64] >> (member % 64) & 1;
}

static inline void
bits_add(uint64_t *set, size_t member)
{
	set[member / 64] |= UINT64_C(1) << (member % 64);
}

static inline void
bits_drop(uint64_t *set, size_t member)
{
	set[member / 64] &= ~(UINT64_C(1) << (member % 64));
}

static inline size_t
bits_count(const uint64_t *set, size_t words)
{
	size_t count = 0;

	for (size_t i = 0; i < words; i++)
		count += (size_t)__builtin_popcountll(set[i]);
	return count;
}

static inline void
bits_copy(uint64_t *to, const uint64_t *from, size_t words)
{
	memcpy(to, from, words * sizeof *to);
}

/* Returns a copy in an arena. */
static inline uint64_t *
bits_duplicate(const uint64_t *set, size_t words, struct arena *arena)
{
	uint64_t *copy = arena_alloc(arena, words, sizeof *copy);

	bits_copy(copy, set, words);
	return copy;
}

static inline bool
bits_equal(const uint64_t *a, const uint64_t *b, size_t words)
{
	return memcmp(a, b, words * sizeof *a) == 0;
}

static inline bool
bits_meet(const uint64_t *a, const uint64_t *b, size_t words)
{
	for (size_t i = 0; i < words; i++)
		if (a[i] & b[i])
			return true;
	return false;
}

static inline bool
bits_within(const uint64_t *part, const uint64_t *whole, size_t words)
{
	for (size_t i = 0; i < words; i++)
		if (part[i] & ~whole[i])
			return false;
	return true;
}

static inline bool
bits_empty(const uint64_t *set, size_t words)
{
	for (size_t i = 0; i < words; i++)
		if (set[i])
			return false;
	return true;
}

static inline void
bits_join(uint64_t *a, const uint64_t *b, size_t words)
{
	for (size_t i = 0; i < words; i++)
		a[i] |= b[i];
}

/* Keeps in a what is in b. Returns whether anything is left. */
static inline bool
bits_keep(uint64_t *a, const uint64_t *b, size_t words)
{
	uint64_t any = 0;

	for (size_t i = 0; i < words; i++)
		any |= a[i] &= b[i];
	return any != 0;
}

/* Returns the first member that is at least from, or SIZE_MAX. */
static inline size_t
bits_next(const uint64_t *set, size_t words, size_t from)
{
	for (size_t i = from / 64; i < words; i++) {
		uint64_t word = set[i];

		if (i == from / 64)
			word &= ~UINT64_C(0) << (from % 64);
		if (word)
			return i * 64 + (size_t)__builtin_ctzll(word);
	}
	return SIZE_MAX;
}

#endif
