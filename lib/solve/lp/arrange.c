/* SPDX-License-Identifier: Apache-2.0
 *
 * The order in which the hunt decides units, and the measures for its bounds. Several resources are measured as
 * one: whatever their weights, what is too much by the sum does not fit. The weights are chosen so that the sum
 * says so early.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solve/lp/hunt.h"
#include "solve/program/bits.h"

enum { ROUNDS = 12 }; /* of looking for weights */

/* The part of the machine that a unit takes: the mean over the resources, each with its weight. */
static double
arrange_weigh(const struct program *p, const struct unit *unit, const int64_t *capacity, const double *weight)
{
	double sum = 0, weights = 0;

	for (size_t i = 0; i < p->resource_count; i++)
		if (capacity[i] != NO_MAX && capacity[i] > 0) {
			sum += weight[i] * (double)unit->consumes[i] / (double)capacity[i];
			weights += weight[i];
		}
	return weights > 0 ? sum / weights : 0;
}

/* 0: a toll asks for it; 1: worth something; 2: only makes up the size. */
static int
arrange_rank(const struct hunt *hunt, int u)
{
	for (size_t i = 0; i < hunt->prices->toll_count; i++)
		if (hunt_concerns(hunt, &hunt->prices->tolls[i]) &&
		    (bits_has(hunt->prices->tolls[i].region->with, (size_t)u) ||
		        bits_has(hunt->prices->tolls[i].region->without, (size_t)u)))
			return 0;
	return hunt->prices->unit[u] > 0 ? 1 : 2;
}

static int
arrange_compare_candidates(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank - y->rank;
	if (x->merit != y->merit)
		return x->merit < y->merit ? 1 : -1;
	if (x->bulk != y->bulk)
		return x->bulk < y->bulk ? -1 : 1;
	return x->unit - y->unit;
}

/* What the search wants to know of the order beforehand. */
static void
arrange_set_order(struct hunt *hunt, const struct candidate *list, size_t count)
{
	const struct program *p = hunt->program;
	int64_t *clique = memory_zeroed(p->unit_count, sizeof *clique);

	hunt->count = count;
	hunt->first = hunt->gainful = hunt->largest = 0;
	hunt->grain = 0;
	for (size_t i = 0; i < count; i++) {
		hunt->order[i] = list[i].unit;
		hunt->first += list[i].rank == 0;
		if (list[i].rank == 0)
			bits_add(hunt->asked, (size_t)list[i].unit);
		if (list[i].rank < 2)
			hunt->grain = count_divisor(hunt->prices->unit[list[i].unit], hunt->grain);
		hunt->gainful += list[i].rank < 2;
		if (p->units[list[i].unit].size > hunt->largest)
			hunt->largest = p->units[list[i].unit].size;
	}
	hunt->grain = hunt->grain ? llabs(hunt->grain) : 1;
	hunt->rest[count] = 0;
	hunt->hope[hunt->gainful] = 0;
	for (size_t i = count; i-- > 0;) {
		const struct unit *unit = &p->units[hunt->order[i]];
		int64_t worth = hunt->prices->unit[hunt->order[i]], more;

		hunt->rest[i] = hunt->rest[i + 1] + unit->size;
		if (i >= hunt->gainful)
			continue;
		more = worth > clique[unit->clique] ? worth - clique[unit->clique] : 0;
		clique[unit->clique] += more;
		hunt->hope[i] = hunt->hope[i + 1] + more;
	}
	free(clique);
}

static size_t
arrange_find_candidates(const struct hunt *hunt, struct candidate *list)
{
	const struct program *p = hunt->program;
	const uint64_t *open = p->groups[hunt->group].open;
	size_t count = 0;

	for (size_t u = bits_next(open, p->unit_words, 0); u != SIZE_MAX; u = bits_next(open, p->unit_words, u + 1)) {
		struct candidate *c = &list[count];

		if (bits_has(hunt->chosen, u) || p->units[u].banned || !bits_has(p->units[u].hardware, (size_t)hunt->hardware) ||
		    hunt->prices->unit[u] == PRICE_FORBIDDEN || (hunt->wish && bits_has(hunt->wish->region.without, u)))
			continue;
		*c = (struct candidate){.unit = (int)u, .rank = arrange_rank(hunt, (int)u)};
		if (c->rank < 2 || hunt->size < hunt->need || hunt->choosy)
			count++;
	}
	return count;
}

/* Puts the candidates in order, by their worth for the room they take. */
static void
arrange_sort_candidates(const struct hunt *hunt, struct candidate *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		int u = list[i].unit;
		double worth = (double)hunt->prices->unit[u], weight = hunt->worth.weight[u];

		list[i].merit = list[i].rank != 1 ? worth : weight > 0 ? worth / weight : INFINITY;
		list[i].bulk = hunt->services.weight[u] / (double)hunt->program->units[u].size;
	}
	if (count)
		qsort(list, count, sizeof *list, arrange_compare_candidates);
}

static int
arrange_compare_bulk(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->bulk != y->bulk)
		return x->bulk < y->bulk ? -1 : 1;
	return x->unit - y->unit;
}

/* The places in order of what takes least room for each service. */
static void
arrange_sort_light(struct hunt *hunt, struct candidate *list, size_t count)
{
	int *place = memory_zeroed(hunt->program->unit_count, sizeof *place);

	for (size_t i = 0; i < count; i++)
		place[list[i].unit] = (int)i;
	if (count)
		qsort(list, count, sizeof *list, arrange_compare_bulk);
	for (size_t i = 0; i < count; i++)
		hunt->light[i] = place[list[i].unit];
	free(place);
}

/* What a ruler measures the good of: the price, or the number of services. */
static double
arrange_good_of(const struct hunt *hunt, const struct ruler *ruler, int u)
{
	double price = (double)hunt->prices->unit[u];

	if (ruler == &hunt->services)
		return (double)hunt->program->units[u].size;
	return price > 0 ? price : 0;
}

/* Fills the machine with what is best for its weight, the last unit in part. Returns the good of it, and how full
 * each resource is. */
static double
arrange_fill(const struct hunt *hunt, const struct ruler *ruler, const struct candidate *list, size_t count, double *full)
{
	const struct program *p = hunt->program;
	double good = 0, room = 1;

	memset(full, 0, p->resource_count * sizeof *full);
	for (size_t i = 0; i < count && room > 0; i++) {
		const struct unit *unit = &p->units[list[i].unit];
		double weight = ruler->weight[list[i].unit], part = weight > room ? room / weight : 1;

		room -= weight * part;
		good += part * arrange_good_of(hunt, ruler, list[i].unit);
		for (size_t j = 0; j < p->resource_count; j++)
			if (hunt->left[j] != NO_MAX && hunt->left[j] > 0)
				full[j] += part * (double)unit->consumes[j] / (double)hunt->left[j];
	}
	return good;
}

static void
arrange_set_weights(struct hunt *hunt, struct ruler *ruler, struct candidate *list, size_t count, const double *weight)
{
	for (size_t i = 0; i < count; i++) {
		int u = list[i].unit;

		ruler->weight[u] = arrange_weigh(hunt->program, &hunt->program->units[u], hunt->left, weight);
		list[i].bulk = ruler->weight[u] / fmax(arrange_good_of(hunt, ruler, u), 1e-9);
	}
}

static bool
arrange_is_too_much(const double *full, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (full[i] > 1 + 1e-9)
			return true;
	return false;
}

/* Weights of the resources for which the bound that filling gives is low: those that get too full weigh more, until none
 * does. Any weights give a bound; nothing is gained below enough. */
static void
arrange_find_weights(struct hunt *hunt, struct ruler *ruler, struct candidate *list, size_t count, double enough,
    double *best)
{
	size_t n = hunt->program->resource_count;
	double *weight = memory_zeroed(2 * n, sizeof *weight), *full = weight + n, least = INFINITY;
	int idle = 0;

	for (size_t i = 0; i < n; i++)
		weight[i] = best[i] = 1;
	for (int round = 0; round < ROUNDS && n > 1 && count && least > enough && idle < 2; round++) {
		double good;

		arrange_set_weights(hunt, ruler, list, count, weight);
		qsort(list, count, sizeof *list, arrange_compare_bulk);
		good = arrange_fill(hunt, ruler, list, count, full);
		idle = good < least * 0.999 ? 0 : idle + 1;
		if (good < least) {
			least = good;
			memcpy(best, weight, n * sizeof *best);
		}
		if (!arrange_is_too_much(full, n))
			break;
		for (size_t i = 0; i < n; i++)
			weight[i] *= fmax(full[i], 0.05);
	}
	free(weight);
}

static void
arrange_weigh_worth(struct hunt *hunt, struct candidate *list, size_t count)
{
	double *weight = memory_zeroed(hunt->program->resource_count, sizeof *weight);

	arrange_find_weights(hunt, &hunt->worth, list, count, (double)hunt->best - (double)hunt->value, weight);
	arrange_set_weights(hunt, &hunt->worth, list, count, weight);
	free(weight);
}

/* Whether the gauge is of these units, and of as much room; else it is made so, without weights. */
static bool
arrange_is_known(struct gauge *gauge, const struct hunt *hunt, const struct candidate *list, size_t count)
{
	const struct program *p = hunt->program;
	uint64_t *units = memory_zeroed(p->unit_words, sizeof *units);
	bool known;

	if (!gauge->units) {
		gauge->units = memory_zeroed(p->unit_words, sizeof *gauge->units);
		gauge->left = memory_zeroed(p->resource_count, sizeof *gauge->left);
		gauge->weight = memory_zeroed(p->resource_count, sizeof *gauge->weight);
	}
	for (size_t i = 0; i < count; i++)
		bits_add(units, (size_t)list[i].unit);
	known = gauge->need == hunt->need - hunt->size && bits_equal(units, gauge->units, p->unit_words) &&
	    memcmp(hunt->left, gauge->left, p->resource_count * sizeof *hunt->left) == 0;
	gauge->need = hunt->need - hunt->size;
	bits_copy(gauge->units, units, p->unit_words);
	memcpy(gauge->left, hunt->left, p->resource_count * sizeof *hunt->left);
	free(units);
	return known;
}

/* That does not depend on prices: the weights are the same as long as the wish is. */
static void
arrange_weigh_services(struct hunt *hunt, struct candidate *list, size_t count)
{
	struct gauge *gauge = &hunt->prices->gauges[hunt->hardware];

	if (!arrange_is_known(gauge, hunt, list, count))
		arrange_find_weights(hunt, &hunt->services, list, count, (double)(hunt->need - hunt->size) - 1, gauge->weight);
	arrange_set_weights(hunt, &hunt->services, list, count, gauge->weight);
}

void
hunt_arrange(struct hunt *hunt, struct candidate *scratch)
{
	size_t count = arrange_find_candidates(hunt, scratch);
	bool counts = hunt->crammed && hunt->size + 1 < hunt->need;

	hunt->worth.room = hunt->services.room = 1;
	if (hunt->crammed)
		arrange_weigh_worth(hunt, scratch, count);
	if (counts)
		arrange_weigh_services(hunt, scratch, count);
	arrange_sort_candidates(hunt, scratch, count);
	arrange_set_order(hunt, scratch, count);
	if (counts)
		arrange_sort_light(hunt, scratch, count);
}
