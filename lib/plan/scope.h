/* SPDX-License-Identifier: Apache-2.0
 *
 * The scope of a plan: the actions on each node, and on each service of it. Here the actions on a cluster (create,
 * restart, ...) become those on its nodes and services; their order does not matter here.
 */
#ifndef PLAN_SCOPE_H
#define PLAN_SCOPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dependencies;
struct error;
struct layout;
struct plan_parameters;

enum placement_kind {
	PLACEMENT_SET_UP,
	PLACEMENT_TAKE_DOWN, /* for good */
	PLACEMENT_IN_PLACE,  /* it stands, and something is done to it */
};

struct placement { /* a service on a node */
	uint32_t node, service;
	enum placement_kind kind;
	unsigned actions; /* those that the service has; ACTION_BOOTSTRAP where its automators have to be there */
	bool assured;     /* not asked for: started, which changes nothing where it runs, for the sake of another */
};

struct scope {
	const char *job_action; /* "restart_services" */
	bool rolling;           /* what is done in place is done to each node by itself, a service behind those it needs */
	const char *max_unavailable; /* of each service, see model/unavailable.h; NULL: any number */
	bool starts_or_stops;   /* it starts services that stand, or stops them, and does nothing else */
	bool standing;          /* it is about what stands as the layout says; what was does not matter */
	bool by_pairs;          /* nodes are replaced one by one: the k-th that is new takes the place of the k-th that leaves */
	unsigned *node_actions; /* of each node: create, confirm, delete */
	bool *chosen;           /* of each node: it is named, or none is */
	bool *dead;             /* of each node: its machine does not answer */
	uint32_t *heirs;        /* of each node that hands its volumes over in its turn: the new one, and of that the old; or none; see handover.h */
	struct placement *placements; /* by node, then by service */
	size_t count, capacity;
	unsigned actions;  /* all that occur in placements */
	unsigned in_place; /* those of them that are done in place */
};

/* Returns 0, or -1: EX_NO for a node or a service that is not there, EX_DATAERR for a service without definition. */
int scope_init(struct scope *scope, const struct layout *layout, const struct dependencies *dependencies,
    const struct plan_parameters *parameters, struct error *err);
void scope_release(struct scope *scope);

#endif
