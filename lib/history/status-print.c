/* SPDX-License-Identifier: Apache-2.0 */
#include "history/status-print.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "model/print.h"

enum status_format
status_format(const struct command *command, const char *option, const char *operand)
{
	static const char *const names[] = {"table", "json", "name"};

	if (operand)
		exit(option_misuse(command, "it takes no operand, found '%s'; see: coopr-queue show %s", operand, operand));
	if (!option)
		return isatty(STDOUT_FILENO) ? STATUS_TABLE : STATUS_JSON;
	for (int i = 0; i < 3; i++)
		if (strcmp(option, names[i]) == 0)
			return (enum status_format)i;
	exit(option_misuse(command, "unknown format '%s': table, json or name", option));
}

static void
status_print_time(struct print *print, const char *name, int64_t ms)
{
	char text[CLOCK_RFC3339_SIZE];

	print_string(print, name, ms ? clock_rfc3339(ms, text) : NULL);
}

void
status_print_counts(const struct queue_job *job, struct buffer *out)
{
	struct print print;

	print_begin(&print, (jv){0}, out);
	print_integer(&print, "blocked", (int64_t)job->blocked);
	print_integer(&print, "delayed", (int64_t)job->delayed);
	print_integer(&print, "done", (int64_t)job->done);
	print_integer(&print, "failed", (int64_t)job->failed);
	print_integer(&print, "ready", (int64_t)job->ready);
	print_integer(&print, "running", (int64_t)job->running);
	print_integer(&print, "skipped", (int64_t)job->skipped);
	print_integer(&print, "total", (int64_t)job->tasks);
	print_close(&print);
}

static void
status_print_attention(struct print *print, const struct status_tasks *tasks, struct buffer *out)
{
	print_name(print, "attention");
	buffer_byte(out, '[');
	for (size_t i = 0; i < tasks->count; i++) {
		if (i)
			buffer_byte(out, ',');
		status_print_task(&tasks->list[i], out);
	}
	buffer_byte(out, ']');
}

void
status_print(const struct queue_job *job, const struct status_tasks *tasks, struct buffer *out)
{
	struct print print;

	print_begin(&print, (jv){0}, out);
	print_string(&print, "action", job->action);
	if (tasks)
		status_print_attention(&print, tasks, out);
	print_string(&print, "cluster", job->cluster);
	print_number(&print, "critical_path_s", job->critical_path_s);
	status_print_time(&print, "finished_at", job->finished_ms);
	print_string(&print, "job", job->id);
	print_string(&print, "kind", "status");
	status_print_time(&print, "put_at", job->put_ms);
	print_string(&print, "status", queue_status_name(job->status));
	print_name(&print, "tasks");
	status_print_counts(job, out);
	print_string(&print, "tenant", job->tenant);
	print_end(&print);
}

static void
status_print_optional(struct print *print, const char *name, const char *text)
{
	if (text)
		print_string(print, name, text);
}

void
status_print_task(const struct show_task *task, struct buffer *out)
{
	bool ended = task->at_ms && task->status != STEP_RUNNING;
	struct print print;

	print_begin(&print, (jv){0}, out);
	print_string(&print, "action", task->action);
	if (task->at_ms)
		status_print_time(&print, "at", task->at_ms);
	print_integer(&print, "attempt", task->attempt);
	status_print_optional(&print, "by", task->by);
	if (ended && !task->reason)
		print_integer(&print, "code", task->code);
	if (task->due_ms)
		print_integer(&print, "due_in_ms", task->due_ms);
	print_string(&print, "kind", "taskstatus");
	status_print_optional(&print, "log", task->log);
	status_print_optional(&print, "message", task->message);
	print_string(&print, "node", task->node);
	status_print_optional(&print, "output", task->output);
	status_print_optional(&print, "reason", task->reason);
	print_string(&print, "service", *task->service ? task->service : NULL);
	print_string(&print, "status", index_status_name(task->status));
	print_string(&print, "task", task->task);
	if (task->undoing)
		print_name(&print, "undoing"), buffer_text(out, "true");
	print_close(&print);
}

enum terminal_style
status_style(enum queue_status status)
{
	switch (status) {
	case QUEUE_COMPLETE:
		return STYLE_GOOD;
	case QUEUE_FAILED:
		return STYLE_BAD;
	case QUEUE_RUNNING:
		return STYLE_PLAIN;
	default:
		return STYLE_WARN;
	}
}

enum terminal_style
status_task_style(enum step_status status)
{
	switch (status) {
	case STEP_DONE:
		return STYLE_GOOD;
	case STEP_FAILED:
		return STYLE_BAD;
	case STEP_DELAYED:
		return STYLE_WARN;
	case STEP_BLOCKED:
		return STYLE_DIM;
	default:
		return STYLE_PLAIN;
	}
}
