/* SPDX-License-Identifier: Apache-2.0
 *
 * A plan carried out on a clock of its own: the queue's own index, choice, back-off and undo, with durations and failures drawn
 * from a seed. What is drawn for an attempt depends on the seed, the task's id and the attempt alone, so that
 * other numbers of slots meet the same luck.
 */
#ifndef SIMULATE_SIMULATION_H
#define SIMULATE_SIMULATION_H

#include "queue/job/plan-loader.h"

struct buffer;

struct simulation_options {
	uint64_t seed;
	uint32_t slots;     /* how many tasks run at a time, at least 1 */
	double failures;    /* the part of the attempts that fail, 0 to 1 */
	const char *job;    /* the job's id */
	struct buffer *events; /* event records are appended; NULL: they are not wanted */
};

struct simulation { /* what came of it; times in milliseconds */
	int64_t duration_ms;
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

/* Carries out the plan that was loaded. Returns 0 or -1; release the simulation in any case. */
int simulation_run(const struct plan_loader *loader, const struct simulation_options *options, struct simulation *simulation,
    struct error *err);
void simulation_release(struct simulation *simulation);

/* Returns the time that no schedule can beat: the longest of the critical path, the work divided by the slots, and the work
 * on the busiest node. */
int64_t simulation_bound_ms(const struct simulation *simulation, uint32_t slots);

#endif
