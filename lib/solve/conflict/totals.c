/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/conflict/totals.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/names.h"
#include "base/plural.h"
#include "json/json.h"
#include "model/answer/demand.h"
#include "model/request.h"
#include "solve/conflict/reason.h"

enum { TOTALS_NAMED = 2, TOTALS_DIGITS = 15 };

struct part { /* what a service takes of one resource, or how much of it a type has */
	const char *name;
	double amount;  /* of all instances; of one machine */
	int64_t number; /* instances; machines that are available, INT64_MAX: any number */
};

struct parts {
	struct part *list;
	size_t count;
};

struct totals {
	const struct reason *reason;
	int64_t *instances; /* of the service of each member that says what one takes */
	int64_t machines;   /* that the conflict allows */
	struct parts takers, types;
};

/* Finds how many instances the conflict demands of the service of each member that says what one takes. */
static void
totals_count_instances(struct totals *totals)
{
	const struct reason *reason = totals->reason;
	const struct request *r = reason->demands->request;
	int64_t *most = memory_zeroed(reason->count, sizeof *most);
	struct names services = {0};

	for (size_t i = 0; i < reason->count; i++) {
		int64_t least;
		const char *service = demand_least(r, reason->list[i], &least);
		int number = service ? names_intern(&services, service) : NAMES_NONE;

		if (service && least > most[number])
			most[number] = least;
	}
	for (size_t i = 0; i < reason->count; i++) {
		const struct demand *demand = reason->list[i];
		int number = demand->kind == DEMAND_CONSUMES ? names_find(&services, r->services[demand->index].name) : NAMES_NONE;

		totals->instances[i] = number == NAMES_NONE ? 0 : most[number];
	}
	free(most);
	names_release(&services);
}

/* Returns how many machines the conflict allows; INT64_MAX if it does not say. */
static int64_t
totals_machines(const struct reason *reason)
{
	const struct request *r = reason->demands->request;
	int64_t least = INT64_MAX;

	for (size_t i = 0; i < reason->count; i++) {
		int64_t most = INT64_MAX;

		if (reason->list[i]->kind == DEMAND_SIZE_MAX)
			most = r->template.size_max;
		else if (reason->list[i]->kind == DEMAND_MACHINES_MAX || (reason->list[i]->kind == DEMAND_MACHINES_MIN && demand_exact_machines(r)))
			most = r->cluster.machines_max;
		least = most < least ? most : least;
	}
	return least;
}

/* Orders by amount, the largest first, then by name. */
static int
totals_compare(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	if (x->amount < y->amount || x->amount > y->amount)
		return x->amount < y->amount ? 1 : -1;
	return strcmp(x->name, y->name);
}

/* Takes the services of the conflict that take something of a resource. Returns how much it is together. */
static double
totals_takers(struct totals *totals, const char *resource)
{
	const struct reason *reason = totals->reason;
	const struct request *r = reason->demands->request;
	struct parts *takers = &totals->takers;
	double sum = 0;

	takers->count = 0;
	for (size_t i = 0; i < reason->count; i++) {
		const struct service *service;
		struct part part;

		if (reason->list[i]->kind != DEMAND_CONSUMES)
			continue;
		service = &r->services[reason->list[i]->index];
		part = (struct part){.name = service->name, .number = totals->instances[i]};
		part.amount = (double)part.number * amounts_value(&service->consumes, resource, 0);
		sum += part.amount;
		if (part.amount > 0)
			takers->list[takers->count++] = part;
	}
	if (takers->count)
		qsort(takers->list, takers->count, sizeof *takers->list, totals_compare);
	return sum;
}

/* Takes the types of the conflict. Returns how much the machines that it allows, the largest, hold of a resource; INFINITY if nothing
 * bounds it. used gets how many types they are of. */
static double
totals_holders(struct totals *totals, const char *resource, size_t *used)
{
	const struct reason *reason = totals->reason;
	const struct request *r = reason->demands->request;
	struct parts *types = &totals->types;
	int64_t machines = totals->machines;
	double sum = 0;

	types->count = *used = 0;
	for (size_t i = 0; i < reason->count; i++) {
		size_t index = reason->list[i]->index;
		const struct hardware_offer *offer;

		if (reason->list[i]->kind != DEMAND_CAPACITY)
			continue;
		offer = hardwaretype_offer(&r->hardwaretypes[index], r->provider.name);
		types->list[types->count++] = (struct part){r->hardwaretypes[index].name, amounts_value(&offer->capacity, resource, 0),
		    offer->available >= 0 && demand_holds(reason->demands, DEMAND_AVAILABLE, index) ? offer->available : INT64_MAX};
	}
	if (types->count)
		qsort(types->list, types->count, sizeof *types->list, totals_compare);
	for (size_t i = 0; i < types->count && machines > 0; i++) {
		int64_t own = types->list[i].number < machines ? types->list[i].number : machines;

		if (own == INT64_MAX)
			return INFINITY;
		sum += (double)own * types->list[i].amount;
		machines -= machines == INT64_MAX ? 0 : own;
		*used = i + 1;
	}
	return sum;
}

static void
totals_append_number(double number, struct buffer *out)
{
	char text[40];

	snprintf(text, sizeof text, "%.*g", TOTALS_DIGITS, number); /* 0.1 + 0.2 is 0.3 */
	json_number(strtod(text, NULL), out);
}

static void
totals_append_takers(const struct parts *takers, struct buffer *out)
{
	size_t named = takers->count <= TOTALS_NAMED + 1 ? takers->count : TOTALS_NAMED;

	for (size_t i = 0; i < named; i++)
		buffer_printf(out, "%s%s", plural_before(i, takers->count, " and "), takers->list[i].name);
	if (named < takers->count)
		buffer_printf(out, " and %zu others", takers->count - named);
	buffer_text(out, " need ");
}

static void
totals_append_machines(int64_t machines, const struct parts *types, size_t used, struct buffer *out)
{
	if (used == 1 && types->list[0].number < machines)
		machines = types->list[0].number;
	if (used > 1 && machines == INT64_MAX)
		buffer_printf(out, "all machines of %zu types hold ", used);
	else if (used > 1)
		buffer_printf(out, "the %" PRId64 " largest machines hold ", machines);
	else
		buffer_printf(out, "%" PRId64 " %s of %s%s%s %s ", machines, plural(machines, "machine", "machines"),
		    types->count > 1 ? "the largest type (" : "type ", types->list[0].name, types->count > 1 ? ")" : "",
		    plural(machines, "holds", "hold"));
}

/* Finds the resource of which most is missing, or that is nearest to it. */
static const char *
totals_scarcest(struct totals *totals, const struct names *resources)
{
	const char *scarcest = NULL;
	double most = 0;

	for (size_t i = 0; i < resources->count; i++) {
		const char *resource = resources->list[i];
		size_t used;
		double need = totals_takers(totals, resource), holds = totals_holders(totals, resource, &used);
		double part = holds > 0 ? need / holds : need > 0 ? INFINITY : 0;

		if (totals->takers.count < 2 || part < most || (part <= most && scarcest && strcmp(resource, scarcest) >= 0))
			continue;
		scarcest = resource;
		most = part;
	}
	return most > 0 ? scarcest : NULL;
}

/* Lists the resources of which something is taken. */
static void
totals_list_resources(const struct reason *reason, struct names *resources)
{
	for (size_t i = 0; i < reason->count; i++) {
		const struct service *service;

		if (reason->list[i]->kind != DEMAND_CONSUMES)
			continue;
		service = &reason->demands->request->services[reason->list[i]->index];
		for (size_t j = 0; j < service->consumes.count; j++)
			names_intern(resources, service->consumes.list[j].resource);
	}
}

bool
totals_append(const struct reason *reason, struct buffer *out)
{
	struct totals totals = {.reason = reason, .instances = memory_zeroed(reason->count, sizeof *totals.instances),
	    .machines = totals_machines(reason), .takers = {memory_zeroed(reason->count, sizeof *totals.takers.list), 0},
	    .types = {memory_zeroed(reason->count, sizeof *totals.types.list), 0}};
	struct names resources = {0};
	const char *resource;

	totals_count_instances(&totals);
	totals_list_resources(reason, &resources);
	resource = totals_scarcest(&totals, &resources);
	if (resource) {
		size_t used;
		double need = totals_takers(&totals, resource), holds = totals_holders(&totals, resource, &used);

		totals_append_takers(&totals.takers, out);
		totals_append_number(need, out);
		buffer_printf(out, " %s, %s ", resource, need > holds ? "but" : "and");
		totals_append_machines(totals.machines, &totals.types, used, out);
		totals_append_number(holds, out);
		if (need <= holds)
			buffer_text(out, ", but not in these parts");
	}
	names_release(&resources);
	free(totals.instances);
	free(totals.takers.list);
	free(totals.types.list);
	return resource;
}
