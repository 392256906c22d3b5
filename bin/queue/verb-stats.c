/* SPDX-License-Identifier: Apache-2.0
 *
 * stats: how the spool stands, how fast it goes, what takes how long and what fails; and, with --expect, what to expect of
 * tasks to come, as coopr-plan --history reads it.
 */
#include "verb.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/message.h"
#include "base/terminal.h"
#include "history/stats.h"
#include "history/status-print.h"
#include "model/print.h"

enum { MINUTE_MS = 60 * 1000, HOUR_MS = 60 * MINUTE_MS };

static const char *spool, *format, *colour;
static bool expect;

static const struct option_spec options[] = {
	OPTION_FLAG('x', "expect", &expect, "print how long tasks are expected to take, for coopr-plan --history"),
	OPTION_STRING('o', "output", &format, "table|json", "output format (default: table on a terminal, else json)"),
	OPTION_STRING(0, "color", &colour, "auto|always|never", "when to colour (default: auto, on a terminal)"),
	VERB_SPOOL(&spool),
	OPTION_END
};

static const struct command command = {
	"coopr-queue stats", "[OPTION]... [JOB]...",
	"Show figures of the spool or of jobs: tasks by state, throughput, failures, durations.", options,
	"  coopr-queue stats\n"
	"  coopr-queue stats 00000042-001 -o json\n"
	"  coopr-queue stats --expect >history; coopr-plan --history history layout.ndjson\n"};

static double
stats_verb_seconds(int64_t ms)
{
	return (double)ms / 1000;
}

/* Milliseconds as seconds; null where there is nothing to tell. */
static void
stats_verb_print_seconds(struct print *print, const char *name, int64_t ms)
{
	if (ms < 0)
		print_string(print, name, NULL);
	else
		print_number(print, name, stats_verb_seconds(ms));
}

static void
stats_verb_print_group(const struct history_group *group, struct buffer *out)
{
	struct print print;

	print_begin(&print, (jv){0}, out);
	print_string(&print, "action", action_name(group->action));
	print_integer(&print, "done", (int64_t)group->done);
	print_integer(&print, "failed", (int64_t)group->failed);
	print_string(&print, "kind", "attempts");
	print_integer(&print, "lost", (int64_t)group->lost);
	stats_verb_print_seconds(&print, "max_s", history_quantile_ms(group, 1));
	stats_verb_print_seconds(&print, "p50_s", history_quantile_ms(group, 0.5));
	stats_verb_print_seconds(&print, "p90_s", history_quantile_ms(group, 0.9));
	stats_verb_print_seconds(&print, "p99_s", history_quantile_ms(group, 0.99));
	print_integer(&print, "retried", (int64_t)group->retried);
	print_string(&print, "service", *group->service ? group->service : NULL);
	print_string(&print, "type", group->type);
	print_end(&print);
}

static void
stats_verb_print_expectation(const struct history_group *group, struct buffer *out)
{
	struct print print;

	if (group->run_count == 0)
		return;
	print_begin(&print, (jv){0}, out);
	print_string(&print, "action", action_name(group->action));
	stats_verb_print_seconds(&print, "expect_s", history_expect_ms(group));
	print_string(&print, "hardwaretype", *group->hardwaretype ? group->hardwaretype : NULL);
	print_string(&print, "kind", "expectation");
	print_integer(&print, "runs", (int64_t)group->done);
	print_string(&print, "service", *group->service ? group->service : NULL);
	print_string(&print, "type", group->type);
	print_end(&print);
}

/* One for all hardware; and where there was more than one kind of it, one for each. */
static void
stats_verb_print_expectations(const struct history *history, struct buffer *out)
{
	for (size_t first = 0, next = 0; next < history->keys.count; first = next) {
		struct history_group merged;

		history_merge(history, &next, &merged);
		stats_verb_print_expectation(&merged, out);
		for (size_t i = first; next - first > 1 && i < next; i++)
			if (*history->groups[i].hardwaretype)
				stats_verb_print_expectation(&history->groups[i], out);
		history_group_release(&merged);
	}
}

static void
stats_verb_print_jobs(const struct stats *stats, struct buffer *out)
{
	/* In the order of their names. */
	static const enum queue_status order[] = {QUEUE_CANCELLED, QUEUE_CANCELLING, QUEUE_COMPLETE, QUEUE_FAILED,
	    QUEUE_PAUSED, QUEUE_RUNNING, QUEUE_WAITING};
	struct print print;

	print_begin(&print, (jv){0}, out);
	for (size_t i = 0; i < sizeof order / sizeof *order; i++)
		print_integer(&print, queue_status_name(order[i]), (int64_t)stats->jobs[order[i]]);
	print_close(&print);
}

static void
stats_verb_print_summary(struct stats *stats, struct buffer *out)
{
	int64_t now_ms = clock_wall_ms(), busy_ms = stats_busy_ms(stats);
	struct print print;

	print_begin(&print, (jv){0}, out);
	print_number(&print, "busy_s", stats_verb_seconds(busy_ms));
	print_integer(&print, "done_last_hour", (int64_t)stats_done_within(stats, now_ms, HOUR_MS));
	print_integer(&print, "done_last_minute", (int64_t)stats_done_within(stats, now_ms, MINUTE_MS));
	print_number(&print, "done_per_s", busy_ms ? (double)stats->span_count / stats_verb_seconds(busy_ms) : 0);
	print_name(&print, "jobs");
	stats_verb_print_jobs(stats, out);
	print_string(&print, "kind", "stats");
	print_integer(&print, "running", (int64_t)stats->running);
	print_name(&print, "tasks");
	status_print_counts(&stats->tasks, out);
	print_integer(&print, "workers", (int64_t)stats->workers);
	print_end(&print);
}

static void
stats_verb_print_records(struct stats *stats)
{
	struct buffer out = {0};

	if (!expect)
		stats_verb_print_summary(stats, &out);
	for (size_t next = 0; !expect && next < stats->history.keys.count;) {
		struct history_group merged;

		history_merge(&stats->history, &next, &merged);
		stats_verb_print_group(&merged, &out);
		history_group_release(&merged);
	}
	if (expect)
		stats_verb_print_expectations(&stats->history, &out);
	if (out.length)
		fwrite(out.data, 1, out.length, stdout);
	buffer_release(&out);
}

static void
stats_verb_show_summary(struct stats *stats)
{
	const struct queue_job *tasks = &stats->tasks;
	int64_t now_ms = clock_wall_ms(), busy_ms = stats_busy_ms(stats);
	char busy[CLOCK_RFC3339_SIZE];
	size_t jobs = 0;

	for (int status = 0; status <= QUEUE_CANCELLED; status++)
		jobs += stats->jobs[status];
	printf("jobs     %zu", jobs);
	for (int status = 0; status <= QUEUE_CANCELLED; status++)
		if (stats->jobs[status])
			printf(", %zu %s", stats->jobs[status], queue_status_name((enum queue_status)status));
	printf("\ntasks    %zu: %zu done, %zu running, %zu ready, %zu delayed, %zu blocked, %zu failed, %zu skipped\n",
	    tasks->tasks, tasks->done, tasks->running, tasks->ready, tasks->delayed, tasks->blocked, tasks->failed,
	    tasks->skipped);
	printf("workers  %zu\n", stats->workers);
	printf("done     %zu in %s of work: %.1f a second; %zu in the last minute, %zu in the last hour\n",
	    stats->span_count, clock_duration(busy_ms, busy),
	    busy_ms ? (double)stats->span_count / stats_verb_seconds(busy_ms) : 0,
	    stats_done_within(stats, now_ms, MINUTE_MS), stats_done_within(stats, now_ms, HOUR_MS));
}

static void
stats_verb_add_duration(struct table *table, int64_t ms)
{
	char text[CLOCK_RFC3339_SIZE];

	table_cell(table, STYLE_PLAIN, "%s", ms < 0 ? "-" : clock_duration(ms, text));
}

static void
stats_verb_add_row(struct table *table, const struct history_group *group)
{
	table_cell(table, STYLE_PLAIN, "%s", action_name(group->action));
	table_cell(table, STYLE_PLAIN, "%s", group->service);
	table_cell(table, STYLE_PLAIN, "%s", group->type);
	table_cell(table, STYLE_PLAIN, "%zu", group->done);
	table_cell(table, group->failed ? STYLE_BAD : STYLE_PLAIN, "%zu", group->failed);
	table_cell(table, group->lost ? STYLE_WARN : STYLE_PLAIN, "%zu", group->lost);
	table_cell(table, STYLE_PLAIN, "%zu", group->retried);
	stats_verb_add_duration(table, history_quantile_ms(group, 0.5));
	stats_verb_add_duration(table, history_quantile_ms(group, 0.9));
	stats_verb_add_duration(table, history_quantile_ms(group, 0.99));
	stats_verb_add_duration(table, history_quantile_ms(group, 1));
}

static void
stats_verb_show_groups(const struct history *history)
{
	static const char *const columns[] = {"ACTION", "SERVICE", "TYPE", "DONE", "FAILED", "LOST", "RETRIED", "P50", "P90",
	    "P99", "MAX", NULL};
	struct table table = {0};

	if (history->keys.count == 0)
		return;
	table_columns(&table, columns);
	for (size_t next = 0; next < history->keys.count;) {
		struct history_group merged;

		history_merge(history, &next, &merged);
		stats_verb_add_row(&table, &merged);
		history_group_release(&merged);
	}
	putchar('\n');
	table_print(&table, stdout, terminal_colour(colour, stdout), true);
	table_release(&table);
}

static int
stats_verb_add_jobs(struct queue *queue, struct stats *stats)
{
	struct queue_job *list;
	size_t count;
	struct error err;
	int code = 0;

	/* First: jobs that are in the history already are not to be counted twice. */
	if (stats_add_spool(stats, queue, &err) < 0)
		code = message_error(&err);
	if (queue_list(queue, true, &list, &count, &err) < 0)
		code = message_error(&err);
	for (size_t i = 0; i < count; i++)
		if (stats_add_job(stats, queue, &list[i], &err) < 0 && err.code != EX_NO)
			code = message_error(&err);
	free(list);
	return code;
}

static int
stats_verb_add_named(struct queue *queue, char *const *jobs, struct stats *stats)
{
	int code = 0;

	for (; *jobs; jobs++) {
		struct queue_job job;
		struct error err;

		if (queue_status_of(queue, *jobs, &job, &err) < 0 || stats_add_job(stats, queue, &job, &err) < 0) {
			message_error(&err);
			code = err.code > code ? err.code : code;
		}
	}
	return code;
}

int
verb_stats(int argc, char **argv)
{
	struct stats stats = {0};
	enum status_format wanted;
	struct queue *queue;
	int code;

	argv += option_parse(&command, argc, argv);
	wanted = status_format(&command, format, NULL);
	if (wanted == STATUS_NAME)
		return option_misuse(&command, "unknown format 'name': table or json");
	queue = verb_open(spool, QUEUE_READ);

	code = argv[0] ? stats_verb_add_named(queue, argv, &stats) : stats_verb_add_jobs(queue, &stats);
	history_sort(&stats.history);

	if (wanted == STATUS_JSON || expect) {
		stats_verb_print_records(&stats);
	} else {
		stats_verb_show_summary(&stats);
		stats_verb_show_groups(&stats.history);
	}
	stats_release(&stats);
	queue_close(queue);
	return message_end(code);
}
