/* SPDX-License-Identifier: Apache-2.0
 *
 * Looks whether anything is left to do in a queue, for a worker that ends when nothing is.
 */
#ifndef WORKER_DRAIN_CHECK_H
#define WORKER_DRAIN_CHECK_H

#include <stdbool.h>
#include <stddef.h>

struct error;
struct names;
struct queue;

/* Returns 1 if nothing of the job, or (NULL) of all jobs, is ready, running or to come, with any worker; else 0; -1 on error.
 * Jobs that are paused do not count, nor those that wait for them. */
int drain_check(struct queue *queue, const char *job, struct error *err);

/* Returns how many tasks of the job, or (NULL) of all jobs, are not over yet; -1 on error. */
long drain_check_remaining(struct queue *queue, const char *job, struct error *err);

/* Returns whether one of the jobs has failed. */
bool drain_check_has_failed(struct queue *queue, const struct names *jobs);

#endif
