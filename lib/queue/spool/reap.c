/* SPDX-License-Identifier: Apache-2.0 */
#include "queue/spool/reap.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "queue/job/fold.h"
#include "queue/job/id.h"
#include "queue/job/policy.h"
#include "queue/job/ready.h"
#include "queue/job/step.h"
#include "queue/spool/local.h"
#include "queue/spool/shared/scheduler.h"
#include "queue/spool/stuck.h"
#include "queue/spool/take-record.h"

static int
reap_lose_step(struct open_job *job, uint32_t step, const char *reason, struct error *err)
{
	struct job_state *state = &job->state;
	struct event event = {.kind = EVENT_LOST, .task = state_step_id(state, step),
	    .attempt = state_live(state, step)->attempt, .reason = reason};

	policy_decide(state, step, &event, 0);
	return job_record(job, &event, err);
}

/* Loses the running steps that worker holds; 0: all of them. */
static int
reap_lose_running(struct open_job *job, uint64_t worker, const char *reason, struct error *err)
{
	struct job_state *state = &job->state;
	uint32_t link = state->header->running, next, left = state->header->count[STEP_RUNNING];

	for (; link && !state->broken; link = next) {
		next = state_live(state, link - 1)->next;
		/* The list cannot be longer than the count says, but for damage. */
		if (left-- == 0)
			state->broken = true;
		else if ((worker == 0 || state_live(state, link - 1)->worker == worker) &&
		    reap_lose_step(job, link - 1, reason, err) < 0)
			return -1;
	}
	return state->broken ? error_set(err, EX_SOFTWARE, "job %s: state: is damaged", job->id) : 0;
}

int
reap_job(struct open_job *job, int64_t now_ms, struct error *err)
{
	struct event boot = {.kind = EVENT_BOOT, .boot = job->spool->boot};
	struct job_state *state = &job->state;
	uint32_t link;

	/* Nothing that ran when the machine stopped runs any more. */
	if (strcmp(state->header->events_boot, job->spool->boot) != 0) {
		take_record_forget(job);
		if (job_record(job, &boot, err) < 0 || reap_lose_running(job, 0, "the machine was started anew", err) < 0)
			return -1;
	}
	while ((link = timer_first(state)) != 0 && state_live(state, link - 1)->due_ms <= now_ms) {
		job_touch(job);
		if (state_live(state, link - 1)->status == STEP_DELAYED)
			step_due(state, now_ms);
		else if (reap_lose_step(job, link - 1, "its lease ran out", err) < 0)
			return -1;
		if (state->broken)
			return error_set(err, EX_SOFTWARE, "job %s: state: is damaged", job->id);
	}
	return 0;
}

/* Removes the slot of a job without a folder, unless the job is just being put: then the numbers of its cluster are locked. */
int
reap_missing(struct spool_queue *queue, const char *job, uint32_t link, struct error *err)
{
	char cluster[QUEUE_ID_SIZE];
	struct error held;
	int numbers, result = 0;

	snprintf(cluster, sizeof cluster, "%.*s", QUEUE_ID_SIZE - 1, scheduler_slot(&queue->table, link)->cluster);
	numbers = spool_lock_cluster(&queue->spool, cluster, false, &held);
	if (numbers < 0)
		return 0;
	if (!file_exists(queue->spool.jobs, job))
		result = scheduler_remove(&queue->table, job, err);
	close(numbers);
	return result;
}

int
reap_gone(struct spool_queue *queue, const char *job, struct error *err)
{
	uint32_t link = scheduler_find(&queue->table, job, 0);

	return link ? reap_missing(queue, job, link, err) : 0;
}

/* Changes a job, and has that on disk. One that is not there any more is none to be changed. */
static int
reap_change_job(struct spool_queue *queue, const char *id, engine_changer *change, void *context, struct error *err)
{
	struct open_job *job = engine_change(queue, id, change, context, err);

	if (!job)
		return err->code == EX_NO ? reap_gone(queue, id, err) : -1;
	return job_sync(job, err);
}

struct death {
	uint64_t worker;
	const char *reason;
};

static int
reap_lose_of_worker(struct open_job *job, void *context, struct error *err)
{
	const struct death *death = context;

	return reap_lose_running(job, death->worker, death->reason, err);
}

/* The first of several reasons: one job that is damaged holds up no other. Always returns -1. */
static int
reap_keep_first(int so_far, struct error *err, const struct error *one)
{
	if (so_far == 0)
		*err = *one;
	return -1;
}

int
reap_worker(struct spool_queue *queue, const char *worker, const char *reason, struct error *err)
{
	struct scheduler_table *table = &queue->table;
	struct death death = {id_hash(worker), reason};
	char job[QUEUE_ID_SIZE];
	int result = 0;

	/* Whom it leaves out nobody would look for again. */
	scheduler_audit(table, true);
	if (scheduler_refresh(table, err) < 0)
		return -1;
	for (uint32_t link = 1; link <= scheduler_count(table); link++) {
		const struct scheduler_slot *slot = scheduler_slot(table, link);
		struct error one;

		if (!slot->used || (!slot->running && !slot->busy))
			continue;
		snprintf(job, sizeof job, "%.*s", QUEUE_ID_SIZE - 1, slot->job);
		if (reap_change_job(queue, job, reap_lose_of_worker, &death, &one) < 0)
			result = reap_keep_first(result, err, &one);
	}
	return result;
}

/* A worker whose file is not locked is dead, and so are its children: they would hold the lock. One that is stopped while the time
 * of its tasks is over is ended, if that is to be looked at. */
static int
reap_dead_worker(struct spool_queue *queue, const char *worker, bool ends_stopped, struct error *err)
{
	int fd = openat(queue->spool.workers, worker, O_RDONLY | O_CLOEXEC), result = 0;
	bool dead;

	if (fd < 0)
		return 0;
	dead = flock(fd, LOCK_EX | LOCK_NB) == 0;
	if (!dead && ends_stopped && stuck_end_worker(queue, worker, fd)) {
		queue->ended = id_hash(worker);
		dead = flock(fd, LOCK_EX | LOCK_NB) == 0;
	}
	if (dead) {
		result = reap_worker(queue, worker, queue->ended == id_hash(worker)
		    ? "its worker was stopped, and was ended when the time of a task was over" : "its worker is gone", err);
		if (result == 0)
			unlinkat(queue->spool.workers, worker, 0);
	}
	close(fd);
	return result;
}

static int
reap_dead_workers(struct spool_queue *queue, struct error *err)
{
	DIR *stream = spool_list(queue->spool.workers);
	int64_t now_ms = clock_boottime_ms();
	bool ends_stopped = now_ms >= queue->stopped_ms;
	int result = 0;
	const struct dirent *entry;

	if (!stream)
		return error_errno(err, EX_IOERR, "%s/workers", queue->spool.path);
	if (ends_stopped)
		queue->stopped_ms = now_ms + STUCK_LOOK_MS;
	while ((entry = readdir(stream))) {
		struct error one;

		if (id_is_valid(entry->d_name) && reap_dead_worker(queue, entry->d_name, ends_stopped, &one) < 0)
			result = reap_keep_first(result, err, &one);
	}
	closedir(stream);
	return result;
}

static int
reap_changer(struct open_job *job, void *context, struct error *err)
{
	const int64_t *now_ms = context;

	return job->state.header->finished ? 0 : reap_job(job, *now_ms, err);
}

/* A job that someone was at work in when they were stopped, or still is: locked, it offers what it has. One that is finished
 * is moved; one whose folder is not there loses its slot. */
static int
reap_busy(struct spool_queue *queue, const char *id, uint32_t link, struct error *err)
{
	int64_t now_ms = clock_boottime_ms();
	struct open_job *job = engine_change(queue, id, reap_changer, &now_ms, err);

	if (!job)
		return err->code == EX_NO ? reap_missing(queue, id, link, err) : -1;
	if (job_sync(job, err) < 0)
		return -1;
	return job->state.map && job->state.header->finished ? job_retire(job, err) : 0;
}

static int
reap_all_busy(struct spool_queue *queue, struct error *err)
{
	struct scheduler_table *table = &queue->table;
	struct chosen *list = NULL;
	size_t count = 0, capacity = 0;
	int result = 0;

	if (scheduler_lock(table, err) < 0)
		return -1;
	for (uint32_t link = table->header->busy; link; link = scheduler_slot(table, link)->next_busy) {
		ARRAY_ROOM(list, count, capacity);
		memcpy(list[count].job, scheduler_slot(table, link)->job, sizeof list->job);
		list[count++].link = link;
	}
	scheduler_unlock(table);
	for (size_t i = 0; i < count; i++) {
		struct error one;

		if (reap_busy(queue, list[i].job, list[i].link, &one) < 0)
			result = reap_keep_first(result, err, &one);
	}
	free(list);
	return result;
}

/* Jobs of which a time has come. Each is put off first, so that one that fails is not tried again at once. */
static int
reap_all_due(struct spool_queue *queue, struct error *err)
{
	int64_t now_ms = clock_boottime_ms();
	struct chosen due;
	int found, result = 0;

	while ((found = scheduler_due(&queue->table, now_ms, &due, err)) == 0 && due.link) {
		struct error one;

		scheduler_defer(&queue->table, due.link, due.job, now_ms + REAP_BUSY_MS);
		if (reap_busy(queue, due.job, due.link, &one) < 0)
			result = reap_keep_first(result, err, &one);
	}
	return found < 0 ? found : result;
}

int
reap_spool(struct spool_queue *queue, struct error *err)
{
	struct error one;
	int result = reap_dead_workers(queue, err);

	scheduler_audit(&queue->table, false);
	return reap_all_busy(queue, &one) < 0 ? reap_keep_first(result, err, &one) : result;
}

struct returned {
	const struct queue_task *tasks;
	size_t count;
};

/* Those of the tasks that are of the job and still run. */
static int
reap_give_back(struct open_job *job, void *context, struct error *err)
{
	const struct returned *returned = context;

	for (size_t i = 0; i < returned->count; i++) {
		const struct queue_task *task = &returned->tasks[i];
		uint32_t link = strcmp(task->job, job->id) == 0 ? state_find(&job->state, task->task) : 0;
		const struct state_live *live = link ? state_live(&job->state, link - 1) : NULL;

		if (live && live->status == STEP_RUNNING && live->attempt == task->attempt &&
		    reap_lose_step(job, link - 1, "it was given back", err) < 0)
			return -1;
	}
	return 0;
}

int
reap_give_back_tasks(struct queue *base, const struct queue_task *tasks, size_t count, struct error *err)
{
	struct spool_queue *queue = spool_queue_of(base);
	int result = engine_check_writable(queue, err);

	/* A job's tasks stand together; where they do not, the second time finds nothing left to do. */
	for (size_t i = 0; result == 0 && i < count; i++) {
		struct returned returned = {tasks + i, count - i};

		if (i == 0 || strcmp(tasks[i].job, tasks[i - 1].job) != 0)
			result = reap_change_job(queue, tasks[i].job, reap_give_back, &returned, err);
	}
	spool_notify(&queue->spool);
	return result;
}

int
reap_queue(struct queue *base, struct error *err)
{
	struct spool_queue *queue = spool_queue_of(base);
	struct error one;
	int result;

	if (engine_check_writable(queue, err) < 0)
		return -1;
	result = reap_spool(queue, err);
	if (reap_all_due(queue, &one) < 0)
		result = reap_keep_first(result, err, &one);
	spool_notify(&queue->spool);
	return result;
}
