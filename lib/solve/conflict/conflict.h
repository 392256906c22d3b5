/* SPDX-License-Identifier: Apache-2.0
 *
 * Explains why a request has no solution: finds a minimal set of demands that contradict each other, and what would be
 * possible.
 */
#ifndef SOLVE_CONFLICT_CONFLICT_H
#define SOLVE_CONFLICT_CONFLICT_H

#include <stdint.h>

struct arena;
struct budget;
struct error;
struct unsatisfiable;
struct request;

enum { CONFLICT_QUESTION = 1000 }; /* nodes of the search, for one question */

/* Explains a request that has no solution with so many moves. The conflict is minimal: dropping any of its demands makes the
 * rest satisfiable. If the budget was spent before that was known, the refusal says so. Rules that the present layout
 * breaks already are preferred as the reason to what is asked for now. */
int conflict_explain(const struct request *request, int64_t moves_max, struct budget *budget, struct arena *arena,
    struct unsatisfiable *refusal, struct error *err);

#endif
