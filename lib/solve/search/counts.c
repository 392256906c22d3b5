/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/search/counts.h"

#include <math.h>
#include <stdlib.h>

#include "solve/lp/master.h"
#include "solve/program/bits.h"
#include "solve/search/integers.h"
#include "solve/search/shares.h"

enum { CHOICES = 60 };

struct counts_part { /* numbers of the units, then the sums of the rules */
	struct integers integers;
	int *units, *rules, *choices;
	struct one_of *ways; /* to make each choice; integers has those that are open */
	size_t unit_count, rule_count, choice_count;
};

/* Gives a part the choices among its units. */
static void
counts_init_choices(struct counts_part *part, const struct program *p, int *parent, int root, struct arena *arena)
{
	struct integers *s = &part->integers;
	size_t *number = memory_zeroed(p->unit_count, sizeof *number);

	for (size_t i = 0; i < part->unit_count; i++)
		number[part->units[i]] = i;
	part->choices = arena_alloc(arena, p->choice_count, sizeof *part->choices);
	part->ways = arena_alloc(arena, p->choice_count, sizeof *part->ways);
	s->choices = arena_alloc(arena, p->choice_count, sizeof *s->choices);
	for (size_t i = 0; i < p->choice_count; i++) {
		const struct choice *c = &p->choices[i];
		struct one_of *ways = &part->ways[part->choice_count];

		if (c->count == 0 || program_root(parent, c->units[0]) != root)
			continue;
		*ways = (struct one_of){arena_alloc(arena, c->count, sizeof *ways->variables), c->count};
		for (size_t j = 0; j < c->count; j++)
			ways->variables[j] = number[c->units[j]];
		part->choices[part->choice_count++] = (int)i;
	}
	free(number);
}

/* Makes the part of the rules with that root. */
static void
counts_init_part(struct counts_part *part, const struct program *p, int *parent, int root, struct arena *arena)
{
	struct integers *s = &part->integers;
	size_t units = p->unit_count;

	part->units = arena_alloc(arena, units, sizeof *part->units);
	part->rules = arena_alloc(arena, p->linear_count, sizeof *part->rules);
	for (size_t u = 0; u < units; u++)
		if (program_root(parent, (int)u) == root)
			part->units[part->unit_count++] = (int)u;
	for (size_t i = 0; i < p->linear_count; i++)
		if (program_root(parent, (int)(units + i)) == root)
			part->rules[part->rule_count++] = (int)i;
	s->count = part->unit_count + part->rule_count;
	s->list = arena_alloc(arena, s->count, sizeof *s->list);
	s->equation_count = part->rule_count;
	s->equations = arena_alloc(arena, part->rule_count, sizeof *s->equations);
	for (size_t i = 0; i < part->rule_count; i++) {
		struct equation *equation = &s->equations[i];
		const int64_t *coefficient = p->linears[part->rules[i]].coefficient;

		equation->terms = arena_alloc(arena, part->unit_count + 1, sizeof *equation->terms);
		for (size_t j = 0; j < part->unit_count; j++)
			if (coefficient[part->units[j]])
				equation->terms[equation->count++] = (struct term){j, coefficient[part->units[j]]};
		equation->terms[equation->count++] = (struct term){part->unit_count + i, -1};
	}
	counts_init_choices(part, p, parent, root, arena);
}

void
counts_init(struct counts *counts, const struct program *p)
{
	size_t all = p->unit_count + p->linear_count;
	int *parent;

	*counts = (struct counts){0};
	if (p->linear_count == 0)
		return;
	parent = memory_zeroed(all, sizeof *parent);
	for (size_t i = 0; i < all; i++)
		parent[i] = (int)i;
	for (size_t i = 0; i < p->linear_count; i++)
		for (size_t u = 0; u < p->unit_count; u++)
			if (p->linears[i].coefficient[u])
				parent[program_root(parent, (int)u)] = program_root(parent, (int)(p->unit_count + i));
	for (size_t i = 0; i < p->choice_count; i++)
		for (size_t j = 1; j < p->choices[i].count; j++)
			parent[program_root(parent, p->choices[i].units[j])] = program_root(parent, p->choices[i].units[0]);
	counts->parts = arena_alloc(&counts->arena, p->linear_count, sizeof *counts->parts);
	for (size_t i = 0; i < p->linear_count; i++) {
		int root = program_root(parent, (int)(p->unit_count + i));
		bool first = true;

		for (size_t j = 0; j < i && first; j++)
			first = program_root(parent, (int)(p->unit_count + j)) != root;
		if (first)
			counts_init_part(&counts->parts[counts->count++], p, parent, root, &counts->arena);
	}
	free(parent);
}

void
counts_release(struct counts *counts)
{
	arena_release(&counts->arena);
	*counts = (struct counts){0};
}

/* Returns the row that counts a unit's instances: those of a unit that stands everywhere are the machines. */
static int
counts_row_of(const struct master *m, int unit)
{
	return m->row_of_unit[unit] == SIMPLEX_NONE ? 0 : m->row_of_unit[unit];
}

/* Loads what is left. Of a choice that is made there need be no instances among it. */
static void
counts_load(struct counts_part *part, const struct master *m)
{
	struct integer *list = part->integers.list;

	for (size_t i = 0; i < part->unit_count; i++) {
		const struct row *row = &m->rows[counts_row_of(m, part->units[i])];

		list[i] = (struct integer){.lo = row->lo > 0 ? row->lo : 0, .hi = row->hi, .step = 1, .near = NAN};
		list[i].hi = list[i].hi < m->rows[0].hi ? list[i].hi : m->rows[0].hi;
	}
	for (size_t i = 0; i < m->row_count; i++)
		for (size_t j = 0; m->rows[i].kind == ROW_LINEAR && j < part->rule_count; j++)
			if (part->rules[j] == m->rows[i].index)
				list[part->unit_count + j] =
				    (struct integer){.lo = m->rows[i].lo, .hi = m->rows[i].hi, .step = 1, .near = NAN};
	part->integers.choice_count = 0;
	for (size_t i = 0; i < part->choice_count; i++)
		if (!m->chosen[part->choices[i]])
			part->integers.choices[part->integers.choice_count++] = part->ways[i];
}

static void
counts_store(const struct counts_part *part, struct master *m)
{
	const struct integer *list = part->integers.list;

	for (size_t i = 0; i < part->unit_count; i++) {
		int number = counts_row_of(m, part->units[i]);
		int64_t lo = m->rows[number].lo, hi = m->rows[number].hi;

		if (list[i].lo > 0 && list[i].lo > lo)
			lo = list[i].lo;
		if (list[i].hi < m->rows[0].hi && list[i].hi < hi)
			hi = list[i].hi;
		if (lo != m->rows[number].lo || hi != m->rows[number].hi)
			master_set_bounds(m, number, lo, hi);
	}
}

bool
counts_tighten(struct counts *counts, struct master *m)
{
	for (size_t i = 0; i < counts->count; i++) {
		struct counts_part *part = &counts->parts[i];

		counts_load(part, m);
		if (!integers_tighten(&part->integers, m->budget))
			return false;
		counts_store(part, m);
		if (integers_find(&part->integers, CHOICES, m->budget) == SEARCH_NONE)
			return false;
	}
	return true;
}

bool
counts_fix(struct counts *counts, struct master *m, const struct shares *shares)
{
	for (size_t i = 0; i < counts->count; i++) {
		struct counts_part *part = &counts->parts[i];

		counts_load(part, m);
		for (size_t u = 0; u < part->unit_count; u++)
			part->integers.list[u].near = shares_of_unit(shares, part->units[u]);
		if (integers_find(&part->integers, CHOICES, m->budget) != SEARCH_FOUND)
			return false;
		counts_store(part, m);
	}
	return true;
}

int
counts_fraction(const struct counts *counts, const struct master *m, const struct shares *shares, double *value)
{
	double largest = SHARE_WHOLE;
	int row = SIMPLEX_NONE;

	for (size_t i = 0; i < counts->count; i++)
		for (size_t u = 0; u < counts->parts[i].unit_count; u++) {
			double sum = shares_of_unit(shares, counts->parts[i].units[u]), fraction = fabs(sum - nearbyint(sum));

			if (fraction <= largest)
				continue;
			largest = fraction;
			*value = sum;
			row = counts_row_of(m, counts->parts[i].units[u]);
		}
	return row;
}
