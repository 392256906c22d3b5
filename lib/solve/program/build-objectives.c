/* SPDX-License-Identifier: Apache-2.0
 *
 * The objectives that are a sum over the machines: what each hardware type and each unit adds to it, in whole numbers, so
 * that a proof can be exact. All else that the solver does with such an objective, its row of the linear program, its
 * bound, its value, follows from these weights.
 */
#include <math.h>

#include "base/error.h"
#include "solve/program/build-parts.h"

#define MILLION 1e6
#define COST_MOST 1e12 /* of one machine, in whole units: times SOLVE_MACHINES it fits into 64 bits */

/* Weighs each type by its cost, counted in ones if all costs are whole, else in millionths, and in their greatest
 * common divisor. */
static int
build_weigh_cost(struct program *p, struct weights *weights, struct error *err)
{
	int64_t step = 0;

	weights->hardware = arena_alloc(&p->arena, p->hardware_count, sizeof *weights->hardware);
	weights->known = true;
	for (size_t i = 0; i < p->hardware_count; i++) {
		const struct hardware *h = &p->hardware[i];

		if (!h->offer || !h->offer->has_cost)
			weights->known = weights->known && !h->usable;
		else if (h->offer->cost != floor(h->offer->cost))
			weights->scale = MILLION;
	}
	for (size_t i = 0; i < p->hardware_count; i++) {
		const struct hardware *h = &p->hardware[i];

		if (!h->offer || !h->offer->has_cost)
			continue;
		if (h->offer->cost * weights->scale > COST_MOST)
			return error_set(err, EX_DATAERR, "request: hardware type %s: cost too large to be computed with exactly",
			    h->name);
		weights->hardware[i] = (int64_t)llround(h->offer->cost * weights->scale);
		step = count_divisor(weights->hardware[i], step);
	}
	for (size_t i = 0; i < p->hardware_count && step; i++)
		weights->hardware[i] /= step;
	weights->step = step ? step : 1;
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
		p->weights[i] = (struct weights){.step = 1, .scale = 1};
		if (build_weigh[i] && build_weigh[i](p, &p->weights[i], err) < 0)
			return -1;
	}
	return 0;
}
