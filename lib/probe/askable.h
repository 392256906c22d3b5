/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the automators that can be asked for a status: those whose describe says so, coopr-plugins(7). Each is started once.
 */
#ifndef PROBE_ASKABLE_H
#define PROBE_ASKABLE_H

#include <stdbool.h>

#include "base/memory.h"
#include "base/names.h"

struct layout;
struct node;

struct askable { /* zero-initialise; release it */
	struct arena arena;
	struct names types;
	bool *can; /* of each */
	size_t capacity;
};

/* Returns whether that automator can be asked. */
bool askable_is(struct askable *askable, const char *type);

/* Returns the next automator, from *at on, that works on the node and can be asked whether it answers; NULL where none is
 * left. */
const char *askable_next(struct askable *askable, const struct layout *layout, const struct node *node, size_t *at);

void askable_release(struct askable *askable);

#endif
