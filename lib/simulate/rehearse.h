/* SPDX-License-Identifier: Apache-2.0
 *
 * A plan carried out on a clock of its own: the queue's own index, choice, back-off and undo, with durations and failures drawn
 * from a seed. What is drawn for an attempt depends on the seed, the task's id and the attempt alone, so that
 * other numbers of slots meet the same luck.
 */
#ifndef SIMULATE_REHEARSE_H
#define SIMULATE_REHEARSE_H

#include "queue/spool/job/plan-loader.h"

struct buffer;

struct rehearse_options {
	uint64_t seed;
	uint32_t slots;     /* how many tasks run at a time, at least 1 */
	double failures;    /* the part of the attempts that fail, 0 to 1 */
	int64_t backoff_ms; /* as of queue_put */
	const char *job;    /* the job's id */
	struct buffer *events; /* event records are appended; NULL: they are not wanted */
};

struct rehearsal { /* what came of it; times in milliseconds */
	int64_t makespan_ms;
	int64_t critical_ms;  /* the longest way through the plan, with the times that its tasks took, back-off included */
	int64_t work_ms;      /* of all attempts */
	int64_t node_ms;      /* ... on the node that had most of it */
	uint32_t node;
	uint32_t attempts, failures, retries, undone; /* undone: failures that were followed by an undo */
	uint32_t peak;        /* so many ran at a time at most */
	uint32_t *path;       /* the steps of the critical path, first to last, milestones not among them */
	uint32_t path_count;
	struct job_state index;   /* how it ended */
};

/* Carries a sound blueprint out. Release the rehearsal in any case. */
int rehearse(const struct plan_loader *loader, const struct rehearse_options *options, struct rehearsal *rehearsal,
    struct error *err);
void rehearsal_release(struct rehearsal *rehearsal);

/* What no schedule can beat: the longest of the critical path, the work divided by the slots, and the work on the busiest
 * node. */
int64_t rehearsal_bound_ms(const struct rehearsal *rehearsal, uint32_t slots);

#endif
