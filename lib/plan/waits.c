/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/builder.h"

#include <stdlib.h>

#include "model/layout.h"
#include "model/macro.h"
#include "plan/dependency.h"

/* Who waits for whom across services. Of the actions in "to" only the first on a node and service waits: the
 * others come behind it anyway. */
static const struct rule {
	enum action from;
	unsigned to;
	enum dependency dependency;
	bool reversed; /* the one that is needed waits */
	const char *done, *ready;
} rules[BUILDER_RULES] = {
	{ACTION_INSTALL, ACTION_BIT(ACTION_INSTALL), DEPENDENCY_INSTALL, false, "installed", "ready to install"},
	{ACTION_START, ACTION_BIT(ACTION_INITIALIZE) | ACTION_BIT(ACTION_START), DEPENDENCY_RUNTIME, false, "started",
	    "ready to start"},
	{ACTION_STOP, ACTION_BIT(ACTION_STOP), DEPENDENCY_RUNTIME, true, "stopped", "ready to stop"},
	{ACTION_REMOVE, ACTION_BIT(ACTION_REMOVE), DEPENDENCY_INSTALL, true, "removed", "ready to remove"},
};

enum {
	/* What reads the configuration of the cluster, and the bit that says that something before does. */
	READERS = ACTION_BIT(ACTION_CONFIGURE) | ACTION_BIT(ACTION_INITIALIZE) | ACTION_BIT(ACTION_START),
	READ = 1 << BUILDER_RULES,
};

void
builder_note_waits(struct builder *builder, uint32_t task, unsigned *covered)
{
	struct task_place *place = &builder->places[task];
	unsigned action = ACTION_BIT(builder->steps->list[task].action);

	for (unsigned i = 0; i < BUILDER_RULES; i++) {
		struct gate *gate = &builder->gates[i][place->service];

		if (!(rules[i].to & action) || *covered & 1u << i)
			continue;
		*covered |= 1u << i;
		place->waits |= 1u << i;
		gate->count++;
		gate->task = task;
	}
	place->reads = READERS & action && !(*covered & READ);
	if (place->reads)
		*covered |= READ;
}

static uint32_t
add_milestone(struct builder *builder, const char *what, const char *service)
{
	struct step step = {.is_milestone = true, .name = arena_printf(builder->arena, "%s: %s", what, service)};

	return builder_step(builder, &step, GRAPH_NONE);
}

/* The step that is done when an action is done to all instances of a service. */
static uint32_t
done_step(struct builder *builder, const struct rule *rule, uint32_t service)
{
	struct class *class = builder_class(builder, service, rule->from);

	if (class->count == 1)
		return class->task;
	if (class->milestone == GRAPH_NONE)
		class->milestone = add_milestone(builder, rule->done, builder->dependencies->services.list[service]);
	return class->milestone;
}

/* What the tasks of one service wait for by one rule: one step where there are many tasks, else
 * as many as there are services before it. */
static void
add_gate(struct builder *builder, const struct rule *rule, uint32_t service, struct gate *gate, const uint32_t *before,
    size_t count)
{
	if (count == 0)
		return;
	if (count == 1) {
		gate->step = done_step(builder, rule, before[0]);
		return;
	}
	if (gate->count > 1)
		gate->step = add_milestone(builder, rule->ready, builder->dependencies->services.list[service]);
	for (size_t i = 0; i < count; i++)
		builder_edge(builder, done_step(builder, rule, before[i]), gate->count > 1 ? gate->step : gate->task);
}

static void
add_gates(struct builder *builder, const struct rule *rule, struct gate *gates)
{
	const struct dependencies *dependencies = builder->dependencies;
	const struct neighbours *before = rule->reversed ? &dependencies->needed_by[rule->dependency]
	                                                 : &dependencies->needs[rule->dependency];
	bool *counts = memory_zeroed(before->vertices, sizeof *counts);
	uint32_t *found = memory_resize(NULL, before->vertices, sizeof *found);

	for (uint32_t i = 0; i < before->vertices; i++)
		counts[i] = builder_class(builder, i, rule->from)->count > 0;
	for (uint32_t i = 0; i < before->vertices; i++) {
		gates[i].step = GRAPH_NONE;
		if (gates[i].count)
			add_gate(builder, rule, i, &gates[i], found, dependencies_nearest(before, i, counts, found));
	}
	free(counts);
	free(found);
}

/* The step that is done when all nodes with a service have their addresses; none where they have them already. */
static uint32_t
add_addresses_of(struct builder *builder, const char *service)
{
	const struct layout *layout = builder->layout;
	uint32_t found = GRAPH_NONE, milestone = GRAPH_NONE;

	for (size_t i = 0; i < layout->node_count; i++) {
		if (builder->confirms[i] == GRAPH_NONE || !node_has(&layout->nodes[i], service))
			continue;
		if (found != GRAPH_NONE && milestone == GRAPH_NONE) {
			milestone = add_milestone(builder, "addresses", service);
			builder_edge(builder, found, milestone);
		}
		found = builder->confirms[i];
		builder_edge(builder, found, milestone);
	}
	return milestone != GRAPH_NONE ? milestone : found;
}

/* What readers of the configuration wait for. */
static uint32_t
add_addresses(struct builder *builder)
{
	struct string_list services = macro_addresses_of(builder->layout->cluster.config, builder->arena);
	uint32_t first = GRAPH_NONE, all = GRAPH_NONE;

	for (size_t i = 0; i < services.count; i++) {
		uint32_t one = add_addresses_of(builder, services.list[i]);

		if (one != GRAPH_NONE && first != GRAPH_NONE && all == GRAPH_NONE) {
			all = builder_step(builder, &(struct step){.is_milestone = true, .name = "addresses"}, GRAPH_NONE);
			builder_edge(builder, first, all);
		}
		if (first == GRAPH_NONE)
			first = one;
		builder_edge(builder, one, all);
	}
	return all != GRAPH_NONE ? all : first;
}

void
builder_waits(struct builder *builder)
{
	size_t tasks = builder->steps->graph.vertices;
	uint32_t addresses;

	for (int i = 0; i < BUILDER_RULES; i++)
		add_gates(builder, &rules[i], builder->gates[i]);
	addresses = add_addresses(builder);
	for (uint32_t task = 0; task < tasks; task++) {
		const struct task_place *place = &builder->places[task];

		if (place->service == GRAPH_NONE)
			continue;
		builder_edge(builder, task,
		    builder_class(builder, place->service, builder->steps->list[task].action)->milestone);
		for (unsigned i = 0; i < BUILDER_RULES; i++)
			if (place->waits & 1u << i)
				builder_edge(builder, builder->gates[i][place->service].step, task);
		if (place->reads)
			builder_edge(builder, addresses, task);
	}
}
