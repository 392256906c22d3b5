/* SPDX-License-Identifier: Apache-2.0
 *
 * The ids of jobs, tasks, nodes and workers.
 */
#ifndef QUEUE_JOB_ID_H
#define QUEUE_JOB_ID_H

#include <stdbool.h>
#include <stdint.h>

/* Returns whether text can be the id of a job, a task, a node or a worker: the name of a file, and nothing but its name. */
bool id_is_valid(const char *text);

/* Returns the number, not 0, that stands for an id in tables. */
uint64_t id_hash(const char *id);

#endif
