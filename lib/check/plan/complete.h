/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the tasks that a plan should have and has not: from what was asked for, as the job record says, and from the layout
 * before and after. Which tasks it must not have, and their order, others judge.
 */
#ifndef CHECK_PLAN_COMPLETE_H
#define CHECK_PLAN_COMPLETE_H

struct judge;

/* Reports each missing task; none if the job record does not say what was asked for. */
void complete_check(struct judge *judge);

#endif
