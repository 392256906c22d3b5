/* SPDX-License-Identifier: Apache-2.0
 *
 * The report as one page that needs nothing else: no network, and no script to be read. It is made from the template
 * share/coopr/report.html; whatever came from outside is escaped, and a policy in the page lets the browser run the one
 * script that is in it (its hash: openssl dgst -sha256 -binary | base64) and load nothing.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/location.h"
#include "history/report-chart.h"
#include "history/report-failures.h"
#include "history/report-markup.h"

enum { PATH_TOLD = 200, ATTEMPTS_TOLD = 2000 };

/* --- the timeline --- */

static void
report_add_legend(const struct report *report, struct buffer *out)
{
	bool used[ACTION_COUNT] = {false};

	for (size_t i = 0; i < report->attempts.count; i++)
		used[report->attempts.list[i].action] = true;
	buffer_text(out, "<div class=\"legend\">");
	for (int action = 0; action < ACTION_COUNT; action++)
		if (used[action])
			buffer_printf(out, "<span><svg aria-hidden=\"true\"><rect class=\"a%d\" width=\"14\" height=\"12\"/></svg>%s</span>",
			    action, action_name((enum action)action));
	buffer_text(out, "<span><svg aria-hidden=\"true\"><rect class=\"f\" width=\"14\" height=\"12\"/></svg>failed or lost</span>"
	    "<span><svg aria-hidden=\"true\"><rect fill=\"none\" class=\"c\" x=\"1\" y=\"1\" width=\"12\" height=\"10\"/></svg>"
	    "on the critical path</span>"
	    "<button type=\"button\" data-zoom=\"2\" hidden>Zoom in</button><button type=\"button\" data-zoom=\"0.5\" hidden>Zoom out"
	    "</button><button type=\"button\" data-zoom=\"0\" hidden>Whole job</button></div>\n");
}

static void
report_add_timeline(const struct report *report, struct buffer *out)
{
	buffer_text(out, "<h2>Timeline</h2>\n");
	if (report->attempts.count == 0) {
		buffer_text(out, "<p>Nothing has begun.</p>\n");
		return;
	}
	report_add_legend(report, out);
	report_chart(report, out);
}

/* --- tables --- */

/* Begins a table; columns in lower case are those of numbers. */
static void
report_begin_table(const char *caption, const char *const *columns, struct buffer *out)
{
	buffer_printf(out, "<div class=\"table\"><table><caption>%s</caption><thead><tr>", caption);
	for (; *columns; columns++)
		buffer_printf(out, "<th scope=\"col\"%s>%s</th>", **columns >= 'a' ? " class=\"n\"" : "", *columns);
	buffer_text(out, "</tr></thead><tbody>\n");
}

static void
report_end_table(struct buffer *out)
{
	buffer_text(out, "</tbody></table></div>\n");
}

static void
report_add_duration_cell(int64_t ms, struct buffer *out)
{
	buffer_text(out, "<td class=\"n\">");
	report_duration(ms, out);
	buffer_text(out, "</td>");
}

static void
report_add_text_cell(const char *text, struct buffer *out)
{
	buffer_text(out, "<td>");
	report_escape(text, out);
	buffer_text(out, "</td>");
}

/* When it began, how long it took, and what it was. */
static void
report_add_attempt_cells(const struct report *report, const struct attempt *attempt, struct buffer *out)
{
	report_add_duration_cell(attempt->start_ms - report->start_ms, out);
	report_add_duration_cell(attempt_took_ms(attempt), out);
	buffer_text(out, "<td>");
	report_escape_what(report, attempt, out);
	buffer_text(out, "</td><td>");
	report_say_end(attempt, out);
	buffer_text(out, "</td>");
	report_add_text_cell(report_worker(report, attempt), out);
}

static void
report_add_path(const struct report *report, struct buffer *out)
{
	static const char *const columns[] = {"began", "took", "Task", "Ended", "By", "Why not earlier", NULL};
	uint32_t skipped = report->path_count > PATH_TOLD ? report->path_count - PATH_TOLD : 0;
	struct buffer why = {0};

	if (report->path_count == 0)
		return;
	buffer_text(out, "<h2>Critical path as it happened</h2>\n");
	report_begin_table("From the start of the job: what each attempt on the way to its end waited for.", columns, out);
	for (uint32_t i = 0; i < report->path_count; i++) {
		if (skipped && i == PATH_TOLD / 2) {
			buffer_printf(out, "<tr><td colspan=\"6\">... %u more ...</td></tr>\n", skipped);
			i += skipped;
		}
		buffer_clear(&why);
		report_say_why(&report->path[i], &why);
		buffer_text(out, "<tr>");
		report_add_attempt_cells(report, &report->attempts.list[report->path[i].attempt], out);
		report_add_text_cell(why.length ? why.data : "", out);
		buffer_text(out, "</tr>\n");
	}
	buffer_release(&why);
	report_end_table(out);
}

static void
report_add_count_cell(size_t count, struct buffer *out)
{
	buffer_printf(out, "<td class=\"n\">%zu</td>", count);
}

static void
report_html_add_group(const struct history_group *group, struct buffer *out)
{
	buffer_printf(out, "<tr><td>%s</td>", action_name(group->action));
	report_add_text_cell(group->service, out);
	report_add_text_cell(group->type, out);
	report_add_count_cell(group->done, out);
	report_add_count_cell(group->failed, out);
	report_add_count_cell(group->lost, out);
	report_add_duration_cell(history_quantile_ms(group, 0.5), out);
	report_add_duration_cell(history_quantile_ms(group, 0.9), out);
	report_add_duration_cell(history_quantile_ms(group, 1), out);
	buffer_text(out, "</tr>\n");
}

static void
report_html_add_groups(const struct report *report, struct buffer *out)
{
	static const char *const columns[] = {"Action", "Service", "Plugin", "done", "failed", "lost", "median",
	    "90th percentile", "longest", NULL};

	if (report->history.keys.count == 0)
		return;
	buffer_text(out, "<h2>What takes how long</h2>\n");
	report_begin_table("Attempts that ended, by what they were at.", columns, out);
	for (size_t next = 0; next < report->history.keys.count;) {
		struct history_group merged;

		history_merge(&report->history, &next, &merged);
		report_html_add_group(&merged, out);
		history_group_release(&merged);
	}
	report_end_table(out);
}

static void
report_add_attempts(const struct report *report, struct buffer *out)
{
	static const char *const columns[] = {"began", "took", "Task", "Ended", "By", NULL};

	buffer_text(out, "<h2>All attempts</h2>\n");
	if (report->attempts.count > ATTEMPTS_TOLD) {
		buffer_printf(out, "<p>There are %zu: coopr-queue report -o json lists them.</p>\n", report->attempts.count);
		return;
	}
	buffer_printf(out, "<details><summary>%zu attempts</summary>\n", report->attempts.count);
	report_begin_table("In the order they began.", columns, out);
	for (size_t i = 0; i < report->attempts.count; i++) {
		buffer_text(out, "<tr>");
		report_add_attempt_cells(report, &report->attempts.list[i], out);
		buffer_text(out, "</tr>\n");
	}
	report_end_table(out);
	buffer_text(out, "</details>\n");
}

/* --- the template --- */

struct field { /* of the template: what stands for {{name}} */
	const char *name;
	char *value; /* markup; owned */
};

enum { FIELDS_MAX = 32, TEMPLATE_BYTES = 1024 * 1024 };

struct fields {
	const struct report *report;
	struct field list[FIELDS_MAX];
	size_t count;
};

static void
report_set(struct fields *fields, const char *name, struct buffer *value)
{
	fields->list[fields->count++] = (struct field){name, buffer_take(value)};
}

static void
report_set_text(struct fields *fields, const char *name, const char *text)
{
	struct buffer value = {0};

	report_escape(text, &value);
	report_set(fields, name, &value);
}

static void
report_set_number(struct fields *fields, const char *name, double number)
{
	struct buffer value = {0};

	buffer_printf(&value, "%.0f", number);
	report_set(fields, name, &value);
}

static void
report_set_duration(struct fields *fields, const char *name, int64_t ms)
{
	struct buffer value = {0};

	report_duration(ms, &value);
	report_set(fields, name, &value);
}

static void
report_set_markup(struct fields *fields, const char *name, void (*add)(const struct report *, struct buffer *))
{
	struct buffer value = {0};

	add(fields->report, &value);
	report_set(fields, name, &value);
}

static void
report_set_job(struct fields *fields)
{
	const struct report *report = fields->report;
	const char *status = report_status(report);
	bool known = strcmp(status, "complete") == 0 || strcmp(status, "failed") == 0 || strcmp(status, "cancelled") == 0;
	char at[CLOCK_RFC3339_SIZE];

	report_set_text(fields, "job", report->attempts.job);
	report_set_text(fields, "badge", known ? status : "other");
	report_set_text(fields, "status", status);
	report_set_text(fields, "action", report->attempts.plan.job.action);
	report_set_text(fields, "cluster", report->attempts.plan.job.cluster);
	report_set_text(fields, "tenant", report->attempts.tenant);
	report_set_text(fields, "put_at", clock_rfc3339(report->start_ms, at));
}

static void
report_set_figures(struct fields *fields)
{
	const struct report *report = fields->report;
	int64_t path_wait_ms = 0;

	for (int why = 0; why < REPORT_WHY_COUNT; why++)
		path_wait_ms += report->path_wait_ms[why];
	report_set_text(fields, "duration_name", report->attempts.outcome ? "Duration" : "So far");
	report_set_duration(fields, "duration", report->duration_ms);
	report_set_duration(fields, "planned", (int64_t)(report->attempts.plan.job.critical_path_s * 1000));
	report_set_duration(fields, "work", report->work_ms);
	report_set_number(fields, "attempt_count", (double)report->attempts.count);
	report_set_number(fields, "task_count", report->tasks);
	report_set_number(fields, "peak", report->peak);
	report_set_number(fields, "utilisation", report_utilisation(report) * 100);
	report_set_duration(fields, "waiting", report->node_wait_ms + report->slot_wait_ms);
	report_set_duration(fields, "node_wait", report->node_wait_ms);
	report_set_duration(fields, "slot_wait", report->slot_wait_ms);
	report_set_duration(fields, "path_work", report->path_work_ms);
	report_set_number(fields, "path_count", report->path_count);
	report_set_duration(fields, "path_wait", path_wait_ms);
	report_set_number(fields, "failed", report->failed);
	report_set_number(fields, "retried", report->retried);
	report_set_number(fields, "undone", report->undone);
	report_set_number(fields, "lost", report->lost);
}

static const char *
report_find_field(const struct fields *fields, const char *name, size_t length)
{
	for (size_t i = 0; i < fields->count; i++)
		if (strncmp(fields->list[i].name, name, length) == 0 && !fields->list[i].name[length])
			return fields->list[i].value;
	return NULL;
}

/* Appends the template, each {{name}} replaced by its value. */
static int
report_fill(const char *path, const char *template, const struct fields *fields, struct buffer *out, struct error *err)
{
	const char *open, *close, *value;

	while ((open = strstr(template, "{{")) && (close = strstr(open, "}}"))) {
		value = report_find_field(fields, open + 2, (size_t)(close - open - 2));
		if (!value)
			return error_set(err, EX_CONFIG, "%s: {{%.*s}}: there is no such field", path, (int)(close - open - 2), open + 2);
		buffer_append(out, template, (size_t)(open - template));
		buffer_text(out, value);
		template = close + 2;
	}
	buffer_text(out, template);
	return 0;
}

int
report_html(const struct report *report, struct queue *queue, struct buffer *out, struct error *err)
{
	char *path = location_installed("share/coopr/report.html");
	struct buffer template = {0}, failures = {0};
	struct fields fields = {.report = report};
	int result = file_read(AT_FDCWD, path, TEMPLATE_BYTES, &template, err);

	report_set_job(&fields);
	report_set_figures(&fields);
	report_set_markup(&fields, "timeline", report_add_timeline);
	report_failures(report, queue, &failures);
	report_set(&fields, "failures", &failures);
	report_set_markup(&fields, "path", report_add_path);
	report_set_markup(&fields, "groups", report_html_add_groups);
	report_set_markup(&fields, "attempts", report_add_attempts);
	if (result == 0)
		result = report_fill(path, template.data, &fields, out, err);
	while (fields.count > 0)
		free(fields.list[--fields.count].value);
	buffer_release(&template);
	free(path);
	return result;
}
