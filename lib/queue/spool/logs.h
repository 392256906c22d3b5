/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tasks of a job have printed: a folder with a file TASK.ATTEMPT for each attempt that had something to say.
 */
#ifndef QUEUE_SPOOL_LOGS_H
#define QUEUE_SPOOL_LOGS_H

#include <stdint.h>

struct error;
struct spool_queue;

/* The folder, a descriptor (close-on-exec), which stays that of the job when it moves. -1: EX_NO where there is no such job. */
int logs_open(struct spool_queue *queue, const char *job, struct error *err);

/* The file of an attempt in that folder, to read; -1 with errno. */
int logs_open_file(int folder, const char *task, int64_t attempt);

#endif
