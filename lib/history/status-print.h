/* SPDX-License-Identifier: Apache-2.0
 *
 * How ls and show put the state of a job and of its tasks into words.
 */
#ifndef HISTORY_STATUS_PRINT_H
#define HISTORY_STATUS_PRINT_H

#include "base/option.h"
#include "base/terminal.h"
#include "history/show.h"

struct buffer;

enum status_format { STATUS_TABLE, STATUS_JSON, STATUS_NAME };

/* What -o asks for; the default depends on whether stdout is a terminal. Exits with 64 where there is no such format, or an
 * operand too many. */
enum status_format status_format(const struct command *command, const char *option, const char *operand);

struct status_tasks {
	const struct show_task *list;
	size_t count;
};

/* Appends the status record of a job, with a newline; tasks (NULL: none) go to its member "attention". */
void status_print(const struct queue_job *job, const struct status_tasks *tasks, struct buffer *out);

/* Appends the counts of a job's tasks by state, an object. */
void status_print_counts(const struct queue_job *job, struct buffer *out);

/* Appends the taskstatus record of a task, without a newline. */
void status_print_task(const struct show_task *task, struct buffer *out);

enum terminal_style status_style(enum queue_status status);
enum terminal_style status_task_style(enum step_status status);

#endif
