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
#include "base/memory.h"
#include "base/message.h"
#include "history/stats.h"
#include "model/print.h"
#include "queue/read.h"
#include "queue/status-print.h"

enum { MINUTE_MS = 60 * 1000, HOUR_MS = 60 * MINUTE_MS };

static const char *spool, *format, *colour;
static bool expect;

static const struct option_spec options[] = {
	OPTION_FLAG('x', "expect", &expect, "print expected durations, for coopr-plan --history"),
	OUTPUT_OPTIONS(&format, &colour, OUTPUT_LIST),
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

struct stats_row {
	const char *action, *service, *type;
	size_t done, failed, lost, retried, waited;
	int64_t p50_ms, p90_ms, p99_ms, max_ms;
};

#define AT(type, member) LIST_AT(type, struct stats_row, member)

static const struct list_column columns[] = {
	{"ACTION", "action", AT(TEXT, action)},
	{"SERVICE", "service", AT(WORD, service)},
	{"TYPE", "type", AT(TEXT, type)},
	{"DONE", "done", AT(COUNT, done)},
	{"FAILED", "failed", AT(COUNT, failed), .nonzero = STYLE_BAD},
	{"LOST", "lost", AT(COUNT, lost), .nonzero = STYLE_WARN},
	{"RETRIED", "retried", AT(COUNT, retried)},
	{"WAITED", "waited", AT(COUNT, waited)},
	{"P50", "p50_s", AT(DURATION, p50_ms)},
	{"P90", "p90_s", AT(DURATION, p90_ms)},
	{"P99", "p99_s", AT(DURATION, p99_ms)},
	{"MAX", "max_s", AT(DURATION, max_ms)},
	{0}};

static const struct list attempts = {.kind = "attempts", .columns = columns, .row_size = sizeof(struct stats_row)};

/* Prints a row for each kind of task that there were attempts at. */
static void
stats_verb_print_groups(const struct history *history, struct output *output)
{
	struct stats_row *rows = memory_zeroed(history->keys.count, sizeof *rows);
	size_t count = 0;

	for (size_t next = 0; next < history->keys.count;) {
		struct history_group group;

		history_merge(history, &next, &group);
		rows[count++] = (struct stats_row){.action = action_name(group.action), .service = group.service,
		    .type = group.type, .done = group.done, .failed = group.failed, .lost = group.lost, .retried = group.retried,
		    .waited = group.waited,
		    .p50_ms = history_quantile_ms(&group, 0.5), .p90_ms = history_quantile_ms(&group, 0.9),
		    .p99_ms = history_quantile_ms(&group, 0.99), .max_ms = history_quantile_ms(&group, 1)};
		history_group_release(&group);
	}
	list_print(&attempts, rows, count, output);
	free(rows);
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
stats_verb_print_records(struct stats *stats, struct output *output)
{
	struct buffer out = {0};

	if (expect)
		history_print_expectations(&stats->history, &out);
	else
		stats_verb_print_summary(stats, &out);
	if (output_is_records(output))
		output_lines(output, &out);
	else
		fputs(buffer_string(&out), stdout);
	buffer_release(&out);
	if (!expect)
		stats_verb_print_groups(&stats->history, output);
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

static int
stats_verb_add_jobs(struct queue *queue, struct stats *stats)
{
	struct queue_job *list;
	size_t count;
	struct error err;
	int code = 0;

	/* First: jobs that are in the history already are not to be counted twice. */
	if (stats_add_queue(stats, queue, &err) < 0)
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
	struct output output;
	struct queue *queue;
	int code;

	argv += option_parse(&command, argc, argv);
	output = output_open(format, colour);
	queue = verb_open(spool, QUEUE_READ);

	code = argv[0] ? stats_verb_add_named(queue, argv, &stats) : stats_verb_add_jobs(queue, &stats);
	history_sort(&stats.history);

	if (output_is_records(&output) || expect) {
		stats_verb_print_records(&stats, &output);
	} else {
		stats_verb_show_summary(&stats);
		if (stats.history.keys.count) {
			putchar('\n');
			stats_verb_print_groups(&stats.history, &output);
		}
	}
	stats_release(&stats);
	queue_close(queue);
	return message_end(code);
}
