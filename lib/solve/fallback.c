/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/fallback.h"

#include <stdlib.h>
#include <string.h>

#include "model/name.h"
#include "solve/volume-zones.h"

#define ROUNDING 1e-12 /* of sums of what services consume, as a part of the capacity */

struct alternative { /* a hardware type */
	const struct hardwaretype *type;
	const struct hardware_offer *offer;
};

static const struct service *
fallback_service(const struct request *request, const char *name)
{
	for (size_t i = 0; i < request->service_count; i++)
		if (strcmp(request->services[i].name, name) == 0)
			return &request->services[i];
	return NULL;
}

/* Returns whether all services of the node have room on a machine of that capacity. One that says nothing has room for all. */
static bool
fallback_has_room(const struct request *request, const struct node *node, const struct amounts *capacity)
{
	double *left = memory_zeroed(capacity->count + 1, sizeof *left);
	bool fits = true;

	for (size_t i = 0; i < capacity->count; i++)
		left[i] = capacity->list[i].value;
	for (size_t i = 0; i < node->services.count && capacity->count > 0; i++) {
		const struct service *service = fallback_service(request, node->services.list[i]);

		for (size_t k = 0; service && k < service->consumes.count; k++) {
			const struct amount *amount = &service->consumes.list[k], *there = amounts_find(capacity, amount->resource);

			if (there)
				fits &= (left[there - capacity->list] -= amount->value) >= -ROUNDING * there->value;
			else
				fits &= amount->value <= 0;
		}
	}
	free(left);
	return fits;
}

/* Returns whether the template has all services of the node on that hardware type. */
static bool
fallback_is_allowed(const struct request *request, const struct node *node, const char *hardwaretype)
{
	const struct cluster_template *t = &request->template;

	if (t->compatible_hardwaretypes.count && !name_list_has(&t->compatible_hardwaretypes, hardwaretype))
		return false;
	for (size_t i = 0; i < t->constraint_count; i++)
		if (name_set_has(&node->services, t->constraints[i].service) && t->constraints[i].hardwaretypes.count &&
		    !name_list_has(&t->constraints[i].hardwaretypes, hardwaretype))
			return false;
	return true;
}

/* Orders hardware types by what they cost, then by name. */
static int
fallback_compare(const void *a, const void *b)
{
	const struct alternative *one = a, *two = b;

	if (one->offer->cost < two->offer->cost || one->offer->cost > two->offer->cost)
		return one->offer->cost < two->offer->cost ? -1 : 1;
	return strcmp(one->type->name, two->type->name);
}

/* Finds the hardware types that the node may have beside its own: not where one was asked for, and none of which there are only so many, because
 * the layout counts on those. Returns how many there are; list has room for all of the request. */
static size_t
fallback_hardware(const struct request *request, const struct node *node, struct alternative *list)
{
	size_t count = 0;

	if (!name_list_has(&request->template.fallback, "hardwaretype") || request->cluster.hardwaretype || request->template.default_hardwaretype)
		return 0;
	for (size_t i = 0; i < request->hardwaretype_count; i++) {
		const struct hardwaretype *type = &request->hardwaretypes[i];
		const struct hardware_offer *offer = hardwaretype_offer(type, request->provider.name);

		if (offer && offer->available < 0 && strcmp(type->name, node->hardwaretype) != 0 &&
		    fallback_is_allowed(request, node, type->name) && fallback_has_room(request, node, &offer->capacity))
			list[count++] = (struct alternative){type, offer};
	}
	qsort(list, count, sizeof *list, fallback_compare);
	return count;
}

static void
fallback_add(jv *choices, const char *zone, const struct alternative *alternative)
{
	jv choice = jv_object();

	if (alternative) {
		json_set_string(&choice, "flavor", alternative->offer->flavor);
		json_set_string(&choice, "hardwaretype", alternative->type->name);
	}
	if (zone)
		json_set_string(&choice, "zone", zone);
	*choices = jv_array_append(*choices, choice);
}

/* Adds the zones for one hardware type, NULL for the node's own: the node's zone first, which is a choice only with another type. */
static void
fallback_add_zones(const struct request *request, const struct node *node, const struct alternative *alternative, jv *choices)
{
	const struct string_list *zones = &request->provider.zones;

	if (alternative)
		fallback_add(choices, node->zone, alternative);
	/* Where a template spreads services, a node in another zone may be one too many there. */
	if (!name_list_has(&request->template.fallback, "zone") || request->template.spread_count > 0 || volume_zones_bind(request, node))
		return;
	for (size_t i = 0; i < zones->count; i++)
		if (!node->zone || strcmp(zones->list[i], node->zone) != 0)
			fallback_add(choices, zones->list[i], alternative);
}

jv
fallback_choices(const struct request *request, const struct node *node)
{
	struct alternative *list;
	size_t count;
	jv choices;

	if (request->template.fallback.count == 0 || !node->is_new || !node->hardwaretype)
		return jv_invalid();
	choices = jv_array();
	list = memory_zeroed(request->hardwaretype_count + 1, sizeof *list);
	count = fallback_hardware(request, node, list);
	fallback_add_zones(request, node, NULL, &choices);
	for (size_t i = 0; i < count; i++)
		fallback_add_zones(request, node, &list[i], &choices);
	free(list);
	if (json_length(choices) > 0)
		return choices;
	jv_free(choices);
	return jv_invalid();
}
