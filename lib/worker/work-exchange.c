/* SPDX-License-Identifier: Apache-2.0
 *
 * Results go to the queue and tasks come from it, many at once: each exchange costs a wait for the disk, however much it
 * is for.
 */
#include <string.h>

#include "base/clock.h"
#include "worker/work-state.h"

enum {
	BATCH = 1024,           /* results recorded at once, tasks taken at once */
	LOOK_MS = 5000,         /* a killed worker rings as its file is closed, a moment before its lock is gone: so long
	                         * after a change its tasks are looked for once more */
	TROUBLE_MS = 1000,      /* before what the queue refused is tried again */
};

struct exchange {
	struct slot *slots[BATCH];
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

/* Returns whether there is something to do beside, or to wait for, where the queue cannot be had. */
static bool
work_goes_on(const struct work *work)
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

/* Gathers the results to be recorded. Until the queue answers, none of them is. */
static void
work_gather_results(struct work *work, struct exchange *exchange)
{
	for (struct slot *slot = work->ended.first; slot && exchange->count < BATCH; slot = slot->next) {
		exchange->slots[exchange->count] = slot;
		exchange->results[exchange->count] = slot->result;
		exchange->answers[exchange->count] = (struct queue_answer){.code = EX_TEMPFAIL};
		exchange->count++;
	}
}

/* Chooses how many tasks to take, as if those whose results are recorded had left already: they have. */
static void
work_choose(struct work *work, struct exchange *exchange)
{
	size_t room = work_free_slots(work);
	const struct work_options *options = &work->options;

	exchange->want = (struct queue_want){.count = room < BATCH ? room : BATCH, .job = options->job, .worker = queue_worker_id(work->worker),
	    .tenants = work_tenants(work), .providers = work_providers(work)};
	exchange->changed = work->look;
	work->look = false;
	queue_watch_clear(work->queue, work->bell);
}

static void
work_be_in_trouble(struct work *work, const struct error *why, const char *what)
{
	work->trouble = *why;
	error_prefix(&work->trouble, "%s", what);
}

static bool
work_is_settled(const struct queue_answer *answer)
{
	return answer->code == 0 || answer->code == EX_NO || answer->code == EX_DATAERR;
}

/* Keeps those that could not be recorded, for another time; all others can be told. Whether there was none to keep. */
static bool
work_sort_out(struct work *work, const struct exchange *exchange, const struct error *why)
{
	bool all = true;

	for (size_t i = 0; i < exchange->count; i++) {
		struct slot *slot = exchange->slots[i];

		if (!work_is_settled(&exchange->answers[i])) {
			all = false;
			continue;
		}
		if (exchange->answers[i].code) {
			slot->answer = memory_zeroed(1, sizeof *slot->answer);
			*slot->answer = exchange->answers[i];
			work->dropped |= exchange->answers[i].code == EX_DATAERR || exchange->answers[i].gone;
		}
		slot_list_remove(&work->ended, slot);
		slot_list_add(&work->told, slot);
		work->finished += exchange->answers[i].code == 0 && slot->result.status == 0;
	}
	if (!all) {
		work_be_in_trouble(work, why, "results are kept");
		work->trouble_at = clock_monotonic_ms() + TROUBLE_MS;
	}
	return all;
}

static void
work_start_all(struct work *work, const struct exchange *exchange)
{
	const struct queue_batch *batch = &exchange->batch;
	int64_t wait = batch->next_ms < 0 ? INT64_MAX : batch->next_ms;
	struct error ignored;

	if (exchange->changed && wait > LOOK_MS)
		wait = LOOK_MS;
	/* One that this host has no files for is for others. */
	for (size_t i = 0; i < batch->count; i++)
		if (work_start(work, &batch->list[i], &work->trouble) < 0)
			queue_give_back(work->queue, &batch->list[i], 1, &ignored);
	work->look_at = wait == INT64_MAX ? INT64_MAX : clock_monotonic_ms() + wait;
	work->look |= batch->count == exchange->want.count;
	/* A damaged job stays so: it is told of once. */
	if (batch->trouble.code != 0 && strcmp(batch->trouble.text, work->trouble.text) != 0)
		work->trouble = batch->trouble;
}

/* A queue that fails is left alone for a moment: what runs goes on. A job that is not there will not come. */
static int
work_put_off(struct work *work, const struct error *why)
{
	if (why->code == EX_NO || !work_goes_on(work))
		return -1;
	work->look = true;
	work->take_at = work->look_at = clock_monotonic_ms() + TROUBLE_MS;
	if (!work->take_failed)
		work_be_in_trouble(work, why, "no task can be taken");
	work->take_failed = true;
	return 0;
}

static int
work_call_queue(struct work *work, struct exchange *exchange, struct error *err)
{
	if (exchange->want.count == 0)
		return queue_finish(work->queue, exchange->results, exchange->count, exchange->answers, err);
	if (exchange->count == 0)
		return queue_take(work->queue, &exchange->want, &exchange->batch, err);
	return queue_turn(work->queue, exchange->results, exchange->count, exchange->answers, &exchange->want,
	    &exchange->batch, err);
}

/* Deals with the queue's answer. Tasks that were taken are started even if something else failed: they are ours. */
static int
work_conclude(struct work *work, struct exchange *exchange, bool failed, struct error *err)
{
	bool recorded = work_sort_out(work, exchange, err);

	if (exchange->want.count > 0)
		work_start_all(work, exchange);
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
	int64_t now = clock_monotonic_ms();
	int result;

	if (!exchange)
		exchange = work->exchange = memory_zeroed(1, sizeof *exchange);
	exchange->count = exchange->want.count = 0;
	exchange->batch = (struct queue_batch){.next_ms = -1};
	if (work_may_record(work, now))
		work_gather_results(work, exchange);
	if (work_may_take(work, now))
		work_choose(work, exchange);
	queue_set_patient(work->queue, !work_goes_on(work));
	result = work_call_queue(work, exchange, err);
	queue_set_patient(work->queue, true);
	result = work_conclude(work, exchange, result < 0, err);
	work->waiting_since = INT64_MAX;
	queue_batch_release(&exchange->batch);
	return result;
}

/* Asks for one task of a job that goes on, each time another; for all tasks of one that does not. */
void
work_drop_unwanted(struct work *work)
{
	struct names going_on = {0};
	struct slot *slot = work->running.first, *next;

	queue_set_patient(work->queue, false);
	for (size_t left = work->running.count; left > 0; left--, slot = next) {
		next = slot->next;
		if (names_find(&going_on, slot->task.job) != NAMES_NONE)
			continue;
		if (!work_is_wanted(work, slot)) {
			work_stop(work, slot);
			continue;
		}
		names_intern(&going_on, slot->task.job);
		slot_list_remove(&work->running, slot);
		slot_list_add(&work->running, slot);
	}
	queue_set_patient(work->queue, true);
	names_release(&going_on);
	work->wanted_at = INT64_MAX;
}
