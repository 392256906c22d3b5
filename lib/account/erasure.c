/* SPDX-License-Identifier: Apache-2.0 */
#include "account/erasure.h"

#include <inttypes.h>

#include "base/error.h"
#include "base/plural.h"
#include "store/audit.h"
#include "store/sql/sql.h"
#include "store/store.h"

#define OF_CLUSTERS " WHERE cluster IN (SELECT id FROM cluster WHERE tenant = ?)"

/* In an order in which no row refers to one that is gone. */
static const char *const statements[] = {
	"DELETE FROM operation_document" OF_CLUSTERS,
	"DELETE FROM operation_file" OF_CLUSTERS,
	"DELETE FROM operation" OF_CLUSTERS,
	"DELETE FROM node_use" OF_CLUSTERS,
	"DELETE FROM cluster_document" OF_CLUSTERS,
	"DELETE FROM cluster_secret" OF_CLUSTERS,
	"DELETE FROM cluster_login" OF_CLUSTERS,
	"DELETE FROM applied" OF_CLUSTERS,
	"DELETE FROM observation" OF_CLUSTERS,
	"DELETE FROM fault" OF_CLUSTERS,
	"DELETE FROM repair" OF_CLUSTERS,
	"DELETE FROM cluster WHERE tenant = ?",
	"DELETE FROM revision WHERE entity IN (SELECT id FROM entity WHERE tenant = ?)",
	"DELETE FROM entity WHERE tenant = ?",
	"DELETE FROM account_history WHERE tenant = ?",
	"DELETE FROM tenant WHERE id = ?",
};

static int
erasure_check_archives(struct store *store, int64_t tenant, const char *name, struct error *err)
{
	int64_t archives = 0;

	if (sql_number(store_sql(store), &archives, err, "SELECT count(*) FROM archive WHERE tenant = ?", "i", tenant) < 0)
		return -1;
	if (archives == 0)
		return 0;
	return error_set(err, EX_NO, "tenant %s: it has %" PRId64 " %s; coopr backup --delete deletes %s", name, archives,
	    plural(archives, "archive", "archives"), plural(archives, "it", "them"));
}

int
erasure_do(struct store *store, int64_t tenant, const char *name, struct error *err)
{
	const struct audit_event event = {.tenant = tenant, .action = "erase", .kind = "tenant", .name = name};
	int result = erasure_check_archives(store, tenant, name, err);

	if (result == 0)
		result = audit_add(store, &event, err);
	if (result == 0)
		result = sql_change(store_sql(store), err, "DELETE FROM hook_message WHERE tenant = ?", "t", name);
	for (size_t i = 0; i < sizeof statements / sizeof *statements && result == 0; i++)
		result = sql_change(store_sql(store), err, statements[i], "i", tenant);
	return result;
}
