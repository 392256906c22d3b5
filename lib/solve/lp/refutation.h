/* SPDX-License-Identifier: Apache-2.0
 *
 * Prices that proved that no solution has a machine of a filter. They often prove it of the next filter, too: all that is to be looked at
 * anew is what a machine that passes it is worth, which takes far less than a linear program.
 */
#ifndef SOLVE_LP_REFUTATION_H
#define SOLVE_LP_REFUTATION_H

#include <stdbool.h>

#include "solve/lp/master.h"

enum { REFUTATIONS = 8 };

struct refutations { /* the last ones, of one state of the rows; zero-initialise */
	struct refutation {
		price_product *row_price;
		int64_t *best; /* of each group */
	} list[REFUTATIONS];
	size_t count, next;
};

/* Forgets them: rows have changed. Releases them, too. */
void refutations_clear(struct refutations *refutations);

/* Keeps the prices of the last relaxation, which was the only one since the marked row was added, if they prove that there is no solution. */
void refutations_keep(struct refutations *refutations, const struct master *master);

/* Returns whether the prices of one of them prove that there is none with the filter of the marked row, which is the last one. */
bool refutations_hold(const struct refutations *refutations, struct master *master);

#endif
