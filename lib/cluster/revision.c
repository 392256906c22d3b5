/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/revision.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>

#include "account/accounts.h"
#include "account/visible.h"
#include "base/error.h"
#include "base/memory.h"
#include "cluster/clusters.h"
#include "store/sql/sql.h"

static int
revision_read(struct account *account, int64_t cluster, int64_t number, struct revision *revision, struct error *err)
{
	char *text = memory_printf("SELECT number, its.wish, coalesce((SELECT before FROM operation_document AS next JOIN operation AS o "
	    "USING (cluster, number) WHERE next.cluster = ?6 AND number > operation.number AND o.job IS NOT NULL ORDER BY number LIMIT 1), "
	    "now.layout) FROM operation JOIN cluster ON id = operation.cluster JOIN operation_document AS its USING (cluster, number) "
	    "JOIN cluster_document AS now USING (cluster) WHERE %s AND cluster.id = ?6 AND " REVISION_IS " AND CASE WHEN ?7 > 0 THEN "
	    "number = ?7 ELSE cluster.status <> 'active' OR json_set(its.wish, '$.cluster.name', cluster.name) <> "
	    "json_set(now.wish, '$.cluster.name', cluster.name) END ORDER BY number DESC LIMIT 1", visible_anywhere(account));
	struct sql_rows *rows = sql_query(account_sql(account), err, text, VISIBLE_TYPES "ii", VISIBLE_VALUES(account), cluster, number);
	int got = sql_row(rows, err);

	if (got > 0)
		*revision = (struct revision){sql_integer(rows, 0), sql_copy(rows, 1), sql_copy(rows, 2)};
	sql_end(rows);
	free(text);
	return got;
}

int
revision_find(struct account *account, const struct cluster_record *cluster, int64_t number, struct revision *revision,
    struct error *err)
{
	const char *name = cluster->name;
	int got = revision_read(account, cluster->id, number, revision, err);

	if (got != 0)
		return got < 0 ? -1 : 0;
	if (number)
		return error_set(err, EX_NO, "%s: operation %" PRId64 " is not a revision; coopr history %s lists the revisions", name, number,
		    name);
	if (cluster->status == LIFECYCLE_ACTIVE)
		return error_set(err, EX_NO, "%s: there is no other revision to go back to; coopr history %s lists the revisions", name, name);
	return error_set(err, EX_NO, "%s: no change of it was ever complete before, and there is nothing to go back to; coopr delete "
	    "%s removes it", name, name);
}

void
revision_release(struct revision *revision)
{
	free(revision->request);
	free(revision->layout);
	*revision = (struct revision){0};
}
