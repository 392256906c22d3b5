/* SPDX-License-Identifier: Apache-2.0
 *
 * Guesses a solution by rounding the relaxation step by step. It proves nothing.
 */
#ifndef SOLVE_SEARCH_DIVE_H
#define SOLVE_SEARCH_DIVE_H

#include <stdbool.h>

struct counts;
struct master;
struct uses;

/* Looks for a solution of the master's rows, with little sign * row objective (SIMPLEX_NONE: any). Returns true if uses has
 * got one. The master is as it was before. */
bool dive(struct master *master, struct counts *counts, int objective, int sign, struct uses *uses);

#endif
