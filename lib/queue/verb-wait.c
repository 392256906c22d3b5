/* SPDX-License-Identifier: Apache-2.0 */
#include "queue/verb.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/message.h"
#include "base/terminal.h"

enum { REDRAW_MS = 1000 };

static const char *spool;
static long timeout_s = -1;
static bool quiet;

static const struct option_spec options[] = {
	OPTION_NUMBER('t', "timeout", &timeout_s, "SECONDS", "wait no longer (exit code 75)"),
	OPTION_FLAG('q', "quiet", &quiet, "no progress, no summary"),
	VERB_SPOOL(&spool),
	OPTION_END
};

static const struct command command = {
	"coopr-queue wait", "[OPTION]... JOB...",
	"Wait until jobs are finished. Exit code 0: all are complete; 1: one failed or was cancelled.", options,
	"  coopr-queue wait 00000042-001\n"
	"  coopr-queue wait --timeout 600 $(coopr-queue put plan.ndjson)\n"};

static void
draw(const struct queue_job *job)
{
	char tail[128];

	if (quiet)
		return;
	if (job->status != QUEUE_RUNNING)
		snprintf(tail, sizeof tail, "%zu running, %s", job->running, queue_status_name(job->status));
	else if (job->failed || job->delayed)
		snprintf(tail, sizeof tail, "%zu running, %zu to be tried again, %zu failed", job->running, job->delayed,
		    job->failed);
	else
		snprintf(tail, sizeof tail, "%zu running", job->running);
	progress_draw(job->id, job->done, job->tasks, tail);
}

static void
sum_up(const struct queue_job *job)
{
	char took[CLOCK_RFC3339_SIZE];

	progress_clear();
	if (quiet)
		return;
	clock_duration(job->finished_ms - job->put_ms, took);
	if (job->status == QUEUE_COMPLETE)
		message("job %s: complete: %zu tasks in %s", job->id, job->tasks, took);
	else
		message("job %s: %s: %zu of %zu tasks done, %zu failed, in %s; see: coopr-queue show %s", job->id,
		    queue_status_name(job->status), job->done, job->tasks, job->failed, took, job->id);
}

/* How long to sleep, -1: until something changes; 0: time is up. */
static int
patience(int64_t deadline_ms)
{
	int64_t left = deadline_ms - clock_monotonic_ms();
	int redraw = isatty(STDERR_FILENO) && !quiet ? REDRAW_MS : -1;

	if (timeout_s < 0)
		return redraw;
	if (left <= 0)
		return 0;
	return redraw > 0 && left > redraw ? redraw : left < INT32_MAX ? (int)left : INT32_MAX;
}

static int
wait_for(struct queue *queue, int watch, const char *id, int64_t deadline_ms)
{
	struct pollfd fd = {.fd = watch, .events = POLLIN};
	struct queue_job job;
	struct error err;

	for (;;) {
		int sleep = patience(deadline_ms);

		queue_watch_clear(watch);
		if (queue_look(queue, id, &job, &err) < 0)
			return message_error(&err);
		if (queue_is_finished(job.status)) {
			sum_up(&job);
			return job.status == QUEUE_COMPLETE ? 0 : EX_NO;
		}
		if (sleep == 0) {
			progress_clear();
			message("job %s: not finished after %ld s: %zu of %zu tasks done", id, timeout_s, job.done, job.tasks);
			return EX_TEMPFAIL;
		}
		draw(&job);
		if (poll(&fd, 1, sleep) < 0 && errno != EINTR)
			return message_error((error_errno(&err, EX_OSERR, "poll"), &err));
	}
}

int
verb_wait(int argc, char **argv)
{
	struct queue *queue;
	struct error err;
	int64_t deadline_ms;
	int watch, code = 0;

	argv += option_parse(&command, argc, argv);
	verb_operands(&command, argv, 1, 0);
	queue = verb_open(spool, QUEUE_READ);
	watch = queue_watch(queue, &err);
	if (watch < 0)
		return message_error(&err);
	deadline_ms = clock_monotonic_ms() + (int64_t)timeout_s * 1000;

	for (; *argv; argv++) {
		int one = wait_for(queue, watch, *argv, deadline_ms);

		code = one > code ? one : code;
	}

	close(watch);
	queue_close(queue);
	return message_end(code);
}
