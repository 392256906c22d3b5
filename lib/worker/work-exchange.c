/* SPDX-License-Identifier: Apache-2.0
 *
 * Results go to the queue and tasks come from it, many at once: each exchange costs a wait for the disk, however much it
 * is for.
 */
#include <string.h>

#include "base/clock.h"
#include "worker/work-state.h"

enum {
	BATCH = 1024,      /* results recorded at once, tasks taken at once */
	LOOK_MS = 5000,    /* a killed worker's file is closed, which notifies us, a moment before its lock is gone: so long after
	                    * a change its tasks are looked for once more */
	RETRY_MS = 1000,   /* before what the queue refused is tried again */
};

struct exchange {
	struct running_task *tasks[BATCH];
	struct result results[BATCH];
	struct queue_answer answers[BATCH];
	size_t count;
	struct queue_want want;
	bool changed; /* something has changed since the last take */
	struct queue_batch batch;
};

const char *const *
work_tenants(const struct work *work)
{
	return work->options.tenants ? work->options.tenants : work->config.tenants;
}

const char *const *
work_providers(const struct work *work)
{
	return work->options.providers ? work->options.providers : work->config.providers;
}

/* Returns whether there is something to do beside, or to wait for, while the queue cannot be had. */
static bool
work_can_wait(const struct work *work)
{
	return work->options.until == WORK_SERVED || work->running.count > 0 || work->ended.count > 0;
}

static bool
work_may_record(const struct work *work, int64_t now)
{
	return work->ended.count > 0 && work->trouble_at <= now;
}

static bool
work_may_take(const struct work *work, int64_t now)
{
	return (work->look || work->look_at <= now) && work->take_at <= now && work_free_slots(work) > 0;
}

bool
work_exchange_due(const struct work *work, int64_t now)
{
	return work_may_record(work, now) || work_may_take(work, now);
}

/* Fills in what is to be recorded and what is to be taken, as if the tasks that are recorded had left already: they have.
 * Until the queue answers, nothing has been recorded. */
static void
work_fill_exchange(struct work *work, struct exchange *exchange, int64_t now)
{
	struct running_task *running = work_may_record(work, now) ? work->ended.first : NULL;
	size_t room = work_free_slots(work);

	exchange->count = exchange->want.count = 0;
	exchange->batch = (struct queue_batch){.next_ms = -1};
	for (; running && exchange->count < BATCH; running = running->next) {
		exchange->tasks[exchange->count] = running;
		exchange->results[exchange->count] = running->result;
		exchange->answers[exchange->count++] = (struct queue_answer){.code = EX_TEMPFAIL};
	}
	if (!work_may_take(work, now))
		return;
	exchange->want = (struct queue_want){.count = room < BATCH ? room : BATCH, .job = work->options.job,
	    .worker = queue_worker_id(work->worker), .tenants = work_tenants(work), .providers = work_providers(work)};
	exchange->changed = work->look;
	work->look = false;
	queue_watch_clear(work->queue, work->notify);
}

/* Has the caller told that the queue fails for now. */
static void
work_set_trouble(struct work *work, const struct error *why, const char *what)
{
	work->trouble = *why;
	error_prefix(&work->trouble, "%s", what);
}

/* Keeps the results that could not be recorded, for another time; of all others the caller is told. Returns whether there was
 * none to keep. */
static bool
work_take_answers(struct work *work, const struct exchange *exchange, const struct error *why)
{
	bool all = true, is_over = false;

	for (size_t i = 0; i < exchange->count; i++) {
		struct running_task *running = exchange->tasks[i];
		const struct queue_answer *answer = &exchange->answers[i];

		if (answer->code != 0 && answer->code != EX_NO && answer->code != EX_DATAERR) {
			all = false;
			continue;
		}
		if (answer->code) {
			running->answer = memory_zeroed(1, sizeof *running->answer);
			*running->answer = *answer;
			work->dropped |= answer->code == EX_DATAERR || answer->gone;
		}
		running_task_list_remove(&work->ended, running);
		running_task_list_add(&work->recorded, running);
		work->finished += answer->code == 0 && running->result.status == 0;
		is_over |= answer->over;
	}
	/* Who works for one command leaves that to it. */
	if (is_over && !work->options.job)
		job_end_record(&work->job_end, &work->supervisor);
	if (!all) {
		work_set_trouble(work, why, "results are kept");
		work->trouble_at = clock_monotonic_ms() + RETRY_MS;
		if (work->signals > 1)
			work->unrecorded = *why;
	}
	return all;
}

/* Starts what was taken. A task that this host has no files for is given back: it is for others. */
static void
work_start_batch(struct work *work, const struct exchange *exchange)
{
	const struct queue_batch *batch = &exchange->batch;
	int64_t wait = batch->next_ms < 0 ? INT64_MAX : batch->next_ms;
	struct error ignored;

	if (exchange->changed && wait > LOOK_MS)
		wait = LOOK_MS;
	for (size_t i = 0; i < batch->count; i++)
		if (work_start(work, &batch->list[i], &work->trouble) < 0)
			queue_give_back(work->queue, &batch->list[i], 1, &ignored);
	work->look_at = wait == INT64_MAX ? INT64_MAX : clock_monotonic_ms() + wait;
	work->look |= batch->count == exchange->want.count;
	/* A damaged job stays so: it is told of once. */
	if (batch->trouble.code != 0 && strcmp(batch->trouble.text, work->trouble.text) != 0)
		work->trouble = batch->trouble;
}

/* Leaves a queue that fails alone for a moment: what runs goes on. Returns -1 if the worker cannot go on; a job that is not
 * there will not come. */
static int
work_put_off(struct work *work, const struct error *why)
{
	if (why->code == EX_NO || !work_can_wait(work))
		return -1;
	work->look = true;
	work->take_at = work->look_at = clock_monotonic_ms() + RETRY_MS;
	if (!work->take_failed)
		work_set_trouble(work, why, "no task can be taken");
	work->take_failed = true;
	return 0;
}

/* Deals with the answers of the queue. What was taken is started even if something else failed: it is ours. */
static int
work_finish_exchange(struct work *work, struct exchange *exchange, bool failed, struct error *err)
{
	bool recorded = work_take_answers(work, exchange, err);

	if (exchange->want.count > 0)
		work_start_batch(work, exchange);
	if (exchange->count > 0)
		work->look = true;
	if (exchange->want.count == 0)
		return 0;
	if (!failed || exchange->batch.count > 0) {
		work->take_failed = false;
		return 0;
	}
	return recorded || exchange->count == 0 ? work_put_off(work, err) : 0;
}

int
work_exchange(struct work *work, struct error *err)
{
	struct exchange *exchange = work->exchange;
	int result;

	if (!exchange)
		exchange = work->exchange = memory_zeroed(1, sizeof *exchange);
	work_fill_exchange(work, exchange, clock_monotonic_ms());
	queue_set_patient(work->queue, !work_can_wait(work));
	if (exchange->want.count == 0)
		result = queue_finish(work->queue, exchange->results, exchange->count, exchange->answers, err);
	else if (exchange->count == 0)
		result = queue_take(work->queue, &exchange->want, &exchange->batch, err);
	else
		result = queue_turn(work->queue, exchange->results, exchange->count, exchange->answers, &exchange->want,
		    &exchange->batch, err);
	queue_set_patient(work->queue, true);
	result = work_finish_exchange(work, exchange, result < 0, err);
	work->waiting_since = INT64_MAX;
	queue_batch_release(&exchange->batch);
	return result;
}

/* Asks for one task of a job that goes on, each time another; for all of one that does not. */
void
work_stop_unwanted(struct work *work)
{
	struct names going_on = {0};
	struct running_task *running = work->running.first, *next;

	queue_set_patient(work->queue, false);
	for (size_t left = work->running.count; left > 0; left--, running = next) {
		next = running->next;
		if (names_find(&going_on, running->task.job) != NAMES_NONE)
			continue;
		if (!work_is_wanted(work, running)) {
			work_stop(work, running);
			continue;
		}
		names_intern(&going_on, running->task.job);
		running_task_list_remove(&work->running, running);
		running_task_list_add(&work->running, running);
	}
	queue_set_patient(work->queue, true);
	names_release(&going_on);
	work->wanted_at = INT64_MAX;
}
