/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/applied.h"

#include <stdlib.h>

#include "account/visible.h"
#include "base/error.h"
#include "store/sql/sql.h"

int
applied_list(struct account *account, struct applied_list *list, struct error *err)
{
	struct arena *arena = &list->arena;
	char *text = memory_printf("SELECT cluster, origin, spec, applied.revision, made FROM cluster JOIN applied ON cluster = id "
	    "WHERE %s AND status <> 'terminated' ORDER BY cluster", visible_in_tenant(account));
	struct sql_rows *rows = sql_query(account_sql(account), err, text, VISIBLE_TYPES, VISIBLE_VALUES(account));
	int got;

	while ((got = sql_row(rows, err)) > 0) {
		ARRAY_ROOM(list->list, list->count, list->capacity);
		list->list[list->count++] = (struct applied){
			.cluster = sql_integer(rows, 0),
			.origin = sql_keep(rows, 1, arena),
			.spec = sql_keep(rows, 2, arena),
			.revision = sql_integer(rows, 3),
			.made = sql_integer(rows, 4) != 0,
		};
	}
	sql_end(rows);
	free(text);
	return got;
}

static int
applied_compare_cluster(const void *key, const void *element)
{
	int64_t cluster = *(const int64_t *)key, other = ((const struct applied *)element)->cluster;

	return (cluster > other) - (cluster < other);
}

const struct applied *
applied_find(const struct applied_list *list, int64_t cluster)
{
	return list->count ? bsearch(&cluster, list->list, list->count, sizeof *list->list, applied_compare_cluster) : NULL;
}

char *
applied_origin(const struct account *account, int64_t cluster, struct error *err)
{
	char *text = memory_printf("SELECT origin FROM applied JOIN cluster ON cluster = id WHERE %s AND id = ?6",
	    visible_anywhere(account)), *origin = NULL;
	struct sql_rows *rows = sql_query(account_sql(account), err, text, VISIBLE_TYPES "i", VISIBLE_VALUES(account), cluster);

	if (sql_row(rows, err) > 0)
		origin = sql_copy(rows, 0);
	sql_end(rows);
	free(text);
	return origin;
}

int
applied_put(struct store *store, const struct applied *applied, struct error *err)
{
	return sql_change(store_sql(store), err,
	    "INSERT INTO applied (cluster, origin, spec, revision, made) VALUES (?, ?, ?, ?, ?) "
	    "ON CONFLICT (cluster) DO UPDATE SET origin = excluded.origin, spec = excluded.spec, revision = excluded.revision, "
	    "made = max(made, excluded.made)", "ittii", applied->cluster, applied->origin, applied->spec, applied->revision,
	    (int64_t)applied->made);
}

int
applied_save(struct account *account, const struct applied *list, size_t count, struct error *err)
{
	char *text;
	int64_t id;
	int result = 0;

	if (count == 0)
		return 0;
	if (store_begin(account->store, err) < 0)
		return -1;
	text = memory_printf("SELECT id FROM cluster WHERE %s AND id = ?6", visible_in_tenant(account));
	for (size_t i = 0; i < count && result >= 0; i++) {
		result = sql_number(account_sql(account), &id, err, text, VISIBLE_TYPES "i", VISIBLE_VALUES(account), list[i].cluster);
		if (result > 0)
			result = applied_put(account->store, &list[i], err);
	}
	free(text);
	return store_finish(account->store, result, err) < 0 ? -1 : 0;
}

void
applied_list_release(struct applied_list *list)
{
	free(list->list);
	arena_release(&list->arena);
	*list = (struct applied_list){0};
}
