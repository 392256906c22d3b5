/* SPDX-License-Identifier: Apache-2.0 */
#include "account/belongings.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "store/audit.h"
#include "store/sql/sql.h"
#include "store/store.h"

#define DELETED "deleted_ms > 0 AND substr(name, 1, instr(name, '~') - 1) = ?"

enum by { BY_TENANT, BY_NUMBER, BY_NAME, BY_CLUSTER, BY_ID, BY_NODE, BY_ENTITY, BY_COUNT };

/* Conditions by which a tenant's rows are found. The lists of clusters and entities are taken before anything is deleted. */
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
	const char *columns; /* that belong to it, and not to the installation: no numbers of rows, no values of secrets; NULL: none */
} tables[] = {
	{"hook_message", BY_NAME, NULL}, /* what the installation's hooks have not got yet */
	{"claim_mark", BY_NODE, "kind value node"},
	{"claim", BY_ID, "machine node provider cluster hostname at_ms"},
	{"archive", BY_TENANT, "id cluster cluster_name service node hostname operation began_ms ended_ms bytes sum"},
	{"volume_use", BY_CLUSTER, "volume cluster size_gb cost from_ms to_ms"},
	{"volume", BY_TENANT, "id provider zone service name cluster node promised of size_gb keep is_snapshot is_blank leaving made_ms gone_ms "
	    "freed_ms"},
	{"operation_document", BY_CLUSTER, "cluster number wish before wanted prices"},
	{"operation_file", BY_CLUSTER, "cluster number name content"},
	{"operation", BY_CLUSTER, "cluster number action user why begun_ms ended_ms status job message was template"},
	{"node_use", BY_CLUSTER, "cluster node hardwaretype cost capacity from_ms to_ms"},
	{"cluster_document", BY_CLUSTER, "cluster wish layout"},
	{"cluster_secret", BY_CLUSTER, "cluster number name version at by"},
	{"cluster_login", BY_CLUSTER, "cluster name version at by"},
	{"applied", BY_CLUSTER, "cluster origin spec revision made"},
	{"observation", BY_CLUSTER, "cluster node service answer message by observed_ms since_ms"},
	{"fault", BY_CLUSTER, "cluster node service what stage told_ms"},
	{"repair", BY_CLUSTER, "cluster node service operation round"},
	{"cluster", BY_TENANT, "id name owner grp template provider status message created_ms changed_ms expires_ms lease_max_ms "
	    "lease_step_ms nodes cost resources peak_nodes peak_cost peak_resources revision operation "
	    "reminded_ms instances ready condition observed_ms lease_discards_data address address_shared stopped"},
	{"revision", BY_ENTITY, "kind name version at by why document origin"},
	{"entity", BY_TENANT, NULL}, /* its revisions say it all */
	{"resource", BY_TENANT, "plugin type name version sum bytes format mode at by why active staged deleted"},
	{"secret", BY_TENANT, "name version at by readers"},
	{"member", BY_TENANT, "user role groups"},
	{"profile", BY_TENANT, "user document"},
	{"provisioner_token", BY_TENANT, NULL},
	{"provisioner_task", BY_TENANT, NULL},
	{"token", BY_TENANT, NULL}, /* what lets somebody in here is of no use elsewhere */
	{"login", BY_TENANT, NULL},
	{"account_history", BY_TENANT, "kind name at_ms by why document"},
	{"tenant", BY_NUMBER, "name document"},
};

enum { TABLES = sizeof tables / sizeof *tables };

/* Adds the first column of each row, and ends them. */
static int
belongings_add_texts(struct sql_rows *rows, struct arguments *texts, struct error *err)
{
	int got;

	while ((got = sql_row(rows, err)) > 0)
		arguments_push(texts, sql_text(rows, 0));
	sql_end(rows);
	return got;
}

static int
belongings_read(struct store *store, struct belongings *its, struct error *err)
{
	struct sql *db = store_sql(store);

	if (belongings_add_texts(sql_query(db, err, "SELECT printf('%08d', id) FROM cluster WHERE tenant = ? ORDER BY id", "i",
	        its->tenant), &its->clusters, err) < 0)
		return -1;
	return belongings_add_texts(sql_query(db, err, "SELECT DISTINCT name FROM entity WHERE tenant = ?1 AND kind IN ('service', 'provider', "
	    "'hardwaretype', 'imagetype') AND name NOT IN (SELECT name FROM entity WHERE tenant <> ?1)", "i", its->tenant),
	    &its->names, err) < 0 ? -1 : 1;
}

int
belongings_find(struct store *store, const char *name, struct belongings *its, struct error *err)
{
	int got;

	*its = (struct belongings){.name = name};
	got = store_find_tenant(store, name, &its->tenant, err);
	return got <= 0 ? got : belongings_read(store, its, err);
}

int
belongings_find_deleted(struct store *store, const char *name, struct belongings *its, struct error *err)
{
	int got;

	*its = (struct belongings){.name = name};
	got = sql_number(store_sql(store), &its->tenant, err, "SELECT id FROM tenant WHERE " DELETED " ORDER BY id LIMIT 1", "t", name);
	return got <= 0 ? got : belongings_read(store, its, err);
}

int
belongings_name_digest(struct store *store, const struct belongings *its, const char *digest, struct error *err)
{
	int64_t one;

	return sql_number(store_sql(store), &one, err, "SELECT 1 FROM resource WHERE tenant = ?1 AND sum = ?2 UNION ALL "
	    "SELECT 1 FROM cluster_document JOIN cluster ON id = cluster WHERE tenant = ?1 AND (instr(wish, ?2) > 0 OR instr(layout, ?2) > 0) "
	    "UNION ALL SELECT 1 FROM operation_document AS its JOIN cluster ON id = its.cluster WHERE tenant = ?1 AND "
	    "(instr(its.wish, ?2) > 0 OR instr(before, ?2) > 0 OR instr(wanted, ?2) > 0) LIMIT 1", "it", its->tenant, digest);
}

struct belongings_rows {
	struct sql *db;
	const struct belongings *its;
	char *clusters, *entities; /* JSON: [1,2] */
};

/* Begins the statement that has the condition of the table behind it. */
static struct sql_rows *
belongings_query(const struct belongings_rows *rows_of, const char *statement, size_t table, struct error *err)
{
	enum by by = tables[table].by;
	const char *text = by == BY_NAME ? rows_of->its->name : by == BY_ENTITY ? rows_of->entities : rows_of->clusters;
	const char *order = *statement == 'S' && strstr(statement, "AS row") ? " ORDER BY row" : "";
	char *full = memory_printf("%s %s WHERE %s%s", statement, tables[table].name, conditions[by].where, order);
	struct sql_rows *rows = conditions[by].type == 'i' ? sql_query(rows_of->db, err, full, "i", rows_of->its->tenant)
	    : sql_query(rows_of->db, err, full, "t", text);

	free(full);
	return rows;
}

static int
belongings_count(const struct belongings_rows *rows_of, size_t table, int64_t *count, struct error *err)
{
	struct sql_rows *rows = belongings_query(rows_of, "SELECT count(*) FROM", table, err);
	int got = sql_row(rows, err);

	*count = got > 0 ? sql_integer(rows, 0) : 0;
	sql_end(rows);
	return got < 0 ? -1 : 0;
}

static int
belongings_delete(const struct belongings_rows *rows_of, size_t table, struct error *err)
{
	struct sql_rows *rows = belongings_query(rows_of, "DELETE FROM", table, err);
	int got = sql_row(rows, err);

	sql_end(rows);
	return got < 0 ? -1 : 0;
}

/* Returns the first column of the only row; the caller's to free, NULL with a reason. */
static char *
belongings_ids(struct sql_rows *rows, struct error *err)
{
	char *text = sql_row(rows, err) > 0 ? sql_copy(rows, 0) : NULL;

	sql_end(rows);
	return text;
}

static int
belongings_delete_all(const struct belongings_rows *rows_of, belongings_tell *tell, void *context, struct error *err)
{
	int64_t removed[TABLES], left;

	for (size_t i = 0; i < TABLES; i++)
		if (belongings_count(rows_of, i, &removed[i], err) < 0)
			return -1;
	for (size_t i = 0; i < TABLES; i++)
		if (belongings_delete(rows_of, i, err) < 0)
			return -1;
	for (size_t i = 0; i < TABLES; i++) {
		if (belongings_count(rows_of, i, &left, err) < 0)
			return -1;
		tell(context, tables[i].name, removed[i], left);
	}
	return 0;
}

/* Takes the lists of clusters and entities. */
static int
belongings_rows_find(struct belongings_rows *rows_of, struct store *store, const struct belongings *its, struct error *err)
{
	*rows_of = (struct belongings_rows){.db = store_sql(store), .its = its};
	rows_of->clusters = belongings_ids(sql_query(rows_of->db, err, "SELECT '[' || coalesce(group_concat(id), '') || ']' FROM cluster "
	    "WHERE tenant = ?", "i", its->tenant), err);
	if (rows_of->clusters)
		rows_of->entities = belongings_ids(sql_query(rows_of->db, err, "SELECT '[' || coalesce(group_concat(id), '') || ']' FROM entity "
		    "WHERE tenant = ?", "i", its->tenant), err);
	return rows_of->entities ? 0 : -1;
}

static void
belongings_rows_release(struct belongings_rows *rows_of)
{
	free(rows_of->clusters);
	free(rows_of->entities);
}

int
belongings_erase(struct store *store, const struct belongings *its, belongings_tell *tell, void *context, struct error *err)
{
	const struct audit_event event = {.tenant = its->tenant, .action = "erase", .kind = "tenant", .name = its->name};
	struct belongings_rows rows_of;
	int result = belongings_rows_find(&rows_of, store, its, err);

	if (result == 0)
		result = audit_add(store, &event, err);
	if (result == 0)
		result = belongings_delete_all(&rows_of, tell, context, err);
	belongings_rows_release(&rows_of);
	return result;
}

/* Returns the statement that gives each row of a table as a JSON object; the caller's to free. */
static char *
belongings_select(size_t table)
{
	struct buffer text = {0};
	const char *at = tables[table].columns;

	buffer_text(&text, "SELECT json_object(");
	while (*at) {
		int length = (int)strcspn(at, " ");
		bool of_entity = tables[table].by == BY_ENTITY && (strncmp(at, "kind ", 5) == 0 || strncmp(at, "name ", 5) == 0);

		buffer_printf(&text, at == tables[table].columns ? "'%.*s', " : ", '%.*s', ", length, at);
		if (of_entity)
			buffer_printf(&text, "(SELECT %.*s FROM entity WHERE id = entity)", length, at);
		else if (strncmp(at, "content", 7) == 0) /* kept as bytes */
			buffer_printf(&text, "CAST(content AS TEXT)");
		else
			buffer_printf(&text, "%.*s", length, at);
		at += length;
		at += *at == ' ';
	}
	buffer_text(&text, ") AS row FROM");
	return text.data;
}

static int
belongings_list_table(const struct belongings_rows *rows_of, size_t table, belongings_row *row, void *context, struct error *err)
{
	char *statement = belongings_select(table);
	struct sql_rows *rows = belongings_query(rows_of, statement, table, err);
	int got;

	while ((got = sql_row(rows, err)) > 0)
		if (row(context, tables[table].name, sql_text(rows, 0), err) < 0) {
			got = -1;
			break;
		}
	sql_end(rows);
	free(statement);
	return got;
}

int
belongings_list(struct store *store, const struct belongings *its, belongings_row *row, void *context, struct error *err)
{
	struct belongings_rows rows_of;
	int result = belongings_rows_find(&rows_of, store, its, err);

	for (size_t i = TABLES; i-- > 0 && result == 0;)
		if (tables[i].columns)
			result = belongings_list_table(&rows_of, i, row, context, err);
	belongings_rows_release(&rows_of);
	return result;
}

void
belongings_release(struct belongings *its)
{
	arguments_release(&its->clusters);
	arguments_release(&its->names);
}
