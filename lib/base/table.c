/* SPDX-License-Identifier: Apache-2.0 */
#include "base/table.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/printable.h"

struct table_cell {
	char *text; /* safe to show */
	size_t width;
	enum terminal_style style;
};

static const char *const escapes[] = {
	[STYLE_PLAIN] = "",
	[STYLE_BOLD] = "\033[1m",
	[STYLE_DIM] = "\033[2m",
	[STYLE_GOOD] = "\033[32m",
	[STYLE_WARN] = "\033[33m",
	[STYLE_BAD] = "\033[31m",
};

/* Adds a cell; frees text in the end. */
static void
table_add_cell(struct table *table, enum terminal_style style, char *text)
{
	ARRAY_ROOM(table->cells, table->count, table->capacity);
	table->cells[table->count].width = printable(text);
	table->cells[table->count].text = text;
	table->cells[table->count++].style = style;
}

void
table_columns(struct table *table, const char *const *names)
{
	for (; *names; names++, table->columns++)
		table_add_cell(table, STYLE_BOLD, memory_string(*names));
}

void
table_cell(struct table *table, enum terminal_style style, const char *format, ...)
{
	va_list ap;
	char *text;

	va_start(ap, format);
	text = memory_vprintf(format, ap);
	va_end(ap);
	table_add_cell(table, style, text);
}

/* Prints blanks only before a cell that shows something, so that no line ends in blanks. */
static void
table_print_row(const struct table_cell *cells, size_t count, const size_t *widths, FILE *stream, bool colour)
{
	size_t owed = 0;

	for (size_t i = 0; i < count; i++) {
		bool styled = colour && cells[i].style != STYLE_PLAIN;

		if (cells[i].width) {
			fprintf(stream, "%*s", (int)owed, "");
			fprintf(stream, "%s%s%s", styled ? escapes[cells[i].style] : "", cells[i].text,
			    styled ? "\033[0m" : "");
			owed = 0;
		}
		owed += widths[i] - cells[i].width + 2;
	}
	fputc('\n', stream);
}

void
table_print(const struct table *table, FILE *stream, bool colour, bool heading)
{
	size_t first = heading ? 0 : table->columns;
	size_t *widths = memory_zeroed(table->columns, sizeof *widths);

	for (size_t i = first; i < table->count; i++)
		if (table->cells[i].width > widths[i % table->columns])
			widths[i % table->columns] = table->cells[i].width;
	for (size_t i = first; table->columns && i < table->count; i += table->columns) {
		size_t rest = table->count - i;

		table_print_row(table->cells + i, rest < table->columns ? rest : table->columns, widths, stream, colour);
	}
	free(widths);
}

bool
table_is_column_empty(const struct table *table, size_t column)
{
	bool empty = true;

	for (size_t i = table->columns + column; i < table->count && empty; i += table->columns)
		empty = strcmp(table->cells[i].text, "") == 0 || strcmp(table->cells[i].text, "-") == 0;
	return empty;
}

void
table_drop_column(struct table *table, size_t column)
{
	size_t kept = 0;

	for (size_t i = 0; i < table->count; i++)
		if (i % table->columns == column)
			free(table->cells[i].text);
		else
			table->cells[kept++] = table->cells[i];
	table->count = kept;
	table->columns--;
}

void
table_release(struct table *table)
{
	for (size_t i = 0; i < table->count; i++)
		free(table->cells[i].text);
	free(table->cells);
	*table = (struct table){0};
}
