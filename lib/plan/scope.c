/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/scope.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/names.h"
#include "model/action.h"
#include "model/layout.h"
#include "model/name.h"
#include "model/unavailable.h"
#include "plan/change.h"
#include "plan/dependency.h"
#include "plan/selection.h"

struct scoping { /* a scope while it is made */
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

/* Returns what an earlier change has left to do to a service of a node. */
static unsigned
scope_find_left(const struct node *node, const char *service)
{
	if (name_set_has(&node->partial, service))
		return ACTIONS_REDO;
	return name_set_has(&node->stale, service) ? ACTIONS_RECONFIGURE : 0;
}

/* Tells whether an instance that was stopped stays so: only what starts or restarts services starts it again, and what is needed
 * by such. One that is set up is named only where it is to stay stopped. */
static bool
scope_stays_stopped(const struct scoping *scoping, size_t node, const char *name, enum placement_kind kind, enum part part)
{
	const struct cluster_action *action = scoping->action;
	bool changes = action->changes || action->standing & (ACTION_BIT(ACTION_CONFIGURE) | ACTION_BIT(ACTION_INSTALL));
	bool is_along = cluster_action_restarts(action) && part == PART_DRAWN_IN;

	if (kind == PLACEMENT_TAKE_DOWN || !name_set_has(&scoping->layout->nodes[node].stopped, name))
		return false;
	return kind == PLACEMENT_SET_UP || is_along || (changes && part != PART_ASSURED);
}

/* Adds the actions on one service of a node, as far as the service has them and is chosen. */
static int
scope_place(struct scoping *scoping, size_t node, const char *name, enum placement_kind kind, unsigned set,
    struct error *err)
{
	static const unsigned allowed[] = {
		[PART_NONE] = 0, [PART_CHOSEN] = ~0u, [PART_DRAWN_IN] = ACTIONS_RESTART, [PART_ASSURED] = ACTIONS_START};
	const unsigned runs = ACTIONS_UP | ACTIONS_STOP | ACTION_BIT(ACTION_DRAIN) | ACTION_BIT(ACTION_CHECK);
	struct scope *scope = scoping->scope;
	int service = names_find(&scoping->dependencies->services, name);

	if (service == NAMES_NONE)
		return error_set(err, EX_DATAERR, "node %s: service %s: the cluster record has no definition of it",
		    scoping->layout->nodes[node].id, name);
	if (kind == PLACEMENT_IN_PLACE && scoping->changes)
		set = scoping->changes[service] | scope_find_left(&scoping->layout->nodes[node], name);
	set &= allowed[scoping->selection.services[service]];
	set = kind == PLACEMENT_IN_PLACE ? action_in_place(set, scoping->has[service]) : set & scoping->has[service];
	if (scope_stays_stopped(scoping, node, name, kind, scoping->selection.services[service]))
		set &= ~runs;
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

/* Adds the deletion of a node, behind that of its services; nothing can be stopped on a machine that does not answer. What has volumes that
 * outlive the node is stopped, and not removed: that could take its data with it. */
static int
scope_drop_node(struct scoping *scoping, size_t index, struct string_list services, struct error *err)
{
	bool any = scoping->graceful && !scoping->scope->dead[index];

	scoping->scope->node_actions[index] = ACTIONS_UNMAKE;
	for (size_t i = 0; any && i < services.count; i++) {
		const struct service *service = cluster_definition_before(&scoping->layout->cluster, services.list[i]);
		unsigned keeps = service && service_keeps_volumes(service) ? ACTION_BIT(ACTION_REMOVE) : 0;

		if (scope_place(scoping, index, services.list[i], PLACEMENT_TAKE_DOWN, ACTIONS_TAKE_DOWN & ~keeps, err) < 0)
			return -1;
	}
	return 0;
}

/* Adds what is to be done on one node. */
static int
scope_add_node(struct scoping *scoping, size_t index, struct error *err)
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

/* Returns what the job is called: as its action or, for a difference, as the action that it comes to, if it is only one. */
static const char *
scope_name_job(const struct scoping *scoping)
{
	const struct scope *scope = scoping->scope;
	const struct cluster_action *action = scoping->action;
	size_t nodes = scoping->layout->node_count, made = 0, deleted = 0;
	bool kinds[PLACEMENT_IN_PLACE + 1] = {false}; /* of placements on nodes that stay */
	const char *name;

	for (size_t i = 0; i < nodes; i++) {
		made += scope->node_actions[i] == ACTIONS_MAKE;
		deleted += scope->node_actions[i] == ACTIONS_UNMAKE;
	}
	for (size_t i = 0; i < scope->count; i++)
		if (!scope->node_actions[scope->placements[i].node])
			kinds[scope->placements[i].kind] = true;

	/* A cluster some of whose nodes are deleted is smaller, not gone. */
	if (action->name && !action->deletes)
		name = action->name;
	else if (!action->deletes && (made > 0) + (deleted > 0) + kinds[PLACEMENT_SET_UP] + kinds[PLACEMENT_TAKE_DOWN] +
	    kinds[PLACEMENT_IN_PLACE] != 1)
		name = "change";
	else if (action->deletes || deleted)
		name = deleted == nodes ? "delete" : "shrink";
	else if (made)
		name = made == nodes ? "create" : "expand";
	else if (!kinds[PLACEMENT_IN_PLACE])
		name = kinds[PLACEMENT_SET_UP] ? "add-services" : "remove-services";
	else if (scope->in_place & ACTION_BIT(ACTION_INSTALL))
		name = "upgrade";
	else
		name = scope->in_place & ACTION_BIT(ACTION_CONFIGURE) ? "configure-with-restart" : "restart";
	return cluster_action_find(name)->job;
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
scope_select(struct scoping *scoping, struct error *err)
{
	unsigned standing = scoping->scope->rolling ? 0 : scoping->action->standing;
	bool *changed = scoping->action->standing == ACTIONS_UPGRADE && change_is_known(scoping->layout)
	    ? change_find_definitions(scoping->layout) : NULL;
	int result = selection_init(&scoping->selection, scoping->layout, scoping->dependencies, scoping->parameters, changed,
	    err);

	free(changed);
	if (result == 0)
		selection_draw_in(&scoping->selection, scoping->layout, scoping->dependencies, standing & ACTIONS_STOP,
		    standing & ACTION_BIT(ACTION_START));
	return result;
}

/* Returns on how many nodes each service may be down at a time; NULL: on any number. Nodes are replaced at once by default. */
static const char *
scope_find_limit(const struct scoping *scoping)
{
	const char *limit = scoping->parameters->max_unavailable, *of_template = scoping->layout->cluster.max_unavailable;
	bool rolls = scoping->action->changes || cluster_action_restarts(scoping->action);

	if (limit && strcmp(limit, UNAVAILABLE_AUTO) == 0)
		limit = !rolls ? NULL : of_template ? of_template : UNAVAILABLE_USUAL;
	return limit && strcmp(limit, UNAVAILABLE_ALL) == 0 ? NULL : limit;
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
	const char *limit = scope_find_limit(&scoping);
	int result;

	*scope = (struct scope){
		.rolling = scoping.action->changes || limit,
		.max_unavailable = limit,
		.starts_or_stops = scoping.action->standing == ACTIONS_START || scoping.action->standing == ACTIONS_STOP,
		.standing = scoping.action->standing != 0,
		.by_pairs = limit && cluster_action_replaces(scoping.action),
		.node_actions = memory_zeroed(layout->node_count, sizeof *scope->node_actions),
		.dead = memory_zeroed(layout->node_count, sizeof *scope->dead),
	};
	scope_find_actions(&scoping);
	result = selection_find_nodes(scope->dead, layout, parameters->dead, err);
	if (result == 0)
		result = scope_select(&scoping, err);
	if (result == 0 && scoping.action->changes)
		scoping.changes = change_find(layout, dependencies);
	scoping.graceful = result == 0 && scope_is_graceful(&scoping);
	for (size_t i = 0; i < layout->node_count && result == 0; i++)
		result = scope_add_node(&scoping, i, err);
	scope->rolling = scope->rolling && (scope->in_place || scope->by_pairs);
	if (result == 0)
		scope->job_action = scope_name_job(&scoping);
	if (result == 0 && scope->count == 0 && scoping.action->standing & (ACTIONS_BACKUP | ACTION_BIT(ACTION_RESTORE)))
		result = error_set(err, EX_NO, "no service that was chosen has an action %s; coopr-services(7) shows how to write one",
		    scoping.action->name);
	scope->chosen = scoping.selection.nodes;
	scoping.selection.nodes = NULL;
	selection_release(&scoping.selection);
	free(scoping.has);
	free(scoping.changes);
	return result;
}

void
scope_release(struct scope *scope)
{
	free(scope->node_actions);
	free(scope->chosen);
	free(scope->dead);
	free(scope->heirs);
	free(scope->placements);
	*scope = (struct scope){0};
}
