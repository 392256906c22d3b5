/* SPDX-License-Identifier: Apache-2.0
 *
 * Gives machines zones, so that the instances of each service stand in as many zones as the rules of spread ask for.
 */
#ifndef SOLVE_SEARCH_ZONE_H
#define SOLVE_SEARCH_ZONE_H

#include <stdint.h>

#include "solve/lp/budget.h"
#include "solve/program/program.h"

struct machine_class { /* machines on which the same units stand */
	const uint64_t *units; /* borrowed */
	int zone;              /* of all of them; ZONE_NONE; or ZONE_OPEN: each is yet to be given one */
	int64_t count;
};

struct machine_classes {
	struct machine_class *list;
	size_t count, capacity;
};

void machine_classes_add(struct machine_classes *classes, const uint64_t *units, int zone, int64_t count);

/* Returns whether the open machines can be given zones so that each unit of a set that has instances stands in as many
 * zones as it needs. where (or NULL) gets their zones, in the order of the classes: beyond that they are shared out
 * evenly. */
enum search_status zones_place(const struct program *program, struct budget *budget, const struct machine_classes *classes,
    const uint64_t *set, int *where);

#endif
