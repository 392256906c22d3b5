/* SPDX-License-Identifier: Apache-2.0
 *
 * The end of an operation, which comes once: it records the machines that are there, what they cost from now on, and the
 * cluster's status.
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
#include "base/names.h"
#include "cluster/clusters.h"
#include "account/holding.h"
#include "cluster/lifecycle.h"
#include "cluster/operation-files.h"
#include "cluster/volumes.h"
#include "json/dump.h"
#include "model/machine-life.h"
#include "model/layout.h"
#include "store/outbox.h"
#include "store/secrets.h"
#include "store/sql/sql.h"

struct ending {
	struct account *account;
	int64_t cluster, number;
	const struct operation_outcome *outcome;
	const struct lifecycle_transition *transition;
	enum lifecycle_status was;
	char *prices, *request, *template;
	bool whole; /* all is as the outcome's layout wants it */
	int64_t begun_ms, ended_ms;
};

/* Reads the operation: 1; 0 if it has ended already; -1. */
static int
operation_end_read(struct ending *e, struct error *err)
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
		e->transition = lifecycle_find(sql_text(rows, 0));
		e->was = lifecycle_status_of(sql_text(rows, 1));
		e->template = sql_copy(rows, 2);
		e->begun_ms = sql_integer(rows, 3);
		e->prices = sql_copy(rows, 5);
		e->request = sql_copy(rows, 6);
	}
	sql_end(rows);
	free(text);
	if (got == 0)
		return error_set(err, EX_NO, "there is no operation %s", operation_job(e->cluster, e->number, id));
	if (got > 0 && !e->transition)
		return error_set(err, EX_DATAERR, "operation %s: its action is unknown", operation_job(e->cluster, e->number, id));
	return got < 0 ? -1 : open;
}

/* Records that the use of a machine began. Where that was recorded as the operation ended before, nobody may have known when the machine was asked for, or
 * whether: it did not begin before this time. */
static int
operation_end_begin_use(struct ending *e, const struct holding_node *node, int64_t from_ms, struct error *err)
{
	return sql_change(account_sql(e->account), err, "INSERT INTO node_use (cluster, node, hardwaretype, cost, capacity, from_ms) "
	    "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (cluster, node) WHERE to_ms IS NULL DO UPDATE SET from_ms = max(from_ms, excluded.from_ms) "
	    "WHERE from_ms >= ? ON CONFLICT DO NOTHING", "ittdtii", e->cluster, node->id, node->hardwaretype, node->cost, node->capacity, from_ms,
	    e->begun_ms);
}

/* Returns a time within the operation, whatever the clock of another host says. */
static int64_t
operation_end_within(const struct ending *e, int64_t ms)
{
	return ms < e->begun_ms ? e->begun_ms : ms > e->ended_ms ? e->ended_ms : ms;
}

/* Records when machines came and went. One that is recorded already, as the operation is continued, is not recorded twice. */
static int
operation_end_lives(struct ending *e, struct error *err)
{
	const struct operation_outcome *outcome = e->outcome;
	struct holding all = {0};
	struct names ids = {0};
	int result = outcome->life_count ? holding_take(&all, HOLDING_NAMED, outcome->layout, e->prices, err) : 0;

	for (size_t i = 0; i < all.count; i++)
		names_intern(&ids, all.list[i].id);
	for (size_t i = 0; i < outcome->life_count && result == 0; i++) {
		const struct machine_life *life = &outcome->lives[i];
		int64_t to_ms = operation_end_within(e, life->to_ms);
		int at = names_find(&ids, life->node);

		if (life->from_ms && at != NAMES_NONE)
			result = operation_end_begin_use(e, &all.list[at], operation_end_within(e, life->from_ms), err);
		if (result == 0 && life->to_ms)
			result = sql_change(account_sql(e->account), err, "UPDATE node_use SET to_ms = ?1 WHERE cluster = ?2 AND node = ?3 AND to_ms IS NULL "
			    "AND from_ms <= ?1", "iit", to_ms, e->cluster, life->node);
	}
	names_release(&ids);
	holding_release(&all);
	return result;
}

/* Ends the use of machines that are gone, whose volumes are free, and begins that of new ones of whose lives nothing is told. */
static int
operation_end_uses(struct ending *e, const struct holding *there, struct error *err)
{
	struct buffer ids = {0};
	int result;

	for (size_t i = 0; i < there->count; i++) {
		buffer_byte(&ids, i ? ',' : '[');
		json_quote(there->list[i].id, &ids);
	}
	buffer_text(&ids, there->count ? "]" : "[]");
	result = sql_change(account_sql(e->account), err, "UPDATE node_use SET to_ms = max(from_ms, ?) WHERE cluster = ? "
	    "AND to_ms IS NULL AND node NOT IN (SELECT value FROM json_each(?))", "iit", e->ended_ms, e->cluster, ids.data);
	/* The deletion of a node frees them; but what was killed in the middle of its life may have given it some that its deletion was not told of. */
	if (result == 0)
		result = volumes_release_others(e->account->store, e->cluster, ids.data, e->ended_ms, err);
	for (size_t i = 0; i < there->count && result == 0; i++)
		result = operation_end_begin_use(e, &there->list[i], e->begun_ms, err);
	buffer_release(&ids);
	return result;
}

/* Records the layout, if the outcome says one, and the machines in it. */
static int
operation_end_layout(struct ending *e, struct error *err)
{
	const char *layout = e->outcome->layout;
	struct holding there = {0};
	struct error ignored; /* of one that says less, only the machines matter */
	struct layout parsed;
	bool is_read, is_stopped;
	int result;

	if (!layout)
		return 0;
	is_read = layout_parse_text(layout, &parsed, &ignored) == 0;
	e->whole = !is_read || layout_is_whole(&parsed);
	is_stopped = is_read && layout_is_stopped(&parsed);
	layout_release(&parsed);
	result = holding_take(&there, HOLDING_THERE, layout, e->prices, err);
	if (result == 0)
		result = operation_end_lives(e, err);
	if (result == 0)
		result = operation_end_uses(e, &there, err);
	if (result == 0)
		result = sql_change(account_sql(e->account), err, "UPDATE cluster_document SET layout = ? WHERE cluster = ?", "ti",
		    there.count || !e->transition->ends ? layout : "", e->cluster);
	if (result == 0)
		result = sql_change(account_sql(e->account), err, "UPDATE cluster SET stopped = ? WHERE id = ?", "ii", (int64_t)is_stopped, e->cluster);
	if (result == 0 && e->outcome->seen)
		result = observations_replace(e->account->store, e->cluster, e->outcome->seen, err);
	holding_release(&there);
	return result;
}

/* Records the outcome of the operation, its files, and the messages to hooks. */
static int
operation_end_outcome(struct ending *e, struct error *err)
{
	const struct operation_outcome *outcome = e->outcome;
	struct store *store = e->account->store;
	int result = sql_change(store_sql(store), err, "UPDATE operation SET status = ?, message = ?, ended_ms = ? "
	    "WHERE cluster = ? AND number = ?", "ttiii", operation_status_name(outcome->status), outcome->message, e->ended_ms,
	    e->cluster, e->number);

	if (result == 0)
		result = operation_files_add(store, e->cluster, e->number, outcome->files, outcome->file_count, err);
	for (size_t i = 0; i < outcome->message_count && result == 0; i++)
		result = outbox_add(store, &outcome->messages[i], err);
	return result;
}

/* Records what the cluster shall be from now on: as a complete operation wanted it; as one that failed did, only if nothing was
 * recorded before. */
static int
operation_end_request(struct ending *e, struct error *err)
{
	struct sql *db = account_sql(e->account);

	if (e->outcome->status != OPERATION_COMPLETE)
		return sql_change(db, err, "UPDATE cluster_document SET wish = coalesce(wish, ?) WHERE cluster = ?", "ti", e->request,
		    e->cluster);
	if (sql_change(db, err, "UPDATE cluster_document SET wish = coalesce(?, wish) WHERE cluster = ?", "ti", e->request, e->cluster) < 0)
		return -1;
	return sql_change(db, err, "UPDATE cluster SET template = coalesce(?, template) WHERE id = ?", "ti", e->template, e->cluster);
}

/* Returns what a status is corrected to by what is there: what a change left in part is not active, and what is whole after a
 * change that is complete is neither inconsistent nor incomplete any more. */
static enum lifecycle_status
operation_end_correct(const struct ending *e, enum lifecycle_status status)
{
	bool complete = e->outcome->status == OPERATION_COMPLETE;
	const char *action = e->transition->action;
	bool finishes = strcmp(action, "start") != 0 && strcmp(action, "stop") != 0 && strcmp(action, "restart") != 0;

	/* What was never complete has nothing that it could be inconsistent with. */
	if (status == LIFECYCLE_INCONSISTENT && e->was == LIFECYCLE_INCOMPLETE)
		status = LIFECYCLE_INCOMPLETE;
	/* A backup changes nothing, however it ends. */
	if (!e->outcome->layout || strcmp(action, "backup") == 0)
		return status;
	if ((status == LIFECYCLE_INCONSISTENT || status == LIFECYCLE_INCOMPLETE) && complete && e->whole && finishes)
		return LIFECYCLE_ACTIVE;
	return status == LIFECYCLE_ACTIVE && (!e->whole || (!complete && e->outcome->status != OPERATION_ROLLEDBACK)) ? LIFECYCLE_INCONSISTENT : status;
}

static enum lifecycle_status
operation_end_status(const struct ending *e, int64_t machines)
{
	bool untouched = !e->outcome->layout && e->outcome->status == OPERATION_CANCELLED;
	enum lifecycle_status status = e->transition->failure;

	if (e->transition->ends && machines == 0 && e->outcome->status != OPERATION_CANCELLED)
		return LIFECYCLE_TERMINATED;
	if (e->outcome->status == OPERATION_COMPLETE)
		status = e->transition->success;
	if (e->outcome->status == OPERATION_ROLLEDBACK || untouched)
		status = LIFECYCLE_SAME;
	if (status == LIFECYCLE_SAME)
		status = e->was;
	if (status == LIFECYCLE_ABSENT || (machines == 0 && e->was == LIFECYCLE_ABSENT))
		return machines ? LIFECYCLE_INCOMPLETE : LIFECYCLE_TERMINATED;
	return status == LIFECYCLE_TERMINATED && machines ? LIFECYCLE_INCOMPLETE : operation_end_correct(e, status);
}

/* Records the sums over the machines that the cluster has, also as what quotas count, and its status. A sum of prices is
 * rounded once, here: 0.22 is not 0.21999999999999997. A terminated cluster keeps neither secrets nor files of its
 * operations, and nothing is seen of it. */
static int
operation_end_cluster(struct ending *e, struct error *err)
{
	struct sql *db = account_sql(e->account);
	const char *message = e->outcome->status == OPERATION_COMPLETE ? NULL : e->outcome->message;
	enum lifecycle_status status;
	int64_t machines = 0;

	if (sql_change(db, err, "UPDATE cluster SET (nodes, cost) = (SELECT count(*), round(coalesce(sum(cost), 0), 9) "
	    "FROM node_use WHERE cluster = cluster.id AND to_ms IS NULL), resources = (SELECT json_group_object(key, amount) "
	    "FROM (SELECT key, sum(value) AS amount FROM node_use, json_each(capacity) WHERE cluster = cluster.id "
	    "AND to_ms IS NULL GROUP BY key ORDER BY key)) WHERE id = ?", "i", e->cluster) < 0 ||
	    sql_number(db, &machines, err, "SELECT nodes FROM cluster WHERE id = ?", "i", e->cluster) < 0)
		return -1;
	status = operation_end_status(e, machines);
	if (sql_change(db, err, "UPDATE cluster SET status = ?, message = ?, changed_ms = ?, revision = revision + 1, "
	    "peak_nodes = nodes, peak_cost = cost, peak_resources = resources WHERE id = ?", "ttii", lifecycle_status_name(status),
	    message, e->ended_ms, e->cluster) < 0)
		return -1;
	if (status != LIFECYCLE_TERMINATED)
		return 0;
	if (sql_change(db, err, "DELETE FROM operation_file WHERE cluster = ?", "i", e->cluster) < 0 ||
	    sql_change(db, err, "DELETE FROM repair WHERE cluster = ?", "i", e->cluster) < 0 ||
	    sql_change(db, err, "DELETE FROM cluster_secret WHERE cluster = ?", "i", e->cluster) < 0 ||
	    sql_change(db, err, "DELETE FROM cluster_login WHERE cluster = ?", "i", e->cluster) < 0)
		return -1;
	return sql_change(db, err, "DELETE FROM observation WHERE cluster = ?", "i", e->cluster);
}

/* Returns when it has ended: not before it began, nor in the future, whatever the clock of another host says. */
static int64_t
operation_end_time(const struct ending *e)
{
	int64_t now = clock_wall_ms(), said = e->outcome->ended_ms;

	return said == 0 || said > now ? now : said < e->begun_ms ? e->begun_ms : said;
}

int
operation_end(struct account *account, int64_t cluster, int64_t number, const struct operation_outcome *outcome,
    struct error *err)
{
	struct ending e = {.account = account, .cluster = cluster, .number = number, .outcome = outcome};
	int result;

	if (outcome->status < OPERATION_COMPLETE || outcome->status >= OPERATION_STATUS_COUNT)
		return error_set(err, EX_SOFTWARE, "an operation cannot end so");
	if (store_begin(account->store, err) < 0)
		return -1;
	result = operation_end_read(&e, err);
	e.ended_ms = operation_end_time(&e);
	if (result > 0 && (operation_end_layout(&e, err) < 0 || operation_end_outcome(&e, err) < 0 ||
	    operation_end_request(&e, err) < 0 || operation_end_cluster(&e, err) < 0))
		result = -1;
	/* One that failed or was cancelled may be continued. */
	if (result > 0 && (outcome->status == OPERATION_COMPLETE || outcome->status == OPERATION_ROLLEDBACK) &&
	    secrets_end_operations(account->store, cluster, number, err) < 0)
		result = -1;
	result = store_finish(account->store, result, err);
	free(e.prices);
	free(e.request);
	free(e.template);
	return result;
}

int
operation_running(struct account *account, int64_t cluster, int64_t number, struct error *err)
{
	char *text = memory_printf("UPDATE operation SET status = 'running' WHERE cluster = ?6 AND number = ?7 "
	    "AND status = 'planned' AND EXISTS (SELECT 1 FROM cluster WHERE id = ?6 AND %s)", visible_anywhere(account));
	int result = sql_change_alone(account_sql(account), err, text, VISIBLE_TYPES "ii", VISIBLE_VALUES(account), cluster, number);

	free(text);
	return result;
}
