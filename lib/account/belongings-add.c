/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "account/account-history.h"
#include "account/belongings.h"
#include "base/error.h"
#include "store/sql/sql.h"
#include "store/store.h"

/* The row of an entity refers to its newest version, which is there before the commit. */
int
belongings_add_revision(struct store *store, const struct belongings_revision *revision, struct error *err)
{
	struct sql *db = store_sql(store);
	int64_t entity;
	int got = sql_number(db, &entity, err, "UPDATE entity SET version = ?4, present = ?5 WHERE tenant = ?1 AND kind = ?2 AND name = ?3 AND "
	    "version = ?4 - 1 RETURNING id", "ittii", store_tenant(store), revision->kind, revision->name, revision->version,
	    (int64_t)(revision->document != NULL));

	if (got == 0 && revision->version != 1)
		return error_set(err, EX_DATAERR, "%s %s: version %lld does not follow the one before it", revision->kind, revision->name,
		    (long long)revision->version);
	if (got == 0)
		got = sql_number(db, &entity, err, "INSERT INTO entity (tenant, kind, name, version, present) VALUES (?, ?, ?, 1, ?) "
		    "RETURNING id", "itti", store_tenant(store), revision->kind, revision->name, (int64_t)(revision->document != NULL));
	if (got <= 0)
		return -1;
	return sql_change(db, err, "INSERT INTO revision (entity, version, at, by, why, document, origin) VALUES (?, ?, ?, ?, ?, ?, ?)",
	    "iittttt", entity, revision->version, revision->at, revision->by, revision->why, revision->document, revision->origin);
}

int
belongings_add_resource(struct store *store, const struct belongings_resource *resource, struct error *err)
{
	return sql_change(store_sql(store), err, "INSERT INTO resource (tenant, plugin, type, name, version, sum, bytes, format, mode, at, by, "
	    "why, active, staged, deleted) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", "itttitititttiii",
	    store_tenant(store), resource->plugin, resource->type, resource->name, resource->version, resource->sum, resource->bytes,
	    resource->format, resource->mode, resource->at, resource->by, resource->why, resource->active, resource->staged,
	    resource->deleted);
}

int
belongings_add_member(struct store *store, const char *user, const char *role, const char *groups, struct error *err)
{
	if (sql_change(store_sql(store), err, "INSERT INTO member (tenant, user, role, groups) VALUES (?, ?, ?, ?)", "ittt",
	    store_tenant(store), user, role, groups) < 0)
		return -1;
	return account_history_add_member(store, store_tenant(store), user, role, groups, err);
}
