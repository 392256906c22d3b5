/* SPDX-License-Identifier: Apache-2.0
 *
 * Amounts by name, as of resources ({"cpu":2,"memory":4096}) or of objectives.
 */
#ifndef MODEL_AMOUNTS_H
#define MODEL_AMOUNTS_H

#include <stddef.h>

#include "json/place.h"

struct arena;

#define AMOUNT_MAX 1e15     /* of costs, coefficients: sums of many stay finite */
#define AMOUNT_SUM_MAX 1e21 /* of resources, and of what a million machines cost */

struct amount {
	const char *resource;
	double value;      /* >= 0 */
	const char *exact; /* its decimal where value does not hold it; else NULL */
};

struct amounts {
	struct amount *list; /* sorted by resource */
	size_t count;
};

/* Returns the amounts of the object at place, in the arena; none if it is absent. */
struct amounts amounts_read(const struct place *place, struct arena *arena);

/* Returns the amount of a resource; NULL if it is not named. */
const struct amount *amounts_find(const struct amounts *amounts, const char *resource);

/* Returns how much it is; otherwise, if it is not named. */
double amounts_value(const struct amounts *amounts, const char *resource, double otherwise);

#endif
