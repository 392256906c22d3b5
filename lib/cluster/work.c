/* SPDX-License-Identifier: Apache-2.0
 *
 * A slot goes through three lists: running, while its coopr-exec lives; ended, until its result is recorded, many
 * at once; told, until the caller has heard of it.
 */
#include "cluster/work.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/location.h"
#include "base/memory.h"
#include "base/names.h"
#include "cluster/outlook.h"
#include "cluster/slot.h"
#include "exec/sockets.h"
#include "exec/supervise.h"
#include "queue/queue.h"

enum {
	BATCH = 256,            /* results recorded at once */
	LOOK_MS = 5000,         /* a killed worker rings as its file is closed, a moment before its lock is gone: look
	                         * for its tasks so often */
	WANTED_MS = 200,        /* look whether what runs is still wanted, so often at most */
	DESCRIPTORS = 256,      /* for all that is not a task */
	TROUBLE_MS = 1000,      /* before what the queue refused is tried again */
};

struct work {
	struct work_options options;
	struct queue *queue;
	char id[QUEUE_ID_SIZE];
	int lock, bell;
	struct supervisor supervisor;
	struct sockets sockets;
	char *argv[3];

	struct slot_list running, ended, told;
	struct slot *last_told;
	struct names jobs; /* those worked on, where somebody will ask for it */
	size_t finished, taken; /* tasks done, attempts begun */

	bool look;           /* something may be ready */
	int64_t look_at;     /* look again then, monotonic */
	int64_t take_at;     /* do not take before then: it has failed */
	bool take_failed;    /* ... at the last try, which was told */
	int64_t wanted_at;   /* the next time to ask whether what runs is wanted; INT64_MAX: not asked for */
	int64_t trouble_at;  /* do not record before then */
	int signals;         /* told to end so many times */
	bool announce;       /* ... and that is to be told */
	struct error trouble;
};

static int64_t
earlier(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int
join(struct work *work, struct error *err)
{
	work->bell = queue_watch(work->queue, err);
	if (work->bell < 0)
		return -1;
	work->lock = queue_join(work->queue, "work", work->id, err);
	if (work->lock < 0)
		return -1;
	if (!supervise_watch(&work->supervisor, work->bell, EPOLLIN))
		return error_errno(err, EX_OSERR, "the bell of the spool cannot be watched");
	return sockets_open(&work->sockets, err);
}

/* Two descriptors a task, while shells start us with 1024. */
static void
allow_descriptors(size_t slots)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= 2 * slots + DESCRIPTORS)
		return;
	limit.rlim_cur = limit.rlim_max < 2 * slots + DESCRIPTORS ? limit.rlim_max : 2 * slots + DESCRIPTORS;
	setrlimit(RLIMIT_NOFILE, &limit);
}

struct work *
work_open(const struct work_options *options, struct error *err)
{
	struct work *work = memory_zeroed(1, sizeof *work);
	struct error ignored;

	allow_descriptors(options->slots);
	work->options = *options;
	work->lock = work->bell = work->sockets.lock = -1;
	work->look = true;
	work->look_at = work->wanted_at = INT64_MAX;
	work->argv[0] = location_installed("bin/coopr-exec");
	work->argv[1] = memory_string("-q");
	if (supervise_init(&work->supervisor, err) == 0 &&
	    (work->queue = queue_open(options->spool, QUEUE_WRITE, err)) && join(work, err) == 0)
		return work;
	work_close(work, &ignored);
	return NULL;
}

static void
remember_job(struct work *work, const char *job)
{
	if (work->options.until != WORK_SERVED && names_find(&work->jobs, job) == NAMES_NONE)
		names_intern(&work->jobs, memory_string(job));
}

/* Hands a task that was taken to a coopr-exec. */
static void
start(struct work *work, const struct queue_task *task)
{
	struct slot *slot = slot_new(task, work->argv);
	struct error err;

	remember_job(work, task->job);
	work->taken++;
	if (supervise_start(&work->supervisor, &slot->child, &err) == 0) {
		slot_list_add(&work->running, slot);
		return;
	}
	slot_refuse(slot, err.text);
	slot_list_add(&work->ended, slot);
}

static size_t
free_slots(const struct work *work)
{
	size_t slots = work->options.slots;

	if (work->signals > 0)
		return 0;
	if (work->options.until == WORK_ONE)
		slots = work->taken ? 0 : 1;
	return work->running.count < slots ? slots - work->running.count : 0;
}

/* Takes what is ready, as much as there is room for. */
static int
take(struct work *work, struct error *err)
{
	struct queue_want want = {.count = free_slots(work), .job = work->options.job, .worker = work->id};
	struct queue_batch batch;
	int64_t now;
	int failed;

	work->look = false;
	queue_watch_clear(work->bell);
	failed = queue_take(work->queue, &want, &batch, err);
	now = clock_monotonic_ms();
	work->look_at = now + (batch.next_ms < 0 ? LOOK_MS : earlier(batch.next_ms, LOOK_MS));
	for (size_t i = 0; !failed && i < batch.count; i++)
		start(work, &batch.list[i]);
	/* A damaged job stays so: it is told of once. */
	if (batch.trouble.code != 0 && strcmp(batch.trouble.text, work->trouble.text) != 0)
		work->trouble = batch.trouble;
	queue_batch_release(&batch);
	return failed;
}

static void
be_in_trouble(struct work *work, const struct error *why, const char *what)
{
	work->trouble = *why;
	error_prefix(&work->trouble, "%s", what);
}

/* Whether what kept us from taking may pass while we wait: for ever where we are to serve, else only as long as there
 * is something to wait for. A job that is not there will not come. */
static bool
can_wait(const struct work *work, const struct error *why)
{
	return why->code != EX_NO &&
	    (work->options.until == WORK_SERVED || work->running.count > 0 || work->ended.count > 0);
}

/* Takes where that is called for. A queue that fails is left alone for a moment: what runs goes on. */
static int
take_when_due(struct work *work, struct error *err)
{
	if (!work->look || free_slots(work) == 0 || work->take_at > clock_monotonic_ms())
		return 0;
	if (take(work, err) == 0) {
		work->take_failed = false;
		return 0;
	}
	if (!can_wait(work, err))
		return -1;
	work->take_at = work->look_at = clock_monotonic_ms() + TROUBLE_MS;
	if (!work->take_failed)
		be_in_trouble(work, err, "no task can be taken");
	work->take_failed = true;
	return 0;
}

/* Keeps those of the batch that could not be recorded, for another time; all others can be told. */
static void
sort_out(struct work *work, struct slot **slots, const struct queue_answer *answers, size_t count,
    const struct error *why)
{
	for (size_t i = 0; i < count; i++) {
		slots[i]->answer = answers[i];
		if (answers[i].code != 0 && answers[i].code != EX_NO && answers[i].code != EX_DATAERR) {
			be_in_trouble(work, why, "results are kept");
			work->trouble_at = clock_monotonic_ms() + TROUBLE_MS;
			continue;
		}
		slot_list_remove(&work->ended, slots[i]);
		slot_list_add(&work->told, slots[i]);
		work->finished += answers[i].code == 0 && slots[i]->result.status == 0;
	}
}

/* Whether any answer says why not all were recorded. */
static bool
is_answered(const struct queue_answer *answers, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (answers[i].code != 0)
			return true;
	return false;
}

static void
record(struct work *work)
{
	struct result results[BATCH];
	struct queue_answer answers[BATCH];
	struct slot *slots[BATCH];
	struct error err = {0, ""};
	size_t count = 0;

	memset(results, 0, sizeof results);
	memset(answers, 0, sizeof answers);
	for (struct slot *slot = work->ended.first; slot && count < BATCH; slot = slot->next) {
		slots[count] = slot;
		results[count++] = slot->result;
	}
	if (queue_finish(work->queue, results, count, answers, &err) < 0 && !is_answered(answers, count))
		for (size_t i = 0; i < count; i++)
			answers[i].code = EX_TEMPFAIL;
	sort_out(work, slots, answers, count, &err);
	work->look = true;
}

/* Ends what nobody wants any more: its job was cancelled, or it was given to another. */
static void
drop_unwanted(struct work *work)
{
	struct error unknown;

	for (struct slot *slot = work->running.first; slot; slot = slot->next)
		if (queue_wanted(work->queue, slot->task.job, slot->task.task, slot->task.attempt, &unknown) == 0)
			supervise_stop(&work->supervisor, &slot->child);
	work->wanted_at = INT64_MAX;
}

static void
obey_signal(struct work *work)
{
	work->announce = true;
	if (++work->signals == 1)
		return;
	for (struct slot *slot = work->running.first; slot; slot = slot->next)
		supervise_stop(&work->supervisor, &slot->child);
}

static void
finish_child(struct work *work, struct child *child)
{
	struct slot *slot = child->owner;

	slot_list_remove(&work->running, slot);
	/* What was broken off is not failed: leaving the queue makes it ready again. */
	if (child->stopped && work->signals > 1) {
		slot_free(slot);
		return;
	}
	slot_conclude(slot);
	slot_list_add(&work->ended, slot);
}

static int64_t
time_to_wait(const struct work *work)
{
	int64_t now = clock_monotonic_ms(), until = work->wanted_at;

	if (work->ended.count > 0)
		until = earlier(until, work->trouble_at);
	if (free_slots(work) > 0)
		until = earlier(until, work->look_at);
	return until == INT64_MAX ? -1 : until <= now ? 0 : until - now;
}

/* Waits for the next event and does what follows from it. What has ended is recorded once nothing else
 * happens at the same time: one wait for the disk serves them all. */
static void
turn(struct work *work)
{
	struct child *child;
	enum supervise_event event = supervise_next(&work->supervisor, time_to_wait(work), &child);
	int64_t now = clock_monotonic_ms();

	switch (event) {
	case SUPERVISE_ENDED:
		finish_child(work, child);
		break;
	case SUPERVISE_SIGNAL:
		obey_signal(work);
		break;
	case SUPERVISE_READY:
		queue_watch_clear(work->bell);
		work->look = true;
		if (work->running.count > 0 && work->wanted_at == INT64_MAX)
			work->wanted_at = now + WANTED_MS;
		break;
	case SUPERVISE_OUTPUT:
	case SUPERVISE_TIME:
		break;
	}
	work->look |= work->look_at <= now;
	if (work->wanted_at <= now)
		drop_unwanted(work);
	if (work->ended.count > 0 && work->trouble_at <= now &&
	    (event == SUPERVISE_TIME || work->ended.count >= BATCH))
		record(work);
}

static int
is_over(struct work *work, struct error *err)
{
	if (work->running.count > 0 || work->ended.count > 0)
		return 0;
	if (work->signals > 0 || work->options.until == WORK_ONE)
		return 1;
	return work->options.until == WORK_DRAINED ? outlook_is_drained(work->queue, work->options.job, err) : 0;
}

static void
describe(const struct work *work, const struct slot *slot, enum work_event *event, struct work_note *note)
{
	*event = slot->answer.code ? WORK_UNWANTED : WORK_FINISHED;
	*note = (struct work_note){.job = slot->task.job, .task = slot->task.task, .node = slot->task.node,
	    .action = action_name(slot->task.action), .service = slot->task.service, .attempt = slot->task.attempt,
	    .status = slot->result.status, .text = slot->answer.code ? slot->answer.text : slot->result.message,
	    .took_ms = slot->took_ms, .running = work->running.count};
}

/* Whether there is something to tell already. */
static bool
tell(struct work *work, enum work_event *event, struct work_note *note)
{
	struct slot *slot = work->told.first;

	*note = (struct work_note){.running = work->running.count};
	if (work->announce) {
		work->announce = false;
		*event = work->signals == 1 ? WORK_STOPPING : WORK_BREAKING;
		return true;
	}
	if (work->trouble.code) {
		work->trouble.code = 0;
		note->text = work->trouble.text;
		*event = WORK_TROUBLE;
		return true;
	}
	if (!slot)
		return false;
	slot_list_remove(&work->told, slot);
	describe(work, slot, event, note);
	work->last_told = slot;
	return true;
}

int
work_next(struct work *work, enum work_event *event, struct work_note *note, struct error *err)
{
	int over = 0;

	if (work->last_told)
		slot_free(work->last_told);
	work->last_told = NULL;
	while (!tell(work, event, note)) {
		if (take_when_due(work, err) < 0)
			return -1;
		over = is_over(work, err);
		if (over < 0)
			return -1;
		if (over) {
			*event = WORK_OVER;
			return 0;
		}
		turn(work);
	}
	return 0;
}

int
work_progress(struct work *work, size_t *done, size_t *total, size_t *running, struct error *err)
{
	long left = outlook_remaining(work->queue, work->options.job, err);

	if (left < 0)
		return -1;
	*done = work->finished;
	*total = work->finished + (size_t)left;
	*running = work->running.count;
	return 0;
}

bool
work_is_bad(struct work *work)
{
	return (work->options.until == WORK_ONE && work->taken == 0) || outlook_has_failed(work->queue, &work->jobs);
}

/* Ends what runs, and waits for that. */
static void
break_off(struct work *work)
{
	struct child *child;

	for (struct slot *slot = work->running.first; slot; slot = slot->next)
		supervise_stop(&work->supervisor, &slot->child);
	while (work->running.count > 0)
		if (supervise_next(&work->supervisor, -1, &child) == SUPERVISE_ENDED) {
			slot_list_remove(&work->running, child->owner);
			slot_free(child->owner);
		}
}

static void
free_slots_of(struct slot_list *list)
{
	while (list->first) {
		struct slot *slot = list->first;

		slot_list_remove(list, slot);
		slot_free(slot);
	}
}

int
work_close(struct work *work, struct error *err)
{
	int failed = 0;

	break_off(work);
	if (work->lock >= 0)
		failed = queue_leave(work->queue, work->id, work->lock, err);
	sockets_close(&work->sockets);
	supervise_release(&work->supervisor);
	if (work->bell >= 0)
		close(work->bell);
	queue_close(work->queue);
	free_slots_of(&work->ended);
	free_slots_of(&work->told);
	if (work->last_told)
		slot_free(work->last_told);
	for (size_t i = 0; i < work->jobs.count; i++)
		free((char *)(uintptr_t)work->jobs.list[i]);
	names_release(&work->jobs);
	free(work->argv[0]);
	free(work->argv[1]);
	free(work);
	return failed;
}
