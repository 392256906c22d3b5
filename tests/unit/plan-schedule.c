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
	tap_is_number(plan_duration(&sample.plan, NULL, 0), 0, "a plan without steps takes no time");
	tap_is_number(plan_critical_path(&sample.plan, path), 0, "and has no critical path");
	release(&sample);

	for (int i = 0; i < 4; i++)
		add(&sample, i, 10 + i);
	finish(&sample);
	tap_is_number(plan_duration(&sample.plan, NULL, 0), 13, "nodes work side by side");
	release(&sample);

	for (int i = 0; i < 4; i++)
		add(&sample, 0, 10 + i);
	finish(&sample);
	tap_is_number(plan_duration(&sample.plan, NULL, 0), 46, "a node does one task at a time");
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
	tap_is_number(plan_duration(&sample.plan, NULL, 0), 65, "of the tasks ready on a node the one of highest rank goes first");
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
	tap_is_number(plan_duration(&sample.plan, NULL, 0), 35, "also of those that get ready at the same instant");
	release(&sample);
}

static void
test_workers(void)
{
	struct sample sample = {0};

	for (int i = 0; i < 4; i++)
		add(&sample, i, 10);
	finish(&sample);
	tap_is_number(plan_duration(&sample.plan, NULL, 1), 40, "one worker does one task at a time");
	tap_is_number(plan_duration(&sample.plan, NULL, 3), 20, "three do three");
	tap_is_number(plan_duration(&sample.plan, NULL, 9), 10, "more than there are nodes have nothing to do");
	release(&sample);

	/* One worker, two nodes: the short task that the long one waits for goes before another short one. */
	add(&sample, 0, 5);
	add(&sample, 1, 5);
	add(&sample, 2, 30);
	graph_edge(&sample.graph, 1, 2);
	finish(&sample);
	tap_is_number(plan_duration(&sample.plan, NULL, 2), 35, "of all that is ready the highest rank goes first");
	tap_is_number(plan_duration(&sample.plan, NULL, 1), 40, "whoever does it");
	release(&sample);
}

/* A bound that every schedule keeps: no less than the critical path and the work divided; and what any that leaves no
 * worker idle without need keeps: no more than both together. */
static void
test_random(unsigned seed)
{
	int wrong = 0;

	srand(seed);
	for (int n = 0; n < 2000; n++) {
		struct sample sample = {0};
		int count = 1 + rand() % (ROOM - 1), workers = 1 + rand() % 4;
		double work = 0, longest = 0, makespan;

		for (int i = 0; i < count; i++) {
			add(&sample, i, rand() % 20);
			work += sample.steps[i].expect_s;
			for (int j = 0; j < i; j++)
				if (rand() % 5 == 0)
					graph_edge(&sample.graph, (uint32_t)j, (uint32_t)i);
		}
		finish(&sample);
		for (int i = 0; i < count; i++)
			longest = sample.steps[i].rank > longest ? sample.steps[i].rank : longest;
		makespan = plan_duration(&sample.plan, NULL, (size_t)workers);
		wrong += makespan < longest || makespan < work / workers || makespan > work / workers + longest;
		release(&sample);
	}
	tap_is_number(wrong, 0, "random plans take no less than they must, and no more than Graham allows (seed %u)", seed);
}

/* Three tasks in a row on one node, each measured. */
static void
test_estimate(void)
{
	struct sample sample = {0};
	double bounded;

	for (int i = 0; i < 3; i++) {
		add(&sample, 0, 10);
		sample.steps[i].p90_s = 10;
		sample.steps[i].runs = 4 + i;
		if (i)
			graph_edge(&sample.graph, (uint32_t)i - 1, (uint32_t)i);
	}
	finish(&sample);
	plan_estimate(&sample.plan, 2);
	tap_is_number(sample.plan.job.expected_s, 30, "tasks that always take the same add up");
	tap_is_number(sample.plan.job.expected_p90_s, 30, "also at the 90th percentile");
	tap_is_number((double)sample.plan.job.runs, 4, "the task that was measured least is told");

	for (int i = 0; i < 3; i++) {
		sample.steps[i].p90_s = 40;
		sample.steps[i].runs = 100;
	}
	plan_estimate(&sample.plan, 0);
	bounded = sample.plan.job.expected_p90_s;
	tap_ok(sample.plan.job.expected_s > 30 && sample.plan.job.expected_s < 60, "with a long tail the median of a sum is more than the sum of medians");
	tap_ok(bounded > sample.plan.job.expected_s && bounded < 120, "and its 90th percentile is less than the sum of theirs");
	plan_estimate(&sample.plan, 0);
	tap_is_number(sample.plan.job.expected_p90_s, bounded, "the same plan has the same estimate");
	for (int i = 0; i < 3; i++)
		sample.steps[i].runs = 4;
	plan_estimate(&sample.plan, 0);
	tap_ok(sample.plan.job.expected_p90_s > bounded, "few measurements tell less of the 90th percentile than many");

	sample.steps[1].runs = 0;
	plan_estimate(&sample.plan, 0);
	tap_is_number((double)sample.plan.job.runs, 0, "with a task that was never measured nothing is known");
	tap_is_number((double)sample.plan.job.unmeasured, 1, "but how many there are");
	release(&sample);

	/* Machines side by side: all of them have to be ready. */
	for (int i = 0; i < ROOM; i++) {
		add(&sample, i, 10);
		sample.steps[i].p90_s = 40;
		sample.steps[i].runs = 9;
	}
	finish(&sample);
	plan_estimate(&sample.plan, 0);
	tap_ok(sample.plan.job.expected_s > 20, "the slowest of many machines counts, not the median one");
	release(&sample);
}

int
main(int argc, char **argv)
{
	test_simple();
	test_order();
	test_workers();
	test_estimate();
	test_random(argc > 1 ? (unsigned)atoi(argv[1]) : 4711);
	return tap_end();
}
