/* SPDX-License-Identifier: Apache-2.0 */
#include "history/report-failures.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "history/report-markup.h"

enum { SHOWN = 12, TOLD = 100 };

static void
report_add_output(const char *text, const char *label, struct buffer *out)
{
	buffer_printf(out, "<pre tabindex=\"0\" aria-label=\"%s\">", label);
	for (const char *end; *text; text = *end ? end + 1 : end) {
		char *line;

		end = text + strcspn(text, "\n");
		line = memory_substring(text, (size_t)(end - text));
		report_escape(line, out);
		buffer_byte(out, '\n');
		free(line);
	}
	buffer_text(out, "</pre>");
}

static void
report_add_failure(const struct report *report, const struct attempt *attempt, struct queue *queue,
    struct buffer *out)
{
	struct arena arena = {0};
	const char *output = report_output(queue, report, attempt, &arena);

	buffer_text(out, "<div class=\"trouble\"><b>");
	report_escape_what(report, attempt, out);
	buffer_text(out, "</b>: ");
	report_say_end(attempt, out);
	buffer_text(out, ", after ");
	report_duration(attempt_took_ms(attempt), out);
	buffer_text(out, "; it started after ");
	report_duration(attempt->start_ms - report->start_ms, out);
	if (attempt->message) {
		buffer_text(out, "<br>");
		report_escape(attempt->message, out);
	}
	if (output && *output)
		report_add_output(output, "the end of what it printed", out);
	buffer_text(out, "</div>\n");
	arena_release(&arena);
}

static void
report_add_failures(const struct report *report, struct queue *queue, struct buffer *out)
{
	if (report->trouble_count == 0 || (report->trouble_count == 1 && report->cause))
		return; /* the first cause is all there is */
	buffer_text(out, "<h2>All failures</h2>\n");
	for (uint32_t i = 0; i < report->trouble_count && i < TOLD; i++) {
		if (i == SHOWN)
			buffer_printf(out, "<details><summary>%u more</summary>\n", report->trouble_count - SHOWN);
		report_add_failure(report, &report->attempts.list[report->trouble[i]], queue, out);
	}
	if (report->trouble_count > TOLD)
		buffer_printf(out, "<p>... and %u more.</p>\n", report->trouble_count - TOLD);
	if (report->trouble_count > SHOWN)
		buffer_text(out, "</details>\n");
}

/* Appends the whole log of an attempt. Returns whether there is one. */
static bool
report_add_log(const struct report *report, const struct attempt *attempt, struct queue *queue, struct buffer *out)
{
	struct buffer text = {0};
	bool cut = report_whole_log(queue, report, attempt, &text), any = text.length > 0;

	if (any) {
		buffer_text(out, "<section class=\"log\" id=\"log\"><h2>Log of ");
		report_escape_what(report, attempt, out);
		buffer_text(out, cut ? "</h2>\n<p>This is the end of a long log; coopr log prints all of it.</p>\n" : "</h2>\n");
		report_add_output(text.data, "all that it printed", out);
		buffer_text(out, "</section>\n");
	}
	buffer_release(&text);
	return any;
}

void
report_cause(const struct report *report, struct queue *queue, struct buffer *out, struct buffer *log)
{
	const struct attempt *attempt = &report->attempts.list[report->cause ? report->cause - 1 : 0];

	if (!report->cause)
		return;
	buffer_text(out, "<h2>First cause of the failure</h2>\n");
	report_add_failure(report, attempt, queue, out);
	if (report_add_log(report, attempt, queue, log))
		buffer_text(out, "<p class=\"screen\"><a href=\"#log\">The whole log</a></p>\n");
	else
		buffer_text(out, "<p>The queue has no log of it.</p>\n");
}

static void
report_add_skips(const struct report *report, struct buffer *out)
{
	const struct attempts *attempts = &report->attempts;

	if (attempts->skip_count > 0)
		buffer_text(out, "<h2>Skipped</h2>\n");
	for (size_t i = 0; i < attempts->skip_count && i < TOLD; i++) {
		const struct attempts_skip *skip = &attempts->skips[i];

		buffer_text(out, "<div class=\"trouble\"><b>");
		if (attempts->plan.steps[skip->step].is_milestone)
			report_escape(attempts->plan.steps[skip->step].id, out);
		else
			report_escape_what(report, &(struct attempt){.step = skip->step, .action = attempts->plan.steps[skip->step].action}, out);
		buffer_text(out, "</b> counts as done since ");
		report_duration(skip->at_ms - report->start_ms, out);
		buffer_text(out, ", by ");
		report_escape(skip->by ? skip->by : "?", out);
		buffer_text(out, "<br>");
		report_escape(skip->reason ? skip->reason : "", out);
		buffer_text(out, "</div>\n");
	}
	if (attempts->skip_count > TOLD)
		buffer_printf(out, "<p>... and %zu more.</p>\n", attempts->skip_count - TOLD);
}

void
report_failures(const struct report *report, struct queue *queue, struct buffer *out)
{
	report_add_failures(report, queue, out);
	report_add_skips(report, out);
}
