/* SPDX-License-Identifier: Apache-2.0
 *
 * Zones in the search. The program knows none: machines that differ in nothing but their zone are one pattern. Only when a
 * solution is found is it asked whether its machines can be given zones. If not, this names conditions of which every
 * solution keeps one, and of which this solution keeps none; the search goes on below each of them.
 */
#ifndef SOLVE_SEARCH_SPREAD_H
#define SOLVE_SEARCH_SPREAD_H

#include <stddef.h>
#include <stdint.h>

#include "solve/lp/master.h"
#include "solve/search/zone.h"

struct cut { /* lo <= machines in a region <= hi, not counting fixed ones */
	struct region *region; /* in the master's arena */
	int64_t lo, hi;
};

struct cuts {
	struct cut *list; /* to be freed */
	size_t count, capacity;
};

/* Returns whether the machines of a solution of what is left, and those that are fixed, can be given zones. */
enum search_status spread_judge(const struct master *master, const struct uses *uses);

/* Finds the conditions if they cannot. Returns SEARCH_OPEN if the limit was reached. */
enum search_status spread_cuts(struct master *master, const struct uses *uses, struct cuts *cuts);

#endif
