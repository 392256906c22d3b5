/* SPDX-License-Identifier: Apache-2.0 */
#include "reconcile/kept-data.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "cluster/stateful.h"
#include "model/name.h"
#include "operation/provider-task.h"
#include "probe/drift.h"
#include "reconcile/reconcile.h"
#include "reconcile/restoration.h"
#include "reconcile/scope.h"

int
kept_data_read(struct kept_data *kept, struct account *account, int64_t cluster, struct error *err)
{
	struct cluster_documents documents = {0};
	int result = clusters_documents(account, cluster, &documents, err);

	*kept = (struct kept_data){.layout.cluster.source = jv_invalid(), .today = jv_invalid()};
	if (result == 0)
		result = layout_parse_text(documents.layout ? documents.layout : "", &kept->layout, err);
	if (result == 0)
		result = stateful_today(account->store, &kept->layout.cluster, documents.request, &kept->today, err);
	cluster_documents_release(&documents);
	return result;
}

void
kept_data_release(struct kept_data *kept)
{
	layout_release(&kept->layout);
	jv_free(kept->today);
}

bool
kept_data_on(const struct kept_data *kept, const char *node, struct buffer *text)
{
	const struct cluster *cluster = &kept->layout.cluster;
	bool found = false;

	for (size_t i = 0; i < cluster->definition_count; i++) {
		const char *service = cluster->definitions[i].name;
		bool stands = false;

		for (size_t j = 0; j < kept->layout.node_count && !stands; j++)
			stands = (!node || strcmp(kept->layout.nodes[j].id, node) == 0) &&
			    name_set_has(&kept->layout.nodes[j].services, service);
		if (!stands || !cluster_is_stateful(cluster, kept->today, service))
			continue;
		buffer_printf(text, "%s%s", found ? ", " : "", service);
		found = true;
	}
	return found;
}

/* Returns the number of a node, as people name it. */
static int64_t
kept_data_number(const struct kept_data *kept, const char *node)
{
	const struct node *its = layout_node(&kept->layout, node);

	return its ? its->nodenum : 0;
}

/* Tells whether there is data on the node, and all of it lies on volumes that are kept. */
static bool
kept_data_is_on_volumes(const struct kept_data *kept, const struct node *node)
{
	const struct cluster *cluster = &kept->layout.cluster;
	bool any = false;

	for (size_t i = 0; node && i < node->services.count; i++) {
		const struct service *service = cluster_definition(cluster, node->services.list[i]);

		if (!cluster_is_stateful(cluster, kept->today, node->services.list[i]))
			continue;
		if (!service || !service_is_on_volumes(service))
			return false;
		any = true;
	}
	return any;
}

/* Adds to what is said of the drift; the text lives in the list's arena. */
static void
kept_data_say(struct drift_list *list, struct drift *drift, const char *text)
{
	drift->message = drift->message ? arena_printf(&list->arena, "%s; %s", drift->message, text) : text;
}

/* Asks the provider whether the machine will never write to its volumes again. Returns 0; -1 where it may, or that is not known. */
static int
kept_data_ask_fence(const struct kept_data *kept, const struct drift *drift, struct error *err)
{
	const struct node *node = layout_node(&kept->layout, drift->node);
	const struct provider_task task = {.action = action_name(ACTION_FENCE), .tenant = drift->tenant, .provider = kept->layout.cluster.provider.source,
	    .subject = "machine", .about = node->source, .name = drift->node};

	return provider_task_do(&task, err);
}

/* Notes whether the new machine gets what the old one has, and that a person decides where the old one may still run. Returns false where
 * the data is elsewhere. */
static bool
kept_data_mark_volumes(const struct kept_data *kept, struct drift_list *list, struct drift *drift)
{
	struct error err;

	if (!kept_data_is_on_volumes(kept, layout_node(&kept->layout, drift->node)))
		return false;
	drift->revives = kept_data_ask_fence(kept, drift, &err) == 0;
	if (drift->revives) {
		kept_data_say(list, drift, "its data is on volumes, which the new machine gets");
		return true;
	}
	drift->keeps = "its machine may still run";
	kept_data_say(list, drift, arena_printf(&list->arena, "its data is on volumes, and it is not replaced as long as its provider does not say that "
	    "the machine is gone or off (%s); when you have made sure of that: coopr replace --dead %s/%" PRId64, err.text, drift->name,
	    kept_data_number(kept, drift->node)));
	return true;
}

/* Notes the data on a machine that is gone or does not answer. */
static void
kept_data_mark_node(struct account *account, const struct kept_data *kept, struct drift_list *list, struct drift *drift)
{
	struct buffer services = {0}, archives = {0};

	if (kept_data_mark_volumes(kept, list, drift))
		return;
	if (restoration_is_possible(account, kept, drift, &archives)) {
		drift->restores = true;
		kept_data_say(list, drift, arena_printf(&list->arena, "its data is restored with %s, and what was written since is lost", archives.data));
	} else if (kept_data_on(kept, drift->node, &services)) {
		drift->keeps = arena_string(&list->arena, services.data);
		kept_data_say(list, drift, arena_printf(&list->arena, "it has data of %s, and is not replaced; without that data: "
		    "coopr replace --dead --discard-data %s/%" PRId64, services.data, drift->name, kept_data_number(kept, drift->node)));
	}
	buffer_release(&archives);
	buffer_release(&services);
}

/* Returns whether the lease of the cluster has ended, and its data is to be kept. */
static bool
kept_data_has_expired(const struct cluster_record *cluster)
{
	return cluster->expires_ms && cluster->expires_ms <= clock_wall_ms() && !cluster->lease_discards_data &&
	    cluster->status != LIFECYCLE_TERMINATED;
}

static void
kept_data_add_expired(const struct kept_data *kept, const struct cluster_record *cluster, struct drift_list *list)
{
	struct buffer services = {0}, text = {0};

	if (kept_data_on(kept, NULL, &services)) {
		buffer_printf(&text, "its lease has ended; it has data of %s, and is not deleted; either: coopr delete "
		    "--discard-data %s, or: coopr lease %s TIME and coopr start %s", services.data, cluster->name, cluster->name,
		    cluster->name);
		drift_add(list, &(struct drift){.what = DRIFT_EXPIRED, .cluster = cluster->id, .operation = cluster->operation,
		    .tenant = cluster->tenant, .name = cluster->name, .keeps = services.data, .message = text.data});
	}
	buffer_release(&services);
	buffer_release(&text);
}

/* Marks the drift of one cluster, from first to end. */
static int
kept_data_mark_cluster(struct account *account, const struct cluster_record *cluster, struct drift_list *list, size_t first,
    size_t end, struct error *err)
{
	bool expired = kept_data_has_expired(cluster), asked = expired;
	struct kept_data kept;
	int result;

	for (size_t i = first; i < end; i++)
		asked = asked || list->list[i].what == DRIFT_VANISHED || list->list[i].what == DRIFT_UNREACHABLE;
	if (!asked)
		return 0;
	result = kept_data_read(&kept, account, cluster->id, err);
	for (size_t i = first; i < end && result == 0; i++) {
		struct drift *drift = &list->list[i];

		if (drift->node && (drift->what == DRIFT_VANISHED || drift->what == DRIFT_UNREACHABLE))
			kept_data_mark_node(account, &kept, list, drift);
		if (expired && drift->what == DRIFT_STOPPED)
			drift->keeps = "its lease has ended";
	}
	if (result == 0 && expired)
		kept_data_add_expired(&kept, cluster, list);
	kept_data_release(&kept);
	return result;
}

int
kept_data_mark(struct account *account, const struct reconcile_options *parameters, const struct reconcile_scope *scope,
    struct drift_list *drift)
{
	size_t first = 0, end, found = drift->count;
	struct error err;
	int worst = 0;

	for (size_t i = 0; i < scope->clusters.count; i++) {
		const struct cluster_record *cluster = &scope->clusters.list[i];

		while (first < found && (uint64_t)drift->list[first].cluster - 1 < (uint64_t)cluster->id - 1)
			first++;
		for (end = first; end < found && drift->list[end].cluster == cluster->id; end++)
			;
		if (kept_data_mark_cluster(account, cluster, drift, first, end, &err) < 0) {
			error_prefix(&err, "%s", cluster->name);
			operation_warn(&parameters->options, &worst, &err);
		}
		first = end;
	}
	if (drift->count > found)
		drift_sort(drift);
	return worst;
}
