/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/scope.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/names.h"
#include "model/action.h"
#include "model/layout.h"
#include "plan/change.h"
#include "plan/dependency.h"
#include "plan/selection.h"

struct scoping {
	struct scope *scope;
	const struct layout *layout;
	const struct dependencies *dependencies;
	const struct plan_parameters *parameters;
	const struct cluster_action *action;
	struct selection selection;
	unsigned *has;     /* of each definition: the actions it has */
	unsigned *changes; /* of each definition: what is done to it where it stands */
	bool graceful;
};

/* Finds the actions that each service has; what stands is stopped and removed as it was defined then. */
static void
scope_find_actions(struct scoping *scoping)
{
	const struct cluster *cluster = &scoping->layout->cluster;

	for (size_t i = 0; i < cluster->definition_count; i++) {
		const struct service *is = &cluster->definitions[i], *was = cluster_definition_before(cluster, is->name);

		scoping->has[i] = ACTION_BIT(ACTION_BOOTSTRAP);
		for (int action = 0; action < ACTION_COUNT; action++)
			if ((ACTIONS_TAKE_DOWN & ACTION_BIT(action) ? was : is)->actions[action].present)
				scoping->has[i] |= ACTION_BIT(action);
	}
}

/* Adds the actions on one service of a node, as far as the service has them and is chosen. */
static int
scope_place(struct scoping *scoping, size_t node, const char *name, enum placement_kind kind, unsigned set,
    struct error *err)
{
	static const unsigned allowed[] = {
		[PART_NONE] = 0, [PART_CHOSEN] = ~0u, [PART_DRAWN_IN] = ACTIONS_RESTART, [PART_ASSURED] = ACTIONS_START};
	struct scope *scope = scoping->scope;
	int service = names_find(&scoping->dependencies->services, name);

	if (service == NAMES_NONE)
		return error_set(err, EX_DATAERR, "node %s: service %s: the cluster record has no definition of it",
		    scoping->layout->nodes[node].id, name);
	if (kind == PLACEMENT_IN_PLACE && scoping->changes)
		set = scoping->changes[service];
	set &= allowed[scoping->selection.services[service]] & scoping->has[service];
	if (!set)
		return 0;
	ARRAY_ROOM(scope->placements, scope->count, scope->capacity);
	scope->placements[scope->count++] = (struct placement){.node = (uint32_t)node, .service = (uint32_t)service,
		.kind = kind, .actions = set, .assured = scoping->selection.services[service] == PART_ASSURED};
	scope->actions |= set;
	scope->in_place |= kind == PLACEMENT_IN_PLACE ? set : 0;
	return 0;
}

static int
scope_place_all(struct scoping *scoping, size_t node, struct string_list services, enum placement_kind kind, unsigned set,
    struct error *err)
{
	for (size_t i = 0; set && i < services.count; i++)
		if (scope_place(scoping, node, services.list[i], kind, set, err) < 0)
			return -1;
	return 0;
}

/* Adds the changes of a node that stays: walks over both sorted lists. */
static int
scope_place_changes(struct scoping *scoping, size_t index, struct error *err)
{
	const struct node *node = &scoping->layout->nodes[index];
	const struct cluster_action *action = scoping->action;
	const unsigned sets[] = {[PLACEMENT_SET_UP] = action->adds_services ? ACTIONS_SET_UP : 0,
		[PLACEMENT_TAKE_DOWN] = action->drops_services ? ACTIONS_TAKE_DOWN : 0,
		[PLACEMENT_IN_PLACE] = action->changes ? ACTIONS_UPGRADE : 0};
	size_t i = 0, j = 0;

	while (i < node->services.count || j < node->was.count) {
		int order = i == node->services.count ? 1 : j == node->was.count ? -1 :
		    strcmp(node->services.list[i], node->was.list[j]);
		const char *name = order <= 0 ? node->services.list[i] : node->was.list[j];
		enum placement_kind kind = order == 0 ? PLACEMENT_IN_PLACE : order < 0 ? PLACEMENT_SET_UP : PLACEMENT_TAKE_DOWN;

		if (sets[kind] && scope_place(scoping, index, name, kind, sets[kind], err) < 0)
			return -1;
		i += order <= 0;
		j += order >= 0;
	}
	return 0;
}

/* Tells whether a node that is made has a service that is chosen. */
static bool
scope_has_chosen(const struct scoping *scoping, const struct node *node)
{
	if (scoping->parameters->services.count == 0)
		return true;
	for (size_t i = 0; i < node->services.count; i++) {
		int service = names_find(&scoping->dependencies->services, node->services.list[i]);

		if (service != NAMES_NONE && scoping->selection.services[service] == PART_CHOSEN)
			return true;
	}
	return false;
}

/* Adds the deletion of a node, behind that of its services; nothing can be stopped on a machine that does not answer. */
static int
scope_drop_node(struct scoping *scoping, size_t index, struct string_list services, struct error *err)
{
	scoping->scope->node_actions[index] = ACTIONS_UNMAKE;
	return scope_place_all(scoping, index, services, PLACEMENT_TAKE_DOWN,
	    scoping->graceful && !scoping->scope->dead[index] ? ACTIONS_TAKE_DOWN : 0, err);
}

static int
scope_node(struct scoping *scoping, size_t index, struct error *err)
{
	const struct node *node = &scoping->layout->nodes[index];
	const struct cluster_action *action = scoping->action;

	if (!scoping->selection.nodes[index])
		return 0;
	if (action->deletes)
		return scope_drop_node(scoping, index, node->leaves ? node->was : node->services, err);
	if (node->leaves && !action->standing) {
		if (!action->drops_nodes || scoping->parameters->services.count)
			return 0;
		return scope_drop_node(scoping, index, node->was, err);
	}
	if (node->leaves || scoping->scope->dead[index])
		return 0;
	if (action->standing)
		return scope_place_all(scoping, index, node->services, PLACEMENT_IN_PLACE, action->standing, err);
	if (!node->is_new)
		return scope_place_changes(scoping, index, err);
	if (!action->adds_nodes || !scope_has_chosen(scoping, node))
		return 0;
	scoping->scope->node_actions[index] = ACTIONS_MAKE;
	return scope_place_all(scoping, index, node->services, PLACEMENT_SET_UP, ACTIONS_SET_UP, err);
}

/* How many nodes the scope makes and deletes, and whether it adds, drops or changes services of nodes that stay. */
struct tally {
	size_t made, deleted;
	bool adds, drops, changes;
};

static struct tally
scope_tally_scope(const struct scoping *scoping)
{
	const struct scope *scope = scoping->scope;
	struct tally tally = {0};

	for (size_t i = 0; i < scoping->layout->node_count; i++) {
		tally.made += scope->node_actions[i] == ACTIONS_MAKE;
		tally.deleted += scope->node_actions[i] == ACTIONS_UNMAKE;
	}
	for (size_t i = 0; i < scope->count; i++) {
		const struct placement *placement = &scope->placements[i];

		if (scope->node_actions[placement->node])
			continue;
		tally.adds = tally.adds || placement->kind == PLACEMENT_SET_UP;
		tally.drops = tally.drops || placement->kind == PLACEMENT_TAKE_DOWN;
		tally.changes = tally.changes || placement->kind == PLACEMENT_IN_PLACE;
	}
	return tally;
}

/* Returns the name of the action that a difference comes to; "change" if it comes to several. */
static const char *
scope_name_difference(const struct scope *scope, size_t nodes, const struct tally *tally)
{
	if ((tally->made > 0) + (tally->deleted > 0) + tally->adds + tally->drops + tally->changes != 1)
		return "change";
	if (tally->made)
		return tally->made == nodes ? "create" : "expand";
	if (tally->deleted)
		return tally->deleted == nodes ? "delete" : "shrink";
	if (tally->adds || tally->drops)
		return tally->adds ? "add-services" : "remove-services";
	if (scope->in_place & ACTION_BIT(ACTION_INSTALL))
		return "upgrade";
	return scope->in_place & ACTION_BIT(ACTION_CONFIGURE) ? "configure-with-restart" : "restart";
}

static const char *
scope_name_job(const struct scoping *scoping)
{
	size_t nodes = scoping->layout->node_count;
	struct tally tally = scope_tally_scope(scoping);

	/* A cluster some of whose nodes are deleted is smaller, not gone. */
	if (scoping->action->deletes)
		return cluster_action_find(tally.deleted == nodes ? "delete" : "shrink")->job;
	if (scoping->action->name)
		return scoping->action->job;
	return cluster_action_find(scope_name_difference(scoping->scope, nodes, &tally))->job;
}

/* Tells whether services are stopped and removed before their node is deleted: a whole cluster is just deleted, unless the
 * user asks for it. */
static bool
scope_is_graceful(const struct scoping *scoping)
{
	const struct layout *layout = scoping->layout;

	for (size_t i = 0; i < layout->node_count; i++)
		if (!scoping->selection.nodes[i] || (!scoping->action->deletes && !layout->nodes[i].leaves))
			return true;
	return scoping->parameters->graceful;
}

/* Chooses nodes and services. An upgrade without services is about those that have changed, if it is known what was. */
static int
scope_select_parts(struct scoping *scoping, struct error *err)
{
	unsigned standing = scoping->scope->rolling ? 0 : scoping->action->standing;
	bool *changed = scoping->action->standing == ACTIONS_UPGRADE && change_is_known(scoping->layout)
	    ? change_find_definitions(scoping->layout) : NULL;
	int result = selection_init(&scoping->selection, scoping->layout, scoping->dependencies, scoping->parameters, changed,
	    err);

	free(changed);
	if (result == 0)
		selection_draw_in(&scoping->selection, scoping->layout, scoping->dependencies, standing & ACTIONS_STOP, standing & ACTIONS_START);
	return result;
}

static int
scope_fill(struct scoping *scoping, struct error *err)
{
	struct scope *scope = scoping->scope;
	const struct plan_parameters *parameters = scoping->parameters;

	scope_find_actions(scoping);
	scope->rolling = scoping->action->changes || parameters->max_unavailable;
	scope->max_unavailable = parameters->max_unavailable;
	scope->by_pairs = parameters->max_unavailable && cluster_action_replaces(scoping->action);
	if (selection_find_nodes(scope->dead, scoping->layout, parameters->dead, err) < 0 || scope_select_parts(scoping, err) < 0)
		return -1;
	if (scoping->action->changes)
		scoping->changes = change_find(scoping->layout, scoping->dependencies);
	scoping->graceful = scope_is_graceful(scoping);
	for (size_t i = 0; i < scoping->layout->node_count; i++)
		if (scope_node(scoping, i, err) < 0)
			return -1;
	scope->rolling = scope->rolling && (scope->in_place || scope->by_pairs);
	scope->job_action = scope_name_job(scoping);
	return 0;
}

int
scope_init(struct scope *scope, const struct layout *layout, const struct dependencies *dependencies,
    const struct plan_parameters *parameters, struct error *err)
{
	struct scoping scoping = {
		.scope = scope,
		.layout = layout,
		.dependencies = dependencies,
		.parameters = parameters,
		.action = cluster_action_find(parameters->action),
		.has = memory_zeroed(layout->cluster.definition_count, sizeof *scoping.has),
	};
	int result;

	*scope = (struct scope){.node_actions = memory_zeroed(layout->node_count, sizeof *scope->node_actions),
		.dead = memory_zeroed(layout->node_count, sizeof *scope->dead)};
	result = scope_fill(&scoping, err);
	selection_release(&scoping.selection);
	free(scoping.has);
	free(scoping.changes);
	return result;
}

void
scope_release(struct scope *scope)
{
	free(scope->node_actions);
	free(scope->dead);
	free(scope->placements);
	*scope = (struct scope){0};
}
