/* SPDX-License-Identifier: Apache-2.0 */
#include "exec/task-outcome.h"

#include <stdlib.h>

#include "json/json.h"

jv
task_outcome_result(const struct task *task, const struct outcome *outcome)
{
	jv result = jv_object();

	json_set_string(&result, "kind", "result");
	json_set_string(&result, "task", task->id);
	if (task->job)
		json_set_string(&result, "job", task->job);
	json_set_number(&result, "attempt", (double)task->attempt);
	json_set_number(&result, "status", outcome->error.code);
	if (outcome->error.code)
		json_set_string(&result, "message", outcome->error.text);
	if (outcome->error.code && outcome->error_class)
		json_set_string(&result, "class", outcome->error_class);
	if (outcome->hostname)
		json_set_string(&result, "hostname", outcome->hostname);
	if (jv_is_valid(outcome->ipaddresses))
		json_set(&result, "ipaddresses", jv_copy(outcome->ipaddresses));
	if (jv_is_valid(outcome->facts))
		json_set(&result, "result", jv_copy(outcome->facts));
	if (jv_is_valid(outcome->claim))
		json_set(&result, "claim", jv_copy(outcome->claim));
	return result;
}

void
task_outcome_release(struct outcome *outcome)
{
	free(outcome->hostname);
	jv_free(outcome->ipaddresses);
	jv_free(outcome->facts);
	jv_free(outcome->claim);
}
