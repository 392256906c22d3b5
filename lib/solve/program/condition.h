/* SPDX-License-Identifier: Apache-2.0
 *
 * One more condition on a program: one machine more, or one less, than a layout
 * has of those that are like one of its nodes, and have these services.
 */
#ifndef SOLVE_PROGRAM_CONDITION_H
#define SOLVE_PROGRAM_CONDITION_H

#include <stdbool.h>

struct condition;
struct program;

/* Makes it a condition of the program. False where it contradicts itself: no machine can be so. */
bool condition_impose(const struct condition *condition, struct program *program);

#endif
