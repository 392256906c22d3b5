/* SPDX-License-Identifier: Apache-2.0 */
#include "store/claim-marks.h"

#include <stdint.h>

#include "base/error.h"
#include "address/machine-address.h"
#include "store/sql/sql.h"

int
claim_marks_add(struct sql *db, const char *node, enum claim_mark kind, const struct string_list *values, struct error *err)
{
	int64_t others = 0;
	int got = 1;

	for (size_t i = 0; i < values->count && got > 0; i++) {
		got = sql_number(db, &others, err, "SELECT count(*) FROM claim_mark WHERE kind = ? AND value = ? AND node <> ?", "itt",
		    (int64_t)kind, values->list[i], node);
		if (got > 0 && others > 0)
			return 0;
		if (got > 0 && sql_change(db, err, "INSERT INTO claim_mark (kind, value, node) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
		    "itt", (int64_t)kind, values->list[i], node) < 0)
			got = -1;
	}
	return got;
}

int
claim_marks_bring(struct sql *db, const char *path, struct error *err)
{
	struct sql_rows *rows = sql_query(db, err, "SELECT machine, node FROM claim", "");
	struct string_list addresses;
	struct arena arena = {0};
	struct error why;
	int got;

	(void)path;
	while ((got = sql_row(rows, err)) > 0) {
		const char *machine = sql_keep(rows, 0, &arena), *node = sql_keep(rows, 1, &arena);

		if (machine_address_resolve(machine, &arena, &addresses, &why) == 0 &&
		    claim_marks_add(db, node, MARK_ADDRESS, &addresses, err) < 0) {
			got = -1;
			break;
		}
	}
	sql_end(rows);
	arena_release(&arena);
	return got;
}
