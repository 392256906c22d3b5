/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds which units can stand in the place of which. There may be thousands of units, but most are of a few kinds: those that
 * differ in nothing but their names. So kinds are compared, each with each, and the units of one kind share what comes of it.
 */
#include <stdlib.h>
#include <string.h>

#include "solve/program/bits.h"
#include "solve/program/build-parts.h"

struct kind {
	const struct program *program;
	const struct unit *unit; /* one that is of it */
	uint64_t *members;
};

/* Compares in some order; returns 0 if nothing that counts tells two units apart. */
static int
build_compare_kinds(const void *x, const void *y)
{
	const struct program *p = ((const struct kind *)x)->program;
	const struct unit *a = ((const struct kind *)x)->unit, *b = ((const struct kind *)y)->unit;
	int order = (a->size > b->size) - (a->size < b->size);

	if (order == 0)
		order = (int)a->banned - (int)b->banned;
	if (order == 0)
		order = (a->nogood_count > 0) - (b->nogood_count > 0);
	if (order == 0)
		order = memcmp(a->consumes, b->consumes, p->resource_count * sizeof *a->consumes);
	if (order == 0)
		order = memcmp(a->images, b->images, p->image_words * sizeof *a->images);
	return order ? order : memcmp(a->excludes, b->excludes, p->unit_words * sizeof *a->excludes);
}

/* Sorts the units into kinds, of which list gets one each. */
static size_t
build_find_kinds(const struct program *p, struct kind *list)
{
	size_t count = 0;

	for (size_t u = 0; u < p->unit_count; u++)
		list[u] = (struct kind){p, &p->units[u], NULL};
	qsort(list, p->unit_count, sizeof *list, build_compare_kinds);
	for (size_t i = 0; i < p->unit_count; i++) {
		size_t member = (size_t)(list[i].unit - p->units);

		if (count == 0 || build_compare_kinds(&list[count - 1], &list[i]) != 0) {
			list[count] = list[i];
			list[count++].members = memory_zeroed(p->unit_words, sizeof(uint64_t));
		}
		bits_add(list[count - 1].members, member);
	}
	return count;
}

/* Returns whether a can stand in b's place on any machine of a type that both may stand on. */
static bool
build_can_replace(const struct program *p, const struct unit *a, const struct unit *b)
{
	if (a->banned || a->nogood_count || a->size < b->size || bits_has(a->excludes, (size_t)(b - p->units)))
		return false;
	for (size_t i = 0; i < p->resource_count; i++)
		if (a->consumes[i] > b->consumes[i])
			return false;
	return bits_within(b->images, a->images, p->image_words) && bits_within(a->excludes, b->excludes, p->unit_words);
}

void
build_betters(struct program *p)
{
	struct kind *kinds = memory_zeroed(p->unit_count, sizeof *kinds);
	size_t count = p->unit_count ? build_find_kinds(p, kinds) : 0;

	for (size_t b = 0; b < count; b++) {
		uint64_t *betters = arena_alloc(&p->arena, p->unit_words, sizeof *betters);

		for (size_t a = 0; a < count; a++)
			if (build_can_replace(p, kinds[a].unit, kinds[b].unit))
				bits_join(betters, kinds[a].members, p->unit_words);
		BITS_EACH(u, kinds[b].members, p->unit_words)
			p->units[u].betters = betters;
	}
	for (size_t i = 0; i < count; i++)
		free(kinds[i].members);
	free(kinds);
}
