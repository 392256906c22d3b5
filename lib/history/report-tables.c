/* SPDX-License-Identifier: Apache-2.0 */
#include "history/report-tables.h"

#include <inttypes.h>

#include "base/buffer.h"
#include "base/plural.h"
#include "history/report-markup.h"

enum { PATH_TOLD = 200, ATTEMPTS_TOLD = 2000 };

struct column {
	const char *heading;
	bool number;
};

struct markup_table {
	const struct column *columns;
	size_t count, at; /* at: the column of the next cell */
	struct buffer *out;
};

#define COLUMNS(list) (list), sizeof(list) / sizeof *(list)

static struct markup_table
report_begin_table(const char *caption, const struct column *columns, size_t count, struct buffer *out)
{
	buffer_printf(out, "<div class=\"table\"><table><caption>%s</caption><thead><tr>", caption);
	for (size_t i = 0; i < count; i++)
		buffer_printf(out, "<th scope=\"col\"%s>%s</th>", columns[i].number ? " class=\"n\"" : "", columns[i].heading);
	buffer_text(out, "</tr></thead><tbody>\n");
	return (struct markup_table){columns, count, 0, out};
}

static void
report_end_table(const struct markup_table *table)
{
	buffer_text(table->out, "</tbody></table></div>\n");
}

/* Begins the next cell, and the row before the first one. */
static void
report_begin_cell(struct markup_table *table)
{
	const struct column *column = &table->columns[table->at];

	buffer_printf(table->out, "%s<td%s data-h=\"%s\">", table->at == 0 ? "<tr>" : "", column->number ? " class=\"n\"" : "",
	    column->heading);
}

/* Ends the cell, and the row behind the last one. */
static void
report_end_cell(struct markup_table *table)
{
	table->at = (table->at + 1) % table->count;
	buffer_text(table->out, table->at == 0 ? "</td></tr>\n" : "</td>");
}

static void
report_add_duration_cell(struct markup_table *table, int64_t ms)
{
	report_begin_cell(table);
	report_duration(ms, table->out);
	report_end_cell(table);
}

static void
report_add_text_cell(struct markup_table *table, const char *text)
{
	report_begin_cell(table);
	report_escape(text, table->out);
	report_end_cell(table);
}

static void
report_add_count_cell(struct markup_table *table, size_t count)
{
	report_begin_cell(table);
	buffer_printf(table->out, "%zu", count);
	report_end_cell(table);
}

/* Adds what it was, when it started, how long it took, how it ended, and who did it. */
static void
report_add_attempt_cells(struct markup_table *table, const struct report *report, const struct attempt *attempt)
{
	report_begin_cell(table);
	report_escape_what(report, attempt, table->out);
	report_end_cell(table);
	report_add_duration_cell(table, attempt->start_ms - report->start_ms);
	report_add_duration_cell(table, attempt_took_ms(attempt));
	report_begin_cell(table);
	report_say_end(attempt, table->out);
	report_end_cell(table);
	report_add_text_cell(table, report_worker(report, attempt));
}

void
report_add_path(const struct report *report, struct buffer *out)
{
	static const struct column columns[] = {{"Task", false}, {"Started", true}, {"Took", true}, {"Result", false},
	    {"Worker", false}, {"Waited for", false}};
	uint32_t skipped = report->path_count > PATH_TOLD ? report->path_count - PATH_TOLD : 0;
	struct markup_table table;
	struct buffer why = {0};

	if (report->path_count == 0)
		return;
	buffer_text(out, "<h2>Critical path</h2>\n");
	table = report_begin_table("The tasks that made it take so long: each started when what it waited for was over.", COLUMNS(columns),
	    out);
	for (uint32_t i = 0; i < report->path_count; i++) {
		if (skipped && i == PATH_TOLD / 2) {
			buffer_printf(out, "<tr><td colspan=\"6\">%" PRIu32 " more</td></tr>\n", skipped);
			i += skipped;
		}
		buffer_clear(&why);
		report_say_why(&report->path[i], &why);
		report_add_attempt_cells(&table, report, &report->attempts.list[report->path[i].attempt]);
		report_add_text_cell(&table, why.length ? why.data : "");
	}
	buffer_release(&why);
	report_end_table(&table);
}

static void
report_add_group(struct markup_table *table, const struct history_group *group)
{
	report_add_text_cell(table, action_name(group->action));
	report_add_text_cell(table, group->service);
	report_add_text_cell(table, group->type);
	report_add_count_cell(table, group->done);
	report_add_count_cell(table, group->failed);
	report_add_count_cell(table, group->lost);
	report_add_duration_cell(table, history_quantile_ms(group, 0.5));
	report_add_duration_cell(table, history_quantile_ms(group, 0.9));
	report_add_duration_cell(table, history_quantile_ms(group, 1));
}

void
report_add_groups(const struct report *report, struct buffer *out)
{
	static const struct column columns[] = {{"Action", false}, {"Service", false}, {"Plugin", false}, {"Done", true},
	    {"Failed", true}, {"Lost", true}, {"Median", true}, {"90th percentile", true}, {"Longest", true}};
	struct markup_table table;

	if (report->history.keys.count == 0)
		return;
	buffer_text(out, "<h2>Durations by kind of task</h2>\n");
	table = report_begin_table("One of two tasks took longer than the median, one of ten longer than the 90th percentile.", COLUMNS(columns),
	    out);
	for (size_t next = 0; next < report->history.keys.count;) {
		struct history_group merged;

		history_merge(&report->history, &next, &merged);
		report_add_group(&table, &merged);
		history_group_release(&merged);
	}
	report_end_table(&table);
}

void
report_add_attempts(const struct report *report, struct buffer *out)
{
	static const struct column columns[] = {{"Task", false}, {"Started", true}, {"Took", true}, {"Result", false},
	    {"Worker", false}};
	struct markup_table table;

	buffer_text(out, "<h2>All attempts</h2>\n");
	if (report->attempts.count > ATTEMPTS_TOLD) {
		buffer_printf(out, "<p>There are %zu; the report in the format json lists them.</p>\n", report->attempts.count);
		return;
	}
	buffer_printf(out, "<details><summary>%zu attempt%s, in the order they started</summary>\n", report->attempts.count,
	    plural(report->attempts.count, "", "s"));
	table = report_begin_table("Times are counted from the start of the operation.", COLUMNS(columns), out);
	for (size_t i = 0; i < report->attempts.count; i++)
		report_add_attempt_cells(&table, report, &report->attempts.list[i]);
	report_end_table(&table);
	buffer_text(out, "</details>\n");
}
