/* SPDX-License-Identifier: Apache-2.0
 *
 * An operation ends, once: what is there, what it costs from now on, and what the cluster's status is.
 */
#include "cluster/operations.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "account/accounts.h"
#include "account/visible.h"
#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "cluster/clusters.h"
#include "account/holding.h"
#include "cluster/life.h"
#include "cluster/operation-files.h"
#include "json/dump.h"
#include "store/outbox.h"
#include "store/sql/sql.h"

struct ending {
	struct account *account;
	int64_t cluster, number;
	const struct operation_outcome *outcome;
	const struct life_move *move;
	enum life_status was;
	char *prices, *wish, *template;
	int64_t begun_ms, ended_ms;
};

/* Reads the operation: 1, 0 if it has ended already, -1. */
static int
operation_look(struct ending *e, struct error *err)
{
	char *text = memory_printf("SELECT action, was, operation.template, begun_ms, ended_ms, prices, wish FROM operation "
	    "JOIN operation_document USING (cluster, number) JOIN cluster ON id = cluster WHERE %s AND id = ?6 AND number = ?7",
	    visible_anywhere(e->account));
	struct sql_rows *rows = sql_query(account_sql(e->account), err, text, VISIBLE_TYPES "ii", VISIBLE_VALUES(e->account),
	    e->cluster, e->number);
	int got = sql_row(rows, err);
	bool open = false;
	char id[JOB_ID_SIZE];

	if (got > 0) {
		open = sql_integer(rows, 4) == 0;
		e->move = life_find(sql_text(rows, 0));
		e->was = life_status_of(sql_text(rows, 1));
		e->template = sql_copy(rows, 2);
		e->begun_ms = sql_integer(rows, 3);
		e->prices = sql_copy(rows, 5);
		e->wish = sql_copy(rows, 6);
	}
	sql_end(rows);
	free(text);
	if (got == 0)
		return error_set(err, EX_NO, "there is no operation %s", operation_job(e->cluster, e->number, id));
	if (got > 0 && !e->move)
		return error_set(err, EX_DATAERR, "operation %s: it is of an action that is not known", operation_job(e->cluster,
		    e->number, id));
	return got < 0 ? -1 : open;
}

/* A machine that was not there is paid for from the operation's beginning on. */
static int
operation_add_nodes(struct ending *e, const struct holding *holding, struct error *err)
{
	int result = 0;

	for (size_t i = 0; i < holding->count && result == 0; i++) {
		const struct holding_node *node = &holding->list[i];

		result = sql_change(account_sql(e->account), err,
		    "INSERT INTO node_use (cluster, node, hardwaretype, cost, "
		    "capacity, from_ms) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING", "ittdti", e->cluster, node->id, node->hardwaretype, node->cost,
		    node->capacity, e->begun_ms);
	}
	return result;
}

/* nodes: JSON, the ids of those that are there. */
static int
operation_end_nodes(struct ending *e, const char *nodes, struct error *err)
{
	return sql_change(account_sql(e->account), err, "UPDATE node_use SET to_ms = max(from_ms, ?) WHERE cluster = ? "
	    "AND to_ms IS NULL AND node NOT IN (SELECT value FROM json_each(?))", "iit", e->ended_ms, e->cluster, nodes);
}

/* The ids as a JSON array; the caller frees it. */
static char *
operation_list_nodes(const struct holding *holding)
{
	struct buffer text = {0};

	buffer_byte(&text, '[');
	for (size_t i = 0; i < holding->count; i++) {
		if (i)
			buffer_byte(&text, ',');
		json_quote(holding->list[i].id, &text);
	}
	buffer_byte(&text, ']');
	return buffer_take(&text);
}

static int
operation_keep_layout(struct ending *e, struct error *err)
{
	const char *layout = e->outcome->layout;
	struct holding holding = {0};
	int result;
	char *nodes;

	if (!layout)
		return 0;
	result = holding_take(&holding, HOLDING_THERE, layout, e->prices, err);
	if (result == 0) {
		nodes = operation_list_nodes(&holding);
		result = operation_end_nodes(e, nodes, err);
		free(nodes);
	}
	if (result == 0)
		result = operation_add_nodes(e, &holding, err);
	if (result == 0)
		result = sql_change(account_sql(e->account), err, "UPDATE cluster_document SET layout = ? WHERE cluster = ?", "ti",
		    holding.count ? layout : "", e->cluster);
	holding_release(&holding);
	return result;
}

static int
operation_end_operation(struct ending *e, struct error *err)
{
	return sql_change(account_sql(e->account), err, "UPDATE operation SET status = ?, message = ?, ended_ms = ? "
	    "WHERE cluster = ? AND number = ?", "ttiii", operation_status_name(e->outcome->status), e->outcome->message,
	    e->ended_ms, e->cluster, e->number);
}

static enum life_status
operation_status_after(const struct ending *e, int64_t machines)
{
	bool untouched = !e->outcome->layout && e->outcome->status == OPERATION_CANCELLED;
	enum life_status status = e->move->failure;

	if (e->move->ends && machines == 0 && e->outcome->status != OPERATION_CANCELLED)
		return LIFE_TERMINATED;
	if (e->outcome->status == OPERATION_COMPLETE)
		status = e->move->success;
	if (e->outcome->status == OPERATION_ROLLEDBACK || untouched)
		status = LIFE_SAME;
	if (status == LIFE_SAME)
		status = e->was;
	if (status == LIFE_ABSENT || (machines == 0 && e->was == LIFE_ABSENT))
		return machines ? LIFE_INCOMPLETE : LIFE_TERMINATED;
	return status == LIFE_TERMINATED && machines ? LIFE_INCOMPLETE : status;
}

/* Records what the cluster shall be from now on: as a complete operation wanted it; of one that failed, only if there was nothing. */
static int
operation_keep_wish(struct ending *e, struct error *err)
{
	const char *order = e->outcome->status == OPERATION_COMPLETE ? "coalesce(?, wish)" : "coalesce(wish, ?)";
	char *text = memory_printf("UPDATE cluster_document SET wish = %s WHERE cluster = ?", order);
	int result = sql_change(account_sql(e->account), err, text, "ti", e->wish, e->cluster);

	free(text);
	if (result == 0 && e->outcome->status == OPERATION_COMPLETE)
		result = sql_change(account_sql(e->account), err, "UPDATE cluster SET template = coalesce(?, template) WHERE id = ?",
		    "ti",
		    e->template, e->cluster);
	return result;
}

/* From the rows of node_use, also into what quotas count. A sum of prices is rounded once, here: 0.22 is not 0.21999999999999997. */
static int
operation_sum_up(struct ending *e, struct error *err)
{
	return sql_change(account_sql(e->account), err,
	    "UPDATE cluster SET (nodes, cost) = (SELECT count(*), round(coalesce(sum(cost), 0), 9) "
	    "FROM node_use WHERE cluster = cluster.id AND to_ms IS NULL), resources = (SELECT json_group_object(key, amount) "
	    "FROM (SELECT key, sum(value) AS amount FROM node_use, json_each(capacity) WHERE cluster = cluster.id "
	    "AND to_ms IS NULL GROUP BY key ORDER BY key)) WHERE id = ?", "i", e->cluster);
}

/* Records the cluster as it is now. One that is terminated keeps no files of its operations. */
static int
operation_end_cluster(struct ending *e, struct error *err)
{
	int64_t machines = 0;
	const char *message = e->outcome->status == OPERATION_COMPLETE ? NULL : e->outcome->message;
	enum life_status status;
	int result;

	if (operation_sum_up(e, err) < 0 || sql_number(account_sql(e->account), &machines, err,
	    "SELECT nodes FROM cluster WHERE id = ?", "i",
	    e->cluster) < 0)
		return -1;
	status = operation_status_after(e, machines);
	result = sql_change(account_sql(e->account), err, "UPDATE cluster SET status = ?, message = ?, changed_ms = ?, "
	    "revision = revision + 1, peak_nodes = nodes, peak_cost = cost, peak_resources = resources WHERE id = ?", "ttii",
	    life_status_name(status), message, e->ended_ms, e->cluster);
	if (result == 0 && status == LIFE_TERMINATED)
		result = sql_change(account_sql(e->account), err, "DELETE FROM operation_file WHERE cluster = ?", "i", e->cluster);
	return result;
}

/* Keeps the files of the operation, and what hooks are to be told of it. */
static int
operation_end_tell(struct ending *e, struct error *err)
{
	const struct operation_outcome *outcome = e->outcome;
	struct store *store = e->account->store;
	int result = operation_files_add(store, e->cluster, e->number, outcome->files, outcome->file_count, err);

	for (size_t i = 0; i < outcome->message_count && result == 0; i++)
		result = outbox_add(store, &outcome->messages[i], err);
	return result;
}

/* 1, or 0 where it has ended already. */
static int
operation_end_end(struct ending *e, struct error *err)
{
	int open = operation_look(e, err);

	if (open <= 0)
		return open;
	if (operation_keep_layout(e, err) < 0 || operation_end_operation(e, err) < 0 || operation_keep_wish(e, err) < 0 ||
	    operation_end_tell(e, err) < 0 || operation_end_cluster(e, err) < 0)
		return -1;
	return 1;
}

int
operation_end(struct account *account, int64_t cluster, int64_t number, const struct operation_outcome *outcome,
    struct error *err)
{
	struct ending e = {.account = account, .cluster = cluster, .number = number, .outcome = outcome,
		.ended_ms = clock_wall_ms()};
	int result;

	if (outcome->status < OPERATION_COMPLETE || outcome->status >= OPERATION_STATUS_COUNT)
		return error_set(err, EX_SOFTWARE, "an operation cannot end so");
	if (store_begin(account->store, err) < 0)
		return -1;
	result = store_finish(account->store, operation_end_end(&e, err), err);
	free(e.prices);
	free(e.wish);
	free(e.template);
	return result;
}

int
operation_running(struct account *account, int64_t cluster, int64_t number, struct error *err)
{
	char *text = memory_printf("UPDATE operation SET status = 'running' WHERE cluster = ?6 AND number = ?7 "
	    "AND status = 'planned' AND EXISTS (SELECT 1 FROM cluster WHERE id = ?6 AND %s)", visible_anywhere(account));
	int result = store_begin(account->store, err);

	if (result == 0) {
		result = sql_change(account_sql(account), err, text, VISIBLE_TYPES "ii", VISIBLE_VALUES(account), cluster, number);
		result = store_finish(account->store, result, err);
	}
	free(text);
	return result;
}
