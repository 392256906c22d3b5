/* SPDX-License-Identifier: Apache-2.0
 *
 * Nodes that are replaced a few at a time: the new one is up before the old one leaves, and of each service no more than
 * so many nodes are between the two.
 */
#ifndef PLAN_PAIRS_H
#define PLAN_PAIRS_H

struct builder;

/* Finds the partner of each node that is replaced. */
void pairs_find(struct builder *builder);

/* Puts each node that leaves behind its partner, and each new one behind the pairs of the batch before it. */
void pairs_add(struct builder *builder);

#endif
