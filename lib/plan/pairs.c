/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/pairs.h"

#include <stdlib.h>

#include "base/memory.h"
#include "model/layout.h"
#include "plan/builder.h"
#include "plan/dependency.h"

/* The k-th other node that is made takes the place of the k-th that is deleted. */
void
pairs_find(struct builder *builder)
{
	const unsigned *actions = builder->scope->node_actions;
	size_t nodes = builder->layout->node_count, new = 0;

	for (size_t i = 0; i < nodes; i++)
		builder->partners[i] = GRAPH_NONE;
	for (size_t old = 0; builder->scope->by_pairs && old < nodes; old++) {
		if (actions[old] != ACTIONS_UNMAKE || builder_hands_over(builder, old))
			continue;
		while (new < nodes && (actions[new] != ACTIONS_MAKE || builder_hands_over(builder, new)))
			new++;
		if (new == nodes)
			return;
		builder->partners[old] = (uint32_t)new;
		builder->partners[new++] = (uint32_t)old;
	}
}

/* Tells whether a step is the first of a service on its node: their tasks were added in a row, behind one of the node. */
static bool
pairs_begins_service(const struct builder *builder, uint32_t step)
{
	uint32_t service = builder->places[step].service;

	return step > 0 && service != GRAPH_NONE && (builder->steps->nodes[step - 1] != builder->steps->nodes[step] ||
	    builder->places[step - 1].service != service);
}

/* Finds for each node the first tasks of what is taken down, or the last ones of what is set up; for a node without
 * services, its own task. */
static struct neighbours
pairs_find_ends(const struct builder *builder, bool last)
{
	const struct steps *steps = builder->steps;
	size_t nodes = builder->layout->node_count;
	bool *found = memory_zeroed(nodes, sizeof *found);
	struct graph graph = {.vertices = nodes};
	struct neighbours ends;

	for (uint32_t step = 0; step < steps->graph.vertices; step++) {
		bool is_end = last ? builder->places[step].groups >> GROUP_UP & 1 : pairs_begins_service(builder, step);

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
	return ends;
}

/* Lets all tasks that begin to take the old node down wait for all that end setting its partner up. */
static void
pairs_join_pair(struct builder *builder, const struct neighbours *up, const struct neighbours *leave, uint32_t old)
{
	uint32_t new = builder->partners[old];
	size_t before = up->first[new + 1] - up->first[new], after = leave->first[old + 1] - leave->first[old];
	uint32_t milestone = GRAPH_NONE;

	if (before > 1 && after > 1)
		milestone = builder_milestone(builder, "up", builder->layout->nodes[new].id);
	for (size_t i = up->first[new]; i < up->first[new + 1]; i++) {
		builder_edge(builder, up->list[i], milestone);
		for (size_t j = leave->first[old]; milestone == GRAPH_NONE && j < leave->first[old + 1]; j++)
			builder_edge(builder, up->list[i], leave->list[j]);
	}
	for (size_t j = leave->first[old]; milestone != GRAPH_NONE && j < leave->first[old + 1]; j++)
		builder_edge(builder, milestone, leave->list[j]);
}

/* Lets the partner of an old node wait, for each service of the old one, for the pairs of the batch before. */
static void
pairs_take_turns(struct builder *builder, uint32_t old)
{
	const struct node *node = &builder->layout->nodes[old];
	uint32_t create = builder->creates[builder->partners[old]];

	for (size_t i = 0; i < node->was.count; i++) {
		int service = names_find(&builder->dependencies->services, node->was.list[i]);

		if (service != NAMES_NONE)
			builder_take_turn(builder, (uint32_t)service, create, builder->deletes[old]);
	}
}

void
pairs_add(struct builder *builder)
{
	struct neighbours up, leave;

	if (!builder->scope->by_pairs)
		return;
	up = pairs_find_ends(builder, true);
	leave = pairs_find_ends(builder, false);
	for (uint32_t node = 0; node < builder->layout->node_count; node++) {
		/* A dead node is gone already, and waits for nothing. */
		if (builder->partners[node] == GRAPH_NONE || builder->deletes[node] == GRAPH_NONE || builder->scope->dead[node])
			continue;
		pairs_join_pair(builder, &up, &leave, node);
		pairs_take_turns(builder, node);
	}
	neighbours_release(&up);
	neighbours_release(&leave);
}
