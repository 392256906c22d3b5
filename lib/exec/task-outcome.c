/* SPDX-License-Identifier: Apache-2.0 */
#include "exec/task-outcome.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Sets err from what is wrong, all of it. */
static int
task_outcome_list_problems(const struct problems *problems, const char *what, int code, struct error *err)
{
	size_t length;

	if (problems->total == 0)
		return 0;
	error_set(err, code, "%s", what);
	for (size_t i = 0; i < problems->count; i++) {
		length = strlen(err->text);
		snprintf(err->text + length, sizeof err->text - length, "%s %s: %s", i ? ";" : ":",
		    problems->list[i].pointer, problems->list[i].text);
	}
	return -1;
}

int
task_outcome_check_fields(const struct problems *problems, struct outcome *outcome)
{
	return task_outcome_list_problems(problems, "fields", EX_CONFIG, &outcome->error);
}

int
task_outcome_check_task(const struct problems *problems, struct outcome *outcome)
{
	return task_outcome_list_problems(problems, "the task", EX_DATAERR, &outcome->error);
}
