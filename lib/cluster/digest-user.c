/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/digest-user.h"

#include "account/accounts.h"
#include "store/sql/sql.h"

int
digest_user_find(struct account *account, const char *digest, char **name, struct error *err)
{
	struct sql_rows *rows = sql_query(account_sql(account), err, "SELECT name FROM cluster_document JOIN cluster ON id = cluster WHERE "
	    "status <> 'terminated' AND (instr(wish, ?1) > 0 OR instr(layout, ?1) > 0) UNION ALL SELECT name FROM operation_document AS its "
	    "JOIN cluster ON id = its.cluster WHERE status <> 'terminated' AND instr(its.wish, ?1) > 0 LIMIT 1", "t", digest);
	int got = sql_row(rows, err);

	if (got > 0 && name)
		*name = sql_copy(rows, 0);
	sql_end(rows);
	return got;
}
