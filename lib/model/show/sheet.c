/* SPDX-License-Identifier: Apache-2.0 */
#include "model/show/sheet.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/table.h"
#include "model/show/view.h"

enum { COLUMNS_OF_OTHERS = 8 };

struct sheet {
	const char *kind;                  /* where the columns were made up for it, else NULL */
	const struct view_column *columns;
	size_t width;                      /* how many */
	bool *used;                        /* of each column: some cell shows something */
	struct sheet_cell {
		const char *text;
		enum terminal_style style;
	} *cells; /* row by row */
	size_t count, capacity;
};

static const char *
sheet_upper(const char *text, struct arena *arena)
{
	char *copy = arena_string(arena, text);

	for (char *c = copy; *c; c++)
		*c = (char)toupper((unsigned char)*c);
	return copy;
}

/* The columns of a kind that has none of its own: the kind, and the first members of its first record. */
static const struct view_column *
sheet_make_up_columns(jv record, struct arena *arena)
{
	struct view_column *columns = arena_alloc(arena, COLUMNS_OF_OTHERS + 2, sizeof *columns);
	jv keys = jv_keys(jv_copy(record));
	size_t count = 0;

	columns[count++] = (struct view_column){.heading = "KIND", .path = "kind"};
	for (size_t i = 0; i < json_length(keys) && count <= COLUMNS_OF_OTHERS; i++) {
		jv key = json_element(keys, i);
		const char *name = json_string(key);

		if (strcmp(name, "kind") != 0 && *name && !strchr(name, '.'))
			columns[count++] = (struct view_column){.heading = sheet_upper(name, arena),
				.path = arena_string(arena, name), .format = VIEW_LIST};
		jv_free(key);
	}
	jv_free(keys);
	return columns;
}

static struct sheet *
sheet_find_sheet(struct sheets *sheets, const char *kind, jv record)
{
	const struct view_column *columns = view_columns(kind);
	struct sheet *sheet;

	for (size_t i = 0; i < sheets->count; i++) {
		sheet = &sheets->list[i];
		if (columns ? sheet->columns == columns : sheet->kind && strcmp(sheet->kind, kind) == 0)
			return sheet;
	}
	ARRAY_ROOM(sheets->list, sheets->count, sheets->capacity);
	sheet = &sheets->list[sheets->count++];
	*sheet = (struct sheet){.columns = columns};
	if (!columns) {
		sheet->kind = arena_string(&sheets->arena, kind);
		sheet->columns = sheet_make_up_columns(record, &sheets->arena);
	}
	while (sheet->columns[sheet->width].path)
		sheet->width++;
	sheet->used = arena_alloc(&sheets->arena, sheet->width, sizeof *sheet->used);
	sheet->used[0] = true;
	return sheet;
}

void
sheets_add(struct sheets *sheets, const char *kind, jv record, bool wide, bool whole)
{
	struct sheet *sheet = sheet_find_sheet(sheets, kind, record);
	struct buffer text = {0};

	for (size_t i = 0; i < sheet->width; i++) {
		struct sheet_cell *cell;

		ARRAY_ROOM(sheet->cells, sheet->count, sheet->capacity);
		cell = &sheet->cells[sheet->count++];
		*cell = (struct sheet_cell){.text = ""};
		buffer_clear(&text);
		if (!sheet->columns[i].wide || wide)
			cell->style = view_cell(&sheet->columns[i], record, whole, &text);
		if (text.length) {
			cell->text = arena_substring(&sheets->arena, text.data, text.length);
			sheet->used[i] = true;
		}
	}
	buffer_release(&text);
}

static void
sheet_print_sheet(const struct sheet *sheet, FILE *stream, bool colour)
{
	struct table table = {0};
	const char **names = memory_zeroed(sheet->width + 1, sizeof *names);
	size_t count = 0;

	for (size_t i = 0; i < sheet->width; i++)
		if (sheet->used[i])
			names[count++] = sheet->columns[i].heading;
	table_columns(&table, names);
	for (size_t row = 0; row < sheet->count; row += sheet->width)
		for (size_t i = 0; i < sheet->width; i++) {
			const struct sheet_cell *cell = &sheet->cells[row + i];

			if (sheet->used[i])
				table_cell(&table, cell->style, "%s", *cell->text ? cell->text : "-");
		}
	table_print(&table, stream, colour, true);
	table_release(&table);
	free(names);
}

void
sheets_print(const struct sheets *sheets, FILE *stream, bool colour)
{
	for (size_t i = 0; i < sheets->count; i++) {
		if (i)
			fputc('\n', stream);
		sheet_print_sheet(&sheets->list[i], stream, colour);
	}
}

void
sheets_release(struct sheets *sheets)
{
	for (size_t i = 0; i < sheets->count; i++)
		free(sheets->list[i].cells);
	free(sheets->list);
	arena_release(&sheets->arena);
	*sheets = (struct sheets){0};
}
