/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/lp/price.h"

#include <stdlib.h>
#include <string.h>

#include "solve/lp/hunt.h"
#include "solve/lp/label.h"
#include "solve/program/bits.h"

enum { PATIENCE = 2000 }; /* steps of a search by depth, where labels may end it sooner */

/* Takes what must be there. False where that cannot be. */
static bool
price_take_forced(struct hunt *hunt, const uint64_t *units, size_t *depth)
{
	size_t words = hunt->program->unit_words;

	for (size_t u = bits_next(units, words, 0); u != SIZE_MAX; u = bits_next(units, words, u + 1)) {
		if (bits_has(hunt->chosen, u))
			continue;
		if (!hunt_take(hunt, u, *depth))
			return false;
		++*depth;
	}
	return true;
}

/* The best pattern on one type. */
static void
price_hunt_on(struct hunt *hunt, int hardware, struct candidate *scratch)
{
	const struct program *p = hunt->program;
	const struct group *group = &p->groups[hunt->group];
	const int64_t *capacity = p->hardware[hardware].capacity;
	size_t depth = 0;

	hunt->hardware = hardware;
	hunt->steps = 0;
	hunt->value = hunt->prices->machine + hunt->prices->group[hunt->group] + hunt->prices->hardware[hardware];
	if (group->moves)
		hunt->value += price_round((price_product)hunt->prices->move * group->standing);
	hunt->size = 0;
	hunt->crammed = false;
	memset(hunt->chosen, 0, p->unit_words * sizeof *hunt->chosen);
	memset(hunt->refused, 0, p->unit_words * sizeof *hunt->refused);
	memset(hunt->asked, 0, p->unit_words * sizeof *hunt->asked);
	bits_copy(hunt->images, group->images, p->image_words);
	if (hunt->wish && !bits_keep(hunt->images, hunt->wish->images, p->image_words))
		return;
	for (size_t i = 0; i < p->resource_count; i++) {
		hunt->left[i] = capacity[i];
		hunt->crammed = hunt->crammed || capacity[i] != NO_MAX;
	}
	memset(hunt->worth.weight, 0, p->unit_count * sizeof(double));
	memset(hunt->services.weight, 0, p->unit_count * sizeof(double));
	if (bits_empty(hunt->images, p->image_words) || !price_take_forced(hunt, hunt->stays, &depth) ||
	    (hunt->wish && !price_take_forced(hunt, hunt->wish->region.with, &depth)))
		return;
	hunt_arrange(hunt, scratch);
	hunt->patience = hunt->wish ? SIZE_MAX : PATIENCE;
	hunt_search(hunt, 0, depth);
	if (hunt->patience == 0 && hunt->best <= hunt->enough && !label_search(hunt, depth)) {
		hunt->patience = SIZE_MAX;
		hunt_search(hunt, 0, depth);
	}
}

/* What units are worth on a machine of the group, where moves have a price, and which of them have to stay, where
 * too few moves are left. */
static void
price_units(struct hunt *hunt, const struct prices *prices)
{
	const struct program *p = hunt->program;
	const struct group *group = &p->groups[hunt->group];

	hunt->own = *prices;
	hunt->own.unit = memory_zeroed(p->unit_count, sizeof *hunt->own.unit);
	hunt->prices = &hunt->own;
	bits_copy(hunt->stays, group->stays, p->unit_words);
	for (size_t u = 0; u < p->unit_count; u++) {
		int64_t moves = group->moves ? group->moves[u] : 0;

		if (prices->unit[u] == PRICE_FORBIDDEN || moves > prices->moves_left)
			hunt->own.unit[u] = PRICE_FORBIDDEN;
		else
			hunt->own.unit[u] = prices->unit[u] + price_round((price_product)prices->move * moves);
		if (moves < 0 && -moves > prices->moves_left)
			bits_add(hunt->stays, u);
	}
}

/* A machine that leaves. */
static void
price_consider_departure(struct hunt *hunt, int hardware)
{
	const struct program *p = hunt->program;
	const struct prices *prices = hunt->prices;
	struct pattern pattern = {.group = hunt->group, .hardware = hardware, .units = hunt->chosen};
	int64_t value = prices->group[hunt->group] + prices->hardware[hardware], moves;

	memset(hunt->chosen, 0, p->unit_words * sizeof *hunt->chosen);
	moves = pattern_moves(p, &pattern);
	value += price_round((price_product)prices->move * moves + (price_product)prices->lost * pattern_lost(p, &pattern));
	for (size_t i = 0; i < prices->toll_count; i++)
		if (region_has(p, prices->tolls[i].region, &pattern))
			value += prices->tolls[i].price;
	if (hunt->wish || moves > prices->moves_left || value <= hunt->best)
		return;
	hunt->best = value;
	hunt->found = true;
	memset(hunt->best_units, 0, p->unit_words * sizeof *hunt->best_units);
}

static void
price_release(struct hunt *hunt)
{
	free(hunt->own.unit);
	free(hunt->stays);
	free(hunt->order);
	free(hunt->hope);
	free(hunt->worth.weight);
	free(hunt->services.weight);
	free(hunt->light);
	free(hunt->rest);
	free(hunt->chosen);
	free(hunt->refused);
	free(hunt->asked);
	free(hunt->images);
	free(hunt->left);
}

/* Whether what stands on machines of the group, and may stand there, is not against the wish. */
static bool
price_wish_fits(const struct program *p, const struct wish *wish, int group)
{
	const struct group *g = &p->groups[group];

	for (size_t i = 0; i < p->unit_words; i++)
		if ((wish->region.with[i] & ~(g->stays[i] | g->open[i])) || (wish->region.without[i] & g->stays[i]))
			return false;
	return wish->region.group == ANY || wish->region.group == group;
}

/* Whether patterns of the group may get an image that is none of the wish's though they could use one that is. */
static bool
price_is_choosy(const struct program *p, const struct wish *wish, int group)
{
	bool left_out = false;

	for (size_t i = 0; i < p->image_count && wish; i++)
		if (bits_has(p->groups[group].images, i)) {
			if (bits_has(wish->images, i) && left_out)
				return true;
			left_out = left_out || !bits_has(wish->images, i);
		}
	return false;
}

static bool
price_hunt_all(const struct program *p, const struct prices *prices, struct budget *budget, const struct search_for *what,
    struct pattern *best, int64_t *value)
{
	const struct wish *wish = what->wish;
	const struct group *g = &p->groups[what->group];
	struct candidate *scratch = memory_zeroed(p->unit_count, sizeof *scratch);
	struct hunt hunt = {
		.program = p, .budget = budget, .wish = wish, .group = what->group, .best = what->floor, .enough = what->enough,
		.best_units = best->units,
		.choosy = price_is_choosy(p, wish, what->group),
		.need = wish && wish->size > 1 ? wish->size : 1,
		.order = memory_zeroed(p->unit_count, sizeof *hunt.order),
		.hope = memory_zeroed(p->unit_count + 1, sizeof *hunt.hope),
		.worth.weight = memory_zeroed(p->unit_count, sizeof(double)),
		.services.weight = memory_zeroed(p->unit_count, sizeof(double)),
		.light = memory_zeroed(p->unit_count, sizeof *hunt.light),
		.rest = memory_zeroed(p->unit_count + 1, sizeof *hunt.rest),
		.chosen = memory_zeroed(p->unit_words, sizeof *hunt.chosen),
		.refused = memory_zeroed(p->unit_words, sizeof *hunt.refused),
		.asked = memory_zeroed(p->unit_words, sizeof *hunt.asked),
		.images = memory_zeroed((p->unit_count + 2) * p->image_words, sizeof *hunt.images),
		.left = memory_zeroed(p->resource_count, sizeof *hunt.left),
		.stays = memory_zeroed(p->unit_words, sizeof *hunt.stays),
	};

	price_units(&hunt, prices);
	for (size_t h = bits_next(g->hardware, p->hardware_words, 0); h != SIZE_MAX;
	     h = bits_next(g->hardware, p->hardware_words, h + 1)) {
		int64_t before = hunt.best;

		if (prices->hardware[h] == PRICE_FORBIDDEN || (wish && !bits_has(wish->hardware, h)))
			continue;
		if (p->hardware[h].departure)
			price_consider_departure(&hunt, (int)h);
		else if (!g->broken && !p->impossible)
			price_hunt_on(&hunt, (int)h, scratch);
		if (hunt.best > before)
			*best = (struct pattern){.group = what->group, .hardware = (int)h, .units = best->units};
	}
	price_release(&hunt);
	free(scratch);
	*value = hunt.best;
	return hunt.found;
}

bool
price_best(const struct program *p, const struct prices *prices, struct budget *budget, const struct search_for *what,
    struct pattern *best, int64_t *value)
{
	*value = what->floor;
	return prices->group[what->group] != PRICE_FORBIDDEN && (!what->wish ||
	    price_wish_fits(p, what->wish, what->group)) &&
	    price_hunt_all(p, prices, budget, what, best, value);
}

size_t
price_largest(const struct program *p, struct budget *budget)
{
	struct prices prices = {
		.group = memory_zeroed(p->group_count, sizeof *prices.group),
		.hardware = memory_zeroed(p->hardware_count, sizeof *prices.hardware),
		.unit = memory_zeroed(p->unit_count, sizeof *prices.unit),
		.moves_left = NO_MAX,
	};
	struct pattern pattern = {.units = memory_zeroed(p->unit_words, sizeof *pattern.units)};
	int64_t largest = 0;

	for (size_t u = 0; u < p->unit_count; u++)
		prices.unit[u] = (int64_t)p->units[u].size;
	for (size_t g = 0; g < p->group_count; g++) {
		struct search_for more = {(int)g, NULL, largest, INT64_MAX};

		if (!p->groups[g].only)
			price_best(p, &prices, budget, &more, &pattern, &largest);
	}
	free(prices.group);
	free(prices.hardware);
	free(prices.unit);
	free(pattern.units);
	return (size_t)largest;
}
