/* SPDX-License-Identifier: Apache-2.0 */
#include "model/answer/demand.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "json/place.h"
#include "model/name.h"
#include "model/request.h"

size_t
demand_service_count(const struct request *request)
{
	size_t own = request->cluster.services.count;

	return own ? own : request->template.default_service_count;
}

const char *
demand_service(const struct request *request, size_t index)
{
	if (request->cluster.services.count)
		return request->cluster.services.list[index];
	return request->template.default_services[index].name;
}

bool
demand_exact_machines(const struct request *request)
{
	return request->cluster.machines_given && request->cluster.machines_min == request->cluster.machines_max;
}

void
demand_service_pointer(const struct request *request, const char *service, struct buffer *out)
{
	buffer_printf(out, "%s/%zu",
	    request->cluster.services.count ? "/cluster/services" : "/template/defaults/services",
	    request_service_index(request, service));
}

bool
demand_on_cluster(const struct request *request, const char *service)
{
	return request_service_index(request, service) != SIZE_MAX;
}

const char *
demand_least(const struct request *request, const struct demand *demand, int64_t *least)
{
	const struct instance_bounds *bounds;
	const struct service_constraint *constraint;

	switch (demand->kind) {
	case DEMAND_PLACED:
		*least = 1;
		return demand_service(request, demand->index);
	case DEMAND_MIN:
		constraint = &request->template.constraints[demand->index];
		*least = constraint->min;
		return constraint->service;
	case DEMAND_COUNT_RULE:
		bounds = request_instances_rule(request, demand->index);
		*least = bounds ? bounds->min : 0;
		return bounds ? bounds->service : NULL;
	default:
		return NULL;
	}
}

static void
demand_add(struct demands *demands, enum demand_kind kind, size_t index)
{
	ARRAY_ROOM(demands->list, demands->count, demands->capacity);
	demands->list[demands->count++] = (struct demand){.kind = kind, .index = index};
}

static void
demand_add_all(struct demands *demands, enum demand_kind kind, size_t count)
{
	demands->dropped[kind] = memory_zeroed(count, sizeof(bool));
	for (size_t i = 0; i < count; i++)
		demand_add(demands, kind, i);
}

/* Makes room for count of a kind, and adds it if there is such a demand at all. */
static void
demand_add_one(struct demands *demands, enum demand_kind kind, bool present)
{
	demand_add_all(demands, kind, present ? 1 : 0);
}

static void
demand_collect_types(struct demands *demands)
{
	const struct request *r = demands->request;
	const struct cluster_template *t = &r->template;

	demand_add_one(demands, DEMAND_COMPATIBLE_HARDWARETYPES, t->compatible_hardwaretypes.count > 0);
	demand_add_one(demands, DEMAND_COMPATIBLE_IMAGETYPES, t->compatible_imagetypes.count > 0);
	demand_add_one(demands, DEMAND_IMAGETYPE, r->cluster.imagetype || t->default_imagetype);
	demand_add_one(demands, DEMAND_HARDWARETYPE, r->cluster.hardwaretype || t->default_hardwaretype);
	demands->dropped[DEMAND_CAPACITY] = memory_zeroed(r->hardwaretype_count, sizeof(bool));
	demands->dropped[DEMAND_AVAILABLE] = memory_zeroed(r->hardwaretype_count, sizeof(bool));
	demands->dropped[DEMAND_CONSUMES] = memory_zeroed(r->service_count, sizeof(bool));
	for (size_t i = 0; i < r->service_count; i++)
		if (r->services[i].consumes.count && demand_on_cluster(r, r->services[i].name))
			demand_add(demands, DEMAND_CONSUMES, i);
	for (size_t i = 0; i < r->hardwaretype_count; i++) {
		const struct hardware_offer *offer = hardwaretype_offer(&r->hardwaretypes[i], r->provider.name);

		if (offer && offer->capacity.count)
			demand_add(demands, DEMAND_CAPACITY, i);
		if (offer && offer->available >= 0)
			demand_add(demands, DEMAND_AVAILABLE, i);
	}
}

static bool
demand_is_of_choice(const struct cluster_template *template, const char *service)
{
	for (size_t i = 0; i < template->oneof.count; i++)
		if (name_list_has(&template->oneof.list[i], service))
			return true;
	return false;
}

bool
demand_may_be_absent(const struct cluster_template *template, const char *service)
{
	for (size_t i = 0; i < template->constraint_count; i++)
		if (strcmp(template->constraints[i].service, service) == 0 && template->constraints[i].has_min)
			return template->constraints[i].min <= 0;
	return demand_is_of_choice(template, service);
}

enum demand_kind
demand_of_presence(const struct cluster_template *template, const char *service)
{
	return demand_is_of_choice(template, service) ? DEMAND_MIN : DEMAND_PLACED;
}

static void
demand_collect_quantities(struct demands *demands)
{
	const struct request *r = demands->request;
	const struct cluster_template *t = &r->template;
	size_t services = demand_service_count(r);

	for (enum demand_kind kind = DEMAND_MIN; kind <= DEMAND_IMAGETYPES; kind++)
		demands->dropped[kind] = memory_zeroed(t->constraint_count, sizeof(bool));
	demands->dropped[DEMAND_PLACED] = memory_zeroed(services, sizeof(bool));
	for (size_t i = 0; i < t->constraint_count; i++) {
		const struct service_constraint *c = &t->constraints[i];

		if (!demand_on_cluster(r, c->service))
			continue;
		if (c->imagetypes.count)
			demand_add(demands, DEMAND_IMAGETYPES, i);
		if (c->hardwaretypes.count)
			demand_add(demands, DEMAND_HARDWARETYPES, i);
		if (c->has_max)
			demand_add(demands, DEMAND_MAX, i);
		if (c->has_min && c->min > (demand_of_presence(t, c->service) == DEMAND_PLACED))
			demand_add(demands, DEMAND_MIN, i);
	}
	for (size_t i = 0; i < services; i++)
		if (!demand_may_be_absent(t, demand_service(r, i)) && demand_of_presence(t, demand_service(r, i)) == DEMAND_PLACED)
			demand_add(demands, DEMAND_PLACED, i);
}

void
demands_collect(const struct request *request, struct demands *demands)
{
	const struct cluster_template *t = &request->template;

	*demands = (struct demands){.request = request};
	demand_add_one(demands, DEMAND_NODES, request->node_count > 0); /* first: without it there are fewer kinds of machines */
	demand_collect_types(demands);
	demand_add_all(demands, DEMAND_COUNT_RULE, t->count_count);
	demand_add_all(demands, DEMAND_ONEOF, t->oneof.count);
	demand_add_one(demands, DEMAND_ZONES, t->spread_count > 0);
	demand_add_all(demands, DEMAND_SPREAD, t->spread_count);
	demand_add_all(demands, DEMAND_MUSTCOEXIST, t->mustcoexist.count);
	demand_add_all(demands, DEMAND_MUTUALLYEXCLUSIVE, t->mutuallyexclusive.count);
	demand_add_all(demands, DEMAND_CANTCOEXIST, t->cantcoexist.count);
	demand_collect_quantities(demands);
	demand_add_one(demands, DEMAND_SIZE_MIN, t->size_min > 1);
	demand_add_one(demands, DEMAND_SIZE_MAX, t->size_max < INT64_MAX);
	demand_add_one(demands, DEMAND_MACHINES_MIN, request->cluster.machines_given);
	demand_add_one(demands, DEMAND_MACHINES_MAX,
	    request->cluster.machines_given && request->cluster.machines_max < INT64_MAX &&
	    request->cluster.machines_min != request->cluster.machines_max);
}

void
demands_release(struct demands *demands)
{
	for (size_t kind = 0; kind < DEMAND_KINDS; kind++)
		free(demands->dropped[kind]);
	free(demands->list);
	*demands = (struct demands){0};
}

void
demand_drop(struct demands *demands, const struct demand *demand, bool drop)
{
	demands->dropped[demand->kind][demand->index] = drop;
}

bool
demand_holds(const struct demands *demands, enum demand_kind kind, size_t index)
{
	return !demands->dropped[kind][index];
}

void
demands_drop(struct demands *demands, size_t from, size_t to, bool drop)
{
	for (size_t i = from; i < to; i++)
		demand_drop(demands, &demands->list[i], drop);
}

void
demands_forget_dropped(struct demands *demands)
{
	size_t kept = 0;

	for (size_t i = 0; i < demands->count; i++)
		if (demand_holds(demands, demands->list[i].kind, demands->list[i].index))
			demands->list[kept++] = demands->list[i];
	demands->count = kept;
}

/* Drops all of the range if possible, else what can be dropped of its halves. A demand that a larger rest needs is needed
 * by a smaller one. */
int
demands_reduce(struct demands *demands, size_t from, size_t to, int (*contradict)(void *context, bool single), void *context)
{
	size_t middle = from + (to - from) / 2;
	bool needed = false;
	int rc;

	if (from == to)
		return 0;
	for (size_t i = from; i < to && !needed; i++)
		needed = demands->list[i].needed;
	if (!needed) {
		demands_drop(demands, from, to, true);
		rc = contradict(context, to - from == 1);
		if (rc != 0)
			return rc < 0 ? -1 : 0;
		demands_drop(demands, from, to, false);
	}
	if (to - from == 1)
		return 0;
	if (demands_reduce(demands, from, middle, contradict, context) < 0)
		return -1;
	return demands_reduce(demands, middle, to, contradict, context);
}

/* Appends the pointer to the member of the cluster, or of the template's defaults, that makes the demand. */
static void
demand_cluster_pointer(const struct demands *demands, const struct demand *demand, struct buffer *out)
{
	const struct cluster_request *asked = &demands->request->cluster;

	switch (demand->kind) {
	case DEMAND_MACHINES_MIN: case DEMAND_MACHINES_MAX:
		buffer_text(out, asked->machines_kept ? "/replace" : "/cluster/numMachines");
		if (asked->machines_min != asked->machines_max)
			buffer_text(out, demand->kind == DEMAND_MACHINES_MIN ? "/min" : "/max");
		break;
	case DEMAND_HARDWARETYPE:
		buffer_text(out, asked->hardwaretype ? "/cluster/hardwaretype" : "/template/defaults/hardwaretype");
		break;
	case DEMAND_IMAGETYPE:
		buffer_text(out, asked->imagetype ? "/cluster/imagetype" : "/template/defaults/imagetype");
		break;
	default:
		demand_service_pointer(demands->request, demand_service(demands->request, demand->index), out);
	}
}

void
demand_pointer(const struct demands *demands, const struct demand *demand, struct buffer *out)
{
	static const char *const plain[DEMAND_KINDS] = {
		[DEMAND_SIZE_MIN] = "/template/constraints/size/min",
		[DEMAND_SIZE_MAX] = "/template/constraints/size/max",
		[DEMAND_COMPATIBLE_HARDWARETYPES] = "/template/compatibility/hardwaretypes",
		[DEMAND_COMPATIBLE_IMAGETYPES] = "/template/compatibility/imagetypes",
		[DEMAND_NODES] = "/nodes",
		[DEMAND_ZONES] = "/provider/zones",
	};
	static const char *const indexed[DEMAND_KINDS] = {
		[DEMAND_MUSTCOEXIST] = "/template/constraints/layout/mustcoexist/%",
		[DEMAND_CANTCOEXIST] = "/template/constraints/layout/cantcoexist/%",
		[DEMAND_MUTUALLYEXCLUSIVE] = "/template/constraints/layout/mutuallyexclusive/%",
		[DEMAND_COUNT_RULE] = "/template/constraints/counts/%",
		[DEMAND_ONEOF] = "/template/constraints/oneof/%",
		[DEMAND_SPREAD] = "/template/constraints/spread/%",
		[DEMAND_CONSUMES] = "/services/%/consumes",
	};
	static const char *const constraint[DEMAND_KINDS] = {
		[DEMAND_MIN] = "/quantities/min",
		[DEMAND_MAX] = "/quantities/max",
		[DEMAND_HARDWARETYPES] = "/hardwaretypes",
		[DEMAND_IMAGETYPES] = "/imagetypes",
	};

	if (demand->kind == DEMAND_COUNT_RULE && request_instances_rule(demands->request, demand->index)) {
		buffer_text(out, "/cluster/instances");
		place_pointer_part(request_instances_rule(demands->request, demand->index)->service, out);
	} else if (plain[demand->kind])
		buffer_text(out, plain[demand->kind]);
	else if (indexed[demand->kind]) {
		const char *number = strrchr(indexed[demand->kind], '%');

		buffer_append(out, indexed[demand->kind], (size_t)(number - indexed[demand->kind]));
		buffer_printf(out, "%zu%s", demand->index, number + 1);
	} else if (constraint[demand->kind]) {
		buffer_text(out, "/template/constraints/services");
		place_pointer_part(demands->request->template.constraints[demand->index].service, out);
		buffer_text(out, constraint[demand->kind]);
	} else if (demand->kind == DEMAND_AVAILABLE || demand->kind == DEMAND_CAPACITY) {
		buffer_printf(out, "/hardwaretypes/%zu/providermap", demand->index);
		place_pointer_part(demands->request->provider.name, out);
		buffer_text(out, demand->kind == DEMAND_AVAILABLE ? "/available" : "/capacity");
	} else
		demand_cluster_pointer(demands, demand, out);
}
