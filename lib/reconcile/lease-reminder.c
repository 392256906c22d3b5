/* SPDX-License-Identifier: Apache-2.0 */
#include "reconcile/lease-reminder.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "account/accounts.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "cluster/clusters.h"
#include "hook/hook.h"
#include "reconcile/scope.h"

/* Tells hooks, and by notice, that the cluster's lease ends, and records that. A process that is killed in between tells it
 * again, under the same id. */
static int
lease_reminder_of(struct account *account, const struct cluster_record *cluster, void (*notice)(const char *text),
    struct error *err)
{
	struct hook_event event = {.event = HOOK_REMINDER, .operation = "lease", .cluster = cluster->name,
		.tenant = cluster->tenant, .owner = cluster->owner};
	struct cluster_documents documents = {0};
	char id[CLUSTER_ID_SIZE], at[CLOCK_RFC3339_SIZE], *occasion, *text;
	int result = clusters_documents(account, cluster->id, &documents, err);

	if (result < 0)
		return -1;
	text = memory_printf("%s of %s, tenant %s: its lease ends at %s, and then it is deleted; to extend the lease: coopr lease -T %s %s TIME",
	    cluster->name, cluster->owner, cluster->tenant, clock_rfc3339(cluster->expires_ms, at), cluster->tenant,
	    cluster->name);
	event.cluster_id = cluster_id_text(cluster->id, id);
	event.occasion = occasion = memory_printf("%s.%lld", id, (long long)cluster->expires_ms);
	event.message = text;
	event.layout = documents.layout;
	event.layout_length = strlen(documents.layout);
	result = hook_tell(account->store, &event, err);
	if (result == 0) {
		notice(text);
		result = clusters_set_reminded(account, cluster->id, cluster->expires_ms, err);
	}
	free(occasion);
	free(text);
	cluster_documents_release(&documents);
	return result;
}

int
lease_reminder_send(struct account *account, const struct reconcile_scope *scope, int64_t within_ms,
    void (*notice)(const char *text), struct error *err)
{
	int64_t now = clock_wall_ms();
	const struct cluster_filter ending = {.everywhere = true, .by_number = true, .expired_ms = now + within_ms,
	    .unreminded = true};
	struct cluster_list list = {0};
	int result = 0;

	if (within_ms > 0)
		result = clusters_list(account, &ending, &list, err);
	for (size_t i = 0; i < list.count && result == 0; i++) {
		const struct cluster_record *cluster = &list.list[i];
		/* A lease of hours is not to be reminded of as soon as it begins. */
		bool half_over = cluster->expires_ms - now <= now - cluster->created_ms;

		if (reconcile_scope_has(scope, cluster->id) && cluster->expires_ms > now && half_over)
			result = lease_reminder_of(account, cluster, notice, err);
	}
	cluster_list_release(&list);
	return result;
}
