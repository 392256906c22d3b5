/* SPDX-License-Identifier: Apache-2.0
 *
 * The end of leases: a cluster is deleted; one with data is backed up where it can be, stopped and kept, unless its lease says that
 * the data may be lost.
 */
#include "reconcile/repair.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "cluster/protection.h"
#include "operation/operate.h"
#include "prepare/prepare.h"
#include "reconcile/kept-data.h"
#include "reconcile/repair-undertake.h"
#include "reconcile/scope.h"

#define LEASE_HAS_ENDED "its lease has ended"

/* Returns whether the cluster is being deleted already; any other operation is cancelled. */
static bool
repair_lease_is_going(struct account *account, const struct cluster_record *cluster)
{
	struct operation_list list = {0};
	struct error ignored; /* then the attempt to delete it will tell */
	bool going = cluster->status == LIFECYCLE_PENDING && operation_last(account, cluster->id, &list, &ignored) > 0 &&
	    list.list[0].status < OPERATION_COMPLETE && strcmp(list.list[0].action, "delete") == 0;

	operation_list_release(&list);
	return going;
}

/* Begins an operation because the lease has ended, and says what its job does. Returns whether it has begun, else why not in err; that there is nothing
 * to back up or to stop, as the machines are gone, is told as a fault of theirs. */
static bool
repair_lease_begin(const struct operation_options *options, const struct cluster_record *cluster, const char *action, const char *does,
    int *worst, struct error *err)
{
	const struct action_parameters parameters = {.action = action};
	bool deletes = strcmp(action, "delete") == 0, begun;
	struct operation_request request = {.action = action, .prepare = prepare_action, .parameters = &parameters, .preempts = deletes};
	struct operation_options ours = *options;
	char id[CLUSTER_ID_SIZE], *command, *job, *text;

	request.cluster = cluster_id_text(cluster->id, id);
	request.command = command = memory_printf("coopr %s --yes %s", action, id);
	ours.discard_data = deletes && cluster->lease_discards_data;
	if (!ours.ask.why)
		ours.ask.why = LEASE_HAS_ENDED;
	job = repair_attempt(&ours, cluster->tenant, &request, err);
	begun = job != NULL;
	if (begun) {
		text = memory_printf("%s: its lease has ended; job %s %s", cluster->name, job, does);
		options->runner.notice(text);
		free(text);
	} else if (err->code != EX_TEMPFAIL && (deletes || err->code != EX_NO)) {
		operation_warn(options, worst, err);
	}
	free(command);
	free(job);
	return begun;
}

/* Returns whether a service of the cluster can be backed up. */
static bool
repair_lease_can_back_up(struct account *account, const struct cluster_record *cluster)
{
	struct protection protection;
	struct error ignored; /* then it is stopped without */
	bool can = false;

	if (protection_read(&protection, account, cluster->id, &ignored) == 0)
		for (size_t i = 0; i < protection.layout.node_count && !can; i++)
			for (size_t j = 0; j < protection.layout.nodes[i].services.count && !can; j++)
				can = protection_of(&protection, protection.layout.nodes[i].services.list[j]).can_backup;
	protection_release(&protection);
	return can;
}

/* Returns whether the cluster has data that its lease does not discard: 1, 0 or -1. */
static int
repair_lease_keeps(struct account *account, const struct cluster_record *cluster, struct error *err)
{
	struct buffer services = {0};
	struct kept_data kept;
	int result;

	if (cluster->lease_discards_data)
		return 0;
	result = kept_data_read(&kept, account, cluster->id, err);
	if (result == 0)
		result = kept_data_on(&kept, NULL, &services);
	kept_data_release(&kept);
	buffer_release(&services);
	return result;
}

/* Lists what was done to the cluster, or is to be, once its lease had ended: the newest first. */
static void
repair_lease_operations(struct account *account, const struct cluster_record *cluster, struct operation_list *list)
{
	struct error ignored; /* then it is tried, which tells */

	if (operations_list(account, cluster->id, 0, 0, list, &ignored) < 0)
		return;
	while (list->count && list->list[list->count - 1].begun_ms < cluster->expires_ms)
		list->count--;
}

/* Returns whether that was done to it since, or with only_complete: was done to its end. */
static bool
repair_lease_did(struct account *account, const struct cluster_record *cluster, const char *action, bool only_complete)
{
	struct operation_list list = {0};
	bool done = false;

	repair_lease_operations(account, cluster, &list);
	for (size_t i = 0; i < list.count && !done; i++)
		done = strcmp(list.list[i].action, action) == 0 && (!only_complete || list.list[i].status == OPERATION_COMPLETE);
	operation_list_release(&list);
	return done;
}

/* Returns whether the cluster was stopped, once its lease had ended, or cannot be stopped. What somebody has started since is left to run. */
static bool
repair_lease_is_stopped(struct account *account, const struct cluster_record *cluster)
{
	struct error ignored; /* it is the reason */

	return lifecycle_check(lifecycle_find("stop"), cluster->status, cluster->name, &ignored) < 0 ||
	    repair_lease_did(account, cluster, "stop", true);
}

/* Ends the lease of one cluster. */
static void
repair_lease(struct account *account, const struct operation_options *options, const struct cluster_record *cluster, int *worst)
{
	struct error err;
	int keeps = repair_lease_keeps(account, cluster, &err);

	if (keeps < 0) {
		error_prefix(&err, "%s", cluster->name);
		operation_warn(options, worst, &err);
	} else if (!keeps) {
		repair_lease_begin(options, cluster, "delete", "deletes it", worst, &err);
	} else if (!repair_lease_is_stopped(account, cluster)) {
		/* A backup that cannot begin keeps nobody from stopping it; one that has to wait does. */
		if (!repair_lease_did(account, cluster, "backup", false) && repair_lease_can_back_up(account, cluster) &&
		    (repair_lease_begin(options, cluster, "backup", "backs it up before it is stopped", worst, &err) || err.code == EX_TEMPFAIL))
			return;
		repair_lease_begin(options, cluster, "stop", "stops it, and its data is kept", worst, &err);
	}
}

int
repair_leases(struct account *account, const struct operation_options *options, const struct reconcile_scope *scope,
    struct error *err)
{
	const struct cluster_filter ended = {.everywhere = true, .by_number = true, .expired_ms = clock_wall_ms()};
	struct cluster_list list = {0};
	int worst = 0;

	if (clusters_list(account, &ended, &list, err) < 0)
		worst = -1;
	for (size_t i = 0; i < list.count && worst >= 0; i++)
		if (reconcile_scope_has(scope, list.list[i].id) && !repair_lease_is_going(account, &list.list[i]))
			repair_lease(account, options, &list.list[i], &worst);
	cluster_list_release(&list);
	return worst;
}
