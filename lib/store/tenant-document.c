/* SPDX-License-Identifier: Apache-2.0 */
#include "store/tenant-document.h"

#include <string.h>

#include "base/error.h"
#include "json/json.h"
#include "store/sql/sql.h"
#include "store/store.h"

int
tenant_document(struct store *store, jv *document, struct error *err)
{
	struct sql_rows *rows = sql_query(store_sql(store), err, "SELECT document FROM tenant WHERE id = ?", "i", store_tenant(store));
	int got = sql_row(rows, err);
	const char *text = got > 0 ? sql_text(rows, 0) : NULL;
	int result = text ? json_parse("the tenant's document", text, strlen(text), document, err) : -1;

	if (got == 0)
		error_set(err, EX_NO, "the tenant is gone");
	sql_end(rows);
	return result;
}

int
tenant_addresses(struct store *store, struct arena *arena, struct string_list *ranges, struct error *err)
{
	struct place root;
	jv document;

	*ranges = (struct string_list){0};
	if (tenant_document(store, &document, err) < 0)
		return -1;
	root = place_root(document, NULL);
	*ranges = place_strings(&root, "addresses", arena);
	jv_free(document);
	return 0;
}
