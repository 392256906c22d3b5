/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "solve/check-context.h"

static size_t
standing(const struct string_list *set, const struct node *node)
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
		size_t here = standing(&t->mustcoexist.list[i], node);

		if (here && here < check_chosen(c, &t->mustcoexist.list[i]))
			check_fault(c, node->id, "holds a part of what must coexist (mustcoexist/%zu)", i);
	}
	for (size_t i = 0; i < t->cantcoexist.count; i++)
		if (standing(&t->cantcoexist.list[i], node) == t->cantcoexist.list[i].count)
			check_fault(c, node->id, "holds all of what cannot coexist (cantcoexist/%zu)", i);
	for (size_t i = 0; i < t->mutuallyexclusive.count; i++)
		if (standing(&t->mutuallyexclusive.list[i], node) > 1)
			check_fault(c, node->id, "holds more than one of what excludes one another (mutuallyexclusive/%zu)", i);
}

static void
check_types(struct check *c, const struct node *node)
{
	const struct cluster_template *t = &c->request->template;
	const struct cluster_wish *wish = &c->request->cluster;
	const struct hardware_offer *hardware = check_hardware_of(c, node->hardwaretype);
	const struct image_offer *image = check_image_of(c, node->imagetype);
	const char *one_hardware = wish->hardwaretype ? wish->hardwaretype : t->default_hardwaretype;
	const char *one_image = wish->imagetype ? wish->imagetype : t->default_imagetype;

	if (!hardware || !hardware->flavor || !node->flavor || strcmp(node->flavor, hardware->flavor) != 0)
		check_fault(c, node->id, "its hardware type and flavor are not offered");
	else if ((one_hardware && strcmp(one_hardware, node->hardwaretype) != 0) ||
	    (t->compatible_hardwaretypes.count && !check_listed(&t->compatible_hardwaretypes, node->hardwaretype)))
		check_fault(c, node->id, "hardware type %s is not wanted", node->hardwaretype);
	if (!image || !image->image || !node->image || strcmp(node->image, image->image) != 0)
		check_fault(c, node->id, "its image type and image are not offered");
	else if ((one_image && strcmp(one_image, node->imagetype) != 0) ||
	    (t->compatible_imagetypes.count && !check_listed(&t->compatible_imagetypes, node->imagetype)))
		check_fault(c, node->id, "image type %s is not wanted", node->imagetype);
}

static void
check_service(struct check *c, const struct node *node, const char *service)
{
	const struct service_constraint *constraint = check_constraint_of(c, service);

	if (!check_on_cluster(c, service))
		check_fault(c, node->id, "holds %s, which is not on the cluster", service);
	if (!constraint)
		return;
	if (constraint->hardwaretypes.count &&
	    !(node->hardwaretype && check_listed(&constraint->hardwaretypes, node->hardwaretype)))
		check_fault(c, node->id, "%s may not stand on its hardware type", service);
	if (constraint->imagetypes.count && !(node->imagetype && check_listed(&constraint->imagetypes, node->imagetype)))
		check_fault(c, node->id, "%s may not stand on its image type", service);
}

static double
amount_of(const struct amounts *amounts, const char *resource)
{
	for (size_t i = 0; i < amounts->count; i++)
		if (strcmp(amounts->list[i].resource, resource) == 0)
			return amounts->list[i].value;
	return 0;
}

/* Every resource that a service here takes, summed over all services here. Amounts count in millionths. */
static void
check_capacity(struct check *c, const struct node *node)
{
	const struct hardware_offer *offer = check_hardware_of(c, node->hardwaretype);

	for (size_t i = 0; i < node->services.count && offer && offer->capacity.count; i++) {
		const struct service *taker = check_service_of(c, node->services.list[i]);

		for (size_t j = 0; taker && j < taker->consumes.count; j++) {
			const char *resource = taker->consumes.list[j].resource;
			double taken = 0, room = amount_of(&offer->capacity, resource);

			for (size_t k = 0; k < node->services.count; k++) {
				const struct service *other = check_service_of(c, node->services.list[k]);

				taken += other ? amount_of(&other->consumes, resource) : 0;
			}
			if (taken > room + 5e-7)
				check_fault(c, node->id, "%s: %g is taken, %g is there", resource, taken, room);
		}
	}
}

void
check_node(struct check *c, const struct node *node)
{
	if (node->leaves)
		return;
	if (!node->services.count)
		check_fault(c, node->id, "holds no service");
	for (size_t i = 0; i < node->services.count; i++)
		check_service(c, node, node->services.list[i]);
	for (size_t i = 0; i < c->everywhere.count && node->is_new; i++)
		if (!node_has(node, c->everywhere.list[i]))
			check_fault(c, node->id, "lacks %s, which stands on every node", c->everywhere.list[i]);
	if (node->is_new)
		check_types(c, node);
	check_company(c, node);
	check_capacity(c, node);
}
