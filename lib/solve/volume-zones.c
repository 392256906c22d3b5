/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/volume-zones.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/name.h"
#include "model/request.h"

struct zone_nodes { /* those of the answer */
	const struct node *list;
	size_t count;
};

/* Tells whether any service has volumes that outlive their node. */
static bool
volume_zones_are_asked(const struct request *request)
{
	for (size_t i = 0; i < request->service_count; i++)
		if (service_keeps_volumes(&request->services[i]))
			return true;
	return false;
}

/* Tells whether some service of the set has volumes that outlive their node. */
static bool
volume_zones_has(const struct request *request, const struct string_list *services)
{
	for (size_t i = 0; i < request->service_count; i++)
		if (service_keeps_volumes(&request->services[i]) && name_set_has(services, request->services[i].name))
			return true;
	return false;
}

static bool
volume_zones_is_same(const struct string_list *a, const struct string_list *b)
{
	bool same = a->count == b->count;

	for (size_t i = 0; i < a->count && same; i++)
		same = strcmp(a->list[i], b->list[i]) == 0;
	return same;
}

/* Returns in how many zones a service stands; zones are those of the nodes, by number. */
static int64_t
volume_zones_count(const struct zone_nodes *all, const char *const *zones, const char *service)
{
	int64_t count = 0;

	for (size_t i = 0; i < all->count; i++) {
		bool counts = zones[i] && !all->list[i].leaves && node_has(&all->list[i], service);

		for (size_t j = 0; j < i && counts; j++)
			counts = !zones[j] || all->list[j].leaves || strcmp(zones[j], zones[i]) != 0 || !node_has(&all->list[j], service);
		count += counts;
	}
	return count;
}

/* Tells whether no service stands in fewer zones than it has to, where it stood in enough before. */
static bool
volume_zones_are_enough(const struct request *request, const struct zone_nodes *all, const char *const *before, const char *const *after)
{
	for (size_t i = 0; i < request->template.spread_count; i++) {
		const struct spread_rule *rule = &request->template.spreads[i];

		for (size_t j = 0; j < rule->services.count; j++) {
			int64_t count = volume_zones_count(all, after, rule->services.list[j]);

			if (count < rule->min && count < volume_zones_count(all, before, rule->services.list[j]))
				return false;
		}
	}
	return true;
}

/* Finds a node that leaves, is not claimed, and has the services, in that zone where one is given. Returns SIZE_MAX if there is none. */
static size_t
volume_zones_find(const struct zone_nodes *all, const bool *claimed, const struct string_list *services, const char *zone)
{
	for (size_t i = 0; i < all->count; i++) {
		const struct node *node = &all->list[i];

		if (node->leaves && node->zone && !claimed[i] && volume_zones_is_same(&node->was, services) &&
		    (!zone || strcmp(node->zone, zone) == 0))
			return i;
	}
	return SIZE_MAX;
}

/* Sets the zones that the new nodes should have, and returns whether any is another; first those that are right already are claimed. */
static bool
volume_zones_choose(const struct request *request, const struct zone_nodes *all, const char **zones)
{
	bool *claimed = memory_zeroed(all->count, sizeof *claimed), *done = memory_zeroed(all->count, sizeof *done), moves = false;

	for (int round = 0; round < 2; round++)
		for (size_t i = 0; i < all->count; i++) {
			const struct node *node = &all->list[i];
			size_t old = node->is_new && !done[i] && volume_zones_has(request, &node->services)
			    ? volume_zones_find(all, claimed, &node->services, round == 0 ? node->zone : NULL) : SIZE_MAX;

			if (old == SIZE_MAX)
				continue;
			claimed[old] = done[i] = true;
			zones[i] = all->list[old].zone;
			moves = moves || !node->zone || strcmp(node->zone, zones[i]) != 0;
		}
	free(claimed);
	free(done);
	return moves;
}

void
volume_zones_keep(const struct request *request, struct node *nodes, size_t count)
{
	const struct zone_nodes all = {nodes, count};
	const char **before, **after;

	if (!request->provider.zones.count || !volume_zones_are_asked(request))
		return;
	before = memory_zeroed(count + 1, sizeof *before);
	after = memory_zeroed(count + 1, sizeof *after);
	for (size_t i = 0; i < count; i++)
		before[i] = after[i] = nodes[i].zone;
	if (volume_zones_choose(request, &all, after) && volume_zones_are_enough(request, &all, before, after))
		for (size_t i = 0; i < count; i++)
			nodes[i].zone = after[i];
	free(before);
	free(after);
}

bool
volume_zones_bind(const struct request *request, const struct node *node)
{
	for (size_t i = 0; i < request->node_count; i++) {
		const struct node *old = &request->nodes[i];

		for (size_t j = 0; (old->replaced || old->leaves) && j < request->service_count; j++)
			if (service_keeps_volumes(&request->services[j]) && name_set_has(&old->services, request->services[j].name) &&
			    name_set_has(&node->services, request->services[j].name))
				return true;
	}
	return false;
}
