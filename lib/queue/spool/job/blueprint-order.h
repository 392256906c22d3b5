/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether the steps of a plan have an order at all, and who waits for whom.
 */
#ifndef QUEUE_SPOOL_JOB_BLUEPRINT_ORDER_H
#define QUEUE_SPOOL_JOB_BLUEPRINT_ORDER_H

#include "queue/spool/job/blueprint.h"

/* The links of a blueprint the other way round. */
struct blueprint_order {
	uint32_t *first; /* by step, in next: who waits for it; one more at the end */
	uint32_t *next;  /* steps */
	uint32_t *waits; /* by step: for so many that are there */
	size_t count;    /* of next */
};

void blueprint_order_init(const struct blueprint *blueprint, struct blueprint_order *order);
void blueprint_order_release(struct blueprint_order *order);

/* Problems for what waits for a step that is not there, and for a cycle, which is named. */
void blueprint_check_order(const struct place *stream, const struct blueprint *blueprint);

#endif
