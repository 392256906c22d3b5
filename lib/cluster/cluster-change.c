/* SPDX-License-Identifier: Apache-2.0
 *
 * Changes of clusters that need no job.
 */
#include "cluster/clusters.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "account/accounts.h"
#include "base/clock.h"
#include "base/error.h"
#include "cluster/cluster-name.h"
#include "store/audit.h"
#include "store/sql/sql.h"

int64_t
clusters_allot(struct account *account, struct error *err)
{
	struct store *store = account->store;
	int64_t number = 0;

	if (store_begin(store, err) < 0)
		return -1;
	if (sql_number(store_sql(store), &number, err, "UPDATE allotment SET last = last + 1 RETURNING last", "") > 0 &&
	    store_commit(store, err) == 0)
		return number;
	store_rollback(store);
	return -1;
}

int
clusters_is_free(struct account *account, int64_t id, struct error *err)
{
	int64_t number;

	return sql_number(account_sql(account), &number, err, "SELECT last FROM allotment WHERE last >= ? AND NOT EXISTS "
	    "(SELECT 1 FROM cluster WHERE id = ?)", "ii", id, id);
}

/* Records a change as an operation that has begun and ended. */
static int
cluster_change_record(struct account *account, const struct cluster_record *cluster, const char *action,
    const char *message, struct error *err)
{
	int64_t now = clock_wall_ms();
	struct audit_event event = {.action = action, .kind = "cluster", .name = cluster->name, .cluster = cluster->id};

	if (sql_number(account_sql(account), &event.tenant, err, "SELECT tenant FROM cluster WHERE id = ?", "i", cluster->id) < 0 ||
	    sql_change(account_sql(account), err,
	    "INSERT INTO operation (cluster, number, action, user, why, begun_ms, ended_ms, "
	    "status, message, was) VALUES (?, ?, ?, ?, ?, ?, ?, 'complete', ?, ?)", "iittt" "ii" "tt", cluster->id,
	    cluster->operation + 1, action, account->user, store_why(account->store), now, now, message,
	    lifecycle_status_name(cluster->status)) < 0)
		return -1;
	if (sql_change(account_sql(account), err, "UPDATE cluster SET operation = ?, changed_ms = ? WHERE id = ?", "iii",
	        cluster->operation + 1, now, cluster->id) < 0)
		return -1;
	return audit_add(account->store, &event, err);
}

/* Finds the cluster, and checks that its status allows the action. */
static int
cluster_change_find(struct account *account, int64_t id, const char *action, struct cluster_list *list, struct error *err)
{
	if (clusters_find_id(account, id, list, err) < 0)
		return -1;
	return lifecycle_check(lifecycle_find(action), list->list[0].status, list->list[0].name, err);
}

enum {
	MOMENT_MS = 5 * 1000,
	MINUTE_MS = 60 * 1000,
	LEASE_SLACK_MS = MINUTE_MS, /* who asks for exactly as long as may be asks a moment later */
};

/* Returns when a lease ends at the latest; 0: there is no such bound. */
static int64_t
cluster_change_lease_end(const struct cluster_record *cluster)
{
	return cluster->lease_max_ms > 0 ? cluster->created_ms + cluster->lease_max_ms : 0;
}

/* Returns until when a lease can be made longer now; 0: there is no such bound. */
static int64_t
cluster_change_lease_step(const struct cluster_record *cluster)
{
	return cluster->lease_step_ms > 0 && cluster->expires_ms > 0 ? cluster->expires_ms + cluster->lease_step_ms : 0;
}

/* Returns the end of a lease, or its bound where that is passed by no more than a moment. */
static int64_t
cluster_change_round(const struct cluster_record *cluster, int64_t expires_ms)
{
	const int64_t bounds[] = {cluster_change_lease_end(cluster), cluster_change_lease_step(cluster)};

	for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++)
		if (bounds[i] > 0 && expires_ms > bounds[i] && expires_ms - bounds[i] <= LEASE_SLACK_MS)
			expires_ms = bounds[i];
	return expires_ms;
}

/* Refuses a lease, and says which is the longest from now on. */
static int
cluster_change_refuse_lease(const struct cluster_record *cluster, int64_t until_ms, const char *bound, struct error *err)
{
	int64_t minutes = (until_ms - clock_wall_ms() + MOMENT_MS) / MINUTE_MS;
	char at[CLOCK_RFC3339_SIZE];

	if (minutes <= 0)
		return error_set(err, EX_NO, "%s: its lease can %s, until %s", cluster->name, bound, clock_seconds(until_ms, at));
	return error_set(err, EX_NO, "%s: its lease can %s, until %s; coopr lease %s %" PRId64 "%s is the longest", cluster->name, bound,
	    clock_seconds(until_ms, at), cluster->name, minutes % 60 ? minutes : minutes / 60, minutes % 60 ? "m" : "h");
}

/* A lease can be made shorter at any time; it is made longer by steps, up to its end. */
static int
cluster_change_check_bounds(const struct cluster_record *cluster, int64_t expires_ms, struct error *err)
{
	int64_t end_ms = cluster_change_lease_end(cluster), step_ms = cluster_change_lease_step(cluster);
	bool by_steps = step_ms > 0 && (end_ms == 0 || step_ms < end_ms);
	int64_t until_ms = by_steps ? step_ms : end_ms;
	char text[CLOCK_RFC3339_SIZE], bound[2 * CLOCK_RFC3339_SIZE];

	if (expires_ms > 0 && expires_ms < cluster->created_ms)
		return error_set(err, EX_NO, "%s: its lease cannot end before the cluster was made", cluster->name);
	if (until_ms == 0 || (expires_ms != 0 && expires_ms <= until_ms))
		return 0;
	clock_duration(by_steps ? cluster->lease_step_ms : cluster->lease_max_ms, text);
	snprintf(bound, sizeof bound, by_steps ? "be extended by at most %s at a time" : "last at most %s from its creation", text);
	return cluster_change_refuse_lease(cluster, until_ms, bound, err);
}

/* Gives the documents of a cluster its new name: operations start from them. The record of the cluster is the layout's first line. */
static int
cluster_change_name(struct account *account, int64_t id, const char *name, struct error *err)
{
	return sql_change(account_sql(account), err, "UPDATE cluster_document SET wish = json_set(wish, '$.cluster.name', ?1), "
	    "layout = CASE layout WHEN '' THEN '' ELSE json_set(substr(layout, 1, instr(layout, char(10)) - 1), '$.name', ?1) || "
	    "substr(layout, instr(layout, char(10))) END WHERE cluster = ?2", "ti", name, id);
}

int
clusters_rename(struct account *account, int64_t id, const char *name, struct error *err)
{
	struct cluster_list list = {0};
	int64_t tenant = 0;
	char message[600];
	int result;

	if (store_begin(account->store, err) < 0)
		return -1;
	result = cluster_change_find(account, id, "rename", &list, err);
	if (result == 0 && strcmp(list.list[0].name, name) != 0) {
		snprintf(message, sizeof message, "%s -> %s", list.list[0].name, name);
		if (sql_number(account_sql(account), &tenant, err, "SELECT tenant FROM cluster WHERE id = ?", "i", id) < 0 ||
		    cluster_name_admit(account, tenant, name, err) < 0 ||
		    sql_change(account_sql(account), err, "UPDATE cluster SET name = ? WHERE id = ?", "ti", name, id) < 0 ||
		    cluster_change_name(account, id, name, err) < 0 ||
		    cluster_change_record(account, &list.list[0], "rename", message, err) < 0)
			result = -1;
	}
	result = store_finish(account->store, result, err);
	cluster_list_release(&list);
	return result;
}

int
clusters_set_lease(struct account *account, int64_t id, int64_t expires_ms, bool beyond, bool discards_data, struct error *err)
{
	struct cluster_list list = {0};
	char text[CLOCK_RFC3339_SIZE];
	int result;

	if (store_begin(account->store, err) < 0)
		return -1;
	result = cluster_change_find(account, id, "lease", &list, err);
	if (result == 0 && !beyond)
		expires_ms = cluster_change_round(&list.list[0], expires_ms);
	if (result == 0)
		result = beyond ? account_need(account, ACCOUNT_ADMIN, "a lease beyond its bounds", err)
		                : cluster_change_check_bounds(&list.list[0], expires_ms, err);
	if (result == 0)
		result = sql_change(account_sql(account), err, "UPDATE cluster SET expires_ms = ?, lease_discards_data = ? WHERE id = ?", "iii",
		    expires_ms, (int64_t)discards_data, id);
	if (result == 0)
		result = cluster_change_record(account, &list.list[0], "lease", expires_ms ? clock_rfc3339(expires_ms, text)
		    : "never expires", err);
	result = store_finish(account->store, result, err);
	cluster_list_release(&list);
	return result;
}

int
clusters_set_reminded(struct account *account, int64_t id, int64_t expires_ms, struct error *err)
{
	return sql_change_alone(account_sql(account), err, "UPDATE cluster SET reminded_ms = ? WHERE id = ?", "ii", expires_ms, id);
}
