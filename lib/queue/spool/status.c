/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "queue/job/id.h"
#include "queue/spool/engine.h"
#include "queue/spool/job-status.h"
#include "queue/spool/local.h"
#include "queue/spool/summary.h"

int
status_job(struct queue *base, const char *id, struct queue_job *out, struct error *err)
{
	struct spool_queue *queue = spool_queue_of(base);
	struct open_job *job;
	int result;

	if (summary_load(&queue->spool, id, out))
		return 0;
	job = engine_lock(queue, id, err);
	if (!job)
		return -1;
	result = job_status(&queue->table, job, out, err);
	job_unlock(job);
	return result;
}

struct listing {
	struct spool_queue *queue;
	struct queue_job *list;
	size_t count, capacity;
	struct error damage; /* code 0: none */
};

/* Returns whether the job is one of the first count on the list. */
static bool
status_is_listed(const struct listing *listing, size_t count, const char *job)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(listing->list[i].id, job) == 0)
			return true;
	return false;
}

/* Adds the jobs of a folder. One that goes meanwhile is left out, as is one that is damaged, which damage remembers; one that
 * moves is not listed twice. */
static int
status_list_folder(struct listing *listing, int folder, struct error *err)
{
	DIR *stream = spool_list(folder);
	size_t before = listing->count;
	const struct dirent *entry;
	struct error one;

	if (!stream)
		return error_errno(err, EX_IOERR, "%s", listing->queue->spool.path);
	while ((entry = readdir(stream))) {
		if (!id_is_valid(entry->d_name) || status_is_listed(listing, before, entry->d_name))
			continue;
		ARRAY_ROOM(listing->list, listing->count, listing->capacity);
		if (status_job(&listing->queue->base, entry->d_name, &listing->list[listing->count], &one) == 0)
			listing->count++;
		else if (one.code != EX_NO && listing->damage.code == 0)
			listing->damage = one;
	}
	closedir(stream);
	return 0;
}

static int
status_compare_jobs(const void *a, const void *b)
{
	const struct queue_job *x = a, *y = b;

	return x->put_ms != y->put_ms ? (x->put_ms > y->put_ms) - (x->put_ms < y->put_ms) : strcmp(x->id, y->id);
}

int
status_list(struct queue *base, bool finished, struct queue_job **list, size_t *count, struct error *err)
{
	struct spool_queue *queue = spool_queue_of(base);
	struct listing listing = {.queue = queue};
	int result = status_list_folder(&listing, queue->spool.jobs, err);

	if (result == 0 && finished)
		result = status_list_folder(&listing, queue->spool.done, err);
	if (result == 0 && listing.damage.code != 0) {
		*err = listing.damage;
		result = -1;
	}
	if (listing.count)
		qsort(listing.list, listing.count, sizeof *listing.list, status_compare_jobs);
	*list = listing.list;
	*count = listing.count;
	return result;
}
