/* SPDX-License-Identifier: Apache-2.0
 *
 * What a person sees: colour where it is wanted, tables that line up, a progress bar.
 * Widths count characters of UTF-8 as the terminal shows them; control characters in the
 * data are shown as "?".
 */
#ifndef BASE_TERMINAL_H
#define BASE_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Returns whether to colour what goes to stream: --color (NULL, "auto", "always", "never") over $COOPR_COLOR over
 * NO_COLOR over the color of coopr-config(5) over TERM=dumb over whether stream is a terminal. */
bool terminal_colour(const char *option, FILE *stream);

/* Returns the columns of the terminal behind stream, 80 if there is none. */
size_t terminal_width(FILE *stream);

/* Returns its lines, 24 if there is none. */
size_t terminal_height(FILE *stream);

enum terminal_style { STYLE_PLAIN, STYLE_BOLD, STYLE_DIM, STYLE_GOOD, STYLE_WARN, STYLE_BAD };

/* A table: zero-initialise, name the columns, add cells row by row, print, release. */
struct table {
	size_t columns;
	struct table_cell *cells; /* the heading is row 0 */
	size_t count, capacity;
};

void table_columns(struct table *table, const char *const *names); /* NULL-terminated; copied */
void table_cell(struct table *table, enum terminal_style style, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Returns whether no row has anything to say in that column but "" or "-"; all rows are whole. */
bool table_is_column_empty(const struct table *table, size_t column);
/* Takes a column out; all rows are whole. */
void table_drop_column(struct table *table, size_t column);
/* Prints the rows. The last column is not padded; columns wider than the terminal are not cut. */
void table_print(const struct table *table, FILE *stream, bool colour, bool heading);
void table_release(struct table *table);

/* Redraws on stderr "LABEL [=====>    ] 12/41  3 running  1 m 2 s", and below it lines, which NULL ends; nothing where stderr is
 * no terminal. tail may be "", below NULL. What is too wide is cut. */
void progress_draw(const char *label, size_t done, size_t total, const char *tail, const char *const *below);

/* Returns whether stderr is a terminal, on which that is seen. */
bool progress_is_seen(void);

/* Removes what progress_draw has drawn, before other text or at the end. */
void progress_clear(void);

#endif
