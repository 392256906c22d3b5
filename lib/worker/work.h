/* SPDX-License-Identifier: Apache-2.0
 *
 * A worker: takes tasks from the queue, has each done by its plugin, and records what became of them. One loop, which
 * its caller turns: work_next returns when there is something to tell.
 */
#ifndef WORKER_WORK_H
#define WORKER_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;
struct work;

enum { WORK_SLOTS = 20, WORK_SLOTS_MAX = 100000 };

enum work_until {
	WORK_SERVED,  /* for ever */
	WORK_DRAINED, /* until nothing is ready, running or to come */
	WORK_ONE,     /* until one task is done */
};

struct work_options {
	const char *spool;  /* its path */
	const char *job;    /* only this one, or NULL */
	const char *config; /* the file to read instead of the user's and the system's, or NULL */
	size_t slots;       /* tasks at the same time; 0: as configured */
	const char *const *tenants, *const *providers; /* lists that end with NULL; NULL: as configured */
	enum work_until until;
};

enum work_event {
	WORK_FINISHED,  /* a task: its note says how; status 0 is done */
	WORK_UNWANTED,  /* a task: nobody wants its result any more; text says why */
	WORK_DROPPED,   /* a task: its result cannot be recorded, ever; text says why */
	WORK_STOPPING,  /* told to end: no more is taken; note.running tasks are waited for */
	WORK_BREAKING,  /* told again: what runs is ended, and will be ready again */
	WORK_CONFIGURED, /* the configuration was read again; text says why the old one stays, or is NULL */
	WORK_TROUBLE,   /* the queue fails for now, and will be tried again; text says at what, and why */
	WORK_UNFINISHED, /* what comes after a job is not done for now; text says what, and why */
	WORK_OVER,
};

struct work_note { /* strings live until the next call */
	const char *job, *task, *node, *action, *service; /* service may be NULL */
	int64_t attempt, status;
	const char *text; /* why it failed, or NULL */
	int64_t took_ms;
	size_t running;
};

/* Joins the queue as a worker. NULL with a reason in err. The options' strings but the spool's are to
 * outlive it. */
struct work *work_open(const struct work_options *options, struct error *err);

/* Works until there is something to tell. -1 where it cannot go on. */
int work_next(struct work *work, enum work_event *event, struct work_note *note, struct error *err);

/* Tells how far it is: tasks that this worker finished, these and all that are still to do, and how many it is at. */
int work_progress(struct work *work, size_t *done, size_t *total, size_t *running, struct error *err);

/* Returns whether a job that it worked on has failed, or for WORK_ONE whether there was nothing to do. */
bool work_is_bad(struct work *work);

/* Leaves the queue: what still runs is ended and ready again; closes the connections that were kept. */
int work_close(struct work *work, struct error *err);

#endif
