/* SPDX-License-Identifier: Apache-2.0
 *
 * The beginning of an operation: all that may forbid it is checked in the transaction that records it.
 */
#include "cluster/operations.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "account/accounts.h"
#include "account/quota.h"
#include "account/visible.h"
#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/names.h"
#include "cluster/addresses.h"
#include "cluster/applied.h"
#include "cluster/cluster-name.h"
#include "cluster/clusters.h"
#include "account/holding.h"
#include "cluster/observation.h"
#include "cluster/operation-files.h"
#include "store/audit.h"
#include "store/key.h"
#include "store/secrets.h"
#include "store/sql/sql.h"

struct beginning {
	struct account *account;
	const struct operation_spec *spec;
	const struct lifecycle_transition *transition;
	struct cluster_list found; /* the cluster, first in its list */
	int64_t tenant;
	struct arena arena;
	struct quota now, peak;
	int64_t begun_ms;
	bool tries;                /* nothing is kept of it; the cluster may not have its number yet */
};

/* A group gives others a right to the cluster: who asks has to be in it, or an admin. */
static int
operation_begin_check_group(struct account *account, const char *group, struct error *err)
{
	int64_t member;
	int got;

	if (!group || account->role >= ACCOUNT_ADMIN)
		return 0;
	got = sql_number(account_sql(account), &member, err, "SELECT 1 FROM json_each(?) WHERE value = ?", "tt", account->groups,
	    group);
	if (got == 0)
		return error_set(err, EX_NOPERM, "group %s: %s is not in it", group, account->user);
	return got < 0 ? -1 : 0;
}

/* Adds the rows of a new cluster and its documents. */
static int
operation_begin_cluster(struct beginning *b, struct error *err)
{
	struct account *account = b->account;
	const struct operation_spec *spec = b->spec;
	const char *owner = spec->create.owner ? spec->create.owner : account->user;
	int64_t last = 0;
	bool is_own = strcmp(owner, account->user) == 0;

	b->tenant = store_tenant(account->store);
	if (cluster_name_check_people(is_own ? NULL : owner, spec->create.group, err) < 0 ||
	    (!is_own && account_need(account, ACCOUNT_ADMIN, "making a cluster for another", err) < 0))
		return -1;
	if (operation_begin_check_group(account, spec->create.group, err) < 0 ||
	    cluster_name_admit(account, b->tenant, spec->create.name, err) < 0 ||
	    sql_number(account_sql(account), &last, err, "SELECT last FROM allotment", "") < 0)
		return -1;
	if (!b->tries && (spec->cluster <= 0 || spec->cluster > last))
		return error_set(err, EX_SOFTWARE, "cluster %" PRId64 ": the id was not reserved", spec->cluster);
	if (sql_change(account_sql(account), err,
	    "INSERT INTO cluster (id, tenant, name, owner, grp, template, provider, status, "
	    "created_ms, changed_ms, expires_ms, lease_max_ms, lease_step_ms, lease_discards_data) "
	    "VALUES (?, ?, ?, ?, ?, ?, ?, 'pending', ?, ?, ?, ?, ?, ?)",
	    "iittttt" "iiiiii", spec->cluster, b->tenant, spec->create.name, owner, spec->create.group, spec->template,
	    spec->create.provider, b->begun_ms, b->begun_ms, spec->create.expires_ms, spec->create.lease_max_ms,
	    spec->create.lease_step_ms, (int64_t)spec->create.lease_discards_data) < 0)
		return -1;
	return sql_change(account_sql(account), err, "INSERT INTO cluster_document (cluster, wish, layout) VALUES (?, NULL, '')", "i",
	    spec->cluster);
}

/* Fails with the operation that is in progress. */
static int
operation_begin_busy(struct account *account, const struct cluster_record *cluster, struct error *err)
{
	struct operation_list list = {0};
	const struct operation *last;
	char since[CLOCK_RFC3339_SIZE];

	if (operation_last(account, cluster->id, &list, err) > 0) {
		last = &list.list[0];
		error_set(err, EX_TEMPFAIL,
		    "%s: job %s (%s), started by %s, has been in progress since %s; coopr status %s shows it, coopr abort %s cancels it",
		    cluster->name, last->job, last->action, last->user, clock_seconds(last->begun_ms, since), cluster->name,
		    cluster->name);
	}
	operation_list_release(&list);
	return -1;
}

/* Finds the cluster, and checks that its status, number and revision allow the operation. */
static int
operation_begin_check(struct beginning *b, struct error *err)
{
	const struct operation_spec *spec = b->spec;
	const struct cluster_record *cluster;

	if (clusters_find_id(b->account, spec->cluster, &b->found, err) < 0)
		return -1;
	cluster = &b->found.list[0];
	if (cluster->status == LIFECYCLE_PENDING)
		return operation_begin_busy(b->account, cluster, err);
	if (lifecycle_check(b->transition, cluster->status, cluster->name, err) < 0)
		return -1;
	if ((spec->number && spec->number != cluster->operation + 1) ||
	    (spec->revision >= 0 && spec->revision != cluster->revision))
		return error_outdated(err, "%s: it has changed since this was planned", cluster->name);
	return sql_number(account_sql(b->account), &b->tenant, err, "SELECT tenant FROM cluster WHERE id = ?", "i",
	    cluster->id) < 0 ? -1 : 0;
}

/* Adds the machines that the cluster has. */
static int
operation_begin_living(struct beginning *b, struct holding *holding, struct error *err)
{
	struct sql_rows *rows = sql_query(account_sql(b->account), err,
	    "SELECT node, cost, capacity FROM node_use WHERE cluster = ? AND to_ms IS NULL", "i", b->spec->cluster);
	int got;

	while ((got = sql_row(rows, err)) > 0) {
		ARRAY_ROOM(holding->list, holding->count, holding->capacity);
		holding->list[holding->count++] = (struct holding_node){.id = arena_string(&holding->arena, sql_text(rows, 0)),
		    .cost = sql_real(rows, 1), .capacity = arena_string(&holding->arena, sql_text(rows, 2))};
	}
	sql_end(rows);
	return got;
}

/* Adds those of wanted that are not in holding. */
static void
operation_begin_merge(struct holding *holding, const struct holding *wanted)
{
	struct names there = {0};

	for (size_t i = 0; i < holding->count; i++)
		names_intern(&there, holding->list[i].id);
	for (size_t i = 0; i < wanted->count; i++)
		if (names_find(&there, wanted->list[i].id) == NAMES_NONE) {
			ARRAY_ROOM(holding->list, holding->count, holding->capacity);
			holding->list[holding->count++] = wanted->list[i];
		}
	names_release(&there);
}

/* Takes out the machines that leave and are on record as gone: one that takes the place of such a machine is not one more. */
static int
operation_begin_leave_out_gone(struct beginning *b, struct holding *holding, struct error *err)
{
	struct observations seen = {0};
	struct holding leaving = {0};
	struct names gone = {0};
	size_t kept = 0;
	int result = holding_take(&leaving, HOLDING_LEAVING, b->spec->wanted, NULL, err);

	if (result == 0 && leaving.count)
		result = observations_read(b->account->store, b->spec->cluster, &seen, err);
	for (size_t i = 0; i < leaving.count && result == 0; i++)
		if (observations_is_gone(&seen, leaving.list[i].id))
			names_intern(&gone, leaving.list[i].id);
	for (size_t i = 0; i < holding->count; i++)
		if (names_find(&gone, holding->list[i].id) == NAMES_NONE)
			holding->list[kept++] = holding->list[i];
	holding->count = kept;
	names_release(&gone);
	holding_release(&leaving);
	observations_release(&seen);
	return result;
}

/* Sums up all machines that there are and that are to be made, before any that leaves has left, and checks that the quota of the
 * tenant allows them. */
static int
operation_begin_reserve(struct beginning *b, struct error *err)
{
	struct store *store = b->account->store;
	struct holding holding = {0}, wanted = {0};
	struct quota asked;
	int result = operation_begin_living(b, &holding, err);

	if (result == 0)
		result = quota_of(store, &holding, &b->arena, &b->now, err);
	if (result == 0 && b->spec->wanted)
		result = holding_take(&wanted, HOLDING_ALL, b->spec->wanted, b->spec->prices, err);
	if (result == 0)
		operation_begin_merge(&holding, &wanted);
	if (result == 0 && b->spec->wanted)
		result = operation_begin_leave_out_gone(b, &holding, err);
	if (result == 0)
		result = quota_of(store, &holding, &b->arena, &b->peak, err);
	if (b->found.count == 0)
		b->now.clusters = 0;
	asked = b->peak;
	asked.cost += b->spec->volume_cost;
	if (result == 0)
		result = quota_check(store, b->tenant, b->spec->cluster, &b->now, &asked, err);
	if (result == 0 && strcmp(b->spec->action, "backup") == 0)
		result = quota_check_archives(store, b->tenant, err);
	holding_release(&wanted);
	holding_release(&holding);
	return result;
}

/* Makes the cluster pending, and reserves what it may come to hold. */
static int
operation_begin_update(struct beginning *b, int64_t number, struct error *err)
{
	struct buffer resources = {0};
	int result;

	quota_resources_text(&b->peak.resources, &resources);
	result = sql_change(account_sql(b->account), err,
	    "UPDATE cluster SET status = 'pending', changed_ms = ?, operation = ?, "
	    "revision = revision + 1, peak_nodes = ?, peak_cost = ?, peak_resources = ? WHERE id = ?", "iiidti", b->begun_ms,
	    number, b->peak.nodes, b->peak.cost, resources.data, b->spec->cluster);
	buffer_release(&resources);
	if (result == 0 && b->spec->address)
		result = cluster_address_take(b->account->store, b->spec->cluster, b->spec->address, b->spec->address_shared, err);
	return result;
}

static int
operation_begin_audit(const struct beginning *b, const char *action, struct error *err)
{
	const struct audit_event event = {.tenant = b->tenant, .action = action, .kind = "cluster", .cluster = b->spec->cluster,
		.name = b->found.count ? b->found.list[0].name : b->spec->create.name};

	return audit_add(b->account->store, &event, err);
}

/* Adds the rows of the operation, its documents and files, and what coopr apply remembers. */
static int
operation_begin_record(struct beginning *b, int64_t number, struct error *err)
{
	const struct operation_spec *spec = b->spec;
	struct store *store = b->account->store;
	struct applied applied;
	char job[JOB_ID_SIZE];

	if (sql_change(store_sql(store), err,
	    "INSERT INTO operation (cluster, number, action, user, why, begun_ms, status, job, was, template) "
	    "VALUES (?, ?, ?, ?, ?, ?, 'planned', ?, ?, ?)", "iittti" "ttt", spec->cluster, number, spec->action,
	    b->account->user, store_why(store), b->begun_ms, operation_job(spec->cluster, number, job),
	    lifecycle_status_name(b->found.count ? b->found.list[0].status : LIFECYCLE_ABSENT), spec->template) < 0 ||
	    sql_change(store_sql(store), err, "INSERT INTO operation_document (cluster, number, wish, before, wanted, prices) "
	    "SELECT cluster, ?, ?, layout, ?, ? FROM cluster_document WHERE cluster = ?", "ittti", number, spec->request,
	    spec->wanted ? spec->wanted : "", spec->prices ? spec->prices : "{}", spec->cluster) < 0)
		return -1;
	if (spec->create.applied) {
		applied = *spec->create.applied;
		applied.cluster = spec->cluster;
		applied.revision = -1;
		if (applied_put(store, &applied, err) < 0)
			return -1;
	}
	return operation_files_add(store, spec->cluster, number, spec->files, spec->file_count, err) < 0 ? -1
	    : operation_begin_audit(b, spec->action, err);
}

/* Begins a transaction, in which it makes all the checks; a new cluster has its rows then. To be finished where it returns 0. */
static int
operation_begin_open(struct beginning *b, struct error *err)
{
	struct error ignored;
	int result;

	b->transition = lifecycle_find(b->spec->action);
	b->begun_ms = clock_wall_ms();
	if (!b->transition || !b->transition->job)
		return error_set(err, EX_SOFTWARE, "%s: it is not an operation", b->spec->action);
	if (store_begin(b->account->store, err) < 0)
		return -1;
	result = b->transition->from >> LIFECYCLE_ABSENT & 1 ? operation_begin_cluster(b, err) : operation_begin_check(b, err);
	if (result == 0)
		result = operation_begin_reserve(b, err);
	return result == 0 ? 0 : store_finish(b->account->store, -1, &ignored);
}

int
operation_admit(struct account *account, const struct operation_spec *spec, struct error *err)
{
	struct operation_spec tried = *spec;
	struct beginning b = {.account = account, .spec = &tried, .tries = true};
	struct error ignored; /* nothing is to be kept */
	int result;

	if (!tried.cluster)
		tried.cluster = INT64_MAX;
	result = operation_begin_open(&b, err);
	if (result == 0)
		store_finish(account->store, -1, &ignored);
	cluster_list_release(&b.found);
	arena_release(&b.arena);
	return result;
}

/* Sets the secrets that the operation is given, and removes those of earlier ones, which nobody continues any more. */
static int
operation_begin_secrets(struct beginning *b, int64_t number, struct error *err)
{
	int result = secrets_end_operations(b->account->store, b->spec->cluster, number - 1, err);

	return result < 0 ? -1 : operation_secrets_set(b->account->store, b->spec->cluster, number, b->spec->secrets,
	    b->spec->secret_count, err);
}

int
operation_begin(struct account *account, const struct operation_spec *spec, struct operation_list *list,
    struct error *err)
{
	struct beginning b = {.account = account, .spec = spec};
	int result = operation_begin_open(&b, err);
	int64_t number = b.found.count ? b.found.list[0].operation + 1 : 1;

	if (result == 0)
		result = store_finish(account->store, operation_begin_record(&b, number, err) < 0 ||
		    operation_begin_secrets(&b, number, err) < 0 ? -1 : operation_begin_update(&b, number, err), err);
	cluster_list_release(&b.found);
	arena_release(&b.arena);
	return result == 0 ? operation_find(account, spec->cluster, number, list, err) : -1;
}

int
operation_secrets_set(struct store *store, int64_t cluster, int64_t number, const struct operation_secret *secrets, size_t count,
    struct error *err)
{
	struct store_key key = {0};
	int result = count > 0 ? secrets_key(store, &key, err) : 0;

	for (size_t i = 0; i < count && result == 0; i++)
		result = secrets_set_for_operation(store, &key, cluster, number, secrets[i].name, secrets[i].value.text,
		    secrets[i].value.length, err);
	store_key_release(&key);
	return result;
}

/* Checks that the operation is one that can be tried again. */
static int
operation_begin_check_failed(struct beginning *b, int64_t number, struct error *err)
{
	struct operation_list list = {0};
	int result = operation_last(b->account, b->spec->cluster, &list, err);
	enum operation_status status = result > 0 ? list.list[0].status : OPERATION_COMPLETE;

	if (result >= 0 && (result == 0 || list.list[0].number != number ||
	    (status != OPERATION_FAILED && status != OPERATION_CANCELLED)))
		result = error_set(err, EX_NO, "%s: its last operation has not failed", b->found.list[0].name);
	operation_list_release(&list);
	return result < 0 ? -1 : 0;
}

int
operation_reopen(struct account *account, int64_t cluster, int64_t number, struct error *err)
{
	struct operation_documents documents = {0};
	struct operation_spec spec = {.action = "retry", .cluster = cluster, .revision = -1};
	struct beginning b = {.account = account, .spec = &spec, .transition = lifecycle_find(spec.action), .begun_ms = clock_wall_ms()};
	int result;

	if (operation_documents(account, cluster, number, &documents, err) < 0 || store_begin(account->store, err) < 0) {
		operation_documents_release(&documents);
		return -1;
	}
	spec.wanted = documents.wanted;
	spec.prices = documents.prices;
	result = operation_begin_check(&b, err);
	if (result == 0)
		result = operation_begin_check_failed(&b, number, err);
	if (result == 0)
		result = operation_begin_reserve(&b, err);
	if (result == 0)
		result = sql_change(account_sql(account), err, "UPDATE operation SET status = 'running', ended_ms = 0, message = NULL "
		    "WHERE cluster = ? AND number = ?", "ii", cluster, number);
	if (result == 0)
		result = operation_begin_update(&b, b.found.list[0].operation, err);
	if (result == 0)
		result = operation_begin_audit(&b, spec.action, err);
	result = store_finish(account->store, result, err);
	operation_documents_release(&documents);
	cluster_list_release(&b.found);
	arena_release(&b.arena);
	return result;
}
