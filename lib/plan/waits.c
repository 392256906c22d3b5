/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/waits.h"

#include <stdlib.h>
#include <string.h>

#include "model/layout.h"
#include "plan/builder.h"
#include "plan/fence.h"
#include "plan/nearest.h"

/* The order between services. Of the actions in "to" only the first on a node and service waits: the others come behind it
 * anyway. */
static const struct wait {
	unsigned from; /* a group */
	unsigned to;
	enum dependency dependency;
	bool reversed; /* the one that is needed waits */
	const char *done, *ready; /* done NULL: healthy, or started */
} waits[RULE_COUNT] = {
	[RULE_INSTALL] = {ACTION_INSTALL, ACTION_BIT(ACTION_INSTALL), DEPENDENCY_INSTALL, false, "installed",
	    "ready to install"},
	[RULE_START] = {GROUP_READY, ACTION_BIT(ACTION_INITIALIZE) | ACTIONS_UP, DEPENDENCY_RUNTIME, false, NULL,
	    "ready to start"},
	[RULE_STOP] = {ACTION_STOP, ACTION_BIT(ACTION_STOP), DEPENDENCY_RUNTIME, true, "stopped", "ready to stop"},
	[RULE_REMOVE] = {ACTION_REMOVE, ACTION_BIT(ACTION_REMOVE), DEPENDENCY_INSTALL, true, "removed", "ready to remove"},
	[RULE_ROLL] = {GROUP_DONE, ~0u, DEPENDENCY_EITHER, false, "done", "ready for"},
	[RULE_PUT_IN] = {GROUP_UP, ACTION_BIT(ACTION_CONFIGURE), DEPENDENCY_COUNT, false, "up", "ready to look up"},
	[RULE_TAKE_OUT] = {GROUP_DONE, ~0u, DEPENDENCY_COUNT, false, "done", "ready to leave"},
	[RULE_REPLACE] = {GROUP_UP, ~0u, DEPENDENCY_COUNT, false, "up", NULL},
};

enum { READ = 1 << RULE_COUNT }; /* a bit beside the rules: a task before reads the configuration of the cluster */

/* Returns the rules by which tasks of a placement may wait. */
static unsigned
waits_rules_for(const struct builder *builder, const struct placement *placement)
{
	if (builder_hands_over(builder, placement->node))
		return 0;
	/* A node that has a partner waits for that alone. */
	if (placement->kind == PLACEMENT_TAKE_DOWN && builder->hands_over)
		return 1u << RULE_STOP | 1u << RULE_REMOVE;
	if (placement->kind == PLACEMENT_TAKE_DOWN)
		return 1u << RULE_STOP | 1u << RULE_REMOVE | 1u << RULE_TAKE_OUT |
		    (builder->partners[placement->node] == GRAPH_NONE ? 1u << RULE_REPLACE : 0);
	if (placement->kind == PLACEMENT_IN_PLACE && builder->scope->rolling)
		return 1u << RULE_ROLL | 1u << RULE_PUT_IN | (builder->strict ? 1u << RULE_INSTALL | 1u << RULE_START : 0);
	return 1u << RULE_INSTALL | 1u << RULE_START | 1u << RULE_STOP | 1u << RULE_REMOVE;
}

void
waits_note(struct builder *builder, const struct placement *placement, uint32_t task, unsigned *covered)
{
	struct task_place *place = &builder->places[task];
	unsigned action = ACTION_BIT(builder->steps->list[task].action), may = waits_rules_for(builder, placement);

	/* A service must not be down while it waits for a machine: one that rolls waits for all its tasks need before it begins. */
	if (may & 1u << RULE_ROLL)
		action = placement->actions;
	for (unsigned i = 0; i < RULE_COUNT; i++) {
		struct barrier *barrier = &builder->barriers[i][place->service];

		if (!(may & ~*covered & 1u << i) || !(waits[i].to & action))
			continue;
		*covered |= 1u << i;
		place->waits |= 1u << i;
		barrier->count++;
		barrier->task = task;
	}
	place->reads = !(*covered & READ) && (builder->readers & action ||
	    (action & ACTION_BIT(ACTION_INSTALL) && builder->installed_by_address[place->service]));
	if (place->reads)
		*covered |= READ;
}

static const char *
waits_word_ready(const struct builder *builder, uint32_t service)
{
	return builder_group(builder, service, ACTION_CHECK)->count ? "healthy" : "started";
}

/* Returns the step that is done when all tasks of a service's group are; none if there are no such tasks. */
static uint32_t
waits_step_done(struct builder *builder, const struct wait *wait, uint32_t service)
{
	struct task_group *group = builder_group(builder, service, wait->from);

	if (group->count <= 1)
		return group->count ? group->task : GRAPH_NONE;
	if (group->milestone == GRAPH_NONE)
		group->milestone = builder_milestone(builder, wait->done ? wait->done : waits_word_ready(builder, service),
		    builder->dependencies->services.list[service]);
	return group->milestone;
}

/* Puts the tasks of one service behind the services before it by one rule: many tasks behind one step, a single task behind
 * as many steps as there are such services. */
static void
waits_add_barrier(struct builder *builder, const struct wait *wait, uint32_t service, struct barrier *barrier,
    const uint32_t *before, size_t count)
{
	if (count == 0)
		return;
	if (count == 1) {
		barrier->step = waits_step_done(builder, wait, before[0]);
		return;
	}
	if (barrier->count > 1)
		barrier->step = builder_milestone(builder, wait->ready, builder->dependencies->services.list[service]);
	for (size_t i = 0; i < count; i++)
		builder_edge(builder, waits_step_done(builder, wait, before[i]), barrier->count > 1 ? barrier->step : barrier->task);
}

/* Returns the graph of a rule. A rolling plan that installs nothing need not keep the order of installation. */
static const struct relation *
waits_relation_of(const struct builder *builder, enum rule rule)
{
	enum dependency dependency = waits[rule].dependency;

	if (rule == RULE_ROLL && !(builder->scope->in_place & ACTION_BIT(ACTION_INSTALL)))
		dependency = DEPENDENCY_RUNTIME;
	return waits[rule].reversed ? &builder->dependencies->needed_by[dependency]
	                            : &builder->dependencies->needs[dependency];
}

/* Finds for each service that waits by a rule the services it waits for. Nodes that are replaced one by one find all they
 * need elsewhere: for them every need is local. */
static void
waits_add_barriers(struct builder *builder, enum rule rule)
{
	const struct relation *relation = waits_relation_of(builder, rule);
	size_t services = relation->all.vertices;
	struct neighbours none = {services, memory_zeroed(services + 1, sizeof *none.first), NULL};
	struct relation local = {.all = relation->all, .far = none, .near = relation->all, .places = relation->places};
	bool *counts = memory_zeroed(services, sizeof *counts), *all_wait = memory_zeroed(services, sizeof *all_wait);
	struct nearest nearest;

	for (uint32_t i = 0; i < services; i++) {
		size_t tasks = builder_group(builder, i, waits[rule].from)->count;

		counts[i] = tasks > 0;
		all_wait[i] = builder->barriers[rule][i].count >= tasks;
	}
	nearest_init(&nearest, builder->scope->by_pairs ? &local : relation, counts, all_wait);
	for (uint32_t i = 0; i < services; i++) {
		struct barrier *barrier = &builder->barriers[rule][i];

		barrier->step = GRAPH_NONE;
		if (!barrier->count)
			continue;
		nearest_find(&nearest, i);
		waits_add_barrier(builder, &waits[rule], i, barrier, nearest.far, nearest.far_count);
		if (nearest.near_count) {
			builder->any_near = true;
			barrier->near = arena_alloc(builder->arena, nearest.near_count, sizeof *barrier->near);
			barrier->near_count = nearest.near_count;
			memcpy(barrier->near, nearest.near, nearest.near_count * sizeof *barrier->near);
		}
	}
	nearest_release(&nearest);
	neighbours_release(&none);
	free(counts);
	free(all_wait);
}

/* Returns the step that is done when these steps are; none if all of them are none. The name is that of a milestone. */
static uint32_t
waits_join_steps(struct builder *builder, const uint32_t *steps, size_t count, const char *what, const char *name)
{
	uint32_t joined = GRAPH_NONE;
	size_t found = 0;

	for (size_t i = 0; i < count; i++) {
		found += steps[i] != GRAPH_NONE;
		joined = steps[i] != GRAPH_NONE ? steps[i] : joined;
	}
	if (found > 1) {
		joined = builder_milestone(builder, what, name);
		for (size_t i = 0; i < count; i++)
			builder_edge(builder, steps[i], joined);
	}
	return joined;
}

/* Finds for each service that looks others up the new instances it waits for: none of services that wait for it themselves. */
static void
waits_add_put_in(struct builder *builder)
{
	const struct neighbours *needs = &builder->dependencies->needs[DEPENDENCY_EITHER].all, *of = &builder->lookups.of;
	uint32_t *steps = memory_resize(NULL, of->vertices, sizeof *steps);
	struct graph graph = {.vertices = of->vertices};

	graph_edges(&graph, needs); /* from each service to what it waits for */
	for (uint32_t i = 0; i < of->vertices; i++) {
		struct barrier *barrier = &builder->barriers[RULE_PUT_IN][i];
		size_t count = 0;

		barrier->step = GRAPH_NONE;
		for (size_t j = of->first[i]; barrier->count && j < of->first[i + 1]; j++) {
			if (!builder_group(builder, of->list[j], GROUP_UP)->count || graph_leads(&graph, of->list[j], i))
				continue;
			graph_edge(&graph, i, of->list[j]);
			graph_edge(&builder->put_in, i, of->list[j]);
			steps[count++] = waits_step_done(builder, &waits[RULE_PUT_IN], of->list[j]);
		}
		barrier->step = waits_join_steps(builder, steps, count, waits[RULE_PUT_IN].ready,
		    builder->dependencies->services.list[i]);
	}
	graph_release(&graph);
	free(steps);
}

/* Finds the services that leave a node whose machine answers; the caller frees the result. */
static bool *
waits_find_leaving(const struct builder *builder)
{
	const struct layout *layout = builder->layout;
	bool *leaves = memory_zeroed(builder->dependencies->services.count, sizeof *leaves);

	for (size_t i = 0; i < builder->dependencies->services.count; i++)
		leaves[i] = builder->barriers[RULE_TAKE_OUT][i].count > 0;
	for (size_t i = 0; i < layout->node_count; i++) {
		for (size_t j = 0; builder->deletes[i] != GRAPH_NONE && !builder->scope->dead[i] && !builder_hands_over(builder, i) &&
		    j < layout->nodes[i].was.count; j++) {
			int service = names_find(&builder->dependencies->services, layout->nodes[i].was.list[j]);

			if (service != NAMES_NONE)
				leaves[service] = true;
		}
	}
	return leaves;
}

/* Finds for each service that leaves a node those that have to be configured without it before. */
static void
waits_add_take_out(struct builder *builder)
{
	const struct neighbours *by = &builder->lookups.by;
	uint32_t *steps = memory_resize(NULL, by->vertices, sizeof *steps);
	bool *leaves = waits_find_leaving(builder);

	for (uint32_t i = 0; i < by->vertices; i++) {
		size_t count = 0;

		for (size_t j = by->first[i]; leaves[i] && j < by->first[i + 1]; j++)
			steps[count++] = waits_step_done(builder, &waits[RULE_TAKE_OUT], by->list[j]);
		builder->barriers[RULE_TAKE_OUT][i].step = waits_join_steps(builder, steps, count, waits[RULE_TAKE_OUT].ready,
		    builder->dependencies->services.list[i]);
	}
	free(leaves);
	free(steps);
}

/* Puts what is taken down behind what is set up of the same service; its node too, which may have had nothing to stop. */
static void
waits_add_replacements(struct builder *builder)
{
	const struct layout *layout = builder->layout;
	const struct names *services = &builder->dependencies->services;

	for (uint32_t i = 0; i < services->count; i++)
		builder->barriers[RULE_REPLACE][i].step =
		    builder->barriers[RULE_REPLACE][i].count ? waits_step_done(builder, &waits[RULE_REPLACE], i) : GRAPH_NONE;
	for (size_t i = 0; i < layout->node_count; i++) {
		const struct node *node = &layout->nodes[i];

		if (builder->deletes[i] == GRAPH_NONE || builder->hands_over || builder->scope->dead[i] || builder->partners[i] != GRAPH_NONE ||
		    builder_hands_over(builder, i))
			continue;
		for (size_t j = 0; j < node->was.count; j++) {
			int service = names_find(services, node->was.list[j]);

			if (service == NAMES_NONE)
				continue;
			builder_edge(builder, waits_step_done(builder, &waits[RULE_REPLACE], (uint32_t)service), builder->deletes[i]);
			builder_edge(builder, builder->barriers[RULE_TAKE_OUT][service].step, builder->deletes[i]);
		}
	}
}

/* Returns the step that is done when all nodes with a service have their addresses; none if they have them already. */
static uint32_t
waits_for_addresses_of(struct builder *builder, const char *service)
{
	const struct layout *layout = builder->layout;
	uint32_t found = GRAPH_NONE, milestone = GRAPH_NONE;

	for (size_t i = 0; i < layout->node_count; i++) {
		if (builder->confirms[i] == GRAPH_NONE || !node_has(&layout->nodes[i], service))
			continue;
		if (found != GRAPH_NONE && milestone == GRAPH_NONE) {
			milestone = builder_milestone(builder, "addresses", service);
			builder_edge(builder, found, milestone);
		}
		found = builder->confirms[i];
		builder_edge(builder, found, milestone);
	}
	return milestone != GRAPH_NONE ? milestone : found;
}

/* Returns the step that tasks which read the configuration wait for; none if its addresses are known. */
static uint32_t
waits_for_addresses(struct builder *builder)
{
	struct string_list services = lookups_addresses(builder->layout, builder->arena);
	uint32_t first = GRAPH_NONE, all = GRAPH_NONE;

	for (size_t i = 0; i < services.count; i++) {
		uint32_t one = waits_for_addresses_of(builder, services.list[i]);

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

/* Puts one task before the milestones of its groups, and behind the steps that its barriers wait for, wherever these stand. */
static void
waits_add_far(struct builder *builder, uint32_t task)
{
	const struct task_place *place = &builder->places[task];

	for (unsigned left = place->groups, i = 0; left; left >>= 1, i++)
		if (left & 1)
			builder_edge(builder, task, builder_group(builder, place->service, i)->milestone);
	for (unsigned left = place->waits, i = 0; left; left >>= 1, i++)
		if (left & 1)
			builder_edge(builder, builder->barriers[i][place->service].step, task);
	if (place->reads)
		builder_edge(builder, builder->addresses, task);
}

/* Puts the tasks first to end - 1, which are those of one node, behind those among them that their barriers name. here is room
 * for one task of each group of each service; it is empty before and after. */
static void
waits_add_on_node(struct builder *builder, uint32_t *here, uint32_t first, uint32_t end)
{
	for (uint32_t task = first; task < end; task++) {
		const struct task_place *place = &builder->places[task];

		for (unsigned left = place->groups, i = 0; left; left >>= 1, i++)
			if (left & 1)
				here[place->service * GROUP_COUNT + i] = task;
	}
	for (uint32_t task = first; task < end; task++) {
		const struct task_place *place = &builder->places[task];

		for (unsigned left = place->waits, i = 0; left; left >>= 1, i++) {
			const struct barrier *barrier = left & 1 ? &builder->barriers[i][place->service] : NULL;

			for (size_t j = 0; barrier && j < barrier->near_count; j++)
				builder_edge(builder, here[barrier->near[j] * GROUP_COUNT + waits[i].from], task);
		}
	}
	for (uint32_t task = first; task < end; task++)
		for (unsigned i = 0; builder->places[task].groups >> i; i++)
			here[builder->places[task].service * GROUP_COUNT + i] = GRAPH_NONE;
}

/* Goes node by node: the tasks of a node were added in a row. */
static void
waits_add_near(struct builder *builder, uint32_t tasks)
{
	size_t room = builder->dependencies->services.count * GROUP_COUNT;
	uint32_t *here = memory_resize(NULL, room, sizeof *here), end;

	for (size_t i = 0; i < room; i++)
		here[i] = GRAPH_NONE;
	for (uint32_t first = 0; first < tasks; first = end) {
		for (end = first; end < tasks && builder->steps->nodes[end] == builder->steps->nodes[first]; end++)
			;
		waits_add_on_node(builder, here, first, end);
	}
	free(here);
}

void
waits_add(struct builder *builder)
{
	uint32_t tasks = (uint32_t)builder->steps->graph.vertices;

	for (int i = 0; i < RULE_PUT_IN; i++)
		waits_add_barriers(builder, (enum rule)i);
	waits_add_put_in(builder);
	waits_add_take_out(builder);
	waits_add_replacements(builder);
	builder->addresses = waits_for_addresses(builder);
	for (uint32_t task = 0; task < tasks; task++)
		if (builder->places[task].service != GRAPH_NONE)
			waits_add_far(builder, task);
	fence_add(builder, tasks);
	if (builder->any_near)
		waits_add_near(builder, tasks);
}
