/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/repairs.h"

#include <stddef.h>

#include "store/sql/sql.h"
#include "store/store.h"

int
repairs_last(struct store *store, int64_t cluster, const char *node, const char *service, const char *mark,
    struct repair_record *last, struct error *err)
{
	struct sql_rows *rows = sql_query(store_sql(store), err, "SELECT CASE WHEN EXISTS (SELECT 1 FROM operation AS other "
	    "WHERE other.cluster = repair.cluster AND other.number > operation AND other.job IS NOT NULL "
	    "AND coalesce(instr(other.why, ?4), 0) <> 1) THEN 0 ELSE round END, operation, begun_ms, ended_ms, status "
	    "FROM repair JOIN operation AS done ON done.cluster = repair.cluster AND done.number = repair.operation "
	    "WHERE repair.cluster = ?1 AND ((repair.node = ?2 AND repair.service = ?3) OR (?3 = '' AND repair.service = '' AND EXISTS "
	    "(SELECT 1 FROM node_use WHERE node_use.cluster = ?1 AND node_use.node = ?2 AND from_ms BETWEEN begun_ms AND ended_ms))) "
	    "ORDER BY operation DESC, round DESC LIMIT 1", "ittt", cluster, node, service, mark);
	int got = sql_row(rows, err);

	*last = (struct repair_record){0};
	if (got > 0)
		*last = (struct repair_record){sql_integer(rows, 0), sql_integer(rows, 1), sql_integer(rows, 2), sql_integer(rows, 3),
		    operation_status_of(sql_text(rows, 4))};
	sql_end(rows);
	return got;
}

int
repairs_record(struct store *store, int64_t cluster, const char *node, const char *service, int64_t operation, int64_t round,
    struct error *err)
{
	return sql_change_alone(store_sql(store), err, "INSERT INTO repair (cluster, node, service, operation, round) "
	    "VALUES (?, ?, ?, ?, ?) ON CONFLICT (cluster, node, service) DO UPDATE SET operation = excluded.operation, "
	    "round = excluded.round", "ittii", cluster, node, service, operation, round);
}
