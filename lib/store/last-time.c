/* SPDX-License-Identifier: Apache-2.0 */
#include "store/last-time.h"

#include "store/sql/sql.h"
#include "store/store.h"

int
last_time_record(struct store *store, const char *name, int64_t at_ms, struct error *err)
{
	return sql_change_alone(store_sql(store), err, "INSERT INTO last_time (name, at_ms) VALUES (?, ?) "
	    "ON CONFLICT (name) DO UPDATE SET at_ms = max(at_ms, excluded.at_ms)", "ti", name, at_ms);
}

int
last_time_read(struct store *store, const char *name, int64_t *at_ms, struct error *err)
{
	*at_ms = 0;
	return sql_number(store_sql(store), at_ms, err, "SELECT at_ms FROM last_time WHERE name = ?", "t", name) < 0 ? -1 : 0;
}
