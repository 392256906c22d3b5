/* SPDX-License-Identifier: Apache-2.0 */
#include "account/erasure.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "store/audit.h"
#include "store/sql/sql.h"
#include "store/store.h"

#define DELETED "deleted_ms > 0 AND substr(name, 1, instr(name, '~') - 1) = ?"

enum by { BY_TENANT, BY_NUMBER, BY_NAME, BY_CLUSTER, BY_ID, BY_NODE, BY_ENTITY, BY_COUNT };

/* How rows of the tenant are known. The lists of clusters and entities are taken before anything is deleted. */
static const struct {
	const char *where;
	char type;
} conditions[BY_COUNT] = {
	[BY_TENANT] = {"tenant = ?", 'i'},
	[BY_NUMBER] = {"id = ?", 'i'},
	[BY_NAME] = {"tenant = ?", 't'},
	[BY_CLUSTER] = {"cluster IN (SELECT value FROM json_each(?))", 't'},
	[BY_ID] = {"CAST(cluster AS INTEGER) IN (SELECT value FROM json_each(?))", 't'},
	[BY_NODE] = {"CAST(substr(node, 1, instr(node, '-') - 1) AS INTEGER) IN (SELECT value FROM json_each(?))", 't'},
	[BY_ENTITY] = {"entity IN (SELECT value FROM json_each(?))", 't'},
};

/* Every table that has something of tenants, but the audit log; in an order in which no row refers to one that is gone. */
static const struct {
	const char *name;
	enum by by;
} tables[] = {
	{"hook_message", BY_NAME},
	{"claim_mark", BY_NODE},
	{"claim", BY_ID},
	{"archive", BY_TENANT},
	{"operation_document", BY_CLUSTER},
	{"operation_file", BY_CLUSTER},
	{"operation", BY_CLUSTER},
	{"node_use", BY_CLUSTER},
	{"cluster_document", BY_CLUSTER},
	{"cluster_secret", BY_CLUSTER},
	{"cluster_login", BY_CLUSTER},
	{"applied", BY_CLUSTER},
	{"observation", BY_CLUSTER},
	{"fault", BY_CLUSTER},
	{"repair", BY_CLUSTER},
	{"cluster", BY_TENANT},
	{"revision", BY_ENTITY},
	{"entity", BY_TENANT},
	{"resource", BY_TENANT},
	{"secret", BY_TENANT},
	{"member", BY_TENANT},
	{"account_history", BY_TENANT},
	{"tenant", BY_NUMBER},
};

enum { TABLES = sizeof tables / sizeof *tables };

/* Adds the first column of each row, and ends them. */
static int
erasure_add_texts(struct sql_rows *rows, struct arguments *texts, struct error *err)
{
	int got;

	while ((got = sql_row(rows, err)) > 0)
		arguments_push(texts, sql_text(rows, 0));
	sql_end(rows);
	return got;
}

int
erasure_find(struct store *store, const char *name, struct erasure *erasure, struct error *err)
{
	struct sql *db = store_sql(store);
	int got;

	*erasure = (struct erasure){.name = name};
	got = sql_number(db, &erasure->tenant, err, "SELECT id FROM tenant WHERE " DELETED " ORDER BY id LIMIT 1", "t", name);
	if (got <= 0)
		return got;
	if (erasure_add_texts(sql_query(db, err, "SELECT printf('%08d', id) FROM cluster WHERE tenant = ? ORDER BY id", "i",
	        erasure->tenant), &erasure->clusters, err) < 0)
		return -1;
	return erasure_add_texts(sql_query(db, err, "SELECT DISTINCT name FROM entity WHERE tenant = ?1 AND kind IN ('service', 'provider', "
	    "'hardwaretype', 'imagetype') AND name NOT IN (SELECT name FROM entity WHERE tenant <> ?1)", "i", erasure->tenant),
	    &erasure->names, err) < 0 ? -1 : 1;
}

int
erasure_names_digest(struct store *store, const struct erasure *erasure, const char *digest, struct error *err)
{
	int64_t one;

	return sql_number(store_sql(store), &one, err, "SELECT 1 FROM resource WHERE tenant = ?1 AND sum = ?2 UNION ALL "
	    "SELECT 1 FROM cluster_document JOIN cluster ON id = cluster WHERE tenant = ?1 AND (instr(wish, ?2) > 0 OR instr(layout, ?2) > 0) "
	    "UNION ALL SELECT 1 FROM operation_document AS its JOIN cluster ON id = its.cluster WHERE tenant = ?1 AND "
	    "(instr(its.wish, ?2) > 0 OR instr(before, ?2) > 0 OR instr(wanted, ?2) > 0) LIMIT 1", "it", erasure->tenant, digest);
}

struct erasing {
	struct sql *db;
	const struct erasure *erasure;
	char *clusters, *entities; /* JSON: [1,2] */
};

/* Begins the statement that has the condition of the table behind it. */
static struct sql_rows *
erasure_query(const struct erasing *erasing, const char *statement, size_t table, struct error *err)
{
	enum by by = tables[table].by;
	const char *text = by == BY_NAME ? erasing->erasure->name : by == BY_ENTITY ? erasing->entities : erasing->clusters;
	char *full = memory_printf("%s %s WHERE %s", statement, tables[table].name, conditions[by].where);
	struct sql_rows *rows = conditions[by].type == 'i' ? sql_query(erasing->db, err, full, "i", erasing->erasure->tenant)
	    : sql_query(erasing->db, err, full, "t", text);

	free(full);
	return rows;
}

static int
erasure_count(const struct erasing *erasing, size_t table, int64_t *count, struct error *err)
{
	struct sql_rows *rows = erasure_query(erasing, "SELECT count(*) FROM", table, err);
	int got = sql_row(rows, err);

	*count = got > 0 ? sql_integer(rows, 0) : 0;
	sql_end(rows);
	return got < 0 ? -1 : 0;
}

static int
erasure_delete(const struct erasing *erasing, size_t table, struct error *err)
{
	struct sql_rows *rows = erasure_query(erasing, "DELETE FROM", table, err);
	int got = sql_row(rows, err);

	sql_end(rows);
	return got < 0 ? -1 : 0;
}

/* Returns the first column of the only row; the caller's to free, NULL with a reason. */
static char *
erasure_ids(struct sql_rows *rows, struct error *err)
{
	char *text = sql_row(rows, err) > 0 ? sql_copy(rows, 0) : NULL;

	sql_end(rows);
	return text;
}

static int
erasure_delete_all(const struct erasing *erasing, erasure_tell *tell, void *context, struct error *err)
{
	int64_t removed[TABLES], left;

	for (size_t i = 0; i < TABLES; i++)
		if (erasure_count(erasing, i, &removed[i], err) < 0)
			return -1;
	for (size_t i = 0; i < TABLES; i++)
		if (erasure_delete(erasing, i, err) < 0)
			return -1;
	for (size_t i = 0; i < TABLES; i++) {
		if (erasure_count(erasing, i, &left, err) < 0)
			return -1;
		tell(context, tables[i].name, removed[i], left);
	}
	return 0;
}

int
erasure_do(struct store *store, const struct erasure *erasure, erasure_tell *tell, void *context, struct error *err)
{
	const struct audit_event event = {.tenant = erasure->tenant, .action = "erase", .kind = "tenant", .name = erasure->name};
	struct erasing erasing = {.db = store_sql(store), .erasure = erasure};
	int result = -1;

	erasing.clusters = erasure_ids(sql_query(erasing.db, err, "SELECT '[' || coalesce(group_concat(id), '') || ']' FROM cluster "
	    "WHERE tenant = ?", "i", erasure->tenant), err);
	if (erasing.clusters)
		erasing.entities = erasure_ids(sql_query(erasing.db, err, "SELECT '[' || coalesce(group_concat(id), '') || ']' FROM entity "
		    "WHERE tenant = ?", "i", erasure->tenant), err);
	if (erasing.entities && audit_add(store, &event, err) == 0)
		result = erasure_delete_all(&erasing, tell, context, err);
	free(erasing.clusters);
	free(erasing.entities);
	return result;
}

void
erasure_release(struct erasure *erasure)
{
	arguments_release(&erasure->clusters);
	arguments_release(&erasure->names);
}
