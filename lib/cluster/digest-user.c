/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/digest-user.h"

#include <string.h>

#include "account/accounts.h"
#include "base/memory.h"
#include "base/names.h"
#include "content/content.h"
#include "store/sql/sql.h"

int
digest_user_find(struct account *account, int64_t tenant, const char *digest, char **name, struct error *err)
{
	struct sql_rows *rows = sql_query(account_sql(account), err, "SELECT name FROM cluster_document JOIN cluster ON id = cluster WHERE "
	    "status <> 'terminated' AND (?2 = 0 OR tenant = ?2) AND (instr(wish, ?1) > 0 OR instr(layout, ?1) > 0) UNION ALL "
	    "SELECT name FROM operation_document AS its JOIN cluster ON id = its.cluster WHERE status <> 'terminated' AND "
	    "(?2 = 0 OR tenant = ?2) AND instr(its.wish, ?1) > 0 LIMIT 1", "ti", digest, tenant);
	int got = sql_row(rows, err);

	if (got > 0 && name)
		*name = sql_copy(rows, 0);
	sql_end(rows);
	return got;
}

/* Interns each word of a text that can be a digest. */
static void
digest_user_intern(const char *text, struct arena *arena, struct names *digests)
{
	while (*text) {
		size_t length = strspn(text, "0123456789abcdef");

		if (length == CONTENT_DIGEST_SIZE - 1) {
			char *digest = arena_printf(arena, "%.*s", (int)length, text);

			names_intern(digests, digest);
		}
		text += length + (text[length] != '\0');
	}
}

int
digest_user_list(struct account *account, struct arena *arena, struct names *digests, struct error *err)
{
	struct sql_rows *rows = sql_query(account_sql(account), err, "SELECT wish, layout FROM cluster_document JOIN cluster ON id = cluster "
	    "WHERE status <> 'terminated' UNION ALL SELECT its.wish, NULL FROM operation_document AS its JOIN cluster ON id = its.cluster "
	    "WHERE status <> 'terminated'", "");
	int got;

	while ((got = sql_row(rows, err)) > 0)
		for (int column = 0; column < 2; column++)
			if (sql_text(rows, column))
				digest_user_intern(sql_text(rows, column), arena, digests);
	sql_end(rows);
	return got;
}
