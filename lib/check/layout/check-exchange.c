/* SPDX-License-Identifier: Apache-2.0 */
#include "check/layout/check-exchange.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "check/layout/check-context.h"
#include "model/answer/demand.h"
#include "model/layout.h"
#include "model/name.h"
#include "model/request.h"

struct exchange {
	const struct demands *demands;
	struct names services, definitions, constraints; /* of the cluster; numbered as the request's lists are */
	size_t *placed; /* of each service, the index of its DEMAND_PLACED */
	bool *alone;    /* no rule names it beside other services */
};

struct exchange *
check_exchange_new(const struct demands *demands)
{
	const struct request *r = demands->request;
	struct exchange *x = memory_zeroed(1, sizeof *x);
	size_t count = demand_service_count(r);
	bool *ruled = memory_zeroed(count, sizeof *ruled);

	x->demands = demands;
	x->placed = memory_zeroed(count, sizeof *x->placed);
	x->alone = memory_zeroed(count, sizeof *x->alone);
	for (size_t i = 0; i < count; i++) {
		size_t before = x->services.count, number = (size_t)names_intern(&x->services, demand_service(r, i));

		x->placed[number] = i;
		x->alone[number] = number == before; /* not twice */
	}
	for (size_t i = 0; i < r->service_count; i++)
		names_intern(&x->definitions, r->services[i].name);
	for (size_t i = 0; i < r->template.constraint_count; i++)
		names_intern(&x->constraints, r->template.constraints[i].service);
	check_mark_ruled(&r->template, &x->services, ruled);
	for (size_t i = 0; i < x->services.count; i++)
		x->alone[i] = x->alone[i] && !ruled[i];
	free(ruled);
	return x;
}

void
check_exchange_free(struct exchange *x)
{
	names_release(&x->services);
	names_release(&x->definitions);
	names_release(&x->constraints);
	free(x->placed);
	free(x->alone);
	free(x);
}

/* Returns the service that a demand is about; NULL if it is about none, or several. */
static const char *
exchange_service(const struct request *r, const struct demand *demand)
{
	switch (demand->kind) {
	case DEMAND_PLACED:
		return demand_service(r, demand->index);
	case DEMAND_MIN: case DEMAND_MAX: case DEMAND_HARDWARETYPES: case DEMAND_IMAGETYPES:
		return r->template.constraints[demand->index].service;
	case DEMAND_CONSUMES:
		return r->services[demand->index].name;
	default:
		return NULL;
	}
}

static bool
exchange_lists_are_same(const struct string_list *a, const struct string_list *b)
{
	bool same = a->count == b->count;

	for (size_t i = 0; i < a->count && same; i++)
		same = strcmp(a->list[i], b->list[i]) == 0;
	return same;
}

/* Returns whether the template says the same of two services, as far as demands hold. */
static bool
exchange_constraints_are_same(const struct exchange *x, const char *a, const char *b)
{
	int m = names_find(&x->constraints, a), n = names_find(&x->constraints, b);
	const struct service_constraint *c, *d;

	if (m == NAMES_NONE || n == NAMES_NONE)
		return false;
	for (enum demand_kind kind = DEMAND_MIN; kind <= DEMAND_IMAGETYPES; kind++)
		if (demand_holds(x->demands, kind, (size_t)m) != demand_holds(x->demands, kind, (size_t)n))
			return false;
	c = &x->demands->request->template.constraints[m];
	d = &x->demands->request->template.constraints[n];
	return c->has_min == d->has_min && c->min == d->min && c->has_max == d->has_max && c->max == d->max &&
	    exchange_lists_are_same(&c->hardwaretypes, &d->hardwaretypes) && exchange_lists_are_same(&c->imagetypes, &d->imagetypes);
}

/* Returns whether service b takes as much as a of each resource, or more; with counted, as if the demands that say so held. */
static bool
exchange_takes_more(const struct exchange *x, const char *a, const char *b, bool counted)
{
	const struct request *r = x->demands->request;
	int m = names_find(&x->definitions, a), n = names_find(&x->definitions, b);
	bool more = true;

	if (m == NAMES_NONE || n == NAMES_NONE)
		return false;
	if (!counted && !demand_holds(x->demands, DEMAND_CONSUMES, (size_t)m))
		return true;
	if (!counted && !demand_holds(x->demands, DEMAND_CONSUMES, (size_t)n))
		return false;
	for (size_t i = 0; i < r->services[m].consumes.count && more; i++) {
		const struct amount *amount = &r->services[m].consumes.list[i];

		more = amount->value <= amounts_value(&r->services[n].consumes, amount->resource, 0);
	}
	return more;
}

/* Without the instance of a service that has to be there, none stands anywhere: that is right unless its own min wants it. Services that take
 * nothing change places as they are. */
bool
check_exchange_is_safe(const struct exchange *x, const struct demand *a, const struct demand *b)
{
	const struct request *r = x->demands->request;
	bool consumes = a->kind == DEMAND_CONSUMES;
	const char *of_a, *of_b;
	int m, n;

	if (a->kind != b->kind || (a->kind != DEMAND_PLACED && !consumes) || r->node_count)
		return false;
	of_a = exchange_service(r, a);
	of_b = exchange_service(r, b);
	m = names_find(&x->services, of_a);
	n = names_find(&x->services, of_b);
	if (m == NAMES_NONE || n == NAMES_NONE || !x->alone[m] || !x->alone[n] || !exchange_constraints_are_same(x, of_a, of_b) ||
	    !exchange_takes_more(x, of_a, of_b, consumes))
		return false;
	if (consumes)
		return demand_holds(x->demands, DEMAND_PLACED, x->placed[m]) == demand_holds(x->demands, DEMAND_PLACED, x->placed[n]);
	n = names_find(&x->constraints, of_b);
	return !demand_holds(x->demands, DEMAND_MIN, (size_t)n) || r->template.constraints[n].min <= 1;
}

/* Puts service b on a node that has a and not b, in the place of that. */
static void
exchange_on_node(struct node *node, const char *a, const char *b, struct arena *arena)
{
	const char **list = arena_alloc(arena, node->services.count, sizeof *list);

	for (size_t i = 0; i < node->services.count; i++)
		list[i] = strcmp(node->services.list[i], a) == 0 ? b : node->services.list[i];
	node->services.list = list;
	name_set_make(&node->services);
}

static void
exchange_services(struct layout *layout, const char *a, const char *b, struct arena *arena)
{
	for (size_t i = 0; i < layout->node_count; i++) {
		bool has_a = node_has(&layout->nodes[i], a), has_b = node_has(&layout->nodes[i], b);

		if (has_a && !has_b)
			exchange_on_node(&layout->nodes[i], a, b, arena);
		else if (has_b && !has_a)
			exchange_on_node(&layout->nodes[i], b, a, arena);
	}
}

static void
exchange_types(struct layout *layout, const struct hardwaretype *a, const struct hardwaretype *b, const char *provider)
{
	for (size_t i = 0; i < layout->node_count; i++) {
		struct node *node = &layout->nodes[i];
		const struct hardwaretype *type = NULL;
		const struct hardware_offer *offer;

		if (node->is_new && node->hardwaretype)
			type = strcmp(node->hardwaretype, a->name) == 0 ? b : strcmp(node->hardwaretype, b->name) == 0 ? a : NULL;
		if (!type)
			continue;
		offer = hardwaretype_offer(type, provider);
		node->hardwaretype = type->name;
		node->flavor = offer ? offer->flavor : NULL;
	}
}

bool
check_exchange(const struct exchange *x, const struct layout *from, const struct demand *a, const struct demand *b,
    struct arena *arena, struct layout *to)
{
	const struct request *request = x->demands->request;
	bool types = a->kind == DEMAND_CAPACITY || a->kind == DEMAND_AVAILABLE;

	if (a->kind != b->kind || (!types && !exchange_service(request, a)))
		return false;
	*to = *from;
	to->nodes = arena_alloc(arena, from->node_count, sizeof *to->nodes);
	memcpy(to->nodes, from->nodes, from->node_count * sizeof *to->nodes);
	if (types)
		exchange_types(to, &request->hardwaretypes[a->index], &request->hardwaretypes[b->index], request->provider.name);
	else
		exchange_services(to, exchange_service(request, a), exchange_service(request, b), arena);
	return true;
}
