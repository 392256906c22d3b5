/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "queue/choice.h"
#include "queue/engine.h"
#include "queue/ready.h"
#include "queue/settle.h"
#include "queue/step.h"
#include "queue/take-record.h"

struct taking {
	struct queue *queue;
	const struct queue_want *want;
	struct queue_batch *batch;
	const char *by;
	int64_t now_ms; /* boot time */
};

static int
take_step(struct taking *taking, struct ledger *ledger, uint32_t step, struct error *err)
{
	struct queue_batch *batch = taking->batch;
	struct index *index = &ledger->index;
	const struct index_step *of = index_step(index, step);
	int64_t lease = taking->want->lease_ms < 0 ? (int64_t)of->timeout_s * 1000 : taking->want->lease_ms;
	struct event event = {.kind = EVENT_TAKE, .task = index_step_id(index, step), .by = taking->by,
	    .attempt = (int64_t)index_live(index, step)->attempt + 1, .leased = !taking->want->worker,
	    .until_ms = taking->now_ms + lease};

	if (index_live(index, step)->phase != 0)
		event.action = action_name(step_action(index, step));
	ARRAY_ROOM(batch->list, batch->count, batch->capacity);
	if (take_record(ledger, step, event.attempt, taking->by, &batch->arena, &batch->list[batch->count], err) < 0 ||
	    ledger_record(ledger, &event, err) < 0)
		return -1;
	batch->count++;
	return 0;
}

static bool
is_open(const struct queue *queue, struct ledger *ledger)
{
	const struct index_header *header = ledger->index.header;
	uint32_t link = board_find(&queue->board, ledger->id, ledger->slot);

	return !header->paused && !header->cancelled && !header->finished && link &&
	    !queue->board.slots[link - 1].behind;
}

/* Takes up to max steps of a locked job. */
static int
take_locked(struct taking *taking, struct ledger *ledger, size_t max, struct error *err)
{
	uint32_t link;

	if (settle_job(ledger, taking->now_ms, err) < 0)
		return -1;
	while (is_open(taking->queue, ledger) && max > 0 && (link = ready_first(&ledger->index)) != 0) {
		if (ledger->index.broken)
			return error_set(err, EX_SOFTWARE, "job %s: state: is damaged", ledger->id);
		if (take_step(taking, ledger, link - 1, err) < 0)
			return -1;
		max--;
	}
	return ledger_commit(ledger, err);
}

/* Takes up to max steps of a job, and has that on disk. EX_NO: it is not there. */
static int
take_of(struct taking *taking, const char *job, size_t max, struct error *err)
{
	size_t before = taking->batch->count;
	struct ledger *ledger;
	int result = -1;

	/* Damage to the index shows when it is used; the second time it has been built anew. */
	for (int tries = 0; result < 0 && tries < 2; tries++) {
		ledger = engine_lock(taking->queue, job, err);
		if (!ledger)
			return -1;
		result = take_locked(taking, ledger, max, err);
		if (result < 0) {
			ledger_abandon(ledger);
			taking->batch->count = before;
			tries += !ledger->index.broken;
		}
		ledger_unlock(ledger);
	}
	if (result == 0 && (result = ledger_sync(ledger, err)) < 0)
		taking->batch->count = before;
	return result;
}

/* What is wrong with one job is told, and holds up no other. */
static void
pass_over(struct taking *taking, const struct error *err)
{
	if (taking->batch->trouble.code == 0)
		taking->batch->trouble = *err;
}

/* Takes from one job after the other until there are enough, or nothing is left. */
static int
take_any(struct taking *taking, struct error *err)
{
	struct board *board = &taking->queue->board;
	struct choice choice = {0};
	char job[QUEUE_ID_SIZE];
	int result = 0;
	uint32_t link;

	while (result == 0 && taking->batch->count < taking->want->count &&
	    (link = choice_next(&choice, board, taking->now_ms)) != 0) {
		size_t before = taking->batch->count, left = taking->want->count - before;
		size_t share = left / choice.offering > 0 ? left / choice.offering : 1;
		int taken;

		memcpy(job, board->slots[link - 1].job, sizeof job);
		job[sizeof job - 1] = '\0';
		taken = take_of(taking, job, share, err);
		/* It is on its way in or out, or whoever brought it was stopped. */
		if (taken < 0 && (err->code != EX_NO || settle_missing(taking->queue, job, link, err) < 0))
			pass_over(taking, err);
		if (taken < 0 || taking->batch->count - before < share)
			choice_exhausted(&choice, link);
		result = board_refresh(board, err);
	}
	choice_release(&choice);
	return result;
}

static int
take_wanted(struct taking *taking, struct error *err)
{
	return taking->want->job ? take_of(taking, taking->want->job, taking->want->count, err)
	                         : take_any(taking, err);
}

/* In how long, without any change, there may be something to take. */
static int64_t
next_ms(const struct taking *taking)
{
	const struct board *board = &taking->queue->board;
	int64_t first = INT64_MAX, now = clock_boottime_ms();

	for (uint32_t i = 0; i < board_count(board); i++) {
		const struct board_slot *slot = &board->slots[i];

		if (choice_is_live(slot) && slot->timer_ms < first &&
		    (!taking->want->job || strcmp(slot->job, taking->want->job) == 0))
			first = slot->timer_ms;
	}
	if (first == INT64_MAX)
		return -1;
	return first > now ? first - now : 0;
}

static bool
something_runs(const struct board *board)
{
	for (uint32_t i = 0; i < board_count(board); i++)
		if (board->slots[i].used && (board->slots[i].running || board->slots[i].busy))
			return true;
	return false;
}

/* Looks for the dead, unless someone did less than age_ms ago: then *wait_ms is how long to leave it. */
static bool
look_for_the_dead(struct taking *taking, int64_t age_ms, int64_t *wait_ms)
{
	struct error err;
	int64_t last;

	if (board_claim_settle(&taking->queue->board, taking->now_ms, age_ms, &last)) {
		*wait_ms = -1;
		if (settle_spool(taking->queue, &err) < 0)
			pass_over(taking, &err);
		return true;
	}
	*wait_ms = last + age_ms > taking->now_ms ? last + age_ms - taking->now_ms : 0;
	return false;
}

static int
take_all(struct taking *taking, struct error *err)
{
	int64_t wait_ms;
	bool looked = look_for_the_dead(taking, SETTLE_BUSY_MS, &wait_ms);

	if (take_wanted(taking, err) < 0)
		return -1;
	if (taking->batch->count == 0 && !looked) {
		looked = look_for_the_dead(taking, SETTLE_IDLE_MS, &wait_ms);
		if (looked && take_wanted(taking, err) < 0)
			return -1;
	}
	if (taking->batch->count == taking->want->count)
		return 0;
	taking->batch->next_ms = next_ms(taking);
	/* What could not be taken from promises the same at once again. */
	if (taking->batch->trouble.code != 0 && taking->batch->next_ms >= 0 && taking->batch->next_ms < SETTLE_BUSY_MS)
		taking->batch->next_ms = SETTLE_BUSY_MS;
	/* A worker may have died since someone else looked: its tasks are to be looked for soon. */
	if (!looked && something_runs(&taking->queue->board) && (taking->batch->next_ms < 0 || wait_ms < taking->batch->next_ms))
		taking->batch->next_ms = wait_ms;
	return 0;
}

static int
check_worker(const struct queue *queue, const char *worker, struct error *err)
{
	if (!worker || (spool_is_id(worker) && file_exists(queue->spool.workers, worker)))
		return 0;
	return error_set(err, EX_NO, "worker %s: none of that name has joined %s", worker, queue->spool.path);
}

int
queue_take(struct queue *queue, const struct queue_want *want, struct queue_batch *batch, struct error *err)
{
	struct taking taking = {queue, want, batch, NULL, clock_boottime_ms()};

	*batch = (struct queue_batch){.next_ms = -1};
	taking.by = want->worker ? want->worker : want->by ? want->by : engine_user(queue);
	if (engine_check_writable(queue, err) < 0 || check_worker(queue, want->worker, err) < 0 ||
	    board_refresh(&queue->board, err) < 0 || take_all(&taking, err) < 0)
		return -1;
	if (batch->count > 0)
		spool_ring(&queue->spool);
	return 0;
}

void
queue_batch_release(struct queue_batch *batch)
{
	free(batch->list);
	arena_release(&batch->arena);
	*batch = (struct queue_batch){0};
}
