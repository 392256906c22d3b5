/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/cluster-action.h"

#include <stddef.h>
#include <string.h>

static const struct cluster_action actions[] = {
	{"create", "cluster_create", .adds_nodes = true},
	{"delete", "cluster_delete", .deletes = true},
	{"start", "start_services", .standing = START},
	{"stop", "stop_services", .standing = STOP},
	{"restart", "restart_services", .standing = RESTART},
	{"configure", "cluster_configure", .standing = CONFIGURE},
	{"configure-with-restart", "cluster_configure_with_restart", .standing = RECONFIGURE},
	{"add-services", "add_services", .adds_services = true},
	{"remove-services", "remove_services", .drops_services = true},
	{"expand", "cluster_expand", .adds_nodes = true},
	{"shrink", "cluster_shrink", .drops_nodes = true},
	{"replace", "cluster_replace", .adds_nodes = true, .drops_nodes = true},
	{"upgrade", "cluster_upgrade", .standing = UPGRADE},
};

static const struct cluster_action difference = {NULL, "cluster_change", true, true, true, true, true, 0, false};

const char *const *
cluster_action_names(void)
{
	static const char *names[sizeof actions / sizeof *actions + 1];

	for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
		names[i] = actions[i].name;
	return names;
}

const struct cluster_action *
cluster_action_find(const char *name)
{
	for (size_t i = 0; name && i < sizeof actions / sizeof *actions; i++)
		if (strcmp(actions[i].name, name) == 0)
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
cluster_action_can_roll(const struct cluster_action *action)
{
	return action->changes || (action->standing & RESTART) == RESTART || cluster_action_replaces(action);
}
