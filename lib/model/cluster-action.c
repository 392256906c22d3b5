/* SPDX-License-Identifier: Apache-2.0 */
#include "model/cluster-action.h"

#include <stddef.h>
#include <string.h>

static const struct cluster_action actions[] = {
	{"create", "cluster_create", .adds_nodes = true},
	{"delete", "cluster_delete", .deletes = true},
	{"start", "start_services", .standing = ACTIONS_START},
	{"stop", "stop_services", .standing = ACTIONS_STOP},
	{"restart", "restart_services", .standing = ACTIONS_RESTART},
	{"configure", "cluster_configure", .standing = ACTIONS_CONFIGURE},
	{"configure-with-restart", "cluster_configure_with_restart", .standing = ACTIONS_RECONFIGURE},
	{"add-services", "add_services", .adds_services = true},
	{"remove-services", "remove_services", .drops_services = true},
	{"expand", "cluster_expand", .adds_nodes = true},
	{"shrink", "cluster_shrink", .drops_nodes = true},
	{"replace", "cluster_replace", .adds_nodes = true, .drops_nodes = true},
	{"upgrade", "cluster_upgrade", .standing = ACTIONS_UPGRADE},
};

static const struct cluster_action difference = {NULL, "cluster_change", .adds_nodes = true, .drops_nodes = true,
	.adds_services = true, .drops_services = true, .changes = true};

enum { ACTIONS = sizeof actions / sizeof *actions };

const char *const *
cluster_action_names(void)
{
	static const char *names[ACTIONS + 1];

	for (size_t i = 0; i < ACTIONS; i++)
		names[i] = actions[i].name;
	return names;
}

const struct cluster_action *
cluster_action_find(const char *name)
{
	for (size_t i = 0; name && i < ACTIONS; i++)
		if (strcmp(actions[i].name, name) == 0)
			return &actions[i];
	return &difference;
}

const struct cluster_action *
cluster_action_of_job(const char *job)
{
	for (size_t i = 0; i < ACTIONS; i++)
		if (strcmp(actions[i].job, job) == 0)
			return &actions[i];
	return &difference;
}

bool
cluster_action_is_whole_nodes(const struct cluster_action *action)
{
	return action->deletes || (action->drops_nodes && !action->drops_services);
}

bool
cluster_action_replaces(const struct cluster_action *action)
{
	return action->adds_nodes && action->drops_nodes && !action->adds_services;
}

bool
cluster_action_restarts(const struct cluster_action *action)
{
	return (action->standing & ACTIONS_RESTART) == ACTIONS_RESTART;
}

bool
cluster_action_can_roll(const struct cluster_action *action)
{
	return action->changes || cluster_action_restarts(action) || cluster_action_replaces(action);
}
