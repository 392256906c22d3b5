/* SPDX-License-Identifier: Apache-2.0
 *
 * What is still to come in a queue, seen by a worker that wants to know whether it may go home.
 */
#ifndef WORKER_OUTLOOK_H
#define WORKER_OUTLOOK_H

#include <stdbool.h>
#include <stddef.h>

struct error;
struct names;
struct queue;

/* Returns whether nothing is ready, running or to come, with anybody: of the job, or (NULL) of all. What is paused
 * does not count, nor what waits for it. 1, 0, or -1. */
int outlook_is_drained(struct queue *queue, const char *job, struct error *err);

/* Returns how many tasks are not over yet, of the job or of all; -1 on error. */
long outlook_remaining(struct queue *queue, const char *job, struct error *err);

/* Returns whether one of the jobs has failed. */
bool outlook_has_failed(struct queue *queue, const struct names *jobs);

#endif
