/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks of a single node.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "check/layout/check-context.h"

static size_t
check_standing(const struct string_list *set, const struct node *node)
{
	size_t count = 0;

	for (size_t i = 0; i < set->count; i++)
		count += node_has(node, set->list[i]);
	return count;
}

static void
check_company(struct check *c, const struct node *node)
{
	const struct cluster_template *t = &c->request->template;

	for (size_t i = 0; i < t->mustcoexist.count; i++) {
		size_t here = check_standing(&t->mustcoexist.list[i], node);

		if (here && here < check_chosen(c, &t->mustcoexist.list[i]))
			check_broken(c, node->id, DEMAND_MUSTCOEXIST, i, "holds a part of what must coexist");
	}
	for (size_t i = 0; i < t->cantcoexist.count; i++)
		if (check_standing(&t->cantcoexist.list[i], node) == t->cantcoexist.list[i].count)
			check_broken(c, node->id, DEMAND_CANTCOEXIST, i, "holds all of what cannot coexist");
	for (size_t i = 0; i < t->mutuallyexclusive.count; i++)
		if (check_standing(&t->mutuallyexclusive.list[i], node) > 1)
			check_broken(c, node->id, DEMAND_MUTUALLYEXCLUSIVE, i, "holds more than one of what excludes one another");
}

static void
check_hardware(struct check *c, const struct node *node)
{
	const struct cluster_template *t = &c->request->template;
	const struct hardware_offer *offer = check_hardware_of(c, node->hardwaretype);
	const char *only = c->request->cluster.hardwaretype ? c->request->cluster.hardwaretype : t->default_hardwaretype;

	if (!offer || !offer->flavor || !node->flavor || strcmp(node->flavor, offer->flavor) != 0) {
		check_fault(c, node->id, "/hardwaretypes", "its hardware type and flavor are not offered");
		return;
	}
	if (only && strcmp(only, node->hardwaretype) != 0)
		check_broken(c, node->id, DEMAND_HARDWARETYPE, 0, "hardware type %s is not the one asked for",
		    node->hardwaretype);
	if (t->compatible_hardwaretypes.count && !name_list_has(&t->compatible_hardwaretypes, node->hardwaretype))
		check_broken(c, node->id, DEMAND_COMPATIBLE_HARDWARETYPES, 0, "hardware type %s is not allowed",
		    node->hardwaretype);
}

static void
check_image(struct check *c, const struct node *node)
{
	const struct cluster_template *t = &c->request->template;
	const struct image_offer *offer = check_image_of(c, node->imagetype);
	const char *only = c->request->cluster.imagetype ? c->request->cluster.imagetype : t->default_imagetype;

	if (!offer || !offer->image || !node->image || strcmp(node->image, offer->image) != 0) {
		check_fault(c, node->id, "/imagetypes", "its image type and image are not offered");
		return;
	}
	if (!node->sshuser || strcmp(node->sshuser, offer->sshuser) != 0)
		check_fault(c, node->id, "/imagetypes", "its user for ssh is not the image's, %s", offer->sshuser);
	if (only && strcmp(only, node->imagetype) != 0)
		check_broken(c, node->id, DEMAND_IMAGETYPE, 0, "image type %s is not the one asked for", node->imagetype);
	if (t->compatible_imagetypes.count && !name_list_has(&t->compatible_imagetypes, node->imagetype))
		check_broken(c, node->id, DEMAND_COMPATIBLE_IMAGETYPES, 0, "image type %s is not allowed", node->imagetype);
}

static void
check_service(struct check *c, const struct node *node, const char *service)
{
	const struct service_constraint *constraint = check_constraint_of(c, service);
	size_t index;

	if (!check_on_cluster(c, service)) {
		check_fault(c, node->id, "/cluster/services", "holds %s, which is not on the cluster", service);
		return;
	}
	if (!constraint)
		return;
	index = (size_t)(constraint - c->request->template.constraints);
	if (constraint->hardwaretypes.count &&
	    !(node->hardwaretype && name_list_has(&constraint->hardwaretypes, node->hardwaretype)))
		check_broken(c, node->id, DEMAND_HARDWARETYPES, index, "%s may not stand on its hardware type", service);
	if (constraint->imagetypes.count && !(node->imagetype && name_list_has(&constraint->imagetypes, node->imagetype)))
		check_broken(c, node->id, DEMAND_IMAGETYPES, index, "%s may not stand on its image type", service);
}

struct sums { /* what is taken of each resource */
	struct names resources;
	long double *taken;
	size_t capacity;
};

static void
check_add_amounts(struct sums *sums, const struct amounts *amounts)
{
	for (size_t i = 0; i < amounts->count; i++) {
		size_t before = sums->resources.count;
		size_t number = (size_t)names_intern(&sums->resources, amounts->list[i].resource);

		if (number == before) {
			ARRAY_ROOM(sums->taken, before, sums->capacity);
			sums->taken[number] = 0;
		}
		sums->taken[number] += amounts->list[i].value;
	}
}

static void
check_capacity(struct check *c, const struct node *node)
{
	const struct hardware_offer *offer = check_hardware_of(c, node->hardwaretype);
	struct sums sums = {0};

	for (size_t i = 0; i < node->services.count && offer && offer->capacity.count; i++) {
		const struct service *s = check_service_of(c, node->services.list[i]);

		if (s && s->consumes.count && demand_holds(c->demands, DEMAND_CONSUMES, (size_t)(s - c->request->services)))
			check_add_amounts(&sums, &s->consumes);
	}
	for (size_t i = 0; i < sums.resources.count; i++) {
		double room = amounts_value(&offer->capacity, sums.resources.list[i], 0);

		if (check_exceeds(sums.taken[i], room, sums.taken[i]))
			check_broken(c, node->id, DEMAND_CAPACITY, (size_t)names_find(&c->hardware, node->hardwaretype),
			    "%s: %.12Lg is taken, %.12g is there", sums.resources.list[i], sums.taken[i], room);
	}
	names_release(&sums.resources);
	free(sums.taken);
}

static void
check_zone(struct check *c, const struct node *node)
{
	const struct string_list *zones = &c->request->provider.zones;

	if (c->request->template.spread_count && !demand_holds(c->demands, DEMAND_ZONES, 0))
		return;
	if (zones->count && !node->zone)
		check_fault(c, node->id, "/provider/zones", "stands in no zone");
	else if (node->zone && !name_list_has(zones, node->zone))
		check_fault(c, node->id, "/provider/zones", "zone %s is not one of the provider's", node->zone);
}

/* Returns whether the host name is one that the node can have: of a cluster that has nodes with names of earlier versions, such
 * a one. */
static bool
check_node_is_named(const struct check *c, const struct node *node, const char *suffix, struct arena *names)
{
	const struct cluster_request *asked = &c->request->cluster;
	bool before = false;

	if (strcmp(node->hostname, node_hostname(asked->name, asked->id, node->nodenum, suffix, names)) == 0)
		return true;
	for (size_t i = 0; i < c->request->node_count && !before; i++) {
		const struct node *other = &c->request->nodes[i];

		before = other->hostname && strcmp(other->hostname,
		    node_hostname_before(asked->name, asked->id, other->nodenum, suffix, names)) == 0;
	}
	return before && strcmp(node->hostname,
	    node_hostname_before(asked->name, asked->id, node->nodenum, suffix, names)) == 0;
}

static void
check_new(struct check *c, const struct node *node)
{
	const struct cluster_request *asked = &c->request->cluster;
	const char *suffix = asked->dns_suffix ? asked->dns_suffix : c->request->template.default_dns_suffix;
	struct arena names = {0};

	if (strcmp(node->id, arena_printf(&names, "%s-%" PRId64, asked->id, node->nodenum)) != 0)
		check_fault(c, node->id, NULL, "its id is not made of the cluster's and its number");
	if (node->nodenum < NODE_FIRST_NUMBER)
		check_fault(c, node->id, NULL, "its number is below %d", NODE_FIRST_NUMBER);
	if (!check_node_is_named(c, node, suffix, &names))
		check_fault(c, node->id, NULL, "its host name is not the one that it gets");
	arena_release(&names);
	check_zone(c, node);
	check_hardware(c, node);
	check_image(c, node);
	for (size_t i = 0; i < c->everywhere.count; i++)
		if (!node_has(node, c->everywhere.list[i]))
			check_fault(c, node->id, NULL, "lacks %s, which stands on every node", c->everywhere.list[i]);
}

void
check_node(struct check *c, const struct node *node)
{
	if (node->leaves)
		return;
	if (!node->services.count)
		check_fault(c, node->id, NULL, "holds no service");
	for (size_t i = 0; i < node->services.count; i++)
		check_service(c, node, node->services.list[i]);
	if (node->is_new)
		check_new(c, node);
	check_company(c, node);
	check_capacity(c, node);
}
