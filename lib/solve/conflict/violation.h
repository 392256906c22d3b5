/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the demands that the present layout breaks already, whatever is asked for now: the template or the services have
 * changed, or somebody has changed the cluster by hand.
 */
#ifndef SOLVE_CONFLICT_VIOLATION_H
#define SOLVE_CONFLICT_VIOLATION_H

#include <stddef.h>

#include "model/answer/demand.h"

struct buffer;
struct node;
struct program;

struct violation {
	struct demand demand;
	const struct node *node; /* the first that breaks it; NULL: only all together do */
};

struct violations { /* zero-initialise; free the list */
	struct violation *list;
	size_t count, capacity;
};

/* Finds the demands that are broken by services which stand already and are still wanted. Services added or removed are
 * not to blame, nor are nodes to be replaced. */
void violations_find(const struct program *program, const struct demands *demands, struct violations *violations);

/* Returns the violation of a demand; NULL if there is none. */
const struct violation *violation_of(const struct violations *violations, const struct demand *demand);

/* Appends the demand's pointer, its words, and where it is broken. */
void violation_words(const struct violation *violation, const struct demands *demands, struct buffer *out);

#endif
