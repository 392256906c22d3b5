/* SPDX-License-Identifier: Apache-2.0 */
#include "base/table.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
table_text(struct table *table, enum terminal_style style, const char *text)
{
	table_add_cell(table, style, memory_string(text));
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

enum { FOLD_MIN = 8 }; /* a column narrower than that is not folded */

/* Returns how many bytes of text the next line gets: as many words as there is room for, at least one. */
static size_t
table_line_length(const char *text, size_t room)
{
	size_t length = strcspn(text, " "), columns = 0;

	for (size_t i = 0; text[i]; i++) {
		columns += ((unsigned char)text[i] & 0xc0) != 0x80;
		if (columns > room)
			break;
		if (text[i + 1] == ' ' || !text[i + 1])
			length = i + 1;
	}
	return length;
}

/* Prints a text in lines of so many columns behind so many blanks; the first one stands there already. A word is never folded. */
static void
table_print_folded(const char *text, size_t blanks, size_t room, FILE *stream)
{
	for (size_t length; ; text += length) {
		length = table_line_length(text, room);
		fwrite(text, 1, length, stream);
		length += strspn(text + length, " ");
		if (!text[length])
			return;
		fprintf(stream, "\n%*s", (int)blanks, "");
	}
}

/* Returns the columns of the terminal behind stream, 0 if there is none. Leaves errno, which may be that of a write, as it is. */
static size_t
table_terminal_width(FILE *stream)
{
	int kept = errno;
	size_t width = isatty(fileno(stream)) ? terminal_width(stream) : 0;

	errno = kept;
	return width;
}

/* Prints blanks only before a cell that shows something, so that no line ends in blanks. terminal: its columns, 0: none. */
static void
table_print_row(const struct table_cell *cells, size_t count, const size_t *widths, size_t terminal, FILE *stream,
    bool colour)
{
	size_t owed = 0, before = 0;

	for (size_t i = 0; i < count; i++) {
		bool styled = colour && cells[i].style != STYLE_PLAIN;

		if (cells[i].width) {
			while (owed-- > 0)
				putc_unlocked(' ', stream);
			fputs(styled ? escapes[cells[i].style] : "", stream);
			if (i > 0 && i + 1 == count && terminal >= before + FOLD_MIN && cells[i].width > terminal - before)
				table_print_folded(cells[i].text, before, terminal - before, stream);
			else
				fputs(cells[i].text, stream);
			fputs(styled ? "\033[0m" : "", stream);
			owed = 0;
		}
		owed += widths[i] - cells[i].width + 2;
		before += widths[i] + 2;
	}
	fputc('\n', stream);
}

void
table_print(const struct table *table, FILE *stream, bool colour, bool heading)
{
	size_t first = heading ? 0 : table->columns;
	size_t *widths = memory_zeroed(table->columns, sizeof *widths), terminal = table_terminal_width(stream);

	for (size_t i = first; i < table->count; i++)
		if (table->cells[i].width > widths[i % table->columns])
			widths[i % table->columns] = table->cells[i].width;
	for (size_t i = first; table->columns && i < table->count; i += table->columns) {
		size_t rest = table->count - i;

		table_print_row(table->cells + i, rest < table->columns ? rest : table->columns, widths, terminal, stream, colour);
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
