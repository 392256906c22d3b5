/* SPDX-License-Identifier: Apache-2.0
 *
 * The status of an open job. All under the job's lock.
 */
#ifndef QUEUE_SPOOL_JOB_STATUS_H
#define QUEUE_SPOOL_JOB_STATUS_H

#include "model/plan.h"
#include "queue/spool/job.h"

struct arena;

/* Reads the job record of the plan, with the id that the job got. Strings live in the arena. */
int job_status_record(struct open_job *job, struct arena *arena, struct job *plan, struct error *err);

/* Fills out as queue_status_of does. table may be NULL for a job that is finished. */
int job_status(struct scheduler_table *table, struct open_job *job, struct queue_job *out, struct error *err);

#endif
