/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds out what is possible, whatever the objectives.
 */
#ifndef SOLVE_SEARCH_EXTREME_H
#define SOLVE_SEARCH_EXTREME_H

#include <stdint.h>

#include "solve/lp/budget.h"
#include "solve/program/program.h"

/* Returns whether there is a solution at all. */
enum search_status extreme_any(const struct program *program, struct budget *budget);

/* Returns the least (sign 1) or most (-1) instances of a unit in any solution, or machines (unit ANY); -1 if that is
 * not known. */
int64_t extreme_of(const struct program *program, int unit, int sign, struct budget *budget);

#endif
