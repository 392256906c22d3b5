/* SPDX-License-Identifier: Apache-2.0 */
#include "model/action.h"

#include <string.h>

static const struct {
	const char *name;
	bool is_hardware;
	double expect_s;
} actions[ACTION_COUNT] = {
	[ACTION_CREATE] = {"create", true, 30},
	[ACTION_CONFIRM] = {"confirm", true, 30},
	[ACTION_BOOTSTRAP] = {"bootstrap", true, 10},
	[ACTION_INSTALL] = {"install", false, 60},
	[ACTION_CONFIGURE] = {"configure", false, 5},
	[ACTION_INITIALIZE] = {"initialize", false, 10},
	[ACTION_START] = {"start", false, 5},
	[ACTION_STOP] = {"stop", false, 5},
	[ACTION_REMOVE] = {"remove", false, 20},
	[ACTION_DELETE] = {"delete", true, 10},
	[ACTION_STATUS] = {"status", false, 1},
};

const char *
action_name(enum action action)
{
	return actions[action].name;
}

enum action
action_of_name(const char *name)
{
	for (int i = 0; i < ACTION_COUNT; i++)
		if (strcmp(actions[i].name, name) == 0)
			return (enum action)i;
	return ACTION_NONE;
}

bool
action_is_hardware(enum action action)
{
	return actions[action].is_hardware;
}

double
action_expect_s(enum action action)
{
	return actions[action].expect_s;
}
