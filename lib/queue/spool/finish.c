/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "queue/job/fold.h"
#include "queue/job/policy.h"
#include "queue/spool/engine.h"
#include "queue/spool/local.h"
#include "queue/spool/reap.h"
#include "queue/spool/shared/journal.h"
#include "queue/spool/take.h"

struct finishing {
	struct spool_queue *queue;
	const struct result *results;
	size_t count;
	struct queue_answer *answers;
	bool *done; /* by result: it has its answer */
	size_t first; /* of the results of the job at hand */
};

static void finish_answer(struct queue_answer *answer, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void
finish_answer(struct queue_answer *answer, int code, const char *format, ...)
{
	va_list ap;

	answer->code = code;
	answer->gone = answer->over = false;
	va_start(ap, format);
	vsnprintf(answer->text, sizeof answer->text, format, ap);
	va_end(ap);
}

/* An attempt that does not run: what was said of it before may be said again, all else is refused. */
static void
finish_refuse(struct open_job *job, uint32_t step, const struct result *result, struct queue_answer *to)
{
	const struct state_live *live = state_live(&job->state, step);
	const char *status = queue_step_name((enum step_status)live->status);
	struct journal_reader reader = {.fd = job->events};
	struct buffer text = {0};
	struct event event; /* that ended the last attempt */
	struct error none;
	bool known = live->attempt == result->attempt && journal_read_at(&reader, live->event, &event, &none) == 0;

	if (known && (event.kind == EVENT_DONE || event.kind == EVENT_FAIL)) {
		event_result(result, &text);
		if (event.result && strcmp(event.result, text.data) == 0)
			finish_answer(to, 0, "recorded before");
		else
			finish_answer(to, EX_NO, "%s:%s: attempt %" PRId64 ": another result is recorded (status %" PRId64
			    "; the task is %s); this one is refused", job->id, result->task, result->attempt, event.status,
			    status);
	} else if (known && event.kind == EVENT_LOST) {
		finish_answer(to, EX_NO, "%s:%s: attempt %" PRId64 " was cancelled (%s); its result is refused", job->id,
		    result->task, result->attempt, event.reason);
	} else {
		finish_answer(to, EX_NO, "%s:%s: attempt %" PRId64 " does not run: the task is %s, its last attempt is %u",
		    job->id, result->task, result->attempt, status, live->attempt);
	}
	buffer_release(&text);
	journal_reader_release(&reader);
}

static int
finish_record(struct open_job *job, uint32_t step, const struct result *result, struct error *err)
{
	struct event event = {.kind = result->status == 0 ? EVENT_DONE : EVENT_FAIL, .status = result->status,
	    .task = state_step_id(&job->state, step), .attempt = result->attempt};
	struct buffer text = {0};
	int failed;

	event_result(result, &text);
	event.result = text.data;
	if (event.kind == EVENT_FAIL)
		policy_decide(&job->state, step, &event, clock_boottime_ms());
	failed = job_record(job, &event, err);
	buffer_release(&text);
	return failed;
}

static int
finish_one(struct open_job *job, const struct result *result, struct queue_answer *to, struct error *err)
{
	struct job_state *state = &job->state;
	uint32_t link = result->task ? state_find(state, result->task) : 0;
	const struct state_live *live = link ? state_live(state, link - 1) : NULL;

	*to = (struct queue_answer){0};
	if (!link || state_step(state, link - 1)->is_milestone) {
		finish_answer(to, EX_DATAERR, "%s: it has no task %s", job->id, result->task ? result->task : "without an id");
		return 0;
	}
	if (live->status == STEP_RUNNING && live->attempt == result->attempt)
		return finish_record(job, link - 1, result, err);
	finish_refuse(job, link - 1, result, to);
	return 0;
}

static bool
finish_is_of(const struct result *result, const char *job)
{
	return result->job && strcmp(result->job, job) == 0;
}

/* All results of a job that is locked, from the first one on. */
static int
finish_locked(struct open_job *job, void *context, struct error *err)
{
	struct finishing *finishing = context;

	for (size_t i = finishing->first; i < finishing->count; i++)
		if (finish_is_of(&finishing->results[i], job->id) &&
		    finish_one(job, &finishing->results[i], &finishing->answers[i], err) < 0)
			return -1;
	for (size_t i = finishing->first; i < finishing->count; i++)
		if (finish_is_of(&finishing->results[i], job->id))
			finishing->answers[i].over = job->state.header->finished || fold_is_over(&job->state);
	return 0;
}

/* The answer to all results of a job. */
static void
finish_answer_job(struct finishing *finishing, const char *job, const struct error *err)
{
	for (size_t i = 0; i < finishing->count; i++)
		if (finish_is_of(&finishing->results[i], job))
			finish_answer(&finishing->answers[i], err->code, "%.400s", err->text);
}

/* Brings all jobs to disk, and answers the results of those that the disk refuses: they are not recorded. */
static void
finish_sync(struct finishing *finishing)
{
	const struct open_job *refused;
	struct error err;

	while ((refused = engine_sync(finishing->queue, &err)))
		finish_answer_job(finishing, refused->id, &err);
}

/* The results of one job: all written, or none and each answered with the reason. */
static void
finish_job(struct finishing *finishing, size_t first)
{
	const char *job = finishing->results[first].job;
	struct error err, ignored;
	bool gone = false;

	if (!job) {
		finish_answer(&finishing->answers[first], EX_DATAERR, "a result that names no job");
		finishing->done[first] = true;
		return;
	}
	finishing->first = first;
	if (!engine_change(finishing->queue, job, finish_locked, finishing, &err)) {
		finish_answer_job(finishing, job, &err);
		gone = err.code == EX_NO;
	}
	for (size_t i = first; i < finishing->count; i++)
		if (finish_is_of(&finishing->results[i], job)) {
			finishing->answers[i].gone = gone;
			finishing->done[i] = true;
		}
	if (gone)
		reap_gone(finishing->queue, job, &ignored);
	if (engine_is_full(finishing->queue))
		finish_sync(finishing);
}

/* Puts the worst of all answers into err, and returns -1 if there is one. */
static int
finish_sum_up(const struct queue_answer *answers, size_t count, struct error *err)
{
	const struct queue_answer *worst = NULL;

	for (size_t i = 0; i < count; i++)
		if (answers[i].code != 0 && (!worst || answers[i].code > worst->code))
			worst = &answers[i];
	return worst ? error_set(err, worst->code, "%s", worst->text) : 0;
}

/* All results written, and not yet on disk. */
static int
finish_write(struct finishing *finishing, struct error *err)
{
	if (engine_check_writable(finishing->queue, err) < 0 || scheduler_refresh(&finishing->queue->table, err) < 0) {
		/* A caller that looks at the answers alone must not take one for recorded. */
		for (size_t i = 0; i < finishing->count; i++)
			finish_answer(&finishing->answers[i], err->code, "%.400s", err->text);
		return -1;
	}
	finishing->done = memory_zeroed(finishing->count, sizeof *finishing->done);
	for (size_t i = 0; i < finishing->count; i++)
		if (!finishing->done[i])
			finish_job(finishing, i);
	free(finishing->done);
	return 0;
}

int
finish_results(struct queue *base, const struct result *results, size_t count, struct queue_answer *answers,
    struct error *err)
{
	struct spool_queue *queue = spool_queue_of(base);
	struct finishing finishing = {.queue = queue, .results = results, .count = count, .answers = answers};

	if (finish_write(&finishing, err) < 0)
		return -1;
	finish_sync(&finishing);
	spool_notify(&queue->spool);
	return finish_sum_up(answers, count, err);
}

/* Writes what is taken behind the results, so that the disk is waited for once. */
int
finish_and_take(struct queue *base, const struct result *results, size_t count, struct queue_answer *answers,
    const struct queue_want *want, struct queue_batch *batch, struct error *err)
{
	struct spool_queue *queue = spool_queue_of(base);
	struct finishing finishing = {.queue = queue, .results = results, .count = count, .answers = answers};
	const struct open_job *refused;
	struct error one;
	int taken;

	*batch = (struct queue_batch){.next_ms = -1};
	if (count > 0 && finish_write(&finishing, err) < 0)
		return -1;
	taken = take_write(queue, want, batch, err);
	while ((refused = engine_sync(queue, &one))) {
		finish_answer_job(&finishing, refused->id, &one);
		take_refuse(batch, refused->id, &one);
	}
	if (count > 0 || batch->count > 0)
		spool_notify(&queue->spool);
	return taken < 0 ? -1 : finish_sum_up(answers, count, err);
}

int
finish_is_wanted(struct queue *base, const char *id, const char *task, int64_t attempt, struct error *err)
{
	struct spool_queue *queue = spool_queue_of(base);
	struct open_job *job = engine_lock(queue, id, err);
	const struct state_live *live;
	uint32_t link;
	int wanted;

	if (!job)
		return err->code == EX_NO ? 0 : -1;
	link = state_find(&job->state, task);
	live = link ? state_live(&job->state, link - 1) : NULL;
	wanted = live && live->status == STEP_RUNNING && live->attempt == attempt && !job->state.header->cancelled;
	if (job->state.broken)
		wanted = error_set(err, EX_SOFTWARE, "job %s: state: is damaged", job->id);
	job_unlock(job);
	return wanted;
}
