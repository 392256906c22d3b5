/* SPDX-License-Identifier: Apache-2.0
 *
 * The judge of a layout: whether it is one that the request asks for. It looks at every node and every rule one by
 * one and shares no code with the search. What it does not judge is whether a better layout exists.
 */
#ifndef SOLVE_CHECK_H
#define SOLVE_CHECK_H

#include <stddef.h>

struct arena;
struct layout;
struct request;

struct fault {
	const char *where; /* a node's id, or "cluster" */
	const char *text;
	struct fault *next;
};

/* All that is wrong, in the order found; NULL where nothing is. Lives in the arena. */
struct fault *check_layout(const struct request *request, const struct layout *layout, struct arena *arena);

#endif
