/* SPDX-License-Identifier: Apache-2.0 */
#include "queue/status-print.h"

#include <inttypes.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/printable.h"
#include "model/print.h"

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

static enum terminal_style
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

static void
status_fill_status(const void *row, struct list_cell *cell)
{
	const struct queue_job *job = row;

	list_cell_text(cell, queue_status_name(job->status));
	cell->style = status_style(job->status);
}

static void
status_fill_done(const void *row, struct list_cell *cell)
{
	const struct queue_job *job = row;

	list_cell_show(cell, STYLE_PLAIN, "%zu/%zu", job->done, job->tasks);
}

static void
status_fill_put_at(const void *row, struct list_cell *cell)
{
	const struct queue_job *job = row;
	char age[CLOCK_RFC3339_SIZE];

	list_cell_show(cell, STYLE_PLAIN, "%s", clock_duration(clock_wall_ms() - job->put_ms, age));
}

static void
status_fill_attention(const void *row, struct list_cell *cell)
{
	const struct status_tasks *tasks = cell->context;

	(void)row;
	if (!tasks)
		return;
	list_cell_json(cell, "[");
	for (size_t i = 0; i < tasks->count; i++) {
		buffer_text(&cell->json, i ? "," : "");
		list_record(&status_task_list, &tasks->list[i], NULL, &cell->json);
	}
	buffer_byte(&cell->json, ']');
}

static void
status_fill_counts(const void *row, struct list_cell *cell)
{
	buffer_clear(&cell->json);
	status_print_counts(row, &cell->json);
}

#define AT(type, member) LIST_AT(type, struct queue_job, member)

static const struct list_column job_columns[] = {
	{"JOB", "job", AT(CHARS, id)},
	{"STATUS", "status", .fill = status_fill_status},
	{"DONE", NULL, .fill = status_fill_done},
	{"RUNNING", NULL, AT(COUNT, running)},
	{"FAILED", NULL, AT(COUNT, failed), .nonzero = STYLE_BAD},
	{"ACTION", "action", AT(CHARS, action)},
	{"TENANT", "tenant", AT(CHARS, tenant)},
	{"AGE", "put_at", AT(TIME, put_ms), .fill = status_fill_put_at},
	{NULL, "attention", .fill = status_fill_attention, .when = LIST_SPARSE},
	{NULL, "cluster", AT(CHARS, cluster)},
	{NULL, "critical_path_s", AT(REAL, critical_path_s)},
	{NULL, "finished_at", AT(TIME, finished_ms)},
	{NULL, "tasks", .fill = status_fill_counts},
	{0}};

const struct list status_job_list = {.kind = "status", .rows = "jobs", .columns = job_columns, .row_size = sizeof(struct queue_job)};

/* Returns whether the first failure was another than the last. */
static bool
status_is_first_other(const struct queue_task_status *task)
{
	const char *last = task->message ? task->message : task->reason;

	return task->first_attempt && task->first_message && (!last || strcmp(last, task->first_message) != 0);
}

void
status_say_first(const struct queue_task_status *task, struct buffer *out)
{
	if (!status_is_first_other(task))
		return;
	buffer_printf(out, "  first, attempt %" PRId64 ": ", task->first_attempt);
	printable_line(task->first_message, out);
	buffer_byte(out, '\n');
}

/* A worker that is killed takes its processes on this host with it, and the next attempt ends what is left of the last one on the
 * node before it begins: nothing runs twice. */
void
status_say_stopped(const struct queue_task_status *task, const char *before, struct buffer *out)
{
	if (task->stopped_pid)
		buffer_printf(out, "%sits worker, process %d, is stopped, and nobody else may do the task: kill -CONT %d resumes it; "
		    "kill -KILL %d ends it, and the task is done again, as other workers do half a minute after the time of the task", before, task->stopped_pid, task->stopped_pid, task->stopped_pid);
}

static void
status_fill_task_status(const void *row, struct list_cell *cell)
{
	const struct queue_task_status *task = row;

	list_cell_text(cell, queue_step_name(task->status));
	cell->style = status_task_style(task->status);
}

static void
status_fill_code(const void *row, struct list_cell *cell)
{
	const struct queue_task_status *task = row;

	if (task->at_ms && task->status != STEP_RUNNING && !task->reason)
		list_cell_integer(cell, task->code);
}

static void
status_fill_due(const void *row, struct list_cell *cell)
{
	const struct queue_task_status *task = row;

	if (task->due_ms)
		list_cell_integer(cell, task->due_ms);
}

static void
status_fill_stopped(const void *row, struct list_cell *cell)
{
	const struct queue_task_status *task = row;

	if (task->stopped_pid)
		list_cell_integer(cell, task->stopped_pid);
}

static void
status_fill_undoing(const void *row, struct list_cell *cell)
{
	const struct queue_task_status *task = row;

	list_cell_json(cell, task->undoing ? "true" : NULL);
}

#undef AT
#define AT(type, member) LIST_AT(type, struct queue_task_status, member)

static const struct list_column task_columns[] = {
	{"TASK", "task", AT(TEXT, task)},
	{"STATUS", "status", .fill = status_fill_task_status},
	{"ATTEMPT", "attempt", AT(INTEGER, attempt)},
	{"ACTION", "action", AT(TEXT, action)},
	{"SERVICE", "service", AT(WORD, service)},
	{"NODE", "node", AT(TEXT, node)},
	{NULL, "at", AT(TIME, at_ms), .when = LIST_SPARSE},
	{NULL, "by", AT(TEXT, by), .when = LIST_SPARSE},
	{NULL, "code", .fill = status_fill_code, .when = LIST_SPARSE},
	{NULL, "due_in_ms", .fill = status_fill_due, .when = LIST_SPARSE},
	{NULL, "first_message", AT(TEXT, first_message), .when = LIST_SPARSE},
	{NULL, "log", AT(TEXT, log), .when = LIST_SPARSE},
	{NULL, "message", AT(TEXT, message), .when = LIST_SPARSE},
	{NULL, "output", AT(TEXT, output), .when = LIST_SPARSE},
	{NULL, "reason", AT(TEXT, reason), .when = LIST_SPARSE},
	{NULL, "stopped_pid", .fill = status_fill_stopped, .when = LIST_SPARSE},
	{NULL, "undoing", .fill = status_fill_undoing},
	{0}};

const struct list status_task_list = {.kind = "taskstatus", .rows = "tasks", .columns = task_columns, .row_size = sizeof(struct queue_task_status)};
