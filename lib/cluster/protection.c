/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/protection.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cluster/clusters.h"
#include "json/place.h"
#include "model/document.h"
#include "store/sql/sql.h"
#include "store/store.h"

int
protection_read(struct protection *protection, struct account *account, int64_t cluster, struct error *err)
{
	struct cluster_documents documents = {0};
	int result = clusters_documents(account, cluster, &documents, err);

	*protection = (struct protection){.layout.cluster.source = jv_invalid(), .request = jv_null()};
	if (result == 0)
		result = layout_parse_text(documents.layout ? documents.layout : "", &protection->layout, err);
	if (result == 0 && documents.request)
		result = json_parse("the request", documents.request, strlen(documents.request), &protection->request, err);
	cluster_documents_release(&documents);
	return result;
}

void
protection_release(struct protection *protection)
{
	layout_release(&protection->layout);
	jv_free(protection->request);
	arena_release(&protection->arena);
}

/* Sets what a document says, in the place of what was said before; problems were found when it was composed. */
static void
protection_take(struct protection *protection, jv document, struct protected *protected)
{
	jv policy = json_get(document, "backup"), repair = json_get(document, "repair");
	struct problems problems = {0};
	struct place place = place_root(policy, &problems);

	if (jv_get_kind(policy) == JV_KIND_OBJECT)
		document_parse(&backup_policy_table, &place, &protection->arena, &protected->policy);
	if (json_string(repair))
		protected->restores = strcmp(json_string(repair), "restore") == 0;
	problems_release(&problems);
	jv_free(repair);
	jv_free(policy);
}

static bool
protection_has_action(jv definition, const char *name)
{
	jv provisioner = json_get(definition, "provisioner"), actions = json_get(provisioner, "actions"), action = json_get(actions, name);
	bool has = jv_get_kind(action) == JV_KIND_OBJECT;

	jv_free(action);
	jv_free(actions);
	jv_free(provisioner);
	return has;
}

struct protected
protection_of(struct protection *protection, const char *service)
{
	jv template = json_get(protection->request, "template"), services = json_get(protection->request, "services"), definition = json_find_named(services, service);
	struct protected protected = {0};

	protection_take(protection, template, &protected);
	protection_take(protection, definition, &protected);
	protected.can_backup = protection_has_action(definition, "backup");
	protected.can_restore = protection_has_action(definition, "restore");
	jv_free(definition);
	jv_free(services);
	jv_free(template);
	return protected;
}

/* Reads the numbers of rows, and ends them. */
static int
protection_numbers(struct sql_rows *rows, int64_t *ids, size_t *count, struct error *err)
{
	int got;

	*count = 0;
	while ((got = sql_row(rows, err)) > 0)
		ids[(*count)++] = sql_integer(rows, 0);
	sql_end(rows);
	return got;
}

int
protection_scheduled(struct store *store, int64_t after, int64_t *ids, size_t limit, size_t *count, struct error *err)
{
	return protection_numbers(sql_query(store_sql(store), err, "SELECT id FROM cluster JOIN cluster_document ON cluster = id "
	    "WHERE id > ? AND status <> 'terminated' AND instr(wish, '\"every\":') > 0 ORDER BY id LIMIT ?", "ii", after, (int64_t)limit),
	    ids, count, err);
}

int
protection_retained(struct store *store, int64_t after, int64_t *ids, size_t limit, size_t *count, struct error *err)
{
	return protection_numbers(sql_query(store_sql(store), err, "SELECT cluster FROM cluster_document WHERE cluster > ? "
	    "AND cluster IN (SELECT cluster FROM archive WHERE leaving = 0) AND instr(wish, '\"keep\":') > 0 ORDER BY cluster LIMIT ?", "ii",
	    after, (int64_t)limit), ids, count, err);
}

int
protection_unrestored(struct store *store, struct unrestored_list *list, struct error *err)
{
	struct sql_rows *rows = sql_query(store_sql(store), err, "SELECT made.cluster, node FROM operation AS made "
	    "JOIN node_use ON node_use.cluster = made.cluster AND from_ms BETWEEN made.begun_ms AND made.ended_ms AND to_ms IS NULL "
	    "WHERE made.action = 'replace' AND made.status = 'complete' AND instr(made.why, ?) = 1 AND NOT EXISTS (SELECT 1 "
	    "FROM operation AS later WHERE later.cluster = made.cluster AND later.number > made.number AND later.action = 'restore') "
	    "ORDER BY made.cluster, node", "t", PROTECTION_REPLACED);
	int got;

	while ((got = sql_row(rows, err)) > 0) {
		ARRAY_ROOM(list->list, list->count, list->capacity);
		list->list[list->count++] = (struct unrestored){sql_integer(rows, 0), sql_keep(rows, 1, &list->arena)};
	}
	sql_end(rows);
	return got;
}

void
unrestored_list_release(struct unrestored_list *list)
{
	free(list->list);
	arena_release(&list->arena);
	*list = (struct unrestored_list){0};
}
