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

struct measure { /* of a resource */
	int places, least; /* of the numbers, and those that are not rounded away */
	wide step;
};

static void
build_count_places(const struct amounts *amounts, const struct names *names, struct measure *measures)
{
	for (size_t i = 0; i < amounts->count; i++) {
		int resource = names_find(names, amounts->list[i].resource);

		if (resource == NAMES_NONE)
			continue;
		measures[resource].places = whole_more_places(measures[resource].places, amounts->list[i].value, WHOLE_DIGITS);
		measures[resource].least = whole_more_places(measures[resource].least, amounts->list[i].value, WHOLE_DIGITS_LEAST);
	}
}

/* Finds the largest step that all that is taken of a resource is a multiple of, with so many places. Returns the first service that takes
 * too much to be counted in it, or NULL. */
static const struct service *
build_find_step(const struct program *p, const char *resource, struct measure *measure)
{
	const struct service *greedy = NULL;
	wide amount;

	measure->step = 0;
	for (size_t i = 0; i < p->service_count; i++) {
		if (!whole_of(amounts_value(&p->services[i]->consumes, resource, 0), measure->places, &amount))
			return p->services[i];
		measure->step = whole_divisor(measure->step, amount);
	}
	if (!measure->step)
		measure->step = 1;
	for (size_t i = 0; i < p->service_count && !greedy; i++)
		if (whole_of(amounts_value(&p->services[i]->consumes, resource, 0), measure->places, &amount) && amount / measure->step > EXACT)
			greedy = p->services[i];
	return greedy;
}

/* Finds in how many each resource is counted; the last of many digits are rounded. */
static int
build_measure(const struct program *p, const struct names *names, struct measure *measures, struct error *err)
{
	for (size_t i = 0; i < p->service_count; i++)
		build_count_places(&p->services[i]->consumes, names, measures);
	for (size_t i = 0; i < p->hardware_count; i++)
		if (p->hardware[i].offer)
			build_count_places(&p->hardware[i].offer->capacity, names, measures);
	for (size_t i = 0; i < names->count; i++) {
		const struct service *greedy;

		while ((greedy = build_find_step(p, names->list[i], &measures[i])) && measures[i].places > measures[i].least)
			measures[i].places--;
		if (greedy)
			return error_set(err, EX_DATAERR, "request: %s: %s: amount too large, beside the others, to be computed with exactly",
			    greedy->name, names->list[i]);
	}
	return 0;
}

/* Takes what a service consumes of each resource. */
static void
build_whole_consumption(const struct service *service, const struct names *names, const struct measure *measures, int64_t *out)
{
	for (size_t i = 0; i < names->count; i++) {
		wide amount = 0;

		whole_of(amounts_value(&service->consumes, names->list[i], 0), measures[i].places, &amount);
		out[i] = (int64_t)(amount / measures[i].step);
	}
}

static void
build_take_consumption(struct program *p, const struct demands *demands, const struct names *names, const struct measure *measures)
{
	int64_t *amount = memory_zeroed(p->resource_count, sizeof *amount);

	for (size_t i = 0; i < p->service_count; i++) {
		struct unit *unit = &p->units[p->unit_of[i]];
		size_t index = (size_t)(p->services[i] - p->request->services);

		build_whole_consumption(p->services[i], names, measures, amount);
		for (size_t j = 0; j < p->resource_count && demand_holds(demands, DEMAND_CONSUMES, index); j++)
			unit->consumes[j] += amount[j];
	}
	free(amount);
}

/* Takes what a type offers of the resources that some service takes; what is more than any number of services takes is no bound. */
static void
build_whole_capacity(const struct amounts *amounts, const struct names *names, const struct measure *measures, int64_t *out)
{
	for (size_t i = 0; i < amounts->count; i++) {
		int resource = names_find(names, amounts->list[i].resource);
		wide amount;

		if (resource == NAMES_NONE)
			continue;
		out[resource] = NO_MAX;
		if (whole_of(amounts->list[i].value, measures[resource].places, &amount) &&
		    amount / measures[resource].step < (wide)EXACT * SOLVE_SERVICES)
			out[resource] = (int64_t)(amount / measures[resource].step);
	}
}

/* Takes the capacities. A type that names resources offers none of those that it does not name. */
static void
build_take_capacity(struct program *p, const struct demands *demands, const struct names *names, const struct measure *measures)
{
	for (size_t i = 0; i < p->hardware_count; i++) {
		struct hardware *h = &p->hardware[i];
		bool bounded = h->offer && h->offer->capacity.count &&
		    demand_holds(demands, DEMAND_CAPACITY, (size_t)(h->type - p->request->hardwaretypes));

		h->capacity = arena_alloc(&p->arena, p->resource_count, sizeof *h->capacity);
		for (size_t j = 0; j < p->resource_count; j++)
			h->capacity[j] = bounded ? 0 : NO_MAX;
		if (bounded)
			build_whole_capacity(&h->offer->capacity, names, measures, h->capacity);
	}
}

int
build_amounts(struct program *p, const struct demands *demands, struct error *err)
{
	struct names names = {0};
	struct measure *measures;
	int rc;

	for (size_t i = 0; i < p->service_count; i++)
		for (size_t j = 0; j < p->services[i]->consumes.count; j++)
			names_intern(&names, p->services[i]->consumes.list[j].resource);
	p->resource_count = names.count;
	measures = memory_zeroed(names.count, sizeof *measures);
	for (size_t i = 0; i < p->unit_count; i++)
		p->units[i].consumes = arena_alloc(&p->arena, names.count, sizeof(int64_t));
	rc = build_measure(p, &names, measures, err);
	if (rc == 0) {
		build_take_consumption(p, demands, &names, measures);
		build_take_capacity(p, demands, &names, measures);
	}
	names_release(&names);
	free(measures);
	return rc;
}
