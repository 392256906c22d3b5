/* SPDX-License-Identifier: Apache-2.0 */
#include "reconcile/restraint.h"

#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "cluster/operations.h"
#include "model/unavailable.h"
#include "probe/reach.h"

enum {
	MINUTE_MS = 60 * 1000,
	LONGEST_MS = 6 * 60 * MINUTE_MS,
	FREE = 3,     /* repairs in a row that need not wait */
	LOOK_BACK = 16,
};

static bool
restraint_is_too_much(const struct restraint *restraint, size_t count, size_t total)
{
	return count > 1 && count > unavailable_of(restraint->max_gone, total);
}

/* The machines that are recorded at a provider; tenant NULL: of all tenants. */
static size_t
restraint_recorded_at(const struct reach *reach, const char *provider, const char *tenant)
{
	size_t count = 0;

	for (size_t i = 0; i < reach->clusters.count; i++) {
		const struct cluster_record *cluster = &reach->clusters.list[i];

		if (cluster->provider && strcmp(cluster->provider, provider) == 0 &&
		    (!tenant || strcmp(cluster->tenant, tenant) == 0))
			count += (size_t)cluster->nodes;
	}
	return count;
}

int
restraint_on_share(const struct restraint *restraint, const struct cluster_record *cluster, size_t count,
    size_t of_provider, struct error *err)
{
	size_t at_provider = cluster->provider ? restraint_recorded_at(restraint->reach, cluster->provider, cluster->tenant)
	    : 0;

	if (restraint_is_too_much(restraint, count, (size_t)cluster->nodes))
		return error_set(err, EX_TEMPFAIL,
		    "%s: %zu of its %" PRId64 " machines are gone, which is more than is replaced at "
		    "once (%s): none is; coopr reconcile --repair --max-gone=100%% %s does it", cluster->name, count,
		    cluster->nodes, restraint->max_gone, cluster->name);
	if (cluster->provider && restraint_is_too_much(restraint, of_provider, at_provider))
		return error_set(err, EX_TEMPFAIL,
		    "%s: %zu of the %zu machines at the provider %s are gone, which is more than is "
		    "replaced at once (%s): none is; coopr reconcile --repair --max-gone=100%% does it", cluster->name,
		    of_provider, at_provider, cluster->provider, restraint->max_gone);
	return 0;
}

int
restraint_on_unowned(const struct restraint *restraint, const char *provider, size_t count, struct error *err)
{
	size_t total = count + restraint_recorded_at(restraint->reach, provider, NULL);

	if (!restraint_is_too_much(restraint, count, total))
		return 0;
	return error_set(err, EX_TEMPFAIL,
	    "provider %s: %zu of its %zu machines belong to nobody, which is more than is deleted at "
	    "once (%s): none is; coopr reconcile --delete-unowned --max-gone=100%% does it", provider, count, total,
	    restraint->max_gone);
}

static int64_t
restraint_at_most(int64_t ms, int64_t most)
{
	return ms < most ? ms : most;
}

/* When something may be done again, by what was done last, the newest first. */
static int64_t
restraint_due_ms(const struct operation_list *list)
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
		if (!operation->why || strncmp(operation->why, RESTRAINT_MARK, strlen(RESTRAINT_MARK)) != 0)
			break;
		ours++;
	}
	if (!last || last->ended_ms == 0)
		return 0;
	if (ours >= FREE)
		wait = restraint_at_most(2 * (int64_t)MINUTE_MS << (ours - FREE), LONGEST_MS);
	tried = restraint_at_most(last->ended_ms - last->begun_ms, LONGEST_MS);
	if (last->status != OPERATION_COMPLETE && wait < (tried > MINUTE_MS ? tried : MINUTE_MS))
		wait = tried > MINUTE_MS ? tried : MINUTE_MS;
	return wait ? last->ended_ms + wait : 0;
}

int
restraint_on_haste(const struct restraint *restraint, const struct cluster_record *cluster, struct error *err)
{
	struct operation_list list = {0};
	char text[CLOCK_RFC3339_SIZE];
	int64_t due;
	int result = operations_list(restraint->account, cluster->id, 0, LOOK_BACK, &list, err);

	if (result == 0) {
		due = restraint_due_ms(&list);
		if (due > clock_wall_ms())
			result = error_set(err, EX_TEMPFAIL, "%s: it was mended a short time ago, and is not mended again before %s; "
			    "coopr history %s tells of it", cluster->name, clock_rfc3339(due, text), cluster->name);
	}
	operation_list_release(&list);
	return result;
}
