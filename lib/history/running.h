/* SPDX-License-Identifier: Apache-2.0
 *
 * What is in hand of a job, in words for whoever waits for it at a terminal: the tasks that run, since when, and what they
 * printed last; those that failed or will be tried again, and why.
 */
#ifndef HISTORY_RUNNING_H
#define HISTORY_RUNNING_H

#include <stddef.h>

struct arena;
struct error;
struct queue;
struct queue_job;

/* Lines for the job that was looked at, at most room, and a NULL; all in the arena. NULL with a reason. */
const char **running_lines(struct queue *queue, const struct queue_job *job, size_t room, struct arena *arena, struct error *err);

#endif
