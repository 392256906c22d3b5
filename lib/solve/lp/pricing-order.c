/* SPDX-License-Identifier: Apache-2.0
 *
 * The order in which the pricing search decides units, and the measures for its bounds. Several resources are measured as
 * one: whatever their weights, what is too much by the sum does not fit. The weights are chosen so that the sum
 * says so early.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solve/lp/pricing-search.h"
#include "solve/program/bits.h"

enum { ROUNDS = 12 }; /* of looking for weights */

enum { /* steps, each about a nanosecond */
	SORT_STEPS = 10,  /* for each candidate, times the logarithm of their number */
	WEIGH_STEPS = 2,  /* for each candidate and resource */
	OTHER_STEPS = 20, /* for each candidate */
};

/* Counts the steps of sorting and weighing the candidates so many times. Returns false if the budget is spent. */
static bool
pricing_order_work(const struct pricing_search *search, size_t count, size_t times)
{
	size_t each = OTHER_STEPS + WEIGH_STEPS * search->program->resource_count;

	for (size_t n = count; n > 1; n /= 2)
		each += SORT_STEPS;
	return budget_prepare(search->budget, times * each * count);
}

/* Returns 0 if a region with a price depends on the unit, 1 if it is worth something, 2 if it only makes up the size. */
static int
pricing_order_rank(const struct pricing_search *search, int u)
{
	for (size_t i = 0; i < search->prices->region_count; i++)
		if (pricing_concerns(search, &search->prices->regions[i]) &&
		    (bits_has(search->prices->regions[i].region->with, (size_t)u) ||
		        bits_has(search->prices->regions[i].region->without, (size_t)u)))
			return 0;
	return search->prices->unit[u] > 0 ? 1 : 2;
}

static int
pricing_order_compare_candidates(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank - y->rank;
	if (x->merit != y->merit)
		return x->merit < y->merit ? 1 : -1;
	if (x->bulk != y->bulk)
		return x->bulk < y->bulk ? -1 : 1;
	if (x->nogoods != y->nogoods)
		return x->nogoods < y->nogoods ? 1 : -1;
	return x->unit - y->unit;
}

/* Sets the order, and the bounds that follow from it. */
static void
pricing_order_set(struct pricing_search *search, const struct candidate *list, size_t count)
{
	const struct program *p = search->program;
	int64_t *clique = memory_zeroed(p->unit_count, sizeof *clique);

	search->count = count;
	search->first = search->gainful = search->largest = 0;
	search->grain = 0;
	for (size_t i = 0; i < count; i++) {
		search->order[i] = list[i].unit;
		search->first += list[i].rank == 0;
		if (list[i].rank == 0)
			bits_add(search->asked, (size_t)list[i].unit);
		if (list[i].rank < 2)
			search->grain = (int64_t)whole_divisor(search->prices->unit[list[i].unit], search->grain);
		search->gainful += list[i].rank < 2;
		if (p->units[list[i].unit].size > search->largest)
			search->largest = p->units[list[i].unit].size;
	}
	search->grain = search->grain ? llabs(search->grain) : 1;
	search->rest[count] = 0;
	search->bound[search->gainful] = 0;
	for (size_t i = count; i-- > 0;) {
		const struct unit *unit = &p->units[search->order[i]];
		int64_t worth = search->prices->unit[search->order[i]], more;

		search->rest[i] = search->rest[i + 1] + unit->size;
		if (i >= search->gainful)
			continue;
		more = worth > clique[unit->clique] ? worth - clique[unit->clique] : 0;
		clique[unit->clique] += more;
		search->bound[i] = search->bound[i + 1] + more;
	}
	free(clique);
}

static size_t
pricing_order_find_candidates(const struct pricing_search *search, struct candidate *list)
{
	const struct program *p = search->program;
	const uint64_t *open = p->groups[search->group].open;
	size_t count = 0;

	BITS_EACH(u, open, p->unit_words) {
		struct candidate *c = &list[count];

		if (bits_has(search->chosen, u) || p->units[u].banned || !bits_has(p->units[u].hardware, (size_t)search->hardware) ||
		    search->prices->unit[u] == PRICE_FORBIDDEN || (search->filter && bits_has(search->filter->region.without, u)))
			continue;
		*c = (struct candidate){.unit = (int)u, .nogoods = p->units[u].nogood_count, .rank = pricing_order_rank(search, (int)u)};
		if (c->rank < 2 || search->size < search->need || search->image_matters)
			count++;
	}
	return count;
}

/* Sorts the candidates by their worth for the room they take. */
static void
pricing_order_sort_candidates(const struct pricing_search *search, struct candidate *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		int u = list[i].unit;
		double worth = (double)search->prices->unit[u], weight = search->worth.weight[u];

		list[i].merit = list[i].rank != 1 ? worth : weight > 0 ? worth / weight : INFINITY;
		list[i].bulk = search->services.weight[u] / (double)search->program->units[u].size;
	}
	if (count)
		qsort(list, count, sizeof *list, pricing_order_compare_candidates);
}

static int
pricing_order_compare_bulk(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->bulk != y->bulk)
		return x->bulk < y->bulk ? -1 : 1;
	return x->unit - y->unit;
}

/* Sorts the places by what takes least room for each service. */
static void
pricing_order_sort_light(struct pricing_search *search, struct candidate *list, size_t count)
{
	int *place = memory_zeroed(search->program->unit_count, sizeof *place);

	for (size_t i = 0; i < count; i++)
		place[list[i].unit] = (int)i;
	if (count)
		qsort(list, count, sizeof *list, pricing_order_compare_bulk);
	for (size_t i = 0; i < count; i++)
		search->light[i] = place[list[i].unit];
	free(place);
}

/* Returns what a unit adds to the sum that the surrogate bounds: its price, or its number of services. */
static double
pricing_order_gain_of(const struct pricing_search *search, const struct surrogate *surrogate, int u)
{
	double price = (double)search->prices->unit[u];

	if (surrogate == &search->services)
		return (double)search->program->units[u].size;
	return price > 0 ? price : 0;
}

/* Fills the machine in the order of the list, the last unit in part. Returns the sum of the gains, and sets full to how
 * full each resource is. */
static double
pricing_order_fill(const struct pricing_search *search, const struct surrogate *surrogate, const struct candidate *list,
    size_t count, double *full)
{
	const struct program *p = search->program;
	double good = 0, room = 1;

	memset(full, 0, p->resource_count * sizeof *full);
	for (size_t i = 0; i < count && room > 0; i++) {
		const struct unit *unit = &p->units[list[i].unit];
		double weight = surrogate->weight[list[i].unit], part = weight > room ? room / weight : 1;

		room -= weight * part;
		good += part * pricing_order_gain_of(search, surrogate, list[i].unit);
		for (size_t j = 0; j < p->resource_count; j++)
			if (search->left[j] != NO_MAX && search->left[j] > 0)
				full[j] += part * (double)unit->consumes[j] / (double)search->left[j];
	}
	return good;
}

/* Sets the part of the machine that each unit takes: the mean over the resources, each with its weight. */
static void
pricing_order_set_weights(struct pricing_search *search, struct surrogate *surrogate, struct candidate *list, size_t count,
    const double *weight)
{
	for (size_t i = 0; i < count; i++) {
		int u = list[i].unit;
		const int64_t *consumes = search->program->units[u].consumes;
		double sum = 0, weights = 0;

		for (size_t r = 0; r < search->program->resource_count; r++)
			if (search->left[r] != NO_MAX && search->left[r] > 0) {
				sum += weight[r] * (double)consumes[r] / (double)search->left[r];
				weights += weight[r];
			}
		surrogate->weight[u] = weights > 0 ? sum / weights : 0;
		list[i].bulk = surrogate->weight[u] / fmax(pricing_order_gain_of(search, surrogate, u), 1e-9);
	}
}

/* Finds weights of the resources for which the bound that filling gives is low: those that get too full weigh more,
 * until none does. Any weights give a bound; nothing is gained below enough. */
static void
pricing_order_find_weights(struct pricing_search *search, struct surrogate *surrogate, struct candidate *list, size_t count,
    double enough, double *best)
{
	size_t n = search->program->resource_count;
	double *weight = memory_zeroed(2 * n, sizeof *weight), *full = weight + n, least = INFINITY;
	bool too_full = true;
	int idle = 0;

	for (size_t i = 0; i < n; i++)
		weight[i] = best[i] = 1;
	for (int round = 0; round < ROUNDS && n > 1 && count && least > enough && idle < 2 && too_full && pricing_order_work(search, count, 1);
	     round++) {
		double good;

		pricing_order_set_weights(search, surrogate, list, count, weight);
		qsort(list, count, sizeof *list, pricing_order_compare_bulk);
		good = pricing_order_fill(search, surrogate, list, count, full);
		idle = good < least * 0.999 ? 0 : idle + 1;
		if (good < least) {
			least = good;
			memcpy(best, weight, n * sizeof *best);
		}
		too_full = false;
		for (size_t i = 0; i < n; i++) {
			too_full = too_full || full[i] > 1 + 1e-9;
			weight[i] *= fmax(full[i], 0.05);
		}
	}
	free(weight);
}

/* Returns whether the cached weights were found for these units and as much room; else prepares the cache for them. */
static bool
pricing_order_is_known(struct weight_cache *cache, const struct pricing_search *search, const struct candidate *list,
    size_t count)
{
	const struct program *p = search->program;
	uint64_t *units = memory_zeroed(p->unit_words, sizeof *units);
	bool known;

	if (!cache->units) {
		cache->units = memory_zeroed(p->unit_words, sizeof *cache->units);
		cache->left = memory_zeroed(p->resource_count, sizeof *cache->left);
		cache->weight = memory_zeroed(p->resource_count, sizeof *cache->weight);
	}
	for (size_t i = 0; i < count; i++)
		bits_add(units, (size_t)list[i].unit);
	known = cache->need == search->need - search->size && bits_equal(units, cache->units, p->unit_words) &&
	    memcmp(search->left, cache->left, p->resource_count * sizeof *search->left) == 0;
	cache->need = search->need - search->size;
	bits_copy(cache->units, units, p->unit_words);
	memcpy(cache->left, search->left, p->resource_count * sizeof *search->left);
	free(units);
	return known;
}

void
pricing_order(struct pricing_search *search, struct candidate *scratch)
{
	size_t count = pricing_order_find_candidates(search, scratch), more = search->need - search->size;
	bool counts = search->capacitated && search->size + 1 < search->need;

	search->worth.room = search->services.room = 1;
	pricing_order_work(search, count + 1, counts ? 3 : 2);
	if (search->capacitated) {
		double *weight = memory_zeroed(search->program->resource_count, sizeof *weight);

		pricing_order_find_weights(search, &search->worth, scratch, count, (double)search->best - (double)search->value - (double)search->prices->region_most, weight);
		pricing_order_set_weights(search, &search->worth, scratch, count, weight);
		free(weight);
	}
	if (counts) { /* that does not depend on prices: the weights are the same as long as the filter is */
		struct weight_cache *cache = &search->prices->weight_caches[search->hardware];

		if (!pricing_order_is_known(cache, search, scratch, count))
			pricing_order_find_weights(search, &search->services, scratch, count, (double)more - 1, cache->weight);
		pricing_order_set_weights(search, &search->services, scratch, count, cache->weight);
	}
	pricing_order_sort_candidates(search, scratch, count);
	pricing_order_set(search, scratch, count);
	pricing_cost_nogoods(search);
	if (counts)
		pricing_order_sort_light(search, scratch, count);
}
