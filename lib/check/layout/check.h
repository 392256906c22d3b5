/* SPDX-License-Identifier: Apache-2.0
 *
 * The judge of a layout: it finds out whether it is one that the request asks for, and whether what it says of itself is
 * true. It looks at every node and every rule one by one and shares no code with the search. It does not judge whether a
 * better layout exists.
 */
#ifndef CHECK_LAYOUT_CHECK_H
#define CHECK_LAYOUT_CHECK_H

#include <stddef.h>
#include <stdint.h>

#include "model/entity.h"

struct arena;
struct demands;
struct layout;
struct request;
struct solution;

struct check_terms {
	const struct demands *demands;  /* those dropped do not count; NULL: all count */
	const struct solution *claims;  /* what the layout says of itself; NULL: nothing */
	int64_t moves_max;              /* how many placements of unaffected services may change */
};

struct fault {
	const char *where;   /* a node's id, or "cluster" */
	const char *text;
	const char *pointer; /* into the request: the rule that is broken; NULL if it is not a member of it */
	struct fault *next;
};

/* Returns all that is wrong, in the order found, or NULL. The list lives in the arena. Takes time proportional to the
 * length of the layout. */
struct fault *check_layout(const struct request *request, const struct layout *layout, const struct check_terms *terms,
    struct arena *arena);

/* Returns what a layout is worth by each objective that has a value, by name. */
struct amounts check_worth(const struct request *request, const struct layout *layout, struct arena *arena);

#endif
