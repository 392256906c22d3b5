/* SPDX-License-Identifier: Apache-2.0
 *
 * One task in the hands of a worker: the coopr-exec or the streaming plugin that does it, and the result it ends with.
 */
#ifndef WORKER_SLOT_H
#define WORKER_SLOT_H

#include "base/memory.h"
#include "event/supervise.h"
#include "exec/errand.h"
#include "model/result.h"
#include "queue/queue.h"

struct slot {
	struct queue_task task; /* its strings stand behind the slot */
	struct errand errand;   /* given to a plugin that streams; owner is the slot */
	struct child child;     /* else: a coopr-exec, argv is set; owner is the slot */
	struct result result;   /* once it has ended */
	bool has_result;
	int64_t started_ms, took_ms;
	struct queue_answer *answer; /* once the result was refused: why */
	void *owner;            /* the caller's */
	struct slot *next, *previous; /* for the list that holds it */
};

/* Returns a slot for the task, of which it keeps a copy with the record (queue_task_record) that it is done by. */
struct slot *slot_new(const struct queue_task *task, const struct buffer *record);
void slot_free(struct slot *slot);

/* Makes it a coopr-exec's. argv and environment are borrowed. */
void slot_make_child(struct slot *slot, char *const *argv, char *const *environment);

/* Makes the result from what the plugin answered, or the coopr-exec printed; where that is none, says so in one. */
void slot_conclude(struct slot *slot);

/* Makes the result say that the task could not be started: temporary. */
void slot_refuse(struct slot *slot, const char *why);

struct slot_list { /* first in, first out; zero-initialise */
	struct slot *first, *last;
	size_t count;
};

void slot_list_add(struct slot_list *list, struct slot *slot);
void slot_list_remove(struct slot_list *list, struct slot *slot);

#endif
