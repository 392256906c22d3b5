/* SPDX-License-Identifier: Apache-2.0
 *
 * A second engine of the queue, which keeps all in the memory of one process: it shows what an engine has to be, and that
 * nothing outside lib/queue/spool needs a spool. It has the functions of queue.h by which jobs run, and promises what they do,
 * but for what outlives the process: a queue that is closed is there again under its name. What fails is ready again at once.
 */
#ifndef TESTS_UNIT_QUEUE_MEMORY_H
#define TESTS_UNIT_QUEUE_MEMORY_H

#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "json/record.h"
#include "model/plan-document.h"
#include "model/take/take-record.h"
#include "queue/engine.h"

enum { MEMORY_LOSSES_MAX = 20 };

struct memory_step {
	const struct step *plan;
	enum step_status status;
	int64_t attempt, until_ms; /* RUNNING: of the monotonic clock */
	size_t phase;              /* 0: its own action, n: the n-th of its undo */
	int failures, losses, cycles;
	int64_t until_patience_ms; /* of the monotonic clock; 0: its last attempt did not fail for the time being */
	char by[QUEUE_ID_SIZE];
	char *result;
};

struct memory_job {
	struct queue_job seen; /* its counts are made when they are asked for */
	struct buffer events;
	struct plan_document document;
	struct memory_step *steps;
	uint64_t seq;
	bool paused, cancelled, finished;
};

struct memory_queue {
	struct queue base;
	char *name;
	struct memory_job **jobs;
	size_t count, capacity;
	struct queue_worker **workers;
	size_t worker_count, worker_capacity;
	int bell;
	struct memory_queue *next;
};

static struct memory_queue *memory_all;

static inline struct memory_queue *
memory_of(struct queue *queue)
{
	return (struct memory_queue *)queue;
}

static inline void
memory_ring(struct memory_queue *queue)
{
	if (eventfd_write(queue->bell, 1) < 0)
		return; /* it rings already */
}

static struct memory_job *
memory_find(struct queue *queue, const char *id, struct error *err)
{
	struct memory_queue *memory = memory_of(queue);

	for (size_t i = 0; i < memory->count; i++)
		if (strcmp(memory->jobs[i]->seen.id, id) == 0)
			return memory->jobs[i];
	error_set(err, EX_NO, "job %s: there is none", id);
	return NULL;
}

static struct memory_step *
memory_find_step(struct memory_job *job, const char *id)
{
	for (size_t i = 0; i < job->document.count; i++)
		if (strcmp(job->steps[i].plan->id, id) == 0)
			return &job->steps[i];
	return NULL;
}

static void
memory_record(struct memory_job *job, struct event event)
{
	event.seq = ++job->seq;
	event.at_ms = clock_wall_ms();
	event_print(&event, &job->events);
}

/* --- what follows from what --- */

static bool
memory_is_free(struct memory_job *job, const struct memory_step *step)
{
	for (size_t i = 0; i < step->plan->after.count; i++) {
		const struct memory_step *before = memory_find_step(job, step->plan->after.list[i]);

		if (before && before->status != STEP_DONE && before->status != STEP_SKIPPED)
			return false;
	}
	return true;
}

static enum action
memory_action(const struct memory_step *step)
{
	return step->phase ? action_of_name(step->plan->undo.list[step->phase - 1]) : step->plan->action;
}

/* Makes ready what waits for nothing more, and finishes the job where nothing is left to do. */
static void
memory_go_on(struct memory_job *job)
{
	bool running = false, open = false, failed = false;

	for (bool changed = true; changed;) {
		changed = false;
		for (size_t i = 0; i < job->document.count; i++) {
			struct memory_step *step = &job->steps[i];

			if (step->status != STEP_BLOCKED || !memory_is_free(job, step))
				continue;
			step->status = step->plan->is_milestone ? STEP_DONE : STEP_READY;
			changed = true;
		}
	}
	for (size_t i = 0; i < job->document.count; i++) {
		running |= job->steps[i].status == STEP_RUNNING;
		open |= job->steps[i].status == STEP_READY;
		failed |= job->steps[i].status == STEP_FAILED;
	}
	if (job->finished || running || (open && !job->cancelled))
		return;
	job->finished = true;
	job->seen.finished_ms = clock_wall_ms();
	job->seen.status = failed ? QUEUE_FAILED : job->cancelled && open ? QUEUE_CANCELLED : QUEUE_COMPLETE;
	memory_record(job, (struct event){.kind = EVENT_FINISH, .reason = queue_status_name(job->seen.status)});
}

/* Decides what follows on an attempt that failed or was lost, by the rules of coopr-queue(1). */
static enum event_next
memory_decide(struct memory_step *step, int64_t status, bool lost)
{
	bool again;

	if (lost) {
		again = ++step->losses <= MEMORY_LOSSES_MAX;
	} else if (status == EX_TEMPFAIL || (step->phase == 0 && step->plan->action == ACTION_CHECK)) {
		if (!step->until_patience_ms)
			step->until_patience_ms = clock_monotonic_ms() + step->plan->patience_s * 1000;
		again = clock_monotonic_ms() < step->until_patience_ms;
	} else if (result_is_permanent(status)) {
		again = false;
	} else if (step->phase == 0 && step->plan->undo.count > 0) {
		again = step->cycles < step->plan->retries;
		if (again) {
			step->cycles++;
			step->phase = 1;
			step->failures = step->losses = 0;
			step->until_patience_ms = 0;
			step->status = STEP_READY;
			return EVENT_NEXT_UNDO;
		}
	} else {
		again = ++step->failures <= step->plan->retries;
	}
	step->status = again ? STEP_READY : STEP_FAILED;
	return again ? EVENT_NEXT_RETRY : EVENT_NEXT_FAILED;
}

static void
memory_lose(struct memory_job *job, struct memory_step *step, const char *reason)
{
	enum event_next next = memory_decide(step, 0, true);

	memory_record(job, (struct event){.kind = EVENT_LOST, .task = step->plan->id, .attempt = step->attempt,
	    .reason = reason, .next = next});
	memory_go_on(job);
}

/* Loses what the worker holds (NULL: nobody), and what is held on a lease that has run out. */
static void
memory_lose_all(struct memory_queue *memory, const char *worker, const char *reason)
{
	for (size_t j = 0; j < memory->count; j++)
		for (size_t i = 0; i < memory->jobs[j]->document.count; i++) {
			struct memory_step *step = &memory->jobs[j]->steps[i];

			if (step->status != STEP_RUNNING)
				continue;
			if (worker && strcmp(step->by, worker) == 0)
				memory_lose(memory->jobs[j], step, reason);
			else if (step->until_ms <= clock_monotonic_ms())
				memory_lose(memory->jobs[j], step, "its lease ran out");
		}
}

/* --- the functions of queue.h --- */

static struct queue *memory_open(const char *where, enum queue_mode mode, struct error *err);

static void
memory_close(struct queue *queue)
{
	(void)queue; /* it stays under its name */
}

static void
memory_free_job(struct memory_job *job)
{
	for (size_t i = 0; job->steps && i < job->document.count; i++)
		free(job->steps[i].result);
	free(job->steps);
	plan_document_release(&job->document);
	buffer_release(&job->events);
	free(job);
}

static int
memory_put(struct queue *queue, struct record_reader *plan, const struct queue_put *options, char id[QUEUE_ID_SIZE],
    struct problems *problems, struct error *err)
{
	struct memory_queue *memory = memory_of(queue);
	struct memory_job *job = memory_zeroed(1, sizeof *job);
	struct queue_job *seen = &job->seen;
	const struct job *record = &job->document.job;
	struct error none;

	if (plan_document_read(plan, &job->document, problems, err) < 0 || problems->total > 0) {
		if (problems->total > 0)
			error_set(err, EX_DATAERR, "%s: the plan cannot be put", plan->name);
		memory_free_job(job);
		return -1;
	}
	*seen = (struct queue_job){.put_ms = clock_wall_ms(), .critical_path_s = record->critical_path_s};
	if (options->job || record->id)
		snprintf(seen->id, sizeof seen->id, "%s", options->job ? options->job : record->id);
	for (int number = 1; !seen->id[0] || (!options->job && memory_find(queue, seen->id, &none)); number++)
		snprintf(seen->id, sizeof seen->id, "%s-%03d", record->cluster, number);
	if (memory_find(queue, seen->id, &none)) {
		memory_free_job(job);
		return error_set(err, EX_CANTCREAT, "job %s: it is there already", options->job);
	}
	snprintf(seen->cluster, sizeof seen->cluster, "%s", record->cluster);
	snprintf(seen->tenant, sizeof seen->tenant, "%s", record->tenant);
	snprintf(seen->action, sizeof seen->action, "%s", record->action ? record->action : "");
	snprintf(id, QUEUE_ID_SIZE, "%s", seen->id);
	job->paused = options->paused;
	job->steps = memory_zeroed(job->document.count, sizeof *job->steps);
	for (size_t i = 0; i < job->document.count; i++)
		job->steps[i].plan = &job->document.steps[i];
	memory_record(job, (struct event){.kind = EVENT_PUT, .by = "memory", .boot = "none", .job = seen->id,
	    .cluster = seen->cluster, .tenant = seen->tenant, .order = memory->count + 1});
	memory_go_on(job);
	ARRAY_ROOM(memory->jobs, memory->count, memory->capacity);
	memory->jobs[memory->count++] = job;
	memory_ring(memory);
	return 0;
}

static bool
memory_waits(const struct memory_queue *memory, const struct memory_job *job)
{
	for (size_t i = 0; i < memory->count && memory->jobs[i] != job; i++)
		if (!memory->jobs[i]->finished && strcmp(memory->jobs[i]->seen.cluster, job->seen.cluster) == 0)
			return true;
	return false;
}

static bool
memory_is_busy(const struct memory_job *job, const char *node)
{
	for (size_t i = 0; i < job->document.count; i++)
		if (job->steps[i].status == STEP_RUNNING && strcmp(job->steps[i].plan->node, node) == 0)
			return true;
	return false;
}

static struct memory_step *
memory_next(const struct memory_job *job)
{
	struct memory_step *best = NULL;

	for (size_t i = 0; i < job->document.count; i++) {
		struct memory_step *step = &job->steps[i];

		if (step->status == STEP_READY && !memory_is_busy(job, step->plan->node) &&
		    (!best || step->plan->rank > best->plan->rank))
			best = step;
	}
	return best;
}

static int
memory_take_step(struct memory_job *job, struct memory_step *step, const struct queue_want *want,
    struct queue_batch *batch, struct error *err)
{
	const char *by = want->worker ? want->worker : want->by ? want->by : "somebody";
	struct take_record taken = {.job = job->seen.id, .task = step->plan->id, .attempt = step->attempt + 1,
	    .action = action_asked(memory_action(step)), .worker = by, .cluster = "{}", .machine = "{}", .token = step->plan->id};
	struct buffer line = {0}, record = {0};
	struct queue_task *task;
	struct step read;
	int result;

	step_print(step->plan, &line);
	result = take_record_print(&taken, line.data, line.length - 1, &batch->arena, &read, &record, err);
	if (result == 0) {
		ARRAY_ROOM(batch->list, batch->count, batch->capacity);
		task = &batch->list[batch->count++];
		*task = (struct queue_task){.job = taken.job, .task = taken.task, .attempt = taken.attempt, .node = read.node,
		    .action = memory_action(step), .service = read.service, .type = read.type, .timeout_s = read.timeout_s,
		    .expect_s = read.expect_s, .record = arena_substring(&batch->arena, record.data, record.length),
		    .record_length = record.length};
		step->status = STEP_RUNNING;
		step->attempt++;
		step->until_ms = want->worker ? INT64_MAX : clock_monotonic_ms() + (want->lease_ms < 0 ? read.timeout_s * 1000
		    : want->lease_ms);
		snprintf(step->by, sizeof step->by, "%s", by);
		memory_record(job, (struct event){.kind = EVENT_TAKE, .task = taken.task, .attempt = taken.attempt, .by = by,
		    .action = step->phase ? action_name(taken.action) : NULL, .leased = !want->worker, .until_ms = step->until_ms});
	}
	buffer_release(&line);
	buffer_release(&record);
	return result;
}

static int
memory_take(struct queue *queue, const struct queue_want *want, struct queue_batch *batch, struct error *err)
{
	struct memory_queue *memory = memory_of(queue);
	struct memory_step *step;
	int result = 0;

	*batch = (struct queue_batch){.next_ms = -1};
	if (want->job && !memory_find(queue, want->job, err))
		return -1;
	memory_lose_all(memory, NULL, NULL);
	for (size_t j = 0; result == 0 && j < memory->count; j++) {
		struct memory_job *job = memory->jobs[j];

		if ((want->job && strcmp(job->seen.id, want->job) != 0) || job->finished || job->paused || job->cancelled ||
		    memory_waits(memory, job))
			continue;
		while (result == 0 && batch->count < want->count && (step = memory_next(job)))
			result = memory_take_step(job, step, want, batch, err);
	}
	return result;
}

static int
memory_give_back(struct queue *queue, const struct queue_task *tasks, size_t count, struct error *err)
{
	for (size_t i = 0; i < count; i++) {
		struct memory_job *job = memory_find(queue, tasks[i].job, err);
		struct memory_step *step = job ? memory_find_step(job, tasks[i].task) : NULL;

		if (step && step->status == STEP_RUNNING && step->attempt == tasks[i].attempt)
			memory_lose(job, step, "it was given back");
	}
	memory_ring(memory_of(queue));
	return 0;
}

static int
memory_wanted(struct queue *queue, const char *id, const char *task, int64_t attempt, struct error *err)
{
	struct memory_job *job = memory_find(queue, id, err);
	const struct memory_step *step = job ? memory_find_step(job, task) : NULL;

	return step && step->status == STEP_RUNNING && step->attempt == attempt && !job->cancelled;
}

static void
memory_finish_one(struct queue *queue, const struct result *result, struct queue_answer *answer)
{
	struct error none;
	struct memory_job *job = memory_find(queue, result->job, &none);
	struct memory_step *step = job ? memory_find_step(job, result->task) : NULL;
	struct event event = {.kind = result->status ? EVENT_FAIL : EVENT_DONE, .status = result->status, .task = result->task,
	    .attempt = result->attempt};
	struct buffer text = {0};

	*answer = (struct queue_answer){0};
	event_result(result, &text);
	event.result = text.data;
	if (!step) {
		*answer = (struct queue_answer){.code = job ? EX_DATAERR : EX_NO, .gone = !job};
		snprintf(answer->text, sizeof answer->text, "%s: there is no such task", result->task);
	} else if (step->status == STEP_RUNNING && step->attempt == result->attempt) {
		free(step->result);
		step->result = memory_string(text.data);
		if (result->status == 0 && step->phase) {
			step->phase = (step->phase + 1) % (step->plan->undo.count + 1);
			step->failures = step->losses = 0;
			step->until_patience_ms = 0;
			step->status = STEP_READY;
		} else if (result->status == 0) {
			step->status = STEP_DONE;
		} else {
			event.next = memory_decide(step, result->status, false);
		}
		memory_record(job, event);
		memory_go_on(job);
	} else if (step->attempt != result->attempt || !step->result || strcmp(step->result, text.data) != 0) {
		answer->code = EX_NO;
		snprintf(answer->text, sizeof answer->text, "%s: the attempt does not run", result->task);
	}
	buffer_release(&text);
}

static int
memory_finish(struct queue *queue, const struct result *results, size_t count, struct queue_answer *answers,
    struct error *err)
{
	int worst = 0;

	for (size_t i = 0; i < count; i++) {
		memory_finish_one(queue, &results[i], &answers[i]);
		if (answers[i].code > worst)
			worst = error_set(err, answers[i].code, "%s", answers[i].text) ? answers[i].code : worst;
	}
	memory_ring(memory_of(queue));
	return worst ? -1 : 0;
}

static int
memory_turn(struct queue *queue, const struct result *results, size_t count, struct queue_answer *answers,
    const struct queue_want *want, struct queue_batch *batch, struct error *err)
{
	struct error refused;
	int finished = memory_finish(queue, results, count, answers, &refused), taken = memory_take(queue, want, batch, err);

	if (taken == 0 && finished < 0)
		*err = refused;
	return taken < 0 ? -1 : finished;
}

static int
memory_reap(struct queue *queue, struct error *err)
{
	(void)err;
	memory_lose_all(memory_of(queue), NULL, NULL);
	return 0;
}

static int
memory_retry_job(struct memory_job *job, const char *task, struct error *err)
{
	bool any = job->cancelled && !task;

	for (size_t i = 0; i < job->document.count; i++) {
		struct memory_step *step = &job->steps[i];

		if (step->status != STEP_FAILED || (task && strcmp(step->plan->id, task) != 0))
			continue;
		step->status = STEP_READY;
		step->failures = step->losses = step->cycles = 0;
		step->until_patience_ms = 0;
		any = true;
	}
	if (!any)
		return error_set(err, EX_NO, "job %s: no task of it has failed", job->seen.id);
	job->cancelled = job->finished = false;
	job->seen.finished_ms = 0;
	memory_record(job, (struct event){.kind = EVENT_RETRY, .task = task});
	return 0;
}

static int
memory_control(struct queue *queue, enum queue_control what, const char *id, const char *task, struct error *err)
{
	static const enum event_kind kinds[] = {EVENT_PAUSE, EVENT_RESUME, EVENT_CANCEL};
	struct memory_job *job = memory_find(queue, id, err);

	if (!job)
		return -1;
	if (what == QUEUE_RETRY)
		return memory_retry_job(job, task, err);
	if (job->finished)
		return error_set(err, EX_NO, "job %s: it is finished (%s)", id, queue_status_name(job->seen.status));
	job->paused = what == QUEUE_PAUSE || (what == QUEUE_CANCEL && job->paused);
	job->cancelled |= what == QUEUE_CANCEL;
	memory_record(job, (struct event){.kind = kinds[what]});
	memory_go_on(job);
	memory_ring(memory_of(queue));
	return 0;
}

static int
memory_skip(struct queue *queue, const char *id, const char *task, const char *reason, struct error *err)
{
	struct memory_job *job = memory_find(queue, id, err);
	struct memory_step *step = job ? memory_find_step(job, task) : NULL;

	if (!step || step->status == STEP_RUNNING || step->status == STEP_DONE)
		return job ? error_set(err, EX_NO, "job %s: task %s cannot be skipped", id, task) : -1;
	step->status = STEP_SKIPPED;
	job->finished = false;
	memory_record(job, (struct event){.kind = EVENT_SKIP, .task = task, .reason = reason});
	memory_go_on(job);
	return 0;
}

static struct queue_worker *
memory_join(struct queue *queue, const char *label, struct error *err)
{
	struct memory_queue *memory = memory_of(queue);
	struct queue_worker *worker = memory_zeroed(1, sizeof *worker);

	(void)err;
	worker->queue = queue;
	snprintf(worker->id, sizeof worker->id, "%s-%zu", label, memory->worker_count);
	ARRAY_ROOM(memory->workers, memory->worker_count, memory->worker_capacity);
	memory->workers[memory->worker_count++] = worker;
	return worker;
}

static int
memory_renew(struct queue_worker *worker, struct error *err)
{
	(void)worker;
	(void)err;
	return 0;
}

static void
memory_abandon(struct queue_worker *worker)
{
	struct memory_queue *memory = memory_of(worker->queue);
	size_t kept = 0;

	memory_lose_all(memory, worker->id, "its worker is gone");
	for (size_t i = 0; i < memory->worker_count; i++)
		if (memory->workers[i] != worker)
			memory->workers[kept++] = memory->workers[i];
	memory->worker_count = kept;
	free(worker);
}

static int
memory_workers(struct queue *queue, const struct queue_job *job, size_t *all, size_t *fit, struct error *err)
{
	(void)err;
	*all = memory_of(queue)->worker_count;
	*fit = job ? *all : 0;
	return 0;
}

static int
memory_status(struct queue *queue, const char *id, struct queue_job *out, struct error *err)
{
	struct memory_job *job = memory_find(queue, id, err);
	size_t counts[STEP_STATUS_COUNT] = {0};

	if (!job)
		return -1;
	*out = job->seen;
	for (size_t i = 0; i < job->document.count; i++)
		if (!job->steps[i].plan->is_milestone) {
			counts[job->steps[i].status]++;
			out->tasks++;
		}
	out->blocked = counts[STEP_BLOCKED];
	out->ready = counts[STEP_READY];
	out->running = counts[STEP_RUNNING];
	out->done = counts[STEP_DONE];
	out->failed = counts[STEP_FAILED];
	out->skipped = counts[STEP_SKIPPED];
	if (!job->finished)
		out->status = job->cancelled ? QUEUE_CANCELLING : job->paused ? QUEUE_PAUSED
		    : memory_waits(memory_of(queue), job) ? QUEUE_WAITING : QUEUE_RUNNING;
	return 0;
}

static int
memory_list(struct queue *queue, bool finished, struct queue_job **list, size_t *count, struct error *err)
{
	struct memory_queue *memory = memory_of(queue);

	*list = memory_zeroed(memory->count + 1, sizeof **list);
	*count = 0;
	for (size_t i = 0; i < memory->count; i++)
		if (finished || !memory->jobs[i]->finished)
			memory_status(queue, memory->jobs[i]->seen.id, &(*list)[(*count)++], err);
	return 0;
}

static int
memory_nodes(struct queue *queue, const char *id, struct buffer *out, struct error *err)
{
	struct memory_job *job = memory_find(queue, id, err);

	for (size_t i = 0; job && i < job->document.layout.node_count; i++)
		node_print(&job->document.layout.nodes[i], out);
	return job ? 0 : -1;
}

static int
memory_plan(struct queue *queue, const char *id, struct buffer *out, struct error *err)
{
	struct memory_job *job = memory_find(queue, id, err);
	struct job record;

	if (!job)
		return -1;
	record = job->document.job;
	record.id = job->seen.id;
	job_print(&record, out);
	cluster_print(&job->document.layout.cluster, out);
	memory_nodes(queue, id, out, err);
	for (size_t i = 0; i < job->document.count; i++)
		step_print(&job->document.steps[i], out);
	return 0;
}

static int
memory_tasks(struct queue *queue, const char *id, const struct queue_filter *filter, struct arena *arena,
    struct queue_task_status **list, size_t *count, struct error *err)
{
	struct memory_job *job = memory_find(queue, id, err);
	unsigned statuses = filter->statuses ? filter->statuses : ~0u;

	if (!job)
		return -1;
	*list = arena_alloc(arena, job->document.count, sizeof **list);
	*count = 0;
	for (size_t i = 0; i < job->document.count; i++) {
		const struct memory_step *step = &job->steps[i];

		if (step->plan->is_milestone || !(statuses & 1u << step->status) ||
		    (filter->task && strcmp(filter->task, step->plan->id) != 0))
			continue;
		(*list)[(*count)++] = (struct queue_task_status){.task = step->plan->id, .node = step->plan->node,
		    .action = action_name(memory_action(step)), .planned = step->plan->action, .status = step->status,
		    .service = step->plan->service ? step->plan->service : "", .attempt = step->attempt, .undoing = step->phase > 0,
		    .by = step->status == STEP_RUNNING ? step->by : NULL};
	}
	return 0;
}

static int
memory_events(struct queue *queue, const char *id, uint64_t after, struct buffer *out, struct error *err)
{
	struct memory_job *job = memory_find(queue, id, err);
	const char *at = job ? job->events.data : NULL;

	if (!job)
		return -1;
	for (; after > 0 && at && *at; after--)
		at = strchr(at, '\n') + 1;
	buffer_text(out, at ? at : "");
	return 0;
}

static int
memory_watch(struct queue *queue, struct error *err)
{
	int fd = dup(memory_of(queue)->bell);

	return fd < 0 ? error_errno(err, EX_OSERR, "dup") : fd;
}

static void
memory_watch_clear(struct queue *queue, int fd)
{
	eventfd_t rung;

	(void)queue;
	while (eventfd_read(fd, &rung) == 0)
		;
}

static int
memory_leave(struct queue_worker *worker, struct error *err)
{
	(void)err;
	memory_abandon(worker);
	return 0;
}

static const struct queue_engine memory_engine = {
	.name = "memory", .open = memory_open, .close = memory_close, .put = memory_put, .take = memory_take,
	.give_back = memory_give_back, .wanted = memory_wanted, .finish = memory_finish, .turn = memory_turn,
	.reap = memory_reap, .control = memory_control, .skip = memory_skip, .join = memory_join, .renew = memory_renew,
	.abandon = memory_abandon, .leave = memory_leave, .workers = memory_workers, .status = memory_status,
	.list = memory_list, .plan = memory_plan, .nodes = memory_nodes, .tasks = memory_tasks, .events = memory_events,
	.watch = memory_watch, .watch_clear = memory_watch_clear,
};

static struct queue *
memory_open(const char *where, enum queue_mode mode, struct error *err)
{
	struct memory_queue *queue = memory_all;

	(void)mode;
	while (queue && strcmp(queue->name, where) != 0)
		queue = queue->next;
	if (queue)
		return &queue->base;
	queue = memory_zeroed(1, sizeof *queue);
	*queue = (struct memory_queue){.base.engine = &memory_engine, .name = memory_string(where), .next = memory_all,
	    .bell = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)};
	if (queue->bell < 0) {
		error_errno(err, EX_OSERR, "eventfd");
		free(queue);
		return NULL;
	}
	memory_all = queue;
	return &queue->base;
}

static inline void
memory_free_all(void)
{
	for (struct memory_queue *queue = memory_all, *next; queue; queue = next) {
		next = queue->next;
		for (size_t i = 0; i < queue->count; i++)
			memory_free_job(queue->jobs[i]);
		close(queue->bell);
		free(queue->jobs);
		free(queue->workers);
		free(queue->name);
		free(queue);
	}
	memory_all = NULL;
}

#endif
