/* SPDX-License-Identifier: Apache-2.0 */
#include "account/profiles.h"

#include <stdint.h>
#include <string.h>

#include "account/accounts.h"
#include "base/error.h"
#include "store/audit.h"
#include "store/sql/sql.h"
#include "store/store.h"

int
profiles_get(struct account *account, char **document, struct error *err)
{
	struct sql_rows *rows = sql_query(account_sql(account), err, "SELECT document FROM profile WHERE tenant = ? AND user = ?", "it",
	    store_tenant(account->store), account->user);
	int got = sql_row(rows, err);

	if (got > 0)
		*document = sql_copy(rows, 0);
	sql_end(rows);
	return got > 0 ? 0 : got < 0 ? -1 : error_absent(err, "%s has no profile in tenant %s", account->user, account->tenant);
}

/* Ends the transaction of a change, with a record of it. */
static int
profiles_finish(struct account *account, int result, const char *action, struct error *err)
{
	if (result == 0)
		result = audit_add(account->store, &(const struct audit_event){.action = action, .kind = "profile", .name = account->user}, err);
	return store_finish(account->store, result, err);
}

int
profiles_set(struct account *account, const char *document, struct error *err)
{
	if (strlen(document) > PROFILE_MAX)
		return error_set(err, EX_DATAERR, "the profile of %s: it may have %d bytes", account->user, PROFILE_MAX);
	if (account_need_more(account, err) < 0 || store_begin(account->store, err) < 0)
		return -1;
	return profiles_finish(account, sql_change(account_sql(account), err, "INSERT INTO profile (tenant, user, document) VALUES (?, ?, ?) "
	    "ON CONFLICT (tenant, user) DO UPDATE SET document = excluded.document", "itt", store_tenant(account->store), account->user,
	    document), "put", err);
}

int
profiles_delete(struct account *account, struct error *err)
{
	if (account_need_more(account, err) < 0 || store_begin(account->store, err) < 0)
		return -1;
	return profiles_finish(account, sql_change(account_sql(account), err, "DELETE FROM profile WHERE tenant = ? AND user = ?", "it",
	    store_tenant(account->store), account->user), "delete", err);
}
