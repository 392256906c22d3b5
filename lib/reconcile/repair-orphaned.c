/* SPDX-License-Identifier: Apache-2.0
 *
 * Machines of no cluster have no plan: their provider deletes them, one after the other.
 */
#include "reconcile/repair.h"

#include <string.h>

#include "base/error.h"
#include "json/json.h"
#include "operation/provider-task.h"
#include "probe/drift.h"
#include "reconcile/reconcile.h"
#include "reconcile/repair-limits.h"

static int
repair_delete_machine(const struct drift *drift, struct error *err)
{
	struct provider_task task = {.action = "delete", .tenant = drift->tenant, .subject = "machine", .name = drift->node};
	int result = json_parse(drift->node, drift->record, strlen(drift->record), &task.about, err);

	if (result < 0)
		return -1;
	result = json_parse(drift->node, drift->provider, strlen(drift->provider), &task.provider, err);
	if (result == 0) {
		result = provider_task_do(&task, err);
		jv_free(task.provider);
	}
	jv_free(task.about);
	return result;
}

/* Counts the orphaned machines of that provider; 0 where they were counted at an earlier machine. */
static size_t
repair_count_orphaned(const struct drift_list *drift, size_t first)
{
	const char *provider = drift->list[first].provider_name;
	size_t count = 0;

	for (size_t i = 0; i < drift->count; i++) {
		if (drift->list[i].what != DRIFT_ORPHANED || strcmp(drift->list[i].provider_name, provider) != 0)
			continue;
		if (i < first)
			return 0;
		count++;
	}
	return count;
}

static int
repair_delete_at_provider(const struct operation_options *options, struct drift_list *drift, size_t first)
{
	const char *provider = drift->list[first].provider_name;
	struct error err;
	int worst = 0;

	for (size_t i = first; i < drift->count; i++) {
		if (drift->list[i].what != DRIFT_ORPHANED || strcmp(drift->list[i].provider_name, provider) != 0)
			continue;
		if (repair_delete_machine(&drift->list[i], &err) == 0) {
			drift->list[i].repair = "deleted";
			drift->list[i].stage = DRIFT_REPAIRED;
			continue;
		}
		operation_warn(options, &worst, &err);
	}
	return worst;
}

int
repair_orphaned(struct account *account, const struct reconcile_options *parameters, const struct reconcile_scope *scope,
    struct drift_list *drift)
{
	const struct repair_limits limits = {account, scope, parameters->max_gone};
	struct error err;
	int worst = 0;

	for (size_t i = 0; i < drift->count; i++) {
		size_t count = drift->list[i].what == DRIFT_ORPHANED ? repair_count_orphaned(drift, i) : 0;

		if (count && repair_limits_on_orphaned(&limits, drift->list[i].provider_name, count, &err) < 0)
			drift->list[i].note = arena_string(&drift->arena, err.text);
		else if (count && worst == 0)
			worst = repair_delete_at_provider(&parameters->options, drift, i);
	}
	return worst;
}
