/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "plan/plan.h"
#include "tap.h"

enum { ROOM = 16 };

/* A plan made by hand: steps on nodes, a negative node for a milestone. */
struct sample {
	struct plan plan;
	struct step steps[ROOM];
	uint32_t nodes[ROOM];
	struct graph graph;
};

static void
add(struct sample *sample, int node, double expect_s)
{
	size_t number = sample->graph.vertices++;

	sample->steps[number] = (struct step){.is_milestone = node < 0, .expect_s = expect_s};
	sample->nodes[number] = node < 0 ? GRAPH_NONE : (uint32_t)node;
}

/* Ranks, and what a plan has else. */
static void
finish(struct sample *sample)
{
	sample->plan.steps = sample->steps;
	sample->plan.nodes = sample->nodes;
	sample->plan.count = sample->graph.vertices;
	sample->plan.successors = graph_successors(&sample->graph);
	for (size_t i = sample->plan.count; i-- > 0;) {
		struct step *step = &sample->steps[i];

		step->rank = step->expect_s;
		for (size_t j = 0; j < sample->graph.edge_count; j++)
			if (sample->graph.edges[j].from == i &&
			    step->expect_s + sample->steps[sample->graph.edges[j].to].rank > step->rank)
				step->rank = step->expect_s + sample->steps[sample->graph.edges[j].to].rank;
	}
}

static void
release(struct sample *sample)
{
	neighbours_release(&sample->plan.successors);
	graph_release(&sample->graph);
	*sample = (struct sample){0};
}

static void
test_simple(void)
{
	struct sample sample = {0};
	uint32_t path[ROOM];

	finish(&sample);
	tap_is_number(plan_makespan(&sample.plan, 0), 0, "a plan without steps takes no time");
	tap_is_number(plan_critical_path(&sample.plan, path), 0, "and has no critical path");
	release(&sample);

	for (int i = 0; i < 4; i++)
		add(&sample, i, 10 + i);
	finish(&sample);
	tap_is_number(plan_makespan(&sample.plan, 0), 13, "nodes work side by side");
	release(&sample);

	for (int i = 0; i < 4; i++)
		add(&sample, 0, 10 + i);
	finish(&sample);
	tap_is_number(plan_makespan(&sample.plan, 0), 46, "a node does one task at a time");
	release(&sample);
}

static void
test_order(void)
{
	struct sample sample = {0};
	uint32_t path[ROOM];

	/* Node 0 has a short task that much waits for, and a long one that nothing waits for. */
	add(&sample, 0, 50);
	add(&sample, 0, 5);
	add(&sample, -1, 0);
	add(&sample, 1, 60);
	graph_edge(&sample.graph, 1, 2);
	graph_edge(&sample.graph, 2, 3);
	finish(&sample);
	tap_is_number(plan_makespan(&sample.plan, 0), 65, "of the tasks ready on a node the one of highest rank goes first");
	tap_is_number(plan_critical_path(&sample.plan, path), 3, "the critical path leads through milestones");
	tap_ok(path[0] == 1 && path[1] == 2 && path[2] == 3, "from its first step to its last");
	release(&sample);

	/* Both become ready at the same instant, the lower rank first in the list. */
	add(&sample, 1, 10);
	add(&sample, 0, 5);
	add(&sample, 0, 5);
	add(&sample, 2, 20);
	graph_edge(&sample.graph, 0, 1);
	graph_edge(&sample.graph, 0, 2);
	graph_edge(&sample.graph, 2, 3);
	finish(&sample);
	tap_is_number(plan_makespan(&sample.plan, 0), 35, "also of those that get ready at the same instant");
	release(&sample);
}

int
main(void)
{
	test_simple();
	test_order();
	return tap_end();
}
