/* SPDX-License-Identifier: Apache-2.0
 *
 * The take record of a step. What it says of the cluster is the same for many tasks, and costs as much as the cluster has nodes
 * where its config has macros: it is made once for as long as the addresses asked for do not change, and kept in
 * the job's folder as setting.GENERATION.
 */
#ifndef QUEUE_SPOOL_TAKE_RECORD_H
#define QUEUE_SPOOL_TAKE_RECORD_H

#include "queue/spool/job.h"

struct arena;

/* Fills task for the attempt at a step that is about to begin, under the lock. All of it lives in the arena. */
int take_record(struct open_job *job, uint32_t step, int64_t attempt, const char *worker, struct arena *arena,
    struct queue_task *task, struct error *err);

/* Removes the files setting.*: they are caches, and not safe from a loss of power. */
void take_record_forget(const struct open_job *job);

#endif
