/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/addresses.h"

#include "address/range.h"
#include "base/error.h"
#include "base/memory.h"
#include "store/sql/sql.h"
#include "store/store.h"

int
cluster_address_is_taken(struct store *store, int64_t cluster, const char *address, bool is_shared, struct error *err)
{
	int64_t one;

	return sql_number(store_sql(store), &one, err, "SELECT 1 FROM cluster WHERE address = ?1 AND status <> 'terminated' AND id <> ?2 AND "
	    "CASE address_shared WHEN 1 THEN 0 ELSE tenant END = CASE ?3 WHEN 1 THEN 0 ELSE coalesce((SELECT tenant FROM cluster WHERE id = ?2), ?4) END",
	    "tiii", address, cluster, (int64_t)is_shared, store_tenant(store));
}

int
cluster_address_find(struct store *store, int64_t cluster, const struct string_list *ranges, bool is_shared, struct arena *arena, const char **address,
    struct error *err)
{
	struct sql_rows *rows = sql_query(store_sql(store), err, "SELECT address FROM cluster WHERE id = ? AND address IS NOT NULL", "i", cluster);
	char text[RANGE_ADDRESS_SIZE];
	int got = sql_row(rows, err);

	if (got > 0)
		*address = arena_string(arena, sql_text(rows, 0));
	sql_end(rows);
	for (size_t i = 0; got == 0 && i < ranges->count; i++)
		for (uint64_t number = 0; got == 0 && range_address(ranges->list[i], number, text); number++) {
			int taken = cluster_address_is_taken(store, cluster, text, is_shared, err);

			if (taken == 0)
				*address = arena_string(arena, text);
			got = taken < 0 ? -1 : !taken;
		}
	return got;
}

int
cluster_address_take(struct store *store, int64_t cluster, const char *address, bool is_shared, struct error *err)
{
	int taken = cluster_address_is_taken(store, cluster, address, is_shared, err);

	if (taken > 0)
		return error_outdated(err, "the address %s was given to another cluster meanwhile", address);
	return taken < 0 ? -1 : sql_change(store_sql(store), err, "UPDATE cluster SET address = ?, address_shared = ? WHERE id = ?", "tii", address,
	    (int64_t)is_shared, cluster);
}
