/* SPDX-License-Identifier: Apache-2.0
 *
 * Tables that line up. Widths count characters of UTF-8 as the terminal shows them; control characters in the data are shown
 * as "?".
 */
#ifndef BASE_TABLE_H
#define BASE_TABLE_H

#include "base/terminal.h"

/* A table: zero-initialise, name the columns, add cells row by row, print, release. */
struct table {
	size_t columns;
	struct table_cell *cells; /* the heading is row 0 */
	size_t count, capacity;
};

void table_columns(struct table *table, const char *const *names); /* NULL-terminated; copied */
void table_text(struct table *table, enum terminal_style style, const char *text);
void table_cell(struct table *table, enum terminal_style style, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Returns whether no row has anything to say in that column but "" or "-"; all rows are whole. */
bool table_is_column_empty(const struct table *table, size_t column);

/* Takes a column out; all rows are whole. */
void table_drop_column(struct table *table, size_t column);

/* Prints the rows. The last column is not padded; on a terminal that is too narrow for it, it is folded at blanks. Nothing is
 * cut. */
void table_print(const struct table *table, FILE *stream, bool colour, bool heading);

void table_release(struct table *table);

#endif
