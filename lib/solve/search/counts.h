/* SPDX-License-Identifier: Apache-2.0
 *
 * What the rules of counts say of the numbers of instances alone, before any machine is looked at: whole numbers are what the linear
 * program knows nothing of. Rules that share a unit, or units of which one is chosen, are a part, and each part is searched by itself
 * (integers.h).
 */
#ifndef SOLVE_SEARCH_COUNTS_H
#define SOLVE_SEARCH_COUNTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/memory.h"
#include "solve/lp/budget.h"

struct counts_part;
struct master;
struct program;
struct shares;

struct counts {
	struct arena arena;
	struct counts_part *parts;
	size_t count;
};

void counts_init(struct counts *counts, const struct program *program);
void counts_release(struct counts *counts);

/* Tightens the bounds of the units' rows, as far as it takes little time. Returns false if no numbers keep the rules. */
bool counts_tighten(struct counts *counts, struct master *master);

/* Gives the units' rows numbers that keep the rules, near to those of a relaxation. Returns false if none are found. */
bool counts_fix(struct counts *counts, struct master *master, const struct shares *shares);

/* Returns the row of the unit in a rule that has the largest fraction of an instance in a relaxation, and sets value to its instances.
 * SIMPLEX_NONE: none has. */
int counts_fraction(const struct counts *counts, const struct master *master, const struct shares *shares, double *value);

#endif
