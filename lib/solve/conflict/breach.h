/* SPDX-License-Identifier: Apache-2.0
 *
 * What is wrong with the present layout already, whatever is asked for now: rules that what stands there breaks,
 * because the template or the services have changed, or somebody has changed the cluster by hand.
 */
#ifndef SOLVE_CONFLICT_BREACH_H
#define SOLVE_CONFLICT_BREACH_H

#include <stddef.h>

#include "model/demand/demand.h"

struct buffer;
struct node;
struct program;

struct breach {
	struct demand demand;
	const struct node *node; /* the first that breaks it; NULL: only all together do */
};

struct breaches { /* zero-initialise; free the list */
	struct breach *list;
	size_t count, capacity;
};

/* The demands that services which stand already, and are still wanted, break. Services added or removed are not to
 * blame, nor are nodes to be replaced. */
void breaches_find(const struct program *program, const struct demands *demands, struct breaches *breaches);

/* The breach of a demand; NULL where there is none. */
const struct breach *breach_of(const struct breaches *breaches, const struct demand *demand);

/* Appends the demand's pointer, its words, and where it is broken. */
void breach_words(const struct breach *breach, const struct demands *demands, struct buffer *out);

#endif
