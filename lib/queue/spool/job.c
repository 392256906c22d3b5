/* SPDX-License-Identifier: Apache-2.0 */
#include "queue/spool/job.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/lock.h"
#include "queue/job/fold.h"
#include "queue/job/ready.h"
#include "queue/spool/job-recover.h"
#include "queue/spool/shared/journal.h"
#include "queue/spool/shared/scheduler-table.h"
#include "queue/spool/shared/spool.h"
#include "queue/spool/summary.h"

enum { CLOCK_SET_LEAST_MS = 2000 };

int
job_lock(struct open_job *job, struct error *err)
{
	int how = job->writable ? LOCK_EX : LOCK_SH, result;
	struct stat dir, lock;

	if (job->spool->impatient)
		result = lock_unless_stopped(job->lock, how, err);
	else if ((result = lock_wait(job->lock, how)) < 0)
		error_errno(err, EX_OSERR, "lock");
	if (result < 0)
		return error_prefix(err, "job %s", job->id);
	/* A lock that was removed by hand excludes nobody who has opened the one made after it. */
	if (fstat(job->dir, &dir) < 0 || dir.st_nlink == 0 || fstat(job->lock, &lock) < 0 || lock.st_nlink == 0) {
		flock(job->lock, LOCK_UN);
		return error_set(err, EX_NO, "job %s: it has been removed", job->id);
	}
	job->locked = true;
	if (job_recover(job, err) == 0)
		return 0;
	job_unlock(job);
	return -1;
}

uint32_t
job_slot(struct open_job *job)
{
	struct state_header *header = job->state.header;

	header->slot = scheduler_find(job->table, job->id, header->slot);
	return header->slot;
}

/* Tells the scheduler what the job has to offer from here on. */
static void
job_publish(struct open_job *job)
{
	struct job_state *state = &job->state;
	const struct state_header *header = state->header;
	bool other_boot = strcmp(header->events_boot, job->spool->boot) != 0;
	uint32_t timer = timer_first(state);
	struct scheduler_hint hint = {.offers = header->ready_count, .running = header->count[STEP_RUNNING],
	    .timer_ms = timer ? state_live(state, timer - 1)->due_ms : INT64_MAX,
	    .closed = header->paused || header->cancelled, .finished = header->finished != 0};

	/* Tasks that ran when the machine stopped are to be noticed now. */
	if (other_boot && !hint.finished)
		hint.timer_ms = 0;
	scheduler_publish(job->table, job_slot(job), job->id, &hint);
}

void
job_unlock(struct open_job *job)
{
	struct job_state *state = &job->state;

	if (state->map && state->broken)
		state->header->dirty = 1;
	if (job->table && state->map && !state->header->dirty)
		job_publish(job);
	state_forget(state);
	job->locked = false;
	flock(job->lock, LOCK_UN);
}

void
job_touch(struct open_job *job)
{
	if (job->changing)
		return;
	scheduler_enter(job->table, job_slot(job), job->id);
	job->changing = true;
	job->state.header->dirty = 1;
	atomic_signal_fence(memory_order_seq_cst);
}

/* Returns by how much the wall clock was set since the event before, and keeps what it is ahead now. A clock that is slewed goes
 * more slowly than that. */
static int64_t
job_clock_set_ms(struct state_header *header, int64_t at_ms)
{
	int64_t ahead = at_ms - clock_boottime_ms(), set = header->clock_ms ? ahead - header->clock_ms : 0;

	header->clock_ms = ahead;
	return set > -CLOCK_SET_LEAST_MS && set < CLOCK_SET_LEAST_MS ? 0 : set;
}

int
job_record(struct open_job *job, struct event *event, struct error *err)
{
	struct state_header *header = job->state.header;
	uint64_t offset = header->applied + job->lines.length;

	job_touch(job);
	event->seq = header->seq + 1;
	event->at_ms = clock_wall_ms();
	event->clock_set_ms = job_clock_set_ms(header, event->at_ms);
	event->synced = header->synced_seq > header->said_synced ? header->synced_seq : 0;
	if (job_learn(job, event, err) < 0 || fold(&job->state, event, offset, err) < 0) {
		/* Whoever records has looked whether it can be: that it cannot is damage. */
		job->state.broken = true;
		return error_prefix(err, "job %s", job->id);
	}
	event_print(event, &job->lines);
	return 0;
}

static int
job_append_nodes(const struct open_job *job, struct error *err)
{
	const struct buffer *nodes = &job->nodes;
	uint64_t at = job->state.header->nodes_size;
	int fd, result = 0;

	if (nodes->length == 0)
		return 0;
	fd = file_open(job->dir, "nodes.ndjson", O_WRONLY, 0, err);
	if (fd < 0)
		return error_prefix(err, "job %s", job->id);
	/* If it fails, whatever remains behind the old end is trimmed by the next one to open the job. */
	if (lseek(fd, (off_t)at, SEEK_SET) < 0 || file_write_all(fd, nodes->data, nodes->length) < 0)
		result = error_errno(err, EX_IOERR, "job %s: nodes.ndjson", job->id);
	close(fd);
	return result;
}

/* Writes what was recorded, and the finish where the job is over. */
static int
job_write(struct open_job *job, struct error *err)
{
	const struct state_header *header = job->state.header;
	struct event finish = {.kind = EVENT_FINISH};

	if (!header->finished && fold_is_over(&job->state)) {
		finish.reason = queue_status_name(fold_outcome(&job->state));
		if (job_record(job, &finish, err) < 0)
			return -1;
	}
	if (header->sync_failed)
		return error_set(err, EX_IOERR,
		    "job %s: events.ndjson could not be brought to disk before; coopr-queue fsck --repair %s writes it anew",
		    job->id, job->id);
	/* Facts first: without their event they say nothing, and are trimmed. */
	if (job_append_nodes(job, err) < 0)
		return -1;
	if (journal_append(job->events, header->applied, &job->lines, err) < 0)
		return error_prefix(err, "job %s", job->id);
	return 0;
}

int
job_commit(struct open_job *job, struct error *err)
{
	struct state_header *header = job->state.header;

	if (!job->changing)
		return 0;
	if (job->lines.length > 0 && job_write(job, err) < 0) {
		job_abandon(job);
		return -1;
	}
	header->nodes_size += job->nodes.length;
	atomic_store((_Atomic uint64_t *)&header->applied, header->applied + job->lines.length);
	if (job->lines.length > 0) {
		job->written = header->applied;
		job->written_seq = header->seq;
	}
	atomic_signal_fence(memory_order_seq_cst);
	state_close(&job->state);
	atomic_signal_fence(memory_order_seq_cst);
	header->dirty = 0;
	job->changing = false;
	buffer_clear(&job->lines);
	buffer_clear(&job->nodes);
	return 0;
}

void
job_abandon(struct open_job *job)
{
	buffer_clear(&job->lines);
	buffer_clear(&job->nodes);
	job->changing = false;
}

void
job_rely(struct open_job *job)
{
	const struct state_header *header = job->state.header;

	job->written = header->applied;
	job->written_seq = header->seq;
}

int
job_sync(struct open_job *job, struct error *err)
{
	struct state_header *header = job->state.header;
	_Atomic uint64_t *synced = (_Atomic uint64_t *)&header->synced, *applied = (_Atomic uint64_t *)&header->applied;
	uint64_t written = job->written, target;
	int result = 0;

	if (written == 0)
		return 0;
	job->written = 0;
	if (atomic_load(synced) < written) {
		/* One at a time: who waits here finds, mostly, that the one before has brought its events along. */
		if (lock_wait(job->events, LOCK_EX) < 0)
			return error_errno(err, EX_OSERR, "job %s: events.ndjson", job->id);
		if (atomic_load(synced) < written) {
			target = atomic_load(applied);
			result = file_sync_data(job->events, &header->sync_failed);
			if (result == 0) {
				header->synced_seq = job->written_seq;
				atomic_store(synced, target);
			} else {
				error_errno(err, EX_IOERR, "job %s: events.ndjson could not be brought to disk", job->id);
			}
		}
		flock(job->events, LOCK_UN);
	}
	if (result == 0 && header->finished)
		result = job_retire(job, err);
	return result;
}

int
job_retire(struct open_job *job, struct error *err)
{
	int result = 0;

	if (job_lock(job, err) < 0)
		return err->code == EX_NO ? 0 : -1;
	if (job->state.header->finished) {
		summary_save(job);
		/* Another one may have moved it before us, and been stopped before it left the scheduler's table. */
		if (spool_move(job->spool->jobs, job->id, job->spool->done, job->id) == 0 || errno == ENOENT)
			result = scheduler_remove(job->table, job->id, err);
		else
			result = error_errno(err, EX_IOERR, "job %s: cannot be moved to %s/done", job->id,
			    job->spool->path);
	}
	job_unlock(job);
	return result;
}
