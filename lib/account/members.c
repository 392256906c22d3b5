/* SPDX-License-Identifier: Apache-2.0 */
#include "account/members.h"

#include <stdlib.h>
#include <string.h>

#include "account/account-history.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/process.h"
#include "base/suggest.h"
#include "json/dump.h"
#include "store/sql/sql.h"

int
members_list(struct account *account, struct member_list *list, struct error *err)
{
	struct sql_rows *rows = sql_query(account_sql(account), err, "SELECT user, role, groups FROM member WHERE tenant = ? "
	    "AND (? OR user = ?) ORDER BY user", "iit", store_tenant(account->store), (int64_t)account->sees_all,
	    account->user);
	int got;

	while ((got = sql_row(rows, err)) > 0) {
		ARRAY_ROOM(list->list, list->count, list->capacity);
		list->list[list->count] = (struct member){
			.user = arena_string(&list->arena, sql_text(rows, 0)),
			.groups = arena_string(&list->arena, sql_text(rows, 2)),
		};
		account_role_find(sql_text(rows, 1), &list->list[list->count++].role);
	}
	sql_end(rows);
	return got;
}

int
members_set(struct account *account, const char *user, enum account_role role, const struct string_list *names,
    struct error *err)
{
	struct store *store = account->store;
	struct buffer groups = {0};
	int result;

	if (account_need(account, ACCOUNT_ADMIN, "changing members", err) < 0 || store_begin(store, err) < 0)
		return -1;
	for (size_t i = 0; i < names->count; i++) {
		buffer_byte(&groups, i ? ',' : '[');
		json_quote(names->list[i], &groups);
	}
	buffer_text(&groups, names->count ? "]" : "[]");
	result = sql_change(store_sql(store), err, "INSERT INTO member (tenant, user, role, groups) VALUES (?, ?, ?, ?) "
	    "ON CONFLICT DO UPDATE SET role = excluded.role, groups = excluded.groups", "ittt", store_tenant(store), user,
	    account_role_name(role), groups.data);
	if (result == 0)
		result = account_history_add_member(store, store_tenant(store), user, account_role_name(role), groups.data, err);
	buffer_release(&groups);
	return store_finish(store, result, err);
}

/* Says that the user is no member, and who may be meant. */
static int
members_unknown(const struct account *account, const char *user, struct error *err)
{
	struct error ignored;
	struct sql_rows *rows = sql_query(store_sql(account->store), &ignored, "SELECT user FROM member WHERE tenant = ? ORDER BY user", "i",
	    store_tenant(account->store));
	struct arguments names = {0};

	while (sql_row(rows, &ignored) > 0)
		arguments_push(&names, sql_text(rows, 0));
	sql_end(rows);
	error_absent(err, "tenant %s: user %s is not a member", account->tenant, user);
	suggest_or_say(err, user, (const char *const *)names.list, "coopr member list shows the members");
	arguments_release(&names);
	return -1;
}

int
members_delete(struct account *account, char *const *users, struct error *err)
{
	struct store *store = account->store;
	int64_t tenant;
	int result = 0;

	if (account_need(account, ACCOUNT_ADMIN, "changing members", err) < 0 || store_begin(store, err) < 0)
		return -1;
	for (; *users && result == 0; users++) {
		result = sql_number(store_sql(store), &tenant, err, "DELETE FROM member WHERE tenant = ? AND user = ? RETURNING tenant",
		    "it", store_tenant(store), *users);
		if (result == 0)
			result = members_unknown(account, *users, err);
		if (result > 0)
			result = sql_change(store_sql(store), err, "DELETE FROM profile WHERE tenant = ? AND user = ?", "it", tenant, *users);
		if (result == 0)
			result = account_history_add(store, tenant, "member", *users, NULL, err);
	}
	return store_finish(store, result, err);
}

void
member_list_release(struct member_list *list)
{
	free(list->list);
	arena_release(&list->arena);
	*list = (struct member_list){0};
}
