/* SPDX-License-Identifier: Apache-2.0
 *
 * How a state comes to say what the events say, after whatever happened.
 */
#ifndef QUEUE_SPOOL_JOB_RECOVER_H
#define QUEUE_SPOOL_JOB_RECOVER_H

#include "queue/spool/job.h"

struct plan_loader;

/* Makes the files of a new job in the folder dir, which the open job closes from here on, all but plan.ndjson. The job is
 * locked; its first event is still to be recorded. */
int job_begin(struct open_job *job, const struct spool *spool, struct scheduler_table *table, int dir,
    struct plan_loader *loader, struct error *err);

/* Writes the checksum of a plan's bytes, as the first event has it, to sum. fd is of the file. */
enum { JOB_SUM_SIZE = 17 };
int job_sum_plan(int fd, char sum[JOB_SUM_SIZE], struct error *err);

/* Under the lock: maps the state, folds in events that are not yet, cuts off a torn line, or builds all of it anew. */
int job_recover(struct open_job *job, struct error *err);

/* Builds a new state from plan.ndjson and events.ndjson; in memory only where the open job is not writable. */
int job_rebuild(struct open_job *job, struct error *err);

/* Keeps what the event's result says of its node (step is done or failed). Before the event is folded. */
int job_learn(struct open_job *job, const struct event *event, struct error *err);

#endif
