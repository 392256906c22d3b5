/* SPDX-License-Identifier: Apache-2.0
 *
 * What a plan has to do: which actions to which node, and to which service on it. This is where the actions of a
 * cluster (create, restart, ...) are turned into those of its nodes and services; in which order they go is
 * no matter here.
 */
#ifndef PLAN_SCOPE_H
#define PLAN_SCOPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dependencies;
struct error;
struct layout;
struct wish;

/* A set of actions: bits 1 << ACTION_INSTALL and so on. */
#define ACTION_BIT(action) (1u << (action))

struct placement { /* a service on a node */
	uint32_t node, service;
	unsigned actions; /* those that the service has; ACTION_BOOTSTRAP where its automators have to be there */
	bool assured;     /* not asked for: started, which changes nothing where it runs, for the sake of another */
};

struct scope {
	const char *job_action; /* "restart_services" */
	unsigned *node_actions; /* of each node: create, confirm, delete */
	struct placement *placements; /* by node, then by service */
	size_t count, capacity;
	unsigned actions; /* all that occur in placements */
};

/* The actions a wish may name, NULL-terminated. */
const char *const *scope_action_names(void);

/* Whether an action is about whole nodes, so that a wish cannot pick services. */
bool scope_is_whole_nodes(const char *action);

/* 0, or -1: EX_NO for a node or a service that is not there, EX_DATAERR for a service without definition. */
int scope_init(struct scope *scope, const struct layout *layout, const struct dependencies *dependencies,
    const struct wish *wish, struct error *err);
void scope_release(struct scope *scope);

#endif
