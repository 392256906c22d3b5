/* SPDX-License-Identifier: Apache-2.0 */
#include "account/rights.h"

#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/process.h"
#include "store/client.h"
#include "store/sql/sql.h"
#include "store/store.h"

const char *
account_role_name(enum account_role role)
{
	static const char *const names[] = {"user", "admin", "superadmin"};

	return names[role];
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
		*role = strcmp(sql_text(rows, 0), "admin") == 0 ? ACCOUNT_ADMIN : ACCOUNT_USER;
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
