/* SPDX-License-Identifier: Apache-2.0
 *
 * The actions on a cluster, as a user names them, and what each comes to: which part of the difference between what was
 * and what shall be it carries out, or what it does to whatever stands.
 */
#ifndef PLAN_CLUSTER_ACTION_H
#define PLAN_CLUSTER_ACTION_H

#include <stdbool.h>

#include "model/action.h"

/* A set of actions: bits 1 << ACTION_INSTALL and so on. */
#define ACTION_BIT(action) (1u << (action))

enum { /* what is done to a node, or to a service on it */
	MAKE = ACTION_BIT(ACTION_CREATE) | ACTION_BIT(ACTION_CONFIRM),
	UNMAKE = ACTION_BIT(ACTION_DELETE),
	SET_UP = ACTION_BIT(ACTION_BOOTSTRAP) | ACTION_BIT(ACTION_INSTALL) | ACTION_BIT(ACTION_CONFIGURE) |
	    ACTION_BIT(ACTION_INITIALIZE) | ACTION_BIT(ACTION_START),
	TAKE_DOWN = ACTION_BIT(ACTION_STOP) | ACTION_BIT(ACTION_REMOVE),
	START = ACTION_BIT(ACTION_START),
	STOP = ACTION_BIT(ACTION_STOP),
	RESTART = STOP | START,
	CONFIGURE = ACTION_BIT(ACTION_BOOTSTRAP) | ACTION_BIT(ACTION_CONFIGURE),
	RECONFIGURE = CONFIGURE | RESTART,
	UPGRADE = RECONFIGURE | ACTION_BIT(ACTION_INSTALL), /* what has been initialized stays so */
};

struct cluster_action {
	const char *name, *job; /* "restart", "restart_services" */
	bool adds_nodes, drops_nodes, adds_services, drops_services;
	bool changes;      /* what stands, as far as it differs from what was */
	unsigned standing; /* for each service */
	bool deletes;      /* each node */
};

/* The actions a wish may name, NULL-terminated. */
const char *const *cluster_action_names(void);

/* The action of that name; what NULL means is the whole difference. */
const struct cluster_action *cluster_action_find(const char *name);

/* Whether it is about whole nodes, so that a wish cannot pick services. */
bool cluster_action_is_whole_nodes(const struct cluster_action *action);

/* Whether it makes new nodes in place of others, and nothing else. */
bool cluster_action_replaces(const struct cluster_action *action);

/* Whether it can be done to a few nodes at a time: it replaces them, or takes down services that come up again. */
bool cluster_action_can_roll(const struct cluster_action *action);

#endif
