/* SPDX-License-Identifier: Apache-2.0
 *
 * The actions on a whole cluster, as one table in cluster-action.c: how a user names each, what the job record calls it, and
 * what it comes to: a part of the difference between what was and what shall be, or actions on whatever stands.
 */
#ifndef MODEL_CLUSTER_ACTION_H
#define MODEL_CLUSTER_ACTION_H

#include <stdbool.h>

#include "model/action.h"

struct cluster_action {
	const char *name, *job; /* "restart", "restart_services"; the name of the whole difference is NULL */
	bool adds_nodes, drops_nodes, adds_services, drops_services;
	bool changes;      /* services that stand, as far as they differ from what was */
	unsigned standing; /* the actions that are done to each service that stands */
	bool deletes;      /* each node */
};

/* Returns the names that a user may give, NULL-terminated; the list is static. */
const char *const *cluster_action_names(void);

/* Returns the action of that name; without a name, or for an unknown one, the whole difference. */
const struct cluster_action *cluster_action_find(const char *name);

/* Returns the action that a job record calls so; the whole difference if there is none. */
const struct cluster_action *cluster_action_of_job(const char *job);

/* Tells whether it is about whole nodes, so that single services cannot be chosen. */
bool cluster_action_is_whole_nodes(const struct cluster_action *action);

/* Tells whether it makes new nodes in place of others, and nothing else. */
bool cluster_action_replaces(const struct cluster_action *action);

/* Tells whether it stops services that stand and starts them again. */
bool cluster_action_restarts(const struct cluster_action *action);

/* Tells whether it can be done to a few nodes at a time: it replaces them, or takes down services that come up again. */
bool cluster_action_can_roll(const struct cluster_action *action);

#endif
