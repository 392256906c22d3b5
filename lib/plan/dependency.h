/* SPDX-License-Identifier: Apache-2.0
 *
 * The needs of a cluster's services, at install time and at run time. "requires" and "uses" order
 * alike; a name stands for the service of that name and for all that provide it; names of services that are not on
 * the cluster are ignored. A need that is local only concerns the instance on the same node. Services are numbered as
 * the cluster's definitions are.
 */
#ifndef PLAN_DEPENDENCY_H
#define PLAN_DEPENDENCY_H

#include "base/graph.h"
#include "base/names.h"

struct error;
struct layout;

enum dependency {
	DEPENDENCY_INSTALL,
	DEPENDENCY_RUNTIME,
	DEPENDENCY_EITHER, /* the two together; local where both are */
	DEPENDENCY_COUNT
};

struct relation { /* between services, in one direction */
	struct neighbours all;
	struct neighbours far, near; /* of these: those that are not local, those that are */
	uint32_t *places;            /* of each service in some order along all; all 0 if there is none */
};

struct dependencies {
	struct names services;                       /* number of a name */
	struct relation needs[DEPENDENCY_COUNT];     /* of a service: those it needs */
	struct relation needed_by[DEPENDENCY_COUNT]; /* of a service: those that need it */
	bool any_near;                               /* some need is local */
};

/* Borrows the names in the layout. */
void dependencies_init(struct dependencies *dependencies, const struct layout *layout);
void dependencies_release(struct dependencies *dependencies);

/* Returns 0 if there is an order at all, or -1 (EX_NO) with a cycle in err: "a -> b -> a". */
int dependencies_acyclic(const struct dependencies *dependencies, enum dependency dependency, struct error *err);

#endif
