/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds how few moves would make a change possible.
 */
#ifndef SOLVE_CONFLICT_RELAXATION_H
#define SOLVE_CONFLICT_RELAXATION_H

struct budget;
struct buffer;
struct error;
struct request;

/* Appends "; 2 moves would do" where moves would help: as few as that; "; at least 2 moves are needed" where the fewest
 * could not be found with a part of the budget. 0, or -1 as presolve. */
int relaxation_words(const struct request *request, struct budget *budget, struct buffer *out, struct error *err);

#endif
