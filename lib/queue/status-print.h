/* SPDX-License-Identifier: Apache-2.0
 *
 * Jobs and tasks as rows of a list: what coopr-queue ls and show print of them. A column of "coopr-queue ls", or a member of
 * its record, is one row of the tables in status-print.c.
 */
#ifndef QUEUE_STATUS_PRINT_H
#define QUEUE_STATUS_PRINT_H

#include "model/show/list.h"
#include "queue/read.h"

struct status_tasks {
	const struct queue_task_status *list;
	size_t count;
};

/* Rows are struct queue_job; the context is NULL, or the struct status_tasks that go to the member "attention". */
extern const struct list status_job_list;

/* Rows are struct queue_task_status. */
extern const struct list status_task_list;

/* Appends the counts of a job's tasks by state, an object. */
void status_print_counts(const struct queue_job *job, struct buffer *out);

/* Appends a line on the first attempt that failed, if it failed for another reason than the last. */
void status_say_first(const struct queue_task_status *task, struct buffer *out);

/* Appends before and how to go on, if the worker of the task is a process that is stopped. */
void status_say_stopped(const struct queue_task_status *task, const char *before, struct buffer *out);

enum terminal_style status_style(enum queue_status status);

#endif
