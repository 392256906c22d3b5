/* SPDX-License-Identifier: Apache-2.0 */
#include "login/group-roles.h"

#include <stdlib.h>
#include <string.h>

#include "account/account-history.h"
#include "account/rights.h"
#include "base/memory.h"
#include "json/json.h"
#include "json/place.h"
#include "store/sql/sql.h"
#include "store/store.h"

void
group_roles_check(const struct place *setting)
{
	struct members groups, tenants;
	struct place group, tenant;
	enum account_role role;

	if (!place_object(setting, NEED_OPTIONAL))
		return;
	for (groups = members_of(setting); members_next(&groups, &group);) {
		if (!place_object(&group, NEED_REQUIRED))
			continue;
		for (tenants = members_of(&group); members_next(&tenants, &tenant);) {
			const char *name = json_string(tenant.value);

			if (!name || !account_role_find(name, &role) || role > ACCOUNT_ADMIN)
				place_problem(&tenant, "expected read-only, user or admin");
		}
	}
}

static bool
group_roles_is_in(jv groups, const char *group)
{
	return json_string(groups) ? strcmp(json_string(groups), group) == 0 : json_array_has(groups, NULL, group);
}

/* Raises the role in a tenant to the one that a group gives; of a group that the user is not in the tenant is named alone. */
static void
group_roles_raise(jv *roles, const char *tenant, const char *name, bool counts)
{
	enum account_role before = ACCOUNT_READER, role = ACCOUNT_READER;
	char *has = json_get_string(*roles, tenant);

	if (has)
		account_role_find(has, &before);
	if (counts && account_role_find(name, &role) && (!has || role > before))
		json_set_string(roles, tenant, name);
	else if (!has)
		json_set_string(roles, tenant, NULL);
	free(has);
}

jv
group_roles_of(jv setting, jv groups)
{
	struct place root = place_root(setting, NULL), group, tenant;
	struct members all, tenants;
	jv roles = jv_object();

	for (all = members_of(&root); members_next(&all, &group);)
		for (tenants = members_of(&group); members_next(&tenants, &tenant);)
			group_roles_raise(&roles, tenant.name, json_string(tenant.value), group_roles_is_in(groups, group.name));
	return roles;
}

static int
group_roles_remove(struct store *store, const char *user, const char *tenant, struct error *err)
{
	int64_t id;
	int got = sql_number(store_sql(store), &id, err, "DELETE FROM member WHERE user = ? AND tenant = (SELECT id FROM tenant "
	    "WHERE name = ?) RETURNING tenant", "tt", user, tenant);

	return got > 0 ? account_history_add(store, id, "member", user, NULL, err) : got;
}

/* The groups that a member has in the tenant stay. */
static int
group_roles_give(struct store *store, const char *user, const char *tenant, const char *role, struct error *err)
{
	struct sql_rows *rows = sql_query(store_sql(store), err, "INSERT INTO member (tenant, user, role, groups) SELECT id, ?, ?, '[]' "
	    "FROM tenant WHERE name = ? ON CONFLICT DO UPDATE SET role = excluded.role WHERE role <> excluded.role RETURNING tenant, groups",
	    "ttt", user, role, tenant);
	int got = sql_row(rows, err);
	int64_t id = got > 0 ? sql_integer(rows, 0) : 0;
	char *groups = got > 0 ? sql_copy(rows, 1) : NULL;

	sql_end(rows);
	if (got > 0)
		got = account_history_add_member(store, id, user, role, groups, err);
	free(groups);
	return got;
}

int
group_roles_set(struct store *store, const char *user, const char *tenant, jv roles, struct error *err)
{
	struct place root = place_root(roles, NULL), its;
	struct members all;
	int result = 0;

	if (!place_object(&root, NEED_OPTIONAL))
		return 0;
	store_set_why(store, "the groups of the OpenID provider");
	for (all = members_of(&root); members_next(&all, &its);) {
		const char *role = json_string(its.value);

		if (result < 0 || (tenant && strcmp(tenant, its.name) != 0))
			continue;
		result = role ? group_roles_give(store, user, its.name, role, err) : group_roles_remove(store, user, its.name, err);
	}
	return result;
}
