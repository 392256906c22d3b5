/* SPDX-License-Identifier: Apache-2.0 */
#include "operation/provider-task.h"

#include <stdlib.h>

#include "base/buffer.h"
#include "base/error.h"
#include "operation/run-command.h"

enum { NO_MOST = 63 }; /* greater ones are of sysexits.h */

/* Writes the take record for coopr-exec. */
static void
provider_task_write(const struct provider_task *task, struct buffer *text)
{
	jv record = jv_object(), cluster = jv_object();

	json_set_string(&cluster, "tenant", task->tenant);
	json_set(&cluster, "provider", jv_copy(task->provider));
	json_set(&record, "cluster", cluster);
	json_set_string(&record, "kind", "task");
	json_set_string(&record, "id", task->action);
	json_set_string(&record, "action", task->action);
	json_set(&record, "type", json_get(task->provider, "providertype"));
	json_set(&record, task->subject, jv_copy(task->about));
	json_dump(record, text);
	buffer_byte(text, '\n');
	jv_free(record);
}

/* Reads the result of coopr-exec, which ends with 0 also where the plugin has failed. */
static int
provider_task_read(const struct provider_task *task, const struct buffer *answer, struct error *err)
{
	struct error unread;
	char *message;
	double status;
	jv result;

	if (json_parse("the result", buffer_string(answer), answer->length, &result, &unread) < 0)
		return error_set(err, EX_UNAVAILABLE, "%s: its provider gave no result", task->name);
	status = json_get_number(result, "status", EX_SOFTWARE);
	message = json_get_string(result, "message");
	if (status != 0)
		error_set(err, status > 0 && status <= NO_MOST ? EX_NO : EX_UNAVAILABLE, "%s: %s", task->name, message ? message : "its provider failed");
	free(message);
	jv_free(result);
	return status == 0 ? 0 : -1;
}

int
provider_task_do(const struct provider_task *task, struct error *err)
{
	struct arguments arguments = {0};
	struct buffer text = {0}, answer = {0};
	int result;

	provider_task_write(task, &text);
	run_command_init(&arguments, "coopr-exec");
	arguments_push(&arguments, "--quiet");
	result = run_command_in_memory(&arguments, &text, &answer, err);
	if (result == 0)
		result = provider_task_read(task, &answer, err);
	arguments_release(&arguments);
	buffer_release(&text);
	buffer_release(&answer);
	return result;
}
