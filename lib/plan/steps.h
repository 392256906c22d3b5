/* SPDX-License-Identifier: Apache-2.0
 *
 * The steps that a scope comes to, and what has to be done before what:
 *
 * - on one node: create, confirm, bootstrap; then for each service stop, remove, install, configure, initialize,
 *   start, as far as planned; delete at last;
 * - between services: a service is installed after all instances of what it needs to be installed, initialized and
 *   started after what it needs to run is started, and stopped and removed before it;
 * - what is taken down for good waits for what comes in its place;
 * - in a rolling plan, what is done in place to a service on a node is one piece: behind those of all it needs, and
 *   those of the nodes of the batch before, where there is a limit;
 * - where the configuration asks for addresses, what reads it waits for the nodes that have them.
 *
 * "All instances" is a milestone, so that there are as many edges as tasks, not as many as pairs of them.
 */
#ifndef PLAN_STEPS_H
#define PLAN_STEPS_H

#include "base/graph.h"
#include "model/plan.h"

struct dependencies;
struct expectations;
struct layout;
struct scope;

struct steps { /* the vertices of graph, in no particular order; id, after and rank are not yet set */
	struct step *list;
	uint32_t *nodes; /* of each step: the number of its node, GRAPH_NONE for a milestone */
	size_t capacity;
	struct graph graph;
};

/* Strings go to the arena or stay the layout's. history says how long tasks take, or is NULL. */
void steps_build(struct steps *steps, struct arena *arena, const struct layout *layout,
    const struct dependencies *dependencies, const struct scope *scope, const struct expectations *history);
void steps_release(struct steps *steps);

#endif
