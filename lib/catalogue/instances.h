/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers of instances as people write them, "3" or "2:4", and as members of documents.
 */
#ifndef CATALOGUE_INSTANCES_H
#define CATALOGUE_INSTANCES_H

#include <stdbool.h>
#include <stdint.h>

#include <jv.h>

#include "model/request.h"

struct buffer;

/* Returns the bounds of a service; NULL where nothing is said of it. */
const struct instance_bounds *instances_find(const struct instances *instances, const char *service);

/* Reads "3", "2:4", "2:" or ":4". Returns false where the text is none of them, or the first number is the greater one. */
bool instances_read_range(const char *text, int64_t *min, int64_t *max);

/* Appends the same: "3", "2:4", "2:" or ":4". */
void instances_print_range(int64_t min, int64_t max, struct buffer *out);

/* Returns a value of the object, owned: 3, or {"min": 2, "max": 4}. */
jv instances_value(int64_t min, int64_t max);

#endif
