/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds out whether a layout exists with only some of the demands, or with one more condition.
 */
#ifndef SOLVE_ASSUMPTIONS_H
#define SOLVE_ASSUMPTIONS_H

#include <stdbool.h>

#include "solve/answer.h"

struct budget;
struct condition;
struct demands;
struct error;
struct request;

struct assumptions {
	const struct demands *demands;     /* of the request; those dropped do not count */
	const struct condition *condition; /* one more; NULL: none */
	bool best;                         /* by the objectives before dense; else any layout will do */
	unsigned long nodes_max;           /* of the search; 0: enough for most */
	struct budget *budget;             /* from which that is taken; NULL: from none */
};

/* Looks for such a layout. Returns 1 with the answer; 0 if there is none, and the answer does not say why; -1 as
 * solve. */
int solve_under(const struct request *request, const struct assumptions *assumptions, struct answer *answer,
    struct error *err);

/* Looks for any layout that keeps the demands, with so many nodes of the budget at most. Returns 1 with the layout, which the empty arena owns
 * as far as the request does not; 0 if there is none; -1 as solve. */
int solve_demands(const struct demands *demands, unsigned long nodes, struct budget *budget, struct arena *arena, struct layout *layout,
    struct error *err);

#endif
