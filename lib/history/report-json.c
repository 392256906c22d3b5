/* SPDX-License-Identifier: Apache-2.0
 *
 * The report as records: one of the whole, then one of each attempt.
 */
#include "base/buffer.h"
#include "base/clock.h"
#include "history/report.h"
#include "model/print.h"

static double
report_seconds(int64_t ms)
{
	return (double)ms / 1000;
}

static void
report_print_time(struct print *print, const char *name, int64_t ms)
{
	char text[CLOCK_RFC3339_SIZE];

	print_string(print, name, clock_rfc3339(ms, text));
}

static void
report_print_path(const struct report *report, struct buffer *out)
{
	for (uint32_t i = 0; i < report->path_count; i++) {
		const struct report_link *link = &report->path[i];
		const struct attempt *attempt = &report->attempts.list[link->attempt];
		struct print print;

		buffer_byte(out, i ? ',' : '[');
		print_begin(&print, (jv){0}, out);
		print_integer(&print, "attempt", attempt->number);
		print_number(&print, "held_s", report_seconds(link->held_ms));
		print_string(&print, "task", report_step(report, attempt)->id);
		print_string(&print, "waited_for", link->why == REPORT_FIRST ? NULL : report_why_name(link->why));
		print_number(&print, "waited_s", report_seconds(link->waited_ms));
		print_close(&print);
	}
	buffer_text(out, report->path_count ? "]" : "[]");
}

static void
report_print_counts(const struct report *report, struct buffer *out)
{
	struct print print;

	print_begin(&print, (jv){0}, out);
	print_integer(&print, "done", report->done);
	print_integer(&print, "failed", report->failed);
	print_integer(&print, "lost", report->lost);
	print_integer(&print, "retried", report->retried);
	print_integer(&print, "running", report->running);
	print_integer(&print, "total", (int64_t)report->attempts.count);
	print_integer(&print, "undone", report->undone);
	print_integer(&print, "waited", report->waited);
	print_close(&print);
}

static void
report_print_skips(const struct report *report, struct buffer *out)
{
	const struct attempts *attempts = &report->attempts;

	buffer_byte(out, '[');
	for (size_t i = 0; i < attempts->skip_count; i++) {
		if (i)
			buffer_byte(out, ',');
		json_quote(attempts->plan.steps[attempts->skips[i].step].id, out);
	}
	buffer_byte(out, ']');
}

static void
report_print_path_waits(const struct report *report, struct buffer *out)
{
	struct print print;

	print_begin(&print, (jv){0}, out);
	print_number(&print, "begin_s", report_seconds(report->path_wait_ms[REPORT_FIRST]));
	print_number(&print, "dependency_s", report_seconds(report->path_wait_ms[REPORT_AFTER]));
	print_number(&print, "node_s", report_seconds(report->path_wait_ms[REPORT_NODE]));
	print_number(&print, "retry_s", report_seconds(report->path_wait_ms[REPORT_RETRY]));
	print_number(&print, "slot_s", report_seconds(report->path_wait_ms[REPORT_SLOT]));
	print_number(&print, "work_s", report_seconds(report->path_work_ms));
	print_close(&print);
}

static void
report_print_cause(const struct report *report, struct buffer *out)
{
	const struct attempt *attempt = &report->attempts.list[report->cause ? report->cause - 1 : 0];
	struct print print;

	if (!report->cause) {
		buffer_text(out, "null");
		return;
	}
	print_begin(&print, (jv){0}, out);
	print_integer(&print, "attempt", attempt->number);
	print_string(&print, "task", report_step(report, attempt)->id);
	print_close(&print);
}

static void
report_print_whole(const struct report *report, struct buffer *out)
{
	const struct job *job = &report->attempts.plan.job;
	struct print print;

	print_begin(&print, (jv){0}, out);
	print_string(&print, "action", job->action);
	print_name(&print, "attempts");
	report_print_counts(report, out);
	print_string(&print, "cluster", job->cluster);
	print_string(&print, "cluster_name", report_cluster(report));
	print_name(&print, "critical_path");
	report_print_path(report, out);
	print_name(&print, "critical_path_parts");
	report_print_path_waits(report, out);
	if (job->runs > 0) {
		print_number(&print, "expected_p90_s", job->expected_p90_s);
		print_number(&print, "expected_s", job->expected_s);
	}
	print_name(&print, "first_cause");
	report_print_cause(report, out);
	print_string(&print, "job", report->attempts.job);
	print_string(&print, "kind", "report");
	print_number(&print, "makespan_s", report_seconds(report->duration_ms));
	print_number(&print, "node_wait_s", report_seconds(report->node_wait_ms));
	print_integer(&print, "peak", report->peak);
	print_number(&print, "planned_critical_path_s", job->critical_path_s);
	report_print_time(&print, "put_at", report->start_ms);
	print_name(&print, "skipped");
	report_print_skips(report, out);
	print_number(&print, "slot_wait_s", report_seconds(report->slot_wait_ms));
	print_string(&print, "status", report_status(report));
	print_integer(&print, "tasks", report->tasks);
	print_string(&print, "tenant", report->attempts.tenant);
	print_number(&print, "utilisation", report_utilisation(report));
	print_number(&print, "work_s", report_seconds(report->work_ms));
	print_end(&print);
}

static void
report_print_attempt(const struct report *report, uint32_t number, struct queue *queue, struct buffer *out)
{
	static const char *const ends[] = {"running", "done", "failed", "lost"};
	static const char *const nexts[EVENT_NEXT_COUNT] = {NULL, "retry", "undo", "failed"};
	const struct attempt *attempt = &report->attempts.list[number];
	const struct step *step = report_step(report, attempt);
	bool bad = attempt->end == ATTEMPT_FAILED || attempt->end == ATTEMPT_LOST;
	struct arena arena = {0};
	struct print print;

	print_begin(&print, (jv){0}, out);
	print_string(&print, "action", action_name(attempt->action));
	print_integer(&print, "attempt", attempt->number);
	report_print_time(&print, "began_at", attempt->start_ms);
	print_string(&print, "by", attempt->worker == NAMES_NONE ? NULL : report_worker(report, attempt));
	if (attempt->end == ATTEMPT_FAILED)
		print_integer(&print, "code", attempt->status);
	print_name(&print, "critical");
	buffer_text(out, report->critical[number] ? "true" : "false");
	print_string(&print, "hostname", report_node(report, attempt));
	print_string(&print, "job", report->attempts.job);
	print_string(&print, "kind", "attempt");
	if (attempt->message)
		print_string(&print, "message", attempt->message);
	if (bad)
		print_string(&print, "next", nexts[attempt->next]);
	print_string(&print, "node", step->node);
	if (bad)
		print_string(&print, "output", report_output(queue, report, attempt, &arena));
	print_string(&print, "service", step->service);
	print_string(&print, "status", ends[attempt->end]);
	print_string(&print, "task", step->id);
	print_number(&print, "took_s", report_seconds(attempt_took_ms(attempt)));
	print_name(&print, "undoing");
	buffer_text(out, attempt->undoing ? "true" : "false");
	print_end(&print);
	arena_release(&arena);
}

void
report_json(const struct report *report, struct queue *queue, struct buffer *out)
{
	report_print_whole(report, out);
	for (size_t i = 0; i < report->attempts.count; i++)
		report_print_attempt(report, (uint32_t)i, queue, out);
}
