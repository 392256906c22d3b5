/* SPDX-License-Identifier: Apache-2.0
 *
 * Reduced-cost fixing: groups of present machines that have one pattern in every solution are taken out of the linear
 * program, so that only the groups that matter count.
 */
#ifndef SOLVE_LP_REDUCED_COST_FIXING_H
#define SOLVE_LP_REDUCED_COST_FIXING_H

#include "base/memory.h"
#include "solve/lp/master.h"

struct reduced_program { /* zero-initialise; the program of the master afterwards, and what it borrows */
	struct program program;
	struct arena arena;
};

/* Fixes the groups whose machines can have but one pattern by the rules for a single machine. */
void reduced_cost_fix_by_rules(struct program *program);

/* Fixes the groups whose machines have one pattern in every solution by the prices that prove the least activity of a
 * row, and takes them out of the master and of found. found has that least activity, and the row's bounds say so. */
void reduced_cost_fix(struct master *master, int row, struct uses *found, struct reduced_program *reduced);

void reduced_program_release(struct reduced_program *reduced);

#endif
