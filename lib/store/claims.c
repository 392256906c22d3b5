/* SPDX-License-Identifier: Apache-2.0 */
#include "store/claims.h"

#include <stdlib.h>

#include "base/clock.h"
#include "store/sql/sql.h"
#include "store/store.h"

int
claims_take(struct store *store, const struct claim *claim, const char *const *machines, size_t count, struct arena *arena,
    const char **machine, struct error *err)
{
	struct sql_rows *rows;
	int64_t one;
	int got;

	if (store_begin(store, err) < 0)
		return -1;
	rows = sql_query(store_sql(store), err, "SELECT machine FROM claim WHERE node = ?", "t", claim->node);
	got = sql_row(rows, err);
	if (got > 0)
		*machine = sql_keep(rows, 0, arena);
	sql_end(rows);
	for (size_t i = 0; i < count && got == 0; i++) {
		got = sql_number(store_sql(store), &one, err, "INSERT INTO claim (machine, node, provider, cluster, hostname, at_ms) "
		    "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING 1", "ttttti", machines[i], claim->node,
		    claim->provider, claim->cluster, claim->hostname, clock_wall_ms());
		if (got > 0)
			*machine = machines[i];
	}
	return store_finish(store, got, err);
}

int
claims_give_back(struct store *store, const char *node, struct error *err)
{
	return sql_change_alone(store_sql(store), err, "DELETE FROM claim WHERE node = ?", "t", node);
}

int
claims_list(struct store *store, const char *provider, struct claim_list *list, struct error *err)
{
	struct sql_rows *rows = sql_query(store_sql(store), err, "SELECT machine, node, provider, cluster, hostname FROM claim "
	    "WHERE ?1 IS NULL OR provider = ?1 ORDER BY machine", "t", provider);
	int got;

	while ((got = sql_row(rows, err)) > 0) {
		ARRAY_ROOM(list->list, list->count, list->capacity);
		list->list[list->count++] = (struct claim){
			.machine = sql_keep(rows, 0, &list->arena),
			.node = sql_keep(rows, 1, &list->arena),
			.provider = sql_keep(rows, 2, &list->arena),
			.cluster = sql_keep(rows, 3, &list->arena),
			.hostname = sql_keep(rows, 4, &list->arena),
		};
	}
	sql_end(rows);
	return got;
}

void
claim_list_release(struct claim_list *list)
{
	free(list->list);
	arena_release(&list->arena);
	*list = (struct claim_list){0};
}
