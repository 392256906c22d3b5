/* SPDX-License-Identifier: Apache-2.0
 *
 * The solution of a relaxation by pattern, and where it is fractional.
 */
#ifndef SOLVE_SEARCH_SHARES_H
#define SOLVE_SEARCH_SHARES_H

#include <stdbool.h>
#include <stddef.h>

#include "solve/lp/master.h"

#define SHARE_WHOLE 1e-6 /* that close to a whole number is one */

struct share { /* a pattern in use in the relaxation, and how many machines are of it */
	const struct pattern *pattern;
	double value;
};

struct shares {
	struct share *list;
	size_t count;
};

/* Returns the solution in hand; free the list. A marked column and one that is not may be of the same pattern. Patterns
 * are borrowed from the columns, until the next relaxation. */
struct shares shares_of(const struct master *master);

/* Returns the instances of a unit, without those on machines of fixed kinds, as its row counts them. */
double shares_of_unit(const struct shares *shares, int unit);

bool shares_are_whole(const struct shares *shares);

/* Returns whole shares as a solution, to be freed. */
struct uses shares_uses(const struct shares *shares);

/* Returns the region of the hardware type whose number of machines, sum, is nearest to half of one; NULL if all are whole. Lives in the
 * master's arena. */
struct region *shares_region_of_type(struct master *master, const struct shares *shares, double *sum);

/* Returns a region with a fractional number of machines, sum, of as few conditions as a greedy choice gives: two
 * different patterns always differ in some literal, so it ends at the latest with one pattern that has a fraction. There is one.
 * Lives in the master's arena. */
struct region *shares_region(struct master *master, const struct shares *shares, double *sum);

#endif
