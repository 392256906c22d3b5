/* SPDX-License-Identifier: Apache-2.0 */
#include "store/outbox.h"

#include <stdlib.h>

#include "store/sql/sql.h"
#include "store/store.h"

#define COLUMNS "id, hook, event, operation, tenant, body, told_ms, attempts, next_ms, taken_ms"

int
outbox_add(struct store *store, const struct outbox_message *message, struct error *err)
{
	return sql_change(store_sql(store), err, "INSERT INTO hook_message (" COLUMNS ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
	    "ON CONFLICT DO NOTHING", "ttttttiiii", message->id, message->hook, message->event, message->operation,
	    message->tenant, message->body, message->told_ms, message->attempts, message->next_ms, message->taken_ms);
}

int
outbox_put(struct store *store, const struct outbox_message *message, struct error *err)
{
	if (store_begin(store, err) < 0)
		return -1;
	return store_finish(store, outbox_add(store, message, err), err);
}

static struct outbox_message
outbox_row(struct sql_rows *rows, struct arena *arena)
{
	return (struct outbox_message){
		.id = sql_keep(rows, 0, arena),
		.hook = sql_keep(rows, 1, arena),
		.event = sql_keep(rows, 2, arena),
		.operation = sql_keep(rows, 3, arena),
		.tenant = sql_keep(rows, 4, arena),
		.body = sql_keep(rows, 5, arena),
		.told_ms = sql_integer(rows, 6),
		.attempts = sql_integer(rows, 7),
		.next_ms = sql_integer(rows, 8),
		.taken_ms = sql_integer(rows, 9),
	};
}

int
outbox_list(struct store *store, struct outbox *list, struct error *err)
{
	struct sql_rows *rows = sql_query(store_sql(store), err, "SELECT id, hook, event, operation, tenant, NULL, "
	    "told_ms, attempts, next_ms, taken_ms FROM hook_message ORDER BY id, hook", "");
	int got;

	while ((got = sql_row(rows, err)) > 0) {
		ARRAY_ROOM(list->list, list->count, list->capacity);
		list->list[list->count++] = outbox_row(rows, &list->arena);
	}
	sql_end(rows);
	return got;
}

int
outbox_take(struct store *store, const char *id, const char *hook, int64_t now_ms, int64_t until_ms, struct outbox *list,
    struct outbox_message *message, struct error *err)
{
	struct sql_rows *rows;
	int got;

	if (store_begin(store, err) < 0)
		return -1;
	rows = sql_query(store_sql(store), err, "UPDATE hook_message SET taken_ms = ? WHERE id = ? AND hook = ? AND taken_ms <= ? "
	    "RETURNING " COLUMNS, "itti", until_ms, id, hook, now_ms);
	got = sql_row(rows, err);
	if (got > 0)
		*message = outbox_row(rows, &list->arena);
	sql_end(rows);
	return store_finish(store, got, err);
}

int
outbox_remove(struct store *store, const char *id, const char *hook, struct error *err)
{
	return sql_change_alone(store_sql(store), err, "DELETE FROM hook_message WHERE id = ? AND hook = ?", "tt", id, hook);
}

int
outbox_retry(struct store *store, const char *id, const char *hook, int64_t next_ms, struct error *err)
{
	return sql_change_alone(store_sql(store), err, "UPDATE hook_message SET attempts = attempts + 1, next_ms = ?, taken_ms = 0 "
	    "WHERE id = ? AND hook = ?", "itt", next_ms, id, hook);
}

void
outbox_release(struct outbox *list)
{
	free(list->list);
	arena_release(&list->arena);
	*list = (struct outbox){0};
}
