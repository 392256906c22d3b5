/* SPDX-License-Identifier: Apache-2.0
 *
 * A job in detail: its tasks with what became of them, the plan and the events as they are, and the layout that the
 * cluster has by now. Finished jobs too. All is gathered under the job's lock and printed after it: nobody waits for a pager.
 */
#ifndef HISTORY_SHOW_H
#define HISTORY_SHOW_H

#include "queue/spool/engine.h"

struct arena;
struct buffer;

struct show_task {
	const char *task, *node, *action, *service; /* service "" for a hardware action */
	enum step_status status;
	int64_t attempt;     /* the last one, 0: none yet */
	bool undoing;        /* action is one that undoes the task */
	/* With details, where there was an attempt: */
	const char *by;      /* RUNNING: who has it */
	int64_t at_ms;       /* wall clock: when what was last heard of it happened */
	int64_t code;        /* its exit code */
	const char *message; /* why it failed; or NULL */
	const char *reason;  /* why it was lost; or NULL */
	int64_t due_ms;      /* DELAYED: in so many milliseconds it is tried again */
	const char *log;     /* path of its output; NULL where there is none */
	const char *output;  /* the last lines of that */
};

/* The tasks whose status is in wanted (bits 1 << status), in the order of the plan, strings and list in the arena. */
int show_tasks(struct queue *queue, const char *id, unsigned wanted, bool details, struct arena *arena,
    struct show_task **list, size_t *count, struct error *err);

/* The last lines that an attempt has printed, "" for none; NULL where nothing was kept. */
const char *show_output(const struct open_job *job, const char *task, int64_t attempt, struct arena *arena);

/* Each appends records. */
int show_plan(struct queue *queue, const char *id, struct buffer *out, struct error *err);
int show_events(struct queue *queue, const char *id, struct buffer *out, struct error *err);
int show_layout(struct queue *queue, const char *id, struct buffer *out, struct error *err);

#endif
