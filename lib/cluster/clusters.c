/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/clusters.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account/visible.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/option.h"
#include "base/suggest.h"
#include "store/sql/sql.h"
#include "store/store.h"

enum { ID_DIGITS = 8, ID_DIGITS_MAX = 18 };

#define LISTER "coopr list shows the clusters"

#define COLUMNS "SELECT id, (SELECT tenant.name FROM tenant WHERE tenant.id = cluster.tenant), name, owner, grp, template, " \
	"provider, message, status, created_ms, changed_ms, expires_ms, lease_max_ms, lease_step_ms, nodes, cost, resources, " \
	"revision, operation, instances, ready, CASE WHEN stopped AND condition IN ('degraded', 'down') AND NOT EXISTS (SELECT 1 FROM observation " \
	"WHERE cluster = cluster.id AND answer NOT IN ('healthy', 'unknown') AND message IS NOT '" OBSERVATION_STOPPED "') THEN 'stopped' " \
	"ELSE condition END, observed_ms, lease_discards_data FROM cluster "

char *
cluster_id_text(int64_t id, char text[CLUSTER_ID_SIZE])
{
	snprintf(text, CLUSTER_ID_SIZE, "%0*" PRId64, ID_DIGITS, id);
	return text;
}

int64_t
cluster_id_of(const char *text)
{
	size_t length = strspn(text, "0123456789");

	return length < ID_DIGITS || length > ID_DIGITS_MAX || text[length] ? 0 : strtoll(text, NULL, 10);
}

/* Adds the rows that COLUMNS asked for, and ends them. Returns their number, or -1. */
static int
clusters_read_rows(struct sql_rows *rows, struct cluster_list *list, struct error *err)
{
	struct arena *arena = &list->arena;
	int64_t fresh_ms = observation_fresh_ms(), latest_ms = observation_latest_ms();
	int got, count = 0;

	while ((got = sql_row(rows, err)) > 0) {
		ARRAY_ROOM(list->list, list->count, list->capacity);
		list->list[list->count++] = (struct cluster_record){
			.id = sql_integer(rows, 0),
			.tenant = sql_keep(rows, 1, arena),
			.name = sql_keep(rows, 2, arena),
			.owner = sql_keep(rows, 3, arena),
			.group = sql_keep(rows, 4, arena),
			.template = sql_keep(rows, 5, arena),
			.provider = sql_keep(rows, 6, arena),
			.message = sql_keep(rows, 7, arena),
			.status = lifecycle_status_of(sql_text(rows, 8)),
			.created_ms = sql_integer(rows, 9),
			.changed_ms = sql_integer(rows, 10),
			.expires_ms = sql_integer(rows, 11),
			.lease_max_ms = sql_integer(rows, 12),
			.lease_step_ms = sql_integer(rows, 13),
			.nodes = sql_integer(rows, 14),
			.cost = sql_real(rows, 15),
			.resources = sql_keep(rows, 16, arena),
			.revision = sql_integer(rows, 17),
			.operation = sql_integer(rows, 18),
			.instances = sql_integer(rows, 19),
			.ready = sql_integer(rows, 20),
			.condition = sql_integer(rows, 22) >= fresh_ms && sql_integer(rows, 22) <= latest_ms ? condition_of(sql_text(rows, 21))
			    : CONDITION_UNKNOWN,
			.observed_ms = sql_integer(rows, 22),
			.lease_discards_data = sql_integer(rows, 23) != 0,
		};
		count++;
	}
	sql_end(rows);
	return got < 0 ? -1 : count;
}

/* Adds each status that has that name, or is a state of that name. Returns false where there is none. */
static bool
clusters_add_status(struct buffer *clause, const char *name)
{
	bool found = false;

	for (enum lifecycle_status status = LIFECYCLE_PENDING; status < LIFECYCLE_STATUS_COUNT; status++)
		if (strcmp(name, lifecycle_status_name(status)) == 0 || strcmp(name, lifecycle_state_name(status)) == 0) {
			buffer_printf(clause, "%s'%s'", clause->length ? "," : "status IN (", lifecycle_status_name(status));
			found = true;
		}
	return found;
}

/* Returns "status IN ('active','pending')" for wanted, "active,updating"; the caller frees it. NULL with EX_USAGE. */
static char *
clusters_status_clause(const char *wanted, struct error *err)
{
	static const char *const words[] = {"updating", "active", "failed", "terminated", "all", "pending", "incomplete", "inconsistent", NULL};
	struct buffer clause = {0};
	char name[16];
	int length;

	if (!wanted || !*wanted)
		return memory_string("status <> 'terminated'");
	if (strcmp(wanted, "all") == 0)
		return memory_string("true");
	for (const char *from = wanted; from; from = strchr(from, ',')) {
		from += *from == ',';
		length = (int)strcspn(from, ",");
		snprintf(name, sizeof name, "%.*s", length, from);
		if (!clusters_add_status(&clause, name)) {
			error_set(err, EX_USAGE, "unknown status \"%s\": expected updating, active, failed, terminated or all", name);
			suggest_in_error(err, name, words);
			buffer_release(&clause);
			return NULL;
		}
	}
	buffer_byte(&clause, ')');
	return buffer_take(&clause);
}

/* Returns the conditions of a filter, its values from ?6 on; the caller frees it. NULL with a reason. */
int
cluster_filter_check(const struct cluster_filter *filter, struct error *err)
{
	char *clause = clusters_status_clause(filter->status, err);

	free(clause);
	return clause ? 0 : -1;
}

static char *
clusters_where(struct account *account, const struct cluster_filter *filter, struct error *err)
{
	const char *after = !filter->after ? "?9 IS NULL AND ?10 IS NOT NULL" :
	    filter->by_number ? "id > ?10 AND ?9 IS NOT NULL" :
	    cluster_id_of(filter->after) ? "(name, id) > (SELECT name, id FROM cluster WHERE id = ?10) AND ?9 IS NOT NULL" :
	    "name > ?9 AND ?10 IS NOT NULL";
	char *status = clusters_status_clause(filter->status, err), *unhealthy, *text;

	if (!status)
		return NULL;
	unhealthy = memory_printf("NOT (status = 'active' AND condition = 'healthy' AND observed_ms BETWEEN %" PRId64 " AND %" PRId64
	    ")", observation_fresh_ms(), observation_latest_ms());
	text = memory_printf("WHERE %s AND %s AND (?6 IS NULL OR owner = ?6) AND (?7 IS NULL OR template = ?7) "
	    "AND (?8 IS NULL OR instr(name, ?8)) AND %s AND (?11 = 0 OR expires_ms BETWEEN 1 AND ?11) AND %s AND %s ",
	    filter->everywhere ? visible_anywhere(account) : visible_in_tenant(account), status, after,
	    filter->unreminded ? "reminded_ms <> expires_ms" : "true", filter->unhealthy ? unhealthy : "true");
	free(unhealthy);
	free(status);
	return text;
}

#define FILTER_TYPES VISIBLE_TYPES "ttttiii"
#define FILTER_VALUES(account, filter) VISIBLE_VALUES(account), (filter)->owner, (filter)->template, (filter)->search, \
	(filter)->after, (filter)->after ? cluster_id_of((filter)->after) : 0, (filter)->expired_ms

int
clusters_list(struct account *account, const struct cluster_filter *filter, struct cluster_list *list, struct error *err)
{
	char *conditions = clusters_where(account, filter, err), *text;
	int got;

	if (!conditions)
		return -1;
	text = memory_printf(COLUMNS "%s ORDER BY %s LIMIT ?12", conditions, filter->by_number ? "id" : "name, id");
	got = clusters_read_rows(sql_query(account_sql(account), err, text, FILTER_TYPES, FILTER_VALUES(account, filter),
	    filter->limit ? filter->limit : INT64_MAX), list, err);
	free(text);
	free(conditions);
	return got < 0 ? -1 : 0;
}

int64_t
clusters_count(struct account *account, const struct cluster_filter *filter, struct error *err)
{
	char *conditions = clusters_where(account, filter, err), *text;
	int64_t count = 0;

	if (!conditions)
		return -1;
	text = memory_printf("SELECT count(*) FROM cluster %s AND ?12 IS NOT NULL", conditions);
	if (sql_number(account_sql(account), &count, err, text, FILTER_TYPES, FILTER_VALUES(account, filter), (int64_t)0) < 0)
		count = -1;
	free(text);
	free(conditions);
	return count;
}

int
clusters_find_id(struct account *account, int64_t id, struct cluster_list *list, struct error *err)
{
	char *text = memory_printf(COLUMNS "WHERE %s AND id = ?6", visible_anywhere(account)), name[CLUSTER_ID_SIZE];
	int got = clusters_read_rows(sql_query(account_sql(account), err, text, VISIBLE_TYPES "i", VISIBLE_VALUES(account), id),
	    list, err);

	free(text);
	if (got == 0)
		return error_absent(err, "no cluster named \"%s\"; " LISTER, cluster_id_text(id, name));
	return got < 0 ? -1 : 0;
}

/* Sets the error for a name that is not there, with a similar one that the account sees. A long list is not searched. */
static int
clusters_not_found(struct account *account, const char *name, struct error *err)
{
	const struct cluster_filter filter = {.limit = 2000};
	struct cluster_list others = {0};
	const char **names;

	if (clusters_list(account, &filter, &others, err) < 0) {
		cluster_list_release(&others);
		return -1;
	}
	names = memory_zeroed(others.count + 1, sizeof *names);
	for (size_t i = 0; i < others.count; i++)
		names[i] = others.list[i].name;
	error_absent(err, "no cluster named \"%s\"", name);
	suggest_or_say(err, name, names, LISTER);
	free(names);
	cluster_list_release(&others);
	return -1;
}

int
clusters_count_living(struct store *store, int64_t *count, struct error *err)
{
	return sql_number(store_sql(store), count, err, "SELECT count(*) FROM cluster WHERE status <> 'terminated'", "") < 0 ? -1 : 0;
}

int
clusters_find(struct account *account, const char *name, struct cluster_list *list, struct error *err)
{
	int64_t id = cluster_id_of(name);
	char *text;
	int got;

	if (id > 0)
		return clusters_find_id(account, id, list, err);
	text = memory_printf(COLUMNS "WHERE %s AND name = ?6 AND status <> 'terminated'", visible_in_tenant(account));
	got = clusters_read_rows(sql_query(account_sql(account), err, text, VISIBLE_TYPES "t", VISIBLE_VALUES(account), name), list,
	    err);
	free(text);
	return got == 0 ? clusters_not_found(account, name, err) : got < 0 ? -1 : 0;
}

int
clusters_documents(struct account *account, int64_t id, struct cluster_documents *documents, struct error *err)
{
	char *text = memory_printf("SELECT wish, layout FROM cluster JOIN cluster_document ON cluster = id WHERE %s AND id = ?6",
	    visible_anywhere(account)), name[CLUSTER_ID_SIZE];
	struct sql_rows *rows = sql_query(account_sql(account), err, text, VISIBLE_TYPES "i", VISIBLE_VALUES(account), id);
	int got = sql_row(rows, err);

	if (got > 0) {
		documents->request = sql_copy(rows, 0);
		documents->layout = sql_copy(rows, 1);
	}
	sql_end(rows);
	free(text);
	if (got == 0)
		return error_absent(err, "no cluster named \"%s\"; " LISTER, cluster_id_text(id, name));
	return got < 0 ? -1 : 0;
}

int
cluster_documents_request(const struct cluster_documents *documents, const char *name, jv *request, struct error *err)
{
	if (!documents->request)
		return error_set(err, EX_NO, "%s: the cluster was never created, and has no request", name);
	return json_parse(name, documents->request, strlen(documents->request), request, err);
}

void
cluster_documents_release(struct cluster_documents *documents)
{
	free(documents->request);
	free(documents->layout);
	*documents = (struct cluster_documents){0};
}

void
cluster_list_release(struct cluster_list *list)
{
	free(list->list);
	arena_release(&list->arena);
	*list = (struct cluster_list){0};
}
