/* SPDX-License-Identifier: Apache-2.0 */
#include "reconcile/schedule.h"

#include <stdlib.h>
#include <string.h>

#include "account/accounts.h"
#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "cluster/archives.h"
#include "cluster/clusters.h"
#include "cluster/operations.h"
#include "cluster/protection.h"
#include "model/name.h"
#include "operation/operate.h"
#include "prepare/prepare.h"
#include "probe/drift.h"
#include "reconcile/reconcile.h"
#include "reconcile/repair-limits.h"
#include "reconcile/repair-undertake.h"
#include "reconcile/scope.h"

enum { AT_A_TIME = 64, MINUTE_MS = 60 * 1000, HOUR_MS = 60 * MINUTE_MS, RECENT = 100 };

struct due { /* the backups of a cluster that are due */
	const struct cluster_record *cluster;
	struct string_list nodes, services; /* each once */
	size_t first, end; /* of the drift: its instances, until it is known whether that is a fault */
	int64_t shortest_ms; /* the shortest time between two backups */
};

/* Adds an instance to what is due, and to the drift, if its newest archive is too old. */
static int
schedule_consider(struct account *account, struct due *due, const struct node *node, const char *service, int64_t every_ms,
    struct drift_list *drift, struct error *err)
{
	struct arena arena = {0};
	char at[CLOCK_RFC3339_SIZE];
	struct archive newest;
	int got = archives_newest(account->store, due->cluster->id, service, node->id, &arena, &newest, err);

	if (got == 0 || (got > 0 && clock_wall_ms() - newest.began_ms >= every_ms)) {
		name_list_add(&due->nodes, node->id);
		name_list_add(&due->services, service);
		if (due->shortest_ms == 0 || every_ms < due->shortest_ms)
			due->shortest_ms = every_ms;
		drift_add(drift, &(struct drift){.what = DRIFT_UNSAVED, .cluster = due->cluster->id, .operation = due->cluster->operation,
		    .tenant = due->cluster->tenant, .name = due->cluster->name, .node = node->id, .service = service,
		    .message = got ? arena_printf(&arena, "its newest archive is of %s", clock_seconds(newest.ended_ms, at))
		    : "there is no archive of it"});
		due->end = drift->count;
	}
	arena_release(&arena);
	return got < 0 ? -1 : 0;
}

/* Finds what is due on a cluster. */
static int
schedule_find_due(struct account *account, struct protection *protection, struct due *due, struct drift_list *drift, struct error *err)
{
	int result = 0;

	for (size_t i = 0; i < protection->layout.node_count && result == 0; i++) {
		const struct node *node = &protection->layout.nodes[i];

		for (size_t j = 0; j < node->services.count && result == 0; j++) {
			const struct protected protected = protection_of(protection, node->services.list[j]);

			if (protected.can_backup && protected.policy.every_ms)
				result = schedule_consider(account, due, node, node->services.list[j], protected.policy.every_ms, drift, err);
		}
	}
	return result;
}

/* Finds the last backup of the cluster among its recent operations: 1, 0 where there is none, -1. */
static int
schedule_last(struct account *account, const struct cluster_record *cluster, struct operation_list *list, struct operation *last,
    struct error *err)
{
	if (operations_list(account, cluster->id, 0, RECENT, list, err) < 0)
		return -1;
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->list[i].action, "backup") == 0) {
			*last = list->list[i];
			return 1;
		}
	return 0;
}

/* Returns how long is waited after a backup that failed: a quarter of the time between two, a minute to an hour. */
static int64_t
schedule_patience(const struct due *due)
{
	int64_t quarter = due->shortest_ms / 4;

	return quarter < MINUTE_MS ? MINUTE_MS : quarter > HOUR_MS ? HOUR_MS : quarter;
}

/* Begins the backup; the drift is repaired by its job, or has a note why there is none. */
static void
schedule_begin(const struct reconcile_options *parameters, struct due *due, bool failed, struct drift_list *drift)
{
	const struct action_parameters action = {.action = "backup", .nodes = due->nodes, .services = due->services};
	struct operation_options options = parameters->options;
	char id[CLUSTER_ID_SIZE];
	struct operation_request request = {.action = "backup", .cluster = cluster_id_text(due->cluster->id, id),
		.prepare = prepare_action, .parameters = &action};
	struct buffer command = {0};
	struct error err;
	char *job;

	buffer_printf(&command, "coopr backup %s", id);
	for (size_t i = 0; i < due->nodes.count; i++)
		buffer_printf(&command, " %s", due->nodes.list[i]);
	for (size_t i = 0; i < due->services.count; i++)
		buffer_printf(&command, " @%s", due->services.list[i]);
	request.command = command.data;
	options.ask.why = REPAIR_LIMITS_MARK "a backup is due";
	job = repair_attempt(&options, due->cluster->tenant, &request, &err);
	repair_tell(drift, due->first, due->end, job, &err);
	buffer_release(&command);
	/* What is due, or whose cluster is busy, is no fault: only what has failed is. */
	if (!failed && (job || err.code == EX_TEMPFAIL))
		drift->count = due->first;
	free(job);
}

/* Decides whether what is due is begun now. Until then what failed is a fault. */
static int
schedule_decide(struct account *account, const struct reconcile_options *parameters, struct due *due, struct drift_list *drift,
    struct error *err)
{
	struct operation_list list = {0};
	struct operation last;
	int got = schedule_last(account, due->cluster, &list, &last, err);
	bool failed = got > 0 && last.ended_ms && last.status != OPERATION_COMPLETE;

	if (got >= 0 && failed && clock_wall_ms() - last.ended_ms < schedule_patience(due)) {
		for (size_t i = due->first; i < due->end; i++)
			drift->list[i].note = arena_printf(&drift->arena, "the backup by job %s failed; it is tried again later; coopr log %s "
			    "shows why", last.job, due->cluster->name);
	} else if (got >= 0) {
		schedule_begin(parameters, due, failed, drift);
	}
	operation_list_release(&list);
	return got < 0 ? -1 : 0;
}

static int
schedule_cluster(struct account *account, const struct reconcile_options *parameters, const struct cluster_record *cluster,
    struct drift_list *drift, struct error *err)
{
	struct due due = {.cluster = cluster, .first = drift->count, .end = drift->count};
	struct protection protection;
	int result = protection_read(&protection, account, cluster->id, err);

	if (result == 0)
		result = schedule_find_due(account, &protection, &due, drift, err);
	if (result == 0 && due.services.count)
		result = schedule_decide(account, parameters, &due, drift, err);
	free(due.nodes.list);
	free(due.services.list);
	protection_release(&protection);
	return result;
}

/* Returns whether its services run, nothing else is done to it, and it has its data: an archive of an empty service would be the newest. */
static bool
schedule_is_ready(const struct cluster_record *cluster, const struct unrestored_list *unrestored)
{
	for (size_t i = 0; cluster && i < unrestored->count; i++)
		if (unrestored->list[i].cluster == cluster->id)
			return false;
	return cluster && cluster->status == LIFECYCLE_ACTIVE && (!cluster->expires_ms || cluster->expires_ms > clock_wall_ms());
}

int
schedule_backups(struct account *account, const struct reconcile_options *parameters, const struct reconcile_scope *scope,
    struct drift_list *drift, struct error *err)
{
	int64_t ids[AT_A_TIME], after = 0;
	size_t count = AT_A_TIME, before = drift->count;
	struct unrestored_list unrestored = {0};
	struct error failure;
	int worst = protection_unrestored(account->store, &unrestored, err);

	while (worst >= 0 && count == AT_A_TIME) {
		if (protection_scheduled(account->store, after, ids, AT_A_TIME, &count, err) < 0) {
			worst = -1;
			break;
		}
		for (size_t i = 0; i < count; i++) {
			const struct cluster_record *cluster = reconcile_scope_find(scope, ids[i]);

			after = ids[i];
			if (schedule_is_ready(cluster, &unrestored) && schedule_cluster(account, parameters, cluster, drift, &failure) < 0)
				operation_warn(&parameters->options, &worst, &failure);
		}
	}
	unrestored_list_release(&unrestored);
	if (drift->count > before)
		drift_sort(drift);
	return worst;
}
