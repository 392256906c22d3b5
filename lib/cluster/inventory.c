/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/census.h"

#include <stddef.h>

#include "account/accounts.h"
#include "store/sql/sql.h"

static int
census_ask(struct account *account, struct census *census, const char *text, struct error *err)
{
	census->rows = NULL;
	if (account_need(account, ACCOUNT_SUPERADMIN, "all that the store says is there", err) < 0)
		return -1;
	census->rows = sql_query(account_sql(account), err, text, "");
	return census->rows ? 0 : -1;
}

int
census_nodes(struct account *account, struct census *census, struct error *err)
{
	return census_ask(account, census, "SELECT cluster, node FROM node_use WHERE to_ms IS NULL ORDER BY cluster, node",
	    err);
}

int
census_next_node(struct census *census, int64_t *cluster, const char **node, struct error *err)
{
	int got = sql_row(census->rows, err);

	if (got > 0) {
		*cluster = sql_integer(census->rows, 0);
		*node = sql_text(census->rows, 1);
	}
	return got;
}

/* The newest cluster is looked for first, and only its document is opened. */
int
census_providers(struct account *account, struct census *census, struct error *err)
{
	return census_ask(account, census, "SELECT (SELECT name FROM tenant WHERE id = newest.tenant), provider, "
	    "(SELECT json_extract(wish, '$.provider') FROM cluster_document WHERE cluster = newest.id) "
	    "FROM (SELECT cluster.tenant, provider, max(id) AS id FROM cluster JOIN cluster_document ON cluster = id "
	    "WHERE provider IS NOT NULL AND wish IS NOT NULL GROUP BY cluster.tenant, provider) AS newest ORDER BY 1, 2", err);
}

int
census_next_provider(struct census *census, struct census_provider *provider, struct error *err)
{
	int got = sql_row(census->rows, err);

	if (got > 0)
		*provider = (struct census_provider){sql_text(census->rows, 0), sql_text(census->rows, 1), sql_text(census->rows, 2)};
	return got;
}

void
census_end(struct census *census)
{
	sql_end(census->rows);
	census->rows = NULL;
}
