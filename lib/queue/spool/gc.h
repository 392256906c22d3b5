/* SPDX-License-Identifier: Apache-2.0
 *
 * What may go: finished jobs after a time, and what was left in tmp/ by someone who was stopped.
 */
#ifndef QUEUE_SPOOL_GC_H
#define QUEUE_SPOOL_GC_H

#include "queue/spool/engine.h"

struct arguments;

enum { GC_KEEP_DAYS = 30 };

struct gc {
	struct spool_queue *queue;
	int64_t keep_ms; /* since a job was finished, by the wall clock */
	bool dry;        /* only say what would go */
};

/* Removes it; gone gets the names of what went. */
int gc_run(const struct gc *gc, struct arguments *gone, struct error *err);

#endif
