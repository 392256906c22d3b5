/* SPDX-License-Identifier: Apache-2.0 */
#include "verb.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/message.h"
#include "base/printable.h"
#include "base/table.h"
#include "base/terminal.h"
#include "history/layout.h"
#include "queue/read.h"
#include "queue/status-print.h"

static const char *spool, *format, *colour;
static bool layout, plan, tasks, events, failed;

static const struct option_spec options[] = {
	OPTION_FLAG(0, "layout", &layout, "print the current layout of the cluster, for coopr-plan"),
	OPTION_RETIRED('l', NULL, "--layout"),
	OPTION_FLAG(0, "plan", &plan, "print the plan"),
	OPTION_RETIRED('p', NULL, "--plan"),
	OPTION_FLAG(0, "tasks", &tasks, "show all tasks with their states"),
	OPTION_RETIRED('t', NULL, "--tasks"),
	OPTION_FLAG(0, "failed", &failed, "only what failed, the first cause first"),
	OPTION_FLAG('e', "events", &events, "print what has happened, one record each"),
	OUTPUT_OPTIONS(&format, &colour, OUTPUT_NAMES),
	VERB_SPOOL(&spool),
	OPTION_END
};

static const struct command command = {
	"coopr-queue show", "[OPTION]... JOB", "Show the state of a job, what failed, and why.", options,
	"  coopr-queue show 00000042-001\n"
	"  coopr-queue show 00000042-001 --layout | coopr-plan -a delete | coopr-queue put\n"
	"  coopr-queue show 00000042-001 --plan | coopr-show -o tree\n"
	"  coopr-queue show 00000042-001 --tasks\n"};

enum { ATTENTION = 1 << STEP_FAILED | 1 << STEP_DELAYED | 1 << STEP_RUNNING, LIKES = 8 /* tasks that are named */ };

static void
show_verb_print_summary(const struct queue_job *job)
{
	static const char *const columns[] = {"", "", NULL};
	char put[CLOCK_RFC3339_SIZE], took[CLOCK_RFC3339_SIZE];
	int64_t until = job->finished_ms ? job->finished_ms : clock_wall_ms();
	struct table table = {0};

	table_columns(&table, columns);
	table_cell(&table, STYLE_DIM, "job");
	table_cell(&table, STYLE_BOLD, "%s", job->id);
	table_cell(&table, STYLE_DIM, "does");
	table_cell(&table, STYLE_PLAIN, "%s to cluster %s of tenant %s", job->action, job->cluster, job->tenant);
	table_cell(&table, STYLE_DIM, "status");
	table_cell(&table, status_style(job->status), "%s", queue_status_name(job->status));
	table_cell(&table, STYLE_DIM, "tasks");
	table_cell(&table, STYLE_PLAIN, "%zu: %zu done, %zu running, %zu ready, %zu delayed, %zu blocked, %zu failed",
	    job->tasks, job->done, job->running, job->ready, job->delayed, job->blocked, job->failed);
	table_cell(&table, STYLE_DIM, "put");
	table_cell(&table, STYLE_PLAIN, "%s, %s %s", clock_rfc3339(job->put_ms, put),
	    job->finished_ms ? "took" : "for", clock_duration(until - job->put_ms, took));
	table_print(&table, stdout, terminal_colour(colour, stdout), false);
	table_release(&table);
}

static void
show_verb_say_outcome(const struct queue_task_status *task, struct buffer *out)
{
	char due[CLOCK_RFC3339_SIZE];

	if (task->reason)
		buffer_printf(out, ", attempt %" PRId64 " lost: ", task->attempt);
	else
		buffer_printf(out, ", attempt %" PRId64 ", exit code %" PRId64 "%s", task->attempt, task->code,
		    task->message ? ": " : "");
	if (task->reason || task->message)
		printable_line(task->reason ? task->reason : task->message, out);
	if (task->status == STEP_DELAYED)
		buffer_printf(out, "\n  retried in %s", clock_duration(task->due_ms, due));
}

static void
show_verb_say_task(const struct queue_task_status *task, struct buffer *out)
{
	char since[CLOCK_RFC3339_SIZE];

	buffer_printf(out, "\n%s %s: %s%s%s on %s%s", queue_step_name(task->status), task->task, task->action,
	    *task->service ? " " : "", task->service, task->node, task->undoing ? " (to undo what it did)" : "");
	if (task->status == STEP_RUNNING) {
		buffer_printf(out, ", attempt %" PRId64 ", by ", task->attempt);
		printable_line(task->by ? task->by : "?", out);
		buffer_printf(out, " for %s", clock_duration(clock_wall_ms() - task->at_ms, since));
		status_say_stopped(task, "\n  ", out);
	} else {
		show_verb_say_outcome(task, out);
	}
	buffer_byte(out, '\n');
	status_say_first(task, out);
	if (task->log)
		buffer_printf(out, "  output: %s\n", task->log);
	if (task->output && task->status != STEP_RUNNING)
		printable_lines("  | ", task->output, out);
}

static bool
show_verb_is_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

/* Returns whether both have failed, in the same way on two machines. */
static bool
show_verb_is_like(const struct queue_task_status *a, const struct queue_task_status *b)
{
	return a->status == STEP_FAILED && b->status == STEP_FAILED && a->code == b->code && a->undoing == b->undoing &&
	    show_verb_is_text(a->action, b->action) && show_verb_is_text(a->service, b->service) &&
	    show_verb_is_text(a->message, b->message) && show_verb_is_text(a->reason, b->reason);
}

/* Names the tasks behind the first that have failed as it did. */
static void
show_verb_say_likes(const struct queue_task_status *first, size_t count, struct buffer *out)
{
	size_t likes = 0;

	for (size_t i = 1; i < count; i++) {
		if (!show_verb_is_like(first, &first[i]))
			continue;
		if (likes < LIKES)
			buffer_printf(out, "%s%s (%s)", likes ? ", " : "  likewise on ", first[i].node, first[i].task);
		likes++;
	}
	if (likes > LIKES)
		buffer_printf(out, " and %zu more", likes - LIKES);
	if (likes)
		buffer_byte(out, '\n');
}

/* Says once what failed likewise on several machines. */
static void
show_verb_say_tasks(const struct status_tasks *found, struct buffer *out)
{
	for (size_t i = 0; i < found->count; i++) {
		bool said = false;

		for (size_t j = 0; j < i && !said; j++)
			said = show_verb_is_like(&found->list[j], &found->list[i]);
		if (said)
			continue;
		show_verb_say_task(&found->list[i], out);
		show_verb_say_likes(&found->list[i], found->count - i, out);
	}
}

static int
show_verb_compare_times(const void *a, const void *b)
{
	const struct queue_task_status *x = a, *y = b;

	size_t a_length = strlen(x->task), b_length = strlen(y->task);

	if (x->at_ms != y->at_ms)
		return x->at_ms < y->at_ms ? -1 : 1;
	return a_length != b_length ? (a_length < b_length ? -1 : 1) : strcmp(x->task, y->task);
}

/* Sorts failed tasks by the time of the first that failed in the same way. */
static void
show_verb_sort(struct queue_task_status *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < i; j++)
			if (show_verb_is_like(&list[j], &list[i])) {
				list[i].at_ms = list[j].at_ms < list[i].at_ms ? list[j].at_ms : list[i].at_ms;
				list[j].at_ms = list[i].at_ms;
			}
	if (count)
		qsort(list, count, sizeof *list, show_verb_compare_times);
}

/* Why nobody takes what is ready, where it is for want of a worker. */
static void
show_verb_print_want(struct queue *queue, const struct queue_job *job)
{
	struct error ignored;
	size_t all, fit;

	if (job->status != QUEUE_RUNNING || job->ready == 0 || job->running > 0 ||
	    queue_workers(queue, job, &all, &fit, &ignored) < 0 || fit > 0)
		return;
	if (all == 0)
		printf("\nNo worker has joined: coopr-work takes what is ready\n");
	else
		printf("\nNone of the workers (%zu) takes tasks of tenant %s at provider %s: see coopr-work --tenant, --provider, "
		       "--job\n", all, job->tenant, *job->provider ? job->provider : "(none)");
}

static void
show_verb_print(struct queue *queue, struct output *output, const struct queue_job *job,
    const struct status_tasks *found)
{
	struct buffer out = {0};

	if (output->format == OUTPUT_NAME || tasks) {
		list_print(&status_task_list, found->list, found->count, output);
		return;
	}
	if (output_is_records(output)) {
		output->context = found;
		list_print(&status_job_list, job, 1, output);
	} else if (failed) {
		show_verb_say_tasks(found, &out);
	} else {
		show_verb_print_summary(job);
		show_verb_print_want(queue, job);
		show_verb_say_tasks(found, &out);
		if (job->status == QUEUE_FAILED || job->status == QUEUE_CANCELLED)
			buffer_printf(&out, "\nAfter fixing the cause: coopr-queue retry %s\n", job->id);
	}
	buffer_print(&out);
}

static int
show_verb_show_status(struct queue *queue, const char *id, struct output *output)
{
	const struct queue_filter filter = {.statuses = tasks ? 0 : failed ? 1 << STEP_FAILED : ATTENTION, .details = !tasks};
	struct queue_task_status *list = NULL;
	struct arena arena = {0};
	struct queue_job job;
	struct error err;
	size_t count = 0;
	int code = 0;

	/* The status of a job that is complete says all there is to tell. */
	if (queue_status_of(queue, id, &job, &err) < 0 || ((tasks || job.status != QUEUE_COMPLETE) &&
	    queue_tasks(queue, id, &filter, &arena, &list, &count, &err) < 0))
		code = message_error(&err);
	else if (failed)
		show_verb_sort(list, count);
	if (code == 0)
		show_verb_print(queue, output, &job, &(struct status_tasks){list, count});
	arena_release(&arena);
	return code;
}

static int
show_verb_show_records(struct queue *queue, const char *id, struct output *output)
{
	struct buffer out = {0};
	struct error err;

	if ((layout && layout_now(queue, id, &out, &err) < 0) || (plan && queue_plan(queue, id, &out, &err) < 0) ||
	    (events && queue_events(queue, id, 0, &out, &err) < 0)) {
		buffer_release(&out);
		return message_error(&err);
	}
	if (output_is_records(output))
		output_lines(output, &out);
	else
		fwrite(buffer_string(&out), 1, out.length, stdout);
	buffer_release(&out);
	return 0;
}

int
verb_show(int argc, char **argv)
{
	struct output output;
	struct queue *queue;
	int code;

	argv += option_parse(&command, argc, argv);
	verb_operands(&command, argv, 1, 1);
	output = output_open(format, colour);
	if (layout + plan + tasks + events + failed > 1)
		return option_misuse(&command, "one of --layout, --plan, --tasks, --failed and --events at a time");
	if (output.format == OUTPUT_NAME && (layout || plan || events))
		return option_misuse(&command, "-o name: tasks have names; --layout, --plan and --events print records");
	queue = verb_open(spool, QUEUE_READ);

	code = layout || plan || events ? show_verb_show_records(queue, argv[0], &output)
	                                : show_verb_show_status(queue, argv[0], &output);

	queue_close(queue);
	return message_end(code);
}
