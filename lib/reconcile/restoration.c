/* SPDX-License-Identifier: Apache-2.0 */
#include "reconcile/restoration.h"

#include <stdlib.h>
#include <string.h>

#include "account/accounts.h"
#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "cluster/archives.h"
#include "cluster/protection.h"
#include "model/name.h"
#include "operation/operate.h"
#include "prepare/prepare.h"
#include "probe/drift.h"
#include "reconcile/kept-data.h"
#include "reconcile/reconcile.h"
#include "reconcile/repair-limits.h"
#include "reconcile/repair-undertake.h"
#include "reconcile/scope.h"

/* Returns whether the service may be restored, and appends the newest archive that was made of it on this node. */
static bool
restoration_has_archive(struct account *account, struct protection *protection, const struct drift *drift, const char *service,
    struct buffer *archives)
{
	const struct protected protected = protection_of(protection, service);
	char at[CLOCK_RFC3339_SIZE];
	struct arena arena = {0};
	struct archive newest;
	struct error ignored; /* then it is not replaced */
	bool has = protected.restores && protected.can_restore &&
	    archives_newest(account->store, drift->cluster, service, drift->node, &arena, &newest, &ignored) > 0;

	if (has)
		buffer_printf(archives, "%sthe archive %s of %s of %s", archives->length ? ", " : "", newest.id,
		    clock_seconds(newest.ended_ms, at), service);
	arena_release(&arena);
	return has;
}

bool
restoration_is_possible(struct account *account, const struct kept_data *kept, const struct drift *drift, struct buffer *archives)
{
	const struct cluster *cluster = &kept->layout.cluster;
	struct protection protection;
	struct error ignored; /* then it is not replaced */
	const struct node *node;
	bool possible = protection_read(&protection, account, drift->cluster, &ignored) == 0;

	node = possible ? layout_node(&protection.layout, drift->node) : NULL;
	for (size_t i = 0; node && i < node->services.count && possible; i++)
		if (cluster_is_stateful(cluster, kept->today, node->services.list[i]))
			possible = restoration_has_archive(account, &protection, drift, node->services.list[i], archives);
	protection_release(&protection);
	return possible && archives->length > 0;
}

/* Adds the services of a new machine that are to be restored, and each to the drift. */
static void
restoration_add(const struct cluster_record *cluster, struct protection *protection, const struct node *node,
    struct string_list *services, struct drift_list *drift)
{
	for (size_t i = 0; i < node->services.count; i++) {
		const char *service = node->services.list[i];
		const struct protected protected = protection_of(protection, service);

		if (!protected.restores || !protected.can_restore)
			continue;
		name_list_add(services, service);
		drift_add(drift, &(struct drift){.what = DRIFT_UNRESTORED, .cluster = cluster->id, .operation = cluster->operation,
		    .tenant = cluster->tenant, .name = cluster->name, .node = node->id, .service = service,
		    .message = "its machine was lost, and replaced"});
	}
}

/* Begins the restore of the services on the nodes; returns its job, or NULL with the reason. */
static char *
restoration_undertake(const struct reconcile_options *parameters, const struct cluster_record *cluster, const struct string_list *nodes,
    const struct string_list *services, struct error *why)
{
	const struct action_parameters action = {.action = "restore", .nodes = *nodes, .services = *services};
	struct operation_options options = parameters->options;
	struct operation_request request = {.action = "restore", .prepare = prepare_action, .parameters = &action};
	char id[CLUSTER_ID_SIZE], *command, *job;

	request.cluster = cluster_id_text(cluster->id, id);
	request.command = command = memory_printf("coopr restore %s", id);
	options.ask.why = REPAIR_LIMITS_MARK "the data of a machine that was lost";
	options.discard_data = true;
	job = repair_attempt(&options, cluster->tenant, &request, why);
	free(command);
	return job;
}

/* Begins the restore of the machines from first to end of the list, all of one cluster. */
static int
restoration_cluster(struct account *account, const struct reconcile_options *parameters, const struct cluster_record *cluster,
    const struct unrestored *list, size_t count, struct drift_list *drift, int *worst)
{
	struct string_list nodes = {memory_zeroed(count, sizeof *nodes.list), 0}, services = {0};
	size_t before = drift->count;
	struct protection protection;
	struct error err;
	char *job = NULL;
	int result = protection_read(&protection, account, cluster->id, &err);

	for (size_t i = 0; i < count && result == 0; i++) {
		const struct node *node = layout_node(&protection.layout, list[i].node);

		if (node)
			restoration_add(cluster, &protection, node, &services, drift);
		if (node)
			nodes.list[nodes.count++] = node->id;
	}
	if (services.count)
		job = restoration_undertake(parameters, cluster, &nodes, &services, &err);
	repair_tell(drift, before, drift->count, job, &err);
	if (result < 0)
		operation_warn(&parameters->options, worst, &err);
	free(job);
	free(nodes.list);
	free(services.list);
	protection_release(&protection);
	return result;
}

int
restoration_begin(struct account *account, const struct reconcile_options *parameters, const struct reconcile_scope *scope,
    struct drift_list *drift, struct error *err)
{
	struct unrestored_list list = {0};
	size_t end;
	int worst = protection_unrestored(account->store, &list, err);

	for (size_t i = 0; i < list.count && worst >= 0; i = end) {
		const struct cluster_record *cluster = reconcile_scope_find(scope, list.list[i].cluster);

		for (end = i; end < list.count && list.list[end].cluster == list.list[i].cluster; end++)
			;
		if (cluster && cluster->status == LIFECYCLE_ACTIVE)
			restoration_cluster(account, parameters, cluster, &list.list[i], end - i, drift, &worst);
	}
	if (list.count && worst >= 0)
		drift_sort(drift);
	unrestored_list_release(&list);
	return worst;
}
