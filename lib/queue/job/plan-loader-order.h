/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether the steps of a plan have an order at all, and who waits for whom.
 */
#ifndef QUEUE_JOB_PLAN_LOADER_ORDER_H
#define QUEUE_JOB_PLAN_LOADER_ORDER_H

#include "queue/job/plan-loader.h"

/* The links of a plan loader the other way round. */
struct plan_loader_order {
	uint32_t *first; /* by step, in next: who waits for it; one more at the end */
	uint32_t *next;  /* steps */
	uint32_t *waits; /* by step: for so many that are there */
	size_t count;    /* of next */
};

void plan_loader_order_init(const struct plan_loader *loader, struct plan_loader_order *order);
void plan_loader_order_release(struct plan_loader_order *order);

/* Returns the id of the s-th step. */
const char *plan_loader_step_id(const struct plan_loader *loader, uint32_t s);

/* Problems for what waits for a step that is not there, and for a cycle, which is named. */
void plan_loader_check_order(const struct place *stream, const struct plan_loader *loader);

#endif
