/* SPDX-License-Identifier: Apache-2.0
 *
 * The judge of puzzles. It knows nothing but the puzzle, and tries all counts of all patterns.
 */
#ifndef TESTS_UNIT_SOLVE_BRUTE_H
#define TESTS_UNIT_SOLVE_BRUTE_H

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "model/node.h"
#include "solve-puzzle.h"

struct pattern {
	unsigned services;
	int type, image, size;
};

struct judge {
	const struct puzzle *z;
	const struct string_list *only; /* demands that count: pointers; NULL: all */
	size_t without;                 /* of only, that one does not count either */
	struct pattern patterns[PATTERNS];
	int count;
	int from, to;
	int vector[PATTERNS], best[PATTERNS];
	bool found, first_will_do;
	int best_cost, best_machines;
	struct pattern wish; /* where wished is not 0: at least so many machines of its type have its services, and not lacks */
	unsigned lacks;
	int wished;
};

static inline bool
counts(const struct judge *j, const char *format, ...) __attribute__((format(printf, 2, 3)));

static inline bool
counts(const struct judge *j, const char *format, ...)
{
	char pointer[200];
	va_list ap;

	if (!j->only)
		return true;
	va_start(ap, format);
	vsnprintf(pointer, sizeof pointer, format, ap);
	va_end(ap);
	for (size_t i = 0; i < j->only->count; i++)
		if (i != j->without && strcmp(j->only->list[i], pointer) == 0)
			return true;
	return false;
}

/* The unnamed services, which stand everywhere. */
static inline unsigned
everywhere(const struct puzzle *z)
{
	unsigned named = (z->oneof.here ? z->oneof.members : 0) | (z->spread.here ? z->spread.members : 0);

	for (int i = 0; i < SETS; i++) {
		named |= z->must[i].here ? z->must[i].members : 0;
		named |= z->cant[i].here ? z->cant[i].members : 0;
		named |= z->exclusive[i].here ? z->exclusive[i].members : 0;
	}
	for (int i = 0; i < z->services; i++)
		named |= z->entry[i] || z->rule ? 1U << i : 0;
	return ((1U << z->services) - 1) & ~named;
}

/* The place of a set in its list: those before it that are here. */
static inline int
place_of(const struct set *sets, int i)
{
	int place = 0;

	for (int k = 0; k < i; k++)
		place += sets[k].here;
	return place;
}

static inline bool
company_is_right(const struct judge *j, unsigned services)
{
	const struct puzzle *z = j->z;
	unsigned all = (1U << z->services) - 1;

	for (int i = 0; i < SETS; i++) {
		unsigned must = z->must[i].members & all, cant = z->cant[i].members, exclusive = services & z->exclusive[i].members;

		if (z->must[i].here && (services & must) && (services & must) != must &&
		    counts(j, "/template/constraints/layout/mustcoexist/%d", place_of(z->must, i)))
			return false;
		if (z->cant[i].here && (services & cant) == cant &&
		    counts(j, "/template/constraints/layout/cantcoexist/%d", place_of(z->cant, i)))
			return false;
		if (z->exclusive[i].here && (exclusive & (exclusive - 1)) &&
		    counts(j, "/template/constraints/layout/mutuallyexclusive/%d", place_of(z->exclusive, i)))
			return false;
	}
	return true;
}

static inline bool
type_is_right(const struct judge *j, unsigned services, int type)
{
	const struct puzzle *z = j->z;
	int taken = 0;

	for (int i = 0; i < z->services; i++) {
		if (!(services >> i & 1))
			continue;
		if (counts(j, "/services/%d/consumes", i))
			taken += z->takes[i];
		if (z->on_types[i] && !(z->on_types[i] >> type & 1) &&
		    counts(j, "/template/constraints/services/s%d/hardwaretypes", i))
			return false;
	}
	return z->room[type] < 0 || taken <= z->room[type] || !counts(j, "/hardwaretypes/%d/providermap/p/capacity", type);
}

static inline bool
image_is_right(const struct judge *j, unsigned services, int image)
{
	for (int i = 0; i < j->z->services; i++)
		if ((services >> i & 1) && j->z->on_images[i] && !(j->z->on_images[i] >> image & 1) &&
		    counts(j, "/template/constraints/services/s%d/imagetypes", i))
			return false;
	return true;
}

static inline int
first_image(const struct judge *j, unsigned services)
{
	int image = 0;

	while (image < j->z->images && !image_is_right(j, services, image))
		image++;
	return image < j->z->images ? image : -1;
}

static inline int
compare_patterns(const void *a, const void *b)
{
	const struct pattern *x = a, *y = b;

	if (x->size != y->size)
		return y->size - x->size;
	if (x->type != y->type)
		return x->type - y->type;
	if (x->image != y->image)
		return x->image - y->image;
	for (int i = 0; i < SERVICES; i++) /* the first name that only one of them has decides */
		if ((x->services ^ y->services) >> i & 1)
			return x->services >> i & 1 ? -1 : 1;
	return 0;
}

static inline void
list_patterns(struct judge *j)
{
	unsigned all = everywhere(j->z);

	j->count = 0;
	for (unsigned services = 1; services < 1U << j->z->services; services++)
		for (int type = 0; type < j->z->types; type++) {
			int image = first_image(j, services);

			if ((services & all) == all && image >= 0 && company_is_right(j, services) && type_is_right(j, services, type))
				j->patterns[j->count++] =
				    (struct pattern){services, type, image, __builtin_popcount(services)};
		}
	qsort(j->patterns, (size_t)j->count, sizeof *j->patterns, compare_patterns);
}

static inline int
least(const struct judge *j, int i)
{
	const struct puzzle *z = j->z;
	bool chosen = z->oneof.here && (z->oneof.members >> i & 1);

	if (z->min[i] > !chosen && counts(j, "/template/constraints/services/s%d/quantities/min", i))
		return z->min[i];
	if (z->min[i] == 0 || chosen)
		return 0;
	return counts(j, "/cluster/services/%d", i) ? 1 : 0;
}

/* Tries all zones for machine after machine of each pattern; seen: by service, the zones it stands in. */
static inline bool
zones_can_be(const struct judge *j, int k, int done, const unsigned *seen)
{
	const struct puzzle *z = j->z;

	while (k < j->count && done == j->vector[k]) {
		done = 0;
		k++;
	}
	for (int i = 0; i < z->services && k == j->count; i++)
		if ((z->spread.members >> i & 1) && seen[i] && __builtin_popcount(seen[i]) < z->spread_min)
			return false;
	if (k == j->count)
		return true;
	for (int zone = 0; zone < z->zones; zone++) {
		unsigned more[SERVICES];

		for (int i = 0; i < z->services; i++)
			more[i] = seen[i] | (j->patterns[k].services >> i & 1) << zone;
		if (zones_can_be(j, k, done + 1, more))
			return true;
	}
	return false;
}

/* Each machine has a zone of its own if the provider's zones do not count. */
static inline bool
spread_is_right(const struct judge *j, const int *instances)
{
	const struct puzzle *z = j->z;
	unsigned seen[SERVICES] = {0};
	bool zones = counts(j, "/provider/zones");

	for (int i = 0; i < z->services; i++)
		if ((z->spread.members >> i & 1) && instances[i] && (instances[i] < z->spread_min || (zones && z->zones < z->spread_min)))
			return false;
	return !zones || !z->zones || zones_can_be(j, 0, 0, seen);
}

static inline bool
wish_is_met(const struct judge *j)
{
	int met = 0;

	for (int k = 0; k < j->count; k++)
		if (j->patterns[k].type == j->wish.type && (j->patterns[k].services & j->wish.services) == j->wish.services &&
		    !(j->patterns[k].services & j->lacks))
			met += j->vector[k];
	return met >= j->wished;
}

static inline bool
totals_are_right(const struct judge *j)
{
	const struct puzzle *z = j->z;
	int instances[SERVICES] = {0}, of_type[TYPES] = {0}, sum = 0, chosen = 0;

	if (!wish_is_met(j))
		return false;
	for (int k = 0; k < j->count; k++) {
		of_type[j->patterns[k].type] += j->vector[k];
		for (int i = 0; i < z->services; i++)
			instances[i] += j->patterns[k].services >> i & 1 ? j->vector[k] : 0;
	}
	for (int i = 0; i < z->services; i++) {
		sum += z->factor[i] * instances[i];
		chosen += (z->oneof.members >> i & 1) && instances[i];
		if (instances[i] < least(j, i) || (z->max[i] >= 0 && instances[i] > z->max[i] &&
		                                      counts(j, "/template/constraints/services/s%d/quantities/max", i)))
			return false;
	}
	for (int h = 0; h < z->types; h++)
		if (z->available[h] >= 0 && of_type[h] > z->available[h] &&
		    counts(j, "/hardwaretypes/%d/providermap/p/available", h))
			return false;
	if (z->rule && (sum < z->rule_min || sum > z->rule_max) && counts(j, "/template/constraints/counts/0"))
		return false;
	if (z->oneof.here && chosen != 1 && counts(j, "/template/constraints/oneof/0"))
		return false;
	return !z->spread.here || !counts(j, "/template/constraints/spread/0") || spread_is_right(j, instances);
}

/* Solutions come in the order of dense: a later one is only better by an objective that comes before it. */
static inline void
weigh(struct judge *j)
{
	static const char *const orders[] = {"", "c", "m", "m", "c", "cm", ""};
	const char *order = orders[j->z->objectives];
	int cost = 0, machines = 0, better = !j->found;

	if (!totals_are_right(j))
		return;
	for (int k = 0; k < j->count; k++) {
		machines += j->vector[k];
		cost += j->vector[k] * j->z->cost[j->patterns[k].type];
	}
	for (; *order && j->found && !better; order++) {
		int mine = *order == 'c' ? cost : machines, best = *order == 'c' ? j->best_cost : j->best_machines;

		if (mine > best)
			return;
		better = mine < best;
	}
	if (!better)
		return;
	j->found = true;
	j->best_cost = cost;
	j->best_machines = machines;
	memcpy(j->best, j->vector, sizeof j->best);
}

static inline void
try_counts(struct judge *j, int k, int placed)
{
	if (j->found && j->first_will_do)
		return;
	if (k == j->count) {
		if (placed >= j->from)
			weigh(j);
		return;
	}
	for (int n = j->to - placed; n >= 0; n--) {
		j->vector[k] = n;
		try_counts(j, k + 1, placed + n);
	}
	j->vector[k] = 0;
}

/* Sets the bounds of the number of machines. */
static inline void
judge_ranges(struct judge *j, int relaxed_to)
{
	bool low = j->z->exact ? counts(j, "/cluster/numMachines") : j->z->from != j->z->to
	    ? counts(j, "/cluster/numMachines/min") : counts(j, "/cluster/numMachines");
	bool high = j->z->from == j->z->to ? low : counts(j, "/cluster/numMachines/max");

	j->from = low ? j->z->from : 1;
	j->to = high ? j->z->to : relaxed_to;
}

static inline void
judge(struct judge *j, int relaxed_to)
{
	judge_ranges(j, relaxed_to);
	j->found = false;
	memset(j->vector, 0, sizeof j->vector);
	list_patterns(j);
	try_counts(j, 0, 0);
}

static inline unsigned
mask_of(const struct string_list *services)
{
	unsigned members = 0;

	for (size_t i = 0; i < services->count; i++)
		members |= 1U << (services->list[i][1] - '0');
	return members;
}

/* The nodes of an answer as a vector over the judge's patterns; false where it has a node that is none of them. */
static inline bool
take_nodes(struct judge *j, const struct node *nodes, size_t count)
{
	memset(j->vector, 0, sizeof j->vector);
	for (size_t i = 0; i < count; i++) {
		const struct node *node = &nodes[i];
		int k = 0;

		while (k < j->count && (j->patterns[k].services != mask_of(&node->services) ||
		                           j->patterns[k].type != node->hardwaretype[1] - '0' ||
		                           j->patterns[k].image != node->imagetype[1] - '0'))
			k++;
		if (k == j->count)
			return false;
		j->vector[k]++;
	}
	return (int)count >= j->from && (int)count <= j->to && totals_are_right(j);
}

#endif
