/* SPDX-License-Identifier: Apache-2.0 */
#include "history/report-failures.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "history/report-markup.h"

enum { SHOWN = 12, TOLD = 100 };

static void
report_add_output(const char *text, struct buffer *out)
{
	buffer_text(out, "<pre tabindex=\"0\" aria-label=\"the end of what it printed\">");
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
	const char *output = report_output(queue, report, attempt, &arena), *worker = report_worker(report, attempt);

	buffer_text(out, "<div class=\"trouble\"><b>");
	report_escape_what(report, attempt, out);
	buffer_text(out, "</b>: ");
	report_say_end(attempt, out);
	buffer_text(out, ", after ");
	report_duration(attempt_took_ms(attempt), out);
	buffer_text(out, ", begun at ");
	report_duration(attempt->start_ms - report->start_ms, out);
	if (*worker) {
		buffer_text(out, " by ");
		report_escape(worker, out);
	}
	if (attempt->message) {
		buffer_text(out, "<br>");
		report_escape(attempt->message, out);
	}
	if (output && *output)
		report_add_output(output, out);
	buffer_text(out, "</div>\n");
	arena_release(&arena);
}

static void
report_add_failures(const struct report *report, struct queue *queue, struct buffer *out)
{
	if (report->trouble_count == 0)
		return;
	buffer_text(out, "<h2>Failures</h2>\n");
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

static void
report_add_skips(const struct report *report, struct buffer *out)
{
	const struct attempts *attempts = &report->attempts;

	if (attempts->skip_count > 0)
		buffer_text(out, "<h2>Skipped</h2>\n");
	for (size_t i = 0; i < attempts->skip_count && i < TOLD; i++) {
		const struct attempts_skip *skip = &attempts->skips[i];

		buffer_text(out, "<div class=\"trouble\"><b>");
		report_escape(attempts->plan.steps[skip->step].id, out);
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
