/* SPDX-License-Identifier: Apache-2.0
 *
 * The services that one has to wait for: the nearest ones that count, looking through those that do not. Of these
 * some matter wherever they stand (far), the others only on the same node (near): all needs on the way to them are
 * local.
 */
#ifndef PLAN_NEAREST_H
#define PLAN_NEAREST_H

#include "plan/dependency.h"

struct nearest {
	const struct relation *relation;
	const bool *counts;    /* of each service; borrowed, and may change between searches */
	const bool *waits;     /* of each service that counts: it waits for those that it needs; borrowed; NULL: all do */
	uint32_t *far, *near;  /* what the last search found, by number */
	size_t far_count, near_count;
	uint32_t *seen;        /* of each service: marks of the search it was last met by */
	uint32_t search, *queue;
};

void nearest_init(struct nearest *nearest, const struct relation *relation, const bool *counts, const bool *waits);
void nearest_release(struct nearest *nearest);

/* Fills far and near, leaving out of far what another one of it waits for itself. */
void nearest_find(struct nearest *nearest, uint32_t service);

#endif
