/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "queue/spool/engine.h"
#include "queue/spool/local.h"

static int
control_record(struct open_job *job, struct event *event, struct error *err)
{
	if (job_record(job, event, err) == 0)
		return job_commit(job, err);
	job_abandon(job);
	return -1;
}

static int
control_check_retry(struct open_job *job, const char *task, struct error *err)
{
	struct job_state *state = &job->state;
	uint32_t link = task ? state_find(state, task) : 0;

	if (task && (!link || state_step(state, link - 1)->is_milestone))
		return error_absent(err, "job %s: it has no task %s", job->id, task);
	if (link && state_live(state, link - 1)->status != STEP_FAILED &&
	    state_live(state, link - 1)->status != STEP_DELAYED)
		return error_set(err, EX_NO, "job %s: task %s has not failed: it is %s", job->id, task,
		    queue_step_name((enum step_status)state_live(state, link - 1)->status));
	if (!link && !state->header->count[STEP_FAILED] && !state->header->cancelled)
		return error_set(err, EX_NO, "job %s: no task of it has failed", job->id);
	return 0;
}

/* It may not have left yet; and it may have been removed (coopr-queue gc) since it was opened. */
static int
control_move_back(const struct spool *spool, const char *job, struct error *err)
{
	if (spool_move(spool->done, job, spool->jobs, job) < 0 && (errno != ENOENT || !file_exists(spool->jobs, job)))
		return error_errno(err, errno == ENOENT ? EX_NO : EX_IOERR, "job %s: cannot be brought back", job);
	if (fsync(spool->done) == 0 && fsync(spool->jobs) == 0)
		return 0;
	error_errno(err, EX_IOERR, "job %s: cannot be brought back", job);
	/* Nobody is to find it there, and take it for brought to disk. */
	spool_move(spool->jobs, job, spool->done, job);
	return -1;
}

/* The slot comes first, and what the caller records last: stopped in between, a finished job is to be moved to done/, as if
 * nothing had been. */
int
engine_bring_back(struct spool_queue *queue, struct open_job *job, struct error *err)
{
	const struct state_header *header = job->state.header;
	const struct spool *spool = &queue->spool;
	int numbers, result;

	numbers = spool_lock_cluster(spool, header->cluster, true, err);
	if (numbers < 0)
		return -1;
	result = engine_add_slot(queue, job, err);
	if (result == 0 && (result = control_move_back(spool, job->id, err)) < 0) {
		struct error ignored;

		scheduler_remove(&queue->table, job->id, &ignored);
	}
	close(numbers);
	return result;
}

static int
control_apply(struct spool_queue *queue, enum queue_control what, struct open_job *job, const char *task, struct error *err)
{
	const struct state_header *header = job->state.header;
	struct event event = {.by = engine_user(queue), .task = task};

	if (what == QUEUE_RETRY) {
		if (control_check_retry(job, task, err) < 0 ||
		    (header->finished && engine_bring_back(queue, job, err) < 0))
			return -1;
		event.kind = EVENT_RETRY;
		return control_record(job, &event, err);
	}
	if (header->finished)
		return error_set(err, EX_NO, "job %s: it is finished (%s)", job->id,
		    queue_status_name((enum queue_status)header->finished));
	event.task = NULL;
	event.kind = what == QUEUE_CANCEL ? EVENT_CANCEL : what == QUEUE_PAUSE ? EVENT_PAUSE : EVENT_RESUME;
	if (what == QUEUE_CANCEL ? header->cancelled != 0 : (header->paused != 0) == (what == QUEUE_PAUSE))
		return 0;
	return control_record(job, &event, err);
}

static int
control_skip(struct spool_queue *queue, struct open_job *job, const char *task, const char *reason, struct error *err)
{
	struct event event = {.kind = EVENT_SKIP, .by = engine_user(queue), .task = task, .reason = reason};
	struct job_state *state = &job->state;
	uint32_t link = state_find(state, task);
	enum step_status status = link ? (enum step_status)state_live(state, link - 1)->status : STEP_DONE;

	if (!link || state_step(state, link - 1)->is_milestone)
		return error_absent(err, "job %s: it has no task %s", job->id, task);
	if (status == STEP_RUNNING || status == STEP_DONE)
		return error_set(err, EX_NO, "job %s: task %s cannot be skipped: it is %s", job->id, task,
		    queue_step_name(status));
	if (state->header->cancelled)
		return error_set(err, EX_NO, "job %s: it is cancelled: nothing of it would go on", job->id);
	if (status == STEP_SKIPPED)
		return 0;
	if (state->header->finished && engine_bring_back(queue, job, err) < 0)
		return -1;
	return control_record(job, &event, err);
}

/* Ends a change of a locked job: unlocks it, and has it on disk. */
static int
control_end(struct spool_queue *queue, struct open_job *job, int result, struct error *err)
{
	/* An order that changed nothing is acknowledged as well: the one before us may have been stopped before it was on disk. */
	if (result == 0)
		job_rely(job);
	job_unlock(job);
	if (result == 0)
		result = job_sync(job, err);
	spool_notify(&queue->spool);
	return result;
}

/* Returns the job, locked, to be changed by hand. */
static struct open_job *
control_lock(struct spool_queue *queue, const char *job, struct error *err)
{
	if (engine_check_writable(queue, err) < 0 || scheduler_refresh(&queue->table, err) < 0)
		return NULL;
	return engine_lock_whole(queue, job, err);
}

int
control_skip_task(struct queue *base, const char *id, const char *task, const char *reason, struct error *err)
{
	struct spool_queue *queue = spool_queue_of(base);
	struct open_job *job = control_lock(queue, id, err);

	return job ? control_end(queue, job, control_skip(queue, job, task, reason, err), err) : -1;
}

int
control_job(struct queue *base, enum queue_control what, const char *id, const char *task, struct error *err)
{
	struct spool_queue *queue = spool_queue_of(base);
	struct open_job *job = control_lock(queue, id, err);

	return job ? control_end(queue, job, control_apply(queue, what, job, task, err), err) : -1;
}
