/* SPDX-License-Identifier: Apache-2.0
 *
 * A queue that is a spool: its folders, its table, and the jobs that were used last, kept open.
 */
#ifndef QUEUE_SPOOL_ENGINE_H
#define QUEUE_SPOOL_ENGINE_H

#include "queue/engine.h"
#include "queue/spool/job.h"
#include "queue/spool/shared/scheduler-table.h"
#include "queue/spool/shared/spool.h"

enum { ENGINE_OPEN_MAX = 64, ENGINE_UNSYNCED_MAX = 32 };

struct spool_queue {
	struct queue base;
	struct spool spool;
	struct scheduler_table table;
	bool writable;
	char *user; /* for "by" of what is done by hand */
	struct open_job *open[ENGINE_OPEN_MAX]; /* the one used last first */
	size_t open_count;
	int64_t stopped_ms; /* boot time: when stopped workers are to be looked at again */
	uint64_t ended;     /* hash of the id of the last one that was ended; 0: none */
};

static inline struct spool_queue *
spool_queue_of(struct queue *queue)
{
	return (struct spool_queue *)queue;
}

/* The job, open; NULL with a reason (EX_NO: there is none). It stays the queue's. */
struct open_job *engine_job(struct spool_queue *queue, const char *id, struct error *err);

/* The job, open and locked. */
struct open_job *engine_lock(struct spool_queue *queue, const char *id, struct error *err);

/* The same, and its state is looked through for damage: for who reads all of it. */
struct open_job *engine_lock_whole(struct spool_queue *queue, const char *id, struct error *err);

/* Changes a locked job: records events, and does not commit them. */
typedef int engine_changer(struct open_job *job, void *context, struct error *err);

/* Locks the job, changes it, commits that and unlocks it; once more where the state turned out to be damaged. What was written
 * is still to be brought to disk (job_sync). NULL where it failed: nothing has happened. */
struct open_job *engine_change(struct spool_queue *queue, const char *id, engine_changer *change, void *context,
    struct error *err);

/* Brings to disk what was written of all jobs that are open: written first, then brought to disk together, they share the
 * disk's work. NULL where that is done, else a job that the disk has refused: call it again for the others. */
struct open_job *engine_sync(struct spool_queue *queue, struct error *err);

/* So many jobs that the caller is to do that before it changes another. */
bool engine_is_full(const struct spool_queue *queue);

/* Gives a job that is locked a slot on the scheduler's table. */
int engine_add_slot(struct spool_queue *queue, struct open_job *job, struct error *err);

/* Brings a job that is locked back from done/ to jobs/, onto the scheduler's table, and onto the disk. */
int engine_bring_back(struct spool_queue *queue, struct open_job *job, struct error *err);

/* Returns the name of the user, who acts. */
const char *engine_user(struct spool_queue *queue);

/* Refuses what would change a spool that was opened to read. */
int engine_check_writable(const struct spool_queue *queue, struct error *err);

#endif
