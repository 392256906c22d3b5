/* SPDX-License-Identifier: Apache-2.0
 *
 * Why leaving a group out is exact. Let all its machines be of one pattern in every solution (of those that are as good
 * in the objectives that were fixed before). Then they add the same to every row in each of them: taken out of the
 * bounds, what is left has the same solutions but for these machines, and no objective tells two solutions apart
 * otherwise than before. That goes for dense, too: the vectors of counts all have the same amount less in one place,
 * which does not change which of them is the greatest. Zones know these machines as they know all that are fixed.
 *
 * How it is known. By the rules: no second pattern of the group keeps the rules for one machine. By prices: for any
 * prices of the rows, what a solution is worth lies between what its rows must have (least) and what all machines
 * would be worth if each had the best pattern of its group (most). A machine of another pattern lowers the latter
 * by as much as it is worth less; where that is more than the two differ, no solution has one. The prices that
 * prove the least of an objective leave little between the two.
 */
#include "solve/lp/reduced-cost-fixing.h"


#include "solve/program/bits.h"

#define NEVER (INT64_C(1) << 60) /* more than anything is worth */

enum { SECOND_NODES = 2 }; /* to look for a second pattern of a group */

/* Returns whether a group may have another pattern that is worth more than floor; true where it is not known. */
static bool
reduced_cost_allows_other(const struct program *p, const struct prices *prices, const struct pattern *pattern, int64_t floor)
{
	struct budget budget = {.nodes_max = SECOND_NODES};
	struct arena arena = {0};
	struct prices own = *prices;
	struct search_for another = {pattern->group, NULL, floor, floor, SIZE_MAX};
	struct pattern other = {.units = arena_alloc(&arena, p->unit_words, sizeof(uint64_t))};
	int64_t value;
	bool found;

	own.regions = arena_alloc(&arena, prices->region_count + 1, sizeof *own.regions);
	for (size_t i = 0; i < prices->region_count; i++)
		own.regions[i] = prices->regions[i];
	own.regions[own.region_count++] = (struct region_price){pattern_region(p, pattern, &arena), -NEVER};
	found = price_best(p, &own, &budget, &another, &other, &value, NULL);
	arena_release(&arena);
	return found || budget.spent;
}

void
reduced_cost_fix_by_rules(struct program *p)
{
	struct budget budget = {0};
	struct prices none;
	int64_t value;

	prices_init(&none, p);
	for (size_t g = 1; g < p->group_count && !p->moves_max; g++) {
		struct search_for any = {(int)g, NULL, -1, -1, SIZE_MAX};
		struct pattern *only = arena_alloc(&p->arena, 1, sizeof *only);

		only->units = arena_alloc(&p->arena, p->unit_words, sizeof *only->units);
		if (price_best(p, &none, &budget, &any, only, &value, NULL) && !reduced_cost_allows_other(p, &none, only, -1))
			p->groups[g].only = only;
	}
	prices_release(&none);
}

/* Returns the pattern that all machines of a group have in a solution, or NULL. */
static const struct pattern *
reduced_cost_pattern_in(const struct program *p, const struct uses *uses, int group)
{
	for (size_t i = 0; i < uses->count; i++)
		if (uses->list[i].pattern.group == group && uses->list[i].count == p->groups[group].count)
			return &uses->list[i].pattern;
	return NULL;
}

/* Finds prices that prove the least value of a row, in m->prices; slack gets the distance to what is possible. */
static bool
reduced_cost_find_prices(struct master *m, int row, price_product *slack)
{
	struct state state = {0};
	bool found;

	master_save(m, &state);
	found = master_relax(m, row, 1);
	*slack = master_slack(m);
	master_take_back(m, &state);
	return found;
}

/* Takes from a group what would be more moves than are left. Returns whether a unit was affected. */
static bool
reduced_cost_drop_moves(const struct program *p, int64_t left, struct group *group, struct arena *arena)
{
	bool any = false;

	group->stays = bits_duplicate(group->stays, p->unit_words, arena);
	group->open = bits_duplicate(group->open, p->unit_words, arena);
	group->hardware = bits_duplicate(group->hardware, p->hardware_words, arena);
	for (size_t u = 0; u < p->unit_count; u++) {
		if (!bits_has(group->open, u) || (group->moves[u] <= left && -group->moves[u] <= left))
			continue;
		if (group->moves[u] < 0)
			bits_add(group->stays, u);
		bits_drop(group->open, u);
		any = true;
	}
	for (size_t h = 0; h < p->hardware_count; h++)
		if (p->hardware[h].departure == DEPARTURE_MOVE && 1 + group->standing > left)
			bits_drop(group->hardware, h);
	return any;
}

/* Narrows the groups to what the moves that are left allow, and to one pattern those that can have no other. Returns how
 * many were narrowed. */
static size_t
reduced_cost_find_groups(struct master *m, int row, const struct uses *found, struct group *groups, struct arena *arena)
{
	const struct program *p = m->program;
	price_product slack;
	size_t count = 0;

	if (!reduced_cost_find_prices(m, row, &slack))
		return 0;
	for (size_t g = 0; g < p->group_count; g++) {
		const struct pattern *pattern = reduced_cost_pattern_in(p, found, (int)g);
		struct pattern *only;
		price_product floor;

		groups[g] = p->groups[g];
		if (g == 0 || groups[g].only)
			continue;
		if (m->row_of_moves != SIMPLEX_NONE)
			count += reduced_cost_drop_moves(p, m->rows[m->row_of_moves].hi, &groups[g], arena);
		if (!pattern)
			continue;
		floor = (((price_product)m->best[g] << PRICE_FINE) - slack - 1) >> PRICE_FINE; /* a solution has none worth less */
		if (floor <= -NEVER / 2 || reduced_cost_allows_other(p, &m->prices, pattern, (int64_t)floor))
			continue;
		groups[g].only = only = arena_alloc(arena, 1, sizeof *only);
		*only = *pattern;
		only->units = bits_duplicate(pattern->units, p->unit_words, arena);
		count++;
	}
	return count;
}

/* Keeps the bound of an objective that was minimised. */
static void
reduced_cost_keep_bound(const struct master *m, int old, struct master *next, int row)
{
	int64_t hi;

	if (row == SIMPLEX_NONE)
		return;
	hi = count_add(m->rows[old].hi, master_activity(m, old, &m->fixed) - master_activity(next, row, &next->fixed));
	if (hi < next->rows[row].hi)
		master_set_bounds(next, row, next->rows[row].lo, hi);
}

/* Keeps of what was found the machines of the groups that are left. Their patterns move to the arena. */
static void
reduced_cost_keep_found(const struct program *p, struct uses *found, struct arena *arena)
{
	size_t kept = 0;

	for (size_t i = 0; i < found->count; i++) {
		struct use use = found->list[i];

		if (p->groups[use.pattern.group].only)
			continue;
		use.pattern.units = bits_duplicate(use.pattern.units, p->unit_words, arena);
		found->list[kept++] = use;
	}
	found->count = kept;
}

void
reduced_cost_fix(struct master *m, int row, struct uses *found, struct reduced_program *n)
{
	struct group *groups = arena_alloc(&n->arena, m->program->group_count, sizeof *groups);
	struct master next;

	if (reduced_cost_find_groups(m, row, found, groups, &n->arena) == 0)
		return;
	n->program = *m->program;
	n->program.groups = groups;
	master_init(&next, &n->program, m->budget);
	next.unproven = m->unproven;
	reduced_cost_keep_bound(m, 0, &next, 0);
	for (int i = 0; i < OBJECTIVE_COUNT; i++)
		reduced_cost_keep_bound(m, m->row_of_objective[i], &next, next.row_of_objective[i]);
	reduced_cost_keep_bound(m, m->row_of_moves, &next, next.row_of_moves);
	reduced_cost_keep_bound(m, m->row_of_lost, &next, next.row_of_lost);
	reduced_cost_keep_found(&n->program, found, &n->arena);
	master_release(m);
	*m = next;
}

void
reduced_program_release(struct reduced_program *n)
{
	arena_release(&n->arena);
	*n = (struct reduced_program){0};
}
