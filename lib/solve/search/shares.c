/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/search/shares.h"

#include <math.h>
#include <stdlib.h>

#include "solve/program/bits.h"

struct shares
shares_of(const struct master *m)
{
	int *column = memory_zeroed(m->row_count, sizeof *column);
	double *value = memory_zeroed(m->row_count, sizeof *value);
	size_t count = master_solution(m, column, value);
	struct shares shares = {memory_zeroed(count, sizeof *shares.list), 0};

	for (size_t i = 0; i < count; i++) {
		const struct pattern *pattern = &m->columns[column[i]].pattern;
		size_t j = 0;

		while (j < shares.count && !pattern_same(m->program, shares.list[j].pattern, pattern))
			j++;
		if (j == shares.count)
			shares.list[shares.count++] = (struct share){pattern, 0};
		shares.list[j].value += value[i];
	}
	free(column);
	free(value);
	return shares;
}

double
shares_of_unit(const struct shares *shares, int unit)
{
	double sum = 0;

	for (size_t i = 0; i < shares->count; i++)
		if (!shares->list[i].pattern->kind && bits_has(shares->list[i].pattern->units, (size_t)unit))
			sum += shares->list[i].value;
	return sum;
}

static double
shares_fraction(double value)
{
	return fabs(value - nearbyint(value));
}

bool
shares_are_whole(const struct shares *shares)
{
	for (size_t i = 0; i < shares->count; i++)
		if (shares_fraction(shares->list[i].value) > SHARE_WHOLE)
			return false;
	return true;
}

struct uses
shares_uses(const struct shares *shares)
{
	struct uses uses = {0};

	for (size_t i = 0; i < shares->count; i++)
		if (shares->list[i].value > 0.5) {
			ARRAY_ROOM(uses.list, uses.count, uses.capacity);
			uses.list[uses.count++] = (struct use){*shares->list[i].pattern, llround(shares->list[i].value)};
		}
	return uses;
}

struct literal { /* one condition of a region */
	enum literal_kind { LITERAL_WITH, LITERAL_WITHOUT, LITERAL_HARDWARE, LITERAL_GROUP } kind;
	int index;
};

static bool
shares_literal_holds(const struct literal *literal, const struct pattern *pattern)
{
	switch (literal->kind) {
	case LITERAL_WITH:
		return bits_has(pattern->units, (size_t)literal->index);
	case LITERAL_WITHOUT:
		return !bits_has(pattern->units, (size_t)literal->index);
	case LITERAL_HARDWARE:
		return pattern->hardware == literal->index;
	default:
		return pattern->group == literal->index;
	}
}

/* Finds the n-th of all literals; returns false behind the last. */
static bool
shares_nth_literal(const struct program *p, size_t n, struct literal *literal)
{
	const size_t counts[] = {p->unit_count, p->unit_count, p->hardware_count, p->group_count};

	for (size_t kind = 0; kind < 4; n -= counts[kind++])
		if (n < counts[kind]) {
			literal->kind = (enum literal_kind)kind;
			literal->index = (int)n;
			return true;
		}
	return false;
}

/* Finds the literal that leaves a number of machines nearest to half of one; returns true if there is such. Else the
 * one that leaves the fewest patterns, but some. */
static bool
shares_best_literal(const struct program *p, const struct shares *shares, struct literal *best)
{
	double nearest = SHARE_WHOLE;
	size_t fewest = SIZE_MAX;
	struct literal literal = {0};

	for (size_t n = 0; shares_nth_literal(p, n, &literal); n++) {
		double sum = 0;
		size_t count = 0;

		for (size_t i = 0; i < shares->count; i++)
			if (shares_literal_holds(&literal, shares->list[i].pattern)) {
				sum += shares->list[i].value;
				count++;
			}
		if (shares_fraction(sum) > nearest + SHARE_WHOLE || (nearest <= SHARE_WHOLE && count > 0 && count < fewest)) {
			nearest = shares_fraction(sum) > SHARE_WHOLE ? shares_fraction(sum) : nearest;
			fewest = count;
			*best = literal;
		}
	}
	return nearest > SHARE_WHOLE;
}

static void
shares_add_literal(struct region *region, const struct literal *literal)
{
	if (literal->kind == LITERAL_WITH)
		bits_add(region->with, (size_t)literal->index);
	else if (literal->kind == LITERAL_WITHOUT)
		bits_add(region->without, (size_t)literal->index);
	else if (literal->kind == LITERAL_HARDWARE)
		region->hardware = literal->index;
	else
		region->group = literal->index;
}

/* Returns how many machines of the solution are in a region. */
static double
shares_sum_in(const struct program *p, const struct region *region, const struct shares *shares)
{
	double sum = 0;

	for (size_t i = 0; i < shares->count; i++)
		if (region_has(p, region, shares->list[i].pattern))
			sum += shares->list[i].value;
	return sum;
}

/* Narrows a region to some of the patterns with fractions. */
static void
shares_split_patterns(const struct program *p, const struct shares *shares, struct region *region)
{
	struct shares left = {memory_zeroed(shares->count, sizeof *left.list), 0};
	struct literal literal = {0};
	bool found = false;
	size_t kept;

	for (size_t i = 0; i < shares->count; i++)
		if (shares_fraction(shares->list[i].value) > SHARE_WHOLE &&
		    pattern_class(p, shares->list[i].pattern) == region->class)
			left.list[left.count++] = shares->list[i];
	while (!found) {
		found = shares_best_literal(p, &left, &literal);
		shares_add_literal(region, &literal);
		kept = 0;
		for (size_t i = 0; i < left.count; i++)
			if (shares_literal_holds(&literal, left.list[i].pattern))
				left.list[kept++] = left.list[i];
		left.count = kept;
	}
	free(left.list);
}

/* Returns a region of all patterns of the class of the first that has a fraction; NULL if none has. */
static struct region *
shares_region_of_class(struct master *m, const struct shares *shares)
{
	struct region *region;
	size_t first = 0;

	while (first < shares->count && shares_fraction(shares->list[first].value) <= SHARE_WHOLE)
		first++;
	if (first == shares->count)
		return NULL;
	region = arena_alloc(&m->arena, 1, sizeof *region);
	*region = region_all(m->program, &m->arena);
	region->class = pattern_class(m->program, shares->list[first].pattern);
	return region;
}

struct region *
shares_region_of_type(struct master *m, const struct shares *shares, double *sum)
{
	const struct program *p = m->program;
	struct region *region = shares_region_of_class(m, shares);
	double nearest = SHARE_WHOLE;
	int best = ANY;

	for (size_t h = 0; region && h < p->hardware_count; h++) {
		double machines;

		region->hardware = (int)h;
		machines = shares_sum_in(p, region, shares);
		if (shares_fraction(machines) > nearest + SHARE_WHOLE) {
			nearest = shares_fraction(machines);
			*sum = machines;
			best = (int)h;
		}
	}
	if (best == ANY)
		return NULL;
	region->hardware = best;
	return region;
}

struct region *
shares_region(struct master *m, const struct shares *shares, double *sum)
{
	struct region *region = shares_region_of_class(m, shares);

	shares_split_patterns(m->program, shares, region);
	*sum = shares_sum_in(m->program, region, shares);
	return region;
}
