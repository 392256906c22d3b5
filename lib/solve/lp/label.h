/* SPDX-License-Identifier: Apache-2.0
 *
 * The pricing search by labels, for machines that can be filled nearly as well in very many ways.
 */
#ifndef SOLVE_LP_LABEL_H
#define SOLVE_LP_LABEL_H

#include <stdbool.h>
#include <stddef.h>

struct pricing_search;

/* Finds the best pattern on a type, as pricing_search does, where all that must be there is chosen. False, and nothing
 * done, where the rules do not suit: there is a filter, more than two resources are scarce, or too many units have to do
 * with each other. */
bool label_search(struct pricing_search *search, size_t depth);

#endif
