/* SPDX-License-Identifier: Apache-2.0
 *
 * Tasks given to a streaming plugin, each until it is answered: a set, in which an answer finds its task by name, and which
 * keeps the order in which they were given.
 */
#ifndef EXEC_STREAM_TASK_H
#define EXEC_STREAM_TASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "json/json.h"

struct stream;

enum stream_task_end {
	STREAM_TASK_OPEN,
	STREAM_TASK_ANSWERED,    /* answer is the result record that the plugin gave */
	STREAM_TASK_FAILED,      /* there is none: error says why, its code is the status */
	STREAM_TASK_DESCRIBED,   /* the plugin streams, and has said now what it wants: the task may be given again */
	STREAM_TASK_UNSUPPORTED, /* the plugin does not stream, or does not exist: the task is to be done otherwise */
};

struct stream_task {
	/* Given; strings to live as long as it is open: */
	const char *job, *task;
	int64_t attempt;
	const char *record; /* the take record, with its newline */
	size_t length;
	int64_t timeout_ms;
	const char *scope;  /* tasks of one scope share a process, and with no others; NULL: all others share one */
	const char *handed; /* what the plugin gets in place of the record, with its newline, if it is given now; NULL: the record */
	size_t handed_length;
	bool asks;          /* comes back as STREAM_TASK_DESCRIBED where the plugin has not described itself yet */
	void *owner;        /* the caller's */

	/* Once it is over: */
	enum stream_task_end end;
	jv answer;          /* owned by whoever gave the task */
	struct error *error; /* freed with stream_task_release */

	/* The stream's: */
	struct stream *stream;
	int64_t deadline;   /* its plugin is ended then, monotonic */
	bool sent, cancelled;
	struct stream_task *next, *previous; /* in the order given */
	struct stream_task *chain;           /* in its bucket */
};

void stream_task_release(struct stream_task *task);

/* Ends it as failed. */
void stream_task_fail(struct stream_task *task, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Returns the line that asks the plugin to end the task; the caller frees it. */
char *stream_task_cancel_line(const struct stream_task *task);

struct stream_task_list { /* first in, first out; zero-initialise */
	struct stream_task *first, *last;
	size_t count;
};

void stream_task_list_add(struct stream_task_list *list, struct stream_task *task);
void stream_task_list_remove(struct stream_task_list *list, struct stream_task *task);

struct stream_task_set { /* zero-initialise */
	struct stream_task_list list;
	struct stream_task **buckets;
	size_t bucket_count; /* a power of 2 */
};

void stream_task_set_add(struct stream_task_set *set, struct stream_task *task);
void stream_task_set_remove(struct stream_task_set *set, struct stream_task *task);

/* Takes a line as the answer to the task that it names, and returns that task, which stays in the set; NULL with a reason in
 * err if the line is no JSON or names no task that was sent. */
struct stream_task *stream_task_set_answer(struct stream_task_set *set, const char *line, size_t length, struct error *err);
void stream_task_set_release(struct stream_task_set *set);

#endif
