/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists, as "coopr list" prints them: a table for people, or a record a row for programs. One array of columns says what
 * both have, so that a new column is one row of it:
 *
 *	#define AT(type, member) LIST_AT(type, struct secret_entry, member)
 *	static const struct list_column columns[] = {
 *		{"NAME", "name", AT(TEXT, name)},
 *		{"VERSION", "version", AT(INTEGER, version)},
 *		{"BY", "by", AT(TEXT, by), .when = LIST_WIDE},
 *		{0}};
 *	static const struct list secrets = {.kind = "secret", .columns = columns, .row_size = sizeof(struct secret_entry)};
 *
 *	output = output_open(format, colour);
 *	list_print(&secrets, entries, count, &output);
 *
 * Rows are structs of the caller, one behind the other. A column that is not simply a member of them has a function that
 * fills in its cells. lib/README.md says how to add a column.
 */
#ifndef MODEL_SHOW_LIST_H
#define MODEL_SHOW_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/terminal.h"
#include "model/show/output.h"

enum list_type { /* of the member of the row */
	LIST_NONE,     /* there is none: "-" and null, unless the function says more */
	LIST_TEXT,     /* const char *; NULL: "-" in the table, null in the record */
	LIST_WORD,     /* const char *; "": nothing in the table, null in the record */
	LIST_CHARS,    /* a string in an array of char */
	LIST_COUNT,    /* size_t */
	LIST_INTEGER,  /* int64_t */
	LIST_REAL,     /* double */
	LIST_FLAG,     /* bool */
	LIST_TIME,     /* int64_t: milliseconds of the wall clock; 0: never */
	LIST_AGE,      /* the same, in the table as how long ago that was */
	LIST_DURATION, /* int64_t: milliseconds, in the record seconds; negative: not known */
};

enum {
	/* When the table has a column; without any of these: always. A caller has bits of its own from LIST_OWN on. */
	LIST_WIDE = 1,   /* in wide tables */
	LIST_FILLED = 2, /* if some row has something to say in it */
	/* A record has the member only if it is not null. Without this all records have all members, whatever the table has. */
	LIST_SPARSE = 4,
	LIST_OWN = 8,
};

struct list_cell {
	struct buffer text; /* what a person sees */
	enum terminal_style style;
	struct buffer json; /* the value of the member; nothing: the record does not have the member */
	const void *context; /* of struct output */
};

struct list_column {
	const char *heading; /* NULL: only records have it */
	const char *member;  /* NULL: only tables have it */
	enum list_type type;
	size_t offset; /* of the member in the row */
	/* Fills in the cell where the type cannot, or alters what the type has filled in. */
	void (*fill)(const void *row, struct list_cell *cell);
	enum terminal_style style;
	enum terminal_style nonzero; /* of a number that is not 0, if it has another */
	unsigned when;
};

/* Says of which type the member of a row is, and where; the compiler refuses a member of another type. */
#define LIST_AT(kind, row, member) \
	.type = LIST_##kind, .offset = offsetof(row, member) + LIST_IS_##kind(((const row *)0)->member)
#define LIST_IS_TEXT(member) _Generic((member), char *: 0, const char *: 0)
#define LIST_IS_WORD(member) LIST_IS_TEXT(member)
#define LIST_IS_CHARS(member) LIST_IS_TEXT(&(member)[0])
#define LIST_IS_COUNT(member) _Generic((member), size_t: 0)
#define LIST_IS_INTEGER(member) _Generic((member), int64_t: 0)
#define LIST_IS_REAL(member) _Generic((member), double: 0)
#define LIST_IS_FLAG(member) _Generic((member), bool: 0)
#define LIST_IS_TIME(member) LIST_IS_INTEGER(member)
#define LIST_IS_AGE(member) LIST_IS_INTEGER(member)
#define LIST_IS_DURATION(member) LIST_IS_INTEGER(member)

struct list {
	const char *kind; /* of the records */
	const struct list_column *columns; /* the last one is zeroed */
	size_t row_size;
	const char *rows; /* the word for them, "clusters"; NULL: a table of none is its headings */
	/* Appends the name of a row; NULL: the text of the first column. */
	void (*name)(const void *row, const void *context, struct buffer *out);
	/* Returns the style of those cells of a row that are plain otherwise; NULL: they stay plain. */
	enum terminal_style (*style)(const void *row);
};

/* Prints count rows. Of no rows a table says so on stderr, if the list has a word for them. */
void list_print(const struct list *list, const void *rows, size_t count, struct output *output);

/* Appends the record of one row, without a newline. context is for the functions of the columns. */
void list_record(const struct list *list, const void *row, const void *context, struct buffer *out);

/* For functions of columns: set what both say. text may be NULL. */
void list_cell_text(struct list_cell *cell, const char *text);
void list_cell_integer(struct list_cell *cell, int64_t number);

/* Sets only what the table says. */
void list_cell_show(struct list_cell *cell, enum terminal_style style, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Sets only what the record says: canonical JSON; NULL: it does not have the member. */
void list_cell_json(struct list_cell *cell, const char *json);

#endif
