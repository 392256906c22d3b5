/* SPDX-License-Identifier: Apache-2.0 */
#include "store/sql/sql.h"

#include <stdarg.h>

#include "base/memory.h"
#include "store/sql/engine.h"

struct sql_rows *
sql_query(struct sql *db, struct error *err, const char *text, const char *types, ...)
{
	struct sql_rows *rows;
	va_list values;

	va_start(values, types);
	rows = db->engine->query(db, text, types, values, err);
	va_end(values);
	return rows;
}

int
sql_row(struct sql_rows *rows, struct error *err)
{
	return rows ? rows->engine->step(rows, err) : -1;
}

const char *
sql_text(struct sql_rows *rows, int column)
{
	return rows->engine->text(rows, column);
}

const void *
sql_bytes(struct sql_rows *rows, int column, size_t *length)
{
	return rows->engine->bytes(rows, column, length);
}

int64_t
sql_integer(struct sql_rows *rows, int column)
{
	return rows->engine->integer(rows, column);
}

double
sql_real(struct sql_rows *rows, int column)
{
	return rows->engine->real(rows, column);
}

char *
sql_copy(struct sql_rows *rows, int column)
{
	const char *text = sql_text(rows, column);

	return text ? memory_string(text) : NULL;
}

const char *
sql_keep(struct sql_rows *rows, int column, struct arena *arena)
{
	const char *text = sql_text(rows, column);

	return text ? arena_string(arena, text) : NULL;
}

void
sql_end(struct sql_rows *rows)
{
	if (rows)
		rows->engine->end(rows);
}

/* Runs a statement and sets *number, unless it is NULL, to the first column of the first row. Returns 1, 0 where there is no row,
 * or -1. */
static int
sql_run(struct sql *db, int64_t *number, const char *text, const char *types, va_list values, struct error *err)
{
	struct sql_rows *rows = db->engine->query(db, text, types, values, err);
	int got = sql_row(rows, err);

	if (got > 0 && number)
		*number = sql_integer(rows, 0);
	sql_end(rows);
	return got;
}

int
sql_change(struct sql *db, struct error *err, const char *text, const char *types, ...)
{
	va_list values;
	int got;

	va_start(values, types);
	got = sql_run(db, NULL, text, types, values, err);
	va_end(values);
	return got < 0 ? -1 : 0;
}

int
sql_change_alone(struct sql *db, struct error *err, const char *text, const char *types, ...)
{
	va_list values;
	int got;

	if (db->engine->begin(db, err) < 0)
		return -1;
	va_start(values, types);
	got = sql_run(db, NULL, text, types, values, err);
	va_end(values);
	if (got >= 0 && db->engine->commit(db, err) == 0)
		return 0;
	db->engine->rollback(db);
	return -1;
}

int
sql_number(struct sql *db, int64_t *number, struct error *err, const char *text, const char *types, ...)
{
	va_list values;
	int got;

	va_start(values, types);
	got = sql_run(db, number, text, types, values, err);
	va_end(values);
	return got;
}
