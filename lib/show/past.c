/* SPDX-License-Identifier: Apache-2.0 */
#include "show/past.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "status/layout-diff.h"
#include "status/standing.h"

static enum terminal_style
past_style_of(enum operation_status status)
{
	return status == OPERATION_COMPLETE ? STYLE_GOOD : status < OPERATION_COMPLETE ? STYLE_WARN : STYLE_BAD;
}

static void
past_add_row(const struct operation *operation, struct table *table)
{
	char begun[CLOCK_RFC3339_SIZE], took[CLOCK_RFC3339_SIZE];
	int64_t end_ms = operation->ended_ms ? operation->ended_ms : clock_wall_ms();

	table_cell(table, STYLE_PLAIN, "%" PRId64, operation->number);
	table_cell(table, STYLE_PLAIN, "%s", clock_seconds(operation->begun_ms, begun));
	table_cell(table, STYLE_PLAIN, "%s", operation->user);
	table_cell(table, STYLE_BOLD, "%s", operation->action);
	table_cell(table, past_style_of(operation->status), "%s", operation_status_name(operation->status));
	table_cell(table, STYLE_PLAIN, "%s", operation->job ? clock_duration(end_ms - operation->begun_ms, took) : "-");
	table_cell(table, STYLE_PLAIN, "%s", operation->why ? operation->why : "-");
	table_cell(table, STYLE_PLAIN, "%s", operation->message ? operation->message : "-");
}

static void
past_print_table(const struct operation_list *list, FILE *out, bool colour)
{
	static const char *const columns[] = {"NUMBER", "WHEN", "WHO", "ACTION", "STATUS", "TOOK", "WHY", "MESSAGE", NULL};
	struct table table = {0};

	table_columns(&table, columns);
	for (size_t i = 0; i < list->count; i++)
		past_add_row(&list->list[i], &table);
	table_drop_empty(&table);
	table_print(&table, out, colour, true);
	table_release(&table);
}

static void
past_print_records(const struct operation_list *list, FILE *out)
{
	struct buffer text = {0};

	for (size_t i = 0; i < list->count; i++)
		standing_print_operation(&list->list[i], &text);
	if (text.length)
		fwrite(text.data, 1, text.length, out);
	buffer_release(&text);
}

int
past_print(struct cluster_status *status, enum status_output format, int64_t limit, FILE *out, bool colour, struct error *err)
{
	struct operation_list list = {0};
	int result = operations_list(&status->account, status->cluster->id, 0, limit, &list, err) < 0 ? -1 : 0;

	if (result == 0 && format == OUTPUT_JSON)
		past_print_records(&list, out);
	else if (result == 0)
		past_print_table(&list, out, colour);
	operation_list_release(&list);
	return result;
}

/* 1; 0 where the operation was done at once, without a layout; -1. */
static int
past_documents_of(struct cluster_status *status, int64_t number, struct operation_documents *documents, struct error *err)
{
	*documents = (struct operation_documents){0};
	if (operation_documents(&status->account, status->cluster->id, number, documents, err) < 0)
		return err->code == EX_NO ? 0 : -1;
	return documents->wanted != NULL;
}

/* The layout that was there after the operation, the caller's to free: what stood before the next one that had a job, else what is
 * there now. NULL with a reason. */
static char *
past_layout_after(struct cluster_status *status, int64_t number, struct error *err)
{
	struct operation_documents next = {0};
	struct cluster_documents now = {0};
	char *layout = NULL;

	while (!layout && ++number <= status->cluster->operation) {
		int found = past_documents_of(status, number, &next, err);

		if (found < 0)
			return NULL;
		if (found)
			layout = memory_string(next.before ? next.before : "");
		operation_documents_release(&next);
	}
	if (layout)
		return layout;
	if (clusters_documents(&status->account, status->cluster->id, &now, err) < 0)
		return NULL;
	layout = memory_string(now.layout);
	cluster_documents_release(&now);
	return layout;
}

static void
past_print_lines(const char *text, FILE *out, bool colour)
{
	static const char *const columns[] = {"", NULL};
	struct table table = {0};

	table_columns(&table, columns);
	for (const char *end; *text; text = end + 1) {
		end = strchr(text, '\n');
		table_cell(&table, *text == '+' ? STYLE_GOOD : *text == '-' ? STYLE_BAD : STYLE_WARN, "%.*s", (int)(end - text),
		    text);
	}
	table_print(&table, out, colour, false);
	table_release(&table);
}

/* 1 where there is a difference, 0, -1. */
static int
past_compare(const char *before, const char *after, FILE *out, bool colour, struct error *err)
{
	struct layout from = {0}, to = {0};
	struct buffer text = {0};
	int result = layout_parse_text(before, &from, err);

	if (result == 0)
		result = layout_parse_text(after, &to, err);
	if (result == 0)
		result = layout_diff_print(&from, &to, &text) > 0;
	if (result > 0)
		past_print_lines(text.data, out, colour);
	buffer_release(&text);
	layout_release(&from);
	layout_release(&to);
	return result;
}

int
past_difference(struct cluster_status *status, int64_t number, FILE *out, bool colour, struct error *err)
{
	struct operation_documents documents = {0};
	struct operation_list list = {0};
	char *after = NULL;
	int result = operation_find(&status->account, status->cluster->id, number, &list, err);

	if (result == 0)
		result = past_documents_of(status, number, &documents, err);
	if (result > 0) {
		after = list.list[0].status < OPERATION_COMPLETE ? memory_string(documents.wanted) : past_layout_after(status,
		    number, err);
		result = after ? past_compare(documents.before ? documents.before : "", after, out, colour, err) : -1;
	}
	free(after);
	operation_documents_release(&documents);
	operation_list_release(&list);
	return result;
}
