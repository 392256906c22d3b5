/* SPDX-License-Identifier: Apache-2.0
 *
 * Tells whoever waits for a job at a terminal how it stands: the tasks that run, first the one that the end of the job depends on
 * most, since when, and what they printed last; those that failed or will be tried again, and why.
 */
#ifndef HISTORY_RUNNING_H
#define HISTORY_RUNNING_H

#include <stddef.h>

struct arena;
struct error;
struct forecast;
struct queue;
struct queue_job;

/* Returns at most room lines about the job, and a NULL behind them; all in the arena. Returns NULL on failure. */
const char **running_lines(struct queue *queue, const struct queue_job *job, const struct forecast *forecast, size_t room,
    struct arena *arena, struct error *err);

#endif
