/* SPDX-License-Identifier: Apache-2.0
 *
 * Symmetry: units that nothing tells apart but their names. A solution in which they change places everywhere is one again.
 */
#ifndef SOLVE_SEARCH_SYMMETRY_H
#define SOLVE_SEARCH_SYMMETRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "solve/lp/master.h"

/* Exchanges unit u, in all uses, for one that nothing tells from it, that stands in the pattern of one of them and is none of
 * with. Returns false if there is no such unit. */
bool symmetry_exchange(struct master *master, const struct pattern *pattern, const uint64_t *with, size_t u,
    struct uses *uses);

#endif
