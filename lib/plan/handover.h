/* SPDX-License-Identifier: Apache-2.0
 *
 * Nodes whose volumes go to new nodes, a few at a time. All new machines are made at once. Then, pair by pair, the old node is stopped and
 * deleted, and the new one gets its volumes and is set up; of each service no more nodes than the limit allows are between the two. All
 * that the services of such nodes need or look up is changed before, and all that needs or looks up one of them behind the last.
 */
#ifndef PLAN_HANDOVER_H
#define PLAN_HANDOVER_H

struct builder;
struct dependencies;
struct error;
struct layout;
struct scope;

/* Finds, in a plan with a limit, which new node gets the volumes of which old one: the first in the order of nodes that is in its zone and
 * has the same services with volumes. Returns -1 with EX_NO if an old one, whose machine answers, finds none, or if new ones have to find
 * instances of their service, and none that knows them stays: then none hands over so. */
int handover_find(struct scope *scope, const struct layout *layout, const struct dependencies *dependencies, struct error *err);

/* Puts the pairs in order, and all else before or behind them. */
void handover_add(struct builder *builder);

#endif
