/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the operations that the store has; operation-begin.c and operation-end.c write them.
 */
#include "cluster/operations.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "account/visible.h"
#include "base/error.h"
#include "base/process.h"
#include "cluster/clusters.h"
#include "cluster/revision.h"
#include "store/sql/sql.h"
#include "store/store.h"

#define COLUMNS "SELECT operation.cluster, number, action, user, why, operation.message, operation.template, job, begun_ms, " \
	"ended_ms, operation.status, " REVISION_IS " FROM operation JOIN cluster ON id = operation.cluster "

static const char *const names[] = {"planned", "running", "complete", "failed", "cancelled", "rolledback"};

const char *
operation_status_name(enum operation_status status)
{
	return names[status];
}

enum operation_status
operation_status_of(const char *name)
{
	enum operation_status status = OPERATION_PLANNED;

	while (status < OPERATION_STATUS_COUNT && strcmp(name, names[status]) != 0)
		status++;
	return status;
}

char *
operation_job(int64_t cluster, int64_t number, char text[JOB_ID_SIZE])
{
	char id[CLUSTER_ID_SIZE];

	snprintf(text, JOB_ID_SIZE, "%s-%03" PRId64, cluster_id_text(cluster, id), number);
	return text;
}

/* Adds the operations of clusters that the account sees for which rest, with the values ?6 and ?7, is true. Returns their number,
 * or -1. */
static int
operations_query(struct account *account, const char *rest, int64_t first, int64_t second, struct operation_list *list,
    struct error *err)
{
	char *text = memory_printf(COLUMNS "WHERE %s AND %s", visible_anywhere(account), rest);
	struct sql_rows *rows = sql_query(account_sql(account), err, text, VISIBLE_TYPES "ii", VISIBLE_VALUES(account), first, second);
	struct arena *arena = &list->arena;
	int got, count = 0;

	for (; (got = sql_row(rows, err)) > 0; count++) {
		ARRAY_ROOM(list->list, list->count, list->capacity);
		list->list[list->count++] = (struct operation){
			.cluster = sql_integer(rows, 0),
			.number = sql_integer(rows, 1),
			.action = sql_keep(rows, 2, arena),
			.user = sql_keep(rows, 3, arena),
			.why = sql_keep(rows, 4, arena),
			.message = sql_keep(rows, 5, arena),
			.template = sql_keep(rows, 6, arena),
			.job = sql_keep(rows, 7, arena),
			.begun_ms = sql_integer(rows, 8),
			.ended_ms = sql_integer(rows, 9),
			.status = operation_status_of(sql_text(rows, 10)),
			.is_revision = sql_integer(rows, 11) != 0,
		};
	}
	sql_end(rows);
	free(text);
	return got < 0 ? -1 : count;
}

int
operations_list(struct account *account, int64_t cluster, int64_t before, int64_t limit, struct operation_list *list,
    struct error *err)
{
	char *rest = memory_printf("id = ?6 AND number < ?7 ORDER BY number DESC LIMIT %" PRId64, limit ? limit : -1);
	int got = operations_query(account, rest, cluster, before ? before : INT64_MAX, list, err);

	free(rest);
	return got < 0 ? -1 : 0;
}

bool
operation_is_of_creation(const struct operation *last)
{
	return strcmp(last->action, "delete") != 0 && strcmp(last->action, "rollback") != 0;
}

int
operation_last(struct account *account, int64_t cluster, struct operation_list *list, struct error *err)
{
	return operations_query(account, "id = ?6 AND ?7 = 0 AND job IS NOT NULL ORDER BY number DESC LIMIT 1", cluster, 0,
	    list, err);
}

int
operation_find(struct account *account, int64_t cluster, int64_t number, struct operation_list *list,
    struct error *err)
{
	char id[CLUSTER_ID_SIZE];
	int got = operations_query(account, "id = ?6 AND number = ?7", cluster, number, list, err);

	if (got == 0)
		return error_set(err, EX_NO, "cluster %s: there is no operation %" PRId64, cluster_id_text(cluster, id), number);
	return got < 0 ? -1 : 0;
}

int
operations_open(struct account *account, struct operation_list *list, struct error *err)
{
	return operations_query(account, "ended_ms = ?6 AND ?7 = 0 ORDER BY id", 0, 0, list, err) < 0 ? -1 : 0;
}

int
operations_open_jobs(struct store *store, struct arguments *jobs, struct error *err)
{
	struct sql_rows *rows = sql_query(store_sql(store), err, "SELECT job FROM operation WHERE ended_ms = 0 AND job IS NOT NULL", "");
	int got;

	while ((got = sql_row(rows, err)) > 0)
		arguments_push(jobs, sql_text(rows, 0));
	sql_end(rows);
	return got;
}

int
operation_documents(struct account *account, int64_t cluster, int64_t number, struct operation_documents *documents,
    struct error *err)
{
	char *text = memory_printf("SELECT wish, before, wanted, prices FROM operation_document JOIN cluster ON id = cluster "
	    "WHERE %s AND id = ?6 AND number = ?7", visible_anywhere(account)), id[CLUSTER_ID_SIZE];
	struct sql_rows *rows = sql_query(account_sql(account), err, text, VISIBLE_TYPES "ii", VISIBLE_VALUES(account), cluster,
	    number);
	int got = sql_row(rows, err);

	if (got > 0)
		*documents = (struct operation_documents){sql_copy(rows, 0), sql_copy(rows, 1), sql_copy(rows, 2),
			sql_copy(rows, 3)};
	sql_end(rows);
	free(text);
	if (got == 0)
		return error_set(err, EX_NO, "cluster %s: there are no documents of operation %" PRId64,
		    cluster_id_text(cluster, id), number);
	return got < 0 ? -1 : 0;
}

void
operation_documents_release(struct operation_documents *documents)
{
	free(documents->request);
	free(documents->before);
	free(documents->wanted);
	free(documents->prices);
	*documents = (struct operation_documents){0};
}

void
operation_list_release(struct operation_list *list)
{
	free(list->list);
	arena_release(&list->arena);
	*list = (struct operation_list){0};
}
