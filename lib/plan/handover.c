/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/handover.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "model/layout.h"
#include "model/name.h"
#include "plan/builder.h"
#include "plan/dependency.h"
#include "plan/volumes.h"

struct holder { /* a node that has volumes to hand over, or gets some */
	char *what;  /* its zone and the services that the volumes are of; the caller's to free */
	uint32_t node;
};

/* --- who gets what --- */

static int
handover_compare(const void *a, const void *b)
{
	const struct holder *x = a, *y = b;
	int order = strcmp(x->what, y->what);

	return order ? order : (x->node > y->node) - (x->node < y->node);
}

static void
handover_name_service(const struct layout *layout, const struct node *node, uint32_t service, struct buffer *what)
{
	buffer_printf(what, "%s\n%s", what->length ? "" : node->zone ? node->zone : "", layout->cluster.definitions[service].name);
}

static void
handover_list_node(struct holder *list, size_t *count, uint32_t node, struct buffer *what)
{
	if (what->length)
		list[(*count)++] = (struct holder){memory_string(what->data), node};
	buffer_release(what);
}

/* Lists the nodes that are deleted with volumes of these services. */
static size_t
handover_list_old(const struct scope *scope, const struct layout *layout, const bool *handed, struct holder *list)
{
	size_t count = 0;

	for (uint32_t node = 0; node < layout->node_count; node++) {
		struct buffer what = {0};

		for (uint32_t service = 0; scope->node_actions[node] & ACTIONS_UNMAKE && service < layout->cluster.definition_count; service++)
			if (handed[service] && volumes_stood(layout, &layout->nodes[node], service))
				handover_name_service(layout, &layout->nodes[node], service, &what);
		handover_list_node(list, &count, node, &what);
	}
	qsort(list, count, sizeof *list, handover_compare);
	return count;
}

/* Lists the new nodes that get volumes of them. */
static size_t
handover_list_new(const struct scope *scope, const struct layout *layout, const bool *handed, struct holder *list)
{
	size_t count = 0, next = 0;

	for (uint32_t node = 0; node < layout->node_count; node++) {
		struct buffer what = {0};

		for (; next < scope->count && scope->placements[next].node == node; next++) {
			const struct placement *placement = &scope->placements[next];

			if (placement->kind == PLACEMENT_SET_UP && scope->node_actions[node] == ACTIONS_MAKE && handed[placement->service])
				handover_name_service(layout, &layout->nodes[node], placement->service, &what);
		}
		handover_list_node(list, &count, node, &what);
	}
	qsort(list, count, sizeof *list, handover_compare);
	return count;
}

/* Joins those of both lists that have the same, in their order. A dead machine is joined, and hands over nothing by itself. Returns one
 * that answers and is left over, or GRAPH_NONE. */
static uint32_t
handover_join(const struct scope *scope, const struct holder *old, size_t old_count, const struct holder *new, size_t new_count,
    uint32_t *heirs)
{
	uint32_t left = GRAPH_NONE;
	size_t next = 0;

	for (size_t i = 0; i < old_count; i++) {
		while (next < new_count && strcmp(new[next].what, old[i].what) < 0)
			next++;
		if (next == new_count || strcmp(new[next].what, old[i].what) != 0) {
			left = scope->dead[old[i].node] ? left : old[i].node;
		} else if (!scope->dead[old[i].node]) {
			heirs[old[i].node] = new[next].node;
			heirs[new[next++].node] = old[i].node;
		} else {
			next++;
		}
	}
	return left;
}

static void
handover_free(struct holder *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(list[i].what);
	free(list);
}

/* Fills heirs with the pairs. */
static int
handover_pair(const struct scope *scope, const struct layout *layout, const bool *handed, uint32_t *heirs, struct error *err)
{
	struct holder *old = memory_zeroed(layout->node_count, sizeof *old), *new = memory_zeroed(layout->node_count, sizeof *new);
	size_t old_count = handover_list_old(scope, layout, handed, old), new_count = handover_list_new(scope, layout, handed, new);
	uint32_t left = handover_join(scope, old, old_count, new, new_count, heirs);

	handover_free(old, old_count);
	handover_free(new, new_count);
	if (left == GRAPH_NONE)
		return 0;
	return error_set(err, EX_NO, "no new node%s%s has the same services with volumes as %s, whose volumes other nodes get", layout->nodes[left].zone ?
	    " in the zone " : "", layout->nodes[left].zone ? layout->nodes[left].zone : "", layout->nodes[left].id);
}

/* Tells whether an instance of the service is there all the time. */
static bool
handover_stays(const struct scope *scope, const struct layout *layout, const char *service)
{
	for (size_t i = 0; i < layout->node_count; i++)
		if (!scope->dead[i] && !scope->node_actions[i] && node_has(&layout->nodes[i], service) && name_set_has(&layout->nodes[i].was, service))
			return true;
	return false;
}

/* Returns -1 if new nodes have to find others of their service, and know none that is there: their configuration is that of the end, when
 * all that is there now is gone. */
static int
handover_check_peers(const struct scope *scope, const struct layout *layout, const struct dependencies *dependencies, const bool *handed,
    const uint32_t *heirs, struct error *err)
{
	struct lookups lookups;
	size_t pairs = 0;
	int result = 0;

	for (size_t i = 0; i < layout->node_count; i++)
		pairs += heirs[i] != GRAPH_NONE;
	lookups_init(&lookups, layout, dependencies);
	for (size_t i = 0; i < layout->cluster.definition_count && result == 0 && pairs > 2; i++)
		if (handed[i] && lookups.own[i] && !handover_stays(scope, layout, layout->cluster.definitions[i].name))
			result = error_set(err, EX_NO, "%s looks up its own instances, and all of them are replaced: the first new one would find none of those "
			    "that are there", layout->cluster.definitions[i].name);
	lookups_release(&lookups);
	return result;
}

int
handover_find(struct scope *scope, const struct layout *layout, const struct dependencies *dependencies, struct error *err)
{
	bool *handed = scope->max_unavailable ? volumes_find_handed(layout, scope) : NULL;
	uint32_t *heirs;
	int result;

	if (!handed)
		return 0;
	heirs = memory_resize(NULL, layout->node_count, sizeof *heirs);
	for (size_t i = 0; i < layout->node_count; i++)
		heirs[i] = GRAPH_NONE;
	result = handover_pair(scope, layout, handed, heirs, err);
	if (result == 0)
		result = handover_check_peers(scope, layout, dependencies, handed, heirs, err);
	free(handed);
	if (result < 0) {
		free(heirs);
		return -1;
	}
	scope->heirs = heirs;
	scope->rolling = true;
	return 0;
}

/* --- their order --- */

struct handover { /* while the pairs are put in order */
	struct builder *builder;
	size_t services;
	bool *moves;  /* of each service: it is on a node of a pair */
	bool *before; /* of each service: one that moves needs it or looks it up, or it is one */
	bool *behind; /* of each other service: it needs or looks up one that moves */
	uint32_t ready, done; /* milestones: behind what is before all pairs, and behind all pairs; none where nothing waits for it */
	uint32_t *leaves, *ups; /* of each node of a pair: the milestone before its first task, or behind its last; of others none */
};

/* Marks all services that are reached from those of the first set, by needs and look-ups. */
static void
handover_reach(const struct neighbours *needs, const struct neighbours *looks_up, bool *set)
{
	struct graph graph = {.vertices = needs->vertices};
	struct neighbours both;

	graph_edges(&graph, needs);
	graph_edges(&graph, looks_up);
	both = graph_successors(&graph);
	graph_reach(&both, set);
	neighbours_release(&both);
	graph_release(&graph);
}

static void
handover_sort_services(struct handover *handover)
{
	const struct builder *builder = handover->builder;
	const struct scope *scope = builder->scope;

	for (size_t i = 0; i < scope->count; i++)
		if (scope->heirs[scope->placements[i].node] != GRAPH_NONE)
			handover->moves[scope->placements[i].service] = true;
	memcpy(handover->before, handover->moves, handover->services * sizeof *handover->moves);
	memcpy(handover->behind, handover->moves, handover->services * sizeof *handover->moves);
	handover_reach(&builder->dependencies->needs[DEPENDENCY_EITHER].all, &builder->lookups.of, handover->before);
	handover_reach(&builder->dependencies->needed_by[DEPENDENCY_EITHER].all, &builder->lookups.by, handover->behind);
}

static uint32_t
handover_milestone(struct handover *handover, uint32_t *milestone, const char *name)
{
	if (*milestone == GRAPH_NONE)
		*milestone = builder_step(handover->builder, &(struct step){.is_milestone = true, .name = name}, GRAPH_NONE);
	return *milestone;
}

/* Puts what is set up or changed on a node that is in no pair before all pairs, or behind them. */
static void
handover_place_other(struct handover *handover, const struct placement *placement, const struct turn *chain)
{
	if (placement->kind == PLACEMENT_TAKE_DOWN || chain->first == GRAPH_NONE)
		return;
	if (handover->before[placement->service])
		builder_edge(handover->builder, chain->last, handover_milestone(handover, &handover->ready, "ready to hand over"));
	else if (handover->behind[placement->service])
		builder_edge(handover->builder, handover_milestone(handover, &handover->done, "handed over"), chain->first);
}

/* Lets a task of one service wait on its node for that of another. */
static void
handover_order_tasks(const struct handover *handover, const uint32_t *here, uint32_t before, unsigned group, uint32_t after,
    unsigned action)
{
	builder_edge(handover->builder, here[before * GROUP_COUNT + group], here[after * GROUP_COUNT + action]);
}

/* Orders the services of one node, whose tasks are in here by action: all that one needs is on the node, or is there already. */
static void
handover_order_node(const struct handover *handover, const uint32_t *here, const uint32_t *services, size_t count)
{
	const struct dependencies *dependencies = handover->builder->dependencies;

	for (size_t i = 0; i < count; i++) {
		bool *installs = memory_zeroed(handover->services, sizeof *installs), *runs = memory_zeroed(handover->services, sizeof *runs);

		installs[services[i]] = runs[services[i]] = true;
		graph_reach(&dependencies->needs[DEPENDENCY_INSTALL].all, installs);
		graph_reach(&dependencies->needs[DEPENDENCY_RUNTIME].all, runs);
		for (size_t j = 0; j < count; j++) {
			if (i == j)
				continue;
			if (installs[services[j]]) {
				handover_order_tasks(handover, here, services[j], ACTION_INSTALL, services[i], ACTION_INSTALL);
				handover_order_tasks(handover, here, services[i], ACTION_REMOVE, services[j], ACTION_REMOVE);
			}
			if (runs[services[j]]) {
				handover_order_tasks(handover, here, services[j], GROUP_READY, services[i], ACTION_INITIALIZE);
				handover_order_tasks(handover, here, services[j], GROUP_READY, services[i], ACTION_START);
				handover_order_tasks(handover, here, services[i], ACTION_STOP, services[j], ACTION_STOP);
			}
		}
		free(installs);
		free(runs);
	}
}

/* Fills in the tasks of the node from first on, which stand in a row, by service and action, or GRAPH_NONE; with clear, only GRAPH_NONE. */
static void
handover_find_tasks(const struct handover *handover, uint32_t node, uint32_t first, bool clear, uint32_t *here)
{
	const struct builder *builder = handover->builder;

	for (uint32_t task = first; task < builder->steps->graph.vertices && builder->steps->nodes[task] == node; task++) {
		unsigned action = builder->steps->list[task].action;
		uint32_t service = builder->places[task].service;

		if (service == GRAPH_NONE)
			continue;
		here[service * GROUP_COUNT + action] = clear ? GRAPH_NONE : task;
		if (action == ACTION_START || action == ACTION_CHECK)
			here[service * GROUP_COUNT + GROUP_READY] = clear ? GRAPH_NONE : task;
	}
}

/* Puts the tasks of the placements first to end - 1, all of one node of a pair, between the milestones of the pair. */
static void
handover_place_node(struct handover *handover, size_t first, size_t end, uint32_t *here)
{
	const struct builder *builder = handover->builder;
	const struct placement *placements = builder->scope->placements;
	uint32_t node = placements[first].node, *services = memory_resize(NULL, end - first, sizeof *services);
	size_t count = 0;

	for (size_t i = first; i < end; i++) {
		if (builder->chains[i].first == GRAPH_NONE)
			continue;
		if (!count)
			handover_find_tasks(handover, node, builder->chains[i].first, false, here);
		services[count++] = placements[i].service;
		builder_edge(handover->builder, handover->leaves[node], builder->chains[i].first);
		builder_edge(handover->builder, builder->chains[i].last, handover->ups[node]);
	}
	handover_order_node(handover, here, services, count);
	for (size_t i = first; i < end && count; i++)
		if (builder->chains[i].first != GRAPH_NONE) {
			handover_find_tasks(handover, node, builder->chains[i].first, true, here);
			break;
		}
	free(services);
}

/* Adds the milestones of a pair, and lets the one node wait for the other. */
static void
handover_add_pair(struct handover *handover, uint32_t old)
{
	struct builder *builder = handover->builder;
	uint32_t new = builder->scope->heirs[old];

	handover->leaves[old] = builder_milestone(builder, "ready to leave", builder->layout->nodes[old].id);
	handover->ups[new] = builder_milestone(builder, "up", builder->layout->nodes[new].id);
	builder_edge(builder, handover->ready, handover->leaves[old]);
	builder_edge(builder, builder->confirms[new], handover->leaves[old]);
	builder_edge(builder, handover->leaves[old], builder->deletes[old]);
	builder_edge(builder, builder->deletes[old], builder->attaches[new]);
	builder_edge(builder, builder->mounts[new], handover->ups[new]);
	builder_edge(builder, handover->ups[new], handover->done);
	for (uint32_t service = 0; service < handover->services; service++)
		if (name_set_has(&builder->layout->nodes[old].was, builder->dependencies->services.list[service]))
			builder_take_turn(builder, service, handover->leaves[old], handover->ups[new]);
}

/* Puts all that is on nodes of no pair where it belongs. */
static void
handover_place_others(struct handover *handover)
{
	const struct scope *scope = handover->builder->scope;

	for (size_t i = 0; !scope->by_pairs && i < scope->count; i++)
		if (scope->heirs[scope->placements[i].node] == GRAPH_NONE)
			handover_place_other(handover, &scope->placements[i], &handover->builder->chains[i]);
}

static void
handover_place_nodes(struct handover *handover)
{
	const struct scope *scope = handover->builder->scope;
	size_t room = handover->services * GROUP_COUNT, end;
	uint32_t *here = memory_resize(NULL, room, sizeof *here);

	for (size_t i = 0; i < room; i++)
		here[i] = GRAPH_NONE;
	for (size_t i = 0; i < scope->count; i = end) {
		for (end = i; end < scope->count && scope->placements[end].node == scope->placements[i].node; end++)
			;
		if (scope->heirs[scope->placements[i].node] != GRAPH_NONE)
			handover_place_node(handover, i, end, here);
	}
	free(here);
}

void
handover_add(struct builder *builder)
{
	struct handover handover = {.builder = builder, .services = builder->dependencies->services.count, .ready = GRAPH_NONE, .done = GRAPH_NONE};
	size_t nodes = builder->layout->node_count;

	if (!builder->scope->heirs)
		return;
	handover.moves = memory_zeroed(handover.services, sizeof *handover.moves);
	handover.before = memory_zeroed(handover.services, sizeof *handover.before);
	handover.behind = memory_zeroed(handover.services, sizeof *handover.behind);
	handover.leaves = memory_resize(NULL, nodes, sizeof *handover.leaves);
	handover.ups = memory_resize(NULL, nodes, sizeof *handover.ups);
	for (size_t i = 0; i < nodes; i++)
		handover.leaves[i] = handover.ups[i] = GRAPH_NONE;
	handover_sort_services(&handover);
	handover_place_others(&handover);
	for (uint32_t node = 0; node < nodes; node++)
		if (builder->scope->heirs[node] != GRAPH_NONE && builder->deletes[node] != GRAPH_NONE)
			handover_add_pair(&handover, node);
	handover_place_nodes(&handover);
	free(handover.moves);
	free(handover.before);
	free(handover.behind);
	free(handover.leaves);
	free(handover.ups);
}
