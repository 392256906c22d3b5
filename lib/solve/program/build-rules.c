/* SPDX-License-Identifier: Apache-2.0
 *
 * Applies the demands to the units: their numbers, their types, and which of them exclude each other.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model/answer/demand.h"
#include "solve/program/bits.h"
#include "solve/program/build-parts.h"
#include "solve/program/build.h"

#define COEFFICIENT_MOST ((wide)1000000000000) /* times SOLVE_MACHINES it fits into 64 bits */
#define BOUND_MOST ((wide)1000000000000000000)

static struct unit *
build_unit_named(struct program *p, const char *service)
{
	int number = program_find_service(p, service);

	return number == NAMES_NONE ? NULL : &p->units[p->unit_of[number]];
}

static int
build_unit_number(const struct program *p, const struct unit *unit)
{
	return (int)(unit - p->units);
}

void
build_find_named(const struct cluster_template *t, int (*find)(const void *of, const char *name), const void *of, bool *named)
{
	const struct service_sets *sets[] = {&t->mustcoexist, &t->cantcoexist, &t->mutuallyexclusive, &t->oneof};
	int service;

	for (size_t i = 0; i < t->constraint_count; i++)
		if ((service = find(of, t->constraints[i].service)) != NAMES_NONE)
			named[service] = true;
	for (size_t k = 0; k < sizeof sets / sizeof *sets; k++)
		for (size_t i = 0; i < sets[k]->count; i++)
			for (size_t j = 0; j < sets[k]->list[i].count; j++)
				if ((service = find(of, sets[k]->list[i].list[j])) != NAMES_NONE)
					named[service] = true;
	for (size_t i = 0; i < t->count_count; i++)
		for (size_t j = 0; j < t->counts[i].term_count; j++)
			if ((service = find(of, t->counts[i].terms[j].service)) != NAMES_NONE)
				named[service] = true;
	for (size_t i = 0; i < t->spread_count; i++)
		for (size_t j = 0; j < t->spreads[i].services.count; j++)
			if ((service = find(of, t->spreads[i].services.list[j])) != NAMES_NONE)
				named[service] = true;
}

static int
build_find_service(const void *program, const char *name)
{
	return program_find_service(program, name);
}

/* Finds the services that stand everywhere. */
static void
build_find_unnamed(struct program *p)
{
	bool *named = memory_zeroed(p->service_count, sizeof *named);

	build_find_named(&p->request->template, build_find_service, p, named);
	for (size_t i = 0; i < p->service_count; i++)
		if (!named[i])
			p->units[p->unit_of[i]].everywhere = true;
	free(named);
}

static int64_t
build_clamp(int64_t value)
{
	return value < 0 ? 0 : value > SOLVE_MACHINES ? SOLVE_MACHINES + 1 : value;
}

static void
build_raise_min(struct unit *unit, int64_t min)
{
	unit->min = unit->min > build_clamp(min) ? unit->min : build_clamp(min);
}

/* Leaves in set only the types in names. */
static void
build_restrict_types(const struct program *p, const struct string_list *names, bool hardware, uint64_t *set)
{
	size_t words = hardware ? p->hardware_words : p->image_words;
	uint64_t *allowed = memory_zeroed(words, sizeof *allowed);

	for (size_t i = 0; i < names->count; i++) {
		int number = hardware ? program_find_hardware(p, names->list[i]) : program_find_image(p, names->list[i]);

		if (number != NAMES_NONE)
			bits_add(allowed, (size_t)number);
	}
	bits_keep(set, allowed, words);
	free(allowed);
}

static void
build_exclude(struct program *p, struct unit *a, struct unit *b)
{
	if (a == b) {
		a->banned = true;
		return;
	}
	bits_add(a->excludes, (size_t)build_unit_number(p, b));
	bits_add(b->excludes, (size_t)build_unit_number(p, a));
}

static void
build_apply_exclusive(struct program *p, const struct string_list *set)
{
	struct unit **units = memory_zeroed(set->count, sizeof *units);

	for (size_t i = 0; i < set->count; i++) {
		units[i] = build_unit_named(p, set->list[i]);
		for (size_t j = 0; j < i; j++)
			if (units[i] && units[j]) /* the names in a set differ */
				build_exclude(p, units[i], units[j]);
	}
	free(units);
}

static void
build_add_nogood(struct program *p, const uint64_t *units)
{
	BITS_EACH(u, units, p->unit_words) {
		struct unit *unit = &p->units[u];

		if ((unit->nogood_count & (unit->nogood_count - 1)) == 0) { /* full: twice as many */
			int *list = arena_alloc(&p->arena, 2 * unit->nogood_count + 1, sizeof *list);

			if (unit->nogood_count)
				memcpy(list, unit->nogoods, unit->nogood_count * sizeof *list);
			unit->nogoods = list;
		}
		unit->nogoods[unit->nogood_count++] = (int)p->nogood_count;
	}
	p->nogoods[p->nogood_count++] = bits_duplicate(units, p->unit_words, &p->arena);
}

/* A set that names a service which is not on the cluster can never be whole. An empty one always is. */
static void
build_apply_cantcoexist(struct program *p, const struct string_list *set)
{
	uint64_t *units = memory_zeroed(p->unit_words, sizeof *units);
	size_t members = 0;
	struct unit *pair[2] = {NULL, NULL};
	bool whole = true;

	for (size_t i = 0; i < set->count; i++) {
		struct unit *unit = build_unit_named(p, set->list[i]);

		whole = whole && unit;
		if (!unit || bits_has(units, (size_t)build_unit_number(p, unit)))
			continue;
		bits_add(units, (size_t)build_unit_number(p, unit));
		pair[members++ % 2] = unit;
	}
	if (whole && members == 0)
		p->impossible = true;
	else if (whole && members == 1)
		pair[0]->banned = true;
	else if (whole && members == 2)
		build_exclude(p, pair[0], pair[1]);
	else if (whole)
		build_add_nogood(p, units);
	free(units);
}

/* Exactly one of those that are on the cluster; where none is, there is nothing to choose. No two stand on one machine, so two that must
 * coexist cannot be chosen. */
static void
build_apply_oneof(struct program *p, const struct string_list *set)
{
	struct choice *choice = &p->choices[p->choice_count];
	bool any = false;

	*choice = (struct choice){.units = arena_alloc(&p->arena, set->count, sizeof *choice->units)};
	for (size_t i = 0; i < set->count; i++) {
		struct unit *unit = build_unit_named(p, set->list[i]);

		any = any || unit;
		for (size_t j = 0; j < i && unit; j++)
			if (build_unit_named(p, set->list[j]))
				build_exclude(p, unit, build_unit_named(p, set->list[j]));
	}
	for (size_t i = 0; i < set->count; i++) {
		struct unit *unit = build_unit_named(p, set->list[i]);

		if (unit && !unit->banned)
			choice->units[choice->count++] = build_unit_number(p, unit);
	}
	if (any)
		p->choice_count++;
}

/* Returns a number of a rule in units of 10 to the power of minus places. Returns false if it is too large. */
static bool
build_whole(double value, int places, wide *out)
{
	bool small = whole_of(fabs(value), places, out);

	*out = value < 0 ? -*out : *out;
	return small;
}

/* Returns a bound of a rule in steps, rounded towards what it allows. */
static int64_t
build_whole_bound(double bound, const struct scale *scale, bool lower)
{
	wide value, step = scale->step;

	if (!isfinite(bound))
		return lower ? NO_MIN : NO_MAX;
	if (!build_whole(bound, scale->places, &value) || value / step <= -BOUND_MOST || value / step >= BOUND_MOST)
		value = bound < 0 ? -BOUND_MOST * step : BOUND_MOST * step;
	return (int64_t)(value / step + (lower && value % step > 0) - (!lower && value % step < 0));
}

/* Counts a rule in the greatest common divisor of its coefficients. */
static int
build_apply_count_rule(struct program *p, const struct count_rule *rule, struct error *err)
{
	struct linear *linear = &p->linears[p->linear_count++];
	const double bounds[] = {rule->min, rule->max};
	double *sizes = arena_alloc(&p->arena, rule->term_count, sizeof *sizes);
	struct scale scale = {0};

	linear->coefficient = arena_alloc(&p->arena, p->unit_count, sizeof *linear->coefficient);
	for (size_t i = 0; i < rule->term_count; i++) {
		sizes[i] = fabs(rule->terms[i].coefficient);
		scale_take(&scale, sizes[i]);
	}
	for (size_t i = 0; i < 2; i++)
		if (isfinite(bounds[i]))
			scale.places = whole_more_places(scale.places, fabs(bounds[i]), WHOLE_DIGITS);
	if (scale_fit(&scale, sizes, rule->term_count, COEFFICIENT_MOST / (wide)(rule->term_count ? rule->term_count : 1)) < rule->term_count)
		return error_set(err, EX_DATAERR, "request: count rule \"%s\": coefficient too large to be computed with exactly",
		    rule->name ? rule->name : "");
	for (size_t i = 0; i < rule->term_count; i++) {
		int service = program_find_service(p, rule->terms[i].service);
		wide value;

		if (service != NAMES_NONE && build_whole(rule->terms[i].coefficient, scale.places, &value))
			linear->coefficient[p->unit_of[service]] += (int64_t)(value / scale.step);
	}
	linear->lo = build_whole_bound(rule->min, &scale, true);
	linear->hi = build_whole_bound(rule->max, &scale, false);
	return 0;
}

static void
build_apply_spread(struct program *p, const struct spread_rule *rule)
{
	for (size_t i = 0; i < rule->services.count; i++) {
		struct unit *unit = build_unit_named(p, rule->services.list[i]);

		if (!unit)
			continue;
		unit->zones_min = unit->zones_min > build_clamp(rule->min) ? unit->zones_min : build_clamp(rule->min);
		if (!p->spread)
			p->spread = arena_alloc(&p->arena, p->unit_words, sizeof *p->spread);
		bits_add(p->spread, (size_t)build_unit_number(p, unit));
	}
}

static int
build_apply(struct program *p, const struct demand *demand, struct error *err)
{
	const struct cluster_template *t = &p->request->template;
	const struct service_constraint *constraint;
	const struct instance_bounds *bounds;
	size_t i = demand->index;
	struct unit *unit;

	switch (demand->kind) {
	case DEMAND_PLACED:
		build_raise_min(build_unit_named(p, demand_service(p->request, i)), 1);
		return 0;
	case DEMAND_MIN:
		build_raise_min(build_unit_named(p, t->constraints[i].service), t->constraints[i].min);
		return 0;
	case DEMAND_MAX:
		constraint = &t->constraints[i];
		unit = build_unit_named(p, constraint->service);
		unit->max = unit->max < constraint->max ? unit->max : constraint->max;
		return 0;
	case DEMAND_HARDWARETYPES:
		constraint = &t->constraints[i];
		build_restrict_types(p, &constraint->hardwaretypes, true, build_unit_named(p, constraint->service)->hardware);
		return 0;
	case DEMAND_IMAGETYPES:
		constraint = &t->constraints[i];
		build_restrict_types(p, &constraint->imagetypes, false, build_unit_named(p, constraint->service)->images);
		return 0;
	case DEMAND_CANTCOEXIST:
		build_apply_cantcoexist(p, &t->cantcoexist.list[i]);
		return 0;
	case DEMAND_MUTUALLYEXCLUSIVE:
		build_apply_exclusive(p, &t->mutuallyexclusive.list[i]);
		return 0;
	case DEMAND_ONEOF:
		build_apply_oneof(p, &t->oneof.list[i]);
		return 0;
	case DEMAND_SPREAD:
		build_apply_spread(p, &t->spreads[i]);
		return 0;
	case DEMAND_COUNT_RULE:
		bounds = request_instances_rule(p->request, i);
		unit = bounds ? build_unit_named(p, bounds->service) : NULL;
		if (unit) {
			build_raise_min(unit, bounds->min);
			unit->max = unit->max < bounds->max ? unit->max : bounds->max;
			return 0;
		}
		return build_apply_count_rule(p, &t->counts[i], err);
	default:
		return 0;
	}
}

/* Finds units that exclude each other pairwise, greedily: of each clique a machine has at most one. */
static void
build_find_cliques(struct program *p)
{
	uint64_t **member = memory_zeroed(p->unit_count, sizeof *member);
	int cliques = 0;

	for (size_t u = 0; u < p->unit_count; u++) {
		int k = cliques;

		for (int c = 0; c < cliques && k == cliques && !bits_empty(p->units[u].excludes, p->unit_words); c++)
			if (bits_within(member[c], p->units[u].excludes, p->unit_words))
				k = c;
		if (k == cliques)
			member[cliques++] = memory_zeroed(p->unit_words, sizeof(uint64_t));
		bits_add(member[k], u);
		p->units[u].clique = k;
	}
	for (int c = 0; c < cliques; c++)
		free(member[c]);
	free(member);
}

static bool
build_is_fixed(const struct unit *unit)
{
	return unit->min == unit->max && unit->max <= SOLVE_MACHINES;
}

/* Takes units whose number is known out of a rule, and divides it by what all other coefficients have in common,
 * rounding the bounds: 2a - 2b = 1 has no solution. */
static void
build_reduce_rule(const struct program *p, struct linear *linear)
{
	int64_t common = 0, known = 0;

	for (size_t u = 0; u < p->unit_count; u++) {
		if (build_is_fixed(&p->units[u]))
			known += linear->coefficient[u] * p->units[u].min;
		else
			common = (int64_t)whole_divisor(common, llabs(linear->coefficient[u]));
	}
	if (common < 2)
		return;
	for (size_t u = 0; u < p->unit_count; u++)
		linear->coefficient[u] = build_is_fixed(&p->units[u]) ? 0 : linear->coefficient[u] / common;
	linear->lo = count_add(linear->lo, -known);
	linear->hi = count_add(linear->hi, -known);
	if (linear->lo != NO_MIN)
		linear->lo = linear->lo / common + (linear->lo % common > 0);
	if (linear->hi != NO_MAX)
		linear->hi = linear->hi / common - (linear->hi % common < 0);
}

int
build_rules(struct program *p, const struct demands *demands, struct error *err)
{
	const struct cluster_template *t = &p->request->template;

	build_find_unnamed(p);
	p->nogoods = arena_alloc(&p->arena, t->cantcoexist.count, sizeof *p->nogoods);
	p->linears = arena_alloc(&p->arena, t->count_count, sizeof *p->linears);
	p->choices = arena_alloc(&p->arena, t->oneof.count, sizeof *p->choices);
	for (size_t i = 0; i < demands->count; i++) {
		const struct demand *demand = &demands->list[i];

		if (demand_holds(demands, demand->kind, demand->index) && build_apply(p, demand, err) < 0)
			return -1;
	}
	for (size_t u = 0; u < p->unit_count; u++) /* each zone that a unit needs takes an instance */
		if (p->units[u].min > 0)
			build_raise_min(&p->units[u], p->units[u].zones_min);
	for (size_t i = 0; i < p->linear_count; i++)
		build_reduce_rule(p, &p->linears[i]);
	build_find_cliques(p);
	build_betters(p);
	return 0;
}
