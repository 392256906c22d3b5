/* SPDX-License-Identifier: Apache-2.0 */
#include "login/provisioners.h"

#include <stdlib.h>

#include "account/accounts.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/location.h"
#include "base/process.h"
#include "store/audit.h"
#include "store/sql/sql.h"

/* Adds a tenant to the token with that sum. */
static int
provisioners_add_tenant(struct store *store, const char *sum, const char *tenant, struct error *err)
{
	int64_t id;
	int got = store_find_tenant(store, tenant, &id, err);

	if (got == 0)
		return error_absent(err, "there is no tenant \"%s\"", tenant);
	return got < 0 ? -1 : sql_change(store_sql(store), err, "INSERT INTO provisioner_token (token, tenant) SELECT id, ? FROM token "
	    "WHERE sum = ? ON CONFLICT DO NOTHING", "it", id, sum);
}

int
provisioners_make_token(struct account *account, const char *name, const char *const *tenants, size_t count, int64_t ends_ms,
    char text[static TOKEN_SIZE], struct error *err)
{
	struct store *store = account->store;
	/* The first tenant is the token's own: where a tenant goes, no token is left that is of none. */
	const struct token token = {.kind = "token", .user = account->user, .tenant = tenants[0],
	    .role = account_role_name(ACCOUNT_READER), .name = name, .ends_ms = ends_ms};
	char sum[TOKEN_SUM_SIZE];
	int result;

	if (account->limit.is_set)
		return error_set(err, EX_NOPERM, "the token of a provisioner is made in a shell of the server");
	if (account_need(account, ACCOUNT_SUPERADMIN, "making the token of a provisioner", err) < 0)
		return -1;
	token_make(text);
	token_sum(text, sum);
	if (store_begin(store, err) < 0)
		return -1;
	result = tokens_add(store, &token, sum, err);
	for (size_t i = 0; result >= 0 && i < count; i++)
		result = provisioners_add_tenant(store, sum, tenants[i], err);
	return store_finish(store, result, err);
}

/* Adds the first column of each row, and ends them. */
static int
provisioners_texts(struct sql_rows *rows, struct arguments *texts, struct error *err)
{
	int got;

	while ((got = sql_row(rows, err)) > 0)
		arguments_push(texts, sql_text(rows, 0));
	sql_end(rows);
	return got;
}

int
provisioners_tenants(struct store *store, int64_t token, struct arguments *tenants, struct error *err)
{
	return provisioners_texts(sql_query(store_sql(store), err, "SELECT name FROM tenant JOIN provisioner_token ON tenant = tenant.id "
	    "WHERE token = ? ORDER BY name", "i", token), tenants, err);
}

int
provisioners_enter_tenant(struct store *store, int64_t token, const char *tenant, struct error *err)
{
	int64_t id;
	int got = sql_number(store_sql(store), &id, err, "SELECT tenant.id FROM tenant JOIN provisioner_token ON tenant = tenant.id "
	    "WHERE token = ? AND name = ?", "it", token, tenant);

	if (got == 0)
		return error_set(err, EX_NOPERM, "tenant %s: the token is not for its tasks", tenant);
	if (got > 0)
		store_set_tenant(store, id);
	return got < 0 ? -1 : 0;
}

static int
provisioners_audit(struct store *store, const char *action, const char *id, struct error *err)
{
	return audit_add(store, &(const struct audit_event){.action = action, .kind = "provisioner", .name = id}, err);
}

static int
provisioners_insert(struct store *store, const struct provisioner *its, struct error *err)
{
	struct sql *db = store_sql(store);
	int64_t one;
	int other = sql_number(db, &one, err, "SELECT 1 FROM provisioner WHERE id = ? AND token <> ?", "ti", its->id, its->token);

	if (other != 0)
		return other < 0 ? -1 : error_set(err, EX_NOPERM, "provisioner %s: it has registered with another token", its->id);
	if (sql_change(db, err, "UPDATE provisioner SET heard_ms = -1 WHERE token = ? AND host = ? AND port = ? AND id <> ?", "itit",
	        its->token, its->host, its->port, its->id) < 0 ||
	    sql_change(db, err, "INSERT INTO provisioner (id, token, host, port, capacity, heard_ms, usage, told) VALUES "
	        "(?, ?, ?, ?, ?, ?, '{}', '{}') ON CONFLICT (id) DO UPDATE SET host = excluded.host, port = excluded.port, "
	        "capacity = excluded.capacity, heard_ms = excluded.heard_ms, usage = excluded.usage, told = excluded.told", "titiii",
	        its->id, its->token, its->host, its->port, its->capacity, clock_boottime_ms()) < 0)
		return -1;
	return provisioners_audit(store, "register", its->id, err);
}

int
provisioners_register(struct store *store, const struct provisioner *provisioner, struct error *err)
{
	if (store_begin(store, err) < 0)
		return -1;
	return store_finish(store, provisioners_insert(store, provisioner, err), err);
}

int
provisioners_hear(struct store *store, int64_t token, const char *id, const char *usage, struct error *err)
{
	int64_t one;
	int got = sql_number(store_sql(store), &one, err, "SELECT 1 FROM provisioner WHERE id = ? AND token = ? AND heard_ms >= 0", "ti", id,
	    token);

	if (got == 0)
		return error_absent(err, "there is no provisioner %s", id);
	return got < 0 ? -1 : sql_change_alone(store_sql(store), err, "UPDATE provisioner SET heard_ms = ?, usage = coalesce(?, usage) "
	    "WHERE id = ?", "itt", clock_boottime_ms(), usage, id);
}

int
provisioners_leave(struct store *store, int64_t token, const char *id, struct error *err)
{
	return sql_change_alone(store_sql(store), err, "UPDATE provisioner SET heard_ms = -1 WHERE id = ? AND token = ?", "ti", id, token);
}

int
provisioners_set_told(struct store *store, const char *id, const char *told, struct error *err)
{
	return sql_change_alone(store_sql(store), err, "UPDATE provisioner SET told = ? WHERE id = ?", "tt", told, id);
}

int
provisioners_remove(struct store *store, const char *id, struct error *err)
{
	return sql_change_alone(store_sql(store), err, "DELETE FROM provisioner WHERE id = ?", "t", id);
}

int
provisioners_list(struct store *store, const char *id, struct provisioner_list *list, struct error *err)
{
	struct sql_rows *rows = sql_query(store_sql(store), err, "SELECT id, token, host, port, capacity, heard_ms, usage, told "
	    "FROM provisioner WHERE ?1 IS NULL OR id = ?1 ORDER BY id", "t", id);
	int got;

	while ((got = sql_row(rows, err)) > 0) {
		ARRAY_ROOM(list->list, list->count, list->capacity);
		list->list[list->count++] = (struct provisioner){
			.id = sql_keep(rows, 0, &list->arena),
			.token = sql_integer(rows, 1),
			.host = sql_keep(rows, 2, &list->arena),
			.port = sql_integer(rows, 3),
			.capacity = sql_integer(rows, 4),
			.heard_ms = sql_integer(rows, 5),
			.usage = sql_keep(rows, 6, &list->arena),
			.told = sql_keep(rows, 7, &list->arena),
		};
	}
	sql_end(rows);
	return got;
}

void
provisioner_list_release(struct provisioner_list *list)
{
	arena_release(&list->arena);
	free(list->list);
	*list = (struct provisioner_list){0};
}

int
provisioners_give(struct store *store, const struct provisioner_task *task, struct error *err)
{
	return sql_change_alone(store_sql(store), err, "INSERT INTO provisioner_task (provisioner, worker, tenant, job, task, attempt, record) "
	    "VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (provisioner, worker) DO UPDATE SET tenant = excluded.tenant, job = excluded.job, "
	    "task = excluded.task, attempt = excluded.attempt, record = excluded.record", "ttittit", task->provisioner, task->worker,
	    store_tenant(store), task->job, task->task, task->attempt, task->record);
}

int
provisioners_take_back(struct store *store, const struct provisioner_task *task, struct error *err)
{
	return sql_change_alone(store_sql(store), err, "DELETE FROM provisioner_task WHERE provisioner = ? AND worker = ? AND job = ? AND "
	    "task = ? AND attempt = ?", "tttti", task->provisioner, task->worker, task->job, task->task, task->attempt);
}

int
provisioners_given(struct store *store, const char *id, const char *worker, struct provisioner_task_list *list, struct error *err)
{
	struct sql_rows *rows = sql_query(store_sql(store), err, "SELECT provisioner, worker, job, task, attempt, record FROM provisioner_task "
	    "WHERE (?1 IS NULL OR provisioner = ?1) AND (?2 IS NULL OR worker = ?2)", "tt", id, worker);
	int got;

	while ((got = sql_row(rows, err)) > 0) {
		ARRAY_ROOM(list->list, list->count, list->capacity);
		list->list[list->count++] = (struct provisioner_task){
			.provisioner = sql_keep(rows, 0, &list->arena),
			.worker = sql_keep(rows, 1, &list->arena),
			.job = sql_keep(rows, 2, &list->arena),
			.task = sql_keep(rows, 3, &list->arena),
			.attempt = sql_integer(rows, 4),
			.record = sql_keep(rows, 5, &list->arena),
		};
	}
	sql_end(rows);
	return got;
}

void
provisioner_task_list_release(struct provisioner_task_list *list)
{
	arena_release(&list->arena);
	free(list->list);
	*list = (struct provisioner_task_list){0};
}

int
provisioners_describe(struct store *store, const char *kind, const char *name, const char *document, struct error *err)
{
	int result;

	if (store_begin(store, err) < 0)
		return -1;
	result = sql_change(store_sql(store), err, "INSERT INTO plugin_type (kind, name, document) VALUES (?, ?, ?) ON CONFLICT (kind, name) "
	    "DO UPDATE SET document = excluded.document", "ttt", kind, name, document);
	if (result == 0)
		result = audit_add(store, &(const struct audit_event){.action = "describe", .kind = "plugin", .name = name}, err);
	return store_finish(store, result, err);
}

int
provisioners_descriptions(struct store *store, const char *kind, struct arguments *documents, struct error *err)
{
	return provisioners_texts(sql_query(store_sql(store), err, "SELECT json_set(document, '$.name', name) FROM plugin_type WHERE kind = ? "
	    "ORDER BY name", "t", kind), documents, err);
}

int
provisioners_providers(struct store *store, struct arguments *names, struct error *err)
{
	struct sql_rows *rows = sql_query(store_sql(store), err, "SELECT entity.name, plugin_type.name FROM entity JOIN revision ON revision.entity = entity.id "
	    "AND revision.version = entity.version JOIN plugin_type ON plugin_type.kind = 'providertypes' AND "
	    "plugin_type.name = json_extract(revision.document, '$.providertype') WHERE tenant = ? AND entity.kind = 'provider' AND present = 1", "i",
	    store_tenant(store));
	int got;

	while ((got = sql_row(rows, err)) > 0) {
		char *own = location_plugin("provider", sql_text(rows, 1));

		if (!own)
			arguments_push(names, sql_text(rows, 0));
		free(own);
	}
	sql_end(rows);
	return got;
}

int
provisioners_description(struct store *store, const char *kind, const char *name, char **document, struct error *err)
{
	struct sql_rows *rows = sql_query(store_sql(store), err, "SELECT document FROM plugin_type WHERE kind = ? AND name = ?", "tt", kind,
	    name);
	int got = sql_row(rows, err);

	if (got > 0)
		*document = sql_copy(rows, 0);
	sql_end(rows);
	return got;
}
