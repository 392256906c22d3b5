/* SPDX-License-Identifier: Apache-2.0
 *
 * The condition, for a WHERE clause, by which an account sees only its own rows of the table cluster. Its question marks
 * are numbers 1 to 5; a statement's own are numbered from 6 on:
 *
 *	text = memory_printf("SELECT name FROM cluster WHERE %s AND id = ?6", visible_in_tenant(account));
 *	rows = sql_query(db, err, text, VISIBLE_TYPES "i", VISIBLE_VALUES(account), id);
 */
#ifndef ACCOUNT_VISIBLE_H
#define ACCOUNT_VISIBLE_H

#include "account/accounts.h"

#define VISIBLE_TYPES "iiitt"
#define VISIBLE_VALUES(account) \
	(int64_t)((account)->role == ACCOUNT_SUPERADMIN), store_tenant((account)->store), (int64_t)(account)->sees_all, \
	(account)->user, (account)->groups

/* Returns the clause for the clusters of the account's tenant. */
const char *visible_in_tenant(const struct account *account);

/* Returns the clause for the clusters of all tenants if the account is a superadmin's; else the same. */
const char *visible_anywhere(const struct account *account);

#endif
