/* SPDX-License-Identifier: Apache-2.0
 *
 * What is read of a job that is locked already.
 */
#ifndef QUEUE_SPOOL_READ_H
#define QUEUE_SPOOL_READ_H

#include "queue/spool/job.h"

/* Appends its plan, with its id in the job record. */
int read_plan_of(struct open_job *ledger, struct buffer *out, struct error *err);

/* Appends its events. */
int read_events_of(const struct open_job *ledger, struct buffer *out, struct error *err);

#endif
