/* SPDX-License-Identifier: Apache-2.0
 *
 * Nodes that are replaced a few at a time: the new one is up before the old one leaves, and of each service no more than
 * so many nodes are between the two.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "model/layout.h"
#include "model/unavailable.h"
#include "plan/builder.h"
#include "plan/cluster-action.h"
#include "plan/dependency.h"

/* The k-th node that is made takes the place of the k-th that is deleted. */
void
builder_find_pairs(struct builder *builder)
{
	const unsigned *actions = builder->scope->node_actions;
	size_t nodes = builder->layout->node_count, new = 0;

	for (size_t i = 0; i < nodes; i++)
		builder->partners[i] = GRAPH_NONE;
	for (size_t old = 0; builder->scope->by_pairs && old < nodes; old++) {
		if (actions[old] != UNMAKE)
			continue;
		while (new < nodes && actions[new] != MAKE)
			new++;
		if (new == nodes)
			return;
		builder->partners[old] = (uint32_t)new;
		builder->partners[new++] = (uint32_t)old;
	}
}

struct ends { /* of the work on each node: lists of steps, in the order of nodes */
	uint32_t *list;
	size_t *first;
};

/* Whether a step is the first of a service on its node: the tasks of the two were made in a row, behind one of the node. */
static bool
pairs_begins_service(const struct builder *builder, uint32_t step)
{
	uint32_t service = builder->places[step].service;

	return step > 0 && service != GRAPH_NONE && (builder->steps->nodes[step - 1] != builder->steps->nodes[step] ||
	    builder->places[step - 1].service != service);
}

/* The first tasks of what is taken down, or the last ones of what is set up, node by node; where a node has no service,
 * its own. */
static struct ends
pairs_find_ends(const struct builder *builder, bool last)
{
	const struct steps *steps = builder->steps;
	size_t nodes = builder->layout->node_count;
	bool *found = memory_zeroed(nodes, sizeof *found);
	struct graph graph = {.vertices = nodes};
	struct neighbours ends;

	for (uint32_t step = 0; step < steps->graph.vertices; step++) {
		bool is_end = last ? builder->places[step].classes >> CLASS_UP & 1 : pairs_begins_service(builder, step);

		if (!is_end || steps->nodes[step] == GRAPH_NONE)
			continue;
		found[steps->nodes[step]] = true;
		graph_edge(&graph, steps->nodes[step], step);
	}
	for (uint32_t node = 0; node < nodes; node++) {
		uint32_t otherwise = last ? builder->confirms[node] : builder->deletes[node];

		if (!found[node] && otherwise != GRAPH_NONE)
			graph_edge(&graph, node, otherwise);
	}
	ends = graph_successors(&graph);
	graph_release(&graph);
	free(found);
	return (struct ends){ends.list, ends.first};
}

/* What is new is up before what is old begins to leave. */
static void
pairs_join_pair(struct builder *builder, const struct ends *up, const struct ends *leave, uint32_t old)
{
	uint32_t new = builder->partners[old];
	size_t before = up->first[new + 1] - up->first[new], after = leave->first[old + 1] - leave->first[old];
	uint32_t milestone = GRAPH_NONE;

	if (before > 1 && after > 1)
		milestone = builder_step(builder, &(struct step){.is_milestone = true,
			.name = arena_printf(builder->arena, "up: %s", builder->layout->nodes[new].id)}, GRAPH_NONE);
	for (size_t i = up->first[new]; i < up->first[new + 1]; i++) {
		builder_edge(builder, up->list[i], milestone);
		for (size_t j = leave->first[old]; milestone == GRAPH_NONE && j < leave->first[old + 1]; j++)
			builder_edge(builder, up->list[i], leave->list[j]);
	}
	for (size_t j = leave->first[old]; milestone != GRAPH_NONE && j < leave->first[old + 1]; j++)
		builder_edge(builder, milestone, leave->list[j]);
}

/* A new node is made when of each service of the old one's a pair so many places before is done. */
static void
pairs_keep_windows(struct builder *builder, uint32_t old)
{
	const struct node *node = &builder->layout->nodes[old];
	uint32_t create = builder->creates[builder->partners[old]];

	for (size_t i = 0; i < node->was.count; i++) {
		int service = names_find(&builder->dependencies->services, node->was.list[i]);
		struct window *window = service == NAMES_NONE ? NULL : &builder->windows[service];
		uint32_t *turn;

		if (!window || !window->width)
			continue;
		turn = &window->last[window->used % window->width];
		if (window->used++ >= window->width)
			builder_edge(builder, *turn, create);
		*turn = builder->deletes[old];
	}
}

void
builder_pairs(struct builder *builder)
{
	struct ends up, leave;

	if (!builder->scope->by_pairs)
		return;
	up = pairs_find_ends(builder, true);
	leave = pairs_find_ends(builder, false);
	for (uint32_t node = 0; node < builder->layout->node_count; node++) {
		/* A dead node is gone already, and waits for nothing. */
		if (builder->partners[node] == GRAPH_NONE || builder->deletes[node] == GRAPH_NONE || builder->scope->dead[node])
			continue;
		pairs_join_pair(builder, &up, &leave, node);
		pairs_keep_windows(builder, node);
	}
	free(up.list);
	free(up.first);
	free(leave.list);
	free(leave.first);
}
