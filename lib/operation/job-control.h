/* SPDX-License-Identifier: Apache-2.0
 *
 * Pauses, resumes and cancels the operation that is running on a cluster, also while another process follows it.
 */
#ifndef OPERATION_JOB_CONTROL_H
#define OPERATION_JOB_CONTROL_H

#include <stdbool.h>

#include "queue/queue.h"

struct error;
struct operation_options;

/* Returns the job of the operation that is running on a cluster, which the caller frees; NULL with a reason. */
char *job_control_find_job(const char *cluster, const struct operation_options *options, struct error *err);

/* Gives the queue the order QUEUE_PAUSE, QUEUE_RESUME or QUEUE_CANCEL; after the last it waits until no task runs, and
 * finishes the operation. agreed: the only job that it may be, NULL: whichever is running. *job is the job's id, which the
 * caller frees; *gone: it was a creation, no machine is there, and with it the cluster is gone. Fails with EX_NO where
 * nothing is running, another job than agreed is, or the job is so already. */
int job_control(enum queue_control control, const char *cluster, const struct operation_options *options, const char *agreed,
    char **job, bool *gone, struct error *err);

#endif
