/* SPDX-License-Identifier: Apache-2.0 */
#include "store/resources.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "store/audit.h"
#include "store/sql/sql.h"
#include "store/store.h"

#define COLUMNS "plugin, type, resource.name, version, tenant.name, sum, bytes, format, mode, at, by, why, active, staged"
#define WANTED " AND deleted = 0 AND (?3 IS NULL OR plugin = ?3) AND (?4 IS NULL OR type = ?4) AND (?5 IS NULL OR resource.name = ?5) " \
	"AND (?6 = 0 OR version = ?6) AND (?7 = 4 OR active * 3 + staged * (1 - 2 * active) = ?7) "
#define SHARED "(SELECT id FROM tenant WHERE name = 'superadmin')"
#define OWN_AND_SHARED "(?1, " SHARED ") "
#define FROM "FROM resource JOIN tenant ON tenant.id = tenant "

/* The versions of one resource of a tenant that are not deleted. */
#define OF_ONE "tenant = ?1 AND plugin = ?2 AND type = ?3 AND name = ?4 AND deleted = 0 "
#define ONE_TYPES "ittt"
#define ONE_VALUES(store, of) store_tenant(store), (of)->plugin, (of)->type, (of)->name

static const char *const state_names[] = {"inactive", "staged", "active", "recalled"};

const char *
resource_state_name(enum resource_state state)
{
	return state_names[state];
}

enum resource_state
resource_state_of(const char *name)
{
	enum resource_state state = 0;

	while (state < RESOURCE_ANY && strcmp(state_names[state], name) != 0)
		state++;
	return state;
}

static int
resources_not_found(const struct resource_name *name, struct error *err)
{
	if (name->version)
		return error_absent(err, "resource %s/%s/%s: there is no version %" PRId64 "; coopr-resource list shows them", name->plugin,
		    name->type, name->name, name->version);
	return error_absent(err, "there is no resource %s/%s/%s; coopr-resource list shows them", name->plugin, name->type, name->name);
}

/* Copies the row that rows stand at. */
static struct resource
resources_row(struct sql_rows *rows, struct arena *arena)
{
	bool active = sql_integer(rows, 12) != 0, staged = sql_integer(rows, 13) != 0;

	return (struct resource){
		.name = {sql_keep(rows, 0, arena), sql_keep(rows, 1, arena), sql_keep(rows, 2, arena), sql_integer(rows, 3)},
		.tenant = sql_keep(rows, 4, arena),
		.sum = sql_keep(rows, 5, arena),
		.bytes = sql_integer(rows, 6),
		.is_archive = strcmp(sql_text(rows, 7), "archive") == 0,
		.mode = sql_integer(rows, 8),
		.at = sql_keep(rows, 9, arena),
		.by = sql_keep(rows, 10, arena),
		.why = sql_keep(rows, 11, arena),
		.state = active ? staged ? RESOURCE_ACTIVE : RESOURCE_RECALLED : staged ? RESOURCE_STAGED : RESOURCE_INACTIVE,
	};
}

/* Adds all rows, and ends them. */
static int
resources_add_rows(struct sql_rows *rows, struct resource_list *list, struct error *err)
{
	int got;

	while ((got = sql_row(rows, err)) > 0) {
		ARRAY_ROOM(list->list, list->count, list->capacity);
		list->list[list->count++] = resources_row(rows, &list->arena);
	}
	sql_end(rows);
	return got;
}

/* Copies the first row, and ends them: 1, 0 where there is none, -1. */
static int
resources_first_row(struct sql_rows *rows, struct arena *arena, struct resource *resource, struct error *err)
{
	int got = sql_row(rows, err);

	if (got > 0)
		*resource = resources_row(rows, arena);
	sql_end(rows);
	return got;
}

/* Sets *version to the newest that is not deleted, or checks that the one named is there: 0, or -1 with EX_NO. */
static int
resources_choose(struct store *store, const struct resource_name *name, int64_t *version, struct error *err)
{
	int got = sql_number(store_sql(store), version, err, "SELECT version FROM resource WHERE " OF_ONE "AND (?5 = 0 OR version = ?5) "
	    "ORDER BY version DESC LIMIT 1", ONE_TYPES "i", ONE_VALUES(store, name), name->version);

	return got == 0 ? resources_not_found(name, err) : got < 0 ? -1 : 0;
}

static int
resources_audit(struct store *store, const char *action, const struct resource_name *name, int64_t version, struct error *err)
{
	char *full = memory_printf("%s/%s/%s", name->plugin, name->type, name->name);
	const struct audit_event event = {.action = action, .kind = "resource", .name = full, .version = version};
	int result = audit_add(store, &event, err);

	free(full);
	return result;
}

/* Looks whether the newest version is what is to be added: 1 and its number, 0, -1. */
static int
resources_is_newest(struct store *store, struct resource *resource, struct error *err)
{
	return sql_number(store_sql(store), &resource->name.version, err, "SELECT version FROM resource WHERE " OF_ONE "AND sum = ?5 AND "
	    "format = ?6 AND mode = ?7 AND version = (SELECT max(version) FROM resource WHERE " OF_ONE ")", ONE_TYPES "tti",
	    ONE_VALUES(store, &resource->name), resource->sum, resource->is_archive ? "archive" : "file", resource->mode);
}

int
resources_add(struct store *store, struct resource *resource, struct error *err)
{
	struct resource_name *name = &resource->name;
	char now[CLOCK_RFC3339_SIZE];
	int same = resources_is_newest(store, resource, err), got;

	if (same != 0)
		return same < 0 ? -1 : 0;
	got = sql_number(store_sql(store), &name->version, err, "INSERT INTO resource (tenant, plugin, type, name, version, sum, bytes, "
	    "format, mode, at, by, why) SELECT ?1, ?2, ?3, ?4, coalesce(max(version), 0) + 1, ?5, ?6, ?7, ?8, ?9, ?10, ?11 FROM resource "
	    "WHERE tenant = ?1 AND plugin = ?2 AND type = ?3 AND name = ?4 RETURNING version", ONE_TYPES "titittt",
	    ONE_VALUES(store, name), resource->sum, resource->bytes, resource->is_archive ? "archive" : "file", resource->mode,
	    clock_rfc3339(clock_wall_ms(), now), store_by(store), store_why(store));
	return got < 0 || resources_audit(store, "upload", name, name->version, err) < 0 ? -1 : 1;
}

/* Has the next sync make no version active. */
static int
resources_stage_none(struct store *store, const struct resource_name *name, struct error *err)
{
	return sql_change(store_sql(store), err, "UPDATE resource SET staged = 0 WHERE " OF_ONE "AND staged = 1", ONE_TYPES,
	    ONE_VALUES(store, name));
}

static int
resources_recall_one(struct store *store, const struct resource_name *name, struct error *err)
{
	int64_t version, active = 1;
	int got;

	if (resources_choose(store, name, &version, err) < 0)
		return -1;
	got = sql_number(store_sql(store), &active, err, "SELECT active FROM resource WHERE " OF_ONE "AND staged = 1 AND (?5 = 0 OR "
	    "version = ?5)", ONE_TYPES "i", ONE_VALUES(store, name), name->version);
	if (got > 0)
		got = resources_stage_none(store, name, err);
	if (got == 0 && active == 0)
		got = sql_change(store_sql(store), err, "UPDATE resource SET staged = 1 WHERE " OF_ONE "AND active = 1", ONE_TYPES,
		    ONE_VALUES(store, name));
	return got;
}

int
resources_recall(struct store *store, const struct resource_name *name, struct error *err)
{
	return resources_recall_one(store, name, err) < 0 ? -1 : resources_audit(store, "recall", name, name->version, err);
}

int
resources_stage(struct store *store, const struct resource_name *name, struct error *err)
{
	int64_t version;

	if (resources_choose(store, name, &version, err) < 0 || resources_stage_none(store, name, err) < 0 ||
	    sql_change(store_sql(store), err, "UPDATE resource SET staged = 1 WHERE " OF_ONE "AND version = ?5", ONE_TYPES "i",
	        ONE_VALUES(store, name), version) < 0)
		return -1;
	return resources_audit(store, "stage", name, version, err);
}

int
resources_activate(struct store *store, const struct resource_name *name, struct error *err)
{
	int64_t version;

	if (resources_choose(store, name, &version, err) < 0 ||
	    sql_change(store_sql(store), err, "UPDATE resource SET active = 0, staged = 0 WHERE " OF_ONE "AND (active = 1 OR staged = 1) AND "
	        "version <> ?5", ONE_TYPES "i", ONE_VALUES(store, name), version) < 0 ||
	    sql_change(store_sql(store), err, "UPDATE resource SET active = 1, staged = 1 WHERE " OF_ONE "AND version = ?5", ONE_TYPES "i",
	        ONE_VALUES(store, name), version) < 0)
		return -1;
	return resources_audit(store, "activate", name, version, err);
}

/* The recalled versions go first: of each resource at most one version is active. */
int
resources_sync(struct store *store, struct error *err)
{
	const struct audit_event event = {.action = "sync", .kind = "resource", .name = "*"};

	if (sql_change(store_sql(store), err, "UPDATE resource SET active = 0 WHERE tenant = ? AND active = 1 AND staged = 0", "i",
	        store_tenant(store)) < 0 ||
	    sql_change(store_sql(store), err, "UPDATE resource SET active = 1 WHERE tenant = ? AND staged = 1 AND active = 0", "i",
	        store_tenant(store)) < 0)
		return -1;
	return audit_add(store, &event, err);
}

int
resources_list_pending(struct store *store, struct resource_list *list, struct error *err)
{
	return resources_add_rows(sql_query(store_sql(store), err, "SELECT " COLUMNS " " FROM "WHERE tenant = ?1 AND deleted = 0 AND "
	    "active <> staged ORDER BY plugin, type, resource.name, version", "i", store_tenant(store)), list, err);
}

int
resources_delete(struct store *store, const struct resource_name *name, struct error *err)
{
	int64_t version, used;
	int got;

	if (resources_choose(store, name, &version, err) < 0)
		return -1;
	got = sql_number(store_sql(store), &used, err, "SELECT active FROM resource WHERE " OF_ONE "AND version = ?5 AND (active = 1 OR "
	    "staged = 1)", ONE_TYPES "i", ONE_VALUES(store, name), version);
	if (got < 0)
		return -1;
	if (got > 0)
		return error_set(err, EX_TEMPFAIL, "resource %s/%s/%s: version %" PRId64 " is %s; recall it%s first", name->plugin, name->type,
		    name->name, version, used ? "active" : "staged", used ? ", and sync," : "");
	if (sql_change(store_sql(store), err, "UPDATE resource SET deleted = 1 WHERE " OF_ONE "AND version = ?5", ONE_TYPES "i",
	        ONE_VALUES(store, name), version) < 0)
		return -1;
	return resources_audit(store, "delete", name, version, err);
}

int
resources_list(struct store *store, const struct resource_name *name, enum resource_state state, bool shared,
    struct resource_list *list, struct error *err)
{
	/* Each half is in the order of the primary key: nothing is sorted. */
	return resources_add_rows(sql_query(store_sql(store), err, "SELECT " COLUMNS ", 0 AS other " FROM "WHERE tenant = ?1" WANTED
	    "UNION ALL SELECT " COLUMNS ", 1 " FROM "WHERE ?2 AND tenant <> ?1 AND tenant = " SHARED WANTED
	    "ORDER BY plugin, type, resource.name, other, version",
	    "iitttii", store_tenant(store), (int64_t)shared, name->plugin, name->type, name->name, name->version, (int64_t)state), list, err);
}

int
resources_find(struct store *store, const struct resource_name *name, struct arena *arena, struct resource *resource,
    struct error *err)
{
	int got = resources_first_row(sql_query(store_sql(store), err, "SELECT " COLUMNS " " FROM "WHERE tenant IN " OWN_AND_SHARED "AND "
	    "plugin = ?2 AND type = ?3 AND resource.name = ?4 AND deleted = 0 AND (?5 = 0 OR version = ?5) "
	    "ORDER BY tenant <> ?1, active DESC, version DESC LIMIT 1", ONE_TYPES "i", ONE_VALUES(store, name), name->version), arena,
	    resource, err);

	return got == 0 ? resources_not_found(name, err) : got < 0 ? -1 : 0;
}

int
resources_find_active(struct store *store, const struct resource_name *name, struct arena *arena, struct resource *resource,
    struct error *err)
{
	return resources_first_row(sql_query(store_sql(store), err, "SELECT " COLUMNS " " FROM "WHERE tenant IN " OWN_AND_SHARED "AND "
	    "plugin = ?2 AND type = ?3 AND resource.name = ?4 AND active = 1 AND deleted = 0 ORDER BY tenant <> ?1 LIMIT 1",
	    ONE_TYPES, ONE_VALUES(store, name)), arena, resource, err);
}

int
resources_name_sum(struct store *store, const char *sum, struct error *err)
{
	int64_t one;

	return sql_number(store_sql(store), &one, err, "SELECT 1 FROM resource WHERE sum = ? AND deleted = 0 LIMIT 1", "t", sum);
}

void
resource_list_release(struct resource_list *list)
{
	free(list->list);
	arena_release(&list->arena);
	*list = (struct resource_list){0};
}
