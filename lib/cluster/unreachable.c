/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/unreachable.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "store/sql/sql.h"
#include "store/store.h"

int
unreachable_read(struct store *store, int64_t cluster, struct unreachable *list, struct error *err)
{
	struct sql_rows *rows = sql_query(store_sql(store), err,
	    "SELECT node, since_ms FROM unreachable WHERE cluster = ? ORDER BY node", "i", cluster);
	int got;

	while ((got = sql_row(rows, err)) > 0)
		unreachable_add(list, sql_text(rows, 0), sql_integer(rows, 1));
	sql_end(rows);
	return got;
}

int64_t
unreachable_since(const struct unreachable *list, const char *node)
{
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->list[i].node, node) == 0)
			return list->list[i].since_ms;
	return 0;
}

void
unreachable_add(struct unreachable *list, const char *node, int64_t since_ms)
{
	ARRAY_ROOM(list->list, list->count, list->capacity);
	list->list[list->count++] = (struct unreachable_node){arena_string(&list->arena, node), since_ms};
}

int
unreachable_record(struct store *store, int64_t cluster, const struct unreachable *was, const struct unreachable *now,
    struct error *err)
{
	bool same = was->count == now->count;
	int result;

	for (size_t i = 0; i < was->count && same; i++)
		same = unreachable_since(now, was->list[i].node) == was->list[i].since_ms;
	if (same)
		return 0;
	if (store_begin(store, err) < 0)
		return -1;
	result = sql_change(store_sql(store), err, "DELETE FROM unreachable WHERE cluster = ?", "i", cluster);
	for (size_t i = 0; i < now->count && result == 0; i++)
		result = sql_change(store_sql(store), err, "INSERT INTO unreachable (cluster, node, since_ms) SELECT id, ?, ? FROM cluster "
		    "WHERE id = ? AND status <> 'terminated'", "tii", now->list[i].node, now->list[i].since_ms, cluster);
	return store_finish(store, result, err);
}

void
unreachable_release(struct unreachable *list)
{
	free(list->list);
	arena_release(&list->arena);
	*list = (struct unreachable){0};
}
