/* SPDX-License-Identifier: Apache-2.0
 *
 * Taking, in two steps: tasks are taken, and then that is on disk (engine_sync).
 */
#ifndef QUEUE_SPOOL_TAKE_H
#define QUEUE_SPOOL_TAKE_H

#include "queue/queue.h"

/* As queue_take, but nothing of it need be on disk yet. */
int take_write(struct spool_queue *queue, const struct queue_want *want, struct queue_batch *batch, struct error *err);

/* The disk refuses the events of a job: nothing was taken of it. */
void take_refuse(struct queue_batch *batch, const char *job, const struct error *err);

#endif
