/* SPDX-License-Identifier: Apache-2.0 */
#include "reconcile/repair-limits.h"

#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "cluster/operations.h"
#include "model/unavailable.h"
#include "reconcile/scope.h"

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
		    "%s: %zu of its %" PRId64 " machines are gone, more than are replaced at "
		    "once (%s); coopr reconcile --repair --max-gone=100%% %s replaces them", cluster->name, count,
		    cluster->nodes, limits->max_gone, cluster->name);
	if (cluster->provider && repair_limits_is_too_much(limits, of_provider, at_provider))
		return error_set(err, EX_TEMPFAIL,
		    "%s: %zu of the %zu machines at the provider %s are gone, more than are "
		    "replaced at once (%s); coopr reconcile --repair --max-gone=100%% replaces them", cluster->name,
		    of_provider, at_provider, cluster->provider, limits->max_gone);
	return 0;
}

int
repair_limits_on_orphaned(const struct repair_limits *limits, const char *provider, size_t count, struct error *err)
{
	size_t total = count + repair_limits_recorded_at(limits->scope, provider, NULL);

	if (!repair_limits_is_too_much(limits, count, total))
		return 0;
	return error_set(err, EX_TEMPFAIL,
	    "provider %s: %zu of its %zu machines are orphaned, more than are deleted at "
	    "once (%s); coopr reconcile --delete-orphaned --max-gone=100%% deletes them", provider, count, total,
	    limits->max_gone);
}

static int64_t
repair_limits_at_most(int64_t ms, int64_t most)
{
	return ms < most ? ms : most;
}

/* Returns when the next repair may begin, by the last operations, the newest first. */
static int64_t
repair_limits_due_ms(const struct operation_list *list)
{
	const struct operation *last = NULL;
	int64_t wait = 0, tried;
	int ours = 0;

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
	if (ours >= FREE)
		wait = repair_limits_at_most(2 * (int64_t)MINUTE_MS << (ours - FREE), LONGEST_MS);
	tried = repair_limits_at_most(last->ended_ms - last->begun_ms, LONGEST_MS);
	if (last->status != OPERATION_COMPLETE && wait < (tried > MINUTE_MS ? tried : MINUTE_MS))
		wait = tried > MINUTE_MS ? tried : MINUTE_MS;
	return wait ? last->ended_ms + wait : 0;
}

int
repair_limits_on_haste(const struct repair_limits *limits, const struct cluster_record *cluster, struct error *err)
{
	struct operation_list list = {0};
	char text[CLOCK_RFC3339_SIZE];
	int64_t due;
	int result = operations_list(limits->account, cluster->id, 0, LOOK_BACK, &list, err);

	if (result == 0) {
		due = repair_limits_due_ms(&list);
		if (due > clock_wall_ms())
			result = error_set(err, EX_TEMPFAIL, "%s: it was repaired a short time ago and is not repaired again before %s; "
			    "see coopr history %s", cluster->name, clock_rfc3339(due, text), cluster->name);
	}
	operation_list_release(&list);
	return result;
}
