/* SPDX-License-Identifier: Apache-2.0
 *
 * The state of a worker, for the files that it is made of: work.c opens, turns and closes it, work-exchange.c deals with the
 * queue, work-run.c with the plugins. A task goes through these lists: held, as long as there is no room to start its plugin;
 * running, while that is at it; ended, until its result is recorded, many at once; recorded, until the caller was told of it.
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
#include "worker/identity.h"
#include "worker/job-end.h"
#include "worker/login-files.h"
#include "worker/running-task.h"
#include "worker/work-config.h"
#include "worker/work.h"

struct work {
	struct work_options options;
	struct work_config config;
	struct queue *queue;
	struct queue_worker *worker;
	int notify;
	struct supervisor supervisor;
	struct streams streams;
	struct sockets sockets;
	struct login_files logins;
	struct identity identity;
	struct job_end job_end;
	char *argv[3]; /* of coopr-exec */
	struct buffer record; /* room for one */

	struct running_task_list running, held, ended, recorded;
	struct running_task *last_told; /* its strings are in the note that the caller has */
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
	struct error unrecorded; /* why the queue took no results after the second signal; code 0: it was not asked, or has */
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

/* Returns how many more tasks can be taken now. */
size_t work_free_slots(const struct work *work);

/* Returns the tenants and the providers whose tasks it takes, or NULL for anyone's. */
const char *const *work_tenants(const struct work *work);
const char *const *work_providers(const struct work *work);

/* Returns whether there is something to record or to take now. */
bool work_exchange_due(const struct work *work, int64_t now);

/* Records what has ended and takes what is ready, with one wait for the disk. Returns -1 if the worker cannot go on. */
int work_exchange(struct work *work, struct error *err);

/* Stops what nobody wants any more: its job was cancelled, or it was given to another. */
void work_stop_unwanted(struct work *work);

/* Has a task that was taken done. */
int work_start(struct work *work, const struct queue_task *task, struct error *err);

/* Raises the limit on descriptors to what all slots need, as far as that is allowed. */
void work_allow_descriptors(struct work *work);

/* Returns whether the queue still wants the result of the task. */
bool work_is_wanted(struct work *work, const struct running_task *running);

/* Stops the task, or all of them; what runs ends by an event in any case. */
void work_stop(struct work *work, struct running_task *running);
void work_stop_all(struct work *work);

/* Deals with an event of a child. */
void work_child_event(struct work *work, struct child *child, enum supervise_event event);

/* Moves what the plugins that stream have finished, and starts what is held if there is room. */
void work_collect(struct work *work);

#endif
