/* SPDX-License-Identifier: Apache-2.0 */
#include "queue/read.h"

#include <string.h>

#include "base/error.h"
#include "json/dump.h"
#include "queue/engine.h"

enum { TAIL_BYTES = 8 * 1024, TAIL_LINES = 12 };

int
queue_workers(struct queue *queue, const struct queue_job *job, size_t *all, size_t *fit, struct error *err)
{
	return queue->engine->workers(queue, job, all, fit, err);
}

int
queue_status_of(struct queue *queue, const char *job, struct queue_job *out, struct error *err)
{
	return queue->engine->status(queue, job, out, err);
}

int
queue_list(struct queue *queue, bool finished, struct queue_job **list, size_t *count, struct error *err)
{
	return queue->engine->list(queue, finished, list, count, err);
}

int
queue_plan(struct queue *queue, const char *job, struct buffer *out, struct error *err)
{
	return queue->engine->plan(queue, job, out, err);
}

int
queue_nodes(struct queue *queue, const char *job, struct buffer *out, struct error *err)
{
	return queue->engine->nodes(queue, job, out, err);
}

const char *
queue_step_name(enum step_status status)
{
	static const char *const names[STEP_STATUS_COUNT] = {"blocked", "ready", "delayed", "running", "done", "failed",
	    "skipped"};

	return (size_t)status < STEP_STATUS_COUNT ? names[status] : "unknown";
}

int
queue_tasks(struct queue *queue, const char *job, const struct queue_filter *filter, struct arena *arena,
    struct queue_task_status **list, size_t *count, struct error *err)
{
	return queue->engine->tasks(queue, job, filter, arena, list, count, err);
}

int
queue_events(struct queue *queue, const char *job, uint64_t after, struct buffer *out, struct error *err)
{
	return queue->engine->events(queue, job, after, out, err);
}

struct queue_follow *
queue_follow(struct queue *queue, const struct queue_follow_options *options, struct error *err)
{
	return queue->engine->follow(queue, options, err);
}

int
queue_follow_next(struct queue_follow *follow, struct queue_event *event, struct error *err)
{
	return follow->queue->engine->follow_next(follow, event, err);
}

int
queue_follow_descriptor(const struct queue_follow *follow)
{
	return follow->fd;
}

void
queue_event_record(const struct queue_event *event, struct buffer *out)
{
	static const char kind[] = ",\"kind\":\"event\"";
	/* Before it stand only strings and numbers, in which a quote has a backslash before it. */
	const char *at = event->event.job ? NULL : memmem(event->line, event->length, kind, sizeof kind - 1);
	size_t before = at ? (size_t)(at - event->line) : 0;

	buffer_append(out, event->line, before);
	if (at) {
		buffer_text(out, ",\"job\":");
		json_quote(event->job, out);
	}
	buffer_append(out, event->line + before, event->length - before);
}

void
queue_follow_close(struct queue_follow *follow)
{
	if (follow)
		follow->queue->engine->follow_close(follow);
}

ssize_t
queue_log_read(struct queue *queue, const char *job, const char *task, int64_t attempt, int64_t offset, char *bytes,
    size_t size, struct error *err)
{
	return queue->engine->log_read(queue, job, task, attempt, offset, bytes, size, err);
}

const char *
queue_log_tail(struct queue *queue, const char *job, const char *task, int64_t attempt, struct arena *arena)
{
	char bytes[TAIL_BYTES];
	struct error ignored; /* the output only adds to what is told */
	ssize_t n = queue_log_read(queue, job, task, attempt, -TAIL_BYTES, bytes, sizeof bytes, &ignored);
	const char *end, *start;
	int lines = 0;

	/* Blank lines at the end would take the place of lines that say something. */
	while (n > 0 && strchr(" \t\r\n", bytes[n - 1]))
		n--;
	if (n <= 0)
		return NULL;
	start = end = bytes + n;
	while (start > bytes && (start[-1] != '\n' || ++lines < TAIL_LINES))
		start--;
	return arena_printf(arena, "%.*s\n", (int)(end - start), start);
}

struct queue_logs *
queue_logs_open(struct queue *queue, const char *job, struct error *err)
{
	return queue->engine->logs_open(queue, job, err);
}

int
queue_logs_watch(const struct queue_logs *logs)
{
	return logs->fd;
}

int
queue_logs_next(struct queue_logs *logs, const char **task, int64_t *attempt, struct error *err)
{
	return logs->queue->engine->logs_next(logs, task, attempt, err);
}

void
queue_logs_close(struct queue_logs *logs)
{
	if (logs)
		logs->queue->engine->logs_close(logs);
}
