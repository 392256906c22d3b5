/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/cluster-name.h"

#include "account/accounts.h"
#include "base/error.h"
#include "cluster/clusters.h"
#include "model/name.h"
#include "store/sql/sql.h"

/* A "." first would hide its files from people, a "-" would make an option of it. */
int
cluster_name_check(const char *name, struct error *err)
{
	if (!name_is_valid(name) || *name == '.' || *name == '-')
		return error_set(err, EX_USAGE, "invalid cluster name '%s': expected 1 to 255 letters, digits, _ . -, "
		    "not beginning with . or -", name);
	if (cluster_id_of(name))
		return error_set(err, EX_USAGE, "invalid cluster name '%s': it looks like the id of a cluster", name);
	return 0;
}

int
cluster_name_check_people(const char *owner, const char *group, struct error *err)
{
	if (owner && !name_is_user(owner))
		return error_set(err, EX_USAGE, "invalid owner '%s': expected 1 to 255 letters, digits, _ . -, not beginning with -", owner);
	if (group && !name_is_valid(group))
		return error_set(err, EX_USAGE, "invalid group '%s': expected 1 to 255 letters, digits, _ . -", group);
	return 0;
}

int
cluster_name_admit(struct account *account, int64_t tenant, const char *name, struct error *err)
{
	int64_t taken;
	int got;

	if (cluster_name_check(name, err) < 0)
		return -1;
	got = sql_number(account_sql(account), &taken, err, "SELECT id FROM cluster WHERE tenant = ? AND name = ? "
	    "AND status <> 'terminated'", "it", tenant, name);
	if (got > 0)
		return error_set(err, EX_NO, "%s: a cluster of that name exists already", name);
	return got;
}
