/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/location.h"
#include "base/memory.h"
#include "base/plural.h"
#include "worker/drain-check.h"
#include "worker/work-state.h"

enum {
	WANTED_MS = 200,   /* look whether what runs is still wanted, so often at most */
	HOLD_MS = 10,      /* while other things happen, wait no longer for more to be recorded with it */
	HOLD = 1024,       /* ... nor for more than so many */
};

static int64_t
work_earlier(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Reads the configuration; what starts from now on does so as it says. */
static int
work_configure(struct work *work, struct error *err)
{
	struct work_config config;

	if (work_config_read(work->options.config, &config, err) < 0)
		return -1;
	work_config_release(&work->config);
	work->config = config;
	work->streams.environment = config.environment;
	work_allow_descriptors(work);
	return queue_serve(work->worker, &(struct queue_want){.job = work->options.job, .tenants = work_tenants(work),
	    .providers = work_providers(work)}, err);
}

static int
work_join(struct work *work, struct error *err)
{
	work->notify = queue_watch(work->queue, err);
	if (work->notify < 0)
		return -1;
	work->worker = queue_join(work->queue, "work", err);
	if (!work->worker)
		return -1;
	if (!supervise_watch(&work->supervisor, work->notify, EPOLLIN))
		return error_errno(err, EX_OSERR, "the queue cannot be watched");
	return sockets_open(&work->sockets, err);
}

struct work *
work_open(const struct work_options *options, struct error *err)
{
	struct work *work = memory_zeroed(1, sizeof *work);
	struct error ignored;

	work->options = *options;
	work->notify = work->sockets.held.lock = -1;
	work->look = true;
	work->look_at = work->wanted_at = work->waiting_since = INT64_MAX;
	work->argv[0] = location_installed("bin/coopr-exec");
	work->argv[1] = memory_string("-q");
	if (supervise_init(&work->supervisor, err) == 0) {
		streams_init(&work->streams, &work->supervisor);
		if ((work->queue = queue_open(options->spool, QUEUE_WRITE, err)) && work_join(work, err) == 0 &&
		    work_configure(work, err) == 0)
			return work;
	}
	work_close(work, &ignored);
	return NULL;
}

/* Ends the worker at SIGTERM, SIGINT, and SIGHUP: a terminal that is gone waits for nothing. A worker that serves reads its
 * configuration again at SIGHUP. */
static void
work_take_signal(struct work *work)
{
	if (work->supervisor.signal == SIGHUP && work->options.until == WORK_SERVED) {
		work->configured = true;
		work->refused.code = 0;
		if (work_configure(work, &work->refused) < 0)
			return;
		streams_renew(&work->streams);
		work->look = true;
		return;
	}
	work->announce = true;
	if (++work->signals > 1)
		work_stop_all(work);
}

static int64_t
work_time_to_wait(const struct work *work, int64_t now)
{
	int64_t until = work_earlier(work->wanted_at, work->streams.deadline);

	if (work->ended.count > 0)
		until = work_earlier(until, work->trouble_at);
	if (work_free_slots(work) > 0)
		until = work_earlier(until, work->look ? work->take_at : work->look_at);
	return until == INT64_MAX ? -1 : until <= now ? 0 : until - now;
}

/* Returns whether the queue is to be called now: when nothing else happens at the same time, so that one wait for the disk
 * serves all; but nothing is held back for long. */
static bool
work_is_exchange_time(struct work *work, enum supervise_event event, int64_t now)
{
	if (!work_exchange_due(work, now))
		return false;
	work->waiting_since = work_earlier(work->waiting_since, now);
	return event == SUPERVISE_TIME || work->ended.count >= HOLD || work->waiting_since + HOLD_MS <= now;
}

/* Waits for the next event and does what follows from it. */
static int
work_turn(struct work *work, struct error *err)
{
	int64_t now = clock_monotonic_ms();
	struct child *child;
	enum supervise_event event = supervise_next(&work->supervisor, work_time_to_wait(work, now), &child);

	if (event == SUPERVISE_SIGNAL) {
		work_take_signal(work);
	} else if (event == SUPERVISE_READY) {
		queue_watch_clear(work->queue, work->notify);
		work->look = true;
		if (work->running.count > 0 && work->wanted_at == INT64_MAX)
			work->wanted_at = clock_monotonic_ms() + WANTED_MS;
	} else if (event != SUPERVISE_TIME) {
		work_child_event(work, child, event);
	}
	now = clock_monotonic_ms();
	streams_keep_time(&work->streams, now);
	work_collect(work);
	if (work->wanted_at <= now)
		work_stop_unwanted(work);
	if (work_is_exchange_time(work, event, now)) {
		if (work_exchange(work, err) < 0)
			return -1;
		work_collect(work);
	}
	if (work->unfit.code)
		*err = work->unfit;
	return work->unfit.code ? -1 : 0;
}

/* Returns 1 if the worker ends, 0 if not, -1 if it ends because it cannot work. After the second signal it does not wait for a
 * queue that takes no results, as on a full disk: the tasks are lost with it, and are done again. */
static int
work_is_over(struct work *work, struct error *err)
{
	if (work->unrecorded.code && work->running.count == 0 && work->held.count == 0 && work->ended.count > 0) {
		*err = work->unrecorded;
		return error_prefix(err, "%zu %s done again", work->ended.count,
		    plural(work->ended.count, "result was not recorded, its task is", "results were not recorded, their tasks are"));
	}
	if (work->running.count > 0 || work->held.count > 0 || work->ended.count > 0 || (work->look &&
	    work_free_slots(work) > 0))
		return 0;
	if (job_end_runs(&work->job_end) && work->signals == 0)
		return 0;
	if (work->signals > 0 || work->options.until == WORK_ONE)
		return 1;
	return work->options.until == WORK_DRAINED ? drain_check(work->queue, work->options.job, err) : 0;
}

/* Fills in what there is to tell of a task that was recorded. */
static enum work_event
work_tell_task(struct work *work, struct running_task *running, struct work_note *note)
{
	const struct queue_answer *answer = running->answer;

	*note = (struct work_note){.job = running->task.job, .task = running->task.task, .node = running->task.node,
	    .action = action_name(running->task.action), .service = running->task.service,
	    .attempt = running->task.attempt, .status = running->result.status,
	    .text = answer ? answer->text : running->result.message, .took_ms = running->took_ms,
	    .running = work->running.count};
	running_task_list_remove(&work->recorded, running);
	work->last_told = running;
	return !answer ? WORK_FINISHED : answer->code == EX_DATAERR || answer->gone ? WORK_DROPPED : WORK_UNWANTED;
}

/* Returns whether there is something to tell already: of the worker itself first. */
static bool
work_tell(struct work *work, enum work_event *event, struct work_note *note)
{
	*note = (struct work_note){.running = work->running.count};
	if (work->announce) {
		work->announce = false;
		*event = work->signals == 1 ? WORK_STOPPING : WORK_BREAKING;
	} else if (work->configured) {
		work->configured = false;
		note->text = work->refused.code ? work->refused.text : NULL;
		*event = WORK_CONFIGURED;
	} else if (work->trouble.code) {
		work->trouble.code = 0;
		note->text = work->trouble.text;
		*event = WORK_TROUBLE;
	} else if (work->job_end.trouble.code) {
		work->job_end.trouble.code = 0;
		note->text = work->job_end.trouble.text;
		*event = WORK_UNFINISHED;
	} else if (work->recorded.first) {
		*event = work_tell_task(work, work->recorded.first, note);
	} else {
		return false;
	}
	return true;
}

int
work_next(struct work *work, enum work_event *event, struct work_note *note, struct error *err)
{
	int over;

	if (work->last_told)
		running_task_free(work->last_told);
	work->last_told = NULL;
	while (!work_tell(work, event, note)) {
		if (work->fatal.code) {
			*err = work->fatal;
			return -1;
		}
		over = work_is_over(work, &work->fatal);
		if (over > 0) {
			*event = WORK_OVER;
			return 0;
		}
		if (over == 0 && work_turn(work, &work->fatal) == 0)
			work->fatal.code = 0;
	}
	return 0;
}

int
work_progress(struct work *work, size_t *done, size_t *total, size_t *running, struct error *err)
{
	long left = drain_check_remaining(work->queue, work->options.job, err);

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
	return (work->options.until == WORK_ONE && work->taken == 0) || work->dropped ||
	    drain_check_has_failed(work->queue, &work->jobs);
}

/* Stops what runs, and waits for its end. */
static void
work_break_off(struct work *work)
{
	struct child *child;

	work->signals = 2;
	running_task_list_free(&work->held);
	if (work->running.count > 0)
		work_stop_all(work);
	while (work->running.count > 0) {
		enum supervise_event event = supervise_next(&work->supervisor, -1, &child);

		if (event == SUPERVISE_ENDED || event == SUPERVISE_OUTPUT)
			work_child_event(work, child, event);
		work_collect(work);
	}
}

int
work_close(struct work *work, struct error *err)
{
	int failed = 0;

	work_break_off(work);
	job_end_stop(&work->job_end, &work->supervisor);
	streams_end(&work->streams);
	if (work->worker)
		failed = queue_leave(work->worker, err);
	sockets_close(&work->sockets);
	streams_release(&work->streams);
	supervise_release(&work->supervisor);
	if (work->notify >= 0)
		close(work->notify);
	queue_close(work->queue);
	running_task_list_free(&work->ended);
	running_task_list_free(&work->recorded);
	if (work->last_told)
		running_task_free(work->last_told);
	job_end_release(&work->job_end);
	login_files_close(&work->logins);
	for (size_t i = 0; i < work->jobs.count; i++)
		free((char *)(uintptr_t)work->jobs.list[i]);
	names_release(&work->jobs);
	work_config_release(&work->config);
	free(work->argv[0]);
	free(work->argv[1]);
	free(work->exchange);
	buffer_release(&work->record);
	free(work);
	return failed;
}
