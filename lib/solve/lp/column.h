/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the column that is worth entering the basis, among those known or by pricing.
 */
#ifndef SOLVE_LP_COLUMN_H
#define SOLVE_LP_COLUMN_H

#include "solve/lp/master.h"

/* Turns the prices of the linear program into whole numbers, and these into what a machine, a unit, ... is worth. */
void column_prices(struct master *master);

/* Sums up the prices of the rows to those of a machine, a type, a unit and so on. */
void column_sum_prices(struct master *master);

/* Returns the best of some columns that are there and worth more than threshold, with its worth, or SIMPLEX_NONE. */
int column_best_known(struct master *master, int64_t threshold, int64_t *worth);

/* Adds a column for each group that has one worth more than threshold. Returns the best of them, or SIMPLEX_NONE.
 * master.best bounds all columns that there are; it is at least harmless. After so many steps on one type a search is given up: then
 * master.cut_short is set, and best bounds nothing. */
int column_generate(struct master *master, size_t steps, int64_t threshold, int64_t harmless);

/* Returns whether any machine that passes the filter is worth more at these prices; also if the budget is spent before that is known. */
bool column_is_worth(struct master *master, int64_t worth);

/* Returns whether any machine could pass the filter, as far as the rules for one machine and what is used up say. */
bool column_may_pass(struct master *master);

#endif
