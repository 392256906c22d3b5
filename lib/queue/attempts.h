/* SPDX-License-Identifier: Apache-2.0
 *
 * The attempts of a job: its plan, and every attempt at a task of it with when it began, when and how it ended, and who made
 * it, put together from the events. Times are the wall clock's, as the events have them: for people, and to learn from.
 */
#ifndef QUEUE_ATTEMPTS_H
#define QUEUE_ATTEMPTS_H

#include "base/names.h"
#include "model/event.h"
#include "model/plan-document.h"
#include "queue/queue.h"

struct buffer;
struct record_reader;

enum attempt_end { ATTEMPT_RUNNING, ATTEMPT_DONE, ATTEMPT_FAILED, ATTEMPT_LOST };

struct attempt {
	uint32_t step;      /* number in plan.steps */
	uint32_t previous;  /* link to the attempt before at the same task, 0: none */
	int64_t number;     /* 1, 2, ... of the task */
	enum action action; /* what was done: the task's own, or one of its undo: */
	bool undoing;
	enum attempt_end end;
	enum event_next next; /* what followed, where it was not done */
	int64_t start_ms;
	int64_t end_ms;     /* never before start_ms; while it runs: the time of the last event there is */
	int64_t asked_ms;   /* done: when the machine that it made was asked for, as its provider tells; 0: nothing is told */
	int64_t status;
	bool made_nothing;  /* a creation that failed, and certainly made no machine: it was refused, or there was no room */
	int worker;         /* number in workers, or NAMES_NONE */
	const char *message; /* why it failed or was lost, or NULL */
};

struct attempts_skip { /* a task that counts as done because someone said so */
	uint32_t step;
	int64_t at_ms;
	const char *by, *reason; /* or NULL */
};

struct attempts { /* zero-initialise */
	struct plan_document plan;
	struct arena arena;
	struct names steps, nodes, workers; /* steps and nodes: numbers as in plan.steps, plan.layout.nodes */
	uint32_t *node_of;  /* by step; of a milestone: 0 */
	uint32_t *last;     /* by step: link to its last attempt, 0: none */
	bool *skipped;      /* by step: it stands in skips */
	struct attempts_skip *skips;
	size_t skip_count, skip_capacity;
	struct attempt *list; /* in the order they began */
	size_t count, capacity;
	const char *job, *tenant; /* the job's id; "" where no event told it */
	const char *outcome; /* "complete", "failed", "cancelled"; NULL: not finished */
	int64_t put_ms;
	int64_t last_ms;    /* of the last event, or of finish where it is finished */
};

/* Reads a job of the queue, finished ones too, up to now. No such job: EX_NO. Release the attempts in any case. */
int attempts_of_job(struct queue *queue, const char *job, struct attempts *attempts, struct error *err);

/* Reads a text that holds a plan and, behind it, events; it is released. */
int attempts_of_text(const char *job, struct buffer *text, struct attempts *attempts, struct error *err);

/* Reads a stream that holds a plan and, behind it, events. What is wrong inside records goes to problems. */
int attempts_read(struct record_reader *reader, struct attempts *attempts, struct problems *problems, struct error *err);

void attempts_release(struct attempts *attempts);

/* Returns how long an attempt took, in milliseconds. */
int64_t attempt_took_ms(const struct attempt *attempt);

/* Returns whether it is a check that said "not yet", and was asked again: a wait, no failure. */
bool attempt_is_wait(const struct attempt *attempt);

#endif
