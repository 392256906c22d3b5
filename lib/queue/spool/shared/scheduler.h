/* SPDX-License-Identifier: Apache-2.0
 *
 * Which job is next: of the tenants that have something to take, and may, that with the fewest tasks running; of its jobs, the
 * one that was put first.
 */
#ifndef QUEUE_SPOOL_SHARED_SCHEDULER_H
#define QUEUE_SPOOL_SHARED_SCHEDULER_H

#include "queue/spool/shared/scheduler-table.h"

struct scheduler { /* zero-initialise, set want; what it knows of a table while tasks are taken from it */
	const struct queue_want *want;
	uint32_t *tried;  /* links: they have nothing ready */
	size_t tried_count, tried_capacity;
	size_t tenants;   /* so many have something to take */
	bool limited;     /* more would be there, but for the limits */
};

struct chosen {
	uint32_t link; /* to its slot; 0: there is none */
	char job[QUEUE_ID_SIZE];
};

/* The job to take from. */
int scheduler_next(struct scheduler *scheduler, struct scheduler_table *table, struct chosen *chosen, struct error *err);

/* A job of which a time has come by now_ms (boot time). */
int scheduler_due(struct scheduler_table *table, int64_t now_ms, struct chosen *chosen, struct error *err);

/* Notes that the slot has nothing ready for now. */
void scheduler_exhausted(struct scheduler *scheduler, uint32_t link);

void scheduler_release(struct scheduler *scheduler);

#endif
