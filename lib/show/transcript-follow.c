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
#include "base/message.h"
#include "queue/read.h"
#include "status/status.h"

enum { READ_BYTES = 64 * 1024 };

struct task_log { /* a task's log, at its newest attempt */
	const struct transcript_task *task;
	char *prefix;
	int64_t attempt; /* 0: none was opened yet */
	int64_t offset;  /* what is before it was read */
	struct buffer pending; /* the start of a line */
};

struct following {
	struct transcript *transcript;
	struct task_log *list; /* sorted by the tasks' ids */
	struct queue_logs *logs;
	int watch;
};

static int
transcript_by_id(const void *a, const void *b)
{
	const struct task_log *left = a, *right = b;

	return strcmp(left->task->task->task, right->task->task->task);
}

static void
transcript_read_more(const struct following *following, struct task_log *log, bool over)
{
	const struct transcript *transcript = following->transcript;
	struct error ignored; /* what cannot be read now may be later */
	ssize_t n;

	while (log->attempt && (n = queue_log_read(transcript->status->queue, transcript->job, log->task->task->task,
	    log->attempt, log->offset, buffer_room(&log->pending, READ_BYTES), READ_BYTES, &ignored)) > 0) {
		log->offset += n;
		log->pending.length += (size_t)n;
		transcript_print_lines(transcript, log->prefix, &log->pending, false);
	}
	if (over)
		transcript_print_lines(transcript, log->prefix, &log->pending, true);
}

/* Reads on in the log of the attempt, or of the one before it as far as it goes. */
static void
transcript_read_log(const struct following *following, struct task_log *log, int64_t attempt)
{
	if (attempt > log->attempt) {
		transcript_read_more(following, log, true);
		log->attempt = attempt;
		log->offset = 0;
	}
	transcript_read_more(following, log, false);
}

static void
transcript_read_all_logs(const struct following *following, bool over)
{
	for (size_t i = 0; i < following->transcript->count; i++) {
		struct task_log *log = &following->list[i];

		if (log->attempt == 0 && log->task->task->attempt)
			transcript_read_log(following, log, log->task->task->attempt);
		transcript_read_more(following, log, over);
	}
}

/* Reads the logs that have grown up to now. */
static int
transcript_read_events(const struct following *following, struct error *err)
{
	struct queue_task_status task = {0};
	const struct transcript_task wanted = {.task = &task};
	const struct task_log key = {.task = &wanted};
	int64_t attempt;
	int got;

	while ((got = queue_logs_next(following->logs, &task.task, &attempt, err)) > 0) {
		struct task_log *log = NULL;

		if (!task.task)
			transcript_read_all_logs(following, false);
		else
			log = bsearch(&key, following->list, following->transcript->count, sizeof key, transcript_by_id);
		if (log)
			transcript_read_log(following, log, attempt);
	}
	return got;
}

/* Waits until the job is over and prints all output from before its end. Returns 0, EX_NO if the job failed, or -1; 0 also where
 * standard output cannot be written any more, of which message_end tells. */
static int
transcript_watch(const struct following *following, struct error *err)
{
	struct pollfd fds[3] = {{.fd = queue_logs_watch(following->logs), .events = POLLIN}, {.fd = following->watch, .events = POLLIN},
	    {.fd = STDOUT_FILENO}};
	struct transcript *transcript = following->transcript;
	struct queue_job job;

	for (;;) {
		queue_watch_clear(following->transcript->status->queue, following->watch);
		if (queue_status_of(transcript->status->queue, transcript->job, &job, err) < 0 || transcript_read_events(following, err) < 0)
			return -1;
		if (queue_is_finished(job.status)) {
			transcript_read_all_logs(following, true);
			return job.status == QUEUE_COMPLETE ? 0 : EX_NO;
		}
		if (message_flush() < 0)
			return 0;
		if (poll(fds, 3, -1) < 0 && errno != EINTR)
			return error_errno(err, EX_OSERR, "poll");
		if (fds[2].revents & (POLLERR | POLLHUP))
			return 0;
	}
}

static void
transcript_make_logs(struct following *following)
{
	const struct transcript *transcript = following->transcript;

	following->list = memory_zeroed(transcript->count, sizeof *following->list);
	for (size_t i = 0; i < transcript->count; i++) {
		const struct transcript_task *task = &transcript->list[i];

		following->list[i] = (struct task_log){.task = task, .prefix = memory_printf("%s %s%s%s", task->node,
		    task->task->action, *task->task->service ? " " : "", task->task->service)};
	}
	qsort(following->list, transcript->count, sizeof *following->list, transcript_by_id);
}

int
transcript_follow(struct transcript *transcript, struct error *err)
{
	struct following following = {.transcript = transcript, .watch = -1};
	int result = -1;

	/* The watch comes first, so that nothing is missed that happens while the logs are read. */
	following.watch = queue_watch(transcript->status->queue, err);
	if (following.watch >= 0)
		following.logs = queue_logs_open(transcript->status->queue, transcript->job, err);
	if (following.logs) {
		transcript_make_logs(&following);
		transcript_read_all_logs(&following, false);
		result = transcript_watch(&following, err);
	}
	for (size_t i = 0; following.list && i < transcript->count; i++) {
		buffer_release(&following.list[i].pending);
		free(following.list[i].prefix);
	}
	free(following.list);
	queue_logs_close(following.logs);
	if (following.watch >= 0)
		close(following.watch);
	return result;
}
