/* SPDX-License-Identifier: Apache-2.0 */
#include "account/account-history.h"

#include <stdlib.h>

#include "account/accounts.h"
#include "base/clock.h"
#include "base/memory.h"
#include "store/audit.h"
#include "store/sql/sql.h"

int
account_history_add(struct store *store, int64_t tenant, const char *kind, const char *name, const char *document,
    struct error *err)
{
	const struct audit_event event = {.tenant = tenant, .action = document ? "put" : "delete", .kind = kind, .name = name};

	if (sql_change(store_sql(store), err, "INSERT INTO account_history (tenant, kind, name, at_ms, by, why, document) "
	    "VALUES (?, ?, ?, ?, ?, ?, ?)", "ittittt", tenant, kind, name, clock_wall_ms(), store_by(store), store_why(store), document) < 0)
		return -1;
	return audit_add(store, &event, err);
}

int
account_history_add_member(struct store *store, int64_t tenant, const char *user, const char *role, const char *groups, struct error *err)
{
	char *document = memory_printf("{\"groups\":%s,\"role\":\"%s\"}", groups, role);
	int result = account_history_add(store, tenant, "member", user, document, err);

	free(document);
	return result;
}

int
account_history_list(struct account *account, struct account_event_list *list, struct error *err)
{
	struct sql_rows *rows;
	int got;

	if (account_need(account, ACCOUNT_ADMIN, "the history of members", err) < 0)
		return -1;
	rows = sql_query(account_sql(account), err, "SELECT kind, name, at_ms, by, why, document FROM account_history "
	    "WHERE tenant = ? ORDER BY id", "i", store_tenant(account->store));
	while ((got = sql_row(rows, err)) > 0) {
		ARRAY_ROOM(list->list, list->count, list->capacity);
		list->list[list->count++] = (struct account_event){
			.kind = sql_keep(rows, 0, &list->arena),
			.name = sql_keep(rows, 1, &list->arena),
			.at_ms = sql_integer(rows, 2),
			.by = sql_keep(rows, 3, &list->arena),
			.why = sql_keep(rows, 4, &list->arena),
			.document = sql_keep(rows, 5, &list->arena),
		};
	}
	sql_end(rows);
	return got;
}

void
account_event_list_release(struct account_event_list *list)
{
	free(list->list);
	arena_release(&list->arena);
	*list = (struct account_event_list){0};
}
