/* SPDX-License-Identifier: Apache-2.0 */
#include "check/layout/brute-force.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "check/layout/check-room.h"
#include "check/layout/check.h"
#include "model/answer/demand.h"
#include "model/layout.h"
#include "model/name.h"
#include "model/request.h"

enum { SERVICES_MOST = 10, KINDS_MOST = 4000, LAYOUTS_MOST = 4000 };

struct trial {
	const struct demands *demands;
	const struct request *request;
	struct arena arena;
	struct string_list services; /* of the cluster, sorted */
	struct node *kinds;          /* of nodes: those that break no rule by themselves */
	size_t kind_count, kind_capacity;
	struct layout layout;
	int64_t from, to;            /* bounds of the number of nodes */
	bool found;
};

/* Returns whether the nodes in the layout break nothing. With only_nodes, faults of the whole cluster do not count. */
static bool
brute_force_is_right(struct trial *t, bool only_nodes)
{
	struct check_terms terms = {.demands = t->demands};
	struct arena arena = {0};
	struct fault *fault = check_layout(t->request, &t->layout, &terms, &arena);

	while (fault && only_nodes && strcmp(fault->where, "cluster") == 0)
		fault = fault->next;
	arena_release(&arena);
	return !fault;
}

static void
brute_force_name_node(struct trial *t, size_t i)
{
	t->layout.nodes[i].nodenum = NODE_FIRST_NUMBER + (int64_t)i;
	request_name_node(t->request, &t->layout.nodes[i], &t->arena);
}

/* Puts a node of a kind in a place that has a name already. */
static void
brute_force_put_node(struct trial *t, size_t place, const struct node *kind)
{
	struct node *node = &t->layout.nodes[place], named = *node;

	*node = *kind;
	node->nodenum = named.nodenum;
	node->id = named.id;
	node->hostname = named.hostname;
}

static void
brute_force_try_kind(struct trial *t, const struct hardwaretype *hardware, const struct imagetype *image, const char *zone,
    unsigned services)
{
	const struct hardware_offer *flavor = hardwaretype_offer(hardware, t->request->provider.name);
	const struct image_offer *offer = imagetype_offer(image, t->request->provider.name);
	struct node kind = {.is_new = true, .zone = zone, .hardwaretype = hardware->name, .imagetype = image->name};

	kind.flavor = flavor ? flavor->flavor : NULL;
	kind.image = offer ? offer->image : NULL;
	kind.sshuser = offer ? offer->sshuser : NULL;
	kind.services.list = arena_alloc(&t->arena, t->services.count, sizeof *kind.services.list);
	for (size_t i = 0; i < t->services.count; i++)
		if (services >> i & 1)
			kind.services.list[kind.services.count++] = t->services.list[i];
	brute_force_put_node(t, 0, &kind);
	t->layout.node_count = 1;
	if (!brute_force_is_right(t, true))
		return;
	ARRAY_ROOM(t->kinds, t->kind_count, t->kind_capacity);
	t->kinds[t->kind_count++] = kind;
}

static void
brute_force_list_kinds(struct trial *t)
{
	const struct request *r = t->request;
	bool limited = !r->template.spread_count || demand_holds(t->demands, DEMAND_ZONES, 0);
	const struct string_list *zones = limited ? &r->provider.zones : &(struct string_list){0};

	for (size_t h = 0; h < r->hardwaretype_count; h++)
		for (size_t i = 0; i < r->imagetype_count; i++)
			for (size_t z = 0; z < (zones->count ? zones->count : 1); z++)
				for (unsigned services = 1; services < 1U << t->services.count; services++)
					brute_force_try_kind(t, &r->hardwaretypes[h], &r->imagetypes[i], zones->count ? zones->list[z] : NULL,
					    services);
}

/* Tries every choice of kinds for the nodes from place on, in ascending order: nodes differ in nothing but their kinds. */
static void
brute_force_try_from(struct trial *t, size_t place, size_t kind)
{
	if (place == t->layout.node_count) {
		t->found = brute_force_is_right(t, false);
		return;
	}
	for (size_t k = kind; k < t->kind_count && !t->found; k++) {
		brute_force_put_node(t, place, &t->kinds[k]);
		brute_force_try_from(t, place + 1, k);
	}
}

/* Returns whether there are few layouts: with n nodes there are (kinds + n - 1) over n. */
static bool
brute_force_are_few(const struct trial *t)
{
	double sum = 0;

	for (int64_t nodes = t->from; nodes <= t->to && sum <= LAYOUTS_MOST; nodes++) {
		double layouts = 1;

		for (int64_t i = 0; i < nodes && layouts <= LAYOUTS_MOST; i++)
			layouts *= (double)(t->kind_count + (size_t)i) / (double)(i + 1);
		sum += layouts;
	}
	return sum <= LAYOUTS_MOST;
}

static enum brute_force_result
brute_force_try_all(struct trial *t)
{
	size_t most = (size_t)(t->to < LAYOUTS_MOST ? t->to : LAYOUTS_MOST);

	t->layout.nodes = arena_alloc(&t->arena, most + 1, sizeof *t->layout.nodes);
	brute_force_name_node(t, 0);
	brute_force_list_kinds(t);
	if (t->from > t->to || t->kind_count == 0)
		return BRUTE_FORCE_NONE;
	if (t->to > LAYOUTS_MOST || !brute_force_are_few(t))
		return BRUTE_FORCE_MANY;
	for (size_t i = 1; i < most; i++)
		brute_force_name_node(t, i);
	for (int64_t nodes = t->from; nodes <= t->to && !t->found; nodes++) {
		t->layout.node_count = (size_t)nodes;
		brute_force_try_from(t, 0, 0);
	}
	return t->found ? BRUTE_FORCE_FOUND : BRUTE_FORCE_NONE;
}

static void
brute_force_make_cluster(struct trial *t)
{
	const struct request *r = t->request;
	struct cluster *c = &t->layout.cluster;

	*c = (struct cluster){
		.id = r->cluster.id, .name = r->cluster.name, .tenant = r->cluster.tenant, .services = t->services,
		.provider = r->provider,
		.definitions = arena_alloc(&t->arena, t->services.count, sizeof *c->definitions),
	};
	for (size_t i = 0; i < t->services.count; i++)
		for (size_t j = 0; j < r->service_count; j++)
			if (strcmp(r->services[j].name, t->services.list[i]) == 0)
				c->definitions[c->definition_count++] = r->services[j];
}

enum brute_force_result
brute_force(const struct demands *demands)
{
	struct trial t = {.demands = demands, .request = demands->request};
	enum brute_force_result result = BRUTE_FORCE_MANY;
	size_t count = demand_service_count(t.request);
	double kinds = (double)t.request->hardwaretype_count * (double)t.request->imagetype_count *
	    (double)(t.request->provider.zones.count + 1);

	t.services = (struct string_list){arena_alloc(&t.arena, count, sizeof *t.services.list), count};
	for (size_t i = 0; i < count; i++)
		t.services.list[i] = demand_service(t.request, i);
	name_set_make(&t.services);
	if (!t.request->node_count && t.services.count <= SERVICES_MOST && kinds * (1 << t.services.count) <= KINDS_MOST) {
		check_bound_nodes(demands, &t.from, &t.to);
		brute_force_make_cluster(&t);
		result = brute_force_try_all(&t);
	}
	free(t.kinds);
	arena_release(&t.arena);
	return result;
}
