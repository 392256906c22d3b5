/* SPDX-License-Identifier: Apache-2.0 */
#include "account/tenants.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "account/account-history.h"
#include "account/accounts.h"
#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/plural.h"
#include "base/process.h"
#include "base/suggest.h"
#include "json/json.h"
#include "store/entities.h"
#include "store/sql/sql.h"

/* Sets the error for a tenant that is not there, with a similar one that the account sees; NULL: a superadmin's, who sees all. */
static int
tenants_no_tenant(struct store *store, const struct account *account, const char *name, struct error *err)
{
	struct error ignored; /* then no similar one is named */
	struct sql_rows *rows = sql_query(store_sql(store), &ignored, "SELECT name FROM tenant WHERE deleted_ms = 0 AND (?1 OR id = ?2 "
	    "OR id IN (SELECT tenant FROM member WHERE user = ?3)) ORDER BY name", "iit",
	    (int64_t)(!account || account->role == ACCOUNT_SUPERADMIN), store_tenant(store), account ? account_member(account) : "");
	struct arguments names = {0};

	while (sql_row(rows, &ignored) > 0)
		arguments_push(&names, sql_text(rows, 0));
	sql_end(rows);
	error_absent(err, "no tenant named \"%s\"", name);
	suggest_or_say(err, name, (const char *const *)names.list, "coopr tenant list shows the tenants");
	arguments_release(&names);
	return -1;
}

int
tenants_list(struct account *account, const char *name, struct tenant_list *list, struct error *err)
{
	struct sql_rows *rows = sql_query(account_sql(account), err, "SELECT id, name, document FROM tenant WHERE deleted_ms = 0 "
	    "AND (?1 OR id = ?2 OR id IN (SELECT tenant FROM member WHERE user = ?3)) AND (?4 IS NULL OR name = ?4) ORDER BY name",
	    "iitt", (int64_t)(account->role == ACCOUNT_SUPERADMIN), store_tenant(account->store), account_member(account), name);
	int got;

	while ((got = sql_row(rows, err)) > 0) {
		ARRAY_ROOM(list->list, list->count, list->capacity);
		list->list[list->count++] = (struct tenant_record){.id = sql_integer(rows, 0),
			.name = arena_string(&list->arena, sql_text(rows, 1)),
			.document = arena_string(&list->arena, sql_text(rows, 2))};
	}
	sql_end(rows);
	if (got == 0 && name && list->count == 0)
		return tenants_no_tenant(account->store, account, name, err);
	return got;
}

int
tenants_measure(struct account *account, struct tenant_list *list, struct error *err)
{
	int got = 0;

	for (size_t i = 0; i < list->count && got == 0; i++) {
		struct tenant_record *tenant = &list->list[i];

		got = quota_read(account->store, tenant->id, &list->arena, &tenant->limit, err);
		if (got == 0)
			got = quota_use(account->store, tenant->id, 0, &list->arena, &tenant->use, err);
	}
	return got;
}

/* Makes a tenant, or changes its document, and sets *id to its number. */
static int
tenants_put_document(struct store *store, enum tenants_put how, const char *name, const char *text, int64_t *id,
    struct error *err)
{
	int got = store_find_tenant(store, name, id, err);

	if (got < 0)
		return -1;
	if (how == TENANTS_CREATE && got > 0)
		return error_set(err, EX_NO, "tenant %s: it exists already", name);
	if (how == TENANTS_CHANGE && got == 0)
		return tenants_no_tenant(store, NULL, name, err);
	if (how == TENANTS_CREATE) {
		if (sql_number(store_sql(store), id, err, "INSERT INTO tenant (name, document) VALUES (?, ?) RETURNING id", "tt", name,
		    text) < 0)
			return -1;
	} else if (sql_change(store_sql(store), err, "UPDATE tenant SET document = ? WHERE id = ?", "ti", text, *id) < 0) {
		return -1;
	}
	return account_history_add(store, *id, "tenant", name, text, err);
}

int
tenants_add(struct store *store, const char *name, const char *document, int64_t *id, struct error *err)
{
	return tenants_put_document(store, TENANTS_CREATE, name, document, id, err);
}

/* Copies all entities of one tenant to another; all that they refer to comes with them. */
static int
tenants_copy_entities(struct store *store, int64_t from, int64_t to, size_t *copied, struct error *err)
{
	int64_t asked_for = store_tenant(store), version;
	struct revisions list = {0};
	int result;

	store_set_tenant(store, from);
	result = entities_list(store, ENTITY_NONE, &list, err);
	store_set_tenant(store, to);
	for (size_t i = 0; i < list.count && result >= 0; i++) {
		const struct revision *revision = &list.list[i];
		jv document;

		result = json_parse(revision->name, revision->text, strlen(revision->text), &document, err);
		if (result == 0) {
			result = entities_put(store, revision->kind, revision->name, document, VERSION_ANY, &version, err);
			jv_free(document);
		}
	}
	store_set_tenant(store, asked_for);
	*copied = list.count;
	revisions_release(&list);
	return result < 0 ? -1 : 0;
}

int
tenants_put(struct account *account, enum tenants_put how, jv document, bool bootstrap, size_t *copied,
    struct error *err)
{
	struct store *store = account->store;
	struct buffer text = {0};
	int64_t id = 0, from = 0;
	char *name;
	int result;

	*copied = 0;
	if (account_need(account, ACCOUNT_SUPERADMIN, "tenants and their quotas", err) < 0 || store_begin(store, err) < 0)
		return -1;
	name = json_get_string(document, "name");
	json_dump(document, &text);
	result = tenants_put_document(store, how, name, text.data, &id, err);
	if (result == 0 && bootstrap)
		result = store_find_tenant(store, RIGHTS_SUPERADMIN, &from, err) > 0 ? tenants_copy_entities(store, from, id, copied, err) : -1;
	buffer_release(&text);
	free(name);
	return store_finish(store, result, err);
}

static int
tenants_delete_entities(struct store *store, int64_t tenant, struct error *err)
{
	int64_t asked_for = store_tenant(store);
	struct revisions list = {0};
	int result;

	store_set_tenant(store, tenant);
	result = entities_list(store, ENTITY_NONE, &list, err);
	for (size_t i = 0; i < list.count && result == 0; i++)
		result = entities_delete(store, list.list[i].kind, list.list[i].name, VERSION_ANY, err);
	store_set_tenant(store, asked_for);
	revisions_release(&list);
	return result;
}

int
tenants_check_delete(struct store *store, const char *name, int64_t *id, struct error *err)
{
	int64_t clusters = 0;
	int got = store_find_tenant(store, name, id, err);

	if (got == 0)
		return tenants_no_tenant(store, NULL, name, err);
	if (got < 0)
		return -1;
	if (strcmp(name, RIGHTS_SUPERADMIN) == 0 || strcmp(name, "default") == 0)
		return error_set(err, EX_NO, "tenant %s: it always exists, and cannot be deleted", name);
	if (sql_number(store_sql(store), &clusters, err, "SELECT count(*) FROM cluster WHERE tenant = ? AND status <> 'terminated'", "i",
	    *id) < 0)
		return -1;
	if (clusters > 0)
		return error_set(err, EX_NO, "tenant %s: it has %" PRId64 " cluster%s; delete %s first", name, clusters,
		    plural(clusters, "", "s"), plural(clusters, "it", "them"));
	return 0;
}

/* Deletes a tenant. Its row stays, for what refers to it, under a name that none can have. */
static int
tenants_delete_one(struct store *store, const char *name, struct error *err)
{
	int64_t id = 0;

	if (tenants_check_delete(store, name, &id, err) < 0 || tenants_delete_entities(store, id, err) < 0)
		return -1;
	if (sql_change(store_sql(store), err, "DELETE FROM member WHERE tenant = ?", "i", id) < 0 ||
	    sql_change(store_sql(store), err, "DELETE FROM profile WHERE tenant = ?", "i", id) < 0 ||
	    sql_change(store_sql(store), err, "DELETE FROM secret WHERE tenant = ?", "i", id) < 0 ||
	    sql_change(store_sql(store), err, "DELETE FROM provisioner_token WHERE tenant = ?", "i", id) < 0 ||
	    sql_change(store_sql(store), err, "DELETE FROM token WHERE tenant = ?", "i", id) < 0 ||
	    sql_change(store_sql(store), err, "DELETE FROM login WHERE tenant = ?", "i", id) < 0 ||
	    sql_change(store_sql(store), err, "UPDATE resource SET deleted = 1, active = 0, staged = 0 WHERE tenant = ?", "i", id) < 0 ||
	    sql_change(store_sql(store), err, "UPDATE tenant SET deleted_ms = ?, name = name || '~' || id WHERE id = ?", "ii",
	        clock_wall_ms(), id) < 0)
		return -1;
	return account_history_add(store, id, "tenant", name, NULL, err);
}

int
tenants_delete(struct account *account, char *const *names, struct error *err)
{
	int result = 0;

	if (account_need(account, ACCOUNT_SUPERADMIN, "tenants and their quotas", err) < 0 || store_begin(account->store, err) < 0)
		return -1;
	for (; *names && result == 0; names++)
		result = tenants_delete_one(account->store, *names, err);
	return store_finish(account->store, result, err);
}

void
tenant_list_release(struct tenant_list *list)
{
	free(list->list);
	arena_release(&list->arena);
	*list = (struct tenant_list){0};
}
