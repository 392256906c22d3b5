/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/stopped.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/names.h"
#include "model/action.h"
#include "model/layout.h"
#include "model/name.h"
#include "plan/dependency.h"
#include "plan/selection.h"

struct stopped { /* what stands before the plan */
	bool *runs, *stopped; /* of each service: an instance that was not stopped; one that was */
	bool all;             /* was stopped */
};

static void
stopped_find(struct stopped *found, const struct layout *layout, const struct names *services)
{
	found->runs = memory_zeroed(services->count, sizeof *found->runs);
	found->stopped = memory_zeroed(services->count, sizeof *found->stopped);
	found->all = layout_is_stopped(layout);
	for (size_t i = 0; i < layout->node_count; i++) {
		const struct node *node = &layout->nodes[i];

		for (size_t j = 0; j < node->was.count; j++) {
			int service = names_find(services, node->was.list[j]);
			bool *has = name_set_has(&node->stopped, node->was.list[j]) ? found->stopped : found->runs;

			if (service != NAMES_NONE)
				has[service] = true;
		}
	}
}

/* Tells whether a service that is set up is not to run. */
static bool
stopped_stays(const struct stopped *found, const struct layout *layout, size_t service)
{
	return (found->stopped[service] || found->all) && !found->runs[service] &&
	    layout->cluster.definitions[service].actions[ACTION_START].present;
}

/* Adds a service to a set of names, in the place of the set, or takes it away. */
static void
stopped_set(struct layout *layout, struct string_list *set, const char *name, bool is_in)
{
	struct string_list changed = {arena_alloc(&layout->arena, set->count + 1, sizeof *changed.list), 0};

	for (size_t i = 0; i < set->count; i++)
		if (strcmp(set->list[i], name) != 0)
			changed.list[changed.count++] = set->list[i];
	if (is_in)
		changed.list[changed.count++] = name;
	name_set_make(&changed);
	*set = changed;
}

/* Marks what is set up on the nodes. */
static void
stopped_mark_new(struct layout *layout, const struct names *services)
{
	struct stopped found = {0};

	stopped_find(&found, layout, services);
	for (size_t i = 0; i < layout->node_count; i++) {
		struct node *node = &layout->nodes[i];

		for (size_t j = 0; j < node->services.count && !node->leaves; j++) {
			const char *name = node->services.list[j];
			int service = names_find(services, name);
			bool stays = service != NAMES_NONE && stopped_stays(&found, layout, (size_t)service);

			if (name_set_has(&node->was, name))
				continue;
			if (stays != name_set_has(&node->stopped, name))
				stopped_set(layout, &node->stopped, name, stays);
			if (!stays && name_set_has(&node->taken_out, name))
				stopped_set(layout, &node->taken_out, name, false);
		}
	}
	free(found.runs);
	free(found.stopped);
}

/* Marks on a machine that does not answer the services that a start or a stop is about: what is set up in their place is to be as this left
 * the others. */
static void
stopped_mark_dead(struct layout *layout, struct node *node, const struct names *services, const enum part *parts, bool stops)
{
	for (size_t i = 0; i < node->services.count && !node->leaves; i++) {
		const char *name = node->services.list[i];
		int service = names_find(services, name);

		if (service == NAMES_NONE || parts[service] == PART_NONE ||
		    (stops && !layout->cluster.definitions[service].actions[ACTION_STOP].present))
			continue;
		stopped_set(layout, &node->stopped, name, stops);
		if (!stops)
			stopped_set(layout, &node->taken_out, name, false);
	}
}

int
stopped_mark(struct layout *layout, const struct dependencies *dependencies, const struct plan_parameters *parameters, struct error *err)
{
	const struct cluster_action *action = cluster_action_find(parameters->action);
	bool starts = action->standing == ACTIONS_START, stops = action->standing == ACTIONS_STOP;
	bool *dead = memory_zeroed(layout->node_count, sizeof *dead);
	struct selection selection = {0};
	int result = 0;

	if (!action->standing && !action->deletes)
		stopped_mark_new(layout, &dependencies->services);
	if (parameters->dead.count && (starts || stops)) {
		result = selection_init(&selection, layout, dependencies, parameters, NULL, err);
		if (result == 0)
			result = selection_find_nodes(dead, layout, parameters->dead, err);
		if (result == 0)
			selection_draw_in(&selection, layout, dependencies, stops, starts);
		for (size_t i = 0; result == 0 && i < layout->node_count; i++)
			if (dead[i] && selection.nodes[i])
				stopped_mark_dead(layout, &layout->nodes[i], &dependencies->services, selection.services, stops);
		selection_release(&selection);
	}
	free(dead);
	return result;
}
