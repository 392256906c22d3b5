/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/operation-files.h"

#include "base/buffer.h"
#include "cluster/operations.h"
#include "store/sql/sql.h"
#include "store/store.h"

int
operation_files_add(struct store *store, int64_t cluster, int64_t number, const struct operation_file *files, size_t count,
    struct error *err)
{
	int result = 0;

	for (size_t i = 0; i < count && result == 0; i++)
		result = sql_change(store_sql(store), err, "INSERT INTO operation_file (cluster, number, name, content) "
		    "VALUES (?, ?, ?, ?) ON CONFLICT (cluster, number, name) DO UPDATE SET content = excluded.content", "iitb",
		    cluster, number, files[i].name, files[i].length ? files[i].text : "", files[i].length);
	return result;
}

int
operation_file_get(struct store *store, int64_t cluster, int64_t number, const char *name, struct buffer *out,
    struct error *err)
{
	struct sql_rows *rows = sql_query(store_sql(store), err, "SELECT content FROM operation_file "
	    "WHERE cluster = ? AND number = ? AND name = ?", "iit", cluster, number, name);
	int got = sql_row(rows, err);

	if (got > 0 && out) {
		size_t length;
		const void *bytes = sql_bytes(rows, 0, &length);

		if (length > 0)
			buffer_append(out, bytes, length);
	}
	sql_end(rows);
	return got;
}
