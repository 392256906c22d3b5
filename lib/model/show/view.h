/* SPDX-License-Identifier: Apache-2.0
 *
 * What a person wants to see of a record: its columns in a table, by kind. Records need not be well-formed: what is
 * not there is shown as "-", what is of another kind than it should be as JSON.
 */
#ifndef MODEL_SHOW_VIEW_H
#define MODEL_SHOW_VIEW_H

#include <stdbool.h>

#include "base/terminal.h"
#include "json/json.h"

struct buffer;

enum view_format {
	VIEW_TEXT,
	VIEW_LIST,    /* an array of strings or of objects with a name; the members of an object */
	VIEW_SECONDS, /* a duration */
	VIEW_MEASURED, /* the duration that a task is expected to take, unless that is a hint */
	VIEW_NEEDS,   /* an object of two lists: requires and uses */
	VIEW_STEP,    /* the whole record: what a task or a milestone is about */
	VIEW_STATUS,  /* an exit code */
};

struct view_column {
	const char *heading, *path; /* members with "." between; NULL ends the columns */
	enum view_format format;
	bool wide;                  /* only where there is room for it */
	const char *null;           /* what a member that is null says; NULL: as if it were not there */
};

/* The columns of a kind; NULL where it has none of its own. Kinds with the same columns stand in one table. */
const struct view_column *view_columns(const char *kind);

/* Appends what a cell shows; nothing where there is nothing. whole: lists are not cut. Returns its style. */
enum terminal_style view_cell(const struct view_column *column, jv record, bool whole, struct buffer *out);

/* Appends what a record is called: its id or name, or nothing. */
void view_name(jv record, struct buffer *out);

#endif
