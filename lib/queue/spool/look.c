/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "queue/engine.h"
#include "queue/spool/job/summary.h"
#include "queue/spool/look.h"

static enum queue_status
look_status_of(struct queue *queue, const struct ledger *ledger)
{
	const struct index_header *header = ledger->index.header;
	uint32_t link;

	if (header->finished)
		return (enum queue_status)header->finished;
	if (header->cancelled)
		return QUEUE_CANCELLING;
	if (header->paused)
		return QUEUE_PAUSED;
	link = board_find(&queue->board, ledger->id, header->slot);
	return link && board_slot(&queue->board, link)->behind ? QUEUE_WAITING : QUEUE_RUNNING;
}

int
look_job_record(struct ledger *ledger, struct arena *arena, struct job *job, struct error *err)
{
	const struct index_header *header = ledger->index.header;
	struct problems problems = {0};
	struct buffer line = {0};
	struct place place;
	jv record;
	int result = ledger_plan(ledger, header->job_offset, header->job_length, &line, err);

	if (result == 0)
		result = json_parse("plan.ndjson", line.data, line.length, &record, err);
	if (result == 0) {
		place = place_root(record, &problems);
		job_parse(&place, arena, job);
		job->id = arena_string(arena, ledger->id);
		jv_free(record);
	}
	problems_release(&problems);
	buffer_release(&line);
	return result;
}

int
look_at(struct queue *queue, struct ledger *ledger, struct queue_job *out, struct error *err)
{
	const struct index_header *header = ledger->index.header;
	const uint32_t *count = header->count;
	struct arena arena = {0};
	struct job job = {0};
	int result = look_job_record(ledger, &arena, &job, err);

	*out = (struct queue_job){.status = look_status_of(queue, ledger), .blocked = count[STEP_BLOCKED],
	    .ready = count[STEP_READY], .delayed = count[STEP_DELAYED], .running = count[STEP_RUNNING],
	    .done = count[STEP_DONE], .failed = count[STEP_FAILED], .skipped = count[STEP_SKIPPED], .put_ms = header->put_ms,
	    .finished_ms = header->finished_ms, .critical_path_s = job.critical_path_s};
	for (int i = 0; i < STEP_STATUS_COUNT; i++)
		out->tasks += count[i];
	snprintf(out->id, sizeof out->id, "%s", ledger->id);
	snprintf(out->cluster, sizeof out->cluster, "%s", header->cluster);
	snprintf(out->tenant, sizeof out->tenant, "%s", header->tenant);
	snprintf(out->provider, sizeof out->provider, "%s", header->provider);
	snprintf(out->action, sizeof out->action, "%s", job.action ? job.action : "");
	arena_release(&arena);
	return result;
}

int
queue_look(struct queue *queue, const char *job, struct queue_job *out, struct error *err)
{
	struct ledger *ledger;
	int result;

	if (summary_load(&queue->spool, job, out))
		return 0;
	ledger = engine_lock(queue, job, err);
	if (!ledger)
		return -1;
	result = look_at(queue, ledger, out, err);
	ledger_unlock(ledger);
	return result;
}

struct listing {
	struct queue *queue;
	struct queue_job *list;
	size_t count, capacity;
	struct error damage; /* code 0: none */
};

static bool
look_is_listed(const struct listing *listing, const char *job)
{
	for (size_t i = 0; i < listing->count; i++)
		if (strcmp(listing->list[i].id, job) == 0)
			return true;
	return false;
}

/* Adds the jobs of a folder. One that goes meanwhile is left out, as is one that is damaged, which damage remembers; one that
 * moves is not listed twice. */
static int
look_list_folder(struct listing *listing, int folder, struct error *err)
{
	DIR *stream = spool_list(folder);
	size_t before = listing->count;
	const struct dirent *entry;
	struct error one;

	if (!stream)
		return error_errno(err, EX_IOERR, "%s", listing->queue->spool.path);
	while ((entry = readdir(stream))) {
		if (!spool_is_id(entry->d_name) || (before > 0 && look_is_listed(listing, entry->d_name)))
			continue;
		ARRAY_ROOM(listing->list, listing->count, listing->capacity);
		if (queue_look(listing->queue, entry->d_name, &listing->list[listing->count], &one) == 0)
			listing->count++;
		else if (one.code != EX_NO && listing->damage.code == 0)
			listing->damage = one;
	}
	closedir(stream);
	return 0;
}

static int
look_compare_jobs(const void *a, const void *b)
{
	const struct queue_job *x = a, *y = b;

	return x->put_ms != y->put_ms ? (x->put_ms > y->put_ms) - (x->put_ms < y->put_ms) : strcmp(x->id, y->id);
}

int
queue_list(struct queue *queue, bool finished, struct queue_job **list, size_t *count, struct error *err)
{
	struct listing listing = {.queue = queue};
	int result = look_list_folder(&listing, queue->spool.jobs, err);

	if (result == 0 && finished)
		result = look_list_folder(&listing, queue->spool.done, err);
	if (result == 0 && listing.damage.code != 0) {
		*err = listing.damage;
		result = -1;
	}
	if (listing.count)
		qsort(listing.list, listing.count, sizeof *listing.list, look_compare_jobs);
	*list = listing.list;
	*count = listing.count;
	return result;
}
