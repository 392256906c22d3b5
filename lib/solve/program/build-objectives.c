/* SPDX-License-Identifier: Apache-2.0
 *
 * The objectives that are a sum over the machines: what each hardware type and each unit adds to it, in whole numbers, so
 * that a proof can be exact. All else that the solver does with such an objective, its row of the linear program, its
 * bound, its value, follows from these weights.
 */
#include "base/error.h"
#include "solve/program/build-parts.h"

#define COST_MOST 1000000000000 /* of one machine, in steps: times SOLVE_MACHINES it fits into 64 bits */

/* Weighs each type by its cost, counted in the greatest common divisor of all. */
static int
build_weigh_cost(struct program *p, struct weights *weights, struct error *err)
{
	double *costs = arena_alloc(&p->arena, p->hardware_count, sizeof *costs);
	size_t dear;

	weights->hardware = arena_alloc(&p->arena, p->hardware_count, sizeof *weights->hardware);
	weights->known = true;
	for (size_t i = 0; i < p->hardware_count; i++) {
		const struct hardware *h = &p->hardware[i];
		bool has_cost = h->offer && h->offer->has_cost;

		weights->known = weights->known && (has_cost || !h->usable);
		costs[i] = has_cost ? h->offer->cost : 0;
		scale_take(&weights->scale, costs[i]);
	}
	dear = scale_fit(&weights->scale, costs, p->hardware_count, COST_MOST);
	if (dear < p->hardware_count)
		return error_set(err, EX_DATAERR, "request: hardware type %s: cost too large, beside the others, to be computed with exactly",
		    p->hardware[dear].name);
	for (size_t i = 0; i < p->hardware_count; i++) {
		wide cost;

		whole_of(costs[i], weights->scale.places, &cost);
		weights->hardware[i] = (int64_t)(cost / weights->scale.step);
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
		p->weights[i] = (struct weights){.scale.step = 1};
		if (build_weigh[i] && build_weigh[i](p, &p->weights[i], err) < 0)
			return -1;
	}
	return 0;
}
