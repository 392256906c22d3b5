/* SPDX-License-Identifier: Apache-2.0
 *
 * Groups of present machines about which nothing is open: they are taken out of the linear program, so that only the
 * groups that matter count.
 */
#ifndef SOLVE_LP_NARROW_H
#define SOLVE_LP_NARROW_H

#include "base/memory.h"
#include "solve/lp/master.h"

struct narrowed { /* zero-initialise; the master's program afterwards, and what it borrows */
	struct program program;
	struct arena arena;
};

/* Finds the groups whose machines can be but one thing, by the rules for a single machine. */
void narrow_by_rules(struct program *program);

/* Where found has the least activity of a row, and its bounds say so: finds the groups whose machines no solution has in any other
 * way, and takes them out of the master and of found. */
void narrow_by_prices(struct master *master, int row, struct uses *found, struct narrowed *narrowed);

/* Looks for a solution without moves, which are the first objective. Where there is one, which found gets then, the master is of
 * those alone from then on. */
bool narrow_without_moves(struct master *master, struct uses *found, struct narrowed *narrowed);

void narrowed_release(struct narrowed *narrowed);

#endif
