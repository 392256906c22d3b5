/* SPDX-License-Identifier: Apache-2.0 */
#include "admin/doctor-report.h"

#include <stdarg.h>
#include <stdlib.h>

void
doctor_say(struct doctor_report *report, const char *check, enum doctor_status status, const char *remedy,
    const char *format, ...)
{
	char *text;
	va_list ap;

	va_start(ap, format);
	text = memory_vprintf(format, ap);
	va_end(ap);
	ARRAY_ROOM(report->list, report->count, report->capacity);
	report->list[report->count++] = (struct doctor_finding){check, status, arena_string(&report->arena, text), remedy};
	free(text);
}

enum doctor_status
doctor_worst(const struct doctor_report *report)
{
	enum doctor_status worst = DOCTOR_OK;

	for (size_t i = 0; i < report->count; i++)
		if (report->list[i].status > worst)
			worst = report->list[i].status;
	return worst;
}

enum { REMEDY = DOCTOR_ERROR + 1 }; /* the status of a row of the table that says what to do about the row above */

/* Records keep the words of earlier versions. */
static void
doctor_fill_status(const void *row, struct list_cell *cell)
{
	static const char *const words[] = {"ok", "warning", "error", ""}, *const old_words[] = {"ok", "doubt", "fault", ""};
	static const enum terminal_style styles[] = {STYLE_GOOD, STYLE_WARN, STYLE_BAD, STYLE_PLAIN};
	const struct doctor_finding *finding = row;

	list_cell_text(cell, old_words[finding->status]);
	list_cell_show(cell, styles[finding->status], "%s", words[finding->status]);
}

static void
doctor_fill_text(const void *row, struct list_cell *cell)
{
	const struct doctor_finding *finding = row;

	if ((int)finding->status == REMEDY)
		list_cell_show(cell, STYLE_BOLD, "-> %s", finding->text);
}

#define AT(type, member) LIST_AT(type, struct doctor_finding, member)

static const struct list_column columns[] = {
	{"STATUS", "status", .fill = doctor_fill_status},
	{"CHECK", "name", AT(TEXT, check)},
	{"FOUND, AND WHAT TO DO", "text", AT(TEXT, text), .fill = doctor_fill_text},
	{NULL, "remedy", AT(TEXT, remedy)},
	{0}};

static const struct list findings = {.kind = "check", .columns = columns, .row_size = sizeof(struct doctor_finding)};

void
doctor_print(const struct doctor_report *report, struct output *output)
{
	struct doctor_finding *rows = memory_zeroed(2 * report->count, sizeof *rows);
	size_t count = 0;

	for (size_t i = 0; i < report->count; i++) {
		rows[count++] = report->list[i];
		if (report->list[i].remedy && !output_is_records(output))
			rows[count++] = (struct doctor_finding){"", (enum doctor_status)REMEDY, report->list[i].remedy, NULL};
	}
	list_print(&findings, rows, count, output);
	free(rows);
}

void
doctor_report_release(struct doctor_report *report)
{
	free(report->list);
	arena_release(&report->arena);
	*report = (struct doctor_report){0};
}
