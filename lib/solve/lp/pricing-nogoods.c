/* SPDX-License-Identifier: Apache-2.0
 *
 * Nogoods in the bounds of the pricing search. Of three or more units that may not all stand on one machine one is left out at least. Each
 * nogood is given a cost, so that those of all nogoods that a unit is in are together no more than the unit is worth: then what is left
 * out is worth at least as much as the nogoods that it keeps cost (the dual of a linear program, not necessarily its best solution). So
 * with the services of units in place of what they are worth.
 */
#include <stdlib.h>
#include <string.h>

#include "solve/lp/pricing-search.h"
#include "solve/program/bits.h"

/* Finds the units that the bounds count one by one: those still to be decided that are alone in their cliques. */
static void
pricing_find_lone_units(const struct pricing_search *search, uint64_t *lone)
{
	const struct program *p = search->program;
	size_t *others = memory_zeroed(p->unit_count, sizeof *others);

	for (size_t i = 0; i < search->count; i++)
		others[p->units[search->order[i]].clique]++;
	for (size_t i = 0; i < search->count; i++)
		if (others[p->units[search->order[i]].clique] == 1)
			bits_add(lone, (size_t)search->order[i]);
	free(others);
}

/* Returns whether all units of a nogood are chosen or counted one by one. */
static bool
pricing_nogood_counts(const struct pricing_search *search, const uint64_t *nogood, const uint64_t *lone)
{
	bool counts = true;

	for (size_t w = 0; w < search->program->unit_words && counts; w++)
		counts = !(nogood[w] & ~lone[w] & ~search->chosen[w]);
	return counts;
}

/* Raises the costs of the nogoods that rise together, until a unit is in some that cost as much as it is worth; then that of the others; as
 * long as the budget lasts. rest: what each unit is worth, and is not shared out yet. */
static void
pricing_raise_costs(const struct pricing_search *search, bool *rising, int64_t *rest, int64_t *cost)
{
	const struct program *p = search->program;
	int64_t *in = memory_zeroed(p->unit_count, sizeof *in), least;

	do {
		memset(in, 0, p->unit_count * sizeof *in);
		least = INT64_MAX;
		for (size_t k = 0; k < p->nogood_count; k++)
			BITS_EACH(u, p->nogoods[k], rising[k] ? p->unit_words : 0)
				in[u] += !bits_has(search->chosen, u);
		for (size_t u = 0; u < p->unit_count; u++)
			if (in[u] > 0 && rest[u] / in[u] < least)
				least = rest[u] / in[u];
		for (size_t u = 0; u < p->unit_count && least != INT64_MAX; u++)
			rest[u] -= in[u] * least;
		for (size_t k = 0; k < p->nogood_count && least != INT64_MAX; k++) {
			cost[k] += rising[k] ? least : 0;
			BITS_EACH(u, p->nogoods[k], rising[k] ? p->unit_words : 0)
				rising[k] = rising[k] && (bits_has(search->chosen, u) || rest[u] >= in[u]);
		}
	} while (least != INT64_MAX && budget_work(search->budget, p->nogood_count * p->unit_words + p->unit_count));
	free(in);
}

/* Sets the costs by what units are worth, or by their services. */
static void
pricing_set_costs(struct pricing_search *search, const uint64_t *lone, bool services)
{
	const struct program *p = search->program;
	int64_t *rest = memory_zeroed(p->unit_count, sizeof *rest), *cost = memory_zeroed(p->nogood_count, sizeof *cost);
	bool *rising = memory_zeroed(p->nogood_count, sizeof *rising);

	for (size_t u = 0; u < p->unit_count; u++)
		rest[u] = services ? (int64_t)p->units[u].size * NOGOOD_SHARES : search->prices->unit[u] > 0 ? search->prices->unit[u] : 0;
	for (size_t k = 0; k < p->nogood_count; k++)
		rising[k] = pricing_nogood_counts(search, p->nogoods[k], lone);
	pricing_raise_costs(search, rising, rest, cost);
	for (size_t k = 0; k < p->nogood_count; k++) {
		*(services ? &search->nogoods[k].services : &search->nogoods[k].worth) = cost[k];
		*(services ? &search->open_nogoods.services : &search->open_nogoods.worth) += cost[k];
	}
	free(rising);
	free(cost);
	free(rest);
}

void
pricing_cost_nogoods(struct pricing_search *search)
{
	uint64_t *lone;

	if (search->program->nogood_count == 0)
		return;
	lone = memory_zeroed(search->program->unit_words, sizeof *lone);
	pricing_find_lone_units(search, lone);
	memset(search->nogoods, 0, search->program->nogood_count * sizeof *search->nogoods);
	search->open_nogoods = (struct nogood_cost){0};
	pricing_set_costs(search, lone, false);
	if (search->need > 1)
		pricing_set_costs(search, lone, true);
	free(lone);
}

void
pricing_refuse(struct pricing_search *search, size_t u)
{
	const struct unit *unit = &search->program->units[u];

	bits_add(search->refused, u);
	for (size_t i = 0; i < unit->nogood_count; i++) {
		struct nogood_cost *cost = &search->nogoods[unit->nogoods[i]];

		if (cost->refused++)
			continue;
		search->open_nogoods.worth -= cost->worth;
		search->open_nogoods.services -= cost->services;
	}
}

void
pricing_admit(struct pricing_search *search, size_t u)
{
	const struct unit *unit = &search->program->units[u];

	bits_drop(search->refused, u);
	for (size_t i = 0; i < unit->nogood_count; i++) {
		struct nogood_cost *cost = &search->nogoods[unit->nogoods[i]];

		if (--cost->refused)
			continue;
		search->open_nogoods.worth += cost->worth;
		search->open_nogoods.services += cost->services;
	}
}
