/* SPDX-License-Identifier: Apache-2.0
 *
 * What is said of a finished job as a whole, kept in its file `summary`, so that who asks for no more needs neither its state nor
 * what that is built from. A cache, written when the job is finished; it is believed as long as it is whole, and the events are
 * as long as they were.
 */
#ifndef QUEUE_SPOOL_SUMMARY_H
#define QUEUE_SPOOL_SUMMARY_H

#include "queue/queue.h"
#include "queue/spool/job.h"

/* Writes it for a finished job that is locked. Where that is not possible there is none. */
void summary_save(struct open_job *job);

/* Returns whether there is one of that job in done/ that can be believed. */
bool summary_load(const struct spool *spool, const char *id, struct queue_job *out);

#endif
