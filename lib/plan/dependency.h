/* SPDX-License-Identifier: Apache-2.0
 *
 * Which service of a cluster needs which other, at install time and at run time. "requires" and "uses" order
 * alike; a name stands for the service of that name and for all that provide it; names of services that are not on
 * the cluster are ignored. Services are numbered as the cluster's definitions are.
 */
#ifndef PLAN_DEPENDENCY_H
#define PLAN_DEPENDENCY_H

#include "base/names.h"
#include "plan/graph.h"

struct error;
struct layout;

enum dependency { DEPENDENCY_INSTALL, DEPENDENCY_RUNTIME, DEPENDENCY_COUNT };

struct dependencies {
	struct names services;                         /* number of a name */
	struct neighbours needs[DEPENDENCY_COUNT];     /* of a service: those it needs */
	struct neighbours needed_by[DEPENDENCY_COUNT]; /* of a service: those that need it */
};

/* Borrows the names in the layout. */
void dependencies_init(struct dependencies *dependencies, const struct layout *layout);
void dependencies_release(struct dependencies *dependencies);

/* Whether there is an order at all. 0, or -1 (EX_NO) with a cycle in err: "a -> b -> a". */
int dependencies_acyclic(const struct dependencies *dependencies, enum dependency dependency, struct error *err);

/* The services that service has to wait for: the nearest ones in counts, looking through those that are not, and
 * without any that another of them waits for itself. Fills found (room for all services), by number;
 * returns how many. neighbours is one of the graphs above. */
size_t dependencies_nearest(const struct neighbours *neighbours, uint32_t service, const bool *counts, uint32_t *found);

#endif
