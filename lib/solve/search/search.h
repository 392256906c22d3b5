/* SPDX-License-Identifier: Apache-2.0
 *
 * The best solution of a program, objective after objective.
 */
#ifndef SOLVE_SEARCH_SEARCH_H
#define SOLVE_SEARCH_SEARCH_H

#include "solve/lp/budget.h"
#include "solve/search/outcome.h"

/* Finds the best solution. */
void search_best(const struct program *program, struct budget *budget, struct outcome *outcome);

#endif
