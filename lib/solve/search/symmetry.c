/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/search/symmetry.h"

#include "solve/program/bits.h"

static bool
symmetry_same_company(const struct program *p, size_t u, size_t v)
{
	const struct unit *a = &p->units[u], *b = &p->units[v];

	for (size_t i = 0; i < p->unit_words; i++) {
		uint64_t differ = a->excludes[i] ^ b->excludes[i];

		if (u / 64 == i)
			differ &= ~(UINT64_C(1) << (u % 64));
		if (v / 64 == i)
			differ &= ~(UINT64_C(1) << (v % 64));
		if (differ)
			return false;
	}
	return a->nogood_count == 0 && b->nogood_count == 0;
}

static bool
symmetry_same_amounts(const struct program *p, size_t u, size_t v)
{
	for (size_t i = 0; i < p->resource_count; i++)
		if (p->units[u].consumes[i] != p->units[v].consumes[i])
			return false;
	for (size_t i = 0; i < p->linear_count; i++)
		if (p->linears[i].coefficient[u] != p->linears[i].coefficient[v])
			return false;
	for (int i = 0; i < OBJECTIVE_COUNT; i++)
		if (p->weights[i].unit && p->weights[i].unit[u] != p->weights[i].unit[v])
			return false;
	return true;
}

/* Returns whether nothing tells two units apart: neither the rules, nor how many of each are still to come. */
static bool
symmetry_are_alike(const struct master *m, size_t u, size_t v)
{
	const struct program *p = m->program;
	const struct unit *a = &p->units[u], *b = &p->units[v];
	int x = m->row_of_unit[u], y = m->row_of_unit[v];

	if (x == SIMPLEX_NONE || y == SIMPLEX_NONE ? x != y : m->rows[x].lo != m->rows[y].lo || m->rows[x].hi != m->rows[y].hi)
		return false;
	return a->size == b->size && a->banned == b->banned && a->everywhere == b->everywhere && a->stays_away == b->stays_away &&
	    bits_equal(a->hardware, b->hardware, p->hardware_words) && bits_equal(a->images, b->images, p->image_words) &&
	    symmetry_same_company(p, u, v) && symmetry_same_amounts(p, u, v);
}

static void
symmetry_swap(struct master *m, size_t u, size_t v, struct uses *uses)
{
	for (size_t i = 0; i < uses->count; i++) {
		struct pattern *pattern = &uses->list[i].pattern;
		uint64_t *units;

		if (bits_has(pattern->units, u) == bits_has(pattern->units, v))
			continue;
		units = bits_duplicate(pattern->units, m->program->unit_words, &m->arena);
		units[u / 64] ^= UINT64_C(1) << (u % 64);
		units[v / 64] ^= UINT64_C(1) << (v % 64);
		pattern->units = units;
	}
}

bool
symmetry_exchange(struct master *m, const struct pattern *pattern, const uint64_t *with, size_t u, struct uses *uses)
{
	const struct program *p = m->program;

	/* present machines, choices and zones tell more of them apart than is worth finding out */
	if (p->group_count > 1 || p->choice_count || p->spread || bits_has(pattern->units, u))
		return false;
	BITS_EACH(v, pattern->units, p->unit_words)
		if (!bits_has(with, v) && symmetry_are_alike(m, u, v)) {
			symmetry_swap(m, u, v, uses);
			return true;
		}
	return false;
}
