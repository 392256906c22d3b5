/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks on how many nodes a service may be down, or replaced, at a time.
 */
#ifndef CHECK_PLAN_LIMIT_H
#define CHECK_PLAN_LIMIT_H

#include <stddef.h>

struct judge;
struct pair;

/* Reports each service that is down on too many nodes in some order in which the plan can be carried out. If nodes are
 * replaced a few at a time, requires that each one that is made is up before the one whose place it takes leaves. */
void limit_check(struct judge *judge);

/* Returns on how many nodes the service may be down at a time, in a plan that limits it. */
size_t limit_allowed(const struct judge *judge, int service);

/* Fills in the nodes of a service that are replaced by turns, and hand over no volumes; returns how many. chains is room for all nodes. */
size_t limit_find_replaced(const struct judge *judge, int service, struct pair *chains);

#endif
