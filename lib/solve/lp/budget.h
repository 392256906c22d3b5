/* SPDX-License-Identifier: Apache-2.0
 *
 * Limits of a search, which is counted in nodes: each relaxation is one, and so is every so many steps within one. So a
 * limit on nodes ends a search at the same place every time, on any machine.
 */
#ifndef SOLVE_LP_BUDGET_H
#define SOLVE_LP_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

enum { SOLVE_NODES = 100000 }; /* of a search, if no limit is given */

#define SOLVE_STEPS UINT64_C(25000000000) /* of its work, the same: about half a minute at most */

enum search_status {
	SEARCH_NONE,  /* there is no solution (where one was given: no better one) */
	SEARCH_FOUND,
	SEARCH_OPEN,  /* the limit was reached */
};

struct budget { /* zero-initialised: no limit */
	unsigned long nodes, nodes_max; /* spent; at most (0: any number) */
	int64_t deadline_ms;            /* of the monotonic clock; 0: none */
	unsigned long work;             /* steps that are no node yet */
	uint64_t steps, steps_max;      /* spent in all, each about a nanosecond; at most (0: any number) */
	bool spent, late;               /* a limit was reached; it was the deadline */
};

/* Counts a node, or steps of work. Returns false if the budget is spent. */
bool budget_node(struct budget *budget);
bool budget_work(struct budget *budget, unsigned long steps);

/* Counts steps that prepare a search: they are work, and are no part of a node. */
bool budget_prepare(struct budget *budget, unsigned long steps);

/* Return a part of what is left, at most nodes; take what was spent of a part. */
struct budget budget_part(const struct budget *budget, unsigned long nodes);
void budget_take(struct budget *budget, const struct budget *part);

#endif
