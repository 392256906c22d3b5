/* SPDX-License-Identifier: Apache-2.0 */
#include "base/names.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/memory.h"

static size_t
names_hash(const char *name)
{
	static uint64_t seed;
	uint64_t h;

	if (!seed && getrandom(&seed, sizeof seed, GRND_NONBLOCK) != sizeof seed)
		seed = (uint64_t)getpid() * 0x9e3779b97f4a7c15u;
	h = seed |= 1;
	for (; *name; name++) {
		h = (h ^ (unsigned char)*name) * 0x9fb21c651e98df25u;
		h ^= h >> 29;
	}
	return (size_t)(h ^ h >> 32);
}

/* Returns the slot of name, or the free slot where it would go. slot_count is a power of two. */
static uint32_t *
names_slot_of(const struct names *names, const char *name)
{
	size_t i = names_hash(name);

	for (;; i++) {
		uint32_t *slot = &names->slots[i & (names->slot_count - 1)];

		if (!*slot || strcmp(names->list[*slot - 1], name) == 0)
			return slot;
	}
}

static void
names_grow(struct names *names)
{
	free(names->slots);
	names->slot_count = names->slot_count ? 2 * names->slot_count : 64;
	names->slots = memory_zeroed(names->slot_count, sizeof *names->slots);
	for (size_t i = 0; i < names->count; i++)
		*names_slot_of(names, names->list[i]) = (uint32_t)(i + 1);
}

int
names_find(const struct names *names, const char *name)
{
	return names->count ? (int)*names_slot_of(names, name) - 1 : NAMES_NONE;
}

int
names_intern(struct names *names, const char *name)
{
	uint32_t *slot;

	if (2 * (names->count + 1) > names->slot_count)
		names_grow(names);
	slot = names_slot_of(names, name);
	if (!*slot) {
		ARRAY_ROOM(names->list, names->count, names->capacity);
		names->list[names->count++] = name;
		*slot = (uint32_t)names->count;
	}
	return (int)*slot - 1;
}

void
names_release(struct names *names)
{
	free(names->list);
	free(names->slots);
	*names = (struct names){0};
}
