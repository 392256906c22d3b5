/* SPDX-License-Identifier: Apache-2.0
 *
 * The fence: a service that had data on a dead node is told nothing on others before that node is deleted.
 */
#ifndef CHECK_PLAN_FENCE_H
#define CHECK_PLAN_FENCE_H

struct judge;

/* Requires this of the judge's plan. */
void fence_check(struct judge *judge);

#endif
