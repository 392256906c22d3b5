/* SPDX-License-Identifier: Apache-2.0
 *
 * Amounts become whole numbers, so that 0.1 + 0.2 fits into 0.3 and a proof can be exact: each resource is counted in the greatest
 * common divisor of what services take of it. Of what a type offers the rest is of no use.
 */
#include <stdlib.h>

#include "base/error.h"
#include "model/amounts.h"
#include "model/answer/demand.h"
#include "solve/program/bits.h"
#include "solve/program/build-parts.h"

#define EXACT 2000000000000000 /* SOLVE_SERVICES times it fits into 64 bits */

static void
build_count_places(const struct amounts *amounts, const struct names *names, struct scale *scales)
{
	for (size_t i = 0; i < amounts->count; i++) {
		int resource = names_find(names, amounts->list[i].resource);

		if (resource != NAMES_NONE)
			scale_take(&scales[resource], amounts->list[i].value);
	}
}

/* Finds in how many each resource is counted. */
static int
build_scale_resources(const struct program *p, const struct names *names, struct scale *scales, struct error *err)
{
	double *taken = memory_zeroed(p->service_count, sizeof *taken);
	int rc = 0;

	for (size_t i = 0; i < p->service_count; i++)
		build_count_places(&p->services[i]->consumes, names, scales);
	for (size_t i = 0; i < p->hardware_count; i++)
		if (p->hardware[i].offer)
			build_count_places(&p->hardware[i].offer->capacity, names, scales);
	for (size_t i = 0; i < names->count && rc == 0; i++) {
		size_t greedy;

		for (size_t k = 0; k < p->service_count; k++)
			taken[k] = amounts_value(&p->services[k]->consumes, names->list[i], 0);
		greedy = scale_fit(&scales[i], taken, p->service_count, EXACT);
		if (greedy < p->service_count)
			rc = error_set(err, EX_DATAERR, "request: %s: %s: amount too large, beside the others, to be computed with exactly",
			    p->services[greedy]->name, names->list[i]);
	}
	free(taken);
	return rc;
}

/* Takes what a service consumes of each resource. */
static void
build_whole_consumption(const struct service *service, const struct names *names, const struct scale *scales, int64_t *out)
{
	for (size_t i = 0; i < names->count; i++) {
		wide amount = 0;

		whole_of(amounts_value(&service->consumes, names->list[i], 0), scales[i].places, &amount);
		out[i] = (int64_t)(amount / scales[i].step);
	}
}

static void
build_take_consumption(struct program *p, const struct demands *demands, const struct names *names, const struct scale *scales)
{
	int64_t *amount = memory_zeroed(p->resource_count, sizeof *amount);

	for (size_t i = 0; i < p->service_count; i++) {
		struct unit *unit = &p->units[p->unit_of[i]];
		size_t index = (size_t)(p->services[i] - p->request->services);

		build_whole_consumption(p->services[i], names, scales, amount);
		for (size_t j = 0; j < p->resource_count && demand_holds(demands, DEMAND_CONSUMES, index); j++)
			unit->consumes[j] += amount[j];
	}
	free(amount);
}

/* Takes what a type offers of the resources that some service takes; what is more than any number of services takes is no bound. */
static void
build_whole_capacity(const struct amounts *amounts, const struct names *names, const struct scale *scales, int64_t *out)
{
	for (size_t i = 0; i < amounts->count; i++) {
		int resource = names_find(names, amounts->list[i].resource);
		wide amount;

		if (resource == NAMES_NONE)
			continue;
		out[resource] = NO_MAX;
		if (whole_of(amounts->list[i].value, scales[resource].places, &amount) &&
		    amount / scales[resource].step < (wide)EXACT * SOLVE_SERVICES)
			out[resource] = (int64_t)(amount / scales[resource].step);
	}
}

/* Takes the capacities. A type that names resources offers none of those that it does not name. */
static void
build_take_capacity(struct program *p, const struct demands *demands, const struct names *names, const struct scale *scales)
{
	for (size_t i = 0; i < p->hardware_count; i++) {
		struct hardware *h = &p->hardware[i];
		bool bounded = h->offer && h->offer->capacity.count &&
		    demand_holds(demands, DEMAND_CAPACITY, (size_t)(h->type - p->request->hardwaretypes));

		h->capacity = arena_alloc(&p->arena, p->resource_count, sizeof *h->capacity);
		for (size_t j = 0; j < p->resource_count; j++)
			h->capacity[j] = bounded ? 0 : NO_MAX;
		if (bounded)
			build_whole_capacity(&h->offer->capacity, names, scales, h->capacity);
	}
}

int
build_amounts(struct program *p, const struct demands *demands, struct error *err)
{
	struct names names = {0};
	struct scale *scales;
	int rc;

	for (size_t i = 0; i < p->service_count; i++)
		for (size_t j = 0; j < p->services[i]->consumes.count; j++)
			names_intern(&names, p->services[i]->consumes.list[j].resource);
	p->resource_count = names.count;
	scales = memory_zeroed(names.count, sizeof *scales);
	for (size_t i = 0; i < p->unit_count; i++)
		p->units[i].consumes = arena_alloc(&p->arena, names.count, sizeof(int64_t));
	rc = build_scale_resources(p, &names, scales, err);
	if (rc == 0) {
		build_take_consumption(p, demands, &names, scales);
		build_take_capacity(p, demands, &names, scales);
	}
	names_release(&names);
	free(scales);
	return rc;
}
