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
#include "history/report-tables.h"

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
	struct buffer action = {0};

	report_say_action(report, &action);
	report_set_text(fields, "action", buffer_string(&action));
	report_set_text(fields, "job", report->attempts.job);
	report_set_text(fields, "badge", known ? status : "other");
	report_set_text(fields, "status", status);
	report_set_text(fields, "cluster", report_cluster(report));
	report_set_text(fields, "tenant", report->attempts.tenant);
	clock_rfc3339(report->start_ms, at);
	at[10] = ' '; /* "2026-11-21 10:00:00 UTC" */
	snprintf(at + 19, sizeof at - 19, " UTC");
	report_set_text(fields, "put_at", at);
	buffer_release(&action);
}

static void
report_set_figures(struct fields *fields)
{
	const struct report *report = fields->report;
	struct buffer expected = {0};
	int64_t path_wait_ms = 0;

	for (int why = 0; why < REPORT_WHY_COUNT; why++)
		path_wait_ms += report->path_wait_ms[why];
	report_set_text(fields, "duration_name", report->attempts.outcome ? "Duration" : "So far");
	report_set_duration(fields, "duration", report->duration_ms);
	report_say_expected(report, &expected);
	report_set(fields, "expected", &expected);
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
	struct buffer template = {0}, failures = {0}, cause = {0}, log = {0};
	struct fields fields = {.report = report};
	int result = file_read(AT_FDCWD, path, TEMPLATE_BYTES, &template, err);

	report_set_job(&fields);
	report_set_figures(&fields);
	report_set_markup(&fields, "timeline", report_add_timeline);
	report_cause(report, queue, &cause, &log);
	report_set(&fields, "cause", &cause);
	report_set(&fields, "log", &log);
	report_failures(report, queue, &failures);
	report_set(&fields, "failures", &failures);
	report_set_markup(&fields, "path", report_add_path);
	report_set_markup(&fields, "groups", report_add_groups);
	report_set_markup(&fields, "attempts", report_add_attempts);
	if (result == 0)
		result = report_fill(path, template.data, &fields, out, err);
	while (fields.count > 0)
		free(fields.list[--fields.count].value);
	buffer_release(&template);
	free(path);
	return result;
}
