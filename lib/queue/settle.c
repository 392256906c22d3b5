/* SPDX-License-Identifier: Apache-2.0 */
#include "queue/settle.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "queue/fold.h"
#include "queue/policy.h"
#include "queue/ready.h"
#include "queue/step.h"
#include "queue/take-record.h"

int
settle_lost(struct ledger *ledger, uint32_t step, const char *reason, struct error *err)
{
	struct index *index = &ledger->index;
	struct event event = {.kind = EVENT_LOST, .task = index_step_id(index, step),
	    .attempt = index_live(index, step)->attempt, .reason = reason};

	policy_decide(index, step, &event, 0);
	return ledger_record(ledger, &event, err);
}

/* Loses the running steps that worker holds; 0: all of them. */
static int
lose_running(struct ledger *ledger, uint64_t worker, const char *reason, struct error *err)
{
	struct index *index = &ledger->index;
	uint32_t link = index->header->running, next, left = index->header->count[STEP_RUNNING];

	for (; link && !index->broken; link = next) {
		next = index_live(index, link - 1)->next;
		/* The list cannot be longer than the count says, but for damage. */
		if (left-- == 0)
			index->broken = true;
		else if ((worker == 0 || index_live(index, link - 1)->worker == worker) &&
		    settle_lost(ledger, link - 1, reason, err) < 0)
			return -1;
	}
	return index->broken ? error_set(err, EX_SOFTWARE, "job %s: state: is damaged", ledger->id) : 0;
}

/* Nothing that ran when the machine stopped runs any more. */
static int
settle_boot(struct ledger *ledger, struct error *err)
{
	struct event boot = {.kind = EVENT_BOOT, .boot = ledger->spool->boot};

	if (strcmp(ledger->index.header->events_boot, ledger->spool->boot) == 0)
		return 0;
	take_record_forget(ledger);
	if (ledger_record(ledger, &boot, err) < 0)
		return -1;
	return lose_running(ledger, 0, "the machine was started anew", err);
}

int
settle_job(struct ledger *ledger, int64_t now_ms, struct error *err)
{
	struct index *index = &ledger->index;
	uint32_t link;

	if (settle_boot(ledger, err) < 0)
		return -1;
	while ((link = timer_first(index)) != 0 && index_live(index, link - 1)->due_ms <= now_ms) {
		ledger_touch(ledger);
		if (index_live(index, link - 1)->status == STEP_DELAYED)
			step_due(index, now_ms);
		else if (settle_lost(ledger, link - 1, "its lease ran out", err) < 0)
			return -1;
		if (index->broken)
			return error_set(err, EX_SOFTWARE, "job %s: state: is damaged", ledger->id);
	}
	return 0;
}

/* What follows a change of a locked job, given how that went. */
static int
end_change(struct ledger *ledger, int result, struct error *err)
{
	if (result < 0)
		ledger_abandon(ledger);
	else
		result = ledger_commit(ledger, err);
	ledger_unlock(ledger);
	return result < 0 ? -1 : ledger_sync(ledger, err);
}

static int
lose_in_job(struct queue *queue, const char *job, uint64_t worker, const char *reason, struct error *err)
{
	struct ledger *ledger = engine_lock(queue, job, err);

	if (!ledger)
		return err->code == EX_NO ? 0 : -1;
	return end_change(ledger, lose_running(ledger, worker, reason, err), err);
}

/* The first of several reasons: one job that is damaged holds up no other. Always returns -1. */
static int
keep_first(int so_far, struct error *err, const struct error *one)
{
	if (so_far == 0)
		*err = *one;
	return -1;
}

int
settle_worker(struct queue *queue, const char *worker, const char *reason, struct error *err)
{
	struct board *board = &queue->board;
	uint64_t hash = fold_worker(worker);
	char job[QUEUE_ID_SIZE];
	int result = 0;

	if (board_refresh(board, err) < 0)
		return -1;
	for (uint32_t i = 0; i < board_count(board); i++) {
		struct error one;
		const struct board_slot *slot = &board->slots[i];

		if (!slot->used || (!slot->running && !slot->busy))
			continue;
		snprintf(job, sizeof job, "%s", slot->job);
		if (lose_in_job(queue, job, hash, reason, &one) < 0)
			result = keep_first(result, err, &one);
	}
	return result;
}

/* A worker whose file is not locked is dead, and so are its children: they would hold the lock. */
static int
bury(struct queue *queue, const char *worker, struct error *err)
{
	int fd = openat(queue->spool.workers, worker, O_RDONLY | O_CLOEXEC), result = 0;

	if (fd < 0)
		return 0;
	if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
		result = settle_worker(queue, worker, "its worker is gone", err);
		if (result == 0)
			unlinkat(queue->spool.workers, worker, 0);
	}
	close(fd);
	return result;
}

static int
bury_workers(struct queue *queue, struct error *err)
{
	DIR *stream = spool_list(queue->spool.workers);
	int result = 0;
	const struct dirent *entry;

	if (!stream)
		return error_errno(err, EX_IOERR, "%s/workers", queue->spool.path);
	while ((entry = readdir(stream))) {
		struct error one;

		if (spool_is_id(entry->d_name) && bury(queue, entry->d_name, &one) < 0)
			result = keep_first(result, err, &one);
	}
	closedir(stream);
	return result;
}

/* Who puts a job holds the numbers of its cluster until the folder has come. */
int
settle_missing(struct queue *queue, const char *job, uint32_t link, struct error *err)
{
	char cluster[QUEUE_ID_SIZE];
	struct error held;
	int numbers, result = 0;

	snprintf(cluster, sizeof cluster, "%s", queue->board.slots[link - 1].cluster_id);
	numbers = spool_lock_cluster(&queue->spool, cluster, false, &held);
	if (numbers < 0)
		return 0;
	if (!file_exists(queue->spool.jobs, job))
		result = board_remove(&queue->board, job, err);
	close(numbers);
	return result;
}

/* A finished job that is still in jobs/: who finished it was stopped before it could move it. */
static int
settle_finished(struct queue *queue, const struct board_slot *slot, struct error *err)
{
	char job[QUEUE_ID_SIZE];
	struct ledger *ledger;

	snprintf(job, sizeof job, "%s", slot->job);
	ledger = engine_ledger(queue, job, err);
	if (!ledger)
		return err->code == EX_NO ? 0 : -1;
	return ledger_retire(ledger, err);
}

static int
settle_slots(struct queue *queue, struct error *err)
{
	struct board *board = &queue->board;
	int result = 0;

	if (board_refresh(board, err) < 0)
		return -1;
	for (uint32_t i = 0; i < board_count(board); i++) {
		const struct board_slot *slot = &board->slots[i];
		struct error one;

		if (slot->used && slot->finished && settle_finished(queue, slot, &one) < 0)
			result = keep_first(result, err, &one);
	}
	return result;
}

int
settle_spool(struct queue *queue, struct error *err)
{
	struct error one;
	int result = bury_workers(queue, err);

	return settle_slots(queue, &one) < 0 ? keep_first(result, err, &one) : result;
}

/* Those of the tasks that are of the job, from the first on, and still run. */
static int
give_back_locked(struct ledger *ledger, const struct queue_task *tasks, size_t count, struct error *err)
{
	for (size_t i = 0; i < count; i++) {
		uint32_t link = strcmp(tasks[i].job, ledger->id) == 0 ? index_find(&ledger->index, tasks[i].task) : 0;
		const struct index_live *live = link ? index_live(&ledger->index, link - 1) : NULL;

		if (live && live->status == STEP_RUNNING && live->attempt == tasks[i].attempt &&
		    settle_lost(ledger, link - 1, "it was given back", err) < 0)
			return -1;
	}
	return 0;
}

int
queue_give_back(struct queue *queue, const struct queue_task *tasks, size_t count, struct error *err)
{
	int result = engine_check_writable(queue, err);

	/* A job's tasks stand together; where they do not, the second time finds nothing left to do. */
	for (size_t i = 0; result == 0 && i < count; i++) {
		struct ledger *ledger;

		if (i > 0 && strcmp(tasks[i].job, tasks[i - 1].job) == 0)
			continue;
		ledger = engine_lock(queue, tasks[i].job, err);
		result = ledger ? end_change(ledger, give_back_locked(ledger, tasks + i, count - i, err), err) : -1;
	}
	spool_ring(&queue->spool);
	return result;
}

int
queue_settle(struct queue *queue, struct error *err)
{
	int result;

	if (engine_check_writable(queue, err) < 0)
		return -1;
	result = settle_spool(queue, err);
	spool_ring(&queue->spool);
	return result;
}
