/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/contents-check.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "content/content.h"
#include "store/sql/sql.h"
#include "store/store.h"

#define DIGESTS_OF_ACTIONS "WHERE key = 'digest' AND path LIKE '$.services[%].provisioner.actions.%' AND status <> 'terminated' "

/* A digest and who names it, by digests: each is read once. */
static const char named[] =
    "SELECT sum, 'resource ' || plugin || '/' || type || '/' || resource.name || '@' || version || ' of tenant ' || tenant.name, 1 "
    "FROM resource JOIN tenant ON tenant.id = tenant WHERE deleted = 0 "
    "UNION SELECT atom, 'cluster ' || printf('%08d', cluster.id) || ', ' || name, 0 "
    "FROM cluster JOIN cluster_document ON cluster = cluster.id, json_tree(wish) " DIGESTS_OF_ACTIONS
    "UNION SELECT atom, 'cluster ' || printf('%08d', cluster.id) || ', ' || name || ', before operation ' || (number + 1), 0 "
    "FROM cluster JOIN operation_document AS its ON its.cluster = cluster.id AND number < operation, json_tree(its.wish) " DIGESTS_OF_ACTIONS
    "ORDER BY 1, 2";

/* Returns what is wrong with a content, which the caller frees; NULL: nothing. */
static char *
contents_check_read(contents_check_reader *read, const char *digest)
{
	struct buffer bytes = {0};
	struct error err;
	char *fault = read(digest, &bytes, &err) < 0 ? memory_string(err.text) : NULL;

	buffer_release(&bytes);
	return fault;
}

static void
contents_check_tell(const char *who, bool is_resource, const char *fault, void (*say)(const char *fault, void *data), void *data)
{
	char *line = memory_printf("%s: %s%s", who, fault, is_resource ? ""
	    : "; a copy of it helps, or coopr-upgrade, which takes the scripts of today");

	say(line, data);
	free(line);
}

int
contents_check(struct store *store, contents_check_reader *read, void (*say)(const char *fault, void *data), void *data,
    struct error *err)
{
	struct sql_rows *rows = sql_query(store_sql(store), err, named, "");
	char *last = NULL, *fault = NULL;
	int got, faults = 0;

	while ((got = sql_row(rows, err)) > 0) {
		const char *digest = sql_text(rows, 0);

		if (!digest || !content_is_digest(digest))
			continue;
		if (!last || strcmp(last, digest) != 0) {
			free(last);
			free(fault);
			last = memory_string(digest);
			fault = contents_check_read(read, digest);
		}
		if (fault) {
			contents_check_tell(sql_text(rows, 1), sql_integer(rows, 2) != 0, fault, say, data);
			faults++;
		}
	}
	sql_end(rows);
	free(last);
	free(fault);
	return got < 0 ? -1 : faults;
}
