/* SPDX-License-Identifier: Apache-2.0
 *
 * An open job: its folder, its lock, its events, its state. All changes go the same way:
 *
 *	job_lock      the state is what the events say, whatever happened before
 *	job_record    an event, any number: applied to the state, its line kept (job_touch: a change that time alone makes)
 *	job_commit    the lines are written, in one write
 *	job_unlock    others may go on
 *	job_sync      ... and it is on disk: one fsync for all who came meanwhile
 *
 * A process may be killed anywhere: the state says so itself (dirty), and is then built anew by the next one.
 */
#ifndef QUEUE_SPOOL_JOB_H
#define QUEUE_SPOOL_JOB_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buffer.h"
#include "model/event.h"
#include "model/take/setting.h"
#include "queue/job/state.h"

struct scheduler_table;
struct error;
struct spool;

/* The settings of the cluster, kept between takes (take-record.c): one for tasks of the hardware, which run while addresses
 * are not known yet, one for all others. */
struct job_setting {
	struct setting setting;
	uint32_t generation;
	bool made;
};

struct open_job {
	const struct spool *spool;
	struct scheduler_table *table;  /* NULL where nothing is to be changed */
	char id[QUEUE_ID_SIZE];
	bool writable, locked;
	bool changing;           /* the state is dirty on our account */
	int dir, lock, events;
	int plan, nodes_read; /* of these files, kept open for reading; -1: not yet */
	ino_t events_inode;
	struct job_state state;
	struct buffer lines;     /* of the events recorded and not yet committed */
	struct buffer nodes;     /* node records that follow on nodes_size bytes of nodes.ndjson */
	uint64_t written, written_seq; /* how far events.ndjson went after our last commit */
	struct job_setting *setting; /* two; or NULL */
};

/* Opens a job in jobs/ or done/. No such job: EX_NO. */
int job_open(struct open_job *job, const struct spool *spool, struct scheduler_table *table, const char *id,
    struct error *err);
void job_close(struct open_job *job);

/* EX_NO where the job was removed meanwhile. */
int job_lock(struct open_job *job, struct error *err);
void job_unlock(struct open_job *job);

/* The link to its slot on the scheduler's table, 0: it has none. Under the lock. */
uint32_t job_slot(struct open_job *job);

/* Before any change of the state. */
void job_touch(struct open_job *job);

/* Fills seq and at, applies the event, and keeps its line. Where that fails, what follows is job_abandon. */
int job_record(struct open_job *job, struct event *event, struct error *err);

/* Writes what was recorded; adds the finish where the job is over. After a failure nothing of it has happened. */
int job_commit(struct open_job *job, struct error *err);

/* Forgets what was recorded: the state is built anew before it is used again. */
void job_abandon(struct open_job *job);

/* Has job_sync wait for all events there are, also those of others: for who acknowledges what another one has written, and
 * may not have seen brought to disk. Under the lock. */
void job_rely(struct open_job *job);

/* Returns once all that this process has committed is on disk; then a finished job is moved to done/. Not under the lock. */
int job_sync(struct open_job *job, struct error *err);

/* Moves a finished job from jobs/ to done/. Not under the lock. */
int job_retire(struct open_job *job, struct error *err);

/* Appends the newest record of a node, without its newline. Under the lock. */
int job_node(struct open_job *job, uint32_t node, struct buffer *out, struct error *err);

/* Returns whether that is the newest record of a node: -1 where the file was damaged, and is to be made anew with the state. */
int job_check_node(struct open_job *job, uint32_t node, const char *record, struct error *err);

/* Appends length bytes of plan.ndjson. */
int job_plan(struct open_job *job, uint64_t offset, size_t length, struct buffer *out, struct error *err);

/* Reads a cache in the folder of a job. Returns whether there is one, and it is whole. */
bool job_load_cache(int dir, const char *name, struct buffer *text);

/* Writes a cache, with a checksum that text gets as its last line. Where that is not possible there is none. */
void job_save_cache(const struct open_job *job, const char *name, struct buffer *text);

#endif
