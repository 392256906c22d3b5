/* SPDX-License-Identifier: Apache-2.0 */
#include "reconcile/waiting.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/layout.h"
#include "plan/dependency.h"
#include "probe/drift.h"

static void
waiting_mark_sick(const struct dependencies *dependencies, const char *service, bool *sick)
{
	int number = names_find(&dependencies->services, service);

	if (number != NAMES_NONE)
		sick[number] = true;
}

/* Tells whether the service is not healthy on a machine that answers, where it can be repaired. Else only its machines are at fault. */
static bool
waiting_is_repaired(const struct drift_list *found, const char *service)
{
	for (size_t i = 0; i < found->count; i++)
		if (found->list[i].what == DRIFT_STOPPED && !found->list[i].starts_not && strcmp(found->list[i].service, service) == 0)
			return true;
	return false;
}

/* Marks the services that are not healthy somewhere; of a machine that does not answer, all. The caller frees the result. */
static bool *
waiting_find_sick(const struct layout *layout, const struct dependencies *dependencies, const struct drift_list *found)
{
	bool *sick = memory_zeroed(dependencies->services.count, sizeof *sick);

	for (size_t i = 0; i < found->count; i++) {
		const struct drift *drift = &found->list[i];

		if (drift->service)
			waiting_mark_sick(dependencies, drift->service, sick);
		for (size_t j = 0; !drift->service && drift->node && j < layout->node_count; j++)
			for (size_t k = 0; strcmp(layout->nodes[j].id, drift->node) == 0 && k < layout->nodes[j].services.count; k++)
				waiting_mark_sick(dependencies, layout->nodes[j].services.list[k], sick);
	}
	return sick;
}

/* Returns a service that is not healthy, that the service needs, directly or not, and that does not need it; NULL if there is
 * none. */
static const char *
waiting_find(const struct dependencies *dependencies, uint32_t service, const bool *sick)
{
	const struct neighbours *needs = &dependencies->needs[DEPENDENCY_RUNTIME].all,
	    *needed_by = &dependencies->needed_by[DEPENDENCY_RUNTIME].all;
	size_t count = dependencies->services.count;
	bool *needed = memory_zeroed(count, sizeof *needed), *needing = memory_zeroed(count, sizeof *needing);
	const char *found = NULL;

	needed[service] = needing[service] = true;
	graph_reach(needs, needed);
	graph_reach(needed_by, needing);
	for (size_t i = 0; i < count && !found; i++)
		if (needed[i] && !needing[i] && sick[i])
			found = dependencies->services.list[i];
	free(needed);
	free(needing);
	return found;
}

/* Marks those that no start starts. */
static void
waiting_mark_unstartable(const struct layout *layout, struct drift_list *found)
{
	for (size_t i = 0; i < found->count; i++) {
		struct drift *drift = &found->list[i];
		const struct service *service = drift->what == DRIFT_STOPPED ? cluster_definition(&layout->cluster, drift->service) : NULL;

		if (!service || service->actions[ACTION_START].present)
			continue;
		drift->starts_not = true;
		drift->note = "the service has no action start";
	}
}

void
waiting_mark(const struct layout *layout, struct drift_list *found)
{
	struct dependencies dependencies;
	bool *sick;

	waiting_mark_unstartable(layout, found);
	dependencies_init(&dependencies, layout);
	sick = waiting_find_sick(layout, &dependencies, found);
	for (size_t i = 0; i < found->count; i++) {
		struct drift *drift = &found->list[i];
		int service = drift->what == DRIFT_STOPPED ? names_find(&dependencies.services, drift->service) : NAMES_NONE;

		if (service == NAMES_NONE)
			continue;
		drift->waits_for = waiting_find(&dependencies, (uint32_t)service, sick);
		if (drift->waits_for)
			drift->message = arena_printf(&found->arena, "%s%sit needs %s, which %s", drift->message ? drift->message : "",
			    drift->message ? "; " : "", drift->waits_for,
			    waiting_is_repaired(found, drift->waits_for) ? "is repaired first" : "has to be healthy first");
	}
	free(sick);
	dependencies_release(&dependencies);
}
