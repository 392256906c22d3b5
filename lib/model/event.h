/* SPDX-License-Identifier: Apache-2.0
 *
 * An event, coopr-event(5): one line of a job's events.ndjson. Every state that anyone shows is a fold over these. Times
 * that decide something count on CLOCK_BOOTTIME of the boot that the last event with a boot id names; "at" is for people.
 */
#ifndef MODEL_EVENT_H
#define MODEL_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "json/place.h"

struct arena;
struct buffer;
struct document;
struct result;

enum event_kind {
	EVENT_PUT,    /* the job is there */
	EVENT_BOOT,   /* times count from this boot on */
	EVENT_TAKE,   /* an attempt at a task began */
	EVENT_DONE,   /* ... it did what it should */
	EVENT_FAIL,   /* ... it did not */
	EVENT_LOST,   /* ... nobody will ever say */
	EVENT_PAUSE,
	EVENT_RESUME,
	EVENT_CANCEL,
	EVENT_RETRY,  /* failed tasks are ready again */
	EVENT_SKIP,   /* a task counts as done: someone said so */
	EVENT_FINISH, /* nothing more can happen by itself */
	EVENT_KIND_COUNT,
};

enum event_next { /* what follows a fail or a lost */
	EVENT_NEXT_NONE,
	EVENT_NEXT_RETRY,  /* the same action once more */
	EVENT_NEXT_UNDO,   /* the actions of the task's "undo", then the task itself */
	EVENT_NEXT_FAILED, /* nothing: the task has failed */
	EVENT_NEXT_COUNT,
};

struct event {
	enum event_kind kind;
	uint64_t seq;      /* 1, 2, 3, ... in a job */
	uint64_t synced;   /* the seq up to which all was on disk when this was written; 0: not said */
	int64_t at_ms;     /* wall clock */
	int64_t clock_set_ms; /* so much it was set since the event before: times before count by the clock as it was; 0: not */
	const char *by;    /* the worker or the user; or NULL */
	const char *boot;  /* put, boot: the boot id */
	const char *job, *cluster, *tenant, *provider; /* put; provider: or NULL */
	uint64_t order;       /* put: jobs are served in this order */
	int64_t backoff_ms;   /* put */
	const char *plan_sum; /* put: of plan.ndjson; NULL where an earlier version put the job */
	const char *task;     /* take, done, fail, lost, skip; retry: or NULL for all that failed */
	int64_t attempt;
	const char *action;   /* take: where it is not the task's own, but one of its "undo" */
	bool leased;          /* take: without a worker; it is theirs until: */
	int64_t until_ms;     /* boot time */
	enum event_next next; /* fail, lost */
	int64_t ready_ms;     /* next is retry or undo: not before then, boot time */
	int64_t since_ms;     /* fail, next is retry: it fails for the time being since then, boot time; 0: it has failed */
	const char *reason;   /* lost, skip: why; finish: "complete", "failed", "cancelled" */
	int64_t status;       /* done, fail: of the result */
	const char *message;  /* ... why it failed, or NULL; only where it was parsed */
	const char *result;   /* done, fail: canonical text of the result, without its output */
};

const char *event_name(enum event_kind kind);

extern const struct document event_table;

/* Appends the canonical record, with a newline. */
void event_print(const struct event *event, struct buffer *out);

/* And back. Strings live in the arena. */
void event_parse(const struct place *place, struct arena *arena, struct event *event);

/* Appends what an event keeps of a result: all but what the event itself says, and the output. */
void event_result(const struct result *result, struct buffer *out);

#endif
