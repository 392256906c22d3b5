/* SPDX-License-Identifier: Apache-2.0
 *
 * Groups of present machines that nothing keeps from holding as much as they can: dense is known of them without a
 * search.
 */
#ifndef SOLVE_SEARCH_DOMINANCE_H
#define SOLVE_SEARCH_DOMINANCE_H

#include "solve/lp/master.h"

/* Fixes the groups that have their densest pattern in whatever solution is the densest, in the master and in found,
 * which is a solution. used and loose (0 before the first call) say what was known the last time: only more is looked
 * at. */
void dominance_fix(struct master *master, struct uses *found, size_t *used, size_t *loose);

#endif
