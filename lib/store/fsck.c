/* SPDX-License-Identifier: Apache-2.0 */
#include "store/fsck.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "store/audit.h"
#include "store/sql/engine.h"
#include "store/sql/sql.h"
#include "store/store.h"

#define CLUSTER "SELECT 'cluster ' || printf('%08d', cluster.id) || ', ' || cluster.name || ': ' || "

/* Each gives a row for a fault: a sentence. */
static const char *const checks[] = {
	"SELECT tenant.name || ': ' || kind || ' ' || entity.name || ': the versions are not 1 to ' || entity.version "
	"FROM entity JOIN tenant ON tenant.id = tenant JOIN revision ON entity = entity.id "
	"GROUP BY entity.id HAVING count(*) <> max(revision.version) OR max(revision.version) <> entity.version",
	"SELECT tenant.name || ': ' || kind || ' ' || entity.name || ': the newest version ' || "
	"CASE present WHEN 1 THEN 'has no document' ELSE 'has a document, but the entity is deleted' END "
	"FROM entity JOIN tenant ON tenant.id = tenant JOIN revision ON entity = entity.id AND revision.version = entity.version "
	"WHERE present <> (revision.document IS NOT NULL)",
	"SELECT tenant.name || ': ' || kind || ' ' || entity.name || ', version ' || revision.version || "
	"': the name in the document is \"' || coalesce(revision.document ->> '$.name', '') || '\"' "
	"FROM revision JOIN entity ON entity.id = entity JOIN tenant ON tenant.id = tenant "
	"WHERE revision.document ->> '$.name' IS NOT entity.name AND revision.document IS NOT NULL",
	"SELECT 'tenant ' || name || ': the name in the document is \"' || (document ->> '$.name') || '\"' FROM tenant "
	"WHERE document ->> '$.name' IS NOT NULL AND deleted_ms = 0 AND document ->> '$.name' <> name",
	"SELECT 'tenant ' || tenant.name || ': deleted, but has cluster ' || printf('%08d', cluster.id) FROM tenant "
	"JOIN cluster ON tenant = tenant.id WHERE deleted_ms > 0 AND status <> 'terminated'",
	"SELECT 'tenant ' || tenant.name || ': member ' || user || ': the record of changes says ' || CASE WHEN said IS NULL THEN 'no member' "
	"ELSE (said ->> '$.role') || ' ' || (said -> '$.groups') END || ', the table ' || role || ' ' || groups FROM (SELECT member.*, "
	"(SELECT document FROM account_history AS h WHERE h.tenant = member.tenant AND kind = 'member' AND name = user ORDER BY id DESC LIMIT 1) "
	"AS said FROM member) AS member JOIN tenant ON tenant.id = tenant WHERE said ->> '$.role' IS NOT role OR said -> '$.groups' IS NOT groups",
	"SELECT 'tenant ' || tenant.name || ': member ' || h.name || ': the record of changes has this member, and the table has not' "
	"FROM account_history AS h JOIN tenant ON tenant.id = h.tenant WHERE kind = 'member' AND deleted_ms = 0 AND h.document IS NOT NULL "
	"AND h.id = (SELECT max(id) FROM account_history WHERE tenant = h.tenant AND kind = 'member' AND name = h.name) "
	"AND NOT EXISTS (SELECT 1 FROM member WHERE tenant = h.tenant AND user = h.name)",
	"SELECT 'tenant ' || name || ': the document is not the one of the record of changes' FROM tenant WHERE deleted_ms = 0 AND document <> "
	"(SELECT document FROM account_history AS h WHERE tenant = tenant.id AND kind = 'tenant' ORDER BY h.id DESC LIMIT 1)",
	CLUSTER "'the number was never allotted' FROM cluster WHERE id > (SELECT last FROM allotment)",
	CLUSTER "'there are no documents' FROM cluster WHERE id NOT IN (SELECT cluster FROM cluster_document)",
	CLUSTER "status || ', but ' || CASE status WHEN 'pending' THEN 'no operation is' ELSE 'an operation is' END || "
	"' running' FROM cluster WHERE (status = 'pending') <> EXISTS (SELECT 1 FROM operation WHERE cluster = id AND ended_ms = 0)",
	CLUSTER "'the operations are not 1 to ' || operation FROM cluster WHERE operation <> "
	"(SELECT count(*) FROM operation WHERE cluster = id) OR operation <> (SELECT max(number) FROM operation WHERE cluster = id)",
	CLUSTER "'operation ' || number || ' has a job, but no documents' FROM cluster JOIN operation ON operation.cluster = id "
	"WHERE job IS NOT NULL AND NOT EXISTS (SELECT 1 FROM operation_document AS document "
	"WHERE document.cluster = id AND document.number = operation.number)",
	CLUSTER "'number of nodes: the record says ' || nodes || ', but it is ' || living FROM cluster "
	"JOIN (SELECT id AS number, (SELECT count(*) FROM node_use WHERE cluster = id AND to_ms IS NULL) AS living FROM cluster) "
	"ON number = id WHERE nodes <> living",
	CLUSTER "'number of nodes: terminated, but it is ' || nodes FROM cluster WHERE status = 'terminated' AND nodes > 0",
	CLUSTER "'terminated, but keeps files of its operations' FROM cluster WHERE status = 'terminated' "
	"AND id IN (SELECT cluster FROM operation_file)",
	CLUSTER "'terminated, but has observations' FROM cluster WHERE status = 'terminated' "
	"AND id IN (SELECT cluster FROM observation)",
	CLUSTER "'terminated, but the node ' || node || ' has machine ' || machine FROM cluster JOIN claim "
	"ON CAST(claim.cluster AS INTEGER) = id WHERE status = 'terminated'",
	"SELECT 'machine ' || machine || ': the node ' || node || ' is not one of cluster ' || cluster FROM claim "
	"WHERE node NOT LIKE cluster || '-%' AND CAST(cluster AS INTEGER) IN (SELECT id FROM cluster)",
	CLUSTER "'hook ' || hook || ' has a message of job ' || (body ->> '$.job') || ', but no operation has this job' "
	"FROM hook_message JOIN cluster ON cluster.id = CAST(body ->> '$.cluster.id' AS INTEGER) WHERE event IN ('success', 'failure') "
	"AND body ->> '$.job' NOT IN (SELECT job FROM operation WHERE job IS NOT NULL)",
	CLUSTER "'the amounts counted against the quota are wrong' FROM cluster WHERE peak_nodes < nodes OR "
	"(status <> 'pending' AND (peak_nodes <> nodes OR peak_cost <> cost OR peak_resources <> resources))",
};

/* Tells what the rows say, and ends them. Returns their number, or -1. */
static int
fsck_tell(struct store *store, struct sql_rows *rows, void (*say)(const char *fault, void *data), void *data,
    struct error *err)
{
	int got, faults = 0;

	for (; (got = sql_row(rows, err)) > 0; faults++) {
		char *line = memory_printf("%s: %s", store_path(store), sql_text(rows, 0));

		say(line, data);
		free(line);
	}
	sql_end(rows);
	return got < 0 ? -1 : faults;
}

int
store_fsck(struct store *store, void (*say)(const char *fault, void *data), void *data, struct error *err)
{
	struct sql *sql = store_sql(store);
	char last[AUDIT_HASH_SIZE];
	int faults = fsck_tell(store, sql->engine->check(sql, err), say, data, err);

	if (faults >= 0) {
		int more = audit_verify(store, NULL, say, data, last, err);

		faults = more < 0 ? -1 : faults + more;
	}
	for (size_t i = 0; faults >= 0 && i < sizeof checks / sizeof *checks; i++) {
		int more = fsck_tell(store, sql_query(sql, err, checks[i], ""), say, data, err);

		faults = more < 0 ? -1 : faults + more;
	}
	return faults;
}
