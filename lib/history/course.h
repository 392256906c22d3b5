/* SPDX-License-Identifier: Apache-2.0
 *
 * The course of a job: its plan, and every attempt at a task of it with when it began, when and how it ended, and who made
 * it, put together from the events. Times are the wall clock's, as the events have them: for people, and to learn from.
 */
#ifndef HISTORY_COURSE_H
#define HISTORY_COURSE_H

#include "base/names.h"
#include "model/event.h"
#include "model/plan-document.h"
#include "queue/queue.h"

struct open_job;
struct record_reader;

enum course_end { COURSE_RUNNING, COURSE_DONE, COURSE_FAILED, COURSE_LOST };

struct course_attempt {
	uint32_t step;      /* number in plan.steps */
	uint32_t previous;  /* link to the attempt before at the same task, 0: none */
	int64_t number;     /* 1, 2, ... of the task */
	enum action action; /* what was done: the task's own, or one of its undo: */
	bool undoing;
	enum course_end end;
	enum event_next next; /* what followed, where it was not done */
	int64_t start_ms;
	int64_t end_ms;     /* never before start_ms; while it runs: the time of the last event there is */
	int64_t status;
	int worker;         /* number in workers, or NAMES_NONE */
	const char *message; /* why it failed or was lost, or NULL */
};

struct course_skip { /* a task that counts as done because someone said so */
	uint32_t step;
	int64_t at_ms;
	const char *by, *reason; /* or NULL */
};

struct course { /* zero-initialise */
	struct plan_document plan;
	struct arena arena;
	struct names steps, nodes, workers; /* steps and nodes: numbers as in plan.steps, plan.layout.nodes */
	uint32_t *node_of;  /* by step; of a milestone: 0 */
	uint32_t *last;     /* by step: link to its last attempt, 0: none */
	bool *skipped;      /* by step: it stands in skips */
	struct course_skip *skips;
	size_t skip_count, skip_capacity;
	struct course_attempt *attempts; /* in the order they began */
	size_t count, capacity;
	const char *job, *tenant; /* the job's id; "" where no event told it */
	const char *outcome; /* "complete", "failed", "cancelled"; NULL: not finished */
	int64_t put_ms;
	int64_t last_ms;    /* of the last event, or of finish where it is finished */
};

/* A job of the spool, finished ones too, up to now. No such job: EX_NO. Release the course in any case. */
int course_of_job(struct queue *queue, const char *id, struct course *course, struct error *err);

/* The same for a job that is locked, and stays so. */
int course_of_open_job(const struct open_job *job, struct course *course, struct error *err);

/* From a stream that holds a plan and, behind it, events. What is wrong inside records goes to problems. */
int course_read(struct record_reader *reader, struct course *course, struct problems *problems, struct error *err);

void course_release(struct course *course);

/* How long an attempt took, in milliseconds. */
int64_t course_took_ms(const struct course_attempt *attempt);

#endif
