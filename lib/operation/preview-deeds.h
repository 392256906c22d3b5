/* SPDX-License-Identifier: Apache-2.0
 *
 * What a plan does to nodes and to the services on them, gathered from its tasks.
 */
#ifndef OPERATION_PREVIEW_DEEDS_H
#define OPERATION_PREVIEW_DEEDS_H

#include <stdbool.h>

#include "base/memory.h"
#include "base/names.h"

struct plan_document;

struct deeds { /* release it */
	const struct plan_document *plan;
	bool *deleted;        /* by node */
	size_t left;          /* how many nodes there are afterwards */
	struct arena arena;
	struct names ids;     /* of the nodes, in their order */
	struct names places;  /* "NODE SERVICE" */
	unsigned *actions;    /* by place: bits 1 << action */
};

void deeds_take(struct deeds *deeds, const struct plan_document *plan);
void deeds_release(struct deeds *deeds);

/* What is done to a service on a node: bits 1 << action. */
unsigned deeds_to(const struct deeds *deeds, size_t node, const char *service);

#endif
