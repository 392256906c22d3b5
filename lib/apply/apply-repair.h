/* SPDX-License-Identifier: Apache-2.0
 *
 * Resumes or undoes an operation that was begun on a cluster before, by whomever, and has not completed: it is resumed if the
 * cluster would then be as its file says, else it is rolled back.
 */
#ifndef APPLY_APPLY_REPAIR_H
#define APPLY_APPLY_REPAIR_H

struct error;
struct turn;

/* Does so with the last operation of the turn's cluster, which is pending, or whose last operation failed. Returns as a step
 * does. */
int turn_repair(struct turn *turn, struct error *err);

#endif
