/* SPDX-License-Identifier: Apache-2.0 */
#include "check/plan/node-order.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "check/plan/judge.h"

struct hardware { /* the tasks of one node as a whole; JUDGE_NONE if there is none */
	int create, confirm, attach, mount, delete;
	size_t first, end; /* its bootstraps in the list of all */
};

struct nodes {
	struct judge *judge;
	struct hardware *list; /* of each node */
	uint32_t *bootstraps;  /* by node */
};

/* Finds the tasks of each node as a whole. */
static void
node_order_find_tasks(struct nodes *nodes)
{
	const struct judge *judge = nodes->judge;
	size_t count = judge->nodes.count, next = 0;

	nodes->list = memory_zeroed(count + 1, sizeof *nodes->list);
	nodes->bootstraps = memory_resize(NULL, judge->plan->count, sizeof *nodes->bootstraps);
	for (size_t i = 0; i < count; i++)
		nodes->list[i] = (struct hardware){JUDGE_NONE, JUDGE_NONE, JUDGE_NONE, JUDGE_NONE, JUDGE_NONE, 0, 0};
	for (size_t i = 0; i < judge->plan->count; i++) {
		struct hardware *hardware = judge->node_of[i] == JUDGE_NONE ? NULL : &nodes->list[judge->node_of[i]];
		enum action action = judge->plan->steps[i].action;

		if (hardware && action == ACTION_CREATE)
			hardware->create = (int)i;
		if (hardware && action == ACTION_CONFIRM)
			hardware->confirm = (int)i;
		if (hardware && action == ACTION_ATTACH)
			hardware->attach = (int)i;
		if (hardware && action == ACTION_MOUNT)
			hardware->mount = (int)i;
		if (hardware && action == ACTION_DELETE)
			hardware->delete = (int)i;
		if (hardware && action == ACTION_BOOTSTRAP)
			hardware->end++;
	}
	for (size_t i = 0; i < count; i++) {
		size_t bootstraps = nodes->list[i].end;

		nodes->list[i].first = nodes->list[i].end = next;
		next += bootstraps;
	}
	for (uint32_t i = 0; i < judge->plan->count; i++)
		if (judge->node_of[i] != JUDGE_NONE && judge->plan->steps[i].action == ACTION_BOOTSTRAP)
			nodes->bootstraps[nodes->list[judge->node_of[i]].end++] = i;
}

static void
node_order_require(const struct nodes *nodes, int before, int after)
{
	if (before != JUDGE_NONE && after != JUDGE_NONE)
		judge_require(nodes->judge, (uint32_t)before, (uint32_t)after);
}

/* Returns the bootstrap of a task's automator; if there is none, the confirmation of its node. */
static int
node_order_base_of(const struct nodes *nodes, uint32_t task)
{
	const struct judge *judge = nodes->judge;
	const struct hardware *hardware = &nodes->list[judge->node_of[task]];

	for (size_t i = hardware->first; i < hardware->end; i++)
		if (strcmp(judge->plan->steps[nodes->bootstraps[i]].type, judge->plan->steps[task].type) == 0)
			return (int)nodes->bootstraps[i];
	return hardware->confirm;
}

/* Requires each task behind that of the stage before it, and the first of each automator behind its bootstrap. */
static void
node_order_require_chain(const struct nodes *nodes, const struct chain *chain)
{
	const struct judge *judge = nodes->judge;

	for (size_t i = chain->first; i < chain->end; i++) {
		uint32_t task = judge->tasks[i];
		bool met = false;

		if (i > chain->first)
			node_order_require(nodes, (int)judge->tasks[i - 1], (int)task);
		for (size_t j = chain->first; j < i; j++)
			met = met || strcmp(judge->plan->steps[judge->tasks[j]].type, judge->plan->steps[task].type) == 0;
		if (!met)
			node_order_require(nodes, node_order_base_of(nodes, task), (int)task);
	}
	if (chain->kind == CHAIN_SET_UP && judge->plan->layout.cluster.definitions[chain->service].volume_count)
		node_order_require(nodes, nodes->list[chain->node].mount, (int)judge->tasks[chain->first]);
	node_order_require(nodes, (int)judge->tasks[chain->end - 1], nodes->list[chain->node].delete);
}

void
node_order_check(struct judge *judge)
{
	struct nodes nodes = {.judge = judge};

	node_order_find_tasks(&nodes);
	for (size_t i = 0; i < judge->nodes.count; i++) {
		const struct hardware *hardware = &nodes.list[i];

		node_order_require(&nodes, hardware->create, hardware->confirm);
		node_order_require(&nodes, hardware->confirm, hardware->delete);
		node_order_require(&nodes, hardware->confirm, hardware->attach);
		node_order_require(&nodes, hardware->attach, hardware->mount);
		for (size_t j = hardware->first; j < hardware->end; j++) {
			node_order_require(&nodes, hardware->confirm, (int)nodes.bootstraps[j]);
			if (judge->plan->layout.nodes[i].was.count == 0)
				node_order_require(&nodes, hardware->mount, (int)nodes.bootstraps[j]);
			node_order_require(&nodes, (int)nodes.bootstraps[j], hardware->delete);
		}
	}
	for (size_t i = 0; i < judge->chain_count; i++)
		node_order_require_chain(&nodes, &judge->chains[i]);
	free(nodes.list);
	free(nodes.bootstraps);
}
