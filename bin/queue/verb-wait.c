/* SPDX-License-Identifier: Apache-2.0 */
#include "verb.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/message.h"
#include "base/plural.h"
#include "base/progress.h"
#include "base/terminal.h"
#include "history/forecast.h"
#include "history/running.h"
#include "queue/read.h"
#include "queue/status-print.h"

enum { LOOK_MS = 5000, /* a worker that is stopped makes no event */ REDRAW_MS = 1000, REDRAW_LEAST_MS = 100, ROWS_MAX = 12 };

static const char *spool;
static long timeout_s = -1;
static bool quiet;
static const char *title;

static const struct option_spec options[] = {
	OPTION_NUMBER(0, "timeout", &timeout_s, "SECONDS", "wait at most this long (exit code 75)"),
	OPTION_RETIRED('t', NULL, "--timeout"),
	OPTION_FLAG('q', "quiet", &quiet, "show no progress and no summary"),
	OPTION_STRING(0, "title", &title, "TEXT", "begin messages with TEXT, not with \"coopr-queue wait\""),
	VERB_SPOOL(&spool),
	OPTION_END
};

static const struct command command = {
	"coopr-queue wait", "[OPTION]... JOB...",
	"Wait until jobs are finished. Exit code 0: all are complete; 1: one failed or was cancelled.", options,
	"  coopr-queue wait 00000042-001\n"
	"  coopr-queue wait --timeout 600 $(coopr-queue put plan.ndjson)\n"};

/* Describes the job: its tasks, how long we have waited, and, if that is known (left_ms is not negative), what is left. */
static void
wait_verb_describe(const struct queue_job *job, int64_t since_ms, int64_t left_ms, struct buffer *tail)
{
	char passed[CLOCK_RFC3339_SIZE], left[CLOCK_RFC3339_SIZE];

	buffer_printf(tail, "%zu running", job->running);
	if (job->delayed)
		buffer_printf(tail, ", %zu to be retried", job->delayed);
	if (job->failed)
		buffer_printf(tail, ", %zu failed", job->failed);
	if (job->status != QUEUE_RUNNING)
		buffer_printf(tail, ", %s", queue_status_name(job->status));
	buffer_printf(tail, ", %s", clock_duration(clock_monotonic_ms() - since_ms, passed));
	if (left_ms >= 0)
		buffer_printf(tail, ", about %s left", clock_duration(left_ms, left));
}

static void
wait_verb_sum_up(const struct queue_job *job)
{
	char took[CLOCK_RFC3339_SIZE];

	progress_clear();
	if (quiet)
		return;
	clock_duration(job->finished_ms - job->put_ms, took);
	if (job->status == QUEUE_COMPLETE)
		message("job %s: complete: %zu task%s in %s", job->id, job->tasks, plural(job->tasks, "", "s"), took);
	else
		message("job %s: %s: %zu of %zu %s done, %zu failed, in %s; see: coopr-queue show %s", job->id,
		    queue_status_name(job->status), job->done, job->tasks, plural(job->tasks, "task", "tasks"), job->failed, took, job->id);
}

static volatile sig_atomic_t told_to_end;

static void
wait_verb_end(int number)
{
	told_to_end = number;
}

/* Catches the signals that end us, so that the progress line is removed first; they come in only while we wait, with the
 * mask from before. */
static void
wait_verb_catch_signals(sigset_t *before)
{
	struct sigaction action = {.sa_handler = wait_verb_end};
	sigset_t blocked;

	sigemptyset(&blocked);
	sigaddset(&blocked, SIGINT);
	sigaddset(&blocked, SIGTERM);
	sigprocmask(SIG_BLOCK, &blocked, before);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

struct waiting {
	struct queue *queue;
	int watch;
	bool seen;             /* progress is */
	int stopped_pid;       /* the worker that was said to be stopped */
	int64_t looked_ms;     /* monotonic: when one was looked for */
	struct forecast forecast; /* of the job that is waited for, if progress is seen and its plan can be read */
	int64_t since_ms, deadline_ms; /* monotonic */
	int64_t drawn_ms;
	sigset_t mask;         /* while we sleep */
};

/* Returns the milliseconds to sleep: -1 until something changes, 0 if time is up. */
static int64_t
wait_verb_patience(const struct waiting *waiting)
{
	int64_t now_ms = clock_monotonic_ms(), left = waiting->deadline_ms - now_ms, redraw = -1;

	if (!quiet)
		redraw = LOOK_MS;
	if (waiting->seen)
		redraw = waiting->drawn_ms + REDRAW_MS - now_ms > 0 ? waiting->drawn_ms + REDRAW_MS - now_ms : 1;
	if (timeout_s < 0)
		return redraw;
	if (left <= 0)
		return 0;
	return redraw > 0 && left > redraw ? redraw : left;
}

static int
wait_verb_sleep_for(const struct waiting *waiting, int64_t ms, struct error *err)
{
	struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
	struct pollfd fd = {.fd = waiting->watch, .events = POLLIN};

	if (ppoll(&fd, 1, ms < 0 ? NULL : &time, &waiting->mask) < 0 && errno != EINTR)
		return error_errno(err, EX_OSERR, "poll");
	return 0;
}

/* Draws the progress line, and below it the tasks in hand, in half of the terminal at most. A job may change thousands of times a
 * second: it is not drawn each time. */
static void
wait_verb_draw(struct waiting *waiting, const struct queue_job *job)
{
	int64_t now_ms = clock_monotonic_ms();
	size_t rows = terminal_height(stderr) / 2;
	const char **tasks, *cluster;
	struct buffer tail = {0};
	struct arena arena = {0};
	struct error ignored; /* then the tasks are not shown */

	if (!waiting->seen || (waiting->drawn_ms && now_ms - waiting->drawn_ms < REDRAW_LEAST_MS))
		return;
	tasks = running_lines(waiting->queue, job, &waiting->forecast, rows > ROWS_MAX ? ROWS_MAX : rows, &arena, &ignored);
	wait_verb_describe(job, waiting->since_ms, forecast_left_ms(&waiting->forecast, waiting->queue, job, clock_wall_ms(), &arena),
	    &tail);
	cluster = waiting->forecast.plan.layout.cluster.name;
	progress_draw(cluster ? cluster : job->id, job->done, job->tasks, tail.data, tasks);
	waiting->drawn_ms = now_ms;
	buffer_release(&tail);
	arena_release(&arena);
}

/* Tells once of a worker that is stopped and has a task of the job: nobody else may do it. */
static void
wait_verb_look(struct waiting *waiting, const struct queue_job *job)
{
	const struct queue_filter filter = {1 << STEP_RUNNING, NULL, true, true};
	struct queue_task_status *list = NULL;
	struct buffer text = {0};
	struct arena arena = {0};
	struct error ignored; /* then it is not told */
	int64_t now_ms = clock_monotonic_ms();
	size_t count = 0, i = 0;

	if (waiting->looked_ms && now_ms - waiting->looked_ms < LOOK_MS)
		return;
	waiting->looked_ms = now_ms;
	if (quiet || job->running == 0 || queue_tasks(waiting->queue, job->id, &filter, &arena, &list, &count, &ignored) < 0)
		count = 0;
	while (i < count && !list[i].stopped_pid)
		i++;
	if (i < count && list[i].stopped_pid != waiting->stopped_pid) {
		status_say_stopped(&list[i], "", &text);
		progress_clear();
		message("job %s: task %s, %s%s%s on %s: %s", job->id, list[i].task, list[i].action, *list[i].service ? " " : "",
		    list[i].service, list[i].node, text.data);
	}
	waiting->stopped_pid = i < count ? list[i].stopped_pid : 0;
	buffer_release(&text);
	arena_release(&arena);
}

static int
wait_verb_wait_for(struct waiting *waiting, const char *id)
{
	struct queue_job job;
	struct error err;
	int64_t left;

	forecast_release(&waiting->forecast);
	if (waiting->seen)
		forecast_read(&waiting->forecast, waiting->queue, id, &err);
	while (!told_to_end) {
		left = wait_verb_patience(waiting);
		queue_watch_clear(waiting->queue, waiting->watch);
		if (queue_status_of(waiting->queue, id, &job, &err) < 0)
			return message_error(&err);
		if (queue_is_finished(job.status)) {
			wait_verb_sum_up(&job);
			return job.status == QUEUE_COMPLETE ? 0 : EX_NO;
		}
		if (left == 0) {
			progress_clear();
			message("job %s: not finished after %ld s: %zu of %zu %s done", id, timeout_s, job.done, job.tasks,
			    plural(job.tasks, "task", "tasks"));
			return EX_TEMPFAIL;
		}
		wait_verb_look(waiting, &job);
		wait_verb_draw(waiting, &job);
		if (wait_verb_sleep_for(waiting, left, &err) < 0)
			return message_error(&err);
	}
	progress_clear();
	return 128 + told_to_end;
}

int
verb_wait(int argc, char **argv)
{
	struct waiting waiting = {.since_ms = clock_monotonic_ms()};
	struct error err;
	int code = 0;

	argv += option_parse(&command, argc, argv);
	verb_operands(&command, argv, 1, 0);
	if (title)
		message_program(title);
	waiting.seen = !quiet && progress_is_seen();
	waiting.queue = verb_open(spool, QUEUE_READ);
	waiting.watch = queue_watch(waiting.queue, &err);
	if (waiting.watch < 0)
		return message_error(&err);
	waiting.deadline_ms = waiting.since_ms + (int64_t)timeout_s * 1000;
	wait_verb_catch_signals(&waiting.mask);

	for (; *argv && !told_to_end; argv++) {
		int one = wait_verb_wait_for(&waiting, *argv);

		code = one > code ? one : code;
	}

	forecast_release(&waiting.forecast);
	close(waiting.watch);
	queue_close(waiting.queue);
	return message_end(code);
}
