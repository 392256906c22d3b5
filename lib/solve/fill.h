/* SPDX-License-Identifier: Apache-2.0
 *
 * From a solution to an answer.
 */
#ifndef SOLVE_FILL_H
#define SOLVE_FILL_H

struct answer;
struct outcome;
struct program;

/* Fills the answer's nodes, services and worth. explored: nodes of the search. */
void answer_fill(const struct program *program, const struct outcome *outcome, unsigned long explored,
    struct answer *answer);

#endif
