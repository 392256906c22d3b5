/* SPDX-License-Identifier: Apache-2.0 */
#include "account/visible.h"

const char *
visible_in_tenant(const struct account *account)
{
	(void)account;
	return "(tenant = ?2 AND (?1 OR ?3 OR owner = ?4 OR grp IN (SELECT value FROM json_each(?5))))";
}

const char *
visible_anywhere(const struct account *account)
{
	return account->role == ACCOUNT_SUPERADMIN ? "(?1 AND ?5 IS NOT NULL)" : visible_in_tenant(account);
}
