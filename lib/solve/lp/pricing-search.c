/* SPDX-License-Identifier: Apache-2.0
 *
 * Depth first over the units, those of most worth per room they take first, each one taken before it is left out.
 * A branch ends where what may still come cannot beat what was found: of each clique of units that exclude each
 * other at most one comes; of each nogood one stays away (pricing-nogoods.c); where capacities count, no more than fills the room that is
 * left; and a unit is not taken where a better one that could stand in its place was left out.
 */
#include "solve/lp/pricing-search.h"

#include <math.h>

#include "solve/program/bits.h"

enum {
	LONG = 200, /* steps without finding a better pattern */
	STEP_WORK = 20,
};

bool
pricing_concerns(const struct pricing_search *search, const struct region_price *price)
{
	return price->value != 0 && (price->region->class == CLASS_OPEN || price->region->class == ANY) &&
	    (price->region->group == ANY || price->region->group == search->group) &&
	    (price->region->zone == ANY || price->region->zone == search->program->groups[search->group].zone) &&
	    (price->region->hardware == ANY || price->region->hardware == search->hardware);
}

/* Returns the sum of the prices of the regions that the machine is in; unless all is decided, the most that it may become. */
static int64_t
pricing_region_prices(const struct pricing_search *search, bool decided)
{
	size_t words = search->program->unit_words;
	int64_t sum = 0;

	for (size_t i = 0; i < search->prices->region_count; i++) {
		const struct region_price *price = &search->prices->regions[i];

		if (!pricing_concerns(search, price) || bits_meet(price->region->without, search->chosen, words))
			continue;
		if (decided ? bits_within(price->region->with, search->chosen, words)
		            : price->value > 0 && !bits_meet(price->region->with, search->refused, words))
			sum += price->value;
	}
	return sum;
}

int64_t
pricing_worth(const struct pricing_search *search)
{
	return search->value + pricing_region_prices(search, true);
}

bool
pricing_take(struct pricing_search *search, size_t u, size_t depth)
{
	const struct program *p = search->program;
	const struct unit *unit = &p->units[u];
	uint64_t *images = search->images + (depth + 1) * p->image_words;

	if (unit->banned || search->prices->unit[u] == PRICE_FORBIDDEN || !bits_has(unit->hardware, (size_t)search->hardware) ||
	    (!bits_has(p->groups[search->group].open, u) && !bits_has(p->groups[search->group].stays, u)) ||
	    bits_meet(unit->excludes, search->chosen, p->unit_words))
		return false;
	for (size_t i = 0; i < p->resource_count; i++)
		if (search->left[i] != NO_MAX && unit->consumes[i] > search->left[i])
			return false;
	bits_copy(images, search->images + depth * p->image_words, p->image_words);
	if (!bits_keep(images, unit->images, p->image_words) || program_completes_nogood(p, search->chosen, u))
		return false;
	for (size_t i = 0; i < p->resource_count; i++)
		if (search->left[i] != NO_MAX)
			search->left[i] -= unit->consumes[i];
	bits_add(search->chosen, u);
	search->size += unit->size;
	search->value += search->prices->unit[u];
	search->worth.room -= search->worth.weight[u];
	search->services.room -= search->services.weight[u];
	return true;
}

void
pricing_put_back(struct pricing_search *search, size_t u)
{
	const struct program *p = search->program;

	for (size_t i = 0; i < p->resource_count; i++)
		if (search->left[i] != NO_MAX)
			search->left[i] += p->units[u].consumes[i];
	bits_drop(search->chosen, u);
	search->size -= p->units[u].size;
	search->value -= search->prices->unit[u];
	search->worth.room += search->worth.weight[u];
	search->services.room += search->services.weight[u];
}

/* Returns what order[from..gainful] may add where only the room counts: the last unit in part. Rounded up by more than
 * doubles err. */
static int64_t
pricing_filling(const struct pricing_search *search, size_t from)
{
	double room = search->worth.room + 1e-9, sum = 0;

	for (size_t i = from; i < search->gainful; i++) {
		int u = search->order[i];
		double worth = (double)search->prices->unit[u], weight = search->worth.weight[u];

		if (worth <= 0)
			continue;
		if (weight > room && i >= search->first) {
			sum += worth * (room > 0 ? room / weight : 0);
			break;
		}
		sum += worth;
		room -= i >= search->first ? weight : 0;
	}
	sum = floor(sum * (1 + 1e-12));
	return (int64_t)sum - (int64_t)sum % search->grain;
}

/* Returns whether the room is too small for as many services as there must be. */
static bool
pricing_is_too_full(const struct pricing_search *search, size_t from)
{
	double room = search->services.room + 1e-9;
	size_t size = search->size;

	for (size_t i = 0; i < search->count && size < search->need; i++) {
		size_t at = (size_t)search->light[i];
		double weight = search->services.weight[search->order[at]];

		if (at < from)
			continue;
		if (weight > room) { /* a part of this one, and the others take more for each service */
			double more = (double)search->program->units[search->order[at]].size * room / weight;

			return (double)size + floor(more + 1e-9) < (double)search->need;
		}
		room -= weight;
		size += search->program->units[search->order[at]].size;
	}
	return size < search->need;
}

/* Returns what the units that only make up the size cost at least. */
static int64_t
pricing_padding(const struct pricing_search *search, size_t from)
{
	size_t start = from > search->gainful ? from : search->gainful;
	size_t have = search->size + (from < search->gainful ? search->rest[from] - search->rest[search->gainful] : 0);
	int64_t sum = 0;

	for (size_t i = start; i < search->count && have < search->need; i++) {
		sum += search->prices->unit[search->order[i]];
		have += search->largest;
	}
	return sum;
}

/* Returns whether the first image that all chosen units may use passes the filter. */
static bool
pricing_has_image(const struct pricing_search *search)
{
	size_t image = search->image_matters ? program_image(search->program, search->group, search->chosen) : SIZE_MAX;

	return !search->image_matters || (image != SIZE_MAX && bits_has(search->filter->images, image));
}

/* Returns whether what was left out is no worse than u, and could stand in its place: then a pattern with u is nothing
 * new. */
static bool
pricing_is_pointless(const struct pricing_search *search, size_t i)
{
	const struct program *p = search->program;
	int u = search->order[i];

	if (i < search->first || search->image_matters)
		return false;
	for (size_t word = 0; word < p->unit_words; word++) {
		uint64_t better = p->units[u].betters[word] & search->refused[word];

		for (; better; better &= better - 1) {
			size_t other = word * 64 + (size_t)__builtin_ctzll(better);

			if (search->prices->unit[other] >= search->prices->unit[u] && !bits_has(search->asked, other))
				return true;
		}
	}
	return false;
}

/* Returns whether what is to come cannot beat what was found; what is quickly known comes first. */
static bool
pricing_cannot_improve(const struct pricing_search *search, size_t from)
{
	int64_t bound = (from < search->gainful ? search->bound[from] : 0) - search->open_nogoods.worth, short_by = search->best - search->value, more;
	size_t fewer = (size_t)((search->open_nogoods.services + NOGOOD_SHARES - 1) / NOGOOD_SHARES);

	if (search->size + search->rest[from] < search->need + fewer || bound + search->prices->region_most <= short_by)
		return true;
	more = pricing_padding(search, from) + (search->prices->region_count ? pricing_region_prices(search, from >= search->first) : 0);
	if (bound + more <= short_by || (search->capacitated && search->size + 1 < search->need && pricing_is_too_full(search, from)))
		return true;
	return search->capacitated && from < search->gainful && pricing_filling(search, from) + more <= short_by;
}

void
pricing_search(struct pricing_search *search, size_t i, size_t depth)
{
	if (!budget_work(search->budget, STEP_WORK + search->count - i) || pricing_cannot_improve(search, i) ||
	    (search->best > search->enough && search->steps++ > LONG))
		return;
	if ((i == search->count || (i >= search->gainful && search->size >= search->need)) && pricing_has_image(search)) {
		int64_t value = pricing_worth(search);

		if (value > search->best) {
			search->best = value;
			search->found = true;
			search->steps = 0;
			bits_copy(search->best_units, search->chosen, search->program->unit_words);
		}
		return;
	}
	if (i == search->count || !search->steps_left || !--search->steps_left)
		return;
	if (!pricing_is_pointless(search, i) && pricing_take(search, (size_t)search->order[i], depth)) {
		pricing_search(search, i + 1, depth + 1);
		pricing_put_back(search, (size_t)search->order[i]);
	}
	pricing_refuse(search, (size_t)search->order[i]);
	pricing_search(search, i + 1, depth);
	pricing_admit(search, (size_t)search->order[i]);
}
