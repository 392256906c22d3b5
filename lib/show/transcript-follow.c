/* SPDX-License-Identifier: Apache-2.0
 *
 * The logs of a job as they grow. The queue tells which of them has grown, and when the job may be over; nothing is polled.
 */
#include "show/transcript.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "queue/read.h"
#include "status/status.h"

enum { READ_BYTES = 64 * 1024 };

struct spring { /* a task's log, at its newest attempt */
	const struct transcript_task *task;
	char *prefix;
	int64_t attempt; /* 0: none was opened yet */
	int64_t offset;  /* what is before it was read */
	struct buffer pending; /* the begin of a line */
};

struct following {
	struct transcript *transcript;
	struct spring *list; /* sorted by the tasks' ids */
	struct queue_logs *logs;
	int bell;
};

static int
transcript_by_id(const void *a, const void *b)
{
	const struct spring *left = a, *right = b;

	return strcmp(left->task->task->task, right->task->task->task);
}

/* Prints the lines that are whole; if over, the rest too. */
static void
transcript_print_lines(const struct following *following, struct spring *spring, bool over)
{
	struct buffer *pending = &spring->pending;
	char *start = pending->data, *rest = start ? start + pending->length : NULL, *end;

	for (; start < rest; start = end < rest ? end + 1 : rest) {
		end = memchr(start, '\n', (size_t)(rest - start));
		if (!end && !over)
			break;
		end = end ? end : rest;
		transcript_line(following->transcript, spring->prefix, start, (size_t)(end - start));
	}
	if (pending->data)
		buffer_drop(pending, (size_t)(start - pending->data));
}

static void
transcript_drain(const struct following *following, struct spring *spring, bool over)
{
	const struct transcript *transcript = following->transcript;
	struct error ignored; /* what cannot be read now may be later */
	ssize_t n;

	while (spring->attempt && (n = queue_log_read(transcript->status->queue, transcript->job, spring->task->task->task,
	    spring->attempt, spring->offset, buffer_room(&spring->pending, READ_BYTES), READ_BYTES, &ignored)) > 0) {
		spring->offset += n;
		spring->pending.length += (size_t)n;
		transcript_print_lines(following, spring, false);
	}
	if (over)
		transcript_print_lines(following, spring, true);
}

static void
transcript_turn_to(const struct following *following, struct spring *spring, int64_t attempt)
{
	if (attempt > spring->attempt) {
		transcript_drain(following, spring, true);
		spring->attempt = attempt;
		spring->offset = 0;
	}
	transcript_drain(following, spring, false);
}

static void
transcript_turn_to_task(const struct following *following, const char *id, int64_t attempt)
{
	const struct queue_task_status task = {.task = id};
	const struct transcript_task wanted = {.task = &task};
	const struct spring key = {.task = &wanted};
	struct spring *spring = bsearch(&key, following->list, following->transcript->count, sizeof key, transcript_by_id);

	if (spring)
		transcript_turn_to(following, spring, attempt);
}

static void
transcript_turn_to_all(const struct following *following, bool over)
{
	for (size_t i = 0; i < following->transcript->count; i++) {
		struct spring *spring = &following->list[i];

		if (spring->attempt == 0 && spring->task->task->attempt)
			transcript_turn_to(following, spring, spring->task->task->attempt);
		transcript_drain(following, spring, over);
	}
}

/* Reads all events of the queue up to now. */
static int
transcript_hear(const struct following *following, struct error *err)
{
	const char *task;
	int64_t attempt;
	int got;

	while ((got = queue_logs_next(following->logs, &task, &attempt, err)) > 0)
		if (task)
			transcript_turn_to_task(following, task, attempt);
		else
			transcript_turn_to_all(following, false);
	return got;
}

/* Follows until the job is over; all output from before its end has been printed then. */
static int
transcript_go_on(const struct following *following, struct error *err)
{
	struct pollfd fds[3] = {{.fd = queue_logs_watch(following->logs), .events = POLLIN}, {.fd = following->bell, .events = POLLIN},
	    {.fd = STDOUT_FILENO}};
	struct transcript *transcript = following->transcript;
	struct queue_job job;

	for (;;) {
		queue_watch_clear(following->transcript->status->queue, following->bell);
		if (queue_status_of(transcript->status->queue, transcript->job, &job, err) < 0 || transcript_hear(following, err) < 0)
			return -1;
		if (queue_is_finished(job.status)) {
			transcript_turn_to_all(following, true);
			return job.status == QUEUE_COMPLETE ? 0 : EX_NO;
		}
		if (fflush(stdout) != 0)
			return error_errno(err, EX_IOERR, "standard output");
		if (poll(fds, 3, -1) < 0 && errno != EINTR)
			return error_errno(err, EX_OSERR, "poll");
		if (fds[2].revents & (POLLERR | POLLHUP))
			return error_set(err, EX_IOERR, "standard output: nobody reads it any more");
	}
}

static void
transcript_make_springs(struct following *following)
{
	const struct transcript *transcript = following->transcript;

	following->list = memory_zeroed(transcript->count, sizeof *following->list);
	for (size_t i = 0; i < transcript->count; i++) {
		const struct transcript_task *task = &transcript->list[i];

		following->list[i] = (struct spring){.task = task, .prefix = memory_printf("%s %s%s%s", task->node,
		    task->task->action, *task->task->service ? " " : "", task->task->service)};
	}
	qsort(following->list, transcript->count, sizeof *following->list, transcript_by_id);
}

/* Begins to watch before it reads what has happened, so that nothing is missed. */
static int
transcript_begin(struct following *following, struct error *err)
{
	const struct transcript *transcript = following->transcript;

	following->bell = queue_watch(transcript->status->queue, err);
	if (following->bell < 0)
		return -1;
	following->logs = queue_logs_open(transcript->status->queue, transcript->job, err);
	if (!following->logs)
		return -1;
	transcript_make_springs(following);
	transcript_turn_to_all(following, false);
	return 0;
}

int
transcript_follow(struct transcript *transcript, struct error *err)
{
	struct following following = {.transcript = transcript, .bell = -1};
	int result = transcript_begin(&following, err);

	if (result == 0)
		result = transcript_go_on(&following, err);
	for (size_t i = 0; following.list && i < transcript->count; i++) {
		buffer_release(&following.list[i].pending);
		free(following.list[i].prefix);
	}
	free(following.list);
	queue_logs_close(following.logs);
	if (following.bell >= 0)
		close(following.bell);
	return result;
}
