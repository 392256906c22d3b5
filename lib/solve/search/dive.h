/* SPDX-License-Identifier: Apache-2.0
 *
 * Guesses a solution by rounding the relaxation step by step. It proves nothing.
 */
#ifndef SOLVE_SEARCH_DIVE_H
#define SOLVE_SEARCH_DIVE_H

#include "solve/lp/budget.h"

struct counts;
struct master;
struct uses;

/* Looks for a solution of the master's rows, with little sign * row objective (SIMPLEX_NONE: any). SEARCH_FOUND: uses has
 * got one; SEARCH_OPEN: one but for its zones. The master is as it was before. */
enum search_status dive(struct master *master, struct counts *counts, int objective, int sign, struct uses *uses);

#endif
