/* SPDX-License-Identifier: Apache-2.0
 *
 * Records as tables for a person: one for each kind, in the order the kinds were first met. Columns without
 * anything in them are left out.
 */
#ifndef MODEL_SHOW_SHEET_H
#define MODEL_SHOW_SHEET_H

#include "base/memory.h"
#include "json/json.h"

struct sheets { /* zero-initialise */
	struct arena arena;
	struct sheet *list;
	size_t count, capacity;
};

/* Adds a record to the table of its kind. wide: it has the columns for wide tables; whole: lists are not cut. */
void sheets_add(struct sheets *sheets, const char *kind, jv record, bool wide, bool whole);

void sheets_print(const struct sheets *sheets, FILE *stream, bool colour);
void sheets_release(struct sheets *sheets);

#endif
