/* SPDX-License-Identifier: Apache-2.0
 *
 * The objectives that are a sum over the machines: what each hardware type and each unit adds to it, in whole numbers, so
 * that a proof can be exact. All else that the solver does with such an objective, its row of the linear program, its
 * bound, its value, follows from these weights.
 */
#include "base/error.h"
#include "solve/program/build-parts.h"

#define COST_MOST 1000000000000 /* of one machine, in steps: times SOLVE_MACHINES it fits into 64 bits */

static bool
build_has_cost(const struct hardware *hardware)
{
	return hardware->offer && hardware->offer->has_cost;
}

/* Finds the largest step that all costs are multiples of, with so many places. Returns the first type that is too dear to be counted in
 * it, or NULL. */
static const struct hardware *
build_find_step(const struct program *p, struct weights *weights)
{
	const struct hardware *dear = NULL;
	wide cost;

	weights->step = 0;
	for (size_t i = 0; i < p->hardware_count; i++)
		if (build_has_cost(&p->hardware[i])) {
			if (!whole_of(p->hardware[i].offer->cost, weights->places, &cost))
				return &p->hardware[i];
			weights->step = whole_divisor(weights->step, cost);
		}
	if (!weights->step)
		weights->step = 1;
	for (size_t i = 0; i < p->hardware_count && !dear; i++)
		if (build_has_cost(&p->hardware[i]) && whole_of(p->hardware[i].offer->cost, weights->places, &cost) &&
		    cost / weights->step > COST_MOST)
			dear = &p->hardware[i];
	return dear;
}

/* Weighs each type by its cost, counted in the greatest common divisor of all; the last of many digits are rounded. */
static int
build_weigh_cost(struct program *p, struct weights *weights, struct error *err)
{
	const struct hardware *dear;
	int least = 0;

	weights->hardware = arena_alloc(&p->arena, p->hardware_count, sizeof *weights->hardware);
	weights->known = true;
	for (size_t i = 0; i < p->hardware_count; i++) {
		const struct hardware *h = &p->hardware[i];

		weights->known = weights->known && (build_has_cost(h) || !h->usable);
		if (!build_has_cost(h))
			continue;
		weights->places = whole_more_places(weights->places, h->offer->cost, WHOLE_DIGITS);
		least = whole_more_places(least, h->offer->cost, WHOLE_DIGITS_LEAST);
	}
	while ((dear = build_find_step(p, weights)) && weights->places > least)
		weights->places--;
	if (dear)
		return error_set(err, EX_DATAERR, "request: hardware type %s: cost too large, beside the others, to be computed with exactly",
		    dear->name);
	for (size_t i = 0; i < p->hardware_count; i++) {
		wide cost = 0;

		if (build_has_cost(&p->hardware[i]))
			whole_of(p->hardware[i].offer->cost, weights->places, &cost);
		weights->hardware[i] = (int64_t)(cost / weights->step);
	}
	return 0;
}

/* Moves, machines and dense are no such sums: the search knows them (search_best). */
static int (*const build_weigh[OBJECTIVE_COUNT])(struct program *, struct weights *, struct error *) = {
	[OBJECTIVE_COST] = build_weigh_cost,
};

int
build_objectives(struct program *p, struct error *err)
{
	const struct cluster_template *t = &p->request->template;

	p->objective_count = t->objective_count;
	for (size_t i = 0; i < t->objective_count; i++)
		p->objectives[i] = t->objectives[i];
	for (int i = 0; i < OBJECTIVE_COUNT; i++) {
		p->weights[i] = (struct weights){.step = 1};
		if (build_weigh[i] && build_weigh[i](p, &p->weights[i], err) < 0)
			return -1;
	}
	return 0;
}
