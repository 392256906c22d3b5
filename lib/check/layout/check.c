/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks of a layout as a whole: the numbers of machines and instances, the rules of the template, the services.
 */
#include "check/layout/check.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/plural.h"
#include "check/layout/check-context.h"

static void
check_quantity(struct check *c, size_t index, const char *service)
{
	const struct service_constraint *constraint = check_constraint_of(c, service);
	size_t number = constraint ? (size_t)(constraint - c->request->template.constraints) : 0;
	int64_t count = check_instances(c, service);
	bool chosen = demand_of_presence(&c->request->template, service) == DEMAND_MIN;

	if (count < 1 && !chosen && !(constraint && constraint->has_min && constraint->min <= 0))
		check_broken(c, "cluster", DEMAND_PLACED, index, "%s has no instance", service);
	if (constraint && constraint->has_min && constraint->min > !chosen && count < constraint->min)
		check_broken(c, "cluster", DEMAND_MIN, number, "%s has %" PRId64 " %s, but needs at least %" PRId64, service,
		    count, plural(count, "instance", "instances"), constraint->min);
	if (constraint && constraint->has_max && count > constraint->max)
		check_broken(c, "cluster", DEMAND_MAX, number, "%s has %" PRId64 " %s, but may have at most %" PRId64, service,
		    count, plural(count, "instance", "instances"), constraint->max);
}

static void
check_rules(struct check *c)
{
	const struct cluster_template *t = &c->request->template;

	for (size_t i = 0; i < t->count_count; i++) {
		long double sum = 0, size = 0;

		for (size_t j = 0; j < t->counts[i].term_count; j++)
			if (check_on_cluster(c, t->counts[i].terms[j].service)) {
				long double part = t->counts[i].terms[j].coefficient *
				    (long double)check_instances(c, t->counts[i].terms[j].service);

				sum += part;
				size += fabsl(part);
			}
		if ((isfinite(t->counts[i].min) && check_exceeds(-sum, -t->counts[i].min, size)) ||
		    (isfinite(t->counts[i].max) && check_exceeds(sum, t->counts[i].max, size)))
			check_broken(c, "cluster", DEMAND_COUNT_RULE, i, "the rule \"%s\" is broken: it gives %.12Lg",
			    t->counts[i].name ? t->counts[i].name : "", sum);
	}
	for (size_t i = 0; i < t->oneof.count; i++) {
		size_t with = 0;

		for (size_t j = 0; j < t->oneof.list[i].count; j++)
			with += check_on_cluster(c, t->oneof.list[i].list[j]) && check_instances(c, t->oneof.list[i].list[j]) > 0;
		if (with != 1 && check_chosen(c, &t->oneof.list[i]))
			check_broken(c, "cluster", DEMAND_ONEOF, i, "%zu of what there should be one of has instances", with);
	}
}

/* Returns the number of zones that the instances of a service stand in. If those of the provider do not count, each new
 * node is as if it had one of its own. */
static int64_t
check_zones_of(const struct check *c, const char *service)
{
	bool limited = demand_holds(c->demands, DEMAND_ZONES, 0);
	struct names zones = {0};
	int64_t count = 0;

	for (size_t i = 0; i < c->layout->node_count; i++) {
		const struct node *node = &c->layout->nodes[i];

		if (node->leaves || !node_has(node, service))
			continue;
		if (node->is_new && !limited)
			count++;
		else if (node->zone)
			names_intern(&zones, node->zone);
	}
	count += (int64_t)zones.count;
	names_release(&zones);
	return count;
}

/* Rules of spread do not apply to a service without instances. */
static void
check_spread(struct check *c)
{
	const struct cluster_template *t = &c->request->template;

	for (size_t i = 0; i < t->spread_count; i++)
		for (size_t j = 0; j < t->spreads[i].services.count; j++) {
			const char *service = t->spreads[i].services.list[j];
			int64_t zones = check_instances(c, service) ? check_zones_of(c, service) : t->spreads[i].min;

			if (zones < t->spreads[i].min)
				check_broken(c, "cluster", DEMAND_SPREAD, i, "%s stands in %" PRId64 " %s, but needs at least %" PRId64,
				    service, zones, plural(zones, "zone", "zones"), t->spreads[i].min);
		}
}

static void
check_size(struct check *c)
{
	const struct cluster_request *asked = &c->request->cluster;
	const struct cluster_template *t = &c->request->template;
	bool exact = asked->machines_given && asked->machines_min == asked->machines_max;
	int64_t count = c->node_count;

	if (asked->machines_given && (count < asked->machines_min || (exact && count != asked->machines_min)))
		check_broken(c, "cluster", DEMAND_MACHINES_MIN, 0, "%" PRId64 " %s not the number that is asked for",
		    count, plural(count, "node is", "nodes are"));
	if (asked->machines_given && !exact && count > asked->machines_max)
		check_broken(c, "cluster", DEMAND_MACHINES_MAX, 0, "%" PRId64 " %s more than are asked for",
		    count, plural(count, "node is", "nodes are"));
	if (count > t->size_max)
		check_broken(c, "cluster", DEMAND_SIZE_MAX, 0, "%" PRId64 " %s more than the template allows",
		    count, plural(count, "node is", "nodes are"));
	if (count < t->size_min && t->size_min > 1)
		check_broken(c, "cluster", DEMAND_SIZE_MIN, 0, "%" PRId64 " %s fewer than the template needs",
		    count, plural(count, "node is", "nodes are"));
	if (count < 1)
		check_fault(c, "cluster", NULL, "has no node");
}

static void
check_available(struct check *c)
{
	const struct request *r = c->request;
	int64_t *of_type = memory_zeroed(r->hardwaretype_count, sizeof *of_type);

	for (size_t i = 0; i < c->layout->node_count; i++) {
		const struct node *node = &c->layout->nodes[i];
		int number = node->hardwaretype && !node->leaves ? names_find(&c->hardware, node->hardwaretype) : NAMES_NONE;

		if (number != NAMES_NONE)
			of_type[number]++;
	}
	for (size_t i = 0; i < r->hardwaretype_count; i++) {
		const struct hardware_offer *offer = check_hardware_of(c, r->hardwaretypes[i].name);

		if (offer && offer->available >= 0 && of_type[i] > offer->available)
			check_broken(c, "cluster", DEMAND_AVAILABLE, i, "%" PRId64 " %s of type %s, %" PRId64 " %s available",
			    of_type[i], plural(of_type[i], "machine", "machines"), r->hardwaretypes[i].name, offer->available,
			    plural(offer->available, "is", "are"));
	}
	free(of_type);
}

static void
check_cluster(struct check *c)
{
	const struct cluster_request *asked = &c->request->cluster;
	const struct cluster *cluster = &c->layout->cluster;

	if (strcmp(cluster->id, asked->id) != 0)
		check_fault(c, "cluster", "/cluster/id", "its id is %s", cluster->id);
	if (strcmp(cluster->name, asked->name) != 0)
		check_fault(c, "cluster", "/cluster/name", "its name is %s", cluster->name);
	if (strcmp(cluster->tenant, asked->tenant) != 0)
		check_fault(c, "cluster", "/cluster/tenant", "its tenant is %s", cluster->tenant);
	if (strcmp(cluster->provider.name, c->request->provider.name) != 0)
		check_fault(c, "cluster", "/provider", "its provider is %s", cluster->provider.name);
	for (size_t i = 0; i < cluster->services.count; i++)
		if (check_service_of(c, cluster->services.list[i]) && !cluster_definition(cluster, cluster->services.list[i]))
			check_fault(c, "cluster", "/services", "has no definition of %s", cluster->services.list[i]);
	check_services(c);
	for (size_t i = 0; i < demand_service_count(c->request); i++)
		check_quantity(c, i, demand_service(c->request, i));
}

static void
check_count_instances(struct check *c)
{
	size_t capacity = 0;

	for (size_t i = 0; i < c->layout->node_count; i++) {
		const struct node *node = &c->layout->nodes[i];

		names_intern(&c->after, node->id);
		c->node_count += !node->leaves;
		for (size_t j = 0; j < node->services.count && !node->leaves; j++) {
			size_t before = c->standing.count;
			size_t number = (size_t)names_intern(&c->standing, node->services.list[j]);

			if (number == before) {
				ARRAY_ROOM(c->instances, before, capacity);
				c->instances[number] = 0;
			}
			c->instances[number]++;
		}
	}
}

static void
check_prepare(struct check *c)
{
	const struct request *r = c->request;
	const struct string_list *services = &c->layout->cluster.services;
	struct names names = {0};
	bool *named = memory_zeroed(services->count, sizeof *named);

	for (size_t i = 0; i < services->count; i++)
		names_intern(&names, services->list[i]);
	check_mark_named(&r->template, &names, named);
	for (size_t i = 0; i < r->template.constraint_count; i++)
		names_intern(&c->constrained, r->template.constraints[i].service);
	for (size_t i = 0; i < r->service_count; i++)
		names_intern(&c->defined, r->services[i].name);
	for (size_t i = 0; i < r->hardwaretype_count; i++)
		names_intern(&c->hardware, r->hardwaretypes[i].name);
	for (size_t i = 0; i < r->imagetype_count; i++)
		names_intern(&c->images, r->imagetypes[i].name);
	for (size_t i = 0; i < r->node_count; i++) {
		names_intern(&c->before, r->nodes[i].id);
		for (size_t j = 0; j < r->nodes[i].services.count && !r->nodes[i].leaves; j++)
			names_intern(&c->stood, r->nodes[i].services.list[j]);
	}
	c->everywhere.list = arena_alloc(c->arena, services->count, sizeof *c->everywhere.list);
	for (size_t i = 0; i < services->count; i++)
		if (!named[names_find(&names, services->list[i])])
			c->everywhere.list[c->everywhere.count++] = services->list[i];
	names_release(&names);
	free(named);
	check_count_instances(c);
	request_find_scaled(r, &c->more, &c->fewer);
}

static void
check_release(struct check *c)
{
	names_release(&c->constrained);
	names_release(&c->defined);
	names_release(&c->hardware);
	names_release(&c->images);
	names_release(&c->before);
	names_release(&c->after);
	names_release(&c->stood);
	names_release(&c->standing);
	names_release(&c->more);
	names_release(&c->fewer);
	free(c->instances);
}

struct fault *
check_layout(const struct request *request, const struct layout *layout, const struct check_terms *terms,
    struct arena *arena)
{
	struct fault *first = NULL;
	struct demands all = {0};
	struct check c = {
		.request = request, .layout = layout, .demands = terms->demands, .claims = terms->claims,
		.moves_max = terms->moves_max, .arena = arena, .last = &first,
	};

	if (!c.demands) {
		demands_collect(request, &all);
		c.demands = &all;
	}
	check_prepare(&c);
	check_cluster(&c);
	check_size(&c);
	check_available(&c);
	check_rules(&c);
	check_spread(&c);
	if (!request->node_count || demand_holds(c.demands, DEMAND_NODES, 0))
		check_change(&c);
	for (size_t i = 0; i < layout->node_count; i++)
		check_node(&c, &layout->nodes[i]);
	check_claims(&c);
	check_release(&c);
	demands_release(&all);
	return first;
}

struct amounts
check_worth(const struct request *request, const struct layout *layout, struct arena *arena)
{
	struct amounts worth;
	struct demands all;
	struct check c = {.request = request, .layout = layout, .arena = arena};

	demands_collect(request, &all);
	c.demands = &all;
	check_prepare(&c);
	worth = check_values(&c);
	check_release(&c);
	demands_release(&all);
	return worth;
}
