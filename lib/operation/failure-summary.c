/* SPDX-License-Identifier: Apache-2.0 */
#include "operation/failure-summary.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/process.h"
#include "json/json.h"
#include "operation/job.h"
#include "operation/run-command.h"

/* Returns the status record of the job, owned; invalid where there is none. */
static jv
failure_summary_read_status(const struct operation_job *job)
{
	struct arguments arguments = {0};
	struct buffer text = {0};
	struct error ignored; /* then nothing is known */
	jv status = jv_invalid();

	run_command_init(&arguments, "coopr-queue");
	arguments_push(&arguments, "show");
	arguments_push(&arguments, "--output=json");
	if (job->runner.spool)
		arguments_printf(&arguments, "--spool=%s", job->runner.spool);
	arguments_printf(&arguments, "%s", job->id);
	if (run_command_in_memory(&arguments, NULL, &text, &ignored) == 0)
		json_parse("status", text.data, strcspn(text.data, "\n"), &status, &ignored);
	arguments_release(&arguments);
	buffer_release(&text);
	return status;
}

static void
failure_summary_append(const char *before, char *text, struct buffer *out)
{
	if (text)
		buffer_printf(out, "%s%s", before, text);
	free(text);
}

static void
failure_summary_append_task(jv task, struct buffer *out)
{
	jv code = json_get(task, "code");

	failure_summary_append("", json_get_string(task, "task"), out);
	failure_summary_append(" (", json_get_string(task, "action"), out);
	failure_summary_append(" ", json_get_string(task, "service"), out);
	failure_summary_append(" on ", json_get_string(task, "node"), out);
	buffer_text(out, ") failed");
	if (jv_get_kind(code) == JV_KIND_NUMBER)
		buffer_printf(out, " with exit code %d", (int)jv_number_value(code));
	failure_summary_append(": ", json_get_string(task, "message"), out);
	failure_summary_append("; at first: ", json_get_string(task, "first_message"), out);
	jv_free(code);
}

char *
failure_summary(const struct operation_job *job)
{
	jv status = failure_summary_read_status(job), tasks = json_get(status, "attention");
	struct buffer out = {0};

	for (size_t i = 0; i < json_length(tasks) && out.length == 0; i++) {
		jv task = json_element(tasks, i);
		char *its_status = json_get_string(task, "status");

		if (its_status && strcmp(its_status, "failed") == 0)
			failure_summary_append_task(task, &out);
		free(its_status);
		jv_free(task);
	}
	jv_free(tasks);
	jv_free(status);
	return out.length ? buffer_take(&out) : NULL;
}
