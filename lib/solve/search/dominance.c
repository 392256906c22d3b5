/* SPDX-License-Identifier: Apache-2.0
 *
 * Why it is exact. Let q be the first pattern, in the order of dense, that the rules and what is used up allow on a machine
 * of a group. A row is loose upwards if all machines together cannot exceed what it allows, whatever they are, and
 * loose downwards if they cannot fall short of it. Where q adds to each row as little as any pattern of the group does or
 * the row is loose upwards, and as much as any or it is loose downwards, the machines of the group may be q
 * in any solution instead of what they are there. That makes the vector of counts greater. So in the densest solution they
 * are all q; and what is left is a problem of its own.
 */
#include "solve/search/dominance.h"

#include <stdlib.h>

#include "solve/program/bits.h"

enum { DOMINANCE_NODES = 4 }; /* to find the densest pattern of a group */

struct span { /* of what one machine, or all, may add to a row */
	int64_t least, most;
};

static int64_t
dominance_moves_left(const struct master *m)
{
	return m->row_of_moves == SIMPLEX_NONE ? 0 : m->rows[m->row_of_moves].hi;
}

static int64_t
dominance_machines_left(const struct master *m, size_t g)
{
	int row = m->row_of_group[g];
	int64_t all = m->rows[0].hi > 0 ? m->rows[0].hi : 0;

	if (m->program->groups[g].only)
		return 0;
	if (row == SIMPLEX_NONE)
		return all;
	return g > 0 || m->rows[row].hi < all ? m->rows[row].hi : all;
}

static bool
dominance_may_leave(const struct master *m, const struct group *group)
{
	const struct program *p = m->program;
	bool as_move = 1 + group->standing <= dominance_moves_left(m);
	bool as_asked = m->row_of_lost == SIMPLEX_NONE || group->standing <= m->rows[m->row_of_lost].hi;

	for (size_t h = 0; h < p->hardware_count; h++)
		if (bits_has(group->hardware, h) && ((p->hardware[h].departure == DEPARTURE_MOVE && as_move) ||
		    (p->hardware[h].departure == DEPARTURE_ASKED && as_asked)))
			return true;
	return false;
}

static struct span
dominance_span_of_unit(const struct master *m, size_t g, size_t u)
{
	const struct group *group = &m->program->groups[g];
	const struct unit *unit = &m->program->units[u];
	int64_t moves = group->moves ? group->moves[u] : 0;

	if (bits_has(group->stays, u) || -moves > dominance_moves_left(m))
		return (struct span){1, 1};
	if (!bits_has(group->open, u) || unit->banned || moves > dominance_moves_left(m) ||
	    master_is_used_up(m, m->row_of_unit[u]) ||
	    bits_meet(unit->excludes, group->stays, m->program->unit_words))
		return (struct span){0, 0};
	return (struct span){0, 1};
}

/* Returns the span of a row that tells apart what stands on a machine. */
static struct span
dominance_span_of(const struct master *m, size_t g, const struct row *row)
{
	const struct linear *linear;
	struct span sum = {0, 0};

	if (row->kind == ROW_UNIT)
		return dominance_span_of_unit(m, g, (size_t)row->index);
	linear = &m->program->linears[row->index];
	for (size_t u = 0; u < m->program->unit_count; u++) {
		struct span unit = dominance_span_of_unit(m, g, u);
		int64_t each = linear->coefficient[u];

		sum.least += each * (each > 0 ? unit.least : unit.most);
		sum.most += each * (each > 0 ? unit.most : unit.least);
	}
	return sum;
}

/* Returns what all machines may add, those that leave or are fixed being none. */
static struct span
dominance_span_of_all(const struct master *m, const struct row *row)
{
	struct span sum = {0, 0};

	for (size_t g = 0; g < m->program->group_count; g++) {
		int64_t count = dominance_machines_left(m, g);
		struct span one = {0, 0};
		bool sure = g > 0 && m->kind_count == 0 && !dominance_may_leave(m, &m->program->groups[g]);

		if (count > 0)
			one = dominance_span_of(m, g, row);
		sum.least += one.least < 0 || sure ? count * one.least : 0;
		sum.most += one.most > 0 || sure ? count * one.most : 0;
	}
	return sum;
}

struct loose { /* the directions in which a row is loose */
	bool up, down;
};

static bool
dominance_matters(const struct row *row)
{
	return row->kind == ROW_UNIT || row->kind == ROW_LINEAR;
}

/* Finds which rows are loose. Returns the number of loose directions. */
static size_t
dominance_find_loose(const struct master *m, struct loose *loose)
{
	size_t count = 0;

	for (size_t i = 0; i < m->row_count; i++) {
		struct span all;

		loose[i] = (struct loose){true, true};
		if (!dominance_matters(&m->rows[i]))
			continue;
		all = dominance_span_of_all(m, &m->rows[i]);
		loose[i] = (struct loose){all.most <= m->rows[i].hi, all.least >= m->rows[i].lo};
		count += loose[i].up;
		count += loose[i].down;
	}
	return count;
}

static size_t
dominance_count_used_up(const struct master *m)
{
	size_t count = 0;

	for (size_t i = 0; i < m->row_count; i++)
		count += dominance_matters(&m->rows[i]) && m->rows[i].hi <= 0;
	return count;
}

/* Returns whether a pattern can take the place of any other of its group. */
static bool
dominance_takes_all_places(const struct master *m, const struct pattern *pattern, const struct loose *loose)
{
	for (size_t i = 0; i < m->row_count; i++) {
		struct span span;
		int64_t own;

		if (!dominance_matters(&m->rows[i]) || (loose[i].up && loose[i].down))
			continue;
		span = dominance_span_of(m, (size_t)pattern->group, &m->rows[i]);
		own = master_coefficient(m, &m->rows[i], pattern, false);
		if ((own > span.least && !loose[i].up) || (own < span.most && !loose[i].down))
			return false;
	}
	return pattern_moves(m->program, pattern) == 0;
}

struct densest_search { /* for the densest pattern of a group, which comes first in the order of dense */
	const struct master *master;
	struct prices prices;
	struct pattern_filter filter;
	struct budget budget;
	struct pattern *best;
};

static bool
dominance_can_be(struct densest_search *q)
{
	struct search_for best = {q->filter.region.group, &q->filter, -1, INT64_MAX, SIZE_MAX};
	int64_t value;

	return price_best(q->master->program, &q->prices, &q->budget, &best, q->best, &value, NULL);
}

/* Sets prices by which a pattern is worth its size, or nothing. */
static void
dominance_set_prices(struct densest_search *q, bool size)
{
	const struct master *m = q->master;

	for (size_t u = 0; u < m->program->unit_count; u++) {
		int64_t worth = size ? (int64_t)m->program->units[u].size : 0;

		q->prices.unit[u] = master_is_used_up(m, m->row_of_unit[u]) ? PRICE_FORBIDDEN : worth;
	}
}

/* Finds its services, name by name: with is what it holds, without what it cannot. */
static bool
dominance_find_services(struct densest_search *q)
{
	const struct program *p = q->master->program;
	struct region *region = &q->filter.region;

	dominance_set_prices(q, false);
	for (size_t i = 0; i < p->service_count; i++) {
		size_t u = (size_t)p->unit_of[i];

		if (bits_has(region->with, u) || bits_has(region->without, u))
			continue;
		bits_add(region->with, u);
		if (dominance_span_of_unit(q->master, (size_t)region->group, u).most && dominance_can_be(q))
			continue;
		bits_drop(region->with, u);
		bits_add(region->without, u);
	}
	return dominance_can_be(q) && !q->budget.spent;
}

/* Finds the first pattern of a group in the order of dense. */
static bool
dominance_find_densest(struct densest_search *q, size_t g, struct pattern *pattern)
{
	q->budget = (struct budget){.nodes_max = DOMINANCE_NODES};
	q->best = pattern;
	pattern_filter_clear(&q->filter, q->master->program);
	q->filter.region.group = (int)g;
	dominance_set_prices(q, true);
	if (!dominance_can_be(q) || q->budget.spent)
		return false;
	q->filter.size = pattern_size(q->master->program, pattern->units);
	return dominance_find_services(q);
}

/* Returns whether nothing but the rows restricts what the machines of the group become. */
static bool
dominance_is_plain(const struct master *m, size_t g)
{
	const struct program *p = m->program;
	const struct group *group = &p->groups[g];

	if (group->only || dominance_machines_left(m, g) == 0 || dominance_may_leave(m, group))
		return false;
	for (size_t i = 0; i < p->choice_count; i++)
		for (size_t j = 0; j < p->choices[i].count && !m->chosen[i]; j++)
			if (bits_has(group->open, (size_t)p->choices[i].units[j]))
				return false;
	for (size_t i = 0; i < m->column_count; i++)
		if (m->columns[i].pattern.kind && m->columns[i].pattern.group == (int)g)
			return false;
	return true;
}

static void
dominance_fix_groups(struct master *m, struct uses *found, const struct loose *loose)
{
	const struct program *p = m->program;
	struct arena arena = {0};
	struct densest_search q = {.master = m};

	pattern_filter_init(&q.filter, p, &arena);
	prices_init(&q.prices, p);
	if (m->row_of_moves != SIMPLEX_NONE)
		q.prices.moves_left = dominance_moves_left(m);
	q.prices.weight_caches = m->prices.weight_caches;
	for (size_t g = 1; g < p->group_count; g++) {
		struct pattern pattern = {.units = arena_alloc(&m->arena, p->unit_words, sizeof(uint64_t))};

		if (!dominance_is_plain(m, g) || !dominance_find_densest(&q, g, &pattern) ||
		    !dominance_takes_all_places(m, &pattern, loose))
			continue;
		master_fix(m, &pattern, false, dominance_machines_left(m, g));
		for (size_t i = 0; i < found->count; i++)
			if (found->list[i].pattern.group == (int)g)
				found->list[i].count = 0;
	}
	prices_release(&q.prices);
	arena_release(&arena);
}

void
dominance_fix(struct master *m, struct uses *found, size_t *used, size_t *loose)
{
	const struct program *p = m->program;
	struct loose *rows;
	size_t now;

	for (int i = 0; i < OBJECTIVE_COUNT; i++) /* a row that tells units apart and is not looked at here */
		if (m->row_of_objective[i] != SIMPLEX_NONE && p->weights[i].unit)
			return;
	if (p->group_count == 1 || p->spread || p->condition || dominance_moves_left(m) > 0)
		return;
	rows = memory_zeroed(m->row_count, sizeof *rows);
	now = dominance_find_loose(m, rows);
	if (now != *loose || dominance_count_used_up(m) != *used)
		dominance_fix_groups(m, found, rows);
	*loose = now;
	*used = dominance_count_used_up(m);
	free(rows);
}
