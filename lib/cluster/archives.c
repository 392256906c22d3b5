/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/archives.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "account/visible.h"
#include "base/clock.h"
#include "base/error.h"
#include "store/sql/sql.h"
#include "store/store.h"

#define COLUMNS "archive.id, archive.cluster, cluster_name, service, node, hostname, archive.operation, began_ms, ended_ms, bytes, sum"

int
archives_record(struct store *store, const struct archive *archive, struct error *err)
{
	return sql_change(store_sql(store), err, "INSERT INTO archive (id, tenant, cluster, cluster_name, service, node, hostname, "
	    "operation, began_ms, ended_ms, bytes, sum) SELECT ?, tenant, id, coalesce(?, name), ?, ?, ?, ?, ?, ?, ?, ? FROM cluster WHERE id = ? "
	    "ON CONFLICT (id) DO UPDATE SET ended_ms = excluded.ended_ms, bytes = excluded.bytes, sum = excluded.sum", "tttttiiiiti", archive->id, archive->cluster_name, archive->service, archive->node,
	    archive->hostname, archive->operation, archive->began_ms, archive->ended_ms, archive->bytes, archive->sum,
	    archive->cluster);
}

int
archives_record_kept(struct store *store, const char *key, int64_t began_ms, int64_t bytes, const char *sum, struct error *err)
{
	struct archive archive = {.id = key, .began_ms = began_ms, .ended_ms = clock_wall_ms(), .bytes = bytes, .sum = sum};
	char node[64];
	int64_t nodenum;
	int length = 0, result;

	if (sscanf(key, "%8" SCNd64 "-%" SCNd64 "-%" SCNd64 "-%n", &archive.cluster, &archive.operation, &nodenum, &length) < 3 || !length)
		return 0;
	snprintf(node, sizeof node, "%08" PRId64 "-%" PRId64, archive.cluster, nodenum);
	archive.node = node;
	archive.service = key + length;
	result = store_begin(store, err);
	if (result == 0)
		result = archives_record(store, &archive, err);
	return result == 0 ? store_commit(store, err) : -1;
}

/* Copies the row that rows stand at. */
static struct archive
archives_row(struct sql_rows *rows, struct arena *arena)
{
	return (struct archive){
		.id = sql_keep(rows, 0, arena),
		.cluster = sql_integer(rows, 1),
		.cluster_name = sql_keep(rows, 2, arena),
		.service = sql_keep(rows, 3, arena),
		.node = sql_keep(rows, 4, arena),
		.hostname = sql_keep(rows, 5, arena),
		.operation = sql_integer(rows, 6),
		.began_ms = sql_integer(rows, 7),
		.ended_ms = sql_integer(rows, 8),
		.bytes = sql_integer(rows, 9),
		.sum = sql_keep(rows, 10, arena),
	};
}

/* Adds all rows, and ends them. */
static int
archives_add_rows(struct sql_rows *rows, struct archive_list *list, struct error *err)
{
	int got;

	while ((got = sql_row(rows, err)) > 0) {
		ARRAY_ROOM(list->list, list->count, list->capacity);
		list->list[list->count++] = archives_row(rows, &list->arena);
	}
	sql_end(rows);
	return got;
}

/* Copies the first row, and ends them: 1, 0 where there is none, -1. */
static int
archives_first_row(struct sql_rows *rows, struct arena *arena, struct archive *archive, struct error *err)
{
	int got = sql_row(rows, err);

	if (got > 0)
		*archive = archives_row(rows, arena);
	sql_end(rows);
	return got;
}

/* Begins to read what the account may see of the archives for which condition holds. */
static struct sql_rows *
archives_visible(struct account *account, const char *condition, int64_t cluster, const char *id, struct error *err)
{
	char *text = memory_printf("SELECT " COLUMNS " FROM archive JOIN (SELECT id AS number FROM cluster WHERE %s) "
	    "ON number = archive.cluster WHERE leaving = 0 AND %s ORDER BY ended_ms DESC, archive.id DESC",
	    visible_anywhere(account), condition);
	struct sql_rows *rows = sql_query(account_sql(account), err, text, VISIBLE_TYPES "it", VISIBLE_VALUES(account), cluster, id);

	free(text);
	return rows;
}

int
archives_list(struct account *account, int64_t cluster, struct archive_list *list, struct error *err)
{
	return archives_add_rows(archives_visible(account, "(?6 = 0 OR archive.cluster = ?6) AND ?7 IS NULL", cluster, NULL, err),
	    list, err);
}

int
archives_find(struct account *account, const char *id, struct arena *arena, struct archive *archive, struct error *err)
{
	int got = archives_first_row(archives_visible(account, "?6 = 0 AND archive.id = ?7", 0, id, err), arena, archive, err);

	if (got == 0)
		return error_set(err, EX_NO, "there is no archive \"%s\"; coopr backup --list shows them", id);
	return got < 0 ? -1 : 0;
}

int
archives_newest(struct store *store, int64_t cluster, const char *service, const char *node, struct arena *arena,
    struct archive *archive, struct error *err)
{
	return archives_first_row(sql_query(store_sql(store), err, "SELECT " COLUMNS " FROM archive WHERE cluster = ?1 AND service = ?2 "
	    "AND (?3 IS NULL OR node = ?3) AND leaving = 0 ORDER BY ended_ms DESC, id DESC LIMIT 1", "itt", cluster, service, node),
	    arena, archive, err);
}

int
archives_of_service(struct store *store, int64_t cluster, const char *service, struct archive_list *list, struct error *err)
{
	return archives_add_rows(sql_query(store_sql(store), err, "SELECT " COLUMNS " FROM archive WHERE cluster = ? AND service = ? "
	    "AND leaving = 0 ORDER BY ended_ms DESC, id DESC", "it", cluster, service), list, err);
}

int
archives_of_tenant(struct store *store, int64_t tenant, struct archive_list *list, struct error *err)
{
	return archives_add_rows(sql_query(store_sql(store), err, "SELECT " COLUMNS " FROM archive WHERE tenant = ? ORDER BY id", "i", tenant),
	    list, err);
}

int
archives_leave(struct store *store, const char *id, struct error *err)
{
	return sql_change_alone(store_sql(store), err, "UPDATE archive SET leaving = 1 WHERE id = ?", "t", id);
}

int
archives_leaving(struct store *store, struct archive_list *list, struct error *err)
{
	return archives_add_rows(sql_query(store_sql(store), err, "SELECT " COLUMNS " FROM archive WHERE leaving = 1 ORDER BY id", ""),
	    list, err);
}

int
archives_forget(struct store *store, const char *id, struct error *err)
{
	return sql_change_alone(store_sql(store), err, "DELETE FROM archive WHERE id = ? AND leaving = 1", "t", id);
}

void
archive_list_release(struct archive_list *list)
{
	free(list->list);
	arena_release(&list->arena);
	*list = (struct archive_list){0};
}
