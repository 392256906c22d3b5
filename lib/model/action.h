/* SPDX-License-Identifier: Apache-2.0
 *
 * What can be done: to a node (a task's action) and to a cluster (a plan's action).
 */
#ifndef MODEL_ACTION_H
#define MODEL_ACTION_H

#include <stdbool.h>

enum action {
	ACTION_CREATE, /* the provider's: */
	ACTION_CONFIRM,
	ACTION_BOOTSTRAP, /* the automators': */
	ACTION_INSTALL,   /* ... of one service: */
	ACTION_CONFIGURE,
	ACTION_INITIALIZE,
	ACTION_START,
	ACTION_STOP,
	ACTION_REMOVE,
	ACTION_DELETE, /* the provider's */
	ACTION_STATUS, /* the automators', no task of any plan: whether a service runs, or the node can be worked on */
	ACTION_COUNT,
	ACTION_NONE = -1,
};

enum {
	ACTION_TIMEOUT_S = 1800, /* where nothing else is said, */
	ACTION_RETRIES = 2,      /* three attempts in all */
	ACTION_TIMEOUT_MAX_S = 30 * 86400,
	ACTION_RETRIES_MAX = 100,
};

/* "install"; and back: ACTION_NONE where there is none of that name. */
const char *action_name(enum action action);
enum action action_of_name(const char *name);

/* Whether it is done to a node as a whole (create, confirm, bootstrap, delete), not to a service. */
bool action_is_hardware(enum action action);

/* How long it takes where nothing is known, in seconds. */
double action_expect_s(enum action action);

#endif
