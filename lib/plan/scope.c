/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/scope.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/names.h"
#include "model/layout.h"
#include "plan/dependency.h"
#include "plan/selection.h"

enum {
	MAKE = ACTION_BIT(ACTION_CREATE) | ACTION_BIT(ACTION_CONFIRM),
	UNMAKE = ACTION_BIT(ACTION_DELETE),
	SET_UP = ACTION_BIT(ACTION_BOOTSTRAP) | ACTION_BIT(ACTION_INSTALL) | ACTION_BIT(ACTION_CONFIGURE) |
	    ACTION_BIT(ACTION_INITIALIZE) | ACTION_BIT(ACTION_START),
	TAKE_DOWN = ACTION_BIT(ACTION_STOP) | ACTION_BIT(ACTION_REMOVE),
	CONFIGURE = ACTION_BIT(ACTION_BOOTSTRAP) | ACTION_BIT(ACTION_CONFIGURE),
	START = ACTION_BIT(ACTION_START),
	STOP = ACTION_BIT(ACTION_STOP),
};

/* An action on a cluster: either what part of the difference it carries out, or what it does to
 * whatever stands. */
struct cluster_action {
	const char *name, *job;
	bool adds_nodes, drops_nodes, adds_services, drops_services;
	unsigned standing; /* for each service */
	bool deletes;      /* each node */
};

static const struct cluster_action actions[] = {
	{"create", "cluster_create", .adds_nodes = true},
	{"delete", "cluster_delete", .deletes = true},
	{"start", "start_services", .standing = START},
	{"stop", "stop_services", .standing = STOP},
	{"restart", "restart_services", .standing = STOP | START},
	{"configure", "cluster_configure", .standing = CONFIGURE},
	{"configure-with-restart", "cluster_configure_with_restart", .standing = CONFIGURE | STOP | START},
	{"add-services", "add_services", .adds_services = true},
	{"remove-services", "remove_services", .drops_services = true},
	{"expand", "cluster_expand", .adds_nodes = true},
	{"shrink", "cluster_shrink", .drops_nodes = true},
};

static const struct cluster_action difference = {NULL, "cluster_change", true, true, true, true, 0, false};

struct scoping {
	struct scope *scope;
	const struct layout *layout;
	const struct dependencies *dependencies;
	const struct wish *wish;
	const struct cluster_action *action;
	struct selection selection;
	unsigned *has; /* of each definition: the actions it has */
	bool graceful;
};

const char *const *
scope_action_names(void)
{
	static const char *names[sizeof actions / sizeof *actions + 1];

	for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
		names[i] = actions[i].name;
	return names;
}

static const struct cluster_action *
find_action(const char *name)
{
	for (size_t i = 0; name && i < sizeof actions / sizeof *actions; i++)
		if (strcmp(actions[i].name, name) == 0)
			return &actions[i];
	return &difference;
}

bool
scope_is_whole_nodes(const char *action)
{
	const struct cluster_action *found = find_action(action);

	return found->deletes || (found->drops_nodes && !found->adds_nodes);
}

static void
find_actions(struct scoping *scoping)
{
	const struct cluster *cluster = &scoping->layout->cluster;

	for (size_t i = 0; i < cluster->definition_count; i++) {
		scoping->has[i] = ACTION_BIT(ACTION_BOOTSTRAP);
		for (int action = 0; action < ACTION_COUNT; action++)
			if (cluster->definitions[i].actions[action].present)
				scoping->has[i] |= ACTION_BIT(action);
	}
}

/* Adds the actions on one service of a node, as far as the service has them and is meant. */
static int
place(struct scoping *scoping, size_t node, const char *name, unsigned set, struct error *err)
{
	static const unsigned allowed[] = {
		[PART_NONE] = 0, [PART_CHOSEN] = ~0u, [PART_DRAWN_IN] = STOP | START, [PART_ASSURED] = START};
	struct scope *scope = scoping->scope;
	int service = names_find(&scoping->dependencies->services, name);

	if (service == NAMES_NONE)
		return error_set(err, EX_DATAERR, "node %s: service %s: the cluster record has no definition of it",
		    scoping->layout->nodes[node].id, name);
	set &= allowed[scoping->selection.services[service]] & scoping->has[service];
	if (!set)
		return 0;
	ARRAY_ROOM(scope->placements, scope->count, scope->capacity);
	scope->placements[scope->count++] = (struct placement){.node = (uint32_t)node, .service = (uint32_t)service,
		.actions = set, .assured = scoping->selection.services[service] == PART_ASSURED};
	scope->actions |= set;
	return 0;
}

static int
place_all(struct scoping *scoping, size_t node, struct string_list services, unsigned set, struct error *err)
{
	for (size_t i = 0; set && i < services.count; i++)
		if (place(scoping, node, services.list[i], set, err) < 0)
			return -1;
	return 0;
}

/* A node that stays: a walk over both sorted lists. */
static int
place_changes(struct scoping *scoping, size_t index, struct error *err)
{
	const struct node *node = &scoping->layout->nodes[index];
	unsigned added = scoping->action->adds_services ? SET_UP : 0;
	unsigned dropped = scoping->action->drops_services ? TAKE_DOWN : 0;
	size_t i = 0, j = 0;

	while (i < node->services.count || j < node->was.count) {
		int order = i == node->services.count ? 1 : j == node->was.count ? -1 :
		    strcmp(node->services.list[i], node->was.list[j]);
		const char *name = order <= 0 ? node->services.list[i] : node->was.list[j];
		unsigned set = order == 0 ? 0 : order < 0 ? added : dropped;

		if (set && place(scoping, index, name, set, err) < 0)
			return -1;
		i += order <= 0;
		j += order >= 0;
	}
	return 0;
}

/* Whether a node that is made has anything on it that is meant. */
static bool
has_chosen(const struct scoping *scoping, const struct node *node)
{
	if (scoping->wish->services.count == 0)
		return true;
	for (size_t i = 0; i < node->services.count; i++) {
		int service = names_find(&scoping->dependencies->services, node->services.list[i]);

		if (service != NAMES_NONE && scoping->selection.services[service] == PART_CHOSEN)
			return true;
	}
	return false;
}

static int
drop_node(struct scoping *scoping, size_t index, struct string_list services, struct error *err)
{
	scoping->scope->node_actions[index] = UNMAKE;
	return place_all(scoping, index, services, scoping->graceful ? TAKE_DOWN : 0, err);
}

static int
scope_node(struct scoping *scoping, size_t index, struct error *err)
{
	const struct node *node = &scoping->layout->nodes[index];
	const struct cluster_action *action = scoping->action;

	if (!scoping->selection.nodes[index])
		return 0;
	if (action->deletes)
		return drop_node(scoping, index, node->leaves ? node->was : node->services, err);
	if (action->standing)
		return node->leaves ? 0 : place_all(scoping, index, node->services, action->standing, err);
	if (node->leaves) {
		if (!action->drops_nodes || node->is_new || scoping->wish->services.count)
			return 0;
		return drop_node(scoping, index, node->was, err);
	}
	if (!node->is_new)
		return place_changes(scoping, index, err);
	if (!action->adds_nodes || !has_chosen(scoping, node))
		return 0;
	scoping->scope->node_actions[index] = MAKE;
	return place_all(scoping, index, node->services, SET_UP, err);
}

/* What the scope does to how many nodes, and whether it adds or drops services of nodes that stay. */
struct tally {
	size_t made, deleted;
	bool adds, drops;
};

static struct tally
tally_scope(const struct scoping *scoping)
{
	const struct scope *scope = scoping->scope;
	struct tally tally = {0};

	for (size_t i = 0; i < scoping->layout->node_count; i++) {
		tally.made += scope->node_actions[i] == MAKE;
		tally.deleted += scope->node_actions[i] == UNMAKE;
	}
	for (size_t i = 0; i < scope->count; i++) {
		bool takes_down = scope->placements[i].actions & TAKE_DOWN;

		if (!scope->node_actions[scope->placements[i].node])
			*(takes_down ? &tally.drops : &tally.adds) = true;
	}
	return tally;
}

/* The name of a difference is that of the action it amounts to, where there is one. */
static const char *
name_job(const struct scoping *scoping)
{
	size_t nodes = scoping->layout->node_count;
	struct tally tally = tally_scope(scoping);

	/* Who deletes some of the nodes has a smaller cluster, not none. */
	if (scoping->action->deletes)
		return find_action(tally.deleted == nodes ? "delete" : "shrink")->job;
	if (scoping->action != &difference || (tally.made > 0) + (tally.deleted > 0) + tally.adds + tally.drops != 1)
		return scoping->action->job;
	if (tally.made)
		return find_action(tally.made == nodes ? "create" : "expand")->job;
	if (tally.deleted)
		return find_action(tally.deleted == nodes ? "delete" : "shrink")->job;
	return find_action(tally.adds ? "add-services" : "remove-services")->job;
}

/* A whole cluster is just deleted; a node that leaves a living one takes leave of its services first. */
static bool
is_graceful(const struct scoping *scoping)
{
	const struct layout *layout = scoping->layout;

	for (size_t i = 0; i < layout->node_count; i++)
		if (!scoping->selection.nodes[i] || (!scoping->action->deletes && !layout->nodes[i].leaves))
			return true;
	return scoping->wish->graceful;
}

static int
fill(struct scoping *scoping, struct error *err)
{
	unsigned standing = scoping->action->standing;

	find_actions(scoping);
	if (selection_init(&scoping->selection, scoping->layout, scoping->dependencies, scoping->wish, standing & STOP,
	    standing & START, err) < 0)
		return -1;
	scoping->graceful = is_graceful(scoping);
	for (size_t i = 0; i < scoping->layout->node_count; i++)
		if (scope_node(scoping, i, err) < 0)
			return -1;
	scoping->scope->job_action = name_job(scoping);
	return 0;
}

int
scope_init(struct scope *scope, const struct layout *layout, const struct dependencies *dependencies,
    const struct wish *wish, struct error *err)
{
	struct scoping scoping = {
		.scope = scope,
		.layout = layout,
		.dependencies = dependencies,
		.wish = wish,
		.action = find_action(wish->action),
		.has = memory_zeroed(layout->cluster.definition_count, sizeof *scoping.has),
	};
	int result;

	*scope = (struct scope){.node_actions = memory_zeroed(layout->node_count, sizeof *scope->node_actions)};
	result = fill(&scoping, err);
	selection_release(&scoping.selection);
	free(scoping.has);
	return result;
}

void
scope_release(struct scope *scope)
{
	free(scope->node_actions);
	free(scope->placements);
	*scope = (struct scope){0};
}
