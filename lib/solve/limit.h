/* SPDX-License-Identifier: Apache-2.0
 *
 * The limits of a search, and the messages about one that was reached.
 */
#ifndef SOLVE_LIMIT_H
#define SOLVE_LIMIT_H

#include "solve/lp/budget.h"

struct arena;
struct error;
struct solution;
struct solve_terms;

/* Returns what may be spent: as the terms say, or the default. */
struct budget limit_budget(const struct solve_terms *terms);

/* Returns why a layout may not be the best one, by how much, and what to do. */
const char *limit_words(const struct solve_terms *terms, const struct budget *budget, const struct solution *solution,
    struct arena *arena);

/* Returns what to do where the limit was reached: "raise --time-limit". */
const char *limit_way_out(const struct solve_terms *terms, const struct budget *budget);

/* Sets why there is no layout yet, EX_TEMPFAIL. Returns -1. */
int limit_error(const struct solve_terms *terms, const struct budget *budget, struct error *err);

#endif
