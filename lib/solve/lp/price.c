/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/lp/price.h"

#include <stdlib.h>
#include <string.h>

#include "solve/lp/label.h"
#include "solve/lp/pricing-search.h"
#include "solve/program/bits.h"

void
pattern_filter_init(struct pattern_filter *filter, const struct program *p, struct arena *arena)
{
	filter->region = region_all(p, arena);
	filter->hardware = arena_alloc(arena, p->hardware_words, sizeof *filter->hardware);
	filter->images = arena_alloc(arena, p->image_words, sizeof *filter->images);
	pattern_filter_clear(filter, p);
}

void
pattern_filter_clear(struct pattern_filter *filter, const struct program *p)
{
	filter->size = 1;
	filter->region.group = filter->region.hardware = filter->region.zone = ANY;
	filter->region.class = CLASS_OPEN;
	memset(filter->region.with, 0, p->unit_words * sizeof *filter->region.with);
	memset(filter->region.without, 0, p->unit_words * sizeof *filter->region.without);
	for (size_t i = 0; i < p->hardware_count; i++)
		bits_add(filter->hardware, i);
	for (size_t i = 0; i < p->image_count; i++)
		bits_add(filter->images, i);
}

void
prices_init(struct prices *prices, const struct program *p)
{
	*prices = (struct prices){
		.group = memory_zeroed(p->group_count, sizeof *prices->group),
		.hardware = memory_zeroed(p->hardware_count, sizeof *prices->hardware),
		.unit = memory_zeroed(p->unit_count, sizeof *prices->unit),
		.moves_left = NO_MAX,
		.scratch = memory_zeroed(1, sizeof *prices->scratch),
	};
}

void
prices_release(struct prices *prices)
{
	free(prices->group);
	free(prices->hardware);
	free(prices->unit);
	free(prices->regions);
	arena_release(prices->scratch);
	free(prices->scratch);
}

/* Takes what must be there. Returns false if that cannot be. */
static bool
price_take_forced(struct pricing_search *search, const uint64_t *units, size_t *depth)
{
	size_t words = search->program->unit_words;

	BITS_EACH(u, units, words) {
		if (bits_has(search->chosen, u))
			continue;
		if (!pricing_take(search, u, *depth))
			return false;
		++*depth;
	}
	return true;
}

/* Returns what a machine of the group is worth with nothing on it, whatever its type. */
static int64_t
price_of_machine(const struct prices *prices, const struct group *group, int number)
{
	return prices->machine + prices->group[number] + (group->moves ? price_round(prices->move * group->standing) : 0);
}

/* Finds the best pattern on one type. Returns false if the search was given up. */
static bool
price_search_type(struct pricing_search *search, int hardware, size_t steps, struct candidate *scratch)
{
	const struct program *p = search->program;
	const struct group *group = &p->groups[search->group];
	const int64_t *capacity = p->hardware[hardware].capacity;
	size_t depth = 0;

	search->hardware = hardware;
	search->steps = 0;
	search->value = price_of_machine(search->prices, group, search->group) + search->prices->hardware[hardware];
	search->size = 0;
	search->capacitated = false;
	memset(search->chosen, 0, p->unit_words * sizeof *search->chosen);
	memset(search->refused, 0, p->unit_words * sizeof *search->refused);
	memset(search->asked, 0, p->unit_words * sizeof *search->asked);
	bits_copy(search->images, group->images, p->image_words);
	if (search->filter && !bits_keep(search->images, search->filter->images, p->image_words))
		return true;
	for (size_t i = 0; i < p->resource_count; i++) {
		search->left[i] = capacity[i];
		search->capacitated = search->capacitated || capacity[i] != NO_MAX;
	}
	memset(search->worth.weight, 0, p->unit_count * sizeof(double));
	memset(search->services.weight, 0, p->unit_count * sizeof(double));
	if (bits_empty(search->images, p->image_words) || !price_take_forced(search, search->stays, &depth) ||
	    (search->filter && !price_take_forced(search, search->filter->region.with, &depth)))
		return true;
	pricing_order(search, scratch);
	search->steps_left = search->filter ? steps : PRICE_QUICK;
	pricing_search(search, 0, depth);
	if (search->steps_left == 0 && search->best <= search->enough && steps > PRICE_QUICK) {
		if (label_search(search, depth))
			return true;
		search->steps_left = steps;
		pricing_search(search, 0, depth);
	}
	return search->steps_left > 0 || search->best > search->enough;
}

/* Returns what a unit is worth on a machine of the group, as moves have a price. */
static int64_t
price_of_unit(const struct prices *prices, const struct group *group, size_t u)
{
	int64_t moves = group->moves ? group->moves[u] : 0;

	if (prices->unit[u] == PRICE_FORBIDDEN || moves > prices->moves_left)
		return PRICE_FORBIDDEN;
	return prices->unit[u] + price_round(prices->move * moves);
}

/* Sets what units are worth on a machine of the group, and which of them have to stay because too few moves are left. */
static void
price_units(struct pricing_search *search, const struct prices *prices, struct arena *arena)
{
	const struct program *p = search->program;
	const struct group *group = &p->groups[search->group];

	search->own = *prices;
	search->own.unit = arena_alloc(arena, p->unit_count, sizeof *search->own.unit);
	search->prices = &search->own;
	bits_copy(search->stays, group->stays, p->unit_words);
	for (size_t u = 0; u < p->unit_count; u++) {
		int64_t moves = group->moves ? group->moves[u] : 0;

		search->own.unit[u] = price_of_unit(prices, group, u);
		if (moves < 0 && -moves > prices->moves_left)
			bits_add(search->stays, u);
	}
}

/* Considers a machine that leaves. */
static void
price_consider_departure(struct pricing_search *search, int hardware)
{
	const struct program *p = search->program;
	const struct prices *prices = search->prices;
	struct pattern pattern = {.group = search->group, .hardware = hardware, .units = search->chosen};
	int64_t value = prices->group[search->group] + prices->hardware[hardware], moves;

	memset(search->chosen, 0, p->unit_words * sizeof *search->chosen);
	moves = pattern_moves(p, &pattern);
	value += price_round(prices->move * moves + prices->lost * pattern_lost(p, &pattern));
	for (size_t i = 0; i < prices->region_count; i++)
		if (region_has(p, prices->regions[i].region, &pattern))
			value += prices->regions[i].value;
	if (search->filter || moves > prices->moves_left || value <= search->best)
		return;
	search->best = value;
	search->found = true;
	memset(search->best_units, 0, p->unit_words * sizeof *search->best_units);
}

/* Returns whether what stands on machines of the group, and may stand there, can pass the filter. */
static bool
price_filter_fits(const struct program *p, const struct pattern_filter *filter, int group)
{
	const struct group *g = &p->groups[group];

	for (size_t i = 0; i < p->unit_words; i++)
		if ((filter->region.with[i] & ~(g->stays[i] | g->open[i])) || (filter->region.without[i] & g->stays[i]))
			return false;
	return filter->region.group == ANY || filter->region.group == group;
}

/* Returns whether patterns of the group may get an image that the filter leaves out though they could use one that
 * passes. */
static bool
price_image_matters(const struct program *p, const struct pattern_filter *filter, int group)
{
	bool left_out = false;

	for (size_t i = 0; i < p->image_count && filter; i++)
		if (bits_has(p->groups[group].images, i)) {
			if (bits_has(filter->images, i) && left_out)
				return true;
			left_out = left_out || !bits_has(filter->images, i);
		}
	return false;
}

static bool
price_search_group(const struct program *p, const struct prices *prices, struct budget *budget, const struct search_for *what,
    struct pattern *best, int64_t *value, bool *cut_short)
{
	const struct pattern_filter *filter = what->filter;
	const struct group *g = &p->groups[what->group];
	struct arena *arena = prices->scratch;
	struct candidate *scratch = arena_alloc(arena, p->unit_count, sizeof *scratch);
	struct pricing_search search = {
		.program = p, .budget = budget, .filter = filter, .group = what->group, .best = what->floor, .enough = what->enough,
		.best_units = best->units,
		.image_matters = price_image_matters(p, filter, what->group),
		.need = filter && filter->size > 1 ? filter->size : 1,
		.order = arena_alloc(arena, p->unit_count, sizeof *search.order),
		.bound = arena_alloc(arena, p->unit_count + 1, sizeof *search.bound),
		.worth.weight = arena_alloc(arena, p->unit_count, sizeof(double)),
		.services.weight = arena_alloc(arena, p->unit_count, sizeof(double)),
		.light = arena_alloc(arena, p->unit_count, sizeof *search.light),
		.rest = arena_alloc(arena, p->unit_count + 1, sizeof *search.rest),
		.nogoods = arena_alloc(arena, p->nogood_count, sizeof *search.nogoods),
		.chosen = arena_alloc(arena, p->unit_words, sizeof *search.chosen),
		.refused = arena_alloc(arena, p->unit_words, sizeof *search.refused),
		.asked = arena_alloc(arena, p->unit_words, sizeof *search.asked),
		.images = arena_alloc(arena, (p->unit_count + 2) * p->image_words, sizeof *search.images),
		.left = arena_alloc(arena, p->resource_count, sizeof *search.left),
		.stays = arena_alloc(arena, p->unit_words, sizeof *search.stays),
	};

	price_units(&search, prices, arena);
	BITS_EACH(h, g->hardware, p->hardware_words) {
		int64_t before = search.best;

		if (prices->hardware[h] == PRICE_FORBIDDEN || (filter && !bits_has(filter->hardware, h)))
			continue;
		if (p->hardware[h].departure)
			price_consider_departure(&search, (int)h);
		else if (!g->broken && !p->impossible && !price_search_type(&search, (int)h, what->steps, scratch))
			*cut_short = true;
		if (search.best > before)
			*best = (struct pattern){.group = what->group, .hardware = (int)h, .units = best->units};
	}
	arena_clear(arena);
	*value = search.best;
	return search.found;
}

/* Returns whether a pattern of the group may be worth more than is asked for, if all that stands there or may, and is worth something, goes
 * onto one machine: where the group is bounded by its own price, most are done with that. */
static bool
price_may_be(const struct program *p, const struct prices *prices, const struct search_for *what)
{
	const struct pattern_filter *filter = what->filter;
	const struct group *g = &p->groups[what->group];
	int64_t sum = price_of_machine(prices, g, what->group) + prices->region_most, most = PRICE_FORBIDDEN;

	BITS_EACH(h, g->hardware, p->hardware_words) {
		if (p->hardware[h].departure)
			return true;
		if ((!filter || bits_has(filter->hardware, h)) && prices->hardware[h] > most)
			most = prices->hardware[h];
	}
	if (most == PRICE_FORBIDDEN)
		return false;
	sum += most;
	for (size_t word = 0; word < p->unit_words; word++) {
		uint64_t forced = g->stays[word] | (filter ? filter->region.with[word] : 0);
		uint64_t units = forced | (g->open[word] & ~(filter ? filter->region.without[word] : 0));

		for (; units; units &= units - 1) {
			int64_t price = price_of_unit(prices, g, word * 64 + (size_t)__builtin_ctzll(units));

			if (price != PRICE_FORBIDDEN && (price > 0 || (forced & units & -units)))
				sum += price;
		}
	}
	return sum > what->floor;
}

bool
price_best(const struct program *p, const struct prices *prices, struct budget *budget, const struct search_for *what,
    struct pattern *best, int64_t *value, bool *cut_short)
{
	*value = what->floor;
	return prices->group[what->group] != PRICE_FORBIDDEN &&
	    (!what->filter || price_filter_fits(p, what->filter, what->group)) && price_may_be(p, prices, what) &&
	    price_search_group(p, prices, budget, what, best, value, cut_short);
}

size_t
price_largest(const struct program *p, struct budget *budget)
{
	struct prices prices;
	struct pattern pattern = {.units = memory_zeroed(p->unit_words, sizeof *pattern.units)};
	int64_t largest = 0;

	prices_init(&prices, p);
	for (size_t u = 0; u < p->unit_count; u++)
		prices.unit[u] = (int64_t)p->units[u].size;
	for (size_t g = 0; g < p->group_count; g++) {
		struct search_for more = {(int)g, NULL, largest, INT64_MAX, SIZE_MAX};

		if (!p->groups[g].only)
			price_best(p, &prices, budget, &more, &pattern, &largest, NULL);
	}
	prices_release(&prices);
	free(pattern.units);
	return (size_t)largest;
}
