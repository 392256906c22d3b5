/* SPDX-License-Identifier: Apache-2.0
 *
 * Machines of no cluster have no plan: their provider deletes them, one after the other.
 */
#include "reconcile/repair.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "json/json.h"
#include "operation/run-command.h"
#include "probe/drift.h"
#include "reconcile/reconcile.h"
#include "reconcile/repair-limits.h"

/* Writes the task that deletes the machine, for coopr-exec. */
static int
repair_write_task(const struct drift *drift, struct buffer *text, struct error *err)
{
	jv task = jv_object(), cluster = jv_object(), machine, provider;
	int result = json_parse(drift->node, drift->record, strlen(drift->record), &machine, err);

	if (result == 0 && json_parse(drift->node, drift->provider, strlen(drift->provider), &provider, err) == 0) {
		json_set_string(&task, "kind", "task");
		json_set_string(&task, "id", "orphaned");
		json_set_string(&task, "action", "delete");
		json_set(&task, "type", json_get(provider, "providertype"));
		json_set_string(&cluster, "tenant", drift->tenant);
		json_set(&cluster, "provider", provider);
		json_set(&task, "cluster", jv_copy(cluster));
		json_set(&task, "machine", machine);
		json_dump(task, text);
		buffer_byte(text, '\n');
	} else if (result == 0) {
		jv_free(machine);
		result = -1;
	}
	jv_free(cluster);
	jv_free(task);
	return result;
}

/* Reads the result of coopr-exec, which ends with 0 also where the plugin has failed. */
static int
repair_check_result(const struct drift *drift, const struct buffer *answer, struct error *err)
{
	struct error unread;
	char *message;
	jv result, status;
	int failed = 1;

	if (json_parse("the result", buffer_string(answer), answer->length, &result, &unread) < 0)
		return error_set(err, EX_SOFTWARE, "%s: its provider gave no result", drift->node);
	status = json_get(result, "status");
	message = json_get_string(result, "message");
	failed = jv_get_kind(status) != JV_KIND_NUMBER || (int)jv_number_value(status) != 0;
	if (failed)
		error_set(err, EX_UNAVAILABLE, "%s: cannot be deleted: %s", drift->node,
		    message ? message : "its provider failed");
	free(message);
	jv_free(status);
	jv_free(result);
	return failed ? -1 : 0;
}

static int
repair_delete_machine(const struct drift *drift, struct error *err)
{
	struct arguments arguments = {0};
	struct buffer task = {0}, answer = {0};
	int result = repair_write_task(drift, &task, err);

	run_command_init(&arguments, "coopr-exec");
	arguments_push(&arguments, "--quiet");
	if (result == 0)
		result = run_command_in_memory(&arguments, &task, &answer, err);
	if (result == 0)
		result = repair_check_result(drift, &answer, err);
	arguments_release(&arguments);
	buffer_release(&task);
	buffer_release(&answer);
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
