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
	[ACTION_STOP] = {"stop", "stopped", OWNER_SERVICE, 1, 5, .redo = ACTIONS_RESTART | ACTION_BIT(ACTION_BOOTSTRAP)},
	[ACTION_REMOVE] = {"remove", "removed", OWNER_SERVICE, 2, 20},
	[ACTION_INSTALL] = {"install", "installed", OWNER_SERVICE, 3, 60, .redo = ACTIONS_UPGRADE},
	[ACTION_CONFIGURE] = {"configure", "configured", OWNER_SERVICE, 4, 5, .reads_config = true, .redo = ACTIONS_RECONFIGURE},
	[ACTION_INITIALIZE] = {"initialize", "initialized", OWNER_SERVICE, 5, 10, .reads_config = true},
	[ACTION_START] = {"start", "started", OWNER_SERVICE, 6, 5, .reads_config = true,
		.redo = ACTIONS_RESTART | ACTION_BIT(ACTION_BOOTSTRAP)},
	[ACTION_DELETE] = {"delete", "deleted", OWNER_PROVIDER, .expect_s = 10},
	/* It asks whether a service runs, or a node can be worked on, and is part of no plan. */
	[ACTION_STATUS] = {"status", "asked", OWNER_SERVICE, .expect_s = 1},
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

const char *const *
action_service_names(void)
{
	static const char *names[ACTION_COUNT + 1];
	size_t count = 0;

	for (int i = 0; i < ACTION_COUNT; i++)
		if (action_table[i].owner == OWNER_SERVICE)
			names[count++] = action_table[i].name;
	return names;
}

bool
action_is_hardware(enum action action)
{
	return action_table[action].owner != OWNER_SERVICE;
}

bool
action_is_providers(enum action action)
{
	return action != ACTION_NONE && action_table[action].owner == OWNER_PROVIDER;
}

double
action_expect_s(enum action action)
{
	return action_table[action].expect_s;
}
