/* SPDX-License-Identifier: Apache-2.0 */
#include "account/rights.h"

#include <inttypes.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/process.h"
#include "store/client.h"
#include "store/sql/sql.h"
#include "store/store.h"

static const char *const role_names[] = {"read-only", "user", "admin", "superadmin"};

const char *
account_role_name(enum account_role role)
{
	return role_names[role];
}

bool
account_role_find(const char *name, enum account_role *role)
{
	for (size_t i = 0; i < sizeof role_names / sizeof *role_names; i++)
		if (strcmp(role_names[i], name) == 0) {
			*role = (enum account_role)i;
			return true;
		}
	return false;
}

bool
rights_limit_is(const struct rights_limit *limit, const struct rights_limit *other)
{
	return limit->is_set == other->is_set && limit->role == other->role && limit->token == other->token &&
	    strcmp(limit->kind, other->kind) == 0 && strcmp(limit->tenant, other->tenant) == 0;
}

struct rights_limit
rights_limit(void)
{
	const char *text = client_asker() ? getenv(RIGHTS_LIMIT) : NULL;
	struct rights_limit limit = {.is_set = text};
	char role[16];

	if (text && (sscanf(text, "%15s %" SCNd64 " %15s %255s", limit.kind, &limit.token, role, limit.tenant) < 3 ||
	    !account_role_find(role, &limit.role)))
		limit = (struct rights_limit){.is_set = true, .tenant = RIGHTS_SUPERADMIN};
	return limit;
}

bool
rights_is_owner(const char *user, uid_t owner)
{
	const char *caller = rights_caller(owner);
	char *name = process_user(owner); /* an owner without a name is called by number, as no caller of sudo(8) is */
	bool same = strcmp(user, "root") == 0 || (strcmp(user, name) == 0 && (getpwuid(owner) || !caller || client_asker()));

	free(name);
	return same;
}

const char *
rights_caller(uid_t owner)
{
	const char *user = client_asker() ? client_asker() : getenv("SUDO_USER");

	return user && *user && (geteuid() == 0 || geteuid() == owner) ? user : NULL;
}

int
rights_in_tenant(struct store *store, const char *tenant, const char *user, enum account_role *role, char **groups,
    struct error *err)
{
	struct sql_rows *rows = sql_query(store_sql(store), err,
	    "SELECT role, groups FROM member JOIN tenant ON tenant.id = tenant "
	    "WHERE tenant.name = ? AND user = ?", "tt", tenant, user);
	int got = sql_row(rows, err);

	if (got > 0) {
		if (!account_role_find(sql_text(rows, 0), role))
			*role = ACCOUNT_READER;
		if (groups) {
			free(*groups);
			*groups = memory_string(sql_text(rows, 1));
		}
	}
	sql_end(rows);
	return got;
}

int
rights_is_superadmin(struct store *store, const char *user, uid_t owner, struct error *err)
{
	enum account_role role = ACCOUNT_USER;

	if (rights_is_owner(user, owner))
		return 1;
	if (rights_in_tenant(store, RIGHTS_SUPERADMIN, user, &role, NULL, err) < 0)
		return -1;
	return role == ACCOUNT_ADMIN;
}

int
rights_hold(struct store *store, const char *user, struct rights_held *held, struct error *err)
{
	struct sql_rows *rows = sql_query(store_sql(store), err, "SELECT tenant, role FROM member WHERE user = ?", "t", user);
	int got;

	while ((got = sql_row(rows, err)) > 0) {
		ARRAY_ROOM(held->list, held->count, held->capacity);
		held->list[held->count].tenant = sql_integer(rows, 0);
		if (!account_role_find(sql_text(rows, 1), &held->list[held->count].role))
			held->list[held->count].role = ACCOUNT_READER;
		held->count++;
	}
	sql_end(rows);
	return got;
}

bool
rights_are_lost(const struct rights_held *before, const struct rights_held *now)
{
	for (size_t i = 0; i < before->count; i++) {
		size_t at = 0;

		while (at < now->count && now->list[at].tenant != before->list[i].tenant)
			at++;
		if (at == now->count || now->list[at].role < before->list[i].role)
			return true;
	}
	return false;
}

void
rights_held_release(struct rights_held *held)
{
	free(held->list);
	*held = (struct rights_held){0};
}
