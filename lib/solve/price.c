/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/price.h"

#include <stdlib.h>
#include <string.h>

#include "solve/bits.h"
#include "solve/hunt.h"

/* Takes what must be there. False where that cannot be. */
static bool
take_forced(struct hunt *hunt, const uint64_t *units, size_t *depth)
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
hunt_on(struct hunt *hunt, int hardware, struct candidate *scratch)
{
	const struct program *p = hunt->program;
	const struct group *group = &p->groups[hunt->group];
	const int64_t *capacity = p->hardware[hardware].capacity;
	size_t depth = 0;

	hunt->hardware = hardware;
	hunt->steps = 0;
	hunt->value = hunt->prices->machine + hunt->prices->group[hunt->group] + hunt->prices->hardware[hardware];
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
	if (bits_empty(hunt->images, p->image_words) || !take_forced(hunt, group->stays, &depth) ||
	    (hunt->wish && !take_forced(hunt, hunt->wish->region.with, &depth)))
		return;
	hunt_arrange(hunt, scratch);
	hunt_search(hunt, 0, depth);
}

static void
release(struct hunt *hunt)
{
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

static bool
wish_allows(const struct wish *wish, int group, size_t hardware)
{
	return bits_has(wish->hardware, hardware) && (wish->region.group == ANY || wish->region.group == group);
}

bool
price_best(const struct program *p, const struct prices *prices, struct budget *budget, int group,
    const struct wish *wish, int64_t floor, int64_t enough, struct pattern *best, int64_t *value)
{
	const struct group *g = &p->groups[group];
	struct candidate *scratch = memory_zeroed(p->unit_count, sizeof *scratch);
	struct hunt hunt = {
		.program = p, .prices = prices, .budget = budget, .wish = wish, .group = group, .best = floor, .enough = enough, .best_units = best->units,
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
	};

	for (size_t h = bits_next(g->hardware, p->hardware_words, 0); h != SIZE_MAX && !g->broken && !p->impossible;
	     h = bits_next(g->hardware, p->hardware_words, h + 1)) {
		int64_t before = hunt.best;

		if (prices->hardware[h] == PRICE_FORBIDDEN || prices->group[group] == PRICE_FORBIDDEN ||
		    (wish && !wish_allows(wish, group, h)))
			continue;
		hunt_on(&hunt, (int)h, scratch);
		if (hunt.best > before)
			*best = (struct pattern){group, (int)h, best->units};
	}
	release(&hunt);
	free(scratch);
	*value = hunt.best;
	return hunt.found;
}
