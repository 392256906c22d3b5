/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/told-faults.h"

#include <inttypes.h>
#include <stdlib.h>

#include "store/sql/sql.h"
#include "store/store.h"

static char *
told_faults_key(const struct told_fault *fault)
{
	return memory_printf("%" PRId64 " %s %s", fault->cluster, fault->node, fault->service);
}

int
told_faults_read(struct store *store, struct told_faults *faults, struct error *err)
{
	struct sql_rows *rows = sql_query(store_sql(store), err, "SELECT cluster, node, service, what, stage, told_ms FROM fault "
	    "ORDER BY cluster, node, service", "");
	struct arena *arena = &faults->arena;
	int got;

	while ((got = sql_row(rows, err)) > 0) {
		char *key;

		ARRAY_ROOM(faults->list, faults->count, faults->capacity);
		faults->list[faults->count] = (struct told_fault){sql_integer(rows, 0), sql_keep(rows, 1, arena), sql_keep(rows, 2, arena),
		    sql_keep(rows, 3, arena), sql_keep(rows, 4, arena), sql_integer(rows, 5), false};
		key = told_faults_key(&faults->list[faults->count++]);
		names_intern(&faults->keys, arena_string(arena, key));
		free(key);
	}
	sql_end(rows);
	return got;
}

struct told_fault *
told_faults_find(const struct told_faults *faults, const struct told_fault *fault)
{
	char *key = told_faults_key(fault);
	int number = names_find(&faults->keys, key);

	free(key);
	return number == NAMES_NONE ? NULL : &faults->list[number];
}

int
told_faults_put(struct store *store, const struct told_fault *fault, struct error *err)
{
	return sql_change_alone(store_sql(store), err, "INSERT INTO fault (cluster, node, service, what, stage, told_ms) "
	    "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (cluster, node, service) DO UPDATE SET what = excluded.what, stage = excluded.stage, "
	    "told_ms = excluded.told_ms", "itttti", fault->cluster, fault->node, fault->service, fault->what, fault->stage,
	    fault->told_ms);
}

int
told_faults_remove(struct store *store, const struct told_fault *fault, struct error *err)
{
	return sql_change_alone(store_sql(store), err, "DELETE FROM fault WHERE cluster = ? AND node = ? AND service = ?", "itt",
	    fault->cluster, fault->node, fault->service);
}

void
told_faults_release(struct told_faults *faults)
{
	names_release(&faults->keys);
	free(faults->list);
	arena_release(&faults->arena);
	*faults = (struct told_faults){0};
}
