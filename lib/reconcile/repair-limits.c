/* SPDX-License-Identifier: Apache-2.0 */
#include "reconcile/repair-limits.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "account/accounts.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/plural.h"
#include "cluster/inventory.h"
#include "cluster/operations.h"
#include "cluster/repairs.h"
#include "model/unavailable.h"
#include "reconcile/scope.h"
#include "worker/identity.h"

enum {
	MINUTE_MS = 60 * 1000,
	LONGEST_MS = 6 * 60 * MINUTE_MS,
	FREE = 3,     /* repairs in a row that need not wait */
	LOOK_BACK = 16,
};

static bool
repair_limits_is_too_much(const struct repair_limits *limits, size_t count, size_t total)
{
	return count > 1 && count > unavailable_of(limits->max_gone, total);
}

/* Returns the number of machines that are recorded at a provider; tenant NULL: of all tenants. */
static size_t
repair_limits_recorded_at(const struct reconcile_scope *scope, const char *provider, const char *tenant)
{
	size_t count = 0;

	for (size_t i = 0; i < scope->clusters.count; i++) {
		const struct cluster_record *cluster = &scope->clusters.list[i];

		if (cluster->provider && strcmp(cluster->provider, provider) == 0 &&
		    (!tenant || strcmp(cluster->tenant, tenant) == 0))
			count += (size_t)cluster->nodes;
	}
	return count;
}

int
repair_limits_on_share(const struct repair_limits *limits, const struct cluster_record *cluster, size_t count,
    size_t of_provider, struct error *err)
{
	size_t at_provider = cluster->provider ? repair_limits_recorded_at(limits->scope, cluster->provider, cluster->tenant)
	    : 0;

	if (repair_limits_is_too_much(limits, count, (size_t)cluster->nodes))
		return error_set(err, EX_TEMPFAIL,
		    "%s: %zu of its %" PRId64 " %s gone, more than are replaced at "
		    "once (%s); coopr reconcile --repair --max-gone=100%% %s replaces them", cluster->name, count,
		    cluster->nodes, plural(cluster->nodes, "machine is", "machines are"), limits->max_gone, cluster->name);
	if (cluster->provider && repair_limits_is_too_much(limits, of_provider, at_provider))
		return error_set(err, EX_TEMPFAIL,
		    "%s: %zu of the %zu %s at the provider %s are gone, more than are "
		    "replaced at once (%s); coopr reconcile --repair --max-gone=100%% replaces them", cluster->name,
		    of_provider, at_provider, plural(at_provider, "machine", "machines"), cluster->provider, limits->max_gone);
	return 0;
}

int
repair_limits_on_identity(const struct repair_limits *limits, const struct cluster_record *cluster, struct error *err)
{
	struct inventory_provider provider;
	struct inventory inventory;
	int got = inventory_providers(limits->account, &inventory, err), result = 0;

	while (got >= 0 && result == 0 && (got = inventory_next_provider(&inventory, &provider, err)) > 0)
		if (provider.entity && cluster->provider && strcmp(provider.name, cluster->provider) == 0 &&
		    strcmp(provider.tenant, cluster->tenant) == 0)
			result = identity_check(provider.entity, err);
	inventory_end(&inventory);
	return got < 0 ? -1 : result;
}

int
repair_limits_on_orphaned(const struct repair_limits *limits, const char *provider, size_t count, struct error *err)
{
	size_t total = count + repair_limits_recorded_at(limits->scope, provider, NULL);

	if (!repair_limits_is_too_much(limits, count, total))
		return 0;
	return error_set(err, EX_TEMPFAIL,
	    "provider %s: %zu of its %zu %s orphaned, more than are deleted at "
	    "once (%s); coopr reconcile --delete-orphaned --max-gone=100%% deletes them", provider, count, total,
	    plural(total, "machine is", "machines are"), limits->max_gone);
}

static int64_t
repair_limits_at_most(int64_t ms, int64_t most)
{
	return ms < most ? ms : most;
}

/* Returns how long to wait after the last of so many repairs in a row, which took so long. */
static int64_t
repair_limits_wait_ms(int64_t rounds, enum operation_status status, int64_t took_ms)
{
	int64_t tried = repair_limits_at_most(took_ms > MINUTE_MS ? took_ms : MINUTE_MS, LONGEST_MS), wait = 0;

	if (rounds >= FREE)
		wait = repair_limits_at_most(2 * (int64_t)MINUTE_MS << (rounds < LOOK_BACK ? rounds - FREE : LOOK_BACK - FREE), LONGEST_MS);
	return status != OPERATION_COMPLETE && wait < tried ? tried : wait;
}

/* Returns when the last operation, which failed, may be tried again, by the last operations, the newest first. */
static int64_t
repair_limits_due_ms(const struct operation_list *list)
{
	const struct operation *last = NULL;
	int64_t ours = 0;

	for (size_t i = 0; i < list->count; i++) {
		const struct operation *operation = &list->list[i];

		if (!operation->job)
			continue;
		if (!last)
			last = operation;
		if (!operation->why || strncmp(operation->why, REPAIR_LIMITS_MARK, strlen(REPAIR_LIMITS_MARK)) != 0)
			break;
		ours++;
	}
	if (!last || last->ended_ms == 0)
		return 0;
	return last->ended_ms + repair_limits_wait_ms(ours, last->status, last->ended_ms - last->begun_ms);
}

int
repair_limits_on_retry(const struct repair_limits *limits, const struct cluster_record *cluster, struct error *err)
{
	struct operation_list list = {0};
	char text[CLOCK_RFC3339_SIZE];
	int64_t due;
	int result = operations_list(limits->account, cluster->id, 0, LOOK_BACK, &list, err);

	if (result == 0) {
		due = repair_limits_due_ms(&list);
		if (due > clock_wall_ms())
			result = error_set(err, EX_TEMPFAIL, "it was tried a short time ago and is not tried again before %s; "
			    "coopr retry %s does it now", clock_seconds(due, text), cluster->name);
	}
	operation_list_release(&list);
	return result;
}

/* Reads the last repair of it. What was well for long after that begins anew. */
static int
repair_limits_last(const struct repair_limits *limits, const struct cluster_record *cluster, const char *node, const char *service,
    struct repair_record *last, struct error *err)
{
	int got = repairs_last(limits->account->store, cluster->id, node, service, REPAIR_LIMITS_MARK, last, err);

	if (got > 0 && last->ended_ms && last->ended_ms + LONGEST_MS < clock_wall_ms())
		last->round = 0;
	return got;
}

int
repair_limits_on_haste(const struct repair_limits *limits, const struct cluster_record *cluster, const char *node,
    const char *service, struct error *err)
{
	struct repair_record last;
	char text[CLOCK_RFC3339_SIZE];
	int got = repair_limits_last(limits, cluster, node, service, &last, err);
	int64_t due_ms = 0;

	if (got > 0 && last.round > 0 && last.ended_ms)
		due_ms = last.ended_ms + repair_limits_wait_ms(last.round, last.status, last.ended_ms - last.begun_ms);
	if (due_ms > clock_wall_ms())
		return error_set(err, EX_TEMPFAIL, "it was repaired a short time ago and is not repaired again before %s; coopr history %s "
		    "shows how often", clock_seconds(due_ms, text), cluster->name);
	return got < 0 ? -1 : 0;
}

int64_t
repair_limits_number(const char *job)
{
	const char *number = strrchr(job, '-');

	return number ? strtoll(number + 1, NULL, 10) : 0;
}

int
repair_limits_record(const struct repair_limits *limits, const struct cluster_record *cluster, const char *node,
    const char *service, const char *job, struct error *err)
{
	struct repair_record last;

	return repair_limits_last(limits, cluster, node, service, &last, err) < 0 ? -1
	     : repairs_record(limits->account->store, cluster->id, node, service, repair_limits_number(job), last.round + 1, err);
}
