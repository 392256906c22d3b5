/* SPDX-License-Identifier: Apache-2.0
 *
 * One task in the hands of a worker: the coopr-exec or the streaming plugin that does it, and the result it ends with.
 */
#ifndef WORKER_RUNNING_TASK_H
#define WORKER_RUNNING_TASK_H

#include "base/memory.h"
#include "event/supervise.h"
#include "exec/stream-task.h"
#include "model/result.h"
#include "queue/queue.h"

struct running_task {
	struct queue_task task;       /* its strings stand behind this struct */
	struct stream_task streamed;  /* given to a plugin that streams; owner is this struct */
	struct child child;           /* else: a coopr-exec, argv is set; owner is this struct */
	struct result result;         /* once it has ended */
	bool has_result;
	int64_t started_ms, took_ms;
	struct queue_answer *answer;  /* once the result was refused: why */
	struct login_file *login;     /* what it logs in with, or NULL; left when it is freed */
	char *scope;                  /* which tasks with secrets share its process, or NULL */
	char *given;                  /* the record, where it is another than the one in that block; or NULL */
	void *owner;                  /* the caller's */
	struct running_task *next, *previous; /* for the list that holds it */
};

/* Returns a copy of the task, with the record (queue_task_record) that it is done by. */
struct running_task *running_task_new(const struct queue_task *task, const struct buffer *record);
void running_task_free(struct running_task *running);

/* Replaces the record, before the task is given to anyone, by that text, which is taken. */
void running_task_set_record(struct running_task *running, struct buffer *record);

/* Prepares the child that does it, a coopr-exec. argv and environment are borrowed. */
void running_task_make_child(struct running_task *running, char *const *argv, char *const *environment);

/* Makes the result from what the plugin answered, or the coopr-exec printed; if that is none, the result says so. */
void running_task_conclude(struct running_task *running);

/* Makes a result that says that the task could not be started, for now. */
void running_task_refuse(struct running_task *running, const char *why);

struct running_task_list { /* first in, first out; zero-initialise */
	struct running_task *first, *last;
	size_t count;
};

void running_task_list_add(struct running_task_list *list, struct running_task *running);
void running_task_list_remove(struct running_task_list *list, struct running_task *running);

/* Frees all tasks of the list, and empties it. */
void running_task_list_free(struct running_task_list *list);

#endif
