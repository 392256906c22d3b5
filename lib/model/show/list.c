/* SPDX-License-Identifier: Apache-2.0 */
#include "model/show/list.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/table.h"
#include "json/dump.h"

enum { COLUMNS_MAX = 64 };

void
list_cell_show(struct list_cell *cell, enum terminal_style style, const char *format, ...)
{
	va_list ap;
	char *text;

	va_start(ap, format);
	text = memory_vprintf(format, ap);
	va_end(ap);
	buffer_clear(&cell->text);
	buffer_text(&cell->text, text);
	cell->style = style;
	free(text);
}

void
list_cell_json(struct list_cell *cell, const char *json)
{
	buffer_clear(&cell->json);
	if (json)
		buffer_text(&cell->json, json);
}

void
list_cell_text(struct list_cell *cell, const char *text)
{
	buffer_clear(&cell->text);
	buffer_text(&cell->text, text ? text : "-");
	list_cell_json(cell, text ? NULL : "null");
	if (text)
		json_quote(text, &cell->json);
}

static void
list_cell_word(struct list_cell *cell, const char *word)
{
	list_cell_text(cell, word);
	if (!*word)
		list_cell_json(cell, "null");
}

static void
list_cell_number(struct list_cell *cell, double number)
{
	buffer_clear(&cell->text);
	buffer_printf(&cell->text, "%.10g", number);
	buffer_clear(&cell->json);
	json_number(number, &cell->json);
}

void
list_cell_integer(struct list_cell *cell, int64_t number)
{
	buffer_clear(&cell->text);
	buffer_printf(&cell->text, "%" PRId64, number);
	buffer_clear(&cell->json);
	json_number((double)number, &cell->json);
}

static void
list_cell_time(struct list_cell *cell, int64_t ms, bool as_age)
{
	char text[CLOCK_RFC3339_SIZE];

	list_cell_text(cell, ms ? clock_rfc3339(ms, text) : NULL);
	if (ms && as_age)
		list_cell_show(cell, cell->style, "%s", clock_span(clock_wall_ms() - ms, text));
}

static void
list_cell_duration(struct list_cell *cell, int64_t ms)
{
	char text[CLOCK_RFC3339_SIZE];

	list_cell_text(cell, NULL);
	if (ms < 0)
		return;
	list_cell_number(cell, (double)ms / 1000);
	list_cell_show(cell, cell->style, "%s", clock_duration(ms, text));
}

static void
list_fill(const struct list_column *column, const void *row, struct list_cell *cell)
{
	const void *member = (const char *)row + column->offset;

	cell->style = column->style;
	switch (column->type) {
	case LIST_NONE:
		list_cell_text(cell, NULL);
		break;
	case LIST_TEXT:
		list_cell_text(cell, *(const char *const *)member);
		break;
	case LIST_WORD:
		list_cell_word(cell, *(const char *const *)member);
		break;
	case LIST_CHARS:
		list_cell_text(cell, member);
		break;
	case LIST_COUNT:
		list_cell_integer(cell, (int64_t)*(const size_t *)member);
		break;
	case LIST_INTEGER:
		list_cell_integer(cell, *(const int64_t *)member);
		break;
	case LIST_REAL:
		list_cell_number(cell, *(const double *)member);
		break;
	case LIST_FLAG:
		list_cell_text(cell, *(const bool *)member ? "yes" : "no");
		list_cell_json(cell, *(const bool *)member ? "true" : "false");
		break;
	case LIST_TIME:
	case LIST_AGE:
		list_cell_time(cell, *(const int64_t *)member, column->type == LIST_AGE);
		break;
	case LIST_DURATION:
		list_cell_duration(cell, *(const int64_t *)member);
		break;
	}
	if (column->nonzero && strcmp(cell->text.data, "0") != 0)
		cell->style = column->nonzero;
	if (column->fill)
		column->fill(row, cell);
	if ((column->when & LIST_SPARSE) && cell->json.data && strcmp(cell->json.data, "null") == 0)
		list_cell_json(cell, NULL);
}

static void
list_cell_release(struct list_cell *cell)
{
	buffer_release(&cell->text);
	buffer_release(&cell->json);
}

/* Returns whether a column is there, whatever the rows are. */
static bool
list_always_has(const struct list_column *column, unsigned when)
{
	return !(column->when & ~(unsigned)LIST_SPARSE) || (column->when & when);
}

static void
list_print_table(const struct list *list, const char *rows, size_t count, const struct output *output)
{
	const struct list_column *shown[COLUMNS_MAX], *column;
	const char *headings[COLUMNS_MAX + 1];
	unsigned when = output->when | (output->format == OUTPUT_WIDE ? LIST_WIDE : 0);
	struct list_cell cell = {.context = output->context};
	struct table table = {0};
	size_t columns = 0;

	for (column = list->columns; column->heading || column->member; column++)
		if (column->heading && (list_always_has(column, when) || (column->when & LIST_FILLED))) {
			shown[columns] = column;
			headings[columns++] = column->heading;
		}
	headings[columns] = NULL;
	table_columns(&table, headings);
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < columns; j++) {
			const char *row = rows + i * list->row_size;

			list_fill(shown[j], row, &cell);
			if (list->style && cell.style == STYLE_PLAIN)
				cell.style = list->style(row);
			table_text(&table, cell.style, cell.text.data);
		}
	for (size_t j = columns; j-- > 0;)
		if (!list_always_has(shown[j], when) && table_is_column_empty(&table, j))
			table_drop_column(&table, j);
	table_print(&table, output->stream, output->colour, true);
	table_release(&table);
	list_cell_release(&cell);
}

static const struct list_column kind = {.member = "kind"};

/* Fills order with the columns that records have, by their members; returns how many. */
static size_t
list_order_members(const struct list *list, const struct list_column *order[COLUMNS_MAX])
{
	size_t count = 0;

	order[count++] = &kind;
	for (const struct list_column *column = list->columns; column->heading || column->member; column++) {
		size_t place = count;

		if (!column->member)
			continue;
		for (; place > 0 && strcmp(order[place - 1]->member, column->member) > 0; place--)
			order[place] = order[place - 1];
		order[place] = column;
		count++;
	}
	return count;
}

static void
list_append_record(const struct list *list, const struct list_column *const *order, size_t count, const void *row,
    const void *context, struct buffer *out)
{
	struct list_cell cell = {.context = context};
	char separator = '{';

	for (size_t i = 0; i < count; i++) {
		if (order[i] == &kind)
			list_cell_text(&cell, list->kind);
		else
			list_fill(order[i], row, &cell);
		if (cell.json.length == 0)
			continue;
		buffer_byte(out, separator);
		json_quote(order[i]->member, out);
		buffer_byte(out, ':');
		buffer_append(out, cell.json.data, cell.json.length);
		separator = ',';
	}
	buffer_byte(out, '}');
	list_cell_release(&cell);
}

void
list_record(const struct list *list, const void *row, const void *context, struct buffer *out)
{
	const struct list_column *order[COLUMNS_MAX];
	size_t count = list_order_members(list, order);

	list_append_record(list, order, count, row, context, out);
}

static void
list_print_records(const struct list *list, const char *rows, size_t count, struct output *output)
{
	const struct list_column *order[COLUMNS_MAX];
	size_t members = list_order_members(list, order);
	struct buffer text = {0};

	for (size_t i = 0; i < count; i++) {
		buffer_clear(&text);
		list_append_record(list, order, members, rows + i * list->row_size, output->context, &text);
		output_record(output, &text);
	}
	buffer_release(&text);
}

static void
list_print_names(const struct list *list, const char *rows, size_t count, const struct output *output)
{
	struct list_cell cell = {.context = output->context};

	for (size_t i = 0; i < count; i++) {
		const char *row = rows + i * list->row_size;

		buffer_clear(&cell.text);
		if (list->name)
			list->name(row, output->context, &cell.text);
		else
			list_fill(&list->columns[0], row, &cell);
		fprintf(output->stream, "%s\n", cell.text.data);
	}
	list_cell_release(&cell);
}

void
list_print(const struct list *list, const void *rows, size_t count, struct output *output)
{
	if (output_is_records(output))
		list_print_records(list, rows, count, output);
	else if (output->format == OUTPUT_NAME)
		list_print_names(list, rows, count, output);
	else if (count == 0 && list->rows && output->stream != stdout)
		return; /* in memory, where one watches for changes */
	else if (count == 0 && list->rows)
		message("no %s", list->rows);
	else
		list_print_table(list, rows, count, output);
}
