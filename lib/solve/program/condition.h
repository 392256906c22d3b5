/* SPDX-License-Identifier: Apache-2.0
 *
 * One more condition on a program: one machine more, or one less, than a layout
 * has of those that are like one of its nodes, and have these services.
 */
#ifndef SOLVE_PROGRAM_CONDITION_H
#define SOLVE_PROGRAM_CONDITION_H

#include <stdbool.h>

#include "model/entity.h"

struct layout;
struct node;
struct program;

struct condition { /* one machine more than in a layout that is like one of its nodes, or one less: */
	const struct layout *layout;
	const struct node *node; /* of it: the same hardware type, and new or present as it is */
	struct string_list with; /* services that stand there */
	const char *without;     /* one that does not; or NULL */
	bool less;               /* of all that have the services, wherever */
};

/* Makes it a condition of the program. Returns false if it contradicts itself: no machine can be so. */
bool condition_impose(const struct condition *condition, struct program *program);

#endif
