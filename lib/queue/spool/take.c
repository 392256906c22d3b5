/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "queue/job/id.h"
#include "queue/job/step.h"
#include "queue/spool/engine.h"
#include "queue/spool/limits.h"
#include "queue/spool/local.h"
#include "queue/spool/reap.h"
#include "queue/spool/shared/scheduler-names.h"
#include "queue/spool/shared/scheduler.h"
#include "queue/spool/stuck.h"
#include "queue/spool/take-record.h"
#include "queue/spool/take.h"

struct taking {
	struct spool_queue *queue;
	const struct queue_want *want;
	struct queue_batch *batch;
	const char *by;
	int64_t now_ms; /* boot time */
	size_t before, max; /* of the job at hand: what the batch had before it, and how much may be added */
};

static int
take_step(struct taking *taking, struct open_job *job, uint32_t step, struct error *err)
{
	struct queue_batch *batch = taking->batch;
	struct job_state *state = &job->state;
	struct event event = {.kind = EVENT_TAKE, .task = state_step_id(state, step), .by = taking->by,
	    .attempt = (int64_t)state_live(state, step)->attempt + 1, .leased = !taking->want->worker};
	struct queue_task *task;

	if (state_live(state, step)->phase != 0)
		event.action = action_name(step_action(state, step));
	ARRAY_ROOM(batch->list, batch->count, batch->capacity);
	task = &batch->list[batch->count];
	if (take_record(job, step, event.attempt, taking->by, &batch->arena, task, err) < 0)
		return -1;
	event.until_ms = taking->now_ms + (taking->want->lease_ms < 0 ? task->timeout_s * 1000 : taking->want->lease_ms);
	if (job_record(job, &event, err) < 0)
		return -1;
	batch->count++;
	return 0;
}

/* Returns how many of max steps may be taken, by what is ready and by the limits. */
static size_t
take_allowed(struct taking *taking, struct open_job *job, size_t max)
{
	const struct state_header *header = job->state.header;
	struct scheduler_table *table = &taking->queue->table;
	uint32_t wanted = max < header->ready_count ? (uint32_t)max : header->ready_count, link, given;

	if (wanted == 0 || header->paused || header->cancelled || header->finished)
		return 0;
	link = job_slot(job);
	if (!link || scheduler_slot(table, link)->behind)
		return 0;
	given = scheduler_reserve(table, link, job->id, wanted);
	taking->batch->limited |= given < wanted;
	return given;
}

/* Takes up to max steps of a locked job. */
static int
take_locked(struct open_job *job, void *context, struct error *err)
{
	struct taking *taking = context;
	size_t max;
	uint32_t link;

	taking->batch->count = taking->before;
	if (reap_job(job, taking->now_ms, err) < 0)
		return -1;
	max = take_allowed(taking, job, taking->max);
	for (; max > 0 && !job->state.broken && (link = step_first(&job->state, taking->want->actions)) != 0; max--)
		if (take_step(taking, job, link - 1, err) < 0)
			return -1;
	return 0;
}

static void
take_tell(struct queue_batch *batch, const struct error *err)
{
	if (batch->trouble.code == 0)
		batch->trouble = *err;
}

void
take_refuse(struct queue_batch *batch, const char *job, const struct error *err)
{
	size_t kept = 0;

	for (size_t i = 0; i < batch->count; i++)
		if (strcmp(batch->list[i].job, job) != 0)
			batch->list[kept++] = batch->list[i];
	batch->count = kept;
	take_tell(batch, err);
}

static void
take_sync_all(struct spool_queue *queue, struct queue_batch *batch)
{
	const struct open_job *refused;
	struct error err;

	while ((refused = engine_sync(queue, &err)))
		take_refuse(batch, refused->id, &err);
}

/* Takes up to max steps of a job. EX_NO: it is not there. */
static int
take_of(struct taking *taking, const char *id, size_t max, struct error *err)
{
	const struct open_job *job;

	taking->before = taking->batch->count;
	taking->max = max;
	job = engine_change(taking->queue, id, take_locked, taking, err);
	if (!job)
		taking->batch->count = taking->before;
	return job ? 0 : -1;
}

/* Tells of a fault of one job, which holds up no other. A job that is not there is on its way in or out, or whoever brought
 * it was stopped. */
static void
take_pass_over(struct taking *taking, const struct chosen *chosen, struct error *err)
{
	if (err->code != EX_NO || reap_missing(taking->queue, chosen->job, chosen->link, err) < 0)
		take_tell(taking->batch, err);
}

/* Retries and leases that are due in any job come first: they decide what is ready. */
static int
take_reap_due(struct taking *taking, struct error *err)
{
	struct scheduler_table *table = &taking->queue->table;
	struct chosen due;
	int result;

	while ((result = scheduler_due(table, taking->now_ms, &due, err)) == 0 && due.link) {
		if (take_of(taking, due.job, 0, err) == 0)
			continue;
		take_pass_over(taking, &due, err);
		scheduler_defer(table, due.link, due.job, taking->now_ms + REAP_BUSY_MS);
	}
	return result;
}

/* Takes from one job after the other until there are enough, or nothing is left. */
static int
take_any(struct taking *taking, struct error *err)
{
	struct scheduler scheduler = {.want = taking->want};
	size_t before = 0, left, tenants;
	struct chosen next;
	int result = take_reap_due(taking, err);

	while (result == 0 && (left = taking->want->count - taking->batch->count) > 0) {
		before = taking->batch->count;
		result = scheduler_next(&scheduler, &taking->queue->table, &next, err);
		if (result < 0 || !next.link)
			break;
		tenants = scheduler.tenants ? scheduler.tenants : 1;
		if (take_of(taking, next.job, left > tenants ? left / tenants : 1, err) < 0)
			take_pass_over(taking, &next, err);
		if (taking->batch->count == before)
			scheduler_exhausted(&scheduler, next.link);
		if (engine_is_full(taking->queue))
			take_sync_all(taking->queue, taking->batch);
	}
	taking->batch->limited |= scheduler.limited;
	scheduler_release(&scheduler);
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
take_next_ms(const struct taking *taking)
{
	struct scheduler_table *table = &taking->queue->table;
	int64_t first = INT64_MAX, now = clock_boottime_ms();
	const char *job = taking->want->job;
	struct error none;
	uint32_t link;

	if (scheduler_lock(table, &none) < 0)
		return -1;
	link = job ? scheduler_names_find(table, job) : scheduler_first_timer(table);
	if (link)
		first = scheduler_slot(table, link)->timer_ms;
	scheduler_unlock(table);
	if (first == INT64_MAX)
		return -1;
	return first > now ? first - now : 0;
}

/* Looks for the dead, unless someone did less than age_ms ago: then *wait_ms is how long to leave it. */
static bool
take_reap_dead(struct taking *taking, int64_t age_ms, int64_t *wait_ms)
{
	struct error err;
	int64_t last;

	if (scheduler_claim_reap(&taking->queue->table, taking->now_ms, age_ms, &last)) {
		*wait_ms = -1;
		if (reap_spool(taking->queue, &err) < 0)
			take_tell(taking->batch, &err);
		return true;
	}
	*wait_ms = last + age_ms > taking->now_ms ? last + age_ms - taking->now_ms : 0;
	return false;
}

static int
take_all(struct taking *taking, struct error *err)
{
	struct queue_batch *batch = taking->batch;
	const struct scheduler_header *header;
	int trouble;
	int64_t wait_ms;
	bool looked = take_reap_dead(taking, REAP_BUSY_MS, &wait_ms);

	if (take_wanted(taking, err) < 0)
		return -1;
	if (batch->count == 0 && !looked) {
		looked = take_reap_dead(taking, REAP_IDLE_MS, &wait_ms);
		if (looked && take_wanted(taking, err) < 0)
			return -1;
	}
	if (batch->count == taking->want->count)
		return 0;
	batch->next_ms = take_next_ms(taking);
	trouble = batch->trouble.code;
	/* A trouble other than damage may pass, and nobody would notify us of that. */
	if (trouble != 0 && trouble != EX_DATAERR && trouble != EX_SOFTWARE && batch->next_ms < 0)
		batch->next_ms = REAP_BUSY_MS;
	/* A job that could not be taken from promises the same at once again. */
	if (trouble != 0 && batch->next_ms >= 0 && batch->next_ms < REAP_BUSY_MS)
		batch->next_ms = REAP_BUSY_MS;
	/* A worker may have died since someone else looked: its tasks are to be looked for soon. */
	header = taking->queue->table.header;
	if (!looked && (header->running > 0 || header->busy != 0) && (batch->next_ms < 0 || wait_ms < batch->next_ms))
		batch->next_ms = wait_ms;
	/* A worker that is stopped tells nobody, not even by its death. */
	if (header->running > 0 && (batch->next_ms < 0 || batch->next_ms > STUCK_LOOK_MS))
		batch->next_ms = STUCK_LOOK_MS;
	return 0;
}

int
take_write(struct spool_queue *queue, const struct queue_want *want, struct queue_batch *batch, struct error *err)
{
	struct taking taking = {.queue = queue, .want = want, .batch = batch, .now_ms = clock_boottime_ms()};
	unsigned remade;
	int result;

	*batch = (struct queue_batch){.next_ms = -1};
	taking.by = want->worker ? want->worker : want->by ? want->by : engine_user(queue);
	if (engine_check_writable(queue, err) < 0)
		return -1;
	if (want->worker && (!id_is_valid(want->worker) || !file_exists(queue->spool.workers, want->worker)))
		return error_set(err, EX_NO, "worker %s: none of that name has joined %s", want->worker, queue->spool.path);
	if (scheduler_refresh(&queue->table, err) < 0 || limits_refresh(queue, err) < 0)
		return -1;
	remade = queue->table.remade;
	result = take_all(&taking, err);
	/* A damaged table may have hidden some of the jobs from us. */
	if (result == 0 && batch->count == 0 && queue->table.remade != remade &&
	    (result = limits_refresh(queue, err)) == 0)
		result = take_all(&taking, err);
	return result;
}

int
take_tasks(struct queue *base, const struct queue_want *want, struct queue_batch *batch, struct error *err)
{
	struct spool_queue *queue = spool_queue_of(base);
	int result = take_write(queue, want, batch, err);

	take_sync_all(queue, batch);
	if (batch->count > 0)
		spool_notify(&queue->spool);
	return result;
}

int
take_files(struct queue *queue, const struct queue_task *task, char **nodes, char **log, struct error *err)
{
	const char *spool = spool_queue_of(queue)->spool.path;

	(void)err;
	*nodes = memory_printf("%s/jobs/%s/nodes.ndjson", spool, task->job);
	*log = memory_printf("%s/jobs/%s/log/%s.%" PRId64, spool, task->job, task->task, task->attempt);
	return 0;
}
