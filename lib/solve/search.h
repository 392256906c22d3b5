/* SPDX-License-Identifier: Apache-2.0
 *
 * The best solution of a program, objective after objective.
 */
#ifndef SOLVE_SEARCH_H
#define SOLVE_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"
#include "solve/branch.h"
#include "solve/master.h"

struct bound { /* of an objective: no solution has less, of those that are as good in the objectives before it */
	int64_t least;
	bool known;
};

struct outcome { /* release it; patterns live in its arena */
	enum verdict verdict; /* FOUND: uses is the best; OPEN: it is one (if there are uses); NONE: there is none */
	bool proved;          /* whether the verdict was proved in whole numbers */
	struct uses uses;
	struct bound bound[OBJECTIVE_COUNT];
	struct arena arena;
};

/* Finds the best solution. */
void search_best(const struct program *program, struct budget *budget, struct outcome *outcome);

void outcome_release(struct outcome *outcome);

#endif
