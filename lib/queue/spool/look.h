/* SPDX-License-Identifier: Apache-2.0
 *
 * Parts of queue_look for those who look closer. All under the job's lock.
 */
#ifndef QUEUE_SPOOL_LOOK_H
#define QUEUE_SPOOL_LOOK_H

#include "model/plan.h"
#include "queue/engine.h"

struct arena;

/* The job record of the plan, with the id the job got. Strings live in the arena. */
int look_job_record(struct ledger *ledger, struct arena *arena, struct job *job, struct error *err);

/* What queue_look tells of it. queue may be NULL for a job that is finished. */
int look_at(struct queue *queue, struct ledger *ledger, struct queue_job *out, struct error *err);

#endif
