/* SPDX-License-Identifier: Apache-2.0
 *
 * Steering the operation that is under way on a cluster, also while another process follows it.
 */
#ifndef OPERATION_JOB_CONTROL_H
#define OPERATION_JOB_CONTROL_H

#include "queue/queue.h"

struct error;
struct operation_options;

/* QUEUE_PAUSE, QUEUE_RESUME or QUEUE_CANCEL (then it waits until nothing runs any more, and settles). *job is the job's id, the
 * caller's to free. EX_NO where nothing is under way, or it is so already. */
int job_control(enum queue_control order, const char *cluster, const struct operation_options *options, char **job, struct error *err);

#endif
