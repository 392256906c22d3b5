/* SPDX-License-Identifier: Apache-2.0
 *
 * When the machines of a job came and went: what a cloud charges for.
 */
#ifndef HISTORY_LIVES_H
#define HISTORY_LIVES_H

#include <stddef.h>

#include "base/memory.h"
#include "model/machine-life.h"

struct error;
struct queue;

struct lives { /* zero-initialise; release it */
	struct arena arena;
	struct machine_life *list; /* of one node in their order */
	size_t count, capacity;
};

/* Adds the machines that the job has made or deleted. One of which no creation was completed is none. */
int lives_of_job(struct queue *queue, const char *job, struct lives *lives, struct error *err);

void lives_release(struct lives *lives);

#endif
