/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks that what stops for a while is taken out before where it is looked up, and put in again after.
 */
#ifndef CHECK_PLAN_ROUND_H
#define CHECK_PLAN_ROUND_H

struct judge;

/* Reports instances that stop in a rolling plan while something that could be reloaded still knows them, and rounds of tasks
 * that are not whole or not in order. */
void round_check(struct judge *judge);

#endif
