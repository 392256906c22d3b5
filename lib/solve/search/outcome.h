/* SPDX-License-Identifier: Apache-2.0
 *
 * The result of a search.
 */
#ifndef SOLVE_SEARCH_OUTCOME_H
#define SOLVE_SEARCH_OUTCOME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"
#include "solve/lp/budget.h"
#include "solve/lp/master.h"

struct bound { /* of an objective: no solution has less, of those that are as good in the objectives before it */
	int64_t least;
	bool known;
};

struct outcome { /* release it; patterns live in its arena */
	enum search_status status; /* FOUND: uses is the best; OPEN: it is one (if there are uses); NONE: there is none */
	bool proved;          /* the status was proved in whole numbers */
	struct uses uses;
	struct bound bound[OBJECTIVE_COUNT];
	struct arena arena;
};

/* Adds machines; their patterns, which the search takes with it, are copied. */
void outcome_add(struct outcome *outcome, const struct program *program, const struct uses *uses);

/* Returns how many machines there are, without those that leave. */
int64_t outcome_machines(const struct program *program, const struct outcome *outcome);

void outcome_release(struct outcome *outcome);

#endif
