/* SPDX-License-Identifier: Apache-2.0 */
#include "reconcile/retention.h"

#include <string.h>

#include "account/accounts.h"
#include "archive/removal.h"
#include "base/clock.h"
#include "base/error.h"
#include "cluster/archives.h"
#include "cluster/clusters.h"
#include "cluster/protection.h"
#include "model/name.h"
#include "reconcile/reconcile.h"
#include "reconcile/scope.h"

enum { AT_A_TIME = 64 };

/* Returns whether the instance that the archive is of is still there. */
static bool
retention_stands(const struct protection *protection, const struct archive *archive)
{
	const struct node *node = layout_node(&protection->layout, archive->node);

	return node && name_set_has(&node->services, archive->service);
}

/* Counts the archives before list[at], all newer, that are of the same instance; of one that is gone, of the service. */
static int64_t
retention_newer(const struct archive_list *list, size_t at, bool stands)
{
	const struct archive *archive = &list->list[at];
	int64_t count = 0;

	for (size_t i = 0; i < at; i++)
		count += strcmp(list->list[i].service, archive->service) == 0 && (!stands || strcmp(list->list[i].node, archive->node) == 0);
	return count;
}

/* Returns whether list[at] is to be kept no longer. */
static bool
retention_is_over(struct protection *protection, const struct archive_list *list, size_t at, bool lives)
{
	const struct archive *archive = &list->list[at];
	const struct protected protected = protection_of(protection, archive->service);
	int64_t newer = retention_newer(list, at, retention_stands(protection, archive));

	if (lives && newer == 0)
		return false;
	return (protected.policy.keep && newer >= protected.policy.keep) ||
	    (protected.policy.keep_ms && clock_wall_ms() - archive->ended_ms > protected.policy.keep_ms);
}

static int
retention_apply_to(struct account *account, int64_t cluster, struct error *err)
{
	struct cluster_list clusters = {0};
	struct archive_list list = {0};
	struct protection protection;
	int result = protection_read(&protection, account, cluster, err);

	if (result == 0)
		result = clusters_find_id(account, cluster, &clusters, err);
	if (result == 0)
		result = archives_list(account, cluster, &list, err);
	for (size_t i = 0; i < list.count && result == 0; i++)
		if (retention_is_over(&protection, &list, i, clusters.list[0].status != LIFECYCLE_TERMINATED))
			result = removal_do(account->store, &list.list[i], err);
	archive_list_release(&list);
	cluster_list_release(&clusters);
	protection_release(&protection);
	return result;
}

int
retention_apply(struct account *account, const struct reconcile_options *parameters, const struct reconcile_scope *scope,
    struct error *err)
{
	int64_t ids[AT_A_TIME], after = 0;
	size_t count;
	struct error failure;
	int worst = 0;

	if (scope->all && removal_finish(account->store, &failure) < 0)
		operation_warn(&parameters->options, &worst, &failure);
	do {
		if (protection_retained(account->store, after, ids, AT_A_TIME, &count, err) < 0)
			return -1;
		for (size_t i = 0; i < count; i++) {
			after = ids[i];
			if (reconcile_scope_has(scope, after) && retention_apply_to(account, after, &failure) < 0)
				operation_warn(&parameters->options, &worst, &failure);
		}
	} while (count == AT_A_TIME);
	return worst;
}
