/* SPDX-License-Identifier: Apache-2.0
 *
 * On how many nodes a service may be down, or replaced, at a time.
 */
#ifndef CHECK_PLAN_LIMIT_H
#define CHECK_PLAN_LIMIT_H

struct judge;

/* Reports each service that is down on too many nodes in some order in which the plan can be carried out. */
void limit_check(struct judge *judge);

/* Requires that each node that is made is up before the one whose place it takes leaves, if nodes are replaced so. */
void limit_check_pairs(struct judge *judge);

#endif
