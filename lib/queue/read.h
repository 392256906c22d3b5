/* SPDX-License-Identifier: Apache-2.0
 *
 * What is read of a queue: its jobs, their tasks, plans, events and logs. Finished jobs too, as long as the queue keeps
 * them. Nothing here changes anything, and nobody waits for who reads. No such job: -1 with EX_NO.
 */
#ifndef QUEUE_READ_H
#define QUEUE_READ_H

#include <sys/types.h>

#include "base/buffer.h"
#include "model/event.h"
#include "queue/queue.h"

/* --- jobs --- */

/* Counts the workers that have joined and live, and those of them that take tasks of the job (NULL: none). */
int queue_workers(struct queue *queue, const struct queue_job *job, size_t *all, size_t *fit, struct error *err);

/* Fills out with the status of a job. */
int queue_status_of(struct queue *queue, const char *job, struct queue_job *out, struct error *err);

/* Lists the jobs in the order they were put; finished: those too. -1 also where one is damaged: *list has all others. *list is
 * the caller's to free in any case. */
int queue_list(struct queue *queue, bool finished, struct queue_job **list, size_t *count, struct error *err);

/* Appends the plan of a job, with the id that the job got in its job record. */
int queue_plan(struct queue *queue, const char *job, struct buffer *out, struct error *err);

/* Appends the newest record of each node of the plan, with the facts that results brought, in the plan's order. */
int queue_nodes(struct queue *queue, const char *job, struct buffer *out, struct error *err);

/* --- tasks --- */

enum step_status {
	STEP_BLOCKED, /* something it needs is not done */
	STEP_READY,
	STEP_DELAYED, /* ready again after a time */
	STEP_RUNNING,
	STEP_DONE,
	STEP_FAILED,
	STEP_SKIPPED, /* counts as done for what waits for it */
	STEP_STATUS_COUNT,
};

/* Returns "blocked", "ready", ...; "unknown" for anything else. */
const char *queue_step_name(enum step_status status);

struct queue_filter { /* which tasks */
	unsigned statuses; /* bits 1 << status; 0: all */
	const char *task;  /* only that one; NULL: all */
	bool details;      /* and what is known of the last attempt, */
	bool brief;        /* ... but not its output */
};

struct queue_task_status {
	const char *task, *node, *action, *service; /* service "" for a hardware action */
	enum action planned; /* what the plan says it does */
	enum step_status status;
	int64_t attempt;     /* the last one, 0: none yet */
	bool undoing;        /* action is one that undoes the task */
	/* With details, where there was an attempt: */
	const char *by;      /* RUNNING: who has it */
	int stopped_pid;     /* RUNNING: its worker is this process, which a signal has stopped; 0: not so, or not known */
	int64_t at_ms;       /* wall clock: when what was last heard of it happened */
	int64_t code;        /* its exit code */
	const char *message; /* why it failed; or NULL */
	const char *reason;  /* why it was lost; or NULL */
	int64_t first_attempt; /* FAILED, DELAYED, unless brief: the first that failed, if that is another one; 0: none */
	const char *first_message; /* ... and why it failed or was lost; NULL where that is not known */
	int64_t due_ms;      /* DELAYED: in so many milliseconds it is tried again */
	const char *log;     /* where a person finds its output on this host; NULL where there is none */
	const char *output;  /* the last lines of that */
};

/* Lists tasks in the order of the plan; list and strings in the arena. */
int queue_tasks(struct queue *queue, const char *job, const struct queue_filter *filter, struct arena *arena,
    struct queue_task_status **list, size_t *count, struct error *err);

/* --- events --- */

/* Appends the events of a job behind the one numbered after (0: all), a record each. */
int queue_events(struct queue *queue, const char *job, uint64_t after, struct buffer *out, struct error *err);

struct queue_follow; /* events as they come, those of a job in their order, each once */

enum { QUEUE_NOW = -1 };

struct queue_follow_options {
	char *const *jobs; /* NULL-terminated; none: all that are not finished, and all that come */
	int64_t since_ms;  /* wall clock; 0: from their start; QUEUE_NOW: only what happens from here on */
	bool past;         /* end with what has happened up to now */
	bool at_hand;      /* never wait: 0 where there is nothing for now; a job that cannot be read is told of, and passed over */
};

struct queue_event {
	const char *job;
	struct event event;
	const char *line; /* its record, with its newline */
	size_t length;
};

struct queue_follow *queue_follow(struct queue *queue, const struct queue_follow_options *options, struct error *err);

/* Waits for the next event: 1; 0 where all jobs that were named are finished; -1 with a reason. Where nobody reads our
 * stdout any more, that is one: EX_IOERR. The event lives until the next call. */
int queue_follow_next(struct queue_follow *follow, struct queue_event *event, struct error *err);

/* Returns the descriptor that becomes readable when there may be more. */
int queue_follow_descriptor(const struct queue_follow *follow);

/* Appends the event as a record of its own: one that does not say its job gets it. */
void queue_event_record(const struct queue_event *event, struct buffer *out);

void queue_follow_close(struct queue_follow *follow); /* NULL is fine; before the queue */

/* --- logs: what an attempt has printed --- */

/* Reads up to size bytes from offset on; negative: so many bytes before the end. Returns how many; 0 at the end of what there
 * is by now, or where it has said nothing; -1 with a reason. */
ssize_t queue_log_read(struct queue *queue, const char *job, const char *task, int64_t attempt, int64_t offset,
    char *bytes, size_t size, struct error *err);

/* Returns the last lines that an attempt has printed, in the arena; NULL where there are none. */
const char *queue_log_tail(struct queue *queue, const char *job, const char *task, int64_t attempt, struct arena *arena);

struct queue_logs; /* the logs of a job as they grow */

struct queue_logs *queue_logs_open(struct queue *queue, const char *job, struct error *err);

/* Returns the descriptor that becomes readable when one of them has grown. */
int queue_logs_watch(const struct queue_logs *logs);

/* Names an attempt whose log has grown: 1; *task NULL: any of them may have. 0: there is none for now. The name lives until
 * the next call. */
int queue_logs_next(struct queue_logs *logs, const char **task, int64_t *attempt, struct error *err);
void queue_logs_close(struct queue_logs *logs); /* NULL is fine */

#endif
