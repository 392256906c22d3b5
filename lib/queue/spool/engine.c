/* SPDX-License-Identifier: Apache-2.0 */
#include "queue/spool/engine.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/process.h"
#include "queue/spool/job-recover.h"
#include "queue/spool/local.h"
#include "queue/spool/shared/copy.h"
#include "queue/spool/shared/restore.h"

struct queue *
engine_open(const char *path, enum queue_mode mode, struct error *err)
{
	struct spool_queue *queue = memory_zeroed(1, sizeof *queue);

	queue->writable = mode == QUEUE_WRITE;
	queue->table.fd = -1;
	if (spool_open(&queue->spool, path, queue->writable, err) < 0) {
		free(queue);
		return NULL;
	}
	if (!queue->writable) {
		scheduler_peek(&queue->table, &queue->spool);
	} else if (scheduler_open(&queue->table, &queue->spool, err) < 0) {
		spool_close(&queue->spool);
		free(queue);
		return NULL;
	}
	return &queue->base;
}

void
engine_close(struct queue *base)
{
	struct spool_queue *queue = spool_queue_of(base);
	for (size_t i = 0; i < queue->open_count; i++) {
		job_close(queue->open[i]);
		free(queue->open[i]);
	}
	scheduler_close(&queue->table);
	spool_close(&queue->spool);
	free(queue->user);
	free(queue);
}

void
engine_set_patient(struct queue *base, bool patient)
{
	struct spool_queue *queue = spool_queue_of(base);
	queue->spool.impatient = !patient;
}

/* Moves the i-th of the open jobs to the front. */
static struct open_job *
engine_to_front(struct spool_queue *queue, size_t i)
{
	struct open_job *job = queue->open[i];

	memmove(queue->open + 1, queue->open, i * sizeof *queue->open);
	queue->open[0] = job;
	return job;
}

/* Closes the i-th job. */
static void
engine_drop(struct spool_queue *queue, size_t i)
{
	struct open_job *job = queue->open[i];

	memmove(queue->open + i, queue->open + i + 1, (--queue->open_count - i) * sizeof *queue->open);
	job_close(job);
	free(job);
}

struct open_job *
engine_sync(struct spool_queue *queue, struct error *err)
{
	for (size_t i = 0; i < queue->open_count; i++)
		if (queue->open[i]->written && job_sync(queue->open[i], err) < 0)
			return queue->open[i];
	return NULL;
}

bool
engine_is_full(const struct spool_queue *queue)
{
	size_t unsynced = 0;

	for (size_t i = 0; i < queue->open_count; i++)
		unsynced += queue->open[i]->written != 0;
	return unsynced >= ENGINE_UNSYNCED_MAX;
}

struct open_job *
engine_job(struct spool_queue *queue, const char *id, struct error *err)
{
	struct open_job *job;

	for (size_t i = 0; i < queue->open_count; i++)
		if (strcmp(queue->open[i]->id, id) == 0)
			return engine_to_front(queue, i);
	job = memory_zeroed(1, sizeof *job);
	if (job_open(job, &queue->spool, queue->writable ? &queue->table : NULL, id, err) < 0) {
		free(job);
		return NULL;
	}
	if (queue->open_count == ENGINE_OPEN_MAX) {
		/* The one that was not used for the longest time; never one that is still to be brought to disk. */
		size_t i = queue->open_count - 1;

		while (i > 0 && queue->open[i]->written)
			i--;
		engine_drop(queue, i);
	}
	queue->open[queue->open_count++] = job;
	return engine_to_front(queue, queue->open_count - 1);
}

struct open_job *
engine_lock(struct spool_queue *queue, const char *id, struct error *err)
{
	struct open_job *job;

	for (int tries = 0; tries < 2; tries++) {
		job = engine_job(queue, id, err);
		if (!job || job_lock(job, err) == 0)
			return job;
		if (err->code != EX_NO)
			return NULL;
		/* It was removed since we opened it; another of that name may be there now. */
		engine_drop(queue, 0);
	}
	return NULL;
}

struct open_job *
engine_lock_whole(struct spool_queue *queue, const char *id, struct error *err)
{
	struct open_job *job = engine_lock(queue, id, err);

	if (!job || state_is_whole(&job->state) || job_rebuild(job, err) == 0)
		return job;
	job_unlock(job);
	return NULL;
}

struct open_job *
engine_change(struct spool_queue *queue, const char *id, engine_changer *change, void *context, struct error *err)
{
	struct open_job *job = NULL;
	int result = -1;

	/* Damage to the state shows when it is used; the second time it has been built anew. */
	for (int tries = 0; result < 0 && tries < 2; tries++) {
		job = engine_lock(queue, id, err);
		if (!job)
			return NULL;
		result = change(job, context, err);
		if (result == 0 && job->state.broken)
			result = error_set(err, EX_SOFTWARE, "job %s: state: is damaged", job->id);
		if (result == 0)
			result = job_commit(job, err);
		if (result == 0)
			job_rely(job);
		if (result < 0) {
			job_abandon(job);
			tries += !job->state.broken;
		}
		job_unlock(job);
	}
	return result == 0 ? job : NULL;
}

int
engine_add_slot(struct spool_queue *queue, struct open_job *job, struct error *err)
{
	const struct state_header *header = job->state.header;
	const struct scheduler_job id = {job->id, header->cluster, header->tenant, header->provider};
	uint64_t order = header->order;

	return scheduler_add(&queue->table, &id, &order, err);
}

const char *
engine_user(struct spool_queue *queue)
{
	if (!queue->user)
		queue->user = process_user(geteuid());
	return queue->user;
}

int
engine_check_writable(const struct spool_queue *queue, struct error *err)
{
	if (queue->writable)
		return 0;
	return error_set(err, EX_SOFTWARE, "spool: %s: it was opened to read only", queue->spool.path);
}

int
engine_list_ids(struct queue *queue, struct arguments *ids, struct error *err)
{
	return copy_list_ids(&spool_queue_of(queue)->spool, ids, err);
}

int
engine_copy(struct queue *queue, const struct arguments *jobs, queue_copy_file *file, void *context, struct error *err)
{
	return copy_spool(&spool_queue_of(queue)->spool, jobs, file, context, err);
}

int
engine_begin_restore(struct queue *queue, struct error *err)
{
	return engine_check_writable(spool_queue_of(queue), err) < 0 ? -1 : restore_begin(&spool_queue_of(queue)->spool, err);
}

int
engine_end_restore(struct queue *queue, struct error *err)
{
	return engine_check_writable(spool_queue_of(queue), err) < 0 ? -1 : restore_end(&spool_queue_of(queue)->spool, err);
}
