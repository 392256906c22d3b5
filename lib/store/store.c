/* SPDX-License-Identifier: Apache-2.0 */
#include "store/store.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/location.h"
#include "base/memory.h"
#include "store/engines.h"
#include "store/sql/installation-id.h"
#include "store/migration.h"
#include "store/sql/engine.h"
#include "store/sql/sql.h"

struct store {
	struct sql *sql;
	char *path;
	int64_t tenant;
	char *by;
	const char *why;
	bool is_new;
	enum origin origin;
};

/* Opens the database. One of an older version has to be written first, also for who only reads. */
static int
store_connect(struct store *store, enum store_mode mode, struct error *err)
{
	static const enum sql_open how[] = {[STORE_READ] = SQL_OPEN_READ, [STORE_WRITE] = SQL_OPEN_WRITE,
		[STORE_CREATE] = SQL_OPEN_CREATE, [STORE_MIGRATE] = SQL_OPEN_WRITE};
	const struct sql_engine *engine = store_engine_of(store->path, err);
	int older;

	store->sql = engine ? engine->open(store->path, how[mode], err) : NULL;
	if (!store->sql)
		return -1;
	older = migration_needed(store->sql, store->path, err);
	if (older <= 0)
		return older;
	if (mode == STORE_READ) {
		engine->close(store->sql);
		store->sql = engine->open(store->path, SQL_OPEN_WRITE, err);
	}
	return store->sql ? migration_run(store->sql, store->path, mode == STORE_MIGRATE, &store->is_new, err) : -1;
}

int
store_find_tenant(const struct store *store, const char *name, int64_t *tenant, struct error *err)
{
	return sql_number(store->sql, tenant, err, "SELECT id FROM tenant WHERE name = ? AND deleted_ms = 0", "t", name);
}

int
store_check_version(const char *path, struct error *err)
{
	const struct sql_engine *engine = store_engine_of(path, err);
	struct sql *sql = engine ? engine->open(path, SQL_OPEN_READ, err) : NULL;
	int result = sql && migration_needed(sql, path, err) >= 0 ? 0 : -1;

	if (sql)
		engine->close(sql);
	return result;
}

void
store_set_origin(struct store *store, enum origin origin)
{
	store->origin = origin;
}

enum origin
store_origin(const struct store *store)
{
	return store->origin;
}

int
store_open(struct store **opened, const char *path, enum store_mode mode, const char *tenant, struct error *err)
{
	struct store *store = memory_zeroed(1, sizeof *store);
	int got;

	store->path = location_store(path);
	store->origin = ORIGIN_TENANT;
	*opened = store;
	got = store_connect(store, mode, err) < 0 ? -1 : !tenant ? 1 : store_find_tenant(store, tenant, &store->tenant, err);
	if (got > 0)
		return 0;
	if (got == 0)
		error_absent(err, "%s: no tenant named \"%s\"; coopr tenant list shows the tenants", store->path, tenant);
	store_release(store);
	*opened = NULL;
	return -1;
}

void
store_release(struct store *store)
{
	if (!store)
		return;
	if (store->sql)
		store->sql->engine->close(store->sql);
	free(store->path);
	free(store->by);
	free(store);
}

const char *
store_path(const struct store *store)
{
	return store->path;
}

int
store_owner(const struct store *store, uid_t *owner, struct error *err)
{
	return store->sql->engine->owner(store->sql, owner, err);
}

bool
store_is_new(const struct store *store)
{
	return store->is_new;
}

int64_t
store_tenant(const struct store *store)
{
	return store->tenant;
}

void
store_set_tenant(struct store *store, int64_t tenant)
{
	store->tenant = tenant;
}

void
store_set_by(struct store *store, const char *by)
{
	free(store->by);
	store->by = memory_string(by);
}

void
store_set_why(struct store *store, const char *why)
{
	store->why = why;
}

const char *
store_by(const struct store *store)
{
	return store->by;
}

const char *
store_why(const struct store *store)
{
	return store->why;
}

int
store_begin(struct store *store, struct error *err)
{
	return store->sql->engine->begin(store->sql, err);
}

int
store_commit(struct store *store, struct error *err)
{
	return store->sql->engine->commit(store->sql, err);
}

void
store_rollback(struct store *store)
{
	store->sql->engine->rollback(store->sql);
}

int
store_finish(struct store *store, int result, struct error *err)
{
	if (result >= 0 && store_commit(store, err) == 0)
		return result;
	store_rollback(store);
	return -1;
}

int
store_changes(const struct store *store, int64_t *number, struct error *err)
{
	return store->sql->engine->changes(store->sql, number, err);
}

void
store_wipe(struct store *store)
{
	store->sql->engine->wipe(store->sql);
}

int
store_backup(struct store *store, const char *path, struct error *err)
{
	return store->sql->engine->backup(store->sql, path, INSTALLATION_MARK_COPY, err);
}

struct sql *
store_sql(const struct store *store)
{
	return store->sql;
}
