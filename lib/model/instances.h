/* SPDX-License-Identifier: Apache-2.0
 *
 * How many instances of its services a cluster is asked to have, beside what its template says: {"apache": 3, "mysql": {"min": 1,
 * "max": 2}}.
 */
#ifndef MODEL_INSTANCES_H
#define MODEL_INSTANCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"
#include "json/place.h"

struct instance_bounds {
	const char *service;
	int64_t min, max; /* where absent 0 and INT64_MAX */
};

struct instances { /* zero-initialise */
	struct instance_bounds *list;
	size_t count;
};

/* Fills instances from an object, or nothing, at place; all that is malformed goes to place->problems. */
void instances_parse(const struct place *place, struct arena *arena, struct instances *instances);

/* Reads "3", "2:4", "2:" or ":4". Returns false where the text is none of them, or the first number is the greater one. */
bool instances_read_range(const char *text, int64_t *min, int64_t *max);

/* Returns a value of the object, owned: 3, or {"min": 2, "max": 4}. */
jv instances_value(int64_t min, int64_t max);

#endif
