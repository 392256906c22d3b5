/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/builder.h"

#include <stdlib.h>

#include "model/expectation.h"
#include "model/layout.h"
#include "plan/cluster-action.h"

/* On one node, one service goes through its actions in this order. */
static const enum action chain[] = {
	ACTION_STOP, ACTION_REMOVE, ACTION_INSTALL, ACTION_CONFIGURE, ACTION_INITIALIZE, ACTION_START};

enum { CHAIN = (SET_UP | TAKE_DOWN) & ~ACTION_BIT(ACTION_BOOTSTRAP) };

struct node_tasks { /* of the node at hand; each a step, or none */
	uint32_t confirm;
	uint32_t *bootstraps; /* of each automator */
	uint32_t remove;      /* the deletion */
};

/* What is known of such tasks; else what the template says. */
static double
tasks_expect(const struct builder *builder, uint32_t node, enum action action, const char *service, const char *type,
    double otherwise)
{
	if (!builder->history)
		return otherwise;
	return expectations_find(builder->history, action, service, type, builder->layout->nodes[node].hardwaretype,
	    otherwise);
}

/* A task of the whole node: the provider's, or a bootstrap. */
static uint32_t
tasks_add_node_task(struct builder *builder, uint32_t node, enum action action, const char *type)
{
	/* A machine that does not come up is thrown away and made anew. */
	static const char *undo_confirm[] = {"delete", "create"};
	struct step step = {
		.node = builder->layout->nodes[node].id,
		.action = action,
		.type = type,
		.fields = "{}",
		.timeout_s = ACTION_TIMEOUT_S,
		.retries = ACTION_RETRIES,
		.expect_s = tasks_expect(builder, node, action, NULL, type, builder->layout->cluster.provider.expect_s[action]),
	};

	if (action == ACTION_CONFIRM)
		step.undo = (struct string_list){undo_confirm, sizeof undo_confirm / sizeof *undo_confirm};
	return builder_step(builder, &step, node);
}

/* The provider's tasks of a node, as far as they are in the scope. */
static struct node_tasks
tasks_add_provider_tasks(struct builder *builder, uint32_t node)
{
	unsigned actions = builder->scope->node_actions[node];
	const char *type = builder->layout->cluster.provider.providertype;
	struct node_tasks tasks = {.confirm = GRAPH_NONE, .remove = GRAPH_NONE};

	builder->creates[node] = GRAPH_NONE;
	if (actions & ACTION_BIT(ACTION_CREATE)) {
		builder->creates[node] = tasks_add_node_task(builder, node, ACTION_CREATE, type);
		tasks.confirm = tasks_add_node_task(builder, node, ACTION_CONFIRM, type);
		builder_edge(builder, builder->creates[node], tasks.confirm);
	}
	if (actions & ACTION_BIT(ACTION_DELETE))
		tasks.remove = tasks_add_node_task(builder, node, ACTION_DELETE, type);
	builder->confirms[node] = tasks.confirm;
	builder->deletes[node] = tasks.remove;
	return tasks;
}

/* A bootstrap for each automator that a service of this placement has any action for: those that are not in
 * this plan are in a later one, which has none. */
static void
tasks_add_bootstraps(struct builder *builder, const struct placement *placement, struct node_tasks *tasks)
{
	if (!(placement->actions & ACTION_BIT(ACTION_BOOTSTRAP)))
		return;
	for (int action = 0; action < ACTION_COUNT; action++) {
		int type = builder_class(builder, placement->service, (unsigned)action)->type;

		if (type == NAMES_NONE || tasks->bootstraps[type] != GRAPH_NONE)
			continue;
		tasks->bootstraps[type] = tasks_add_node_task(builder, placement->node, ACTION_BOOTSTRAP,
		    builder->types.list[type]);
		builder_edge(builder, tasks->confirm, tasks->bootstraps[type]);
	}
}

static uint32_t
tasks_add_service_task(struct builder *builder, const struct placement *placement, enum action action)
{
	const char *service = builder->layout->cluster.definitions[placement->service].name;
	const struct service_action *does = builder_does(builder, placement->service, action);
	struct step step = {
		.node = builder->layout->nodes[placement->node].id,
		.action = action,
		.service = service,
		.type = does->type,
		.fields = builder_class(builder, placement->service, (unsigned)action)->fields,
		.timeout_s = does->timeout_s,
		.retries = does->retries,
		.expect_s = tasks_expect(builder, placement->node, action, service, does->type, does->expect_s),
	};
	uint32_t task = builder_step(builder, &step, placement->node);

	builder->places[task].service = placement->service;
	return task;
}

static void
tasks_join_class(struct builder *builder, uint32_t task, unsigned number)
{
	struct class *class = builder_class(builder, builder->places[task].service, number);

	class->count++;
	class->task = task;
	builder->places[task].classes |= 1u << number;
}

/* The classes that a task is of. Who stops for a while in a rolling plan keeps nobody waiting. */
static void
tasks_join_classes(struct builder *builder, const struct placement *placement, uint32_t task, bool is_last)
{
	enum action action = builder->steps->list[task].action;
	bool in_place = placement->kind == PLACEMENT_IN_PLACE, rolling = builder->scope->rolling;

	if (!in_place || !rolling || action != ACTION_STOP)
		tasks_join_class(builder, task, (unsigned)action);
	if (is_last && rolling && in_place)
		tasks_join_class(builder, task, CLASS_DONE);
	if (is_last && placement->kind == PLACEMENT_SET_UP)
		tasks_join_class(builder, task, CLASS_UP);
}

/* Puts a placement behind the one so many nodes before it: of each such line of placements, one is down at a time. */
static void
tasks_keep_window(struct builder *builder, const struct placement *placement, uint32_t first, uint32_t last)
{
	struct window *window = &builder->windows[placement->service];
	uint32_t *turn;

	if (placement->kind != PLACEMENT_IN_PLACE || !window->width || first == GRAPH_NONE)
		return;
	turn = &window->last[window->used % window->width];
	if (window->used++ >= window->width)
		builder_edge(builder, *turn, first);
	*turn = last;
}

static void
tasks_add_chain(struct builder *builder, const struct placement *placement, const struct node_tasks *tasks)
{
	uint32_t first = GRAPH_NONE, last = GRAPH_NONE;
	int last_type = NAMES_NONE;
	unsigned covered = 0, left = placement->actions & CHAIN;

	for (size_t i = 0; left; i++) {
		int type = builder_class(builder, placement->service, (unsigned)chain[i])->type;
		uint32_t task;

		if (!(left & ACTION_BIT(chain[i])))
			continue;
		left &= ~ACTION_BIT(chain[i]);
		task = tasks_add_service_task(builder, placement, chain[i]);
		if (type != last_type)
			builder_edge(builder, tasks->bootstraps[type], task);
		builder_edge(builder, last, task);
		tasks_join_classes(builder, placement, task, !left);
		if (!placement->assured)
			builder_note_waits(builder, placement, task, &covered);
		first = first == GRAPH_NONE ? task : first;
		last = task;
		last_type = type;
	}
	tasks_keep_window(builder, placement, first, last);
	builder_edge(builder, last, tasks->remove);
}

void
builder_tasks(struct builder *builder)
{
	const struct scope *scope = builder->scope;
	uint32_t *bootstraps = memory_resize(NULL, builder->types.count, sizeof *bootstraps);
	size_t next = 0;

	for (uint32_t node = 0; node < builder->layout->node_count; node++) {
		struct node_tasks tasks = tasks_add_provider_tasks(builder, node);
		size_t first = next;

		tasks.bootstraps = bootstraps;
		for (size_t i = 0; i < builder->types.count; i++)
			bootstraps[i] = GRAPH_NONE;
		for (; next < scope->count && scope->placements[next].node == node; next++)
			tasks_add_bootstraps(builder, &scope->placements[next], &tasks);
		for (size_t i = first; i < next; i++)
			tasks_add_chain(builder, &scope->placements[i], &tasks);
	}
	free(bootstraps);
}
