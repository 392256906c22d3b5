/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/inventory.h"

#include <stddef.h>

#include "account/accounts.h"
#include "store/sql/sql.h"

static int
inventory_query(struct account *account, struct inventory *inventory, const char *text, struct error *err)
{
	inventory->rows = NULL;
	if (account_need(account, ACCOUNT_SUPERADMIN, "all that the store says is there", err) < 0)
		return -1;
	inventory->rows = sql_query(account_sql(account), err, text, "");
	return inventory->rows ? 0 : -1;
}

int
inventory_nodes(struct account *account, struct inventory *inventory, struct error *err)
{
	return inventory_query(account, inventory, "SELECT cluster, node FROM node_use WHERE to_ms IS NULL ORDER BY cluster, node",
	    err);
}

int
inventory_next_node(struct inventory *inventory, int64_t *cluster, const char **node, struct error *err)
{
	int got = sql_row(inventory->rows, err);

	if (got > 0) {
		*cluster = sql_integer(inventory->rows, 0);
		*node = sql_text(inventory->rows, 1);
	}
	return got;
}

/* The newest cluster is looked for first, and only its document is opened. */
#define NEWEST(CONDITION) "SELECT (SELECT name FROM tenant WHERE id = newest.tenant), provider, " \
	"(SELECT json_extract(wish, '$.provider') FROM cluster_document WHERE cluster = newest.id) " \
	"FROM (SELECT cluster.tenant, provider, max(id) AS id FROM cluster JOIN cluster_document ON cluster = id " \
	"WHERE provider IS NOT NULL AND wish IS NOT NULL GROUP BY cluster.tenant, provider) AS newest " CONDITION "ORDER BY 1, 2"

int
inventory_providers(struct account *account, struct inventory *inventory, struct error *err)
{
	return inventory_query(account, inventory, NEWEST(""), err);
}

int
inventory_volume_providers(struct account *account, struct inventory *inventory, struct error *err)
{
	return inventory_query(account, inventory, NEWEST("WHERE (tenant, provider) IN (SELECT tenant, provider FROM volume) "), err);
}

int
inventory_next_provider(struct inventory *inventory, struct inventory_provider *provider, struct error *err)
{
	int got = sql_row(inventory->rows, err);

	if (got > 0)
		*provider = (struct inventory_provider){sql_text(inventory->rows, 0), sql_text(inventory->rows, 1), sql_text(inventory->rows, 2)};
	return got;
}

void
inventory_end(struct inventory *inventory)
{
	sql_end(inventory->rows);
	inventory->rows = NULL;
}
