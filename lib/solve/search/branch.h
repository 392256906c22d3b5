/* SPDX-License-Identifier: Apache-2.0
 *
 * From fractions to whole numbers: branch and price. If the relaxation uses fractions of machines, there is a
 * region of patterns with a fractional number of machines in it; either there are fewer there, or more. Where it has instances of more
 * than one service of a choice, each of them is tried.
 */
#ifndef SOLVE_SEARCH_BRANCH_H
#define SOLVE_SEARCH_BRANCH_H

#include <stdbool.h>
#include <stdint.h>

#include "solve/lp/budget.h"

struct master;
struct uses;

/* Looks for any solution of the master's rows; found gets it (without what is fixed). */
enum search_status branch_find(struct master *master, struct uses *found);

/* Does the same for a whole program: if its linear program is too large, by placing one service after the other. */
enum search_status branch_any(struct master *master, struct uses *found);

/* Looks for the solution with the least sign * activity of row, better than the one that found may hold.
 * SEARCH_OPEN may come with a better one too. */
enum search_status branch_best(struct master *master, int row, int sign, struct uses *found);

/* Returns the least activity of a row that the relaxation allows, in whole numbers and proved. Takes little time, also
 * where the budget is spent. Returns false if none is known. */
bool branch_bound(struct master *master, int row, int64_t *bound);

#endif
