/* SPDX-License-Identifier: Apache-2.0
 *
 * Amounts become whole numbers, so that 0.1 + 0.2 fits into 0.3 and a proof can be exact: each resource is counted
 * in ones where all of its amounts are whole, else in millionths.
 */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "model/answer/demand.h"
#include "solve/program/bits.h"
#include "solve/program/build-parts.h"

#define MILLION 1e6
#define EXACT 2e15     /* exact in a double, and SOLVE_SERVICES times it fits into 64 bits */

static bool
build_all_whole(const struct amounts *amounts, int resource, const struct names *names)
{
	for (size_t i = 0; i < amounts->count; i++)
		if (names_find(names, amounts->list[i].resource) == resource && amounts->list[i].value != floor(amounts->list[i].value))
			return false;
	return true;
}

/* Returns the number that the amounts of a resource are multiplied by. */
static double
build_scale_of(const struct program *p, int resource, const struct names *names)
{
	for (size_t i = 0; i < p->service_count; i++)
		if (!build_all_whole(&p->services[i]->consumes, resource, names))
			return MILLION;
	for (size_t i = 0; i < p->hardware_count; i++)
		if (p->hardware[i].offer && !build_all_whole(&p->hardware[i].offer->capacity, resource, names))
			return MILLION;
	return 1;
}

/* Takes the resources that some service takes, their amounts in whole numbers. */
static int
build_whole_amounts(const struct amounts *amounts, const struct names *names, const double *scale, int64_t *out,
    const char *of, struct error *err)
{
	for (size_t i = 0; i < amounts->count; i++) {
		int resource = names_find(names, amounts->list[i].resource);
		double value;

		if (resource == NAMES_NONE)
			continue;
		value = amounts->list[i].value * scale[resource];
		if (value > EXACT)
			return error_set(err, EX_DATAERR, "request: %s: %s: amount too large to be computed with exactly", of,
			    amounts->list[i].resource);
		out[resource] = (int64_t)llround(value);
	}
	return 0;
}

static int
build_take_consumption(struct program *p, const struct demands *demands, const struct names *names, const double *scale,
    struct error *err)
{
	int64_t *amount = memory_zeroed(p->resource_count, sizeof *amount);
	int rc = 0;

	for (size_t i = 0; i < p->service_count && rc == 0; i++) {
		struct unit *unit = &p->units[p->unit_of[i]];
		size_t index = (size_t)(p->services[i] - p->request->services);

		for (size_t j = 0; j < p->resource_count; j++)
			amount[j] = 0;
		rc = build_whole_amounts(&p->services[i]->consumes, names, scale, amount, p->services[i]->name, err);
		for (size_t j = 0; j < p->resource_count && demand_holds(demands, DEMAND_CONSUMES, index); j++)
			unit->consumes[j] += amount[j];
	}
	free(amount);
	return rc;
}

/* Takes the capacities. A type that names resources offers none of those that it does not name. */
static int
build_take_capacity(struct program *p, const struct demands *demands, const struct names *names, const double *scale,
    struct error *err)
{
	for (size_t i = 0; i < p->hardware_count; i++) {
		struct hardware *h = &p->hardware[i];
		bool bounded = h->offer && h->offer->capacity.count &&
		    demand_holds(demands, DEMAND_CAPACITY, (size_t)(h->type - p->request->hardwaretypes));

		h->capacity = arena_alloc(&p->arena, p->resource_count, sizeof *h->capacity);
		for (size_t j = 0; j < p->resource_count; j++)
			h->capacity[j] = bounded ? 0 : NO_MAX;
		if (bounded && build_whole_amounts(&h->offer->capacity, names, scale, h->capacity, h->name, err) < 0)
			return -1;
	}
	return 0;
}

int
build_amounts(struct program *p, const struct demands *demands, struct error *err)
{
	struct names names = {0};
	double *scale;
	int rc = -1;

	for (size_t i = 0; i < p->service_count; i++)
		for (size_t j = 0; j < p->services[i]->consumes.count; j++)
			names_intern(&names, p->services[i]->consumes.list[j].resource);
	p->resource_count = names.count;
	scale = memory_zeroed(names.count, sizeof *scale);
	for (size_t i = 0; i < names.count; i++)
		scale[i] = build_scale_of(p, (int)i, &names);
	for (size_t i = 0; i < p->unit_count; i++)
		p->units[i].consumes = arena_alloc(&p->arena, names.count, sizeof(int64_t));
	if (build_take_consumption(p, demands, &names, scale, err) == 0)
		rc = build_take_capacity(p, demands, &names, scale, err);
	names_release(&names);
	free(scale);
	return rc;
}
