/* SPDX-License-Identifier: Apache-2.0
 *
 * The effects of a plan on machines and on the services on them, gathered from its tasks.
 */
#ifndef PREVIEW_EFFECTS_H
#define PREVIEW_EFFECTS_H

#include <stdbool.h>

#include "base/memory.h"
#include "base/names.h"
#include "model/plan-document.h"

struct effects { /* release it */
	const struct plan_document *plan; /* borrowed */
	bool *deleted;        /* by node */
	size_t left;          /* how many nodes there are afterwards */
	size_t deletions;     /* how many machines are deleted */
	struct arena arena;
	struct names ids;     /* of the nodes, in their order */
	struct names places;  /* "NODE SERVICE" */
	unsigned *actions;    /* by place: bits 1 << action */
};

enum effects_impact {
	EFFECTS_HARMLESS, /* what is up stays up */
	EFFECTS_DISRUPT,  /* a service restarts, stops or leaves a machine */
	EFFECTS_DELETE,   /* a machine is deleted */
};

void effects_init(struct effects *effects, const struct plan_document *plan);
void effects_release(struct effects *effects);

/* Returns what is done to a service on a node: bits 1 << action. */
unsigned effects_on(const struct effects *effects, size_t node, const char *service);

enum effects_impact effects_impact(const struct effects *effects);

/* Returns the services that stood on the node before. Those of a plan that deletes the whole cluster stand in services. */
const struct string_list *effects_before(const struct effects *effects, size_t node);

/* Returns whether a stateful service (today: see cluster_is_stateful) stops for a while on the only node that it has, and for how
 * many seconds it is expected to; is_measured tells whether that was measured. */
bool effects_interrupt(const struct effects *effects, jv today, const char *service, double *seconds, bool *is_measured);

#endif
