/* SPDX-License-Identifier: Apache-2.0
 *
 * Fixing how many machines there are of a kind, step by step (search.c), while it stays open which of the present
 * machines these are, and how many are new. That must stay open: two machines that are alike afterwards may have been
 * different before, and which of them is used up here decides what can become of the others.
 *
 * A fixed kind leaves all rows but those that tell groups apart; in these it has a column for each group that can
 * become it, and a row for their number. So what is left is a smaller problem of the same form.
 */
#ifndef SOLVE_SEARCH_FIX_H
#define SOLVE_SEARCH_FIX_H

#include "solve/lp/master.h"

/* Returns whether machines of other groups than its own can become what the pattern is. */
bool fix_is_open(const struct master *master, const struct pattern *pattern);

/* Fixes that count machines are like this pattern (whose kind becomes the number of the kind), but leaves open of
 * which groups they are: only the bounds that have to do with groups stay. */
void fix_kind(struct master *master, struct pattern *pattern, int64_t count);

/* Removes the columns that no solution of what is left can use, and those that earlier filters marked. */
void fix_remove_columns(struct master *master);

#endif
