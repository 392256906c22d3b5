/* SPDX-License-Identifier: Apache-2.0
 *
 * What a worker is, for the files of its story: work.c opens, turns and closes it, work-exchange.c deals with the queue,
 * work-run.c and work-room.c with the plugins. A slot goes through these lists: held, as long as there is no room to start
 * its plugin; running, while that is at it; ended, until its result is recorded, many at once; told, until the caller has
 * heard of it.
 */
#ifndef WORKER_WORK_STATE_H
#define WORKER_WORK_STATE_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/names.h"
#include "event/supervise.h"
#include "exec/stream.h"
#include "queue/queue.h"
#include "ssh/sockets.h"
#include "worker/slot.h"
#include "worker/work-config.h"
#include "worker/work.h"

struct work {
	struct work_options options;
	struct work_config config;
	struct queue *queue;
	struct queue_worker *worker;
	int bell;
	struct supervisor supervisor;
	struct streams streams;
	struct sockets sockets;
	char *argv[3]; /* of coopr-exec */
	struct buffer record; /* room for one */

	struct slot_list running, held, ended, told;
	struct slot *last_told;
	struct names jobs; /* those worked on, where somebody will ask for it */
	size_t finished, taken; /* tasks done, attempts begun */
	bool dropped;        /* a result was lost */

	size_t room;         /* for so many processes there are descriptors */
	size_t ceiling;      /* there was room for so many tasks; more are not taken ... */
	int64_t ceiling_until; /* ... before then, monotonic */
	bool look;           /* something may be ready */
	int64_t look_at;     /* look again then, monotonic */
	int64_t take_at;     /* do not take before then: it has failed */
	bool take_failed;    /* ... at the last try, which was told */
	int64_t wanted_at;   /* the next time to ask whether what runs is wanted; INT64_MAX: not asked for */
	int64_t trouble_at;  /* do not record before then */
	int64_t waiting_since; /* something is to be recorded or taken since then; INT64_MAX: nothing */
	int signals;         /* told to end so many times */
	bool announce;       /* ... and that is to be told */
	bool configured;     /* the configuration was read again, and that is to be told */
	struct error refused; /* why not; code 0: it was */
	struct error trouble;
	struct error unfit;  /* why no process can be started at all */
	struct error fatal;  /* why it cannot go on; told last */
	struct exchange *exchange; /* room for one, made with the first */
};

/* Returns how many tasks at once, and whether more can be taken now. */
size_t work_slots(const struct work *work);
size_t work_free_slots(const struct work *work);

/* Whose tasks it takes; NULL: anyone's. */
const char *const *work_tenants(const struct work *work);
const char *const *work_providers(const struct work *work);

/* Returns whether there is something to record or to take now. */
bool work_exchange_due(const struct work *work, int64_t now);

/* Records what has ended and takes what is ready, with one wait for the disk. -1 where the worker cannot go on. */
int work_exchange(struct work *work, struct error *err);

/* Ends what nobody wants any more: its job was cancelled, or it was given to another. */
void work_drop_unwanted(struct work *work);

/* Has a task that was taken done. */
int work_start(struct work *work, const struct queue_task *task, struct error *err);

/* Has a slot that runs done by a process of its own: now, or where there is no room, once there is. */
void work_start_child(struct work *work, struct slot *slot);

/* Starts those held for which there is room. */
void work_start_held(struct work *work);

/* Raises the limit on descriptors to what all slots need, as far as that is allowed. */
void work_allow_descriptors(struct work *work);

/* More tasks than that are not to run at a time. */
size_t work_ceiling(const struct work *work);

/* Returns whether the queue still wants the result of a slot. */
bool work_is_wanted(struct work *work, const struct slot *slot);

/* Ends what a slot that runs does; it is heard of in any case. */
void work_stop(struct work *work, struct slot *slot);

/* A child was heard of. */
void work_heard(struct work *work, struct child *child, enum supervise_event event);

/* Moves what the plugins that stream have finished. */
void work_collect(struct work *work);

#endif
