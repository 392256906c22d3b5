/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/selection.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/names.h"
#include "base/suggest.h"
#include "model/layout.h"
#include "plan/nearest.h"

/* Tells whether text is one of the names, and marks in found which names did occur. */
static bool
selection_is_named(const struct names *names, const char *text, bool *found)
{
	int number = text ? names_find(names, text) : NAMES_NONE;

	if (number == NAMES_NONE)
		return false;
	found[number] = true;
	return true;
}

static int
selection_no_node(const struct layout *layout, const char *name, struct error *err)
{
	const char **list = memory_zeroed(2 * layout->node_count + 1, sizeof *list);
	size_t count = 0;

	for (size_t i = 0; i < layout->node_count; i++) {
		list[count++] = layout->nodes[i].id;
		if (layout->nodes[i].hostname)
			list[count++] = layout->nodes[i].hostname;
	}
	error_set(err, EX_NO, "there is no node %s", name);
	suggest_in_error(err, name, list);
	free(list);
	return -1;
}

int
selection_find_nodes(bool *found, const struct layout *layout, struct string_list wanted, struct error *err)
{
	struct names names = {0};
	bool *occurs = memory_zeroed(wanted.count, sizeof *occurs);
	int result = 0;

	for (size_t i = 0; i < wanted.count; i++)
		names_intern(&names, wanted.list[i]);
	for (size_t i = 0; i < layout->node_count; i++) {
		bool by_id = selection_is_named(&names, layout->nodes[i].id, occurs);
		bool by_hostname = selection_is_named(&names, layout->nodes[i].hostname, occurs);

		found[i] = found[i] || by_id || by_hostname;
	}
	for (size_t i = 0; i < names.count && result == 0; i++)
		if (!occurs[i])
			result = selection_no_node(layout, names.list[i], err);
	names_release(&names);
	free(occurs);
	return result;
}

static int
selection_no_service(const struct names *services, const char *name, struct error *err)
{
	const char **list = memory_zeroed(services->count + 1, sizeof *list);

	for (size_t i = 0; i < services->count; i++)
		list[i] = services->list[i];
	error_set(err, EX_NO, "there is no service %s", name);
	suggest_or_name(err, name, list);
	free(list);
	return -1;
}

static int
selection_choose_services(enum part *parts, const struct dependencies *dependencies, struct string_list wanted,
    const bool *among, struct error *err)
{
	for (size_t i = 0; i < dependencies->services.count; i++)
		parts[i] = wanted.count || (among && !among[i]) ? PART_NONE : PART_CHOSEN;
	for (size_t i = 0; i < wanted.count; i++) {
		int service = names_find(&dependencies->services, wanted.list[i]);

		if (service == NAMES_NONE)
			return selection_no_service(&dependencies->services, wanted.list[i], err);
		parts[service] = PART_CHOSEN;
	}
	return 0;
}

/* Draws in all services that can be reached from the chosen ones. */
static void
selection_reach(enum part *parts, const struct neighbours *along)
{
	bool *set = memory_zeroed(along->vertices, sizeof *set);

	for (size_t i = 0; i < along->vertices; i++)
		set[i] = parts[i] == PART_CHOSEN;
	graph_reach(along, set);
	for (size_t i = 0; i < along->vertices; i++)
		if (set[i] && parts[i] == PART_NONE)
			parts[i] = PART_DRAWN_IN;
	free(set);
}

/* Finds the services that can be started and stand on some node; the caller frees the result. */
static bool *
selection_find_startable(const struct layout *layout, const struct dependencies *dependencies)
{
	bool *startable = memory_zeroed(layout->cluster.definition_count, sizeof *startable);

	for (size_t i = 0; i < layout->node_count; i++) {
		const struct string_list *services = &layout->nodes[i].services;

		for (size_t j = 0; j < services->count; j++) {
			int service = names_find(&dependencies->services, services->list[j]);

			if (service != NAMES_NONE)
				startable[service] = layout->cluster.definitions[service].actions[ACTION_START].present;
		}
	}
	return startable;
}

/* Adds the services that those which stop and start again need to run, as far as these can be started: the nearest of them,
 * whose own start sees to the rest. */
static void
selection_assure(enum part *parts, const struct layout *layout, const struct dependencies *dependencies)
{
	const struct relation *needs = &dependencies->needs[DEPENDENCY_RUNTIME];
	bool *startable = selection_find_startable(layout, dependencies);
	struct nearest nearest;

	nearest_init(&nearest, needs, startable, NULL);
	for (uint32_t i = 0; i < needs->all.vertices; i++) {
		if (!startable[i] || (parts[i] != PART_CHOSEN && parts[i] != PART_DRAWN_IN))
			continue;
		nearest_find(&nearest, i);
		for (size_t j = 0; j < nearest.far_count + nearest.near_count; j++) {
			uint32_t found = j < nearest.far_count ? nearest.far[j] : nearest.near[j - nearest.far_count];

			if (parts[found] == PART_NONE)
				parts[found] = PART_ASSURED;
		}
	}
	nearest_release(&nearest);
	free(startable);
}

int
selection_init(struct selection *selection, const struct layout *layout, const struct dependencies *dependencies,
    const struct plan_parameters *parameters, const bool *among, struct error *err)
{
	selection->nodes = memory_zeroed(layout->node_count, sizeof *selection->nodes);
	selection->services = memory_zeroed(layout->cluster.definition_count, sizeof *selection->services);
	for (size_t i = 0; i < layout->node_count; i++)
		selection->nodes[i] = parameters->nodes.count == 0;
	if (selection_find_nodes(selection->nodes, layout, parameters->nodes, err) < 0)
		return -1;
	return selection_choose_services(selection->services, dependencies, parameters->services, among, err);
}

void
selection_draw_in(struct selection *selection, const struct layout *layout, const struct dependencies *dependencies,
    bool stops, bool starts)
{
	if (stops)
		selection_reach(selection->services, &dependencies->needed_by[DEPENDENCY_RUNTIME].all);
	else if (starts)
		selection_reach(selection->services, &dependencies->needs[DEPENDENCY_RUNTIME].all);
	if (stops && starts)
		selection_assure(selection->services, layout, dependencies);
}

void
selection_release(struct selection *selection)
{
	free(selection->nodes);
	free(selection->services);
	*selection = (struct selection){0};
}
