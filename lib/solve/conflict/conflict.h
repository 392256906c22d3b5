/* SPDX-License-Identifier: Apache-2.0
 *
 * Why there is no solution: a smallest set of demands that cannot hold together, and what would be possible.
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

/* Explains a request that has no solution with so many moves. No demand of the conflict can be left out of it:
 * dropping any of them makes the rest satisfiable; or the budget was spent, which the refusal says. What the present
 * layout breaks already is the reason where it is one: not what is asked for now. */
int conflict_explain(const struct request *request, int64_t moves_max, struct budget *budget, struct arena *arena,
    struct unsatisfiable *refusal, struct error *err);

#endif
