/* SPDX-License-Identifier: Apache-2.0
 *
 * What an objective is at least, by sums alone: where the linear program tells no bound, there is one nevertheless.
 */
#ifndef SOLVE_SEARCH_AMOUNTS_BOUND_H
#define SOLVE_SEARCH_AMOUNTS_BOUND_H

#include <stdint.h>

struct master;
struct program;

/* Returns what the activity of a row is at least, that of the machines or of an objective: by how many machines there have to be, and by what
 * all services take of each resource. */
int64_t amounts_bound(const struct master *master, int row);

/* Returns how many machines a layout of new machines has at least, by such sums. */
int64_t amounts_least(const struct program *program);

#endif
