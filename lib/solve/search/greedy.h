/* SPDX-License-Identifier: Apache-2.0
 *
 * A first solution of a program that is too large for its linear program to be solved soon: services are put, the large ones first, on the
 * first machine that has room, and machines are as dear as need be. It proves nothing.
 */
#ifndef SOLVE_SEARCH_GREEDY_H
#define SOLVE_SEARCH_GREEDY_H

#include <stdbool.h>

struct arena;
struct program;
struct uses;

/* Returns whether a program is of new machines without rules that go beyond one machine; whether it is that large, besides. */
bool greedy_applies(const struct program *program);
bool greedy_is_wanted(const struct program *program);

/* Looks for a solution, whose patterns live in the arena. Returns false if it finds none; there may be one. */
bool greedy_find(const struct program *program, struct arena *arena, struct uses *found);

#endif
