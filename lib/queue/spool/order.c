/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "queue/spool/engine.h"
#include "queue/spool/local.h"

static int
order_commit(struct ledger *ledger, struct event *event, struct error *err)
{
	if (ledger_record(ledger, event, err) == 0)
		return ledger_commit(ledger, err);
	ledger_abandon(ledger);
	return -1;
}

static int
order_record(struct spool_queue *queue, struct ledger *ledger, enum event_kind kind, const char *task, struct error *err)
{
	struct event event = {.kind = kind, .by = engine_user(queue), .task = task};

	return order_commit(ledger, &event, err);
}

static int
order_refuse_finished(const struct ledger *ledger, struct error *err)
{
	const struct index_header *header = ledger->index.header;

	if (!header->finished)
		return 0;
	return error_set(err, EX_NO, "job %s: it is finished (%s)", ledger->id,
	    queue_status_name((enum queue_status)header->finished));
}

static int
order_pause_or_resume(struct spool_queue *queue, struct ledger *ledger, bool pause, struct error *err)
{
	if (order_refuse_finished(ledger, err) < 0)
		return -1;
	if ((ledger->index.header->paused != 0) == pause)
		return 0;
	return order_record(queue, ledger, pause ? EVENT_PAUSE : EVENT_RESUME, NULL, err);
}

static int
order_cancel(struct spool_queue *queue, struct ledger *ledger, struct error *err)
{
	if (order_refuse_finished(ledger, err) < 0)
		return -1;
	return ledger->index.header->cancelled ? 0 : order_record(queue, ledger, EVENT_CANCEL, NULL, err);
}

static int
order_check_retry(struct ledger *ledger, const char *task, struct error *err)
{
	struct index *index = &ledger->index;
	uint32_t link = task ? index_find(index, task) : 0;

	if (task && (!link || index_step(index, link - 1)->is_milestone))
		return error_set(err, EX_NO, "job %s: it has no task %s", ledger->id, task);
	if (link && index_live(index, link - 1)->status != STEP_FAILED &&
	    index_live(index, link - 1)->status != STEP_DELAYED)
		return error_set(err, EX_NO, "job %s: task %s has not failed: it is %s", ledger->id, task,
		    index_status_name((enum step_status)index_live(index, link - 1)->status));
	if (!link && !index->header->count[STEP_FAILED] && !index->header->cancelled)
		return error_set(err, EX_NO, "job %s: no task of it has failed", ledger->id);
	return 0;
}

/* It may not have left yet; and it may have been removed (coopr-queue gc) since it was opened. */
static int
order_move_back(const struct spool *spool, const char *job, struct error *err)
{
	if (spool_move(spool->done, job, spool->jobs, job) < 0 && (errno != ENOENT || !file_exists(spool->jobs, job)))
		return error_errno(err, errno == ENOENT ? EX_NO : EX_IOERR, "job %s: cannot be brought back", job);
	if (fsync(spool->done) < 0 || fsync(spool->jobs) < 0)
		return error_errno(err, EX_IOERR, "job %s: cannot be brought back", job);
	return 0;
}

/* The slot comes first, and what the caller records last: stopped in between, a finished job is to be moved to done/, as if
 * nothing had been. */
int
engine_bring_back(struct spool_queue *queue, struct ledger *ledger, struct error *err)
{
	const struct index_header *header = ledger->index.header;
	const struct spool *spool = &queue->spool;
	int numbers, result;

	numbers = spool_lock_cluster(spool, header->cluster, true, err);
	if (numbers < 0)
		return -1;
	result = engine_add_slot(queue, ledger, err);
	if (result == 0 && (result = order_move_back(spool, ledger->id, err)) < 0) {
		struct error ignored;

		board_remove(&queue->board, ledger->id, &ignored);
	}
	close(numbers);
	return result;
}

static int
order_retry(struct spool_queue *queue, struct ledger *ledger, const char *task, struct error *err)
{
	if (order_check_retry(ledger, task, err) < 0 ||
	    (ledger->index.header->finished && engine_bring_back(queue, ledger, err) < 0))
		return -1;
	return order_record(queue, ledger, EVENT_RETRY, task, err);
}

static int
order_give_order(struct spool_queue *queue, enum queue_control order, struct ledger *ledger, const char *task, struct error *err)
{
	switch (order) {
	case QUEUE_PAUSE:
	case QUEUE_RESUME:
		return order_pause_or_resume(queue, ledger, order == QUEUE_PAUSE, err);
	case QUEUE_CANCEL:
		return order_cancel(queue, ledger, err);
	default:
		return order_retry(queue, ledger, task, err);
	}
}

static int
order_check_skip(struct ledger *ledger, const char *task, struct error *err)
{
	struct index *index = &ledger->index;
	uint32_t link = index_find(index, task);
	enum step_status status = link ? (enum step_status)index_live(index, link - 1)->status : STEP_DONE;

	if (!link || index_step(index, link - 1)->is_milestone)
		return error_set(err, EX_NO, "job %s: it has no task %s", ledger->id, task);
	if (status == STEP_RUNNING || status == STEP_DONE)
		return error_set(err, EX_NO, "job %s: task %s cannot be skipped: it is %s", ledger->id, task,
		    index_status_name(status));
	return index->header->cancelled ? error_set(err, EX_NO, "job %s: it is cancelled: nothing of it would go on",
	    ledger->id)
	                                : 0;
}

static int
order_skip(struct spool_queue *queue, struct ledger *ledger, const char *task, const char *reason, struct error *err)
{
	struct event event = {.kind = EVENT_SKIP, .by = engine_user(queue), .task = task, .reason = reason};
	uint32_t link;

	if (order_check_skip(ledger, task, err) < 0)
		return -1;
	link = index_find(&ledger->index, task);
	if (index_live(&ledger->index, link - 1)->status == STEP_SKIPPED)
		return 0;
	if (ledger->index.header->finished && engine_bring_back(queue, ledger, err) < 0)
		return -1;
	return order_commit(ledger, &event, err);
}

/* What follows an order, given how that went. */
static int
order_end_order(struct spool_queue *queue, struct ledger *ledger, int result, struct error *err)
{
	ledger_unlock(ledger);
	if (result == 0)
		result = ledger_sync(ledger, err);
	spool_ring(&queue->spool);
	return result;
}

/* The job, locked, to be changed by hand. */
static struct ledger *
order_lock_for_order(struct spool_queue *queue, const char *job, struct error *err)
{
	if (engine_check_writable(queue, err) < 0 || board_refresh(&queue->board, err) < 0)
		return NULL;
	return engine_lock_whole(queue, job, err);
}

int
order_skip_task(struct queue *base, const char *job, const char *task, const char *reason, struct error *err)
{
	struct spool_queue *queue = spool_queue_of(base);
	struct ledger *ledger = order_lock_for_order(queue, job, err);

	return ledger ? order_end_order(queue, ledger, order_skip(queue, ledger, task, reason, err), err) : -1;
}

int
order_job(struct queue *base, enum queue_control order, const char *job, const char *task, struct error *err)
{
	struct spool_queue *queue = spool_queue_of(base);
	struct ledger *ledger = order_lock_for_order(queue, job, err);

	return ledger ? order_end_order(queue, ledger, order_give_order(queue, order, ledger, task, err), err) : -1;
}
