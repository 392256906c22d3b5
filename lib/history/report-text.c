/* SPDX-License-Identifier: Apache-2.0
 *
 * The report for a terminal. Text that came from nodes and people is made fit to print.
 */
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/plural.h"
#include "base/printable.h"
#include "history/report.h"

#define REMARK "              "

enum { PATH_TOLD = 60, TROUBLE_TOLD = 50 };

/* A line of its own below what it is about. */
static void
report_say_remark(const char *text, struct buffer *out)
{
	buffer_text(out, REMARK);
	printable_line(text, out);
	buffer_byte(out, '\n');
}

static void
report_say_summary(const struct report *report, struct buffer *out)
{
	char a[CLOCK_RFC3339_SIZE], b[CLOCK_RFC3339_SIZE];

	buffer_printf(out, "cluster        %s, of tenant %s\n", report_cluster(report), report->attempts.tenant);
	buffer_text(out, "operation      ");
	report_say_action(report, out);
	buffer_printf(out, ", job %s: %s\n", report->attempts.job, report_status(report));
	buffer_printf(out, "started        %s\n", clock_rfc3339(report->start_ms, a));
	buffer_printf(out, "%s  %s; expected: ", report->attempts.outcome ? "duration     " : "so far       ",
	    clock_duration(report->duration_ms, a));
	report_say_expected(report, out);
	buffer_printf(out, "\nwork           %s in all tasks; %u in parallel at most, used for %.0f%% of the time\n",
	    clock_duration(report->work_ms, a), report->peak, report_utilisation(report) * 100);
	buffer_printf(out, "waiting        %s for machines, %s for free workers, in all tasks\n",
	    clock_duration(report->node_wait_ms, a), clock_duration(report->slot_wait_ms, b));
	buffer_printf(out, "attempts       %zu at %u %s: %u done, %u failed, %u lost, %u running; %u retried, %u of these after an undo",
	    report->attempts.count, report->tasks, plural(report->tasks, "task", "tasks"), report->done, report->failed, report->lost, report->running, report->retried,
	    report->undone);
	if (report->waited)
		buffer_printf(out, "; %u %s a check said \"not yet\"", report->waited, plural(report->waited, "time", "times"));
	buffer_byte(out, '\n');
}

static void
report_say_link(const struct report *report, const struct report_link *link, struct buffer *out)
{
	const struct attempt *attempt = &report->attempts.list[link->attempt];
	char begin[CLOCK_RFC3339_SIZE], took[CLOCK_RFC3339_SIZE];
	struct buffer why = {0};

	buffer_printf(out, "  %10s  %8s  ", clock_duration(attempt->start_ms - report->start_ms, begin),
	    clock_duration(attempt_took_ms(attempt), took));
	report_say_what(report, attempt, out);
	report_say_why(link, &why);
	if (why.length > 0)
		buffer_printf(out, " (waited for %s)", why.data);
	buffer_byte(out, '\n');
	buffer_release(&why);
}

static void
report_say_path(const struct report *report, struct buffer *out)
{
	static const char *const what[REPORT_WHY_COUNT] = {"for the first worker", "after tasks", "for machines", "for free workers",
	    "before retries"};
	uint32_t skipped = report->path_count > PATH_TOLD ? report->path_count - PATH_TOLD : 0;
	char text[CLOCK_RFC3339_SIZE];

	if (report->path_count == 0)
		return;
	buffer_printf(out, "\nCritical path: %u task%s, one after the other, with %s of work", report->path_count,
	    plural(report->path_count, "", "s"),
	    clock_duration(report->path_work_ms, text));
	for (int why = 0; why < REPORT_WHY_COUNT; why++)
		if (report->path_wait_ms[why] > 0)
			buffer_printf(out, ", waited %s %s", clock_duration(report->path_wait_ms[why], text), what[why]);
	buffer_text(out, "\n     started      took\n");
	for (uint32_t i = 0; i < report->path_count; i++) {
		if (skipped && i == PATH_TOLD / 2) {
			buffer_printf(out, "  ... %u more ...\n", skipped);
			i += skipped;
		}
		report_say_link(report, &report->path[i], out);
	}
}

/* Says what an attempt did and how it ended, with its output. Returns whether there is any. */
static bool
report_say_attempt(const struct report *report, struct queue *queue, const struct attempt *attempt, struct buffer *out)
{
	struct arena arena = {0};
	const char *output = report_output(queue, report, attempt, &arena);

	report_say_what(report, attempt, out);
	buffer_text(out, ": ");
	report_say_end(attempt, out);
	buffer_byte(out, '\n');
	if (attempt->message)
		report_say_remark(attempt->message, out);
	if (output)
		printable_lines(REMARK "| ", output, out);
	arena_release(&arena);
	return output != NULL;
}

/* Says what failed first, and where its whole log is. */
static void
report_say_cause(const struct report *report, struct queue *queue, struct buffer *out)
{
	const struct attempt *attempt = &report->attempts.list[report->cause - 1];
	const char *service = report_step(report, attempt)->service;

	buffer_text(out, "\nFirst cause of the failure\n  ");
	if (report_say_attempt(report, queue, attempt, out))
		buffer_printf(out, REMARK "the whole log: coopr log -a %s %s/%s%s%s\n", action_name(attempt->action), report_cluster(report),
		    report_node(report, attempt), service ? "/" : "", service ? service : "");
}

static void
report_say_trouble(const struct report *report, struct queue *queue, struct buffer *out)
{
	char began[CLOCK_RFC3339_SIZE];

	if (report->trouble_count == 1 && report->cause)
		return; /* the first cause is all there is */
	if (report->trouble_count > 0)
		buffer_text(out, "\nAll failures\n");
	for (uint32_t i = 0; i < report->trouble_count && i < TROUBLE_TOLD; i++) {
		const struct attempt *attempt = &report->attempts.list[report->trouble[i]];

		buffer_printf(out, "  %10s  ", clock_duration(attempt->start_ms - report->start_ms, began));
		report_say_attempt(report, queue, attempt, out);
	}
	if (report->trouble_count > TROUBLE_TOLD)
		buffer_printf(out, "  ... %u more\n", report->trouble_count - TROUBLE_TOLD);
}

static void
report_say_skips(const struct report *report, struct buffer *out)
{
	const struct attempts *attempts = &report->attempts;
	char at[CLOCK_RFC3339_SIZE];

	if (attempts->skip_count > 0)
		buffer_text(out, "\nSkipped\n");
	for (size_t i = 0; i < attempts->skip_count && i < TROUBLE_TOLD; i++) {
		const struct attempts_skip *skip = &attempts->skips[i];

		const struct step *step = &attempts->plan.steps[skip->step];

		buffer_printf(out, "  %10s  ", clock_duration(skip->at_ms - report->start_ms, at));
		if (step->is_milestone)
			buffer_text(out, step->id);
		else
			report_say_what(report, &(struct attempt){.step = skip->step, .action = step->action}, out);
		buffer_text(out, " by ");
		printable_line(skip->by ? skip->by : "?", out);
		buffer_byte(out, '\n');
		if (skip->reason)
			report_say_remark(skip->reason, out);
	}
}

void
report_text(const struct report *report, struct queue *queue, struct buffer *out)
{
	report_say_summary(report, out);
	if (report->cause)
		report_say_cause(report, queue, out);
	report_say_path(report, out);
	report_say_trouble(report, queue, out);
	report_say_skips(report, out);
}
