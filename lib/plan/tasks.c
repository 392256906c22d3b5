/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/tasks.h"

#include "model/expectation.h"
#include "model/layout.h"
#include "plan/builder.h"
#include "plan/volumes.h"
#include "plan/waits.h"

/* Fills in how long such tasks have taken, if that was measured; else expect_s stays a hint, by which tasks are ordered. */
static void
tasks_expect(const struct builder *builder, uint32_t node, struct step *step)
{
	const struct node *on = &builder->layout->nodes[node];
	const struct expectation kind = {.action = step->action, .service = step->service, .type = step->type,
	    .hardwaretype = on->hardwaretype, .imagetype = on->imagetype, .provider = builder->layout->cluster.provider.name};
	const struct expectation *measured = builder->history ? expectations_find(builder->history, &kind) : NULL;

	if (!measured)
		return;
	step->expect_s = measured->expect_s;
	step->p90_s = measured->p90_s > measured->expect_s ? measured->p90_s : measured->expect_s;
	step->runs = measured->runs;
}

/* Adds a task of the whole node: the provider's, a mount, or a bootstrap. */
static uint32_t
tasks_add_node_task(struct builder *builder, uint32_t node, enum action action, const char *type, const char *fields)
{
	struct step step = {
		.node = builder->layout->nodes[node].id,
		.action = action,
		.type = type,
		.fields = fields,
		.timeout_s = ACTION_TIMEOUT_S,
		.retries = ACTION_RETRIES,
		.patience_s = ACTION_PATIENCE_S,
		.expect_s = builder->layout->cluster.provider.expect_s[action],
		.undo = action_table[action].undo,
	};

	tasks_expect(builder, node, &step);
	return builder_step(builder, &step, node);
}

/* Adds the provider's tasks of a node, as far as they are in the scope. */
static void
tasks_add_provider_tasks(struct builder *builder, uint32_t node)
{
	unsigned actions = builder->scope->node_actions[node];
	const char *type = builder->layout->cluster.provider.providertype;

	builder->creates[node] = builder->confirms[node] = builder->deletes[node] = GRAPH_NONE;
	if (actions & ACTION_BIT(ACTION_CREATE)) {
		builder->creates[node] = tasks_add_node_task(builder, node, ACTION_CREATE, type, "{}");
		builder->confirms[node] = tasks_add_node_task(builder, node, ACTION_CONFIRM, type, "{}");
		builder_edge(builder, builder->creates[node], builder->confirms[node]);
	}
	if (actions & ACTION_BIT(ACTION_DELETE))
		builder->deletes[node] = tasks_add_node_task(builder, node, ACTION_DELETE, type, volumes_of_leaving(builder, node));
}

/* Adds the tasks that give a node its volumes, for the placements first to end - 1, if these ask for any. */
static void
tasks_add_volumes(struct builder *builder, uint32_t node, size_t first, size_t end)
{
	const char *fields = volumes_of_new(builder, node, first, end);
	uint32_t attach, mount;

	builder->attaches[node] = builder->mounts[node] = GRAPH_NONE;
	if (!fields)
		return;
	attach = tasks_add_node_task(builder, node, ACTION_ATTACH, builder->layout->cluster.provider.providertype, fields);
	mount = tasks_add_node_task(builder, node, ACTION_MOUNT, ACTION_MOUNT_TYPE, fields);
	builder_edge(builder, builder->confirms[node], attach);
	builder_edge(builder, attach, mount);
	builder->attaches[node] = attach;
	builder->mounts[node] = mount;
}

/* Adds a bootstrap for each automator that a service of this placement has any action for: an action that is not in this
 * plan is in a later one, which has no bootstrap. */
static void
tasks_add_bootstraps(struct builder *builder, const struct placement *placement)
{
	if (!(placement->actions & ACTION_BIT(ACTION_BOOTSTRAP)))
		return;
	for (int action = 0; action < ACTION_COUNT; action++) {
		int type = builder_group(builder, placement->service, (unsigned)action)->type;

		if (type == NAMES_NONE || builder->bootstraps[type] != GRAPH_NONE)
			continue;
		builder->bootstraps[type] = tasks_add_node_task(builder, placement->node, ACTION_BOOTSTRAP,
		    builder->types.list[type], "{}");
		builder_edge(builder, builder->confirms[placement->node], builder->bootstraps[type]);
		/* A machine may be made anew when it gets its volumes, but not one on which services stand: these may have to go before what
		 * has the volumes releases them. */
		if (builder->layout->nodes[placement->node].was.count == 0)
			builder_edge(builder, builder->mounts[placement->node], builder->bootstraps[type]);
	}
}

uint32_t
tasks_add_service_task(struct builder *builder, const struct placement *placement, enum action action)
{
	struct step step = {
		.node = builder->layout->nodes[placement->node].id,
		.action = action,
		.fields = builder_group(builder, placement->service, (unsigned)action)->fields,
		.undo = action_table[action].undo,
	};
	uint32_t task;

	step_take_service(&step, &builder->layout->cluster.definitions[placement->service],
	    builder_service_action(builder, placement->service, action));
	tasks_expect(builder, placement->node, &step);
	task = builder_step(builder, &step, placement->node);
	builder->places[task].service = placement->service;
	return task;
}

/* Adds a task to its groups. A service that stops for a while in a rolling plan keeps nobody waiting. */
static void
tasks_join_groups(struct builder *builder, const struct placement *placement, uint32_t task, bool is_last)
{
	enum action action = builder->steps->list[task].action;
	bool rolls = placement->kind == PLACEMENT_IN_PLACE && builder->scope->rolling;
	bool checked = placement->actions & ACTION_BIT(ACTION_CHECK);
	unsigned groups = rolls && action == ACTION_STOP ? 0 : 1u << action;

	if (builder_hands_over(builder, placement->node))
		return;
	/* What has a check is ready when that is done, not when it is started. */
	if (action == ACTION_CHECK || (ACTION_BIT(action) & ACTIONS_UP && !checked))
		groups |= 1u << GROUP_READY;
	if (is_last && rolls)
		groups |= 1u << GROUP_DONE;
	if (is_last && placement->kind == PLACEMENT_SET_UP)
		groups |= 1u << GROUP_UP;
	builder->places[task].groups = groups;
	for (unsigned i = 0; groups >> i; i++) {
		if (groups >> i & 1) {
			struct task_group *group = builder_group(builder, placement->service, i);

			group->count++;
			group->task = task;
		}
	}
}

/* Adds the tasks of one service on one node, one behind the other. */
static void
tasks_add_chain(struct builder *builder, const struct placement *placement, const enum action *chain)
{
	uint32_t first = GRAPH_NONE, last = GRAPH_NONE;
	int last_type = NAMES_NONE;
	unsigned covered = 0, left = placement->actions & ~ACTION_BIT(ACTION_BOOTSTRAP);

	for (; left && *chain != ACTION_NONE; chain++) {
		int type = builder_group(builder, placement->service, (unsigned)*chain)->type;
		uint32_t task;

		if (!(left & ACTION_BIT(*chain)))
			continue;
		left &= ~ACTION_BIT(*chain);
		task = tasks_add_service_task(builder, placement, *chain);
		if (type != last_type)
			builder_edge(builder, builder->bootstraps[type], task);
		builder_edge(builder, last, task);
		tasks_join_groups(builder, placement, task, !left);
		if (!placement->assured)
			waits_note(builder, placement, task, &covered);
		first = first == GRAPH_NONE ? task : first;
		last = task;
		last_type = type;
	}
	if (placement->kind == PLACEMENT_SET_UP && builder->layout->cluster.definitions[placement->service].volume_count)
		builder_edge(builder, builder->mounts[placement->node], first);
	builder->chains[placement - builder->scope->placements] = (struct turn){first, last};
	if (placement->kind == PLACEMENT_IN_PLACE && first != GRAPH_NONE)
		builder_take_turn(builder, placement->service, first, last);
	builder_edge(builder, last, builder->deletes[placement->node]);
}

void
tasks_add(struct builder *builder)
{
	const struct scope *scope = builder->scope;
	const enum action *chain = action_chain();
	size_t next = 0;

	for (uint32_t node = 0; node < builder->layout->node_count; node++) {
		size_t first = next;

		tasks_add_provider_tasks(builder, node);
		for (size_t i = 0; i < builder->types.count; i++)
			builder->bootstraps[i] = GRAPH_NONE;
		while (next < scope->count && scope->placements[next].node == node)
			next++;
		tasks_add_volumes(builder, node, first, next);
		for (size_t i = first; i < next; i++)
			tasks_add_bootstraps(builder, &scope->placements[i]);
		for (size_t i = first; i < next; i++)
			tasks_add_chain(builder, &scope->placements[i], chain);
	}
}
