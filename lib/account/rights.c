/* SPDX-License-Identifier: Apache-2.0 */
#include "account/rights.h"

#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/process.h"
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
	const struct passwd *entry;

	if (strcmp(user, "root") == 0)
		return true;
	entry = getpwuid(owner);
	if (entry && strcmp(user, entry->pw_name) == 0)
		return true;
	return !entry && geteuid() == owner &&
	    !getenv("SUDO_USER"); /* an owner without a name: process_user calls it by number */
}

const char *
rights_caller(uid_t owner)
{
	const char *user = getenv("SUDO_USER");

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
