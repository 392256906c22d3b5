/* SPDX-License-Identifier: Apache-2.0 */
#include "model/action.h"

#include <stddef.h>
#include <string.h>

/* A machine that does not come up is thrown away and made anew. */
static const char *undo_confirm[] = {"delete", "create"};

const struct action_row action_table[ACTION_COUNT] = {
	[ACTION_CREATE] = {"create", "created", OWNER_PROVIDER, .expect_s = 30},
	[ACTION_CONFIRM] = {"confirm", "confirmed", OWNER_PROVIDER, .expect_s = 30, .undo = {undo_confirm, 2}},
	[ACTION_BOOTSTRAP] = {"bootstrap", "bootstrapped", OWNER_AUTOMATOR, .expect_s = 10},
	/* On one node, what a service was is taken down before what it will be is set up. */
	[ACTION_DRAIN] = {"drain", "drained", OWNER_SERVICE, .stage = 1, .expect_s = 5},
	[ACTION_STOP] = {"stop", "stopped", OWNER_SERVICE, .stage = 2, .expect_s = 5,
		.redo = ACTIONS_RESTART | ACTION_BIT(ACTION_BOOTSTRAP)},
	[ACTION_REMOVE] = {"remove", "removed", OWNER_SERVICE, .stage = 3, .expect_s = 20},
	[ACTION_INSTALL] = {"install", "installed", OWNER_SERVICE, .stage = 4, .expect_s = 60, .redo = ACTIONS_UPGRADE},
	[ACTION_CONFIGURE] = {"configure", "configured", OWNER_SERVICE, .stage = 5, .expect_s = 5, .reads_config = true,
		.redo = ACTIONS_RECONFIGURE},
	[ACTION_INITIALIZE] = {"initialize", "initialized", OWNER_SERVICE, .stage = 6, .expect_s = 10, .reads_config = true},
	[ACTION_START] = {"start", "started", OWNER_SERVICE, .stage = 7, .expect_s = 5, .reads_config = true,
		.redo = ACTIONS_RESTART | ACTION_BIT(ACTION_BOOTSTRAP)},
	/* Instead of stop and start, where the service has it: it takes over what was configured, or is started anew, without a pause. */
	[ACTION_RELOAD] = {"reload", "reloaded", OWNER_SERVICE, .stage = 8, .expect_s = 2, .reads_config = true},
	[ACTION_RESTART] = {"restart", "restarted", OWNER_SERVICE, .stage = 9, .expect_s = 5, .reads_config = true},
	[ACTION_DELETE] = {"delete", "deleted", OWNER_PROVIDER, .expect_s = 10},
	/* It asks whether a service runs, or a node can be worked on. Plans have it as a check: until the service is healthy. */
	[ACTION_STATUS] = {"status", "asked", OWNER_SERVICE, .expect_s = 1},
	[ACTION_CHECK] = {"check", "checked", OWNER_SERVICE, .stage = 12, .expect_s = 1, .is_check = true},
	[ACTION_BACKUP] = {"backup", "backed up", OWNER_SERVICE, .stage = 10, .expect_s = 60},
	[ACTION_RESTORE] = {"restore", "restored", OWNER_SERVICE, .stage = 11, .expect_s = 60},
	[ACTION_ATTACH] = {"attach", "attached", OWNER_PROVIDER, .expect_s = 10},
	[ACTION_MOUNT] = {"mount", "mounted", OWNER_AUTOMATOR, .expect_s = 2},
	/* Of no plan: whether a machine will never write to its volumes again, and what is done to volumes that no machine has. */
	[ACTION_FENCE] = {"fence", "asked", OWNER_PROVIDER, .expect_s = 1},
	[ACTION_SNAPSHOT] = {"snapshot", "copied", OWNER_PROVIDER, .expect_s = 60},
	[ACTION_DISCARD] = {"discard", "discarded", OWNER_PROVIDER, .expect_s = 10},
};

const char *
action_name(enum action action)
{
	return action_table[action].name;
}

enum action
action_of_name(const char *name)
{
	for (int i = 0; i < ACTION_COUNT; i++)
		if (strcmp(action_table[i].name, name) == 0)
			return (enum action)i;
	return ACTION_NONE;
}

int
action_find(const char *name)
{
	return (int)action_of_name(name);
}

const char *
action_word(int action)
{
	return action_name((enum action)action);
}

const enum action *
action_chain(void)
{
	static enum action chain[ACTION_COUNT + 1];
	size_t count = 0;

	for (int stage = 1; stage < ACTION_COUNT; stage++)
		for (int i = 0; i < ACTION_COUNT; i++)
			if (action_table[i].stage == stage)
				chain[count++] = (enum action)i;
	chain[count] = ACTION_NONE;
	return chain;
}

enum action
action_asked(enum action action)
{
	return action_table[action].is_check ? ACTION_STATUS : action;
}

const char *const *
action_service_names(void)
{
	static const char *names[ACTION_COUNT + 1];
	size_t count = 0;

	for (int i = 0; i < ACTION_COUNT; i++)
		if (action_table[i].owner == OWNER_SERVICE && !action_table[i].is_check)
			names[count++] = action_table[i].name;
	return names;
}

bool
action_is_hardware(enum action action)
{
	return action_table[action].owner != OWNER_SERVICE;
}

bool
action_moves_archive(enum action action)
{
	return action == ACTION_BACKUP || action == ACTION_RESTORE;
}

bool
action_is_providers(enum action action)
{
	return action != ACTION_NONE && action_table[action].owner == OWNER_PROVIDER;
}

unsigned
action_in_place(unsigned should, unsigned has)
{
	const unsigned reload = ACTION_BIT(ACTION_RELOAD), restart = ACTION_BIT(ACTION_RESTART);
	const unsigned stop_start = ACTION_BIT(ACTION_STOP) | ACTION_BIT(ACTION_START);

	/* What is not restored is not checked either. */
	if (should & ACTION_BIT(ACTION_RESTORE) && !(has & ACTION_BIT(ACTION_RESTORE)))
		return 0;
	if (should & reload && !(has & reload))
		should |= stop_start;
	if ((should & stop_start) == stop_start) {
		should &= ~reload;
		if (has & restart)
			should = (should & ~stop_start) | restart;
	}
	if (should & ACTION_BIT(ACTION_STOP))
		should |= ACTION_BIT(ACTION_DRAIN);
	return should & has;
}

double
action_expect_s(enum action action)
{
	return action_table[action].expect_s;
}

/* --- of clusters --- */

static const struct cluster_action cluster_actions[] = {
	{"create", "cluster_create", .adds_nodes = true},
	{"delete", "cluster_delete", .deletes = true},
	{"start", "start_services", .standing = ACTIONS_START},
	{"stop", "stop_services", .standing = ACTIONS_STOP},
	{"restart", "restart_services", .standing = ACTIONS_RESTART},
	{"backup", "backup_services", .standing = ACTIONS_BACKUP},
	{"restore", "restore_services", .standing = ACTIONS_RESTORE},
	{"configure", "cluster_configure", .standing = ACTIONS_CONFIGURE},
	{"configure-with-restart", "cluster_configure_with_restart", .standing = ACTIONS_CONFIGURE | ACTIONS_RESTART},
	{"add-services", "add_services", .adds_services = true},
	{"remove-services", "remove_services", .drops_services = true},
	{"expand", "cluster_expand", .adds_nodes = true},
	{"shrink", "cluster_shrink", .drops_nodes = true},
	{"replace", "cluster_replace", .adds_nodes = true, .drops_nodes = true},
	{"upgrade", "cluster_upgrade", .standing = ACTIONS_UPGRADE},
};

static const struct cluster_action difference = {NULL, "cluster_change", .adds_nodes = true, .drops_nodes = true,
	.adds_services = true, .drops_services = true, .changes = true};

enum { CLUSTER_ACTIONS = sizeof cluster_actions / sizeof *cluster_actions };

const char *const *
cluster_action_names(void)
{
	static const char *names[CLUSTER_ACTIONS + 1];

	for (size_t i = 0; i < CLUSTER_ACTIONS; i++)
		names[i] = cluster_actions[i].name;
	return names;
}

const struct cluster_action *
cluster_action_find(const char *name)
{
	for (size_t i = 0; name && i < CLUSTER_ACTIONS; i++)
		if (strcmp(cluster_actions[i].name, name) == 0)
			return &cluster_actions[i];
	return &difference;
}

const struct cluster_action *
cluster_action_of_job(const char *job)
{
	for (size_t i = 0; i < CLUSTER_ACTIONS; i++)
		if (strcmp(cluster_actions[i].job, job) == 0)
			return &cluster_actions[i];
	return &difference;
}

bool
cluster_action_is_whole_nodes(const struct cluster_action *action)
{
	return action->deletes || (action->drops_nodes && !action->drops_services);
}

bool
cluster_action_removes_nodes(const struct cluster_action *action)
{
	return action->deletes || action->drops_nodes;
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
