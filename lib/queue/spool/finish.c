/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "queue/spool/engine.h"
#include "queue/spool/local.h"
#include "queue/spool/policy.h"
#include "queue/spool/settle.h"
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
	answer->gone = false;
	va_start(ap, format);
	vsnprintf(answer->text, sizeof answer->text, format, ap);
	va_end(ap);
}

/* The event that ended the task's last attempt. */
static bool
finish_last_event(struct ledger *ledger, uint32_t step, struct journal_reader *reader, struct event *event)
{
	struct error none;

	*reader = (struct journal_reader){.fd = ledger->events};
	return journal_read_at(reader, index_live(&ledger->index, step)->event, event, &none) == 0;
}

/* An attempt that does not run: what was said of it before may be said again, all else is refused. */
static void
finish_refuse(struct ledger *ledger, uint32_t step, const struct result *result, struct queue_answer *to)
{
	const struct index_live *live = index_live(&ledger->index, step);
	struct journal_reader reader;
	struct event event;
	bool over = live->attempt == result->attempt, known = over && finish_last_event(ledger, step, &reader, &event);

	if (known && (event.kind == EVENT_DONE || event.kind == EVENT_FAIL) && event.status == result->status)
		finish_answer(to, 0, "recorded before");
	else if (known && event.kind == EVENT_LOST)
		finish_answer(to, EX_NO, "%s:%s: attempt %" PRId64 " was given up (%s): its result is refused", ledger->id,
		    result->task, result->attempt, event.reason);
	else
		finish_answer(to, EX_NO, "%s:%s: attempt %" PRId64 " does not run: the task is %s, its last attempt is %u",
		    ledger->id,
		    result->task, result->attempt, index_status_name((enum step_status)live->status), live->attempt);
	if (over)
		journal_reader_release(&reader);
}

static int
finish_record(struct ledger *ledger, uint32_t step, const struct result *result, struct error *err)
{
	struct event event = {.kind = result->status == 0 ? EVENT_DONE : EVENT_FAIL, .status = result->status,
	    .task = index_step_id(&ledger->index, step), .attempt = result->attempt};
	struct buffer text = {0};
	int failed;

	event_result(result, &text);
	event.result = text.data;
	if (event.kind == EVENT_FAIL)
		policy_decide(&ledger->index, step, &event, clock_boottime_ms());
	failed = ledger_record(ledger, &event, err);
	buffer_release(&text);
	return failed;
}

static int
finish_one(struct ledger *ledger, const struct result *result, struct queue_answer *to, struct error *err)
{
	struct index *index = &ledger->index;
	uint32_t link = result->task ? index_find(index, result->task) : 0;
	const struct index_live *live = link ? index_live(index, link - 1) : NULL;

	*to = (struct queue_answer){0};
	if (!link || index_step(index, link - 1)->is_milestone) {
		finish_answer(to, EX_DATAERR, "%s: it has no task %s", ledger->id, result->task ? result->task : "without an id");
		return 0;
	}
	if (live->status == STEP_RUNNING && live->attempt == result->attempt)
		return finish_record(ledger, link - 1, result, err);
	finish_refuse(ledger, link - 1, result, to);
	return 0;
}

static bool
finish_is_of(const struct result *result, const char *job)
{
	return result->job && strcmp(result->job, job) == 0;
}

/* All results of a job that is locked, from the first one on. */
static int
finish_locked(struct ledger *ledger, void *context, struct error *err)
{
	struct finishing *finishing = context;

	for (size_t i = finishing->first; i < finishing->count; i++)
		if (finish_is_of(&finishing->results[i], ledger->id) &&
		    finish_one(ledger, &finishing->results[i], &finishing->answers[i], err) < 0)
			return -1;
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

static void
finish_answer_gone(struct finishing *finishing, const char *job)
{
	struct error ignored;

	for (size_t i = 0; i < finishing->count; i++)
		if (finish_is_of(&finishing->results[i], job))
			finishing->answers[i].gone = true;
	settle_gone(finishing->queue, job, &ignored);
}

/* What was written of jobs that the disk refuses is not recorded. */
static void
finish_sync(struct finishing *finishing)
{
	const struct ledger *refused;
	struct error err;

	while ((refused = engine_sync(finishing->queue, &err)))
		finish_answer_job(finishing, refused->id, &err);
}

/* The results of one job: all written, or none and each answered with the reason. */
static void
finish_job(struct finishing *finishing, size_t first)
{
	const char *job = finishing->results[first].job;
	struct error err;

	if (!job) {
		finish_answer(&finishing->answers[first], EX_DATAERR, "a result that names no job");
		finishing->done[first] = true;
		return;
	}
	finishing->first = first;
	if (!engine_change(finishing->queue, job, finish_locked, finishing, &err)) {
		finish_answer_job(finishing, job, &err);
		if (err.code == EX_NO)
			finish_answer_gone(finishing, job);
	}
	for (size_t i = first; i < finishing->count; i++)
		finishing->done[i] |= finish_is_of(&finishing->results[i], job);
	if (engine_is_full(finishing->queue))
		finish_sync(finishing);
}

static void
finish_answer_all(const struct finishing *finishing, const struct error *err)
{
	for (size_t i = 0; i < finishing->count; i++)
		finish_answer(&finishing->answers[i], err->code, "%.400s", err->text);
}

/* What is worst of all answers. */
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
	if (engine_check_writable(finishing->queue, err) < 0 || board_refresh(&finishing->queue->board, err) < 0) {
		/* A caller that looks at the answers alone must not take one for recorded. */
		finish_answer_all(finishing, err);
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
	spool_ring(&queue->spool);
	return finish_sum_up(answers, count, err);
}

/* What is taken is written behind the results, so that the disk is waited for once. */
int
finish_and_take(struct queue *base, const struct result *results, size_t count, struct queue_answer *answers,
    const struct queue_want *want, struct queue_batch *batch, struct error *err)
{
	struct spool_queue *queue = spool_queue_of(base);
	struct finishing finishing = {.queue = queue, .results = results, .count = count, .answers = answers};
	const struct ledger *refused;
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
		spool_ring(&queue->spool);
	return taken < 0 ? -1 : finish_sum_up(answers, count, err);
}

int
finish_is_wanted(struct queue *base, const char *job, const char *task, int64_t attempt, struct error *err)
{
	struct spool_queue *queue = spool_queue_of(base);
	struct ledger *ledger = engine_lock(queue, job, err);
	const struct index_live *live;
	uint32_t link;
	int wanted;

	if (!ledger)
		return err->code == EX_NO ? 0 : -1;
	link = index_find(&ledger->index, task);
	live = link ? index_live(&ledger->index, link - 1) : NULL;
	wanted = live && live->status == STEP_RUNNING && live->attempt == attempt && !ledger->index.header->cancelled;
	if (ledger->index.broken)
		wanted = error_set(err, EX_SOFTWARE, "job %s: state: is damaged", ledger->id);
	ledger_unlock(ledger);
	return wanted;
}
