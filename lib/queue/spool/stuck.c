/* SPDX-License-Identifier: Apache-2.0
 *
 * Locks that a stopped process holds: of the scheduler's table, of jobs, of the numbers of clusters; and workers that are stopped.
 */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/holder.h"
#include "base/memory.h"
#include "queue/job/id.h"
#include "queue/spool/local.h"
#include "queue/spool/shared/journal.h"
#include "queue/spool/shared/scheduler.h"
#include "queue/spool/stuck.h"

struct stuck_list {
	struct queue_stuck *list;
	size_t count, capacity;
};

/* Adds a file, or a folder, where a process that is stopped has locked it. */
static void
stuck_add(struct stuck_list *all, const struct spool *spool, const char *name)
{
	int fd = openat(spool->root, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct holder holder;

	if (fd >= 0 && holder_find(fd, &holder) && holder.stopped) {
		struct queue_stuck *stuck;

		ARRAY_ROOM(all->list, all->count, all->capacity);
		stuck = &all->list[all->count++];
		*stuck = (struct queue_stuck){.pid = (int)holder.pid};
		snprintf(stuck->what, sizeof stuck->what, "%s/%s", spool->path, name);
		snprintf(stuck->name, sizeof stuck->name, "%s", holder.name);
	}
	if (fd >= 0)
		close(fd);
}

static void
stuck_add_all(struct stuck_list *all, const struct spool *spool, int folder, const char *name, const char *file)
{
	DIR *stream = spool_list(folder);
	const struct dirent *entry;
	char path[600];

	while (stream && (entry = readdir(stream)))
		if (entry->d_name[0] != '.') {
			snprintf(path, sizeof path, "%s/%s%s", name, entry->d_name, file);
			stuck_add(all, spool, path);
		}
	if (stream)
		closedir(stream);
}

int
stuck_find(struct queue *queue, struct queue_stuck **list, size_t *count, struct error *err)
{
	const struct spool *spool = &spool_queue_of(queue)->spool;
	struct stuck_list all = {0};

	(void)err;
	stuck_add(&all, spool, "board");
	stuck_add_all(&all, spool, spool->jobs, "jobs", "/lock");
	stuck_add_all(&all, spool, spool->numbers, "numbers", "");
	stuck_add_all(&all, spool, spool->workers, "workers", "");
	*list = all.list;
	*count = all.count;
	return 0;
}

/* Returns for how long the time of a running task is over; less than 0 if it is not. */
static int64_t
stuck_task_overdue(struct open_job *job, uint32_t step, int64_t now_ms)
{
	struct journal_reader reader = {.fd = job->events};
	int64_t overdue = -1;
	struct event event;
	struct error unknown;

	if (journal_read_at(&reader, state_live(&job->state, step)->event, &event, &unknown) == 0)
		overdue = now_ms - event.at_ms - (int64_t)state_step(&job->state, step)->timeout_s * 1000;
	journal_reader_release(&reader);
	return overdue;
}

/* Returns the same of the task of a worker in a job whose time has been over for the longest. */
static int64_t
stuck_job_overdue(struct open_job *job, uint64_t worker, int64_t now_ms)
{
	struct job_state *state = &job->state;
	uint32_t link = state->header->running, left = state->header->count[STEP_RUNNING];
	int64_t longest = -1;

	for (; link && left > 0 && !state->broken; link = state_live(state, link - 1)->next, left--) {
		int64_t overdue = state_live(state, link - 1)->worker == worker ? stuck_task_overdue(job, link - 1, now_ms) : -1;

		longest = overdue > longest ? overdue : longest;
	}
	return longest;
}

/* Returns the same of all jobs. */
static int64_t
stuck_overdue(struct spool_queue *queue, const char *worker)
{
	struct scheduler_table *table = &queue->table;
	int64_t now_ms = clock_wall_ms(), longest = -1;
	char id[QUEUE_ID_SIZE];
	struct error ignored; /* then it is looked at again later */

	if (scheduler_refresh(table, &ignored) < 0)
		return -1;
	for (uint32_t link = 1; link <= scheduler_count(table); link++) {
		const struct scheduler_slot *slot = scheduler_slot(table, link);
		struct open_job *job;
		int64_t overdue;

		if (!slot->used || !slot->running)
			continue;
		snprintf(id, sizeof id, "%.*s", QUEUE_ID_SIZE - 1, slot->job);
		job = engine_lock(queue, id, &ignored);
		if (!job)
			continue;
		overdue = stuck_job_overdue(job, id_hash(worker), now_ms);
		longest = overdue > longest ? overdue : longest;
		job_unlock(job);
	}
	return longest;
}

bool
stuck_end_worker(struct spool_queue *queue, const char *worker, int fd)
{
	struct holder holder;
	bool is_there = holder_find(fd, &holder);
	int64_t overdue;

	if (is_there && !holder.stopped)
		return false;
	overdue = stuck_overdue(queue, worker);
	if (overdue < STUCK_GRACE_MS)
		return false;
	holder_kill(fd, is_there || overdue < 2 * (int64_t)STUCK_GRACE_MS);
	return true;
}
