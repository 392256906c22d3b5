/* SPDX-License-Identifier: Apache-2.0
 *
 * The figures of a spool: how its jobs and tasks stand, how fast it goes, and what its history says.
 */
#ifndef HISTORY_STATS_H
#define HISTORY_STATS_H

#include "queue/history.h"

struct stats_span {
	int64_t start_ms, end_ms; /* wall clock */
};

struct stats { /* zero-initialise */
	size_t jobs[QUEUE_CANCELLED + 1]; /* by status */
	struct queue_job tasks;   /* the counts of tasks of all of them, summed up */
	size_t running, workers;  /* attempts that run; workers that have joined */
	struct history history;
	struct stats_span *spans; /* of attempts that have ended and did what they should */
	size_t span_count, span_capacity;
};

/* Adds what was learned of jobs that are gone, and how many workers there are. */
int stats_add_queue(struct stats *stats, struct queue *queue, struct error *err);

/* Adds a job. */
int stats_add_job(struct stats *stats, struct queue *queue, const struct queue_job *job, struct error *err);

/* Returns the milliseconds in which at least one of the tasks that are done ran. */
int64_t stats_busy_ms(const struct stats *stats);

/* Returns the number of tasks that were done in the last within_ms milliseconds. */
size_t stats_done_within(const struct stats *stats, int64_t now_ms, int64_t within_ms);

void stats_release(struct stats *stats);

#endif
